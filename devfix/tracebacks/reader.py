"""Reader: the errors that stand in clean lines, whoever wrote them down.

One walk over the lines, with a few words of memory: the error being read, and the frame being read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from devfix.tracebacks import dialects
from devfix.tracebacks.dialects import Dialect, OpenFrame, is_carets
from devfix.tracebacks.paste import HEADER, Line
from devfix.tracebacks.raised import Frame, Raised

_MAX_MESSAGE = 60
_MAX_FRAMES = 400
#: An error's first line is cut here.
_MAX_LINE = 4_000

_SUFFIXES = r"(?:Error|Exception|Warning|Interrupt|Exit|Iteration|Group|OutOfMemory|Timeout|Raised|Failed)"
_RAISED = re.compile(
    rf"(?P<type>(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*{_SUFFIXES}(?:\(\w+\))?)(?:: ?(?P<message>.*))?$"
)
#: Inside of a traceback a class may have any name; one with a module in front is taken for one.
_DOTTED = re.compile(r"(?P<type>(?:[A-Za-z_]\w*\.)+[A-Z]\w*)(?:: ?(?P<message>.*))?$")
_NOTEBOOK_HEADER = re.compile(r"(?P<type>[A-Za-z_][\w.]*)\s{2,}Traceback ")
_RELATIONS = {
    "During handling of the above exception, another exception occurred:": "context",
    "The above exception was the direct cause of the following exception:": "cause",
}
_TERMINATED = re.compile(r"-- Process \d{1,9} terminated with the following error:")
_GROUP_EDGE = re.compile(r"\s*(?:\+-)?\+-{4,}[\s\d.-]*$")
_GROUP_MARGIN = re.compile(r"(\s*)[|+] ")
_BOX_TOP = re.compile(r"\s*[╭┌+][─-]")
_BOX_BOTTOM = re.compile(r"\s*[╰└+][─-]+[╯┘+]?$")
_FORWARD = "Traceback of forward call that caused the error"
_PYTEST_RULE = re.compile(r"(?:_{3,}|={3,}) .{1,200} (?:_{3,}|={3,})$")
_PYTEST_MESSAGE = re.compile(r"E(?:\s{1,}(?P<text>.*))?$")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_WARNED = re.compile(r"(?P<path>[^\s:][^:]*):(?P<line>\d{1,9}): (?P<type>\w*Warning): (?P<message>.+)$")


def _unboxed(text: str) -> str:
    """A line without the sides of its box."""
    inner = text.strip()
    if inner[:1] in ("│", "|"):
        inner = inner[1:]
        inner = inner[:-1] if inner[-1:] in ("│", "|") else inner
    return inner.rstrip()


@dataclass(slots=True)
class _Draft:
    """An error as far as it has been read."""

    number: int
    relation: str
    stream: str
    indent: int = 0
    type: str = ""
    message: list[str] | None = None
    frames: list[Frame] = field(default_factory=list)
    forward: list[Frame] = field(default_factory=list)
    #: Whether lines are broken where the terminal ends, as rich does.
    wrapped: bool = False
    #: Whether pytest wrote the message, before the last place.
    tested: bool = False

    def finished(self) -> Raised | None:
        """The error, unless nothing was said of one."""
        if not self.type and self.message is None:
            return None
        message = (" " if self.wrapped else "\n").join(self.message or []).strip()
        frames, forward = tuple(self.frames), tuple(self.forward)
        return Raised(self.type, message, frames, self.number, self.relation, self.stream, forward)


def read(lines: Iterable[Line]) -> list[Raised]:
    """The errors in the order in which they stand in the paste."""
    streams: dict[str, _Walk] = {}
    for line in lines:
        if line.stream not in streams:
            streams[line.stream] = _Walk(line.stream)
        streams[line.stream].take(line)
    found = [raised for walk in streams.values() for raised in walk.end()]
    return sorted(found, key=lambda raised: raised.number)


class _Walk:
    """The walk over the lines of one process."""

    def __init__(self, stream: str) -> None:
        self.stream = stream
        self.found: list[Raised] = []
        self.draft: _Draft | None = None
        self.frame: OpenFrame | None = None
        self.relation = ""
        self.boxed = False
        self.grouped = False
        self.wrapped_path = ""
        self.pointed: list[str] = []
        self.forward: list[Frame] = []

    def take(self, line: Line) -> None:
        """Read one line."""
        text = self._without_margin(line.text)
        header = HEADER.search(text)
        if header is not None:
            self._begin(line.number, text)
        elif self._is_relation(text) or self._is_forward(text):
            return
        elif self.boxed:
            self._in_box(text)
        elif not self._frame_begins(line.number, text):
            self._other(line.number, text)

    def end(self) -> list[Raised]:
        """All errors that were found."""
        self._close()
        return self.found

    # ---- headers

    def _begin(self, number: int, text: str) -> None:
        draft = self.draft
        inside = draft is not None and draft.message is not None and self._is_nested(text, draft)
        relation = self.relation or ("inside" if inside else "")
        if _FORWARD in text or (draft is not None and draft.type == _FORWARD):
            relation = ""
        self._close()
        indent = len(text) - len(text.lstrip())
        self.draft = _Draft(number, relation, self.stream, indent)
        self.relation = ""
        self.boxed = bool(_BOX_TOP.match(text)) and "Exception Group" not in text
        self.draft.wrapped = self.boxed
        self.grouped = self.grouped or "Exception Group" in text
        notebook = _NOTEBOOK_HEADER.match(text.strip())
        if notebook is not None and not self.boxed and notebook["type"] != "Group":
            self.draft.type = notebook["type"]

    @staticmethod
    def _is_nested(text: str, draft: _Draft) -> bool:
        """Whether a header belongs to the message before it."""
        message = "\n".join(draft.message or [])
        if "Original Traceback" in text or "TorchScript" in text:
            return True
        return bool(_TERMINATED.search(message)) or message.rstrip().endswith('"""')

    def _is_relation(self, text: str) -> bool:
        relation = _RELATIONS.get(text.strip())
        if relation is None:
            return False
        self._close()
        self.relation, self.boxed = relation, False
        return True

    def _is_forward(self, text: str) -> bool:
        """Anomaly detection shows the frames of the forward pass before the error itself."""
        if _FORWARD not in text:
            return False
        self._close()
        self.draft = _Draft(0, "", self.stream, type=_FORWARD)
        return True

    # ---- frames

    def _frame_begins(self, number: int, text: str) -> bool:
        frame = dialects.plain_frame(text) or dialects.notebook_frame(text) or dialects.pytest_frame(text)
        if frame is None:
            return False
        draft = self.draft
        if frame.dialect is Dialect.PYTEST:
            return self._pytest_location(number, text, frame)
        if draft is None or (draft.message is not None and not self._is_users_code(draft)):
            self._close()
            self.draft = draft = _Draft(number, self.relation, self.stream, max(frame.indent - 2, 0))
            self.relation = ""
        self._open(frame)
        return True

    @staticmethod
    def _is_users_code(draft: _Draft) -> bool:
        """Whether the frames that follow a message are what the compiler was given."""
        return any(line.strip() == "from user code:" for line in draft.message or [])

    def _pytest_location(self, number: int, text: str, frame: OpenFrame) -> bool:
        error = dialects.pytest_error(text)
        draft = self.draft
        if draft is None or (draft.message is not None and error is None):
            self._close()
            self.draft = draft = _Draft(number, "", self.stream)
        frame.shown, self.pointed = self.pointed, []
        frame.pointed = bool(frame.shown)
        self._open(frame)
        if error is not None:
            draft.type = draft.type or error[0]
            draft.message = draft.message if draft.message is not None else [error[1]]
            self._close()
        return True

    def _open(self, frame: OpenFrame) -> None:
        self._shut_frame()
        self.frame = frame

    def _shut_frame(self) -> None:
        if self.frame is None or self.draft is None:
            self.frame = None
            return
        if len(self.draft.frames) < _MAX_FRAMES:
            self.draft.frames.append(self.frame.closed())
        self.frame = None

    # ---- boxes

    def _in_box(self, text: str) -> None:
        if _BOX_BOTTOM.match(text):
            self._shut_frame()
            self.boxed, self.wrapped_path = False, ""
            return
        inner = _unboxed(text)
        if self.frame is not None and not self.wrapped_path and dialects.add_boxed_code(self.frame, inner):
            return
        frame = dialects.boxed_frame(self.wrapped_path + inner.strip())
        if frame is not None:
            self._open(frame)
            self.wrapped_path = ""
        else:
            # A long path goes on in the next line.
            self.wrapped_path = inner.strip() if "/" in inner or "\\" in inner else ""

    # ---- everything else

    def _other(self, number: int, text: str) -> None:
        draft = self.draft
        if self._is_pytest(number, text):
            return
        if draft is not None and draft.message is None and self._is_code(text):
            return
        if self._error_begins(number, text):
            return
        if draft is not None and draft.message is not None:
            self._go_on(draft, text)

    def _is_code(self, text: str) -> bool:
        frame = self.frame
        if frame is None or not text.strip():
            return frame is not None and frame.dialect is not Dialect.PLAIN
        if frame.dialect is Dialect.PYTEST and frame.pointed:
            return True  # what follows are the arguments and the source of the next function
        if frame.dialect is Dialect.NOTEBOOK:
            return dialects.add_numbered(frame, text)
        indent = len(text) - len(text.lstrip())
        if indent <= frame.indent and not (frame.shown and is_carets(text)):
            return False
        frame.shown.append(text)
        return True

    def _is_pytest(self, number: int, text: str) -> bool:
        """The lines that only pytest writes."""
        if _PYTEST_RULE.match(text):
            self._close()
            return True
        if text.startswith(">  "):
            self.pointed = [f" {text[1:]}"]
            return True
        if len(self.pointed) == 1 and is_carets(text):
            self.pointed.append(text)
            return True
        found = _PYTEST_MESSAGE.match(text)
        if found is None or text[:2] not in ("E ", "E"):
            return False
        self._pytest_message(number, (found["text"] or "").strip())
        return True

    def _pytest_message(self, number: int, text: str) -> None:
        draft = self.draft
        if draft is None:
            self.draft = draft = _Draft(number, "", self.stream)
        error = _RAISED.match(text) or _DOTTED.match(text)
        draft.tested = True
        if draft.message is None:
            self._shut_frame()
            draft.type = error["type"] if error is not None else draft.type
            draft.message = [(error["message"] or "") if error is not None else text]
        elif len(draft.message) < _MAX_MESSAGE:
            draft.message.append(text)

    def _error_begins(self, number: int, text: str) -> bool:
        draft, bare = self.draft, text.strip()
        warned = _WARNED.match(bare)
        if warned is not None:
            self._warn(number, warned)
            return True
        reading = draft is not None and draft.message is None
        found = _RAISED.match(bare[:_MAX_LINE]) or (_DOTTED.match(bare[:_MAX_LINE]) if reading else None)
        if found is None:
            return False
        if draft is None or draft.message is not None:
            if draft is not None and not self._is_outside(draft, text):
                return False
            self._close()
            self.draft = draft = _Draft(number, self.relation, self.stream)
        self._shut_frame()
        draft.type, draft.message = found["type"], [found["message"] or ""]
        return True

    @staticmethod
    def _is_outside(draft: _Draft, text: str) -> bool:
        """Whether a line that names an error begins a new one and is no part of the message before."""
        ended = not draft.message or not draft.message[-1].strip()
        return ended or not text[:1].isspace()

    def _warn(self, number: int, found: re.Match[str]) -> None:
        self._close()
        frame = Frame(found["path"], int(found["line"]))
        draft = _Draft(
            number, "", self.stream, type=found["type"], message=[found["message"]], frames=[frame]
        )
        self.draft = draft
        self._close()

    def _go_on(self, draft: _Draft, text: str) -> None:
        """The next line of a message; a blank one ends it, but not what the compiler has to say."""
        message = draft.message if draft.message is not None else []
        if draft.tested:
            return
        if self.frame is not None and self._is_code(text):
            return
        said = any(line.strip() for line in message)
        long = draft.type.startswith(("torch._dynamo", "torch._inductor"))
        if _FENCE.match(text) or len(message) >= _MAX_MESSAGE or (said and not text.strip() and not long):
            self._close()
        else:
            message.append(text)

    def _without_margin(self, text: str) -> str:
        """A line without the margin of an exception group."""
        if not self.grouped and "Exception Group Traceback" not in text:
            return text
        if _GROUP_EDGE.match(text):
            return ""
        return _GROUP_MARGIN.sub(r"\1", text, count=1)

    def _close(self) -> None:
        """The error is read to its end."""
        self._shut_frame()
        draft, self.draft = self.draft, None
        self.boxed = False
        if draft is None:
            return
        if draft.type == _FORWARD:
            self.forward = draft.frames
            return
        raised = draft.finished()
        if raised is not None:
            self.found.append(replace(raised, forward=tuple(self.forward)) if self.forward else raised)
            self.forward = []
