"""A cached answer is the one that a run without a cache gives, whatever happened to the files or to the cache."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import sweeps
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from devfix.cache import seal, signatures, store
from devfix.cache.codec import CodecError, decoded, encoded
from devfix.cache.memory import Memory
from devfix.cache.store import Store, clean, open_store
from devfix.cli import app
from devfix.config import Settings
from devfix.engine import Engine
from devfix.file_report import FileReport, Skipped
from devfix.findings import Applicability
from devfix.recall import recall
from devfix.registry import load_rules
from devfix.report.results import Results
from devfix.runner import Task, recall_paths, run_paths

KEY = b"k" * 32
ENGINE = Engine(load_rules(), Settings())
FAULTY = "import torch\nx = torch.zeros(3, device='cuda')\ny = x + torch.ones(3)\n"
IMPORTING = "import torch\nfrom helper import make\nx = torch.zeros(3, device='cuda')\ny = x + make()\n"
HELPER = "import torch\n\ndef make():\n    size = 3\n    return torch.ones(size)\n"
MOVED_HELPER = "import torch\n\ndef make():\n    size = 3\n    return torch.ones(size, device='cuda')\n"
TEXTS = [
    FAULTY,
    IMPORTING,
    HELPER,
    MOVED_HELPER,
    "x = 1\n",
    "import torch\ndef broken(:\n",
    "import torch  # devfix: ignore[DF102]\n",
    "import importlib\nimport torch\nm = importlib.import_module('helper')\n",
]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "pyproject.toml").touch()
    monkeypatch.chdir(tree)


def memory(folder: str = "../cache", key: bytes = KEY, tool: str = "tool") -> Memory:
    return Memory(Store(Path(folder), key), tool, ((".",), ENGINE.settings))


def uncached(task: Task = Task()) -> tuple[FileReport, ...]:  # noqa: B008 - frozen
    return run_paths([Path()], ENGINE, task, jobs=1).reports


def cached(task: Task = Task()) -> tuple[FileReport, ...]:  # noqa: B008 - frozen
    """What the command does: recall, or else run and remember."""
    known = memory()
    found = recall_paths([Path()], ENGINE, task, known)
    return (found or run_paths([Path()], ENGINE, task, jobs=1, memory=known)).reports


def recalled() -> Results | None:
    return recall_paths([Path()], ENGINE, Task(), memory())


@pytest.fixture
def old_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file counts as one that has been at rest, as most are."""
    monkeypatch.setattr(signatures, "_GRAIN", -(10**18))


def write(others: Mapping[str, str] | None = None, **files: str) -> None:
    named = {f"{name}.py": text for name, text in files.items()}
    for name, text in {**(others or {}), **named}.items():
        path = Path(name)
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)


def test_an_unchanged_tree_is_recalled(old_files: None) -> None:
    write(a=IMPORTING, helper=HELPER, b="x = 1\n", c="import torch\ndef broken(:\n")
    before = uncached()
    assert recalled() is None
    assert cached() == before
    found = recalled()
    assert found is not None
    assert found.reports == before
    assert found.exit_code == 2  # c is still broken
    assert found.sources["a.py"].text == IMPORTING  # which reports quote
    assert sum(len(report.findings) for report in before) == 1


