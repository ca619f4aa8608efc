"""What every rule has to be: one small file, explained, with an example that runs and with counter-examples."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from corpus_case import corpus_cases
from text_program import Texts, check_texts, fix_texts, names, rules

from devfix import commands, registry, testing
from devfix.findings import Applicability
from devfix.registry import Rule, page, summary
from devfix.report.catalogue import render_page, render_rules
from devfix.rules import Rule as Base
from devfix.selection import ADOPTING_RULE

RULES = [rule for rule in rules() if type(rule).__module__.startswith("devfix_codemods.")]
UNCHANGED = Path(__file__).parent / "unchanged"
#: Placement, optimizers and checkpoints, loading, host, dtypes, frameworks, transfers.
FAMILY = re.compile(r"DF[1-7]\d\d")

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def module_of(rule: Rule) -> ModuleType:
    return sys.modules[type(rule).__module__]


def example(rule: Rule) -> tuple[Texts, Texts]:
    """The programs under ``Before::`` and ``After::``."""
    before, after = testing.example(rule)
    return {"main.py": before}, {"main.py": after}


def unchanged_programs(rule: Rule) -> list[Path]:
    """Programs that look as if the rule had something to say."""
    return sorted((UNCHANGED / module_name(rule)).glob("*.py"))


def module_name(rule: Rule) -> str:
    return rule.name.replace("-", "_")


def test_there_are_rules() -> None:
    assert RULES


@each_rule
def test_the_file_is_named_after_its_one_rule(rule: Rule) -> None:
    module = module_of(rule)
    assert module.__name__ == f"devfix_codemods.{module_name(rule)}"
    assert [type(found) for found in registry.instantiate([module], Base)] == [type(rule)]
    assert type(rule).__name__.lower() == module_name(rule).replace("_", "")


@each_rule
def test_the_code_is_of_a_family(rule: Rule) -> None:
    assert FAMILY.fullmatch(rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", rule.name)
    assert isinstance(rule.applicability, Applicability)


def test_codes_and_names_are_not_used_twice() -> None:
    assert max(Counter(rule.code for rule in RULES).values()) == 1
    assert max(Counter(rule.name for rule in RULES).values()) == 1


@each_rule
def test_the_file_is_small_and_says_in_a_line_what_it_is(rule: Rule) -> None:
    module = module_of(rule)
    first = (module.__doc__ or "").strip().splitlines()
    assert len(first) == 1
    assert first[0].startswith(f"{rule.name}: ")
    assert len(inspect.getsource(module).splitlines()) <= 250


@each_rule
def test_the_page_explains(rule: Rule, capsys: pytest.CaptureFixture[str]) -> None:
    """A summary, why it fails, what the fix does, and the example; ``devfix explain`` prints it."""
    paragraphs = page(rule).split("\n\n")
    assert re.fullmatch(r"[A-Z`][^\n]*\.", summary(rule))
    assert len(summary(rule)) <= 120
    assert "Before::" in paragraphs[2:], "why it fails and what the fix does stand before the example"
    read = page(rule).replace("``", "`").replace("::\n", ":\n")
    for name in (rule.name, rule.code):
        assert commands.explain(name) == 0
        assert read in capsys.readouterr().out


@each_rule
def test_before_becomes_after(rule: Rule) -> None:
    before, after = example(rule)
    adopt = rule.code == ADOPTING_RULE
    for texts in (before, after):
        ast.parse(texts["main.py"])
    assert rule.name in names(check_texts(before, adopt=adopt))
    fixed, _ = fix_texts(before, rule.applicability, adopt=adopt)
    assert fixed == after
    assert rule.name not in names(check_texts(after, adopt=adopt))


@pytest.mark.parametrize(
    "rule",
    [rule for rule in RULES if rule.applicability < Applicability.SAFE and rule.code != ADOPTING_RULE],
    ids=lambda rule: rule.name,
)
def test_a_fix_is_trusted_no_further_than_the_rule_says(rule: Rule) -> None:
    before, after = example(rule)
    assert fix_texts(before, Applicability(rule.applicability + 1))[0] != after


@each_rule
def test_the_corpus_shows_the_rule(rule: Rule) -> None:
    assert [case.name for case in corpus_cases() if case.rule == rule.name]


@each_rule
def test_counter_examples_exist(rule: Rule) -> None:
    fine = [
        case.name for case in corpus_cases() if case.kind == "ok" and case.folder.parent.name == rule.name
    ]
    assert len(fine) + len(unchanged_programs(rule)) >= 2


@pytest.mark.parametrize("path", sorted(UNCHANGED.rglob("*.py")), ids=lambda path: path.stem)
def test_counter_examples_are_left_alone(path: Path) -> None:
    texts = {path.name: path.read_text(encoding="utf-8")}
    assert check_texts(texts) == []
    assert fix_texts(texts, Applicability.UNSAFE)[0] == texts


def test_every_counter_example_is_for_a_rule() -> None:
    known = {module_name(rule) for rule in RULES}
    assert {path.parent.name for path in UNCHANGED.rglob("*.py")} <= known


def test_every_family_of_causes_in_the_corpus_has_a_rule() -> None:
    causes = {case.folder.parent.name for case in corpus_cases()}
    assert sorted(causes - {rule.name for rule in RULES}) == []


def test_what_is_read_on_a_terminal_has_no_marks_of_markup() -> None:
    shown = render_rules(RULES) + "".join(map(render_page, RULES))
    assert "\nBefore:\n" in shown
    assert "`Module.to`" in shown
    assert "``" not in shown
    assert "::\n" not in shown
