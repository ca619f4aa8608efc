"""Record: the report that the launcher writes in the user's interpreter, as plain data.

What was written by another process may be cut short or of another version, so that every field is
looked at; :class:`RecordError` says which one is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
#: The version of the format that is read here.
FORMAT = 1


class RecordError(Exception):
    """The report is missing, cut short, or not what this version of devfix reads."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the user's program stood. Lines count from 1, columns from 0 in code points (None before Python 3.11).

    In a notebook the lines are those of the cell, and ``cell`` counts the notebook's cells from 1.
    """

    file: str
    line: int
    end_line: int
    column: int | None
    end_column: int | None
    function: str
    text: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """How a tensor came to be: ``kind`` is "factory", "loader", "numpy", "move", ...; ``by`` what made it."""

    kind: str
    by: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class Holder:
    """The module that owns a tensor: the expression for it in the sink's frame, and the tensor's name within."""

    path: str
    name: str
    class_name: str


@dataclass(frozen=True, slots=True)
class Owner:
    """The largest module that holds a tensor and lies where it lies, as frame number ``frame`` of the stack sees it.

    ``whole`` is false when parts of the module lie elsewhere. ``kept`` is the plain attribute through which another
    module holds this one without owning it, and ``kept_type`` the type of what that attribute holds.
    """

    frame: int
    path: str
    name: str
    class_name: str
    whole: bool
    kept: str | None
    kept_type: str
    made: Place | None


@dataclass(frozen=True, slots=True)
class ObservedOperand:
    """One tensor of a mismatch. ``paths`` are expressions that hold this very tensor in the sink's frame.

    ``held`` has such expressions for each frame of the stack. Where there are none, ``computed_from`` has the
    expressions in the sink's line that hold what the tensor was computed from.
    """

    role: str
    device: str
    dtype: str
    shape: tuple[int, ...]
    blamed: bool
    paths: tuple[str, ...] = ()
    module: Holder | None = None
    made: Made | None = None
    roots: tuple[Made, ...] = ()
    owners: tuple[Owner, ...] = ()
    held: tuple[tuple[str, ...], ...] = ()
    computed_from: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ObservedMismatch:
    """Operands that met and did not fit together, ``count`` times at this place.

    ``names`` tell, for each frame of the stack, what its names stand for: pairs such as ``("x", "tensor:cpu float32 3x4")``.
    ``wanted`` is the dtype that the operands to blame should have had, where that is the matter, or the end of the range
    of their dtype ("min", "max") that a number is beyond. ``history`` has the stacks of what an optimizer went
    through: when it was built, got its state, and its parameters were moved. ``origins`` have such names for the
    places where the operands to blame were made.
    """

    kind: str
    operation: str
    error: str
    message: str
    count: int
    sink: Place | None
    stack: tuple[Place, ...] = ()
    operands: tuple[ObservedOperand, ...] = ()
    names: tuple[tuple[tuple[str, str], ...], ...] = ()
    wanted: str | None = None
    history: tuple[tuple[str, tuple[Place, ...]], ...] = ()
    origins: tuple[tuple[Place, tuple[tuple[str, str], ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Transfer:
    """Copies between host and device at one place ("host-to-device", "device-to-host", "peer"), or waits of the host.

    A wait ("synchronisation") has no bytes of its own.
    """

    what: str
    by: str
    place: Place | None
    count: int
    size: int


@dataclass(frozen=True, slots=True)
class ProgramError:
    """The exception that ended a program, with the user's own frames, outermost first."""

    type: str
    message: str
    frames: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: "finished", "raised", "exited", "stopped" (by a limit or signal), or "unfinished".

    "unfinished": the process was gone before it could say so.
    """

    how: str
    status: int | None
    reason: str | None = None
    error: ProgramError | None = None


@dataclass(frozen=True, slots=True)
class TrainedParameters:
    """What the optimizers had trained at the end; ``values`` are samples of each parameter."""

    sha256: str
    count: int
    values: tuple[tuple[float, ...], ...]
    norm: float
    device_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Everything one run showed.

    ``drew_on_device``: a real accelerator gave random numbers of its own; None where that is not known.
    """

    python: str
    torch: str | None
    mode: str
    kind: str
    gpu_name: str | None
    outcome: Outcome
    seconds: float
    steps: int
    mismatches: tuple[ObservedMismatch, ...] = ()
    transfers: tuple[Transfer, ...] = ()
    parameters: TrainedParameters | None = None
    modules: tuple[tuple[str, str], ...] = ()
    mismatches_left_out: int = 0
    transfers_left_out: int = 0
    drew_on_device: bool | None = None


