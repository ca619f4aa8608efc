"""The current accelerator, to which a move without a number goes: the first one, unless somebody chooses another."""

from __future__ import annotations

import ast
import re

from devfix.analysis.record.asked_once import asked_once
from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.placement.text.whole_name import whole_name

#: Its name, as moves say it that name no number, and as mismatches have it where it is the first one.
CURRENT = "cuda"
#: What changes where a move without a number goes: another current accelerator, for a while or with a stream, in a thread of
#: a replica's or in a process of its own, or others in sight.
_RENUMBERED = re.compile(
    r"set_device|visible_devices|cuda\.device|device_index|data_?parallel|parallel_apply|rank|set_stream|\bstream\(",
    re.IGNORECASE,
)
#: Modules whose functions a file may have under other names.
_CHOOSING = ("torch.cuda", "torch.accelerator")


@asked_once
def is_first(facts: Facts) -> bool:
    """Whether a program never says that the current accelerator is another one than the first."""
    return not any(_says_another(facts.outline(path)) for path in facts.program.sources)


def _says_another(outline: Outline) -> bool:
    return bool(_RENUMBERED.search(outline.source.text)) or any(
        _RENUMBERED.search(f"{whole_name(outline, call.func)}(") for call in _renamed_calls(outline)
    )


def _renamed_calls(outline: Outline) -> list[ast.Call]:
    """The calls in a file that has names of its own for what these modules have."""
    if not any(whole.startswith(_CHOOSING) for whole in outline.imported.values()):
        return []
    return [node for node in in_rows(outline.source.tree) if isinstance(node, ast.Call)]
