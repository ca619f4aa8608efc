"""Wholes: what a value is a part of moves it, be it a batch that a function moves or an object or dict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Operand, Origin
from devfix.placement.moves import (
    brought_back,
    function_result,
    handing_on,
    helper_branch,
    loaded_dict,
    part_mover,
    passing_mover,
    whole_dict,
)
from devfix.placement.siblings import returned_beside
from devfix.placement.telling import cache_key, told_class


def ways(
    facts: Facts, operand: Operand, trails: Sequence[tuple[Origin, ...]]
) -> Iterator[tuple[FileEdit, ...]]:
    """What moves the whole, best first: what moves other parts already, and forgets this one, learns of it.

    A cache that forgets the device learns of that.
    """
    yield cache_key.with_device(facts, operand)
    yield helper_branch.completed(facts, trails)
    yield handing_on.moved(facts, (operand.trail, *trails))
    yield passing_mover.looking_into(facts, operand, trails)
    yield part_mover.completed(facts, operand)
    yield whole_dict.moved(facts, operand)
    yield loaded_dict.moved(facts, trails)
    yield brought_back.where_returned(facts, operand, trails)
    yield function_result.where_returned(facts, trails)
    yield function_result.where_called(facts, trails)
    yield returned_beside.moved(facts, trails)
    yield told_class.told(facts, trails)