def read_record(path: Path) -> RunRecord:
    """Read a report from its file; raises RecordError when there is none, or none that can be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RecordError(f"the run left no report: {error.strerror}") from error
    try:
        held = json.loads(text)
    except ValueError as error:
        raise RecordError(f"the run's report is no JSON: {error}") from error
    return parse_record(held)


def parse_record(held: object) -> RunRecord:
    """Read a report from what its JSON stands for; raises RecordError for one of another form."""
    fields = _Fields(held)
    if fields.value("format") != FORMAT:
        raise RecordError(f"the run's report is of format {fields.value('format')!r}, not {FORMAT}")
    return RunRecord(
        python=fields.text("python"),
        torch=fields.text_or_none("torch"),
        mode=fields.text("mode"),
        kind=fields.text("kind"),
        gpu_name=fields.text_or_none("gpu_name"),
        outcome=_outcome(fields.part("outcome")),
        seconds=fields.number("seconds"),
        steps=fields.count("steps"),
        mismatches=fields.each("mismatches", _mismatch),
        transfers=fields.each("transfers", _transfer),
        parameters=fields.maybe("parameters", _parameters),
        modules=tuple(sorted(fields.texts_by_name("modules").items())),
        mismatches_left_out=fields.count("mismatches_left_out"),
        transfers_left_out=fields.count("transfers_left_out"),
        drew_on_device=None if fields.value("drew_on_device") is None else fields.flag("drew_on_device"),
    )


class _Fields:
    """One object of the JSON; every look at a field says what was found when it is not what it should be."""

    def __init__(self, held: object) -> None:
        if not isinstance(held, Mapping):
            raise RecordError(f"the run's report has {held!r:.40} where an object should be")
        self._held: Mapping[str, Any] = held

    def value(self, name: str) -> Any:
        return self._held.get(name)

    def _checked(self, name: str, kind: type[T] | tuple[type[T], ...], default: T) -> T:
        value = self._held.get(name, default)
        if not isinstance(value, kind) or isinstance(value, bool) is not isinstance(default, bool):
            raise RecordError(f"the run's report has {value!r:.40} for {name!r}")
        return value

    def text(self, name: str) -> str:
        return self._checked(name, str, "")

    def text_or_none(self, name: str) -> str | None:
        return None if self.value(name) is None else self.text(name)

    def count(self, name: str) -> int:
        return self._checked(name, int, 0)

    def count_or_none(self, name: str) -> int | None:
        return None if self.value(name) is None else self.count(name)

    def number(self, name: str) -> float:
        return float(self._checked(name, (int, float), 0.0))

    def flag(self, name: str) -> bool:
        return self._checked(name, bool, False)

    def items(self, name: str) -> list[Any]:
        return self._checked(name, list, [])

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(str(item) for item in self.items(name))

    def texts_by_name(self, name: str) -> dict[str, str]:
        return {str(key): str(value) for key, value in self._checked(name, dict, {}).items()}

    def part(self, name: str) -> _Fields:
        return _Fields(self.value(name))

    def maybe(self, name: str, read: Callable[[_Fields], T]) -> T | None:
        return None if self.value(name) is None else read(self.part(name))

    def each(self, name: str, read: Callable[[_Fields], T]) -> tuple[T, ...]:
        return tuple(read(_Fields(item)) for item in self.items(name))


def _place(fields: _Fields) -> Place:
    line = fields.count("line")
    return Place(
        file=fields.text("file"),
        line=line,
        end_line=fields.count_or_none("end_line") or line,
        column=fields.count_or_none("column"),
        end_column=fields.count_or_none("end_column"),
        function=fields.text("function"),
        text=fields.text("text"),
        cell=fields.count_or_none("cell"),
    )


def _made(fields: _Fields) -> Made:
    return Made(fields.text("kind"), fields.text("by"), fields.maybe("place", _place))


def _holder(fields: _Fields) -> Holder:
    return Holder(fields.text("path"), fields.text("name"), fields.text("class"))


def _operand(fields: _Fields) -> ObservedOperand:
    return ObservedOperand(
        role=fields.text("role"),
        device=fields.text("device"),
        dtype=fields.text("dtype"),
        shape=tuple(int(size) for size in fields.items("shape")),
        blamed=fields.flag("blamed"),
        paths=fields.texts("paths"),
        module=fields.maybe("module", _holder),
        made=fields.maybe("made", _made),
        roots=fields.each("roots", _made),
        owners=fields.each("owners", _owner),
        held=tuple(tuple(str(path) for path in paths) for paths in fields.items("held")),
        computed_from=fields.texts("computed_from"),
    )


def _owner(fields: _Fields) -> Owner:
    kept = fields.maybe("kept", lambda part: (part.text("path"), part.text("type")))
    return Owner(
        frame=fields.count("frame"),
        path=fields.text("path"),
        name=fields.text("name"),
        class_name=fields.text("class"),
        whole=fields.flag("whole"),
        kept=kept[0] if kept is not None else None,
        kept_type=kept[1] if kept is not None else "",
        made=fields.maybe("made", _place),
    )


def _mismatch(fields: _Fields) -> ObservedMismatch:
    return ObservedMismatch(
        kind=fields.text("kind"),
        operation=fields.text("operation"),
        error=fields.text("error"),
        message=fields.text("message"),
        count=fields.count("count"),
        sink=fields.maybe("sink", _place),
        stack=fields.each("stack", _place),
        operands=fields.each("operands", _operand),
        names=tuple(_names(item) for item in fields.items("names")),
        wanted=fields.text_or_none("wanted"),
        history=fields.maybe("history", _history) or (),
        origins=fields.each(
            "origins", lambda part: (_place(part.part("place")), _names(part.value("names")))
        ),
    )


def _history(fields: _Fields) -> tuple[tuple[str, tuple[Place, ...]], ...]:
    return tuple(
        (name, fields.each(name, _place)) for name in ("built", "filled", "moved") if fields.value(name)
    )


def _names(held: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(held, Mapping):
        raise RecordError(f"the run's report has {held!r:.40} where names should be")
    return tuple((str(name), str(what)) for name, what in held.items())


def _transfer(fields: _Fields) -> Transfer:
    return Transfer(
        what=fields.text("what"),
        by=fields.text("by"),
        place=fields.maybe("place", _place),
        count=fields.count("count"),
        size=fields.count("bytes"),
    )


def _program_error(fields: _Fields) -> ProgramError:
    return ProgramError(fields.text("type"), fields.text("message"), fields.each("frames", _place))


def _outcome(fields: _Fields) -> Outcome:
    return Outcome(
        how=fields.text("how"),
        status=fields.count_or_none("status"),
        reason=fields.text_or_none("reason"),
        error=fields.maybe("error", _program_error),
    )


def _parameters(fields: _Fields) -> TrainedParameters:
    return TrainedParameters(
        sha256=fields.text("sha256"),
        count=fields.count("count"),
        values=tuple(tuple(float(value) for value in row) for row in fields.items("values")),
        norm=fields.number("norm"),
        device_types=fields.texts("device_types"),
    )
