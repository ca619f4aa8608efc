"""The language server end to end, over its standard streams: what VS Code and Neovim are shown."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from pathlib import Path
from typing import Any

import pytest
from lsp_editor import Editor, after_edits, editor, neovim
from lsp_programs import BROKEN, FIXED, MODEL, TRAIN, write
from lsprotocol import types
from pygls.uris import to_fs_path

from devfix.baseline.file import write_baseline
from devfix.baseline.trace import traces
from devfix.config import Settings
from devfix.engine import Engine
from devfix.project import Project
from devfix.registry import load_rules
from devfix.source import Source, read_source

pytest_plugins = ["lsp_clients"]
pytestmark = pytest.mark.asyncio(loop_scope="module")


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
    assert cut == BROKEN.replace(" * weights)", " * )")
    (made,) = [each for each in shown.related_information or () if "made here, on the CPU" in each.message]
    cut = after_edits(BROKEN, [types.TextEdit(made.location.range, "")], either.encoding)
    assert made.location.uri == uri
    assert cut == BROKEN.replace("torch.ones(2)", "")
    either.close(uri)


async def test_a_finding_leads_to_the_page_of_its_rule(code: Editor, tmp_path: Path) -> None:
    uri = code.open(tmp_path / "train.py", BROKEN)
    (shown,) = await code.diagnostics(uri)
    assert shown.code_description is not None
    page = Path(to_fs_path(shown.code_description.href) or "")
    assert page.read_text(encoding="utf-8").startswith("# DF102 operand-not-moved\n\nAn input, target, mask")
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


async def test_each_folder_has_its_own_settings(either: Editor, tmp_path: Path) -> None:
    folders = [tmp_path / "strict", tmp_path / "lenient"]
    uris = []
    for each in folders:
        each.mkdir()
        uris.append((each / "train.py").as_uri())
        write(each, train=BROKEN)
    (folders[1] / "pyproject.toml").write_text('[tool.devfix]\nignore = ["DF102"]\n')
    either.folders(added=folders)
    opened = [either.open(each / "train.py") for each in folders]
    assert opened == uris
    await either.becomes(uris[0], ["DF102"])
    await either.becomes(uris[1], [])
    either.folders(removed=[folders[1]])
    await either.becomes(uris[1], [])  # the file's own folder has the settings, workspace or not
    for uri in uris:
        either.close(uri)
    either.folders(removed=[folders[0]])


async def test_a_folder_within_may_have_settings_and_the_whole_a_baseline(
    either: Editor, tmp_path: Path
) -> None:
    (train,) = write(tmp_path, train=BROKEN)
    (tmp_path / "sub").mkdir()
    (other,) = write(tmp_path / "sub", other=BROKEN)
    (tmp_path / "sub" / "devfix.toml").write_text('ignore = ["DF102"]\n')
    either.folders(added=[tmp_path])
    uri, inner = either.open(train), either.open(other)
    await either.becomes(uri, ["DF102"])
    await either.becomes(inner, [])
    source = read_source(str(train))
    assert isinstance(source, Source)
    findings = Engine(load_rules(), Settings()).check(Project([source]).programs()[0])[0].findings
    counts = [(trace, 1) for trace in traces(source, findings, str(tmp_path))]
    write_baseline(str(tmp_path / "known.json"), counts)
    settings = tmp_path / "devfix.toml"
    settings.write_text('baseline = "known.json"\n')
    either.touched(settings)
    await either.becomes(uri, [])
    settings.write_text('baseline = "no.json"\n')
    either.touched(settings)
    await either.becomes(uri, ["DF102", "None"])
    for each in (uri, inner):
        either.close(each)
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


async def test_the_first_folder_may_vanish_as_a_whole(tmp_path: Path) -> None:
    gone, other = tmp_path / "gone", tmp_path / "other"
    for each in (gone, other):
        each.mkdir()
    async with editor(neovim(), gone, other) as made:
        first, second = made.open(gone / "train.py", BROKEN), made.open(other / "train.py", BROKEN)
        await made.becomes(second, ["DF102"])
        gone.rmdir()
        made.change(second, 0, 0, "\n")
        made.change(first, 0, 0, "\n")
        await made.becomes(second, ["DF102"])
        await made.becomes(first, ["DF102"])
