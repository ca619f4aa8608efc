"""Page: a run as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from devfix.observation.record import Made, ObservedMismatch, ObservedOperand, Place, Transfer
from devfix.running import account as words
from devfix.running.account import Account, Source
from devfix.running.costs import costliest_first, size_in_words
from devfix.running.texts import lines_of

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1f2328; background: #fff }
h1 { font-size: 1.4rem } h2 { font-size: 1.15rem; margin-top: 2rem }
section { border: 1px solid #d0d7de; border-radius: 6px; margin: 1rem 0; padding: .7rem 1rem }
code, pre { font: 13px/1.5 ui-monospace, monospace } pre { background: #f6f8fa; padding: .5rem; overflow-x: auto }
mark { background: #ffd8d3; color: inherit } .kind { color: #cf222e; font-weight: 600 } .blamed { color: #cf222e }
ul { margin: .3rem 0 } table { border-collapse: collapse; width: 100% } .said { color: #59636e }
td, th { border-bottom: 1px solid #d0d7de; padding: .25rem .6rem; text-align: left } td.number { text-align: right }
"""


def render_page(account: Account) -> str:
    """The whole page."""
    title = f"devfix run {' '.join(account.request.words)}"
    body = "\n".join(_body(account, title))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _body(account: Account, title: str) -> Iterator[str]:
    yield f"<h1>{escape(title)}</h1>"
    yield from (f"<p>{escape(line)}</p>" for line in words.summary(account))
    mismatches = account.record.mismatches
    if mismatches:
        yield "<h2>Mismatches</h2>"
        yield from map(_mismatch, mismatches)
    if len(mismatches) > 1 and account.origins:
        yield "<h2>Where the operands to blame come from</h2>"
        rows = [(str(count), *_origin(source)) for source, count in account.origins]
        yield from _table(("mismatches", "how", "line", "source"), rows)
    transfers = costliest_first(account.record.transfers)
    if transfers:
        yield "<h2>Copies between host and device, and waits for the device</h2>"
        head = ("times", "what", "bytes", "by", "line", "source")
        yield from _table(head, [_transfer(transfer) for transfer in transfers])


def _mismatch(mismatch: ObservedMismatch) -> str:
    place = words.where(mismatch.sink) if mismatch.sink is not None else "(no line of the program)"
    operands = "".join(_operand(*each) for each in words.together(words.operands(mismatch)))
    return (
        f'<section><p><code>{escape(place)}</code> <span class="kind">{escape(mismatch.kind)}</span> '
        f"{escape(words.title(mismatch))}</p>{_source(mismatch.sink)}"
        f'<p class="said">{escape(words.error(mismatch))}</p><ul>{operands}</ul></section>'
    )


def _operand(operand: ObservedOperand, more: int) -> str:
    made = words.sources(operand) or ((operand.made,) if operand.made is not None else ())
    lines = "".join(f"<br>{_made(each, operand)}" for each in made)
    blamed = ' class="blamed"' if operand.blamed else ""
    others = f", and {more} more of its module" if more else ""
    return f"<li><span{blamed}>{escape(words.describe(operand))}{others}</span>{lines}</li>"


def _made(made: Made, operand: ObservedOperand) -> str:
    text = escape(words.made_by(made, operand))
    if made.place is None:
        return text
    return f"{text}, <code>{escape(words.where(made.place))}</code> <code>{escape(made.place.text)}</code>"


def _source(place: Place | None) -> str:
    if place is None:
        return ""
    lines = lines_of(place)
    if not lines or place.column is None or place.end_column is None:
        return f"<pre>{escape(place.text)}</pre>"
    line = lines[place.line - 1].rstrip("\r\n")
    end = place.end_column if place.end_line == place.line else len(line)
    before, marked, after = line[: place.column], line[place.column : end], line[end:]
    return f"<pre>{place.line} | {escape(before)}<mark>{escape(marked)}</mark>{escape(after)}</pre>"


def _origin(source: Source) -> tuple[str, str, str]:
    place = source.place
    return source.text, words.where(place) if place else "", place.text if place else ""


def _transfer(transfer: Transfer) -> tuple[str, ...]:
    place = transfer.place
    size = size_in_words(transfer.size) if transfer.size else ""
    where = (words.where(place), place.text) if place is not None else ("", "")
    return (str(transfer.count), transfer.what, size, words.caused_by(transfer), *where)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    yield f"<table><tr>{''.join(f'<th>{escape(name)}</th>' for name in head)}</tr>"
    for row in rows:
        yield f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
    yield "</table>"
