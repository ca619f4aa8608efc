"""Text: a run's mismatches and transfers for people to read."""

from __future__ import annotations

from collections.abc import Iterator

from devfix.findings import Note, Span
from devfix.observation.record import Made, ObservedMismatch, ObservedOperand, Place, Transfer
from devfix.report.excerpt import excerpt
from devfix.report.paint import Paint
from devfix.report.summary import count_of
from devfix.running import account as words
from devfix.running.account import Account
from devfix.running.costs import costliest_first, seconds, size_in_words
from devfix.running.texts import lines_of

#: More of a line than so many characters is not repeated behind each place in it.
_LONGEST = 120
#: More operands of a mismatch, and more lines of transfers, are only counted.
_MOST_OPERANDS, _MOST_TRANSFERS = 6, 20
#: What is not to blame tells so much of where it comes from: the rest would hide what is.
_MOST_SOURCES = 2
_WAYS = {
    "host-to-device": "to the device",
    "device-to-host": "to the host",
    "peer": "to another device",
    "synchronisation": "host waits",
}


def render_text(account: Account, paint: Paint, *, quiet: bool = False) -> str:
    """Everything the run showed; with ``quiet`` the mismatches alone, and how a program ended that did not end well."""
    blocks = [list(lines_of_mismatch(mismatch, paint)) for mismatch in account.record.mismatches]
    if not quiet:
        blocks += [list(_origins(account, paint)), list(_transfers(account, paint))]
    if not quiet or not words.ended_well(account.record.outcome):
        blocks.append(words.summary(account))
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n" if blocks else ""


def lines_of_mismatch(mismatch: ObservedMismatch, paint: Paint, mark: str = "") -> Iterator[str]:
    """What met where, what an accelerator says of it, and where each operand comes from."""
    place = mismatch.sink
    yield f"{_place(place, paint)}: {mark}{paint('red', mismatch.kind)}: {words.title(mismatch)}"
    yield from _source(place, paint)
    yield f"  = an accelerator says: {words.error(mismatch)}"
    operands = words.together(words.operands(mismatch))
    for operand, more in operands[:_MOST_OPERANDS]:
        mark = paint("red", "!") if operand.blamed else "="
        yield f"  {mark} {words.describe(operand)}{f', and {more} more of its module' if more else ''}"
        made = words.sources(operand) or ((operand.made,) if operand.made is not None else ())
        told = made if operand.blamed else made[:_MOST_SOURCES]
        yield from (f"      {_made(each, paint, operand)}" for each in told)
    if len(operands) > _MOST_OPERANDS:
        yield f"  = and {count_of(len(operands) - _MOST_OPERANDS, 'more operand')}"


def _place(place: Place | None, paint: Paint) -> str:
    if place is None:
        return paint("bold", "(no line of the program)")
    file, _, rest = words.where(place).partition(":")
    return f"{paint('bold', file)}:{rest}"


def _source(place: Place | None, paint: Paint) -> Iterator[str]:
    if place is None:
        return
    lines = lines_of(place)
    if not lines or place.column is None or place.end_column is None:
        yield f"  {_quoted(place, paint)}"
        return
    span = Span(place.line, place.column, place.end_line, place.end_column)
    yield from excerpt(lines, [Note(place.file, span, "")], paint)


def _made(made: Made, paint: Paint, operand: ObservedOperand) -> str:
    return _at(words.made_by(made, operand), made.place, paint)


def _at(text: str, place: Place | None, paint: Paint) -> str:
    return f"{text}, {_place(place, paint)}  {_quoted(place, paint)}" if place is not None else text


def _quoted(place: Place, paint: Paint) -> str:
    """The text of a line, of which the beginning is enough to know it by."""
    text = place.text
    return paint("dim", text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def _origins(account: Account, paint: Paint) -> Iterator[str]:
    """Where to begin: few lines are behind many mismatches."""
    origins = account.origins
    if len(account.record.mismatches) < 2 or not origins:
        return
    yield paint("bold", "Where the operands to blame (!) come from:")
    for source, count in origins:
        yield f"  {count_of(count, 'mismatch', 'mismatches'):>13}  {_at(source.text, source.place, paint)}"


def _transfers(account: Account, paint: Paint) -> Iterator[str]:
    transfers = costliest_first(account.record.transfers)
    if not transfers:
        return
    yield paint("bold", "Copies between host and device, and waits for the device, costliest line first:")
    yield from (_transfer(transfer, paint) for transfer in transfers[:_MOST_TRANSFERS])
    rest = transfers[_MOST_TRANSFERS:]
    if rest:
        lost = sum(map(seconds, rest))
        yield f"  and {count_of(len(rest), 'more line')} (about {lost * 1e3:.1f} ms in all)"


def _transfer(transfer: Transfer, paint: Paint) -> str:
    size = size_in_words(transfer.size) if transfer.size else ""
    place = f"{_place(transfer.place, paint)}  {_quoted(transfer.place, paint)}" if transfer.place else "-"
    way = _WAYS.get(transfer.what, transfer.what)
    return f"  {transfer.count:>7} x {way:<17} {size:>10}  {words.caused_by(transfer)}, {place}"
