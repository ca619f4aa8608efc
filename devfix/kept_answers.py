"""Kept answers: what is asked of a piece of syntax is found out once, and goes when its tree goes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)
Answer = TypeVar("Answer")


def kept_by_nodes(question: Callable[[Node], Answer], key: str) -> Callable[[Node], Answer]:
    """The function ``question``, whose answers nodes keep under a key."""

    @wraps(question)
    def ask(node: Node) -> Answer:
        answers: dict[str, Answer] = node.__dict__
        try:
            return answers[key]
        except KeyError:
            answer = answers[key] = question(node)
            return answer

    return ask


def kept(question: Callable[[Node], Answer]) -> Callable[[Node], Answer]:
    """The same for a function by whose own name the answers are kept."""
    return kept_by_nodes(question, question.__name__)
