"""Fingerprint: what a finding is known by from run to run, though lines move."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

from devfix.findings import Finding
from devfix.report.locations import Root
from devfix.report.results import Results


def fingerprints(findings: Iterable[Finding], results: Results, root: Root) -> Iterator[str]:
    """A fingerprint for each finding, no two of them the same: the rule, the file, the message and the code.

    Findings that agree in all of these are told apart by their order.
    """
    seen: Counter[str] = Counter()
    for finding in findings:
        source = results.source(finding.path)
        code = "" if source is None else " ".join(source.segment(finding.span).split())
        parts = (root.path(finding.path), finding.code, finding.message, code)
        key = "\0".join(parts)
        seen[key] += 1
        told = f"{key}\0{seen[key]}".encode(errors="surrogateescape")
        yield hashlib.sha256(told).hexdigest()[:32]
