"""Registry: the rules of a run, those devfix ships first and then those of installed packs."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Iterator
from importlib import metadata
from types import ModuleType
from typing import Any, Protocol

from devfix.findings import Applicability, Finding

#: The package of shipped rules; known here by name alone.
BUILT_IN = "devfix_codemods"
#: Where other distributions announce packages of rules.
ENTRY_POINTS = "devfix.codemods"


class RegistryError(Exception):
    """Rules that cannot be loaded together; the message names them."""


class Rule(Protocol):
    """What the tool needs to know of a rule; see ``devfix.rules.Rule``."""

    code: str
    name: str
    applicability: Applicability

    def check(self, facts: Any) -> Iterator[Finding]:
        """The faults that ``facts`` show."""
        ...


def load_rules() -> list[Rule]:
    """Every rule that is installed, by code."""
    base = importlib.import_module("devfix.rules").Rule
    return instantiate(modules(), base)


def modules() -> Iterator[ModuleType]:
    """The modules that hold rules."""
    yield from submodules(importlib.import_module(BUILT_IN))
    for entry_point in sorted(metadata.entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
        pack = entry_point.load()
        if not isinstance(pack, ModuleType):
            raise RegistryError(f"entry point `{entry_point.name}` ({entry_point.value}) is not a module")
        yield from submodules(pack)


def submodules(package: ModuleType) -> Iterator[ModuleType]:
    """A package and the modules directly in it, in order of name."""
    yield package
    for info in sorted(pkgutil.iter_modules(getattr(package, "__path__", ())), key=lambda info: info.name):
        yield importlib.import_module(f"{package.__name__}.{info.name}")


def instantiate(found: Iterable[ModuleType], base: type) -> list[Rule]:
    """One instance of each rule class that is defined in one of the modules, by code."""
    classes = dict.fromkeys(cls for module in found for cls in _defined_in(module, base))
    rules = sorted((cls() for cls in classes), key=lambda rule: rule.code)
    _refuse_duplicates(rules)
    return rules


def _defined_in(module: ModuleType, base: type) -> Iterator[type]:
    for value in vars(module).values():
        is_rule = inspect.isclass(value) and issubclass(value, base) and value is not base
        if is_rule and value.__module__ == module.__name__ and not inspect.isabstract(value):
            yield value


def _refuse_duplicates(rules: list[Rule]) -> None:
    for attribute in ("code", "name"):
        seen: dict[str, Rule] = {}
        for rule in rules:
            value = getattr(rule, attribute)
            other = seen.setdefault(value, rule)
            if other is not rule:
                raise RegistryError(f"{_place(other)} and {_place(rule)} have the same {attribute} `{value}`")


def _place(rule: Rule) -> str:
    return f"{type(rule).__module__}.{type(rule).__qualname__}"


def summary(rule: Rule) -> str:
    """The first sentence or line of a rule's docstring."""
    return page(rule).split("\n\n", 1)[0].replace("\n", " ")


def page(rule: Rule) -> str:
    """A rule's docstring: what is wrong, why, an example and the fix."""
    return inspect.cleandoc(type(rule).__doc__ or "")
