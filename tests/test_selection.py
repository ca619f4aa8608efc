"""Which rules run, and where."""

from __future__ import annotations

from typing import Any

import pytest
from fakes import WordRule

from devfix.config import ConfigError, Settings
from devfix.selection import Selection

RULES = [
    WordRule("DF101", "one", name="model-not-moved"),
    WordRule("DF102", "two", name="operand-not-moved"),
    WordRule("DF109", "adopt", name="no-device-chosen"),
    WordRule("DF201", "three", name="optimizer-before-move"),
    WordRule("DF701", "four", name="host-round-trip"),
]


@pytest.mark.parametrize(
    ("settings", "codes"),
    [
        ({}, "DF101 DF102 DF201"),
        ({"select": ("DF1",)}, "DF101 DF102"),
        ({"select": ("ALL",)}, "DF101 DF102 DF201 DF701"),
        ({"select": ("DF7", "model-not-moved")}, "DF101 DF701"),
        ({"ignore": ("DF1",)}, "DF201"),
        ({"ignore": ("operand-not-moved",)}, "DF101 DF201"),
        ({"select": ("DF1",), "ignore": ("DF101",)}, "DF102"),
        ({"adopt": True}, "DF101 DF102 DF109 DF201"),
        ({"select": ("DF109",)}, ""),
        ({"select": ("DF109",), "adopt": True}, "DF109"),
    ],
)
def test_select_and_ignore(settings: dict[str, Any], codes: str) -> None:
    active = Selection(RULES, Settings(**settings)).active
    assert " ".join(rule.code for rule in active) == codes


@pytest.mark.parametrize(
    ("selector", "hint"),
    [
        ("DF103", "did you mean"),
        ("operand-not-move", "did you mean `operand-not-moved`"),
        ("xyz", "lists them"),
    ],
)
@pytest.mark.parametrize("key", ["select", "ignore", "per_file_ignores"])
def test_an_unknown_rule_is_an_error(key: str, selector: str, hint: str) -> None:
    value: object = (("*.py", (selector,)),) if key == "per_file_ignores" else (selector,)
    settings = Settings(**{key: value})  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=f"no rule is called `{selector}`; .*{hint}"):
        Selection(RULES, settings)


def test_a_file_may_have_its_own_ignores() -> None:
    selection = Selection(RULES, Settings(per_file_ignores=(("tests/*", ("DF1",)),)))
    assert not selection.allows("tests/a.py", "DF101", "model-not-moved")
    assert selection.allows("tests/a.py", "DF201", "optimizer-before-move")
    assert selection.allows("src/a.py", "DF101", "model-not-moved")
