"""Which rules run, and where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes import WordRule

from devfix.config import Asked, ConfigError, Configuration, Glob, Settings, configuration_of, globs
from devfix.config.settings import RuleChoice
from devfix.findings import Applicability, Finding, Fix, Span
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
        ({"select": ()}, ""),
        ({"extend_select": ("DF7",)}, "DF101 DF102 DF201 DF701"),
        ({"select": ("DF101",), "ignore": ("DF1",)}, "DF101"),
        ({"select": ("ALL",), "ignore": ("DF",)}, ""),
        ({"ignore": ("DF1",), "extend_select": ("operand-not-moved",)}, "DF102 DF201"),
        ({"inherited": (RuleChoice(ignore=("DF101",)),), "extend_select": ("DF1",)}, "DF101 DF102 DF201"),
        ({"inherited": (RuleChoice(select=("DF2",)),), "extend_select": ("DF101",)}, "DF101 DF201"),
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
    value: object = ((Glob("*.py"), (selector,)),) if key == "per_file_ignores" else (selector,)
    settings = Settings(**{key: value})  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=f"no rule is called `{selector}`; .*{hint}"):
        Selection(RULES, settings)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('src = []\nignore = ["xyz"]\n', 2),
        ('extend-safe-fixes = ["DF1", "xyz"]\n', 1),
        ('src = []\n\nper-file-ignores = { "a.py" = ["xyz"] }\n', 3),
    ],
)
def test_the_line_that_names_an_unknown_rule_is_told(
    text: str, line: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "devfix.toml").write_text(text)
    selection = Selection(RULES, Settings(), Configuration(top=str(tmp_path)))
    with pytest.raises(ConfigError, match=rf"^part.devfix\.toml:{line}: no rule is called `xyz`"):
        selection.prepare(["part/a.py"])


def test_a_file_may_have_its_own_ignores() -> None:
    selection = Selection(RULES, Settings(per_file_ignores=((Glob("tests/*"), ("DF1",)),)))
    assert not selection.allows("tests/a.py", "DF101", "model-not-moved")
    assert selection.allows("tests/a.py", "DF201", "optimizer-before-move")
    assert selection.allows("src/a.py", "DF101", "model-not-moved")


def test_each_file_has_rules_of_its_own() -> None:
    class Two:
        def of(self, path: object) -> Settings:
            return Settings(select=("DF1",) if str(path).startswith("a") else ("DF2",))

        def naming(self, _selector: str) -> str:
            return ""

        def is_told(self, _key: str) -> bool:
            return False

    selection = Selection(RULES, Settings(), Two())
    assert selection.allows("a.py", "DF101", "model-not-moved")
    assert not selection.allows("b.py", "DF101", "model-not-moved")
    codes = [rule.code for rule in selection.active_in(["a.py", "b.py"])]
    assert codes == ["DF101", "DF102", "DF201"]
    assert [rule.code for rule in selection.active_in(["b.py"])] == ["DF201"]


SPAN = Span(1, 0, 1, 1)
FIXES = [Fix("x", (), each) for each in (Applicability.UNSAFE, Applicability.SAFE, Applicability.DISPLAY)]
FINDING = Finding("a.py", SPAN, "DF101", "model-not-moved", "m", fix=FIXES[0], alternatives=tuple(FIXES[1:]))


@pytest.mark.parametrize(
    ("settings", "left"),
    [
        ({}, "unsafe safe display"),
        ({"unfixable": ("DF1",)}, ""),
        ({"unfixable": ("DF1",), "extend_fixable": ("DF101",)}, "unsafe safe display"),
        ({"fixable": ("DF2",)}, ""),
        ({"fixable": ("DF2",), "extend_fixable": ("model-not-moved",)}, "unsafe safe display"),
        ({"extend_safe_fixes": ("DF101",)}, "safe safe display"),
        ({"extend_unsafe_fixes": ("DF101",)}, "unsafe unsafe display"),
        ({"extend_safe_fixes": ("DF101",), "extend_unsafe_fixes": ("DF1",)}, "unsafe unsafe display"),
        ({"extend_safe_fixes": ("DF2",)}, "unsafe safe display"),
    ],
)
def test_fixes_are_trusted_as_the_settings_say(settings: dict[str, Any], left: str) -> None:
    found = Selection(RULES, Settings(**settings)).adjusted(FINDING)
    fixes = [] if found.fix is None else [found.fix, *found.alternatives]
    assert " ".join(fix.applicability.name.lower() for fix in fixes) == left


def test_what_the_command_line_selects_the_settings_do_not_ignore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("devfix.toml").write_text("ignore = ['DF101']\n", encoding="utf-8")
    settings = configuration_of(Asked(select=("DF101",))).of("a.py")
    assert [rule.code for rule in Selection(RULES, settings).active] == ["DF101"]
    assert globs("a") == (Glob("a"),)
