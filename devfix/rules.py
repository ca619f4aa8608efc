"""Rules: the base class, and every name that a codemod may import.

A rule is one small class in one file. It looks at :class:`Facts` and yields findings; it does no
analysis of its own, keeps no state, prints nothing and catches nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import ClassVar

from devfix.analysis.record.facts import Facts
from devfix.findings import (
    AddImport,
    Applicability,
    BindResult,
    DeleteStatement,
    DropCall,
    FileEdit,
    Finding,
    Fix,
    InsertAfter,
    InsertAfterImports,
    InsertAtBodyStart,
    InsertBefore,
    Mismatch,
    MoveStatement,
    Note,
    Operand,
    Origin,
    RemoveKeyword,
    ReplaceExpression,
    SetKeyword,
    Span,
    WrapExpression,
)
from devfix.origin_kinds import DISCARDED
from devfix.placement.adopting.adoption import edits as adoption_edits
from devfix.placement.batches.handed_back import left_on_host
from devfix.placement.batches.start_method import spawned
from devfix.placement.batches.unloading import Unloading
from devfix.placement.blaming.causes import (
    cause,
    misplaced,
    module_life,
    registered_late,
    sites_of,
    spoken_name,
    unregistered,
)
from devfix.placement.blaming.coming_along import comes_along
from devfix.placement.blaming.faults import Fault, merged
from devfix.placement.blaming.wording import (
    device_name,
    focus,
    life,
    named,
    operand_marks,
    others,
    owned,
    spoken,
)
from devfix.placement.devices import device_expression
from devfix.placement.devices.accelerators_apart import are_apart, brought_together
from devfix.placement.devices.device_expression import DeviceExpression, Place
from devfix.placement.devices.device_literal import literal_fix, literal_places
from devfix.placement.devices.guarded_choice import with_doubt
from devfix.placement.devices.hard_coded import one_variable as one_device_variable
from devfix.placement.devices.hard_coded import spots as hard_coded_spots
from devfix.placement.devices.option_default import option_fix
from devfix.placement.devices.other_accelerator import same_accelerator
from devfix.placement.dtypes.behind_autocast import moved_behind_autocast
from devfix.placement.dtypes.cast_first import cast_before_move
from devfix.placement.dtypes.cast_together import cast_together
from devfix.placement.dtypes.casting import Recaster, with_targets
from devfix.placement.dtypes.lookups import is_index
from devfix.placement.dtypes.number_limit import limit_fixes
from devfix.placement.modules.early_copy import copied_after_move
from devfix.placement.modules.module_container import container_fix, container_site, parts_fix
from devfix.placement.modules.module_move import ModuleMover
from devfix.placement.modules.registration import buffer_fix, plain_attributes
from devfix.placement.modules.reordering import Reordering
from devfix.placement.moves import legacy
from devfix.placement.moves.discarded_move import binding_fix
from devfix.placement.moves.drawing import Drawing
from devfix.placement.moves.leafhood import Leafhood
from devfix.placement.moves.map_location import MapLocation
from devfix.placement.moves.parameter_data import given_average
from devfix.placement.moves.relocation import Relocator
from devfix.placement.moves.tokenized import Tokenized
from devfix.placement.siblings.twin_result import moved_like_twin
from devfix.placement.to_host.host import copied_to_host

__all__ = [
    "DISCARDED",
    "AddImport",
    "Applicability",
    "BindResult",
    "DeleteStatement",
    "DeviceExpression",
    "Drawing",
    "DropCall",
    "Facts",
    "Fault",
    "FileEdit",
    "Finding",
    "Fix",
    "InsertAfter",
    "InsertAfterImports",
    "InsertAtBodyStart",
    "InsertBefore",
    "Leafhood",
    "MapLocation",
    "Mismatch",
    "ModuleMover",
    "MoveStatement",
    "Note",
    "Operand",
    "Origin",
    "Place",
    "Recaster",
    "Relocator",
    "RemoveKeyword",
    "Reordering",
    "ReplaceExpression",
    "Rule",
    "SetKeyword",
    "Span",
    "Tokenized",
    "Unloading",
    "WrapExpression",
    "adoption_edits",
    "are_apart",
    "ast",
    "binding_fix",
    "brought_together",
    "buffer_fix",
    "cast_before_move",
    "cast_together",
    "cause",
    "comes_along",
    "container_fix",
    "container_site",
    "copied_after_move",
    "copied_to_host",
    "device_expression",
    "device_name",
    "given_average",
    "hard_coded_spots",
    "is_index",
    "left_on_host",
    "legacy",
    "life",
    "limit_fixes",
    "literal_fix",
    "literal_places",
    "misplaced",
    "module_life",
    "moved_behind_autocast",
    "moved_like_twin",
    "named",
    "one_device_variable",
    "operand_marks",
    "option_fix",
    "others",
    "owned",
    "parts_fix",
    "plain_attributes",
    "registered_late",
    "same_accelerator",
    "sites_of",
    "spawned",
    "spoken",
    "spoken_name",
    "unregistered",
    "with_doubt",
    "with_targets",
]


class Rule:
    """One thing that goes wrong, how to say it and how to put it right.

    ``code`` is never reused, ``name`` states the bad pattern and is the name of the file, and the
    docstring explains it with an example under ``Before::`` and ``After::``.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    applicability: ClassVar[Applicability] = Applicability.SAFE

    def check(self, facts: Facts) -> Iterator[Finding]:
        """The faults that the facts show; raises NotImplementedError unless the rule says what it looks for."""
        raise NotImplementedError

    def caused(self, facts: Facts) -> Iterator[Mismatch]:
        """The mismatches whose cause is the one this rule is named after."""
        for mismatch in facts.mismatches():
            if cause(mismatch) == self.name:
                yield mismatch

    def merged(self, faults: Iterable[Fault]) -> Iterator[Finding]:
        """The findings that faults amount to: one for each cause, and one for each place."""
        return merged(faults, self.code, self.name)

    def finding(
        self,
        mismatch: Mismatch,
        message: str,
        fixes: list[Fix] | tuple[Fix, ...] = (),
        *,
        at: Origin | None = None,
    ) -> Finding:
        """A finding about a mismatch, at its sink or (``at``) where it comes from."""
        path, span = (at.path, at.span) if at is not None else (mismatch.path, mismatch.sink)
        return Finding(
            path,
            span,
            self.code,
            self.name,
            message,
            notes=life(mismatch),
            marks=operand_marks(mismatch),
            fix=fixes[0] if fixes else None,
            alternatives=tuple(fixes[1:]),
            focus=focus(mismatch, path, span),
        )
