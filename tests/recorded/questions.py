"""Questions: what torch answers to a line of Python, as text that can be recorded on a real accelerator.

A question is a function; its answer is what it returns, or the class and message of what it raises.
The same questions are put to an accelerator (``tests/gpu/record_questions.py``) and to the simulator.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

Question = Callable[[], Any]

#: What there are questions about: each has a module of them.
TOPICS = (
    "numpy",
    "storage",
    "checkpoint",
    "loader",
    "autocast",
    "generator",
    "environment",
    "legacy",
    "number",
    "attention",
    "narrow",
    "operand",
    "meeting",
)

#: What differs between two runs, machines or releases without saying anything.
_NOISE = [
    (re.compile(r'File "[^"]*", line \d+'), "File"),
    (re.compile(r"0x[0-9a-f]+"), "ADDRESS"),
    (re.compile(r"/[^\s'\"]*/"), "FOLDER/"),
]


class Outcomes(dict[str, str]):
    """What a question asked for several operands comes to: the operands by each outcome."""

    def by_operands(self) -> dict[str, str]:
        """The outcome for each of the operands."""
        return {each: outcome for outcome, operands in self.items() for each in operands.split(", ")}


class Questions(dict[str, Question]):
    """Questions by name; calling it as a decorator adds one."""

    def __call__(self, name: str) -> Callable[[Question], Question]:
        def add(question: Question) -> Question:
            assert name not in self, name
            self[name] = question
            return question

        return add

    def lines(
        self, names: dict[str, Any], text: str, said: Callable[[Any], Any] = lambda found: found
    ) -> None:
        """Add a question for every line of a text, evaluated with some names at hand; lower-case ones are called first.

        What is ``said`` of the value is the answer.
        """
        for line in filter(None, map(str.strip, text.splitlines())):
            self(line)(lambda line=line: said(_evaluated(line, names)))  # type: ignore[misc]


def _evaluated(line: str, names: dict[str, Any]) -> Any:
    known = dict(names)
    for name in set(re.findall(r"[a-z]\w*", line)) & names.keys():
        # A lower-case name stands for a fresh value every time.
        known[name] = names[name]() if callable(names[name]) else names[name]
    *first, last = ast.parse(line.replace("; ", "\n")).body
    exec(compile(ast.Module(first, []), "question", "exec"), known)
    if not isinstance(last, ast.Expr):
        return exec(compile(ast.Module([last], []), "question", "exec"), known)
    return eval(compile(ast.Expression(last.value), "question", "eval"), known)


def answer(question: Question) -> str | Outcomes:
    """What a question comes to."""
    try:
        found = question()
    except Exception as error:  # noqa: BLE001 - whatever is raised is the answer
        return _plain(f"{type(error).__name__}: {_outline(str(error))}")
    if isinstance(found, Outcomes):
        return found
    return "ok" if found is None else _plain(f"ok: {found}")


def _outline(message: str) -> str:
    """The message; of one that quotes a whole traceback the first line and the last that says something."""
    lines = [line for line in message.strip().splitlines() if line.strip()]
    if lines and lines[0].startswith("CUDA error: "):
        return lines[0]  # what follows is advice, which differs between releases
    if "Original Traceback (most recent call last):" not in lines:
        return message
    said = next(line for line in lines[1:] if re.match(r"(\w+\.)*\w+(Error|Exception)\b", line))
    return f"{lines[0]} ... {said}"


def _plain(text: str) -> str:
    for pattern, word in _NOISE:
        text = pattern.sub(word, text)
    return text[:400]
