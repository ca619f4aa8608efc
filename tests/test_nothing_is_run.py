"""Nothing of a project that is checked is imported, run or asked for over a network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
import sweeps

ROOT = Path(__file__).parents[1]
#: Names under which Python, devfix or what it is made of might look for something.
NAMES = """
    ast attr attrs cattrs click codemods collections_abc concurrent conftest dataclasses devfix_codemods/__init__
    devfix_codemods/created_on_cpu difflib evil_pack exceptiongroup hashlib json libcst libcst/__init__ lsprotocol
    multiprocessing numpy packaging pickle pygls re rich setup shellingham sitecustomize sqlite3 tokenize tomli
    tomllib torch typer typing typing_extensions usercustomize yaml
""".split()
PROGRAM = """\
import conftest, setup, torch
net = torch.nn.Linear(3, 3).cuda()
x = torch.rand(3, 3)
print(net(x))
"""
COMMANDS = [
    ["check", "--no-cache", "."],
    ["check", "--no-cache", "--jobs", "2", "--output-format", "json", "."],
    ["apply", "--diff", "--unsafe", "--adopt", "."],
    ["rules"],
    ["explain", "DF102"],
    ["explain", "--error", "error.txt", "--source", "."],
    ["config", "train.py"],
]
#: Says on the error stream what devfix does beyond reading and computing.
WATCHED = """
    import os, sys
    project = os.getcwd() + os.sep
    def watch(event, arguments):
        if event.startswith(("socket.connect", "socket.getaddrinfo", "os.system", "os.exec", "os.posix_spawn", "subprocess")):
            os.write(2, f"WATCHED {event} {arguments}\\n".encode())
        if event == "exec" and str(getattr(arguments[0], "co_filename", "")).startswith(project):
            os.write(2, f"WATCHED run {arguments[0].co_filename}\\n".encode())
    sys.addaudithook(watch)
    sys.argv[0] = "devfix"
    from devfix.cli import main
    main()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder in which everything that is imported or run writes to a log."""
    folder = tmp_path / "project"
    log = tmp_path / "log"
    trap = f"with open({str(log)!r}, 'a') as log:\n    print(__file__, file=log)\n"
    for name in NAMES:
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(trap, encoding="utf-8")
    (folder / "train.py").write_text(PROGRAM, encoding="utf-8")
    (folder / "encoded.py").write_text("# coding: evil_pack\nimport torch\n", encoding="utf-8")
    (folder / "error.txt").write_text(
        'Traceback (most recent call last):\n  File "train.py", line 4, in <module>\n    print(net(x))\n'
        "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!\n",
        encoding="utf-8",
    )
    (folder / "evil.pth").write_text("import evil_pack\n", encoding="utf-8")
    for name in ("evil.egg-info", "evil-1.0.dist-info"):
        (folder / name).mkdir()
        (folder / name / "entry_points.txt").write_text(
            "[devfix.codemods]\nevil = evil_pack\n", encoding="utf-8"
        )
        for kind in ("PKG-INFO", "METADATA"):
            (folder / name / kind).write_text(
                "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n", encoding="utf-8"
            )
    (folder / "pyproject.toml").write_text(
        '[tool.devfix]\nexclude = []\n[tool.pytest.ini_options]\naddopts = "-p evil_pack"\n', encoding="utf-8"
    )
    return folder


def environment() -> dict[str, str]:
    """The environment of a child: devfix is found, and the project is not."""
    return {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'codemods'}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def devfix(project: Path, start: list[str], words: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *start, *words]
    return subprocess.run(
        command,
        cwd=project,
        env=environment(),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_commands_run_nothing_of_the_project(project: Path, words: list[str]) -> None:
    start = ["-P", "-c", dedent(WATCHED)] if sys.version_info >= (3, 11) else ["-m", "devfix"]
    done = devfix(project, start, words)
    assert not (project.parent / "log").exists(), (project.parent / "log").read_text(encoding="utf-8")
    assert "WATCHED" not in done.stderr
    assert done.stdout != ""
    assert 'Traceback (most recent call last):\n  File "<' not in done.stderr
    # Where it is started as a module the project's folder is on the path until devfix begins: what it imports is the same.
    if words in sweeps.some(COMMANDS, every=3):
        assert devfix(project, ["-m", "devfix"], words).stdout == done.stdout
        assert not (project.parent / "log").exists(), (project.parent / "log").read_text(encoding="utf-8")


def test_fixes_are_applied_among_traps(project: Path) -> None:
    done = devfix(project, ["-m", "devfix"], ["apply", "train.py"])
    assert "Fixed 1 finding" in done.stdout, done.stderr
    assert not (project.parent / "log").exists()


def message(method: str, number: int | None = None, **parameters: object) -> bytes:
    body: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": parameters}
    if number is not None:
        body["id"] = number
    data = json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(data), data)


def test_the_language_server_runs_nothing_of_the_project(project: Path) -> None:
    pytest.importorskip("pygls")
    command = [sys.executable, "-m", "devfix", "lsp"]
    server = subprocess.Popen(
        command,
        cwd=project,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    uri = (project / "train.py").as_uri()
    root = project.as_uri()
    for data in (
        message(
            "initialize",
            1,
            processId=None,
            rootUri=root,
            capabilities={},
            workspaceFolders=[{"uri": root, "name": "p"}],
        ),
        message("initialized"),
        message(
            "textDocument/didOpen",
            textDocument={"uri": uri, "languageId": "python", "version": 1, "text": PROGRAM},
        ),
    ):
        server.stdin.write(data)
    server.stdin.flush()
    seen = b""
    while b"DF102" not in seen:
        part = os.read(server.stdout.fileno(), 65_536)
        assert part, seen
        seen += part
    server.stdin.write(message("shutdown", 2) + message("exit"))
    server.stdin.close()
    server.wait(60)
    server.stdout.close()
    assert not (project.parent / "log").exists(), (project.parent / "log").read_text(encoding="utf-8")
