"""Dialects: how Python, notebooks, pytest and rich write down frames and errors, line by line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto

from devfix.findings import Span
from devfix.tracebacks.raised import Frame

#: No line of a frame is longer; what is longer is not tried.
_MAX_LINE = 1_000
_MAX_CODE = 40


class Dialect(Enum):
    """Who wrote the frames."""

    PLAIN = auto()
    NOTEBOOK = auto()
    PYTEST = auto()
    BOX = auto()


@dataclass(slots=True)
class OpenFrame:
    """A frame that is being read."""

    path: str
    line: int
    function: str
    dialect: Dialect
    indent: int = 0
    shown: list[str] = field(default_factory=list)
    numbered: dict[int, str] = field(default_factory=dict)
    pointed: bool = False

    def closed(self) -> Frame:
        """The frame with what was seen of its code."""
        if self.numbered:
            return Frame(self.path, self.line, self.function, self.numbered.get(self.line, "").strip())
        code, mark = _marked(self.shown)
        return Frame(self.path, self.line, self.function, code, mark)


_PLAIN = re.compile(
    r'(?P<indent>\s*)File "(?P<path>[^"]{1,500})", line (?P<line>\d{1,9})(?:, in (?P<function>.+))?$'
)
_NOTEBOOK_FILE = re.compile(r'File (?P<path>[^"\s][^"]*?):(?P<line>\d{1,9})(?:, in (?P<function>.+))?$')
_CELL = re.compile(
    r"(?:Cell |Input )?In ?\[(?P<cell>[\d ]{1,6})\](?:, line (?P<line>\d{1,9}))?(?:, in (?P<function>[^:]+?))?:?$"
)
_NOTEBOOK = re.compile(
    r"(?P<path><ipython-input-[^>\s]{1,80}>|(?:[A-Za-z]:)?[^\s\"':<>][^\"':<>]*\.pyx?) in (?P<function>[\w<(].*)$"
)
_PYTEST = re.compile(
    r"(?P<path>(?:[A-Za-z]:)?[^\s:\"'][^:\"']*\.py):(?P<line>\d{1,9}):"
    r"(?: in (?P<function>\S+)| (?P<type>[A-Za-z_][\w.]*)(?:: (?P<message>.+))?)?$"
)
_BOX = re.compile(r"(?P<path>[^\s:\"'](?:[A-Za-z]:)?[^:\"']*):(?P<line>\d{1,9})(?: in (?P<function>\S.*))?$")

ARROW = re.compile(r"\s{0,8}-{1,12}> ?(?P<line>\d{1,9})(?: (?P<code>.*))?$")
NUMBERED = re.compile(r"\s{1,12}(?P<line>\d{1,9})(?: (?P<code>.*))?$")
_BOXED_CODE = re.compile(r"\s*(?P<arrow>[❱>])?\s*(?P<line>\d{1,9}) ?[│|]?(?P<code>.*)$")
_ELLIPSIS = re.compile(r"\s*\.\.\.<\d{1,6} lines>\.\.\.$")


def is_carets(text: str) -> bool:
    """Whether a line does nothing but underline the one above it."""
    return bool(text.strip()) and not text.strip("~^ \t")


def plain_frame(text: str) -> OpenFrame | None:
    """``File "train.py", line 3, in step``."""
    found = _PLAIN.match(text) if len(text) < _MAX_LINE and "File" in text else None
    if found is None:
        return None
    frame = _opened(found, Dialect.PLAIN)
    frame.indent = len(found["indent"])
    return frame


def notebook_frame(text: str) -> OpenFrame | None:
    """``<ipython-input-3-5f> in <module>``, ``Cell In[3], line 5`` and ``File ~/net.py:12, in step(x)``."""
    text = text.strip()
    if len(text) >= _MAX_LINE:
        return None
    cell = _CELL.match(text)
    if cell is not None:
        name = f"In[{cell['cell'].strip()}]"
        return OpenFrame(name, int(cell["line"] or 0), _name(cell["function"]), Dialect.NOTEBOOK)
    found = _NOTEBOOK_FILE.match(text) or (_NOTEBOOK.match(text) if " in " in text else None)
    return _opened(found, Dialect.NOTEBOOK) if found is not None else None


def pytest_frame(text: str) -> OpenFrame | None:
    """``tests/test_net.py:12: RuntimeError`` or ``net.py:12: in step``."""
    found = _PYTEST.match(text) if len(text) < _MAX_LINE else None
    return _opened(found, Dialect.PYTEST) if found is not None else None


def pytest_error(text: str) -> tuple[str, str] | None:
    """The class and the message behind a pytest location, when one is there."""
    found = _PYTEST.match(text) if len(text) < _MAX_LINE else None
    return (found["type"], found["message"] or "") if found is not None and found["type"] else None


def boxed_frame(text: str) -> OpenFrame | None:
    """``/home/me/net.py:12 in step``, the way rich writes it inside its box."""
    found = _BOX.match(text.strip()) if len(text) < _MAX_LINE and ":" in text else None
    return _opened(found, Dialect.BOX) if found is not None else None


def add_boxed_code(frame: OpenFrame, text: str) -> bool:
    """Take a line of source of a box, whose guides stand for indentation; False when it is none."""
    found = _BOXED_CODE.match(text)
    if found is None:
        return False
    if found["arrow"]:
        frame.line = frame.line or int(found["line"])
    frame.numbered[int(found["line"])] = re.sub(r"^((?:\s*[│|]\s)*)", "", found["code"])
    return True


def add_numbered(frame: OpenFrame, text: str) -> bool:
    """Take a line of source of a notebook; False when it is none."""
    arrow = ARROW.match(text)
    found = arrow or NUMBERED.match(text)
    if found is None:
        return False
    if arrow is not None and not frame.line:
        frame.line = int(arrow["line"])
    if len(frame.numbered) < _MAX_CODE:
        frame.numbered[int(found["line"])] = found["code"] or ""
    return True


def _opened(found: re.Match[str], dialect: Dialect) -> OpenFrame:
    fields = found.groupdict()
    return OpenFrame(
        fields["path"].strip(), int(fields.get("line") or 0), _name(fields.get("function")), dialect
    )


def _name(function: str | None) -> str:
    """``step`` of ``step(self, x)``; ``<module>`` of what notebooks say of their cells."""
    name = (function or "").partition("(")[0].strip()
    return "<module>" if name.startswith(("<module", "<cell line", "<listcomp")) else name


def _marked(shown: list[str]) -> tuple[str, Span | None]:
    """The code of a plain frame and the part of it that carets underline."""
    if not shown:
        return "", None
    base = len(shown[0]) - len(shown[0].lstrip())
    code: list[str] = []
    marks: list[tuple[int, int, int]] = []
    for line in shown:
        if is_carets(line) and code:
            first = len(line) - len(line.lstrip())
            marks.append((len(code), max(first - base, 0), max(len(line) - base, 0)))
        elif _ELLIPSIS.match(line):
            return "\n".join(code), None
        else:
            code.append(line[base:] if not line[:base].strip() else line.strip())
    mark = Span(marks[0][0], marks[0][1], marks[-1][0], marks[-1][2]) if marks else None
    return "\n".join(code), mark
