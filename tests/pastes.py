"""Pastes: recorded tracebacks, and what devfix makes of a text."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from textwrap import dedent

from devfix.registry import Rule, load_rules
from devfix.tracebacks.account import Account, account
from devfix.tracebacks.choice import Choice, bare, choose
from devfix.tracebacks.paste import decode, read_lines
from devfix.tracebacks.raised import Raised
from devfix.tracebacks.reader import read
from devfix.tracebacks.scene import Files, is_library
from devfix.tracebacks.texts import FAMILIES

NAMED = "RuntimeError: Expected all tensors to be on the same device, but got {} is on {}, different from other tensors on {} (when checking argument in method wrapper_CUDA_{})"

DATA = Path(__file__).parent / "data" / "tracebacks"

#: A message of each family.
TEXTS_OF_MESSAGES = [text["text"] for text in json.loads((DATA / "texts.json").read_text(encoding="utf-8"))]


@cache
def rules() -> tuple[Rule, ...]:
    """The rules that are registered."""
    return tuple(load_rules())


def recorded(name: str) -> str:
    """A text as somebody would copy it; see ``tests/data/tracebacks/README.md``."""
    text = decode((DATA / "pastes" / f"{name}.txt").read_bytes())
    assert text is not None
    return text


@cache
def recordings(name: str) -> dict[str, str]:
    """Tracebacks by the name of the program that was run."""
    found = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return {str(key): str(value) for key, value in found.items()}


def errors(text: str) -> list[Raised]:
    """The errors in a text."""
    return read(read_lines(text))


def chosen(text: str) -> Choice:
    """The error to explain."""
    choice = choose(errors(text), FAMILIES) or bare(read_lines(text), FAMILIES)
    assert choice is not None, "not recognised"
    return choice


def explained(text: str, folder: Path | None = None) -> Account:
    """The account of a text, with the files in a folder."""
    return account(chosen(text), Files(folder), rules())


def user_frames(raised: Raised) -> list[tuple[str, int, str]]:
    """Path, line and code of the frames of the user."""
    return [(frame.path, frame.line, frame.code) for frame in raised.frames if not is_library(frame.path)]


def plain(message: str, *frames: tuple[str, int, str, str]) -> str:
    """A traceback as Python prints it, of ``(path, line, function, code)``."""
    places = "".join(
        f'  File "{path}", line {line}, in {name}\n    {code}\n' for path, line, name, code in frames
    )
    return f"Traceback (most recent call last):\n{places}{message}\n"


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(dedent(text))


def trace(folder: Path, message: str, *places: tuple[str, str, str]) -> str:
    """A traceback through the lines of ``(file, function, code)``, as they are in the folder."""
    frames = []
    for name, function, code in places:
        lines = [line.strip() for line in (folder / f"{name}.py").read_text().splitlines()]
        frames.append((f"{name}.py", lines.index(code) + 1, function, code))
    return plain(message, *frames)


def texts_after(told: Account) -> dict[str, str]:
    return {source.path: text for source, text in told.repair.changed}


def diff_lines(told: Account) -> list[str]:
    """The lines that are new."""
    return [
        line.strip()
        for source, text in told.repair.changed
        for line in text.splitlines()
        if line not in source.text.splitlines()
    ]


PROGRAM = """\
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = torch.nn.Linear(4, 2).to(device)
    x = torch.randn(8, 4)
    y = model(x)
    """
FIXED = ["x = torch.randn(8, 4).to(device)"]


def program_trace(path: str = "train.py", line: int = 6) -> str:
    return plain(NAMED.format("mat1", "cpu", "cuda:0", "addmm"), (path, line, "<module>", "y = model(x)"))
