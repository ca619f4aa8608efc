"""Fixes whole projects twice, each as one program: nothing may crash, break or need a second run.

``python tests/trust/projects.py FOLDER [--part 1/16] [--adopt]``: each folder within FOLDER is a project. It prints each
fault and, last, the figures. Several parts are run side by side.
"""

from __future__ import annotations

import argparse
import ast
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

sys.path[:0] = [
    str(Path(__file__).parents[1]),
    str(Path(__file__).parents[2]),
    str(Path(__file__).parents[2] / "codemods"),
]

from text_program import fix_texts  # noqa: E402 - the path comes first

from devfix.findings import Applicability  # noqa: E402 - the path comes first

#: Seconds for a project.
_SECONDS = 60


@dataclass
class Account:
    """What was looked at."""

    projects: int = 0
    lines: int = 0
    fixes: int = 0
    rewritten: int = 0
    faults: int = 0


class _Late(BaseException):
    """A project takes too long; no ``except Exception`` is to hold it up."""


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise _Late


def texts_of(project: Path) -> dict[str, str]:
    """The Python files of a project that can be read and parsed."""
    texts = {}
    for path in sorted(project.rglob("*.py")):
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if _parses(text):
            texts[str(path.relative_to(project))] = text
    return texts


def _parses(text: str) -> bool:
    try:
        compile(text, "file.py", "exec", ast.PyCF_ONLY_AST)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def faults(texts: dict[str, str], account: Account, *, adopt: bool) -> Iterator[str]:
    """What is wrong with what becomes of a project."""
    once, reports = fix_texts(texts, Applicability.UNSAFE, adopt=adopt)
    changed = [path for path in texts if once[path] != texts[path]]
    account.fixes += sum(len(report.fixed) for report in reports)
    account.rewritten += len(changed)
    yield from (f"{path} does not parse any more" for path in changed if not _parses(once[path]))
    if changed:
        twice, _ = fix_texts(once, Applicability.UNSAFE, adopt=adopt)
        yield from (f"{path} is changed once more" for path in texts if twice[path] != once[path])


def examine(project: Path, account: Account, *, adopt: bool) -> None:
    """Print the faults of a project, and count them."""
    texts = texts_of(project)
    if not texts:
        return
    account.projects += 1
    account.lines += sum(text.count("\n") for text in texts.values())
    found: list[str] = []
    signal.alarm(_SECONDS)
    try:
        found += faults(texts, account, adopt=adopt)
    except _Late:
        found.append(f"takes more than {_SECONDS} seconds")
    except Exception:  # noqa: BLE001 - a crash is what is looked for
        found.append(traceback.format_exc())
    finally:
        signal.alarm(0)
    account.faults += len(found)
    for fault in found:
        print(f"{project.name}: {fault}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Examine the projects of a part; the exit code is 1 where there is a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--adopt", action="store_true")
    options = parser.parse_args(arguments)
    number, of = map(int, options.part.split("/"))
    account = Account()
    signal.signal(signal.SIGALRM, _stop)
    warnings.simplefilter("ignore")
    for project in sorted(path for path in options.folder.iterdir() if path.is_dir())[number - 1 :: of]:
        examine(project, account, adopt=options.adopt)
    print(account)
    return min(account.faults, 1)


if __name__ == "__main__":
    sys.exit(main())
