"""The language server end to end: what VS Code and Neovim can have done, and what they are told on request."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest
from lsp_editor import Editor, position_of
from lsp_programs import BROKEN, FIXED, MODEL, TRAIN, UNSAFE, write
from lsprotocol import types
from notebook_texts import cells_of, notebook_text
from pygls.exceptions import JsonRpcException

pytest_plugins = ["lsp_clients"]
pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_the_quick_fix_of_a_safe_finding_is_preferred(either: Editor, tmp_path: Path) -> None:
    uri = either.open(tmp_path / "train.py", BROKEN)
    (shown,) = await either.diagnostics(uri)
    fix = next(each for each in await either.actions(uri, shown) if each.is_preferred)
    assert fix.edit is None
    assert fix.kind == types.CodeActionKind.QuickFix
    await either.choose(fix)
    assert either.texts[uri] == FIXED
    assert await either.codes(uri) == []
    either.close(uri)


async def test_an_unsafe_fix_says_so(either: Editor, tmp_path: Path) -> None:
    uri = either.open(tmp_path / "train.py", UNSAFE)
    (shown,) = await either.diagnostics(uri)
    fix = next(each for each in await either.actions(uri, shown) if "unsafe" in each.title)
    assert not fix.is_preferred
    assert not await either.actions(uri, only=["source.fixAll"])
    await either.choose(fix)
    assert await either.codes(uri) == []
    either.close(uri)


async def test_fix_all_is_a_source_action(either: Editor, tmp_path: Path) -> None:
    uri = either.open(tmp_path / "train.py", BROKEN + "other = torch.ones(2)\nprint(model.weight @ other)\n")
    assert await either.codes(uri) == ["DF102", "DF102"]
    (action,) = await either.actions(uri, only=["source.fixAll"])
    assert action.kind == "source.fixAll.devfix"
    await either.choose(action)
    assert await either.codes(uri) == []
    either.close(uri)


async def test_all_findings_of_a_rule_are_fixed_at_once(code: Editor, tmp_path: Path) -> None:
    uri = code.open(tmp_path / "train.py", BROKEN + "other = torch.ones(2)\nprint(model.weight @ other)\n")
    await code.choose(await code.action(uri, "Fix all 2 `operand-not-moved`"))
    assert await code.codes(uri) == []
    code.close(uri)


async def test_a_finding_can_be_ignored(either: Editor, tmp_path: Path) -> None:
    uri = either.open(tmp_path / "train.py", BROKEN)
    await either.choose(await either.action(uri, "Ignore DF102"))
    assert either.texts[uri] == BROKEN.rstrip("\n") + "  # devfix: ignore[DF102]\n"
    assert await either.codes(uri) == []
    either.replace(uri, "torch.ones(2)", "torch.ones(2, device=device)")
    (unused,) = await either.diagnostics(uri)
    assert unused.code == "DF901"
    assert list(unused.tags or ()) == [types.DiagnosticTag.Unnecessary]
    await either.choose(await either.action(uri, "Remove the comment"))
    assert either.texts[uri] == FIXED
    either.close(uri)


async def test_a_fix_for_another_text_is_refused(code: Editor, tmp_path: Path) -> None:
    uri = code.open(tmp_path / "train.py", BROKEN)
    action = await code.action(uri, "Move `weights`")
    code.change(uri, 0, 0, "# a line more\n")
    with pytest.raises(JsonRpcException) as refusal:
        await code.choose(action)
    assert refusal.value.code == types.LSPErrorCodes.ContentModified
    code.close(uri)


async def test_a_fix_reaches_a_file_that_is_not_open(either: Editor, tmp_path: Path) -> None:
    model, train = write(tmp_path, model=MODEL, train=TRAIN)
    either.folders(added=[tmp_path])
    uri = either.open(model)
    await either.becomes(uri, ["DF102"])
    await either.choose(await either.action(uri, "Move `x`"))
    assert "device=" in train.read_text()
    assert model.read_text() == MODEL
    either.touched(train)
    await either.becomes(uri, [])
    either.close(uri)
    either.folders(removed=[tmp_path])


async def hovered(editor: Editor, uri: str, words: str) -> str:
    place = position_of(editor.texts[uri], editor.texts[uri].index(words), editor.encoding)
    params = types.HoverParams(types.TextDocumentIdentifier(uri), place)
    hover = await editor.client.text_document_hover_async(params)
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    return hover.contents.value


async def test_hovering_tells_devices_and_rules(either: Editor, tmp_path: Path) -> None:
    uri = either.open(tmp_path / "train.py", BROKEN + "x = 1  # devfix: ignore[DF203]\n")
    assert await either.codes(uri) == ["DF102", "DF901"]
    assert await hovered(either, uri, "weights = ") == "tensor `float32` on `cpu`"
    assert await hovered(either, uri, "model = ") == "module `Linear` on `cuda`"
    assert "operand-not-moved" in await hovered(either, uri, "model(torch")
    assert "load-without-map-location" in await hovered(either, uri, "# devfix")
    either.close(uri)


async def test_inlay_hints_are_for_those_who_want_them(code: Editor, vim: Editor, tmp_path: Path) -> None:
    for made, labels in ((code, []), (vim, [": cuda", ": cpu"])):
        uri = made.open(tmp_path / "train.py", BROKEN)
        whole = types.Range(types.Position(0, 0), types.Position(99, 0))
        params = types.InlayHintParams(types.TextDocumentIdentifier(uri), whole)
        hints = await made.client.text_document_inlay_hint_async(params) or []
        assert [hint.label for hint in hints][: len(labels) or None] == labels
        made.close(uri)


async def test_all_files_of_a_folder_are_fixed_by_a_command(either: Editor, tmp_path: Path) -> None:
    first, second, third = write(tmp_path, first=BROKEN, second=BROKEN, third=FIXED)
    book = tmp_path / "book.ipynb"
    book.write_text(notebook_text(cells_of(BROKEN)))
    either.folders(added=[tmp_path])
    uri = either.open(first)
    edits: list[types.WorkspaceEdit] = []

    def applied(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        edits.append(params.edit)
        return types.ApplyWorkspaceEditResult(True)

    either.client.protocol.fm.features.pop(types.WORKSPACE_APPLY_EDIT, None)
    either.client.feature(types.WORKSPACE_APPLY_EDIT)(applied)
    told = await either.command("devfix.applyAll", tmp_path.as_uri())
    assert told == {"applied": True, "files": 3}
    either.apply(edits[0])
    assert (either.texts[uri], second.read_text(), third.read_text()) == (FIXED, FIXED, FIXED)
    assert book.read_text() == notebook_text(cells_of(FIXED))
    assert await either.in_step()
    reports = list(either.client.progress_reports.values())[-1]
    assert [type(each) for each in reports] == [types.WorkDoneProgressBegin, types.WorkDoneProgressEnd]
    either.close(uri)
    either.folders(removed=[tmp_path])


async def test_a_run_shows_its_mismatches(code: Editor, tmp_path: Path) -> None:
    (train,) = write(tmp_path, train=BROKEN)
    uri = code.open(train)
    assert await code.codes(uri) == ["DF102"]
    told = await code.command("devfix.run", uri)
    assert told == {"exitCode": 1, "mismatches": 1}
    (observed,) = [each for each in await code.diagnostics(uri) if each.source == "devfix run"]
    assert "on the same device" in observed.message
    assert observed.message.startswith("`weights` (float32 on cpu) meets ")
    assert observed.range.start.line == 5
    code.change(uri, 0, 0, "\n")
    assert await code.codes(uri) == ["DF102"]
    code.close(uri)


async def test_a_proof_is_a_page_to_read(vim: Editor, tmp_path: Path) -> None:
    (train,) = write(tmp_path, train=BROKEN)
    told = await vim.command("devfix.showProof", train.as_uri())
    assert told["exitCode"] == 0
    assert told["text"].startswith(
        "# train.py: fixed\n\nIt fails as it is, and runs with the fixes.\n\n- **As it is:**"
    )
    assert "on the same device" in told["text"]
    assert "- **With the fixes:** runs to its end" in told["text"]
    assert "by safe fixes (1 in all)" in told["text"]


async def test_a_program_that_cannot_be_run_is_told(vim: Editor, tmp_path: Path) -> None:
    vim.client.messages.clear()
    nowhere = (tmp_path / "nowhere.py").as_uri()
    assert await vim.command("devfix.run", nowhere) == {"exitCode": 2, "mismatches": None}
    assert "does not exist" in vim.client.messages[-1].message
    told = await vim.command("devfix.showProof", nowhere)
    assert told["exitCode"] == 2
    assert vim.client.messages[-1].message.startswith("devfix prove: error")


async def test_a_run_can_be_called_off(vim: Editor, tmp_path: Path) -> None:
    (endless,) = write(
        tmp_path, endless="import pathlib, time\npathlib.Path('begun').touch()\ntime.sleep(600)\n"
    )
    vim.folders(added=[tmp_path])
    known = set(vim.client.progress_reports)
    running = asyncio.ensure_future(vim.command("devfix.run", endless.as_uri()))
    await vim.until((tmp_path / "begun").exists)
    (token,) = set(vim.client.progress_reports) - known
    vim.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    with pytest.raises(JsonRpcException) as ended:
        await running
    assert ended.value.code == types.LSPErrorCodes.RequestCancelled
    vim.folders(removed=[tmp_path])


async def test_a_request_can_be_called_off(code: Editor, tmp_path: Path) -> None:
    uri = code.open(tmp_path / "train.py", BROKEN)
    params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
    waiting = code.client.protocol.send_request_async(  # type: ignore[no-untyped-call]
        types.TEXT_DOCUMENT_DIAGNOSTIC, params, "called-off"
    )
    task = asyncio.ensure_future(waiting)
    await asyncio.sleep(0)
    code.client.protocol.notify(types.CANCEL_REQUEST, types.CancelParams("called-off"))
    with contextlib.suppress(JsonRpcException):
        await task
    assert await code.codes(uri) == ["DF102"]
    code.close(uri)
