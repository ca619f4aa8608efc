"""Units: what is recalled of a program is what would be found in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

import pytest
from edited_packages import Packages

from devfix.analysis import Facts, analyse
from devfix.analysis.entries import run_program
from devfix.analysis.record.recorder import Recorder
from devfix.analysis.reuse.ledger import BLOCK, Ledger
from devfix.analysis.reuse.recalled_calls import place_of_call
from devfix.analysis.reuse.units import Keeper
from devfix.cache.units import data_of, kept_from
from devfix.config import Settings
from devfix.engine import Engine
from devfix.late_bodies import places_of
from devfix.project import Program, Project
from devfix.registry import load
from devfix.source import Source

ENGINE = Engine(load().rules, Settings())


def program_of(texts: Mapping[str, str]) -> Program:
    """All texts as one program."""
    sources = [Source(path, text) for path, text in texts.items()]
    roots = sorted({PurePosixPath(path).parts[0] for path in texts} | {""})
    return Project(sources, roots=roots).whole()


def told(facts: Facts) -> tuple[Any, ...]:
    """All that the rules may ask of the facts, in order."""
    recorder = facts._recorder
    return (
        facts.mismatches(), list(recorder.mismatches.items()), list(recorder.bindings.items()), recorder.accelerated,
        recorder.models, recorder.parameters, recorder.conditional, recorder.remarked, sorted(facts.idle_moves()),
        recorder.whole_models, recorder.strange_files, recorder.converted, recorder.confined, things_of(facts),
        facts.unfinished(), set(map(place_of_call, facts._optional)),
    )  # fmt: skip


def things_of(facts: Facts) -> set[object]:
    """The expressions that make no modules, by their places."""
    found = {(path, facts.source(path).span(node)) for node, path in facts._recorder.things.items() if path}
    return found | facts._recorder.recalled.things


def through_data(keeper: Keeper) -> Keeper:
    """A keeper of the next run, with what this one leaves to it."""
    return Keeper(kept_from(json.loads(json.dumps(data_of(keeper.kept())))))


def compare(texts: Mapping[str, str], keeper: Keeper) -> tuple[Keeper, int]:
    """Check that a keeper changes nothing; the keeper of the next run, and how much was recalled."""
    fresh = analyse(program_of(texts))
    assert told(analyse(program_of(texts), keeper)) == told(fresh)
    return through_data(keeper), keeper.saved


def with_late_bodies(program: Program) -> Program:
    """The same program, of which functions are parsed when they are asked for."""
    sources = {path: Source(path, source.text) for path, source in program.sources.items()}
    for path, source in program.sources.items():
        sources[path].late_bodies = places_of(source.tree, source.lines)
    return program.with_sources(sources)


def ledger_of(texts: Mapping[str, str], keeper: Keeper) -> Ledger:
    """What was taken of the accounts in each block of files, by the end of an analysis."""
    library = run_program(program_of(texts), Recorder(), keeper=keeper)
    library.begin_anew()
    return library.ledger


def check_edits(seed: int, edits: int) -> int:
    """Edit a package again and again, and check each time; how many statements were not interpreted."""
    packages = Packages(seed)
    texts = packages.package()
    keeper, saved = compare(texts, Keeper())[0], 0
    for _ in range(edits):
        texts = packages.edited(texts)
        keeper, recalled = compare(texts, keeper)
        saved += recalled
    return saved


@pytest.mark.parametrize("seed", range(6))
def test_recalled_is_as_found(seed: int) -> None:
    assert check_edits(seed, 12) > 0


@pytest.mark.parametrize("seed", range(6))
def test_bodies_that_are_parsed_late_come_to_the_same(seed: int) -> None:
    program = program_of(Packages(seed).package())
    assert told(analyse(with_late_bodies(program))) == told(analyse(program))


def test_folders_that_are_no_packages_are_asked_for() -> None:
    use = "import torch\nimport pack.low.made\n\ndef f():\n    return torch.ones(3, device='cuda') + pack.low.made.x\n"
    texts = {
        "main.py": "import pack.use\n",
        "pack/use.py": use,
        "pack/low/made.py": "import torch\nx = torch.ones(3)\n",
    }
    keeper, _ = compare(texts, Keeper())
    keeper, saved = compare(texts, keeper)
    assert saved > 0
    moved = {**texts, "pack/made.py": texts["pack/low/made.py"]}
    keeper, _ = compare({path: text for path, text in moved.items() if "low" not in path}, keeper)
    compare(texts, keeper)


def test_what_files_hold_is_asked_for() -> None:
    kept = "import torch\n\ndef keep():\n    torch.save(torch.ones(3, device='cuda'), 'kept.pt')\n"
    found = "import torch\n\ndef find():\n    return torch.zeros(3, device='cuda') + torch.load('kept.pt')\n"
    texts = {
        "main.py": "import torch, pack.first, pack.found\nx = torch.ones(3).cuda()\n",
        "pack/first.py": kept,
        "pack/found.py": found,
    }
    keeper, _ = compare(texts, Keeper())
    keeper, saved = compare(texts, keeper)
    assert saved > 0  # what reads a file is recalled, though what writes it is run again
    moved = {**texts, "pack/first.py": kept.replace("'cuda'", "'cpu'")}
    assert told(analyse(program_of(moved))) != told(analyse(program_of(texts)))
    keeper, _ = compare(moved, keeper)
    keeper, _ = compare({path: text for path, text in texts.items() if "first" not in path}, keeper)
    compare(texts, keeper)


def test_a_look_at_a_whole_file_is_asked_for() -> None:
    kept = "import numpy as np\n\ndef keep():\n    np.save('kept.npy', np.zeros(3))\n"
    found = (
        "import numpy as np\nimport torch\n\ndef find():\n"
        "    return torch.zeros(3, dtype=torch.float32) @ torch.from_numpy(np.load('kept.npy'))\n"
    )
    texts = {"main.py": "import pack.first, pack.found\n", "pack/first.py": kept, "pack/found.py": found}
    keeper, _ = compare(texts, Keeper())
    assert told(analyse(program_of(texts)))[0], "a sum of two dtypes"
    moved = {**texts, "pack/found.py": f"{found}\nos.chdir('elsewhere')\n"}
    assert not told(analyse(program_of(moved)))[0], "which file is read is not known"
    keeper, _ = compare(moved, keeper)
    compare(texts, keeper)


def test_what_a_function_does_not_use_may_change() -> None:
    use = "import torch\nWIDTH = 3\n\ndef f(x):\n    return torch.ones(WIDTH) + x.cuda()\n"
    texts = {"main.py": "import pack.use\n", "pack/use.py": use}
    keeper, _ = compare(texts, Keeper())
    keeper, saved = compare({**texts, "pack/use.py": f"{use}\nNAMES = ['a']\n"}, keeper)
    assert saved > 0
    _, saved = compare({**texts, "pack/use.py": use.replace("= 3", "= ()")}, keeper)
    assert saved == 0


def test_what_is_recalled_was_taken_in_its_own_block() -> None:
    use = "from pack.shared import work\n\ndef f(x):\n    return work(x, {0})\n"
    shared = "import torch\n\ndef work(x, times):\n    y = x + times\n    return y.sqrt()\n"
    names = [f"use{number}" for number in range(2 * BLOCK)]
    texts = {f"pack/{name}.py": use.format(number) for number, name in enumerate(names)}
    texts |= {"pack/shared.py": shared, "main.py": f"from pack import {', '.join(names)}\n"}
    keeper = Keeper()
    found = ledger_of(texts, keeper)
    assert max(found.recent) > 0
    assert ledger_of(texts, through_data(keeper)) == found
