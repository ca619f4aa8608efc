"""Severity: how bad a finding is, for formats that tell degrees."""

from __future__ import annotations

import enum

from devfix.findings import Applicability, Finding
from devfix.report.view import View

#: Families of what costs time or is untidy, and stops no program.
_HARMLESS = ("DF7", "DF9")


class Severity(enum.Enum):
    """How bad it is; each format has words of its own for these."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


def severity_of_rule(code: str, applicability: Applicability) -> Severity:
    """How bad what a rule finds is: most of it ends a program on an accelerator."""
    if applicability == Applicability.DISPLAY:
        return Severity.NOTE
    return Severity.WARNING if code.startswith(_HARMLESS) else Severity.ERROR


def severity_of(finding: Finding, view: View) -> Severity:
    """How bad a finding is, as its rule is."""
    trust = next((rule.applicability for rule in view.rules if rule.code == finding.code), Applicability.SAFE)
    return severity_of_rule(finding.code, trust)
