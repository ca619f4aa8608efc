"""Cells: places in the cells of a notebook as places in the program that it is, and back.

A run knows cells; whatever mends a program knows the one text that they make.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from devfix.discovery import short_path
from devfix.findings import Span
from devfix.notebooks import CellPlace
from devfix.observation.record import Place
from devfix.source import Source

T = TypeVar("T")


def in_program(observed: T, sources: Mapping[str, Source]) -> T:
    """What a run showed, with places in the texts of the sources."""
    if all(source.notebook is None for source in sources.values()):
        return observed
    found: T = _each_place(observed, lambda place: _in_program(place, sources))
    return found


def _each_place(value: Any, change: Callable[[Place], Place]) -> Any:
    if isinstance(value, Place):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_each_place(part, change) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        return replace(value, **{name: _each_place(part, change) for name, part in parts.items()})
    return value


def _in_program(place: Place, sources: Mapping[str, Source]) -> Place:
    source = sources.get(short_path(place.file))
    if source is None or source.notebook is None or place.cell is None:
        return place
    layout = source.notebook.layout(source.text)
    start = layout.position(CellPlace(place.cell, place.line, place.column or 0))
    end = layout.position(CellPlace(place.cell, place.end_line, place.end_column or 0))
    if start is None or end is None:
        return place
    column = None if place.column is None else start[1]
    end_column = None if place.end_column is None else end[1]
    return replace(place, line=start[0], end_line=end[0], column=column, end_column=end_column, cell=None)


def with_cells(observed: T, sources: Mapping[str, Source]) -> T:
    """What a run showed, with places as the user knows them."""
    if all(source.notebook is None for source in sources.values()):
        return observed
    found: T = _each_place(observed, lambda place: in_cell(place, sources))
    return found


def in_cell(place: Place, sources: Mapping[str, Source]) -> Place:
    """A place in the text of a source as the user knows it."""
    source = sources.get(short_path(place.file))
    if source is None or source.notebook is None or place.cell is not None:
        return place
    region = Span(place.line, place.column or 0, place.end_line, place.end_column or 0)
    cell, span = source.cell_span(region)
    column = None if place.column is None else span.column
    end_column = None if place.end_column is None else span.end_column
    return replace(
        place, line=span.line, end_line=span.end_line, column=column, end_column=end_column, cell=cell
    )
