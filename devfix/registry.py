"""Registry: the rules of a run, those devfix ships first and then those of installed packs."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from types import ModuleType
from typing import Any, Protocol

from devfix.findings import Applicability, Finding
from devfix.usage import CommandError

#: The package of shipped rules; known here by name alone.
BUILT_IN = "devfix_codemods"
#: Where other distributions announce packages of rules.
ENTRY_POINTS = "devfix.codemods"
#: What rules came with that do not name a version.
_FIRST_RELEASE = "0.1.0"
_FAMILIES = {
    "DF1": "placement",
    "DF2": "optimizers and checkpoints",
    "DF3": "data loading and processes",
    "DF4": "host",
    "DF5": "dtypes",
    "DF6": "frameworks",
    "DF7": "transfers",
    "DF9": "devfix itself",
}

#: What codes and names of rules look like; selectors rely on it.
CODE, NAME = re.compile(r"[A-Z]{2,8}[0-9]{1,4}"), re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
RESERVED = re.compile(r"DF[0-9]")


class RegistryError(CommandError):
    """Rules of devfix itself that cannot be loaded together; the message names them."""


class Rule(Protocol):
    """What the tool needs to know of a rule; see ``devfix.rules.Rule``."""

    code: str
    name: str
    applicability: Applicability

    def check(self, facts: Any) -> Iterator[Finding]:
        """The faults that ``facts`` show."""
        ...


@dataclass(frozen=True, slots=True)
class PackFault:
    """What of an installed pack of rules cannot be used, and why; the rest of the run goes on without it."""

    pack: str
    reason: str

    def __str__(self) -> str:
        return f"rule pack {self.pack}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Loaded:
    """The rules that can be used, by code, and what of the installed packs cannot."""

    rules: tuple[Rule, ...]
    faults: tuple[PackFault, ...] = ()


def load() -> Loaded:
    """Every installed rule; what is wrong with a pack costs the rules it is wrong with, and no others."""
    base = importlib.import_module("devfix.rules").Rule
    shelf = _Shelf(base, instantiate(submodules(importlib.import_module(BUILT_IN)), base))
    found = metadata.entry_points(group=ENTRY_POINTS)
    for entry_point in sorted(found, key=lambda entry: (entry.name, entry.value)):
        shelf.add(entry_point)
    return Loaded(tuple(sorted(shelf.rules, key=lambda rule: rule.code)), tuple(shelf.faults))


def load_rules() -> list[Rule]:
    """Every installed rule that can be used, by code."""
    return list(load().rules)


class _Shelf:
    """The rules so far; packs are added one by one."""

    def __init__(self, base: type, rules: Iterable[Rule]) -> None:
        self.base = base
        self.rules = list(rules)
        self.faults: list[PackFault] = []

    def add(self, entry_point: metadata.EntryPoint) -> None:
        """Add the rules of a pack, each unless something is wrong with it."""
        pack = _pack_name(entry_point)
        try:
            package = entry_point.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever somebody else's module raises
            self._refuse(pack, f"cannot be imported: {_told(error)}")
            return
        if not isinstance(package, ModuleType):
            self._refuse(pack, f"`{entry_point.value}` is not a module")
            return
        for module in self._modules(pack, package):
            for cls in _defined_in(module, self.base):
                self._put(pack, cls)

    def _modules(self, pack: str, package: ModuleType) -> Iterator[ModuleType]:
        yield package
        for name in _names_of_submodules(package):
            try:
                yield importlib.import_module(name)
            except (Exception, SystemExit) as error:  # noqa: BLE001, PERF203 - as in `add`
                self._refuse(pack, f"{name} cannot be imported: {_told(error)}")

    def _put(self, pack: str, cls: type) -> None:
        place = f"{cls.__module__}.{cls.__qualname__}"
        reason = _flaw(cls, self.base)
        if reason is None:
            try:
                rule = cls()
            except Exception as error:  # noqa: BLE001 - as in `add`
                reason = f"cannot be made: {_told(error)}"
        if reason is None:
            reason = self._clash(rule)
        if reason is not None:
            self._refuse(pack, f"{place} {reason}")
        elif type(rule) not in map(type, self.rules):
            self.rules.append(rule)

    def _clash(self, rule: Rule) -> str | None:
        for attribute in ("code", "name"):
            value = getattr(rule, attribute)
            for other in self.rules:
                if getattr(other, attribute) == value and type(other) is not type(rule):
                    return f"has the same {attribute} `{value}` as {_place(other)}"
        return None

    def _refuse(self, pack: str, reason: str) -> None:
        self.faults.append(PackFault(pack, reason))


def _pack_name(entry_point: metadata.EntryPoint) -> str:
    """The name of a pack and, where they are known, its distribution and version."""
    distribution = entry_point.dist
    if distribution is None:
        return f"`{entry_point.name}`"
    return f"`{entry_point.name}` ({distribution.name} {distribution.version})"


def _told(error: BaseException) -> str:
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _flaw(cls: type, base: type) -> str | None:
    """What a rule of a pack says wrong of itself."""
    code, name = getattr(cls, "code", None), getattr(cls, "name", None)
    if not (isinstance(code, str) and CODE.fullmatch(code)):
        return f"needs a `code` of two to eight capitals and a number, such as `ACME101`, not {code!r}"
    if RESERVED.match(code):
        return f"has the code `{code}`; those that begin with DF are devfix's own"
    if not (isinstance(name, str) and NAME.fullmatch(name)):
        return f"needs a `name` of small letters with hyphens, such as `model-not-moved`, not {name!r}"
    if not isinstance(getattr(cls, "applicability", None), Applicability):
        return "needs an `applicability` that is an Applicability"
    if not (cls.__doc__ or "").strip():
        return "needs a docstring: it is the page that `devfix explain` shows"
    return "has no method `check`" if getattr(cls, "check", None) is getattr(base, "check", None) else None


def submodules(package: ModuleType) -> Iterator[ModuleType]:
    """A package and the modules directly in it, in order of name."""
    yield package
    for name in _names_of_submodules(package):
        yield importlib.import_module(name)


def _names_of_submodules(package: ModuleType) -> list[str]:
    found = pkgutil.iter_modules(getattr(package, "__path__", ()))
    return sorted(f"{package.__name__}.{info.name}" for info in found)


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


def since(rule: Rule) -> str | None:
    """The version of devfix that a rule came with; None for a rule of another pack that does not say."""
    told: str | None = getattr(rule, "since", None)
    own = type(rule).__module__.partition(".")[0] in (BUILT_IN, __package__)
    return told or (_FIRST_RELEASE if own else None)


def family(code: str) -> str | None:
    """What the rules have in common whose codes begin like this one; None for those of other packs."""
    return _FAMILIES.get(code[:3])
