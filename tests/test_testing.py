"""What authors of rules assert fails where it should, and says why."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from text_program import rules

from devfix.registry import Rule as AnyRule
from devfix.rules import Applicability, Facts, FileEdit, Finding, Fix, ReplaceExpression, Rule, Span, ast
from devfix.selection import ADOPTING_RULE
from devfix.testing import assert_example, assert_finds, assert_fixes, assert_untouched, example, findings

FAULTY = """\
    import torch

    device = torch.device("cuda")
    a = torch.zeros(3, device=device)
    b = torch.ones(3)
    print(a + b)
"""
FIXED = FAULTY.replace("ones(3)", "ones(3, device=device)")


def rule(name: str) -> AnyRule:
    (found,) = [each for each in rules() if each.name == name]
    return found


OLD = "import torch\nold = torch.ones(1)\n"
OPERAND = rule("operand-not-moved")


class Renames(Rule):
    """A rule whose fix may be anything.

    Before::

        import torch
        old = torch.ones(1)

    After::

        import torch
        new = torch.ones(1)
    """

    code, name = "TEST101", "name-is-old"
    applicability = Applicability.UNSAFE
    text = "new"

    def check(self, facts: Facts) -> Iterator[Finding]:
        for path in facts.program.targets:
            for node in ast.walk(facts.source(path).tree):
                if isinstance(node, ast.Name) and node.id == "old":
                    span = facts.source(path).span(node)
                    edit = FileEdit(path, ReplaceExpression(span, self.text))
                    fix = Fix("rename it", (edit,), self.applicability)
                    yield Finding(path, span, self.code, self.name, "`old` is old", fix=fix)


@pytest.mark.parametrize("each", rules(), ids=lambda each: each.name)
def test_the_examples_of_the_rules_hold(each: AnyRule) -> None:
    before, _ = example(each)
    assert findings(each, before)
    if each.code != ADOPTING_RULE:
        assert_example(each)


def test_lines_are_compared() -> None:
    assert_finds(OPERAND, FAULTY, 6)
    with pytest.raises(
        AssertionError, match=r"(?s)expected findings in lines \[5\], not\nmain.py:6: `b` is on the CPU"
    ):
        assert_finds(OPERAND, FAULTY, 5)
    with pytest.raises(AssertionError, match="not\nnone"):
        assert_finds(OPERAND, FIXED, 5)


def test_untouched_programs() -> None:
    assert_untouched(OPERAND, FIXED)
    with pytest.raises(AssertionError, match=r"main\.py:6"):
        assert_untouched(OPERAND, FAULTY)


def test_fixed_texts_are_compared() -> None:
    assert_fixes(OPERAND, FAULTY, FIXED)
    with pytest.raises(
        AssertionError, match=r"(?s)something else.*-b = 1\n\+b = torch.ones\(3, device=device\)"
    ):
        assert_fixes(OPERAND, FAULTY, FAULTY.replace("torch.ones(3)", "1"))


def test_programs_of_several_files() -> None:
    parts = "import torch\n\n\ndef noise(n):\n    return torch.randn(n)\n"
    main = "import torch\nfrom parts import noise\n\nx = torch.zeros(3, device='cuda')\nprint(x + noise(3))\n"
    (found,) = findings(OPERAND, {"main.py": main, "parts.py": parts})
    assert (found.path, found.span.line) == ("main.py", 5)
    fixed = main.replace("noise(3)", "noise(3).to(x.device)")
    with pytest.raises(AssertionError, match="something else"):
        assert_fixes(OPERAND, {"main.py": main, "parts.py": parts}, {"main.py": main, "parts.py": parts})
    assert_untouched(OPERAND, {"main.py": fixed, "parts.py": parts})


def test_the_applicability_of_the_rule_decides_which_fixes_are_made() -> None:
    assert_example(Renames)
    assert_fixes(Renames, OLD, OLD.replace("old", "new"))
    safe = type("Safe", (Renames,), {"applicability": Applicability.SAFE, "__doc__": Renames.__doc__})
    assert_example(safe)


def test_fixes_that_break_a_program_are_not_made() -> None:
    broken = type("Broken", (Renames,), {"text": "0"})
    with pytest.raises(AssertionError, match="something else"):
        assert_fixes(broken, OLD, OLD.replace("old", "new"))


class Insists(Renames):
    """A rule that likes the new name no better."""

    def check(self, facts: Facts) -> Iterator[Finding]:
        yield from super().check(facts)
        for path in facts.program.targets:
            if "new" in facts.source(path).text:
                yield Finding(path, Span(1, 0, 1, 3), self.code, self.name, "`new` is no better")


def test_the_rule_has_nothing_to_say_of_the_fixed_program() -> None:
    text = OLD + "# and new\n"
    with pytest.raises(AssertionError, match="after its fixes the rule still says: `new` is no better"):
        assert_fixes(Insists, text, text.replace("old", "new"))


def test_programs_must_parse() -> None:
    with pytest.raises(AssertionError, match=r"main\.py has a syntax error in line 1"):
        findings(Renames, "def f(:")
    with pytest.raises(AssertionError, match=r"main\.py has a syntax error in line 1"):
        assert_fixes(Renames, OLD, "def f(:")


def test_a_rule_that_fails_is_shown_with_its_traceback() -> None:
    class Fails(Renames):
        """It fails."""

        def check(self, facts: Facts) -> Iterator[Finding]:
            raise ZeroDivisionError(len(facts.program.targets))

    with pytest.raises(
        AssertionError, match=r"(?s)TEST101 name-is-old .* failed: ZeroDivisionError: 1\nTraceback"
    ):
        assert_untouched(Fails, "import torch\n")
    with pytest.raises(AssertionError, match="has no `Before::`"):
        assert_example(Fails)


def test_an_example_in_which_nothing_is_found_is_none() -> None:
    silent = type("Silent", (Renames,), {"__doc__": Renames.__doc__, "check": lambda _self, _facts: iter(())})
    with pytest.raises(AssertionError, match="finds nothing in its own example"):
        assert_example(silent)
