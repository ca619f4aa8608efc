"""The clients of the language server's tests, as fixtures: one server of each kind for a module."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from lsp_editor import Editor, editor, neovim, vscode


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def code() -> AsyncIterator[Editor]:
    async with editor(vscode()) as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def vim() -> AsyncIterator[Editor]:
    async with editor(neovim(), options={"inlayHints": True}) as made:
        yield made


@pytest.fixture(params=["code", "vim"])
def either(request: pytest.FixtureRequest) -> Editor:
    made: Editor = request.getfixturevalue(request.param)
    return made
