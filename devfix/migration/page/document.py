"""Document: the page of a campaign, put together."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from html import escape
from pathlib import Path

from devfix import __version__
from devfix.migration.page.burndown import burndown
from devfix.migration.page.details import details
from devfix.migration.reading import CampaignReading, RepositoryReading, Standing
from devfix.migration.steps import Step, StepResult

_HERE = Path(__file__).parent
#: So many reasons are listed.
_MOST_REASONS = 12
#: A longer reason is cut there.
_WIDEST = 90
ResultsOf = Callable[[str], Mapping[Step, StepResult]]


def render(reading: CampaignReading, results_of: ResultsOf) -> str:
    """The whole page; ``results_of`` gives the steps of a repository with their files and logs."""
    style = (_HERE / "page.css").read_text(encoding="utf-8")
    script = (_HERE / "page.js").read_text(encoding="utf-8")
    told = {each.key: details(each, results_of(each.key)) for each in reading.repositories}
    title = f"devfix migrate: {reading.name}"
    body = "\n".join(_body(reading))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{_policy(script)}'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{style}</style></head>\n<body>\n{body}\n"
        f'<script type="application/json" id="details">{_json(told)}</script>\n<script>{script}</script></body></html>\n'
    )


def _policy(script: str) -> str:
    """The page loads nothing and runs its own script alone, whatever the names and logs in it hold."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    rules = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return f'<meta http-equiv="Content-Security-Policy" content="{rules}">'


def _json(value: object) -> str:
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _body(reading: CampaignReading) -> Iterator[str]:
    yield "<header>"
    yield f"<div><h1>{_text(reading.name)}</h1><p>{_subtitle(reading)}</p></div>"
    yield '<button type="button" id="theme" title="Dark or light (t)" aria-label="Dark or light">◐</button>'
    yield "</header>"
    yield from _tiles(reading)
    yield '<div class="overview">'
    drawing = burndown(reading)
    if drawing:
        yield f"<figure><figcaption>Repositories left, by time at work</figcaption>{drawing}</figure>"
    yield from _ranking("Rules that were fixed", _rules(reading))
    yield from _ranking("Why repositories were skipped or failed", _reasons(reading))
    yield "</div>"
    yield from _controls()
    yield '<ol id="list">'
    yield from map(_row, reading.repositories)
    yield "</ol>"
    yield '<p id="none" hidden>Nothing matches. <button type="button" id="all">Show everything</button></p>'
    yield f"<footer>devfix {escape(__version__)}, {_when(time.time())}. {_HELP}</footer>"


_HELP = (
    "<kbd>/</kbd> search, <kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>Enter</kbd> open,"
    " <kbd>Esc</kbd> close, <kbd>t</kbd> dark or light."
)


def _subtitle(reading: CampaignReading) -> str:
    total = len(reading.repositories)
    waiting = reading.standings.get(Standing.PENDING, 0)
    parts = [
        f"branch <code>{_text(reading.branch)}</code>",
        f"{total - waiting} of {total} repositories done",
    ]
    if reading.runs:
        parts.append(f"{len(reading.runs)} runs, the last on {_when(reading.runs[-1][1])}")
    return " · ".join(parts).replace("1 runs, the last on", "run on")


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _tiles(reading: CampaignReading) -> Iterator[str]:
    yield '<div class="tiles" role="group" aria-label="Show only">'
    for standing in Standing:
        count = reading.standings.get(standing, 0)
        if count:
            yield (
                f'<button type="button" class="tile {standing.value}" data-standing="{standing.value}" aria-pressed="false">'
                f"<b>{count}</b> {standing.value}</button>"
            )
    fixed = sum(each.fixed for each in reading.repositories if each.standing is Standing.CHANGED)
    left = sum(each.left for each in reading.repositories)
    requests = sum(bool(each.pull_request) for each in reading.repositories)
    yield f'<span class="tile"><b>{fixed}</b> findings fixed</span><span class="tile"><b>{left}</b> left</span>'
    if requests:
        yield f'<span class="tile"><b>{requests}</b> pull requests open</span>'
    yield "</div>"


def _rules(reading: CampaignReading) -> Counter[str]:
    counts: Counter[str] = Counter()
    for each in reading.repositories:
        if each.standing is not Standing.CHANGED:
            continue
        counts.update(each.data(Step.APPLY).get("rules", {}))
    return counts


def _reasons(reading: CampaignReading) -> Counter[str]:
    """Reasons with what differs between repositories left out."""
    ended = (each.reason for each in reading.repositories if each.ending is not None)
    alike = (re.sub(r"'[^']*'|`[^`]*`|\d[\d,.]*|\S*::\S*", "…", reason) for reason in ended)
    return Counter(reason if len(reason) <= _WIDEST else f"{reason[:_WIDEST]}…" for reason in alike)


def _ranking(title: str, counts: Counter[str]) -> Iterator[str]:
    if not counts:
        return
    most = max(counts.values())
    yield f"<figure><figcaption>{title}</figcaption><ul class='ranking'>"
    for name, count in counts.most_common(_MOST_REASONS):
        words = " ".join(word for word in name.split() if "…" not in word)
        yield (
            f'<li><button type="button" data-find="{_text(words)}">{_text(name)}</button>'
            f'<span class="bar"><span style="width:{100 * count / most:.0f}%"></span></span><b>{count}</b></li>'
        )
    yield "</ul></figure>"


def _controls() -> Iterator[str]:
    yield '<div class="controls"><label>Search <input type="search" id="search" placeholder="name, file, rule, reason"></label>'
    yield '<label>Order <select id="order"><option value="">as listed</option><option value="name">name</option>'
    yield '<option value="fixed">most fixed</option><option value="left">most left</option>'
    yield '<option value="seconds">longest</option></select></label><output id="shown" aria-live="polite"></output></div>'


def _row(each: RepositoryReading) -> str:
    counts = [f"{each.fixed} fixed"] if each.fixed and each.standing is Standing.CHANGED else []
    counts += [f"{each.left} left"] if each.left else []
    if each.verified == "passes":
        counts.append("verify passes")
    counts += [f"{count} {verdict}" for verdict, count in each.proven.items()]
    link = f' <a href="{_address(each.pull_request)}">pull request</a>' if _address(each.pull_request) else ""
    attributes = {
        "key": each.key,
        "standing": each.standing.value,
        "name": each.name,
        "fixed": str(each.fixed),
        "left": str(each.left),
        "seconds": f"{each.seconds:.3f}",
        "words": _searched(each),
    }
    data = " ".join(f'data-{name}="{_text(value)}"' for name, value in attributes.items())
    return (
        f'<li class="repository" {data}><h2><button type="button" aria-expanded="false">'
        f'<span class="standing {each.standing.value}">{each.standing.value}</span> '
        f'<span class="name">{_text(each.name)}</span> <span class="counts">{_text(", ".join(counts))}</span>'
        f'<span class="reason">{_text(each.reason)}</span></button></h2>'
        f'<p class="source"><code>{_text(each.source)}</code>{link}</p></li>'
    )


def _searched(each: RepositoryReading) -> str:
    applied = each.data(Step.APPLY)
    rules = [*applied.get("rules", ()), *applied.get("left_rules", ())]
    words = [each.name, each.source, each.reason, *each.changed_files, *each.unread, *rules]
    return " ".join(words).lower()


def _address(url: str) -> str:
    return escape(url, quote=True) if url.startswith(("https://", "http://")) else ""


def _text(text: str) -> str:
    return escape(text.encode("utf-8", "replace").decode(), quote=True)
