"""Selection: which rules run, and where."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from devfix.config import ConfigError, Settings
from devfix.discovery import matches_glob
from devfix.registry import Rule

#: Selects every rule, also those that are off by default.
ALL = "ALL"
#: Families that cost time or need judgement: off unless selected.
_OFF_BY_DEFAULT = ("DF7",)
#: The rule that lets a program choose a device; it runs when the user adopts one.
ADOPTING_RULE = "DF109"


def names_rule(selector: str, code: str, name: str) -> bool:
    """Whether ``selector`` is the rule's code, a prefix of it, its name, or ALL."""
    if selector in (ALL, name):
        return True
    return selector[:2].isupper() and code.startswith(selector)


class Selection:
    """The rules that the settings choose from those there are."""

    def __init__(self, rules: Sequence[Rule], settings: Settings, *, is_complete: bool = True) -> None:
        self.rules = tuple(rules)
        #: Whether every installed rule is there; not where a pack could not be loaded.
        self.is_complete = is_complete
        self.settings = settings
        for selector in self._selectors():
            self._refuse_unknown(selector)
        self.active = tuple(rule for rule in rules if self._is_active(rule))
        self._codes = frozenset(rule.code for rule in self.active)
        self._per_file: dict[str, tuple[str, ...]] = {}

    @property
    def is_default(self) -> bool:
        """Whether all the rules run that would without any settings."""
        return not (self.settings.select or self.settings.ignore or self.settings.per_file_ignores)

    def allows(self, path: str, code: str, name: str) -> bool:
        """Whether the rule may report in the file at ``path``."""
        if code not in self._codes:
            return False
        return not any(names_rule(selector, code, name) for selector in self._ignored_in(path))

    def known(self, selector: str) -> bool:
        """Whether there is a rule that ``selector`` names."""
        return any(names_rule(selector, rule.code, rule.name) for rule in self.rules)

    def judges(self, path: str, selector: str) -> bool:
        """Whether every rule that ``selector`` names runs on the file at ``path``."""
        named = [rule for rule in self.rules if names_rule(selector, rule.code, rule.name)]
        return all(self.allows(path, rule.code, rule.name) for rule in named)

    def _is_active(self, rule: Rule) -> bool:
        if rule.code == ADOPTING_RULE and not self.settings.adopt:
            return False
        if _any_names(self.settings.ignore, rule):
            return False
        if self.settings.select:
            return _any_names(self.settings.select, rule)
        return not rule.code.startswith(_OFF_BY_DEFAULT)

    def _ignored_in(self, path: str) -> tuple[str, ...]:
        if path not in self._per_file:
            self._per_file[path] = tuple(
                selector
                for glob, selectors in self.settings.per_file_ignores
                if matches_glob(path, [glob], self.settings.root)
                for selector in selectors
            )
        return self._per_file[path]

    def _selectors(self) -> Iterable[str]:
        yield from self.settings.select
        yield from self.settings.ignore
        for _, selectors in self.settings.per_file_ignores:
            yield from selectors

    def _refuse_unknown(self, selector: str) -> None:
        if selector == ALL or self.known(selector):
            return
        choices = [word for rule in self.rules for word in (rule.code, rule.name)]
        near = difflib.get_close_matches(selector, choices, n=1)
        hint = f"; did you mean `{near[0]}`?" if near else "; `devfix rules` lists them"
        raise ConfigError(f"no rule is called `{selector}`{hint}")


def _any_names(selectors: Iterable[str], rule: Rule) -> bool:
    return any(names_rule(selector, rule.code, rule.name) for selector in selectors)
