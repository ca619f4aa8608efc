"""The language server end to end, over its standard streams: as VS Code and as Neovim speak to it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import pytest_asyncio
from lsp_editor import Editor, after_edits, editor, neovim, position_of, vscode
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.uris import to_fs_path

pytestmark = pytest.mark.asyncio(loop_scope="module")

#: A weight that stays on the CPU, on a line with characters of one to four bytes.
BROKEN = dedent(
    """
    import torch
    from torch import nn

    device = torch.device("cuda")
    model = nn.Linear(4, 2).to(device)
    note = "é 🚀 ✓"; weights = torch.ones(2); loss = (model(torch.ones(3, 4, device=device)) * weights).sum()
    """
).lstrip()
FIXED = BROKEN.replace("torch.ones(2)", "torch.ones(2, device=device)")

UNSAFE = dedent(
    """
    import numpy as np
    import torch
    from torch import nn

    model = nn.Linear(4, 2)
    print(model(torch.from_numpy(np.ones((3, 4)))))
    """
).lstrip()

MODEL = dedent(
    """
    import torch
    from torch import nn


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 2)
            self.register_buffer("scale", torch.ones(2))

        def forward(self, x):
            return self.fc(x) * self.scale
    """
).lstrip()
TRAIN = dedent(
    """
    import torch
    from model import Net

    net = Net().cuda()
    x = torch.ones(3, 4)
    print(net(x))
    """
).lstrip()


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


def write(folder: Path, **texts: str) -> list[Path]:
    paths = [folder / f"{name}.py" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text)
    return paths


async def test_each_client_gets_what_it_can_use(code: Editor, vim: Editor) -> None:
    assert code.capabilities.diagnostic_provider is not None
    assert code.encoding == "utf-16"
    assert vim.capabilities.diagnostic_provider is None
    assert vim.encoding == "utf-8"


async def test_a_finding_is_shown_where_it_is(either: Editor, tmp_path: Path) -> None:
    uri = either.open(tmp_path / "train.py", BROKEN)
    (shown,) = await either.diagnostics(uri)
    assert (shown.code, shown.source) == ("DF102", "devfix")
    cut = after_edits(BROKEN, [types.TextEdit(shown.range, "")], either.encoding)
    assert cut == BROKEN.replace("model(torch.ones(3, 4, device=device)) * weights", "")
    (made,) = [each for each in shown.related_information or () if "made here" in each.message]
    cut = after_edits(BROKEN, [types.TextEdit(made.location.range, "")], either.encoding)
    assert made.location.uri == uri
    assert cut == BROKEN.replace("torch.ones(2)", "")
    either.close(uri)


async def test_a_finding_leads_to_the_page_of_its_rule(code: Editor, tmp_path: Path) -> None:
    uri = code.open(tmp_path / "train.py", BROKEN)
    (shown,) = await code.diagnostics(uri)
    assert shown.code_description is not None
    page = Path(to_fs_path(shown.code_description.href) or "")
    assert page.name == "operand_not_moved.py"
    assert page.is_file()
    code.close(uri)


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


async def test_a_file_is_checked_with_what_is_typed_in_others(either: Editor, tmp_path: Path) -> None:
    model, train = write(tmp_path, model=MODEL, train=TRAIN)
    either.folders(added=[tmp_path])
    defined, used = either.open(model), either.open(train)
    await either.becomes(defined, ["DF102"])
    await either.becomes(used, [])
    either.replace(used, "torch.ones(3, 4)", "torch.ones(3, 4).cuda()")
    await either.becomes(defined, [])
    either.replace(defined, 'self.register_buffer("scale", torch.ones(2))', "self.scale = torch.ones(2)")
    await either.becomes(defined, ["DF106"])
    # What is half typed leaves the others as they are.
    either.replace(defined, "return self.fc(x)", "return self.fc(x")
    await either.becomes(used, [])
    either.close(defined)
    await either.becomes(used, [])
    either.close(used)
    either.folders(removed=[tmp_path])


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


async def test_half_typed_code_keeps_the_findings_above_and_below(either: Editor, tmp_path: Path) -> None:
    uri = either.open(tmp_path / "train.py", BROKEN)
    (before,) = await either.diagnostics(uri)
    either.replace(uri, "import torch\n", "import torch\nprint(\n")
    (after,) = await either.diagnostics(uri)
    assert after.range.start.line == before.range.start.line + 1
    assert after.data is None
    assert await either.actions(uri) == []
    either.replace(uri, "print(\n", "print()\n")
    (again,) = await either.diagnostics(uri)
    assert again.data is not None
    either.close(uri)


async def test_settings_are_those_of_the_file_as_it_is_now(either: Editor, tmp_path: Path) -> None:
    (train,) = write(tmp_path, train=BROKEN)
    settings = tmp_path / "pyproject.toml"
    either.folders(added=[tmp_path])
    uri = either.open(train)
    await either.becomes(uri, ["DF102"])
    settings.write_text('[tool.devfix]\nignore = ["DF102"]\n')
    either.touched(settings)
    await either.becomes(uri, [])
    settings.write_text("[tool.devfix]\nignroe = []\n")
    either.touched(settings)
    await either.becomes(uri, ["DF102", "None"])
    (told,) = [each for each in await either.diagnostics(uri) if each.code is None]
    assert "did you mean `ignore`" in told.message
    settings.write_text('[tool.devfix]\nexclude = ["train.py"]\n')
    either.touched(settings)
    await either.becomes(uri, [])
    either.close(uri)
    either.folders(removed=[tmp_path])


async def test_files_may_vanish(either: Editor, tmp_path: Path) -> None:
    model, train = write(tmp_path, model=MODEL, train=TRAIN)
    either.folders(added=[tmp_path])
    uri = either.open(model)
    await either.becomes(uri, ["DF102"])
    train.unlink()
    either.touched(train)
    await either.becomes(uri, [])
    model.unlink()
    tmp_path.rmdir()
    either.touched(model)
    await either.becomes(uri, [])
    either.close(uri)
    either.folders(removed=[tmp_path])


async def test_the_work_goes_on_in_another_process_when_one_dies(either: Editor, tmp_path: Path) -> None:
    uri = either.open(tmp_path / "train.py", BROKEN)
    assert await either.codes(uri) == ["DF102"]
    died = (await either.command("devfix.debugInformation"))["worker"]
    os.kill(died, signal.SIGKILL)
    # Whether the request that meets the dead process is answered or not: the next one is.
    either.change(uri, 0, 0, "\n")
    await either.codes(uri)
    either.change(uri, 0, 0, "\n")
    await either.becomes(uri, ["DF102"])
    assert (await either.command("devfix.debugInformation"))["worker"] != died
    either.close(uri)


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
    either.folders(added=[tmp_path])
    uri = either.open(first)
    edits: list[types.WorkspaceEdit] = []

    def applied(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        edits.append(params.edit)
        return types.ApplyWorkspaceEditResult(True)

    either.client.protocol.fm.features.pop(types.WORKSPACE_APPLY_EDIT, None)
    either.client.feature(types.WORKSPACE_APPLY_EDIT)(applied)
    told = await either.command("devfix.applyAll", tmp_path.as_uri())
    assert told == {"applied": True, "files": 2}
    either.apply(edits[0])
    assert (either.texts[uri], second.read_text(), third.read_text()) == (FIXED, FIXED, FIXED)
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
    assert observed.range.start.line == 5
    code.change(uri, 0, 0, "\n")
    assert await code.codes(uri) == ["DF102"]
    code.close(uri)


async def test_a_program_that_cannot_be_run_is_told(vim: Editor, tmp_path: Path) -> None:
    vim.client.messages.clear()
    nowhere = (tmp_path / "nowhere.py").as_uri()
    assert await vim.command("devfix.run", nowhere) == {"exitCode": 2, "mismatches": None}
    assert "there is no" in vim.client.messages[-1].message
    told = await vim.command("devfix.showProof", nowhere)
    assert told["exitCode"] == 2
    assert vim.client.messages[-1].message.startswith("devfix prove: error")


async def test_a_notebook_shown_as_one_text_is_a_program(either: Editor, tmp_path: Path) -> None:
    uri = either.open(tmp_path / ".virtual_documents" / "train.ipynb", BROKEN)
    assert await either.codes(uri) == ["DF102"]
    await either.choose(await either.action(uri, "Move `weights`"))
    assert either.texts[uri] == FIXED
    either.close(uri)


async def test_what_is_no_python_file_is_left_alone(either: Editor, tmp_path: Path) -> None:
    uris = [
        either.open(tmp_path / name, BROKEN, language)
        for name, language in (("a.txt", "text"), ("a.ipynb", "json"))
    ]
    for uri in uris:
        if either.capabilities.diagnostic_provider is not None:
            assert await either.codes(uri) == []
        assert await either.actions(uri) == []
        either.change(uri, 0, 0, "x = 1\n")
    assert await either.in_step()
    for uri in uris:
        either.close(uri)


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


TYPED = ["", "x", "\n", "\r\n", "(", "🚀", "é = 1\n", "'" * 3, "    ", "import model\n"]


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_is_typed_ends_in_what_is_there(either: Editor, tmp_path: Path, seed: int) -> None:
    """Edits, half of them nonsense, with requests in between that nobody waits for; then the text is put right."""
    chance = random.Random(seed)
    model, train = write(tmp_path, model=MODEL, train=TRAIN)
    either.folders(added=[tmp_path])
    uris = [either.open(model), either.open(train)]
    asked: list[asyncio.Future[Any]] = []
    for number in range(60):
        uri = chance.choice(uris)
        text = either.texts[uri]
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.randrange(12))
        if not any(text[at - 1 : at + 1] == "\r\n" for at in (start, end) if at):
            either.change(uri, start, end, chance.choice(TYPED), version=chance.choice([None, 1, number]))
        if number % 5 == 0:
            asked.append(asyncio.ensure_future(either.actions(uri)))
            asked.append(asyncio.ensure_future(either.command("devfix.debugInformation")))
        if number % 7 == 0:
            either.touched(model)
        if number == 30:
            train.unlink()
        await asyncio.sleep(chance.choice([0, 0, 0.01]))
    await asyncio.gather(*asked, return_exceptions=True)
    assert await either.in_step()
    for uri, text in zip(uris, (MODEL, TRAIN), strict=True):
        either.versions[uri] = 1_000
        either.change(uri, 0, len(either.texts[uri]), text)
    await either.becomes(uris[0], ["DF102"])
    await either.becomes(uris[1], [])
    assert await either.in_step()
    for uri in uris:
        either.close(uri)
    either.folders(removed=[tmp_path])


async def test_texts_stay_in_step(either: Editor, tmp_path: Path) -> None:
    uri = either.open(tmp_path / "odd.py", "x = '🚀'\r\ny = 'é'\x0c\x0b\u2028z'\rlast = 1")
    either.replace(uri, "🚀'\r\ny", "👩\u200d🚀'\ny")
    either.replace(uri, "last", "\ufefflast")
    either.change(uri, len(either.texts[uri]), len(either.texts[uri]), "\r\n# 終\n")
    either.replace(uri, "z'", "", version=1)
    assert await either.in_step()
    either.close(uri)