def test_what_is_recalled_is_read_by_its_signature_alone(
    old_files: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(a="import torch\n", b="x = 1\n")
    cached()
    monkeypatch.setattr("devfix.recall.read_bytes", lambda path: pytest.fail(f"{path} was read"))
    assert recalled() is not None


def test_files_that_were_new_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    write(a=FAULTY)
    cached()
    status = os.stat("a.py")
    write(a=FAULTY.replace("torch.ones(3)", "torch.ones(4)"))  # as long, and perhaps at the same tick
    os.utime("a.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert recalled() is None
    assert cached() == uncached()


def test_a_signature_is_kept_once_the_file_is_at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    write(a="import torch\n")
    cached()
    tree = memory().tree
    assert tree is not None
    assert tree.files["a.py"][1] is None
    monkeypatch.setattr(signatures, "_GRAIN", -(10**18))
    assert recalled() is not None
    tree = memory().tree
    assert tree is not None
    assert tree.files["a.py"][1] is not None


@pytest.mark.parametrize("name", ["helper.py", "src/helper.py", "helper/__init__.py"])
def test_a_new_file_that_an_import_means_is_seen(old_files: None, name: str) -> None:
    write({"package/a.py": IMPORTING})
    known = [Path("package")]
    mine = memory()
    run_paths(known, ENGINE, Task(), jobs=1, memory=mine)
    assert recall(mine, known, ENGINE.settings, ENGINE.settings, applying=False) is not None
    write({name: HELPER})
    assert recall(mine, known, ENGINE.settings, ENGINE.settings, applying=False) is None


def test_a_package_that_stops_being_one_is_seen(old_files: None) -> None:
    write({"package/__init__.py": "", "package/sub/__init__.py": "", "package/sub/a.py": IMPORTING})
    write(helper=HELPER)
    known, mine = [Path("package/sub")], memory()
    before = run_paths(known, ENGINE, Task(), jobs=1, memory=mine).reports
    assert recall(mine, known, ENGINE.settings, ENGINE.settings, applying=False) is not None
    os.unlink("package/__init__.py")
    assert recall(mine, known, ENGINE.settings, ENGINE.settings, applying=False) is None
    assert run_paths(known, ENGINE, Task(), jobs=1, memory=mine).reports == (
        run_paths(known, ENGINE, Task(), jobs=1).reports
    )
    assert len(before) == 2


def test_another_tool_remembers_nothing(old_files: None) -> None:
    write(a=FAULTY)
    cached()
    assert recall_paths([Path()], ENGINE, Task(), memory(tool="other")) is None


def test_fixes_are_made_though_their_findings_are_known(old_files: None) -> None:
    write(a=FAULTY, b="import torch\n")
    cached()
    task = Task(Applicability.UNSAFE)
    assert cached(task) == uncached(task)
    assert any(report.new_text for report in cached(task))
    write(a="import torch\n")
    cached()
    found = recall_paths([Path()], ENGINE, task, memory())
    assert found is not None
    assert found.reports == uncached(task)


def test_programs_that_did_not_change_are_not_judged_again(
    old_files: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(a=FAULTY, b="import torch\n")
    cached()
    write(b="import torch\nx = 1\n")
    judged: list[str] = []
    judge = Engine.judge

    def watched(self: Engine, program: object) -> object:
        judged.extend(program.targets)  # type: ignore[attr-defined]
        return judge(self, program)  # type: ignore[arg-type]

    monkeypatch.setattr(Engine, "judge", watched)
    assert cached() == uncached()
    assert judged == ["b.py", "a.py", "b.py"]


EDITS = st.lists(
    st.tuples(
        st.sampled_from(
            ["a.py", "b.py", "helper.py", "package/__init__.py", "package/a.py", "src/helper.py"]
        ),
        st.sampled_from([*TEXTS, None]),
    ),
    min_size=1,
    max_size=6,
)


@given(st.lists(EDITS, min_size=1, max_size=6), st.booleans())
@settings(
    max_examples=sweeps.number(15, all_of=40),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_after_any_edits_the_cache_says_what_a_run_says(
    batches: list[list[tuple[str, str | None]]], settled: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if settled:
            patch.setattr(signatures, "_GRAIN", 0)
        _empty(Path())
        clean(Path("../cache"))
        for edits in batches:
            for path, text in edits:
                _edit(Path(path), text)
            if settled:
                time.sleep(0.01)  # longer than a tick of the file system's clock
            assert cached() == uncached()
            assert cached() == uncached()


def _empty(folder: Path) -> None:
    for path in list(folder.rglob("*.py")):
        path.unlink()


def _edit(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


DAMAGES = [
    lambda data: b"",
    lambda data: data[:-1],
    lambda data: data[: len(data) // 2],
    lambda data: data + b" ",
    lambda data: data.replace(b"a.py", b"b.py"),
    lambda data: b"\xff" * len(data),
    lambda data: b"devfix cache 1 \n[]",
    lambda data: b"[" * 200_000,
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cache_is_as_if_it_were_not_there(old_files: None, damage: object) -> None:
    write(a=FAULTY)
    cached()
    for path in Path("../cache").glob("*.entry"):
        path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    assert recalled() is None
    assert cached() == uncached()
    assert recalled() is not None  # it was written anew


def test_a_cache_that_somebody_else_made_is_none(old_files: None) -> None:
    """A project that ships a cache, which says that all is well, does not hide what is wrong with it."""
    write(a="import torch\n")
    run_paths([Path()], ENGINE, Task(), jobs=1, memory=memory(key=b"x" * 32))
    write(a=FAULTY)
    assert recalled() is None
    assert memory(key=b"x" * 32).tree is not None


def test_an_entry_is_none_under_another_name(old_files: None) -> None:
    mine = Store(Path("../cache"), KEY)
    mine.write("0" * 32, ["a"])
    os.rename(f"../cache/{'0' * 32}.entry", f"../cache/{'1' * 32}.entry")
    assert mine.read("1" * 32) is None


def test_the_secret_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    first = seal.secret()
    assert first is not None
    assert first == seal.secret()
    path = tmp_path / "home" / "devfix" / "secret"
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    assert seal.secret() is None  # others may have read it
    path.chmod(0o600)
    path.write_bytes(b"short")
    assert seal.secret() is None
    monkeypatch.setenv("DEVFIX_CACHE_SECRET", "shared by the machines of a build")
    assert seal.secret() not in (None, first)


def test_a_home_that_cannot_be_written_means_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert open_store(Path("cache"), chosen=True) is None


def test_a_link_that_the_project_put_there_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    Path(store.FOLDER).symlink_to(victim)
    assert open_store(Path(store.FOLDER), chosen=False) is None
    assert open_store(Path(store.FOLDER), chosen=True) is not None
    assert clean(Path(store.FOLDER)) == 0


def test_links_in_the_folder_lead_nowhere(tmp_path: Path) -> None:
    victim, folder = tmp_path / "victim", Path(store.FOLDER)
    victim.write_text("precious")
    folder.mkdir()
    name = "0" * 32
    for link in (f"{name}.entry", ".gitignore", "CACHEDIR.TAG"):
        (folder / link).symlink_to(victim)
    mine = Store(folder, KEY)
    assert mine.read(name) is None
    assert mine.write(name, ["a"])
    assert mine.read(name) == ["a"]
    assert victim.read_text() == "precious"
    assert not (folder / f"{name}.entry").is_symlink()
    clean(folder)
    assert victim.read_text() == "precious"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_is_no_entry(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f"{'0' * 32}.entry")
    assert Store(tmp_path, KEY).read("0" * 32) is None


def test_cleaning_leaves_what_is_not_ours() -> None:
    write(a=FAULTY)
    cached()
    Path("../cache/notes.txt").write_text("mine")
    assert clean(Path("../cache")) == 4
    assert os.listdir("../cache") == ["notes.txt"]
    os.unlink("../cache/notes.txt")
    cached()
    clean(Path("../cache"))
    assert not Path("../cache").exists()


def test_nothing_is_kept_where_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    write(a=FAULTY)
    Path("../cache").touch()  # no folder
    assert cached() == uncached()
    os.unlink("../cache")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert cached() == uncached()
    assert [path.name for path in Path("../cache").glob("*partial*")] == []


def test_what_was_of_no_use_for_longest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_TOTAL", 1000)
    mine = Store(Path("../cache"), KEY)
    for number in range(4):
        mine.write(f"{number:032}", "x" * 300)
        age_of = time.time() - 100 + number
        os.utime(f"../cache/{number:032}.entry", (age_of, age_of))
    assert [mine.read(f"{number:032}") is not None for number in range(4)] == [False, False, True, True]
    assert not mine.write("f" * 32, "x" * 2000) or mine.read("f" * 32) is not None


def test_a_run_that_crashed_is_not_remembered(old_files: None, monkeypatch: pytest.MonkeyPatch) -> None:
    write(a=FAULTY)

    def fails(*_: object) -> object:
        raise RuntimeError("a defect")

    with monkeypatch.context() as patch:
        patch.setattr(Engine, "judge", fails)
        assert cached()[0].crash is not None
    assert cached() == uncached()


def test_the_codec_gives_back_what_it_got() -> None:
    write(a=FAULTY, b=IMPORTING, helper=HELPER)
    reports = (*uncached(), FileReport("c.py", skipped=Skipped("c.py", "no", fault=False)))
    assert decoded(json.loads(json.dumps(encoded(reports)))) == reports
    for wrong in ([], ["Path", "a"], ["Span", 1], ["Applicability", 9], [1], 1.5, ["os.system", "true"]):
        with pytest.raises(CodecError):
            decoded(wrong)


_CHILD = """
import sys
sys.path[:0] = [{tests!r}]
import test_cache
while True:
    test_cache.cached()
    from pathlib import Path
    import os, random, time
    if {edits}:
        Path("a.py").write_text(random.choice(test_cache.TEXTS))
"""


@pytest.fixture
def child() -> Iterator[list[subprocess.Popen[bytes]]]:
    running: list[subprocess.Popen[bytes]] = []
    yield running
    for process in running:
        process.kill()
        process.wait()


def _start(*, edits: bool) -> subprocess.Popen[bytes]:
    code = _CHILD.format(tests=str(Path(__file__).parent), edits=edits)
    path = os.pathsep.join(sys.path)
    return subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path})


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal here")
def test_a_run_that_is_killed_leaves_a_right_cache(child: list[subprocess.Popen[bytes]]) -> None:
    """What is there after a kill at any moment is recalled rightly, or not at all."""
    write(a=FAULTY, helper=HELPER)
    chance = random.Random(7)
    child.append(_start(edits=True))
    _wait_for_cache()
    for _ in range(sweeps.number(4, all_of=6)):
        time.sleep(chance.random() * 0.3)
        child[-1].kill()
        child[-1].wait()
        assert cached() == uncached()
        assert cached() == uncached()
        child.append(_start(edits=True))
        time.sleep(0.5)


def test_runs_at_a_time_do_not_disturb_one_another(child: list[subprocess.Popen[bytes]]) -> None:
    write(a=FAULTY, b=IMPORTING, helper=HELPER)
    child.extend([_start(edits=False), _start(edits=False)])
    _wait_for_cache()
    for text in TEXTS * 3:
        write(a=text)
        assert cached() == uncached()
    assert all(process.poll() is None for process in child)


def _wait_for_cache() -> None:
    for _ in range(600):
        if list(Path("../cache").glob("*.entry")):
            return
        time.sleep(0.1)
    pytest.fail("no cache was written")


def _devfix(*arguments: str, **variables: str) -> int:
    result = CliRunner().invoke(app, arguments, env=variables, catch_exceptions=False)
    return result.exit_code


def test_the_command_keeps_its_cache_beside_the_settings() -> None:
    write({"inner/a.py": FAULTY})
    assert [_devfix("check", "inner"), _devfix("check", "inner")] == [1, 1]
    folder = Path(store.FOLDER)
    assert {path.suffix for path in folder.iterdir()} == {".entry", "", ".TAG"}
    assert (folder / ".gitignore").read_text().endswith("*\n")
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")
    assert _devfix("clean", "inner") == 0
    assert not folder.exists()


def test_nothing_is_removed_for_what_is_not_there() -> None:
    write({"inner/a.py": FAULTY})
    assert _devfix("check", "inner") == 1
    assert _devfix("clean", "innner") == 2
    assert Path(store.FOLDER).exists()


def test_the_user_says_where_the_cache_is() -> None:
    write(a=FAULTY)
    assert _devfix("check", "--no-cache", "--cache-dir", "../named") == 1
    assert not Path("../named").exists()
    assert _devfix("check", "--cache-dir", "../named") == 1
    assert _devfix("check", DEVFIX_CACHE_DIR="../variable") == 1
    assert len(list(Path("../named").glob("*.entry"))) == len(list(Path("../variable").glob("*.entry"))) == 2
    assert not Path(store.FOLDER).exists()


def test_where_the_time_went_is_told() -> None:
    write(a=FAULTY, b="x = 1\n")
    command = [sys.executable, "-m", "devfix", "check", "--show-timing", "--output-format", "json"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    told = []
    for _ in range(2):
        done = subprocess.run(command, env=environment, capture_output=True, check=False, text=True)
        told.append(json.loads(done.stdout)["timing"])
        assert "looking at what is remembered" in done.stderr
    assert {"loading the rules", "reading and parsing", "analysis, rules and fixes"} <= told[0][
        "seconds"
    ].keys()
    (program,) = told[0]["programs"]
    assert program["path"] == "a.py"
    parts = program["parts"]
    assert list(parts) == ["reading and parsing", "analysis", "rules", "fixes", "other"]
    assert parts["fixes"] == 0  # a check places none
    assert "DF102" in told[0]["rules"]
    assert sum(parts.values()) == pytest.approx(program["seconds"], abs=0.001)
    assert sum(told[0]["rules"].values()) == pytest.approx(parts["rules"], abs=0.01)
    assert list(told[1]["seconds"]) == ["looking at what is remembered"]
