"""Codec: what a cache holds as plain JSON data, and back; only what this module knows becomes an object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, get_args

from devfix import findings
from devfix.cache.contents import Known, Past, Tree
from devfix.file_report import FileReport, Skipped
from devfix.findings import (
    Applicability,
    FileEdit,
    Finding,
    Fix,
    Mismatch,
    Note,
    Operand,
    Origin,
    ReplaceComment,
    Span,
)
from devfix.imports import Import


class CodecError(ValueError):
    """Data that stands for nothing."""


_OBJECTS = (
    FileEdit,
    FileReport,
    Finding,
    Fix,
    Import,
    Mismatch,
    Note,
    Operand,
    Origin,
    ReplaceComment,
    Skipped,
    Span,
    Known,
    Past,
    Tree,
)
_CLASSES: dict[str, type[Any]] = {cls.__name__: cls for cls in (*get_args(findings.Edit), *_OBJECTS)}
_FIELDS = {cls: tuple(field.name for field in fields(cls)) for cls in _CLASSES.values()}


def encoded(value: object) -> Any:
    """A value as JSON data: an object is a list that begins with the name of its class, a tuple is a nameless one.

    Raises CodecError for an object of a class that is not kept.
    """
    if value is None or isinstance(value, str) or type(value) in (int, bool):
        return value
    if isinstance(value, tuple):
        return ["", *map(encoded, value)]
    if isinstance(value, dict):
        return {key: encoded(item) for key, item in value.items()}
    if isinstance(value, Applicability):
        return ["Applicability", value.value]
    names = _FIELDS.get(type(value))
    if names is None:
        raise CodecError(f"{type(value).__name__} is not kept")
    return [type(value).__name__, *(encoded(getattr(value, name)) for name in names)]


def decoded(data: object) -> Any:
    """The value that ``encoded`` made the data of; raises CodecError."""
    if data is None or isinstance(data, (str, int)):
        return data
    if isinstance(data, dict):
        return {key: decoded(item) for key, item in data.items()}
    if not isinstance(data, list) or not data or not isinstance(data[0], str):
        raise CodecError("neither a value nor an object")
    values = [decoded(item) for item in data[1:]]
    return _builder(data[0])(values)


def _builder(name: str) -> Callable[[list[Any]], Any]:
    if name == "":
        return tuple
    if name == "Applicability":
        return _applicability
    if name not in _CLASSES:
        raise CodecError(f"there is no {name!r}")
    cls = _CLASSES[name]
    return lambda values: _built(cls, values)


def _built(cls: type[Any], values: list[Any]) -> Any:
    names = _FIELDS[cls]
    if len(values) != len(names):
        raise CodecError(f"{cls.__name__} has {len(names)} fields")
    return cls(**dict(zip(names, values, strict=True)))


def _applicability(values: list[Any]) -> Applicability:
    try:
        return Applicability(*values)
    except (TypeError, ValueError):
        raise CodecError("no applicability") from None
