"""Selection: which rules run, and where."""

from __future__ import annotations

import copy
import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from devfix.config import ConfigError, Settings, SettingsOf
from devfix.config.settings import RuleChoice
from devfix.findings import Applicability, Finding, Fix
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


def is_on_by_default(code: str) -> bool:
    """Whether a rule runs that no setting names."""
    return not code.startswith(_OFF_BY_DEFAULT) and code != ADOPTING_RULE


@dataclass(frozen=True)
class _Chosen:
    """What the settings of some files choose."""

    settings: Settings
    codes: frozenset[str]
    fixable: frozenset[str]


class Selection:
    """The rules that the settings choose from those there are, for each file.

    ``of`` tells the settings of a file where they are not ``settings``, those of the run.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        settings: Settings,
        of: SettingsOf | None = None,
        *,
        is_complete: bool = True,
    ) -> None:
        self.rules = tuple(rules)
        #: Whether every installed rule is there; not where a pack could not be loaded.
        self.is_complete = is_complete
        self._of = settings if of is None else of
        self._chosen: dict[Settings, _Chosen] = {}
        self._per_file: dict[str, tuple[str, ...]] = {}
        self._gives_advice = True
        chosen = self._choose(settings)
        self.active = tuple(rule for rule in rules if rule.code in chosen.codes)

    def prepare(self, paths: Iterable[str]) -> None:
        """Look at the settings of some files; raises ConfigError where they name a rule that does not exist."""
        for path in paths:
            self._in(path)

    def active_in(self, paths: Iterable[str]) -> tuple[Rule, ...]:
        """The rules that run in one of some files at least; what they find in others is not allowed there."""
        codes = frozenset[str]().union(*(self._in(path).codes for path in paths))
        return tuple(rule for rule in self.rules if rule.code in codes and self._speaks(rule))

    def without_advice(self) -> Selection:
        """The same without the rules that mend nothing."""
        found = copy.copy(self)
        found._gives_advice = False
        return found

    def _speaks(self, rule: Rule) -> bool:
        return self._gives_advice or rule.applicability > Applicability.DISPLAY

    def is_default(self, path: str) -> bool:
        """Whether all the rules run in a file that would without any settings."""
        settings = self._in(path).settings
        return settings.choices == (RuleChoice(),) and not settings.per_file_ignores

    def allows(self, path: str, code: str, name: str) -> bool:
        """Whether the rule may report in the file at ``path``."""
        if code not in self._in(path).codes:
            return False
        return not any(names_rule(selector, code, name) for selector in self._ignored_in(path))

    def runs(self, path: str, code: str) -> bool:
        """Whether the rule with a code runs on a file."""
        return any(self.allows(path, rule.code, rule.name) for rule in self.rules if rule.code == code)

    def fixes(self, path: str, code: str) -> bool:
        """Whether the fixes of a rule are offered for a file."""
        return code in self._in(path).fixable

    def known(self, selector: str) -> bool:
        """Whether there is a rule that ``selector`` names."""
        return any(names_rule(selector, rule.code, rule.name) for rule in self.rules)

    def judges(self, path: str, selector: str) -> bool:
        """Whether every rule that ``selector`` names runs on the file at ``path``."""
        named = [rule for rule in self.rules if names_rule(selector, rule.code, rule.name)]
        return all(self.allows(path, rule.code, rule.name) for rule in named)

    def adjusted(self, finding: Finding) -> Finding:
        """The finding with its fixes as the settings of its file want them: fewer, or more or less trusted."""
        if finding.fix is None:
            return finding
        chosen = self._in(finding.path)
        if finding.code not in chosen.fixable:
            return replace(finding, fix=None, alternatives=())
        fixes = [_trusted(fix, chosen.settings, finding) for fix in (finding.fix, *finding.alternatives)]
        return replace(finding, fix=fixes[0], alternatives=tuple(fixes[1:]))

    def _in(self, path: str) -> _Chosen:
        return self._choose(self._of.of(path))

    def _choose(self, settings: Settings) -> _Chosen:
        if settings not in self._chosen:
            for selector in _selectors(settings):
                self._refuse_unknown(selector)
            self._chosen[settings] = _Chosen(settings, self._active(settings), self._fixable(settings))
        return self._chosen[settings]

    def _active(self, settings: Settings) -> frozenset[str]:
        usual = (rule.code for rule in self.rules if not is_off_by_default(rule))
        codes = chosen_codes(settings.choices, self.rules, usual)
        return codes if settings.adopt else codes - {ADOPTING_RULE}

    def _fixable(self, settings: Settings) -> frozenset[str]:
        choice = RuleChoice(settings.fixable, settings.extend_fixable, settings.unfixable)
        return chosen_codes((choice,), self.rules, (rule.code for rule in self.rules))

    def _ignored_in(self, path: str) -> tuple[str, ...]:
        if path not in self._per_file:
            self._per_file[path] = tuple(
                selector
                for glob, selectors in self._of.of(path).per_file_ignores
                if glob.matches(path)
                for selector in selectors
            )
        return self._per_file[path]

    def _refuse_unknown(self, selector: str) -> None:
        if selector != ALL and not self.known(selector):
            said = self.of_unknown(selector) or f"no rule is called `{selector}`; `devfix rules` lists them"
            place = self._of.naming(selector)
            raise ConfigError(f"{place}: {said}" if place else said)

    def of_unknown(self, selector: str) -> str:
        """What to say of a selector that names no rule but is close to one; "" for any other."""
        choices = [word for rule in self.rules for word in (rule.code, rule.name)]
        near = [] if self.known(selector) else difflib.get_close_matches(selector, choices, n=1)
        return f"no rule is called `{selector}`; did you mean `{near[0]}`?" if near else ""


def is_off_by_default(rule: Rule) -> bool:
    """Whether a rule runs only where it is selected."""
    return rule.code.startswith(_OFF_BY_DEFAULT)


def chosen_codes(
    choices: Iterable[RuleChoice], rules: Sequence[Rule], usual: Iterable[str]
) -> frozenset[str]:
    """The codes of the rules that are chosen, from the ``usual`` ones on.

    Within a choice the selector that names a rule more exactly wins, and an ignoring one of two that are
    equally exact. A later choice has the last word.
    """
    codes = set(usual)
    for choice in choices:
        if choice.select is not None:
            codes.clear()
        for rule in rules:
            wanted = exactness((choice.select or ()) + choice.extend, rule)
            refused = exactness(choice.ignore, rule)
            if max(wanted, refused) >= 0:
                (codes.add if wanted > refused else codes.discard)(rule.code)
    return frozenset(codes)


def exactness(selectors: Iterable[str], rule: Rule) -> int:
    """How exactly the best of some selectors names a rule: as many letters of its code; -1 where none does."""
    return max(
        (_exactness(each, rule) for each in selectors if names_rule(each, rule.code, rule.name)), default=-1
    )


def _exactness(selector: str, rule: Rule) -> int:
    if selector == ALL:
        return 0
    return len(rule.code if selector == rule.name else selector)


def _trusted(fix: Fix, settings: Settings, finding: Finding) -> Fix:
    """A fix with as much trust as the settings have in it."""
    if fix.applicability == Applicability.DISPLAY:
        return fix
    named = partial(names_rule, code=finding.code, name=finding.rule)
    if any(map(named, settings.extend_unsafe_fixes)):
        return replace(fix, applicability=Applicability.UNSAFE)
    if any(map(named, settings.extend_safe_fixes)):
        return replace(fix, applicability=Applicability.SAFE)
    return fix


def _selectors(settings: Settings) -> Iterable[str]:
    for choice in settings.choices:
        yield from (*(choice.select or ()), *choice.extend, *choice.ignore)
    yield from (*(settings.fixable or ()), *settings.extend_fixable, *settings.unfixable)
    yield from (*settings.extend_safe_fixes, *settings.extend_unsafe_fixes)
    for _, selectors in settings.per_file_ignores:
        yield from selectors
