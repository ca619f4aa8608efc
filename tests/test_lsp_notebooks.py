"""Notebooks that an editor has open cell by cell: their cells are one program for the language server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lsp_editor import Editor, position_of
from lsprotocol import types
from notebook_texts import document

pytest_plugins = ["lsp_clients"]
pytestmark = pytest.mark.asyncio(loop_scope="module")

CELLS = [
    "%matplotlib inline\nimport torch\nfrom torch import nn",
    "model = nn.Linear(4, 2).cuda()\nweights = torch.ones(2)",
    "!nvidia-smi\nprint('🚀', (model(torch.ones(3, 4).cuda()) * weights).sum())",
]


class OpenCells:
    """A notebook in an editor."""

    def __init__(self, editor: Editor, path: Path | str) -> None:
        self.editor = editor
        self.uri = path if isinstance(path, str) else path.as_uri()
        self.version = 1
        self.cells = [f"vscode-notebook-cell:{path}#W{number}" for number in range(len(CELLS))]
        for uri, text in zip(self.cells, CELLS, strict=True):
            editor.texts[uri], editor.versions[uri] = text, 1
        listed = [types.NotebookCell(types.NotebookCellKind.Code, uri) for uri in self.cells]
        document = types.NotebookDocument(self.uri, "jupyter-notebook", 1, listed)
        editor.client.notebook_document_did_open(
            types.DidOpenNotebookDocumentParams(document, [self._item(uri) for uri in self.cells])
        )

    def _item(self, uri: str) -> types.TextDocumentItem:
        return types.TextDocumentItem(uri, "python", self.editor.versions[uri], self.editor.texts[uri])

    def _changed(self, cells: types.NotebookDocumentCellChanges) -> None:
        self.version += 1
        identifier = types.VersionedNotebookDocumentIdentifier(self.version, self.uri)
        event = types.NotebookDocumentChangeEvent(cells=cells)
        self.editor.client.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(identifier, event)
        )

    def replace(self, number: int, old: str, new: str) -> None:
        """Type in a cell."""
        uri = self.cells[number]
        text = self.editor.texts[uri]
        start = text.index(old)
        places = [position_of(text, at, self.editor.encoding) for at in (start, start + len(old))]
        self.editor.texts[uri] = text[:start] + new + text[start + len(old) :]
        self.editor.versions[uri] += 1
        identifier = types.VersionedTextDocumentIdentifier(self.editor.versions[uri], uri)
        part = types.TextDocumentContentChangePartial(types.Range(*places), new)
        content = types.NotebookDocumentCellContentChanges(identifier, [part])
        self._changed(types.NotebookDocumentCellChanges(text_content=[content]))

    def delete(self, number: int) -> None:
        """Take a cell away."""
        uri = self.cells.pop(number)
        self.editor.texts.pop(uri)
        array = types.NotebookCellArrayChange(number, 1, [])
        closed = [types.TextDocumentIdentifier(uri)]
        structure = types.NotebookDocumentCellChangeStructure(array, [], closed)
        self._changed(types.NotebookDocumentCellChanges(structure=structure))

    def close(self) -> None:
        cells = [types.TextDocumentIdentifier(uri) for uri in self.cells]
        identifier = types.NotebookDocumentIdentifier(self.uri)
        self.editor.client.notebook_document_did_close(
            types.DidCloseNotebookDocumentParams(identifier, cells)
        )
        for uri in self.cells:
            self.editor.texts.pop(uri)


async def test_findings_are_shown_in_their_cells(code: Editor, tmp_path: Path) -> None:
    book = OpenCells(code, tmp_path / "train.ipynb")
    first, second, third = book.cells
    assert await code.codes(first) == []
    (shown,) = await code.diagnostics(third)
    assert (shown.code, shown.range.start) == ("DF102", types.Position(1, 46))
    made = [each for each in shown.related_information or () if "made here" in each.message]
    assert [each.location.uri for each in made] == [second]
    assert await code.in_step()
    book.replace(1, "torch.ones(2)", "torch.ones(2).cuda()")
    assert await code.codes(third) == []
    book.replace(1, "torch.ones(2).cuda()", "torch.ones(2)")
    await code.becomes(third, ["DF102"])
    book.delete(1)
    assert await code.codes(third) == []
    assert await code.in_step()
    book.close()


async def test_a_fix_is_made_in_the_cell_it_is_for(code: Editor, tmp_path: Path) -> None:
    book = OpenCells(code, tmp_path / "train.ipynb")
    third = book.cells[2]
    action = await code.action(third, "Move `weights`")
    resolved = await code.client.code_action_resolve_async(action)
    assert resolved.edit is not None
    (change,) = resolved.edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    assert (change.text_document.uri, change.text_document.version) == (book.cells[1], 1)
    (edit,) = change.edits
    assert isinstance(edit, types.TextEdit)
    assert (edit.range.start, edit.new_text) == (
        types.Position(1, 22),
        ", device=next(model.parameters()).device",
    )
    ignored = await code.client.code_action_resolve_async(await code.action(third, "Ignore DF102"))
    assert ignored.edit is not None
    (change,) = ignored.edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.uri == third
    book.replace(0, "import torch", "import torch, os")
    assert await code.codes(third) == ["DF102"]
    with pytest.raises(Exception, match="changed"):
        await code.client.code_action_resolve_async(action)
    book.close()


async def test_hovering_in_a_cell_tells_devices(code: Editor, tmp_path: Path) -> None:
    book = OpenCells(code, tmp_path / "train.ipynb")
    place = types.Position(1, CELLS[2].splitlines()[1].index("model") + 1)
    params = types.HoverParams(types.TextDocumentIdentifier(book.cells[2]), place)
    hover = await code.client.text_document_hover_async(params)
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert hover.contents.value.startswith("module `Linear` on `cuda`")
    book.close()


async def test_a_run_shows_its_mismatches_in_cells(code: Editor, tmp_path: Path) -> None:
    path = tmp_path / "train.ipynb"
    # A cell in another language is in the file and not among those of the client.
    saved = document([CELLS[0], "SELECT 1", *CELLS[1:]])
    saved["cells"][2]["metadata"]["vscode"] = {"languageId": "sql"}
    path.write_text(json.dumps(saved))
    book = OpenCells(code, path)
    third = book.cells[2]
    assert await code.codes(third) == ["DF102"]
    assert await code.command("devfix.run", book.uri) == {"exitCode": 1, "mismatches": 1}
    (observed,) = [each for each in await code.diagnostics(third) if each.source == "devfix run"]
    assert observed.message.startswith("`weights` (float32 on cpu) meets ")
    assert observed.range.start.line == 1
    made = (observed.related_information or ())[0]
    assert (made.location.uri, made.location.range.start.line) == (book.cells[1], 1)
    book.replace(2, "'🚀', ", "")
    assert await code.codes(third) == ["DF102"]
    book.close()


async def test_a_notebook_that_was_never_saved_is_looked_at(code: Editor) -> None:
    book = OpenCells(code, "untitled:Untitled-1.ipynb?jupyter-notebook")
    third = book.cells[2]
    assert await code.codes(third) == ["DF102"]
    resolved = await code.client.code_action_resolve_async(await code.action(third, "Move `weights`"))
    assert resolved.edit is not None
    (change,) = resolved.edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.uri == book.cells[1]
    book.close()


async def test_a_notebook_that_was_never_saved_lies_in_the_workspace(code: Editor, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.devfix]\nignore = ["DF102"]\n')
    book = OpenCells(code, "untitled:Untitled-2.ipynb?jupyter-notebook")
    third = book.cells[2]
    assert await code.codes(third) == ["DF102"]
    code.folders(added=[tmp_path])
    await code.becomes(third, [])
    assert await code.in_step()
    code.folders(removed=[tmp_path])
    await code.becomes(third, ["DF102"])
    book.close()
