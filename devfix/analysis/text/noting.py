"""Notes: answers that nodes keep for those who speak of findings, or that others are made of; a run depends on none of them."""

from __future__ import annotations

from collections.abc import Callable

from devfix.kept_answers import Answer, Node, kept_by_nodes

#: The names under which nodes keep notes.
NOTES: set[str] = set()


def noted(question: Callable[[Node], Answer]) -> Callable[[Node], Answer]:
    """The function ``question``, which remembers its answers for as long as a node and what is within it stay as they are.

    Unlike an answer that is ``remembered``, one that changes with the code of a node does not change what is known of it.
    """
    key = f"{question.__module__}.{question.__qualname__}"
    NOTES.add(key)
    return kept_by_nodes(question, key)
