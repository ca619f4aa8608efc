"""Tensors that are not fetched from the accelerator before the host works with them."""

from __future__ import annotations

from collections.abc import Iterator

from repair.change import Change, change
from repair.roles import role
from repair.script import Script
from repair.shapes import assigned_to_itself, is_fetch, receiver


def fetch_dropped(script: Script) -> Iterator[Change]:
    """``.cpu()`` is left out."""
    for call in script.calls():
        if not is_fetch(call):
            continue
        statement = script.statement_of(call)
        itself = assigned_to_itself(statement, call)
        edit = script.without_statement(statement) if itself else script.without_call(call)
        yield change("fetch-dropped", role(script, receiver(call)), call, edit)


def map_location_dropped(script: Script) -> Iterator[Change]:
    """``map_location=`` is left out where a checkpoint is read."""
    for call in script.calls():
        for keyword in call.keywords:
            if keyword.arg == "map_location":
                yield change("map-location-dropped", "checkpoint", call, script.without_argument(keyword))
