"""RuleCommand: one rule as a LibCST codemod."""

from __future__ import annotations

import argparse
from abc import abstractmethod

from libcst import Module, parse_module
from libcst.codemod import CodemodCommand, CodemodContext

from devfix.api import Settings, apply_source
from devfix.config import DEVICE_POLICIES
from devfix.findings import Finding
from devfix.registry import Rule
from devfix.selection import ADOPTING_RULE


class RuleCommand(CodemodCommand):
    """Applies the fixes of one rule to a module; what it finds and does not fix is a warning.

    The module is analysed with the files that it imports, and only the module is changed. Raises SourceError
    where the rule fails on it.
    """

    def __init__(self, context: CodemodContext, *, unsafe: bool = False, device_policy: str = "cuda") -> None:
        super().__init__(context)
        self.unsafe = unsafe
        self.device_policy = device_policy

    @property
    @abstractmethod
    def rule(self) -> Rule:
        """The rule whose fixes are applied."""

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """The options that ``libcst.tool codemod`` shows for the command."""
        arg_parser.add_argument("--unsafe", action="store_true", help="Apply unsafe fixes too.")
        arg_parser.add_argument(
            "--device-policy",
            choices=DEVICE_POLICIES,
            default="cuda",
            help="How a device that a program does not choose itself is written.",
        )

    def transform_module_impl(self, tree: Module) -> Module:
        """The module with the fixes of the rule."""
        code = self.rule.code
        settings = Settings(select=(code,), device_policy=self.device_policy, adopt=code == ADOPTING_RULE)
        result = apply_source(
            tree.code, path=self.context.filename or "source.py", settings=settings, unsafe=self.unsafe
        )
        for finding in result.findings:
            self.warn(_told(finding))
        if result.text is None or not result.changed:
            return tree
        return parse_module(result.text, config=tree.config_for_parsing)


def _told(finding: Finding) -> str:
    return f"{finding.path}:{finding.span.line}: {finding.code} {finding.rule} {finding.message}"
