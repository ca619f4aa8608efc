"""Rules are found by being there; two that clash are refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from devfix.findings import Applicability, Finding
from devfix.registry import RegistryError, instantiate, page, submodules, summary


class Base:
    code = ""
    name = ""
    applicability = Applicability.SAFE

    def check(self, facts: object) -> Iterator[Finding]:
        return iter(())


def rule_class(code: str, name: str, module: str = "pack.mod") -> type[Base]:
    return type("R" + code, (Base,), {"code": code, "name": name, "__module__": module})


def module(name: str, *members: object) -> ModuleType:
    made = ModuleType(name)
    for number, member in enumerate(members):
        setattr(made, f"member{number}", member)
    return made


def test_rules_come_in_order_of_code() -> None:
    found = instantiate([module("pack.mod", rule_class("DF2", "b"), rule_class("DF1", "a"))], Base)
    assert [rule.code for rule in found] == ["DF1", "DF2"]


def test_only_what_a_module_defines_counts() -> None:
    imported = rule_class("DF1", "a", module="elsewhere")
    assert instantiate([module("pack.mod", Base, imported, object, "text", 3)], Base) == []


@pytest.mark.parametrize(("code", "name", "what"), [("DF1", "b", "code `DF1`"), ("DF2", "a", "name `a`")])
def test_duplicates_are_refused(code: str, name: str, what: str) -> None:
    found = [module("pack.mod", rule_class("DF1", "a"), rule_class(code, name))]
    with pytest.raises(RegistryError, match=f"have the same {what}"):
        instantiate(found, Base)


def test_every_module_of_a_package_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "toy_pack"
    package.mkdir()
    for name in ("__init__", "second", "first"):
        (package / f"{name}.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    loaded = __import__("toy_pack")
    assert [each.__name__ for each in submodules(loaded)] == ["toy_pack", "toy_pack.first", "toy_pack.second"]


class Documented(Base):
    """A tensor is made
    on the CPU.

    More of it.
    """


def test_a_page_is_the_docstring_and_a_summary_its_start() -> None:
    assert page(Documented()).startswith("A tensor is made\non the CPU.\n\nMore")
    assert summary(Documented()) == "A tensor is made on the CPU."
