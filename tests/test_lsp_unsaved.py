"""Texts without a file in an editor: those that were never saved, and those of other kinds that are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsp_editor import Editor
from lsp_programs import BROKEN, FIXED, MODEL, TRAIN, write
from lsprotocol import types

pytest_plugins = ["lsp_clients"]
pytestmark = pytest.mark.asyncio(loop_scope="module")


async def hovered(editor: Editor, uri: str, line: int, character: int) -> str | None:
    place = types.Position(line, character)
    params = types.HoverParams(types.TextDocumentIdentifier(uri), place)
    found = await editor.client.text_document_hover_async(params)
    if found is None or not isinstance(found.contents, types.MarkupContent):
        return None
    return found.contents.value.replace("`", "")


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "untitled:Untitled-2.py", "file://"])
async def test_a_text_that_was_never_saved_is_looked_at(either: Editor, uri: str) -> None:
    either.open_as(uri, BROKEN)
    (shown,) = await either.diagnostics(uri)
    assert shown.code == "DF102"
    assert {each.location.uri for each in shown.related_information or ()} == {uri}
    assert "on cuda" in (await hovered(either, uri, 4, 1) or "")
    await either.choose((await either.actions(uri, shown))[0])
    assert either.texts[uri] == FIXED
    assert await either.codes(uri) == []
    either.close(uri)


async def test_it_can_be_silenced(either: Editor) -> None:
    uri = either.open_as("untitled:Untitled-1", BROKEN)
    await either.diagnostics(uri)
    await either.choose(await either.action(uri, "Ignore DF102"))
    assert await either.codes(uri) == []
    either.close(uri)


async def test_texts_without_files_keep_apart(either: Editor) -> None:
    first = either.open_as("untitled:Untitled-1", BROKEN)
    second = either.open_as("untitled:elsewhere/Untitled-1", FIXED)
    assert await either.codes(first) == ["DF102"]
    assert await either.codes(second) == []
    either.close(first)
    assert await either.codes(second) == []
    either.close(second)


async def test_it_lies_in_the_workspace_and_nothing_is_written(either: Editor, tmp_path: Path) -> None:
    (model,) = write(tmp_path, model=MODEL)
    uri = either.open_as("untitled:Untitled-1", TRAIN)
    defined = either.open(model)
    await either.becomes(defined, [])
    either.folders(added=[tmp_path])
    await either.becomes(defined, ["DF102"])
    either.replace(uri, "torch.ones(3, 4)", "torch.ones(3, 4).cuda()")
    await either.becomes(defined, [])
    either.replace(uri, "net(x)", "net(x) + torch.ones(2)")
    await either.becomes(uri, ["DF102"])
    either.folders(removed=[tmp_path])
    await either.becomes(uri, [])
    either.close(uri)
    either.close(defined)
    assert [each.name for each in tmp_path.iterdir()] == ["model.py"]


async def test_the_settings_of_the_workspace_hold_for_it(either: Editor, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.devfix]\nignore = ["DF102"]\n')
    uri = either.open_as("untitled:Untitled-1", BROKEN)
    assert await either.codes(uri) == ["DF102"]
    either.folders(added=[tmp_path])
    await either.becomes(uri, [])
    either.folders(removed=[tmp_path])
    await either.becomes(uri, ["DF102"])
    either.close(uri)


async def test_what_is_to_be_saved_in_a_folder_lies_there(either: Editor, tmp_path: Path) -> None:
    (model,) = write(tmp_path, model=MODEL)
    defined = either.open(model)
    uri = either.open_as(f"untitled:{tmp_path}/model.py", TRAIN)
    await either.becomes(defined, ["DF102"])
    either.close(uri)
    await either.becomes(defined, [])
    either.close(defined)


async def test_fixing_all_files_leaves_it_alone(code: Editor, tmp_path: Path) -> None:
    write(tmp_path, train=FIXED)
    code.folders(added=[tmp_path])
    uri = code.open_as("untitled:Untitled-1", BROKEN)
    await code.becomes(uri, ["DF102"])
    assert await code.command("devfix.applyAll", tmp_path.as_uri()) == {"applied": False, "files": 0}
    code.close(uri)
    code.folders(removed=[tmp_path])


async def test_what_is_half_typed_in_it_keeps_no_file_from_being_fixed(code: Editor, tmp_path: Path) -> None:
    train, _ = write(tmp_path, train=BROKEN, model=MODEL)
    code.folders(added=[tmp_path])
    uri = code.open_as("untitled:Untitled-1", f"import model\n{BROKEN}")
    await code.becomes(uri, ["DF102"])
    code.change(uri, 0, 0, "(\n")
    edits: list[types.WorkspaceEdit] = []

    def applied(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        edits.append(params.edit)
        return types.ApplyWorkspaceEditResult(True)

    code.client.protocol.fm.features.pop(types.WORKSPACE_APPLY_EDIT, None)
    code.client.feature(types.WORKSPACE_APPLY_EDIT)(applied)
    # Its own URI stands for the folder that it is taken to lie in.
    assert await code.command("devfix.applyAll", uri) == {"applied": True, "files": 1}
    code.apply(edits[0])
    assert train.read_text() == FIXED
    code.close(uri)
    code.folders(removed=[tmp_path])


async def test_what_was_told_before_it_came_to_lie_elsewhere_is_not_told_to_hold(
    code: Editor, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.devfix]\nignore = ["DF102"]\n')
    uri = code.open_as("untitled:Untitled-1", BROKEN)

    async def pulled(known: str | None) -> types.DocumentDiagnosticReport:
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), previous_result_id=known)
        return await code.client.text_document_diagnostic_async(params)

    before = await pulled(None)
    assert isinstance(before, types.RelatedFullDocumentDiagnosticReport)
    assert len(before.items) == 1
    assert isinstance(await pulled(before.result_id), types.RelatedUnchangedDocumentDiagnosticReport)
    code.folders(added=[tmp_path])
    after = await pulled(before.result_id)
    assert isinstance(after, types.RelatedFullDocumentDiagnosticReport)
    assert not after.items
    code.folders(removed=[tmp_path])
    code.close(uri)


async def test_it_is_saved_as_a_file(either: Editor, tmp_path: Path) -> None:
    uri = either.open_as("untitled:Untitled-1", BROKEN)
    assert await either.codes(uri) == ["DF102"]
    (path,) = write(tmp_path, train=BROKEN)
    either.close(uri)
    saved = either.open(path)
    assert await either.codes(saved) == ["DF102"]
    if either.capabilities.diagnostic_provider is None:
        assert not either.published[uri].diagnostics
    either.close(saved)


async def test_none_can_be_imported(either: Editor) -> None:
    model = either.open_as("untitled:model.py", MODEL)
    train = either.open_as("untitled:train", TRAIN)
    assert await either.codes(train) == []
    assert await either.codes(model) == []
    either.close(train)
    either.close(model)


@pytest.mark.parametrize(
    "uri", ["git:/repo/train.py?%7B%7D", "vscode-vfs://github/o/r/train.py", "output:train.py"]
)
async def test_texts_of_other_kinds_are_left_alone(either: Editor, uri: str) -> None:
    either.open_as(uri, BROKEN)
    either.replace(uri, "torch.ones(2)", "torch.ones( 2)")
    assert await either.in_step()
    if either.capabilities.diagnostic_provider is not None:
        assert await either.codes(uri) == []
    assert await either.actions(uri) == []
    assert await hovered(either, uri, 4, 1) is None
    assert all(not each.diagnostics for each in either.published.values() if each.uri == uri)
    either.close(uri)
