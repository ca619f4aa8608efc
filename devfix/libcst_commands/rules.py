"""A command for each installed rule, named after its class: ``rules.OperandNotMoved``.

The classes are made from the registry, those of packs too; they are names of this module, so that LibCST's
worker processes find them.
"""

from __future__ import annotations

from devfix.libcst_commands.command import RuleCommand
from devfix.registry import Rule, load_rules, summary


def _command(rule: Rule, name: str) -> type[RuleCommand]:
    description = f"{rule.code} {rule.name}: {summary(rule)}"
    members = {
        "__module__": __name__,
        "__doc__": f"Applies the fixes of {rule.code} {rule.name}.",
        "DESCRIPTION": description,
        "rule": rule,
    }
    return type(name, (RuleCommand,), members)


def _commands() -> dict[str, type[RuleCommand]]:
    found: dict[str, type[RuleCommand]] = {}
    for rule in load_rules():
        name = type(rule).__name__
        # Two packs may well have classes of one name.
        name = f"{name}{rule.code}" if name in found else name
        found[name] = _command(rule, name)
    return found


_all = _commands()
globals().update(_all)
__all__ = sorted(_all)  # noqa: PLE0605 - what there is depends on what is installed
