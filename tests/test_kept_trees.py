"""Which trees stay in memory from the first look at the files."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from devfix.kept_trees import KeptTrees
from devfix.source import Source


def parsed(path: str, lines: int) -> Source:
    """A source of so many lines, with its tree."""
    source = Source(path, "x = 1\n" * lines)
    assert source.tree.body
    return source


def held(files: Iterable[tuple[str, int, list[str]]], room: int = 0) -> list[str]:
    """The files whose trees are kept; each has a path, a number of lines, and files that it imports."""
    kept = KeptTrees(room)
    sources = []
    for path, lines, neighbours in files:
        sources.append(parsed(path, lines))
        kept.add(sources[-1], neighbours)
    return [source.path for source in sources if source.is_parsed]


def test_the_trees_of_the_largest_program_stay() -> None:
    assert held([("a", 5, []), ("b", 9, []), ("c", 7, [])]) == ["b"]


@pytest.mark.parametrize(
    "neighbours", [{"a": ["b"], "c": ["b"]}, {"b": ["a", "c"]}, {"c": ["a", "b"]}, {"a": ["b", "c"]}]
)
def test_files_that_import_one_another_are_one_program(neighbours: dict[str, list[str]]) -> None:
    files = [("a", 5), ("b", 5), ("c", 5), ("x", 12)]
    kept = held((path, lines, neighbours.get(path, [])) for path, lines in files)
    # What was seen to be the largest too late was parsed for nothing.
    assert kept
    assert "x" not in kept


def test_a_program_that_is_imported_first_is_whole() -> None:
    files = [("__init__", 1, ["a", "b", "c"]), ("a", 5, []), ("b", 5, []), ("c", 5, []), ("x", 12, [])]
    assert held(files) == ["__init__", "a", "b", "c"]


def test_a_larger_program_takes_the_place_of_a_smaller_one() -> None:
    assert held([("a", 5, ["b"]), ("b", 5, []), ("x", 8, ["y"]), ("y", 8, [])]) == ["y"]


def test_the_first_trees_stay_whatever_they_belong_to() -> None:
    assert held([("a", 2, []), ("b", 2, []), ("c", 3, []), ("d", 3, [])], room=24) == ["a", "b", "c"]


def test_what_turns_out_to_be_of_the_largest_program_leaves_room_for_others() -> None:
    files = [("a", 2, []), ("b", 9, ["a"]), ("c", 2, []), ("d", 1, [])]
    assert held(files, room=12) == ["a", "b", "c"]
    assert held([*files, ("e", 14, ["d"])], room=12) == ["c", "e"]  # what was the largest has no room


def test_no_more_than_one_of_many_programs_is_kept() -> None:
    assert len(held((f"m{number}", 3, []) for number in range(50))) == 1
