"""Tidying: what several passes have written is made what one would have written at once.

A later fix may make an earlier one needless, as when a value moves where it is made after all. Moves
that move nothing are taken back, a device that is asked for again and again gets a name, moves of
neighbouring names stand on one line, and those of all parts of a value where it is unpacked. Nothing but what the fixes themselves wrote is touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from devfix.findings import Span
from devfix.source import Source
from devfix.tidying import (
    agreed,
    arguments,
    bindings,
    choices,
    common_devices,
    devices,
    idle,
    imports,
    line_breaks,
    lines,
    quotes,
    siblings,
    together,
    unpackings,
)
from devfix.tidying.written import Written

Sources = Mapping[str, Source]


def tidied(
    before: Sources, after: Sources, idle_moves: Iterable[tuple[str, Span]], *, at_top: bool = True
) -> dict[str, str]:
    """The files of ``after``, which fixes have made of ``before``, that read otherwise when they are tidy.

    ``at_top``: arguments of which parts move again and again move at the top of their function, other values
    where they get their name.
    """
    places: dict[str, list[Span]] = {}
    for path, span in idle_moves:
        places.setdefault(path, []).append(span)
    changed = {path: source for path, source in after.items() if source.text != before[path].text}
    found = {}
    for path, source in changed.items():
        text = idle.without(Written(before[path], source), places.get(path, ()))
        if at_top:
            text = arguments.moved_once(Written(before[path], source.with_text(text)))
            text = together.moved_together(Written(before[path], source.with_text(text)))
            text = bindings.moved_once(Written(before[path], source.with_text(text)))
            text = siblings.moved_together(Written(before[path], source.with_text(text)))
        text = choices.moved_once(Written(before[path], source.with_text(text)))
        text = _with_names(before[path], source.with_text(text), after)
        text = unpackings.moved_at_once(Written(before[path], source.with_text(text)))
        found[path] = source.with_text(lines.joined(Written(before[path], source.with_text(text))))
    written = {path: Written(before[path], source) for path, source in found.items()}
    texts = {}
    for path in found:
        each = written[path].with_text(devices.without_unused(path, written))
        each = each.with_text(quotes.as_in_file(each))
        others = (source for other, source in after.items() if other != path)
        texts[path] = line_breaks.broken(each.with_text(imports.without_unused(each, others)))
    return {path: text for path, text in texts.items() if text != after[path].text}


def _with_names(before: Source, after: Source, sources: Sources) -> str:
    """The text in which neighbours name one device, and one that is asked for again and again has a name."""
    alike = common_devices.named_alike(Written(before, after))
    if alike != after.text and not any(common_devices.has_second(each.text) for each in sources.values()):
        after = after.with_text(alike)
    again = after.with_text(agreed.in_one_way(Written(before, after), asks_again=True))
    text = devices.named(Written(before, again))
    if text != again.text:
        return text
    return devices.named(Written(before, after.with_text(agreed.in_one_way(Written(before, after)))))
