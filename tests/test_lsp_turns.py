"""Whose turn it is in the language server: what somebody asks about now comes before what takes long elsewhere."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsp_editor import Editor
from lsp_programs import BROKEN, FIXED
from lsprotocol import types

from devfix.lsp import spent_memory
from devfix.lsp.spent_memory import SpentMemory

pytest_plugins = ["lsp_clients"]

#: Many steps for the analysis, each of which follows from the one before.
STEP = """
def step_{0}(values, mask=None):
    for part in range(3):
        values = values + part if mask is None else values * mask
    return step_{1}(values.relu()).sum() + torch.ones(3).sum()
"""
LARGE = "import torch\n\n\ndef step_0(values):\n    return values\n" + "\n".join(
    STEP.format(number, number - 1) for number in range(1, 800)
)


def is_known(editor: Editor, uri: str) -> bool:
    """Whether diagnostics of the newest text have come."""
    return uri in editor.published and editor.published[uri].version == editor.versions[uri]


async def begun(editor: Editor, folder: Path) -> str:
    """A large file of which the analysis has begun and not ended."""
    large = editor.open(folder / "large.py", LARGE)
    await asyncio.sleep(0.3)
    return large


async def hovered(editor: Editor, uri: str, line: int) -> types.Hover | None:
    params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, 1))
    return await editor.client.text_document_hover_async(params)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_change_elsewhere_comes_before_a_large_file(vim: Editor, tmp_path: Path) -> None:
    small = vim.open(tmp_path / "small.py", FIXED)
    assert await vim.codes(small) == []
    large = await begun(vim, tmp_path)
    vim.change(small, 0, len(FIXED), BROKEN)
    assert await vim.codes(small) == ["DF102"]
    assert not is_known(vim, large)
    # What was put off is done afterwards.
    await vim.until(lambda: is_known(vim, large))
    vim.close(large)
    vim.close(small)


@pytest.mark.asyncio(loop_scope="module")
async def test_hovering_and_fixing_elsewhere_come_before_a_large_file(vim: Editor, tmp_path: Path) -> None:
    small = vim.open(tmp_path / "small.py", BROKEN)
    assert await vim.codes(small) == ["DF102"]
    large = await begun(vim, tmp_path)
    slow = asyncio.ensure_future(hovered(vim, large, 5))
    await asyncio.sleep(0)  # its request is sent before the next one
    assert await hovered(vim, small, 4) is not None
    await vim.choose((await vim.actions(small))[0])
    assert vim.texts[small] == FIXED
    assert not is_known(vim, large)
    assert not slow.done()
    await slow
    await vim.until(lambda: is_known(vim, large))
    vim.close(large)
    vim.close(small)


class Circle:
    """An object that nothing but a look through memory frees."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[SpentMemory]:
    monkeypatch.setattr(spent_memory, "_FEW", 1_000)
    monkeypatch.setattr(spent_memory, "_MANY", 100_000)
    try:
        yield SpentMemory()
    finally:
        gc.unfreeze()
        gc.enable()


def test_memory_is_looked_through_where_there_is_much_to_find(memory: SpentMemory) -> None:
    gone = weakref.ref(Circle())
    assert not memory.free(waited_for=False)
    assert gone() is not None
    kept = [Circle() for _ in range(2_000)]
    assert not memory.free(waited_for=True)
    assert memory.free(waited_for=False)
    assert gone() is None
    assert not memory.free(waited_for=False)
    kept += [Circle() for _ in range(100_000)]
    assert memory.free(waited_for=True)
    # The more there is, the longer a look takes, and the more must have come.
    kept += [Circle() for _ in range(2_000)]
    assert not memory.free(waited_for=False)


def test_what_takes_the_place_of_what_went_is_not_counted_as_more(memory: SpentMemory) -> None:
    kept: list[list[int]] = []
    for _ in range(10):
        kept.clear()
        kept += [[] for _ in range(5_000)]
        gone = weakref.ref(Circle())
        assert memory.free(waited_for=False)
        assert gone() is None
