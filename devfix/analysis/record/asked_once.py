"""Asked once: questions about all of a program, whose answers its facts remember, however many findings ask."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from devfix.analysis.record.facts import Facts

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def asked_once(
    question: Callable[Concatenate[Facts, Asked], Answer],
) -> Callable[Concatenate[Facts, Asked], Answer]:
    """The function ``question``, whose answers facts keep: what they tell of never changes, and is looked through once."""

    @wraps(question)
    def ask(facts: Facts, /, *asked: Asked.args, **named: Asked.kwargs) -> Answer:
        key = (question, asked, *named.items())
        if key not in facts.answers:
            facts.answers[key] = question(facts, *asked, **named)
        answer: Answer = facts.answers[key]
        return answer

    return ask
