"""The launcher: programs begin and end as Python begins and ends them, and leave a report whatever happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_HERE = Path(__file__).parent
LAUNCHER = _HERE.parent / "devfix" / "simulator" / "launch.py"

_TRAIN = """
import torch
from torch import nn

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Linear(4, 3).to(device)
optimizer = torch.optim.Adam(net.parameters())
for step in range(6):
    net(torch.ones(2, 4).to(device)).sum().backward()
    optimizer.step()
print("steps made", step + 1)
"""
_ME = """
import __main__, json, os, sys
print(json.dumps({"name": __name__, "file": __file__, "argv": sys.argv, "path": sys.path[0],
    "package": __package__, "spec": __spec__ and __spec__.name, "main": __main__.__dict__ is globals(),
    "doc": __doc__, "cwd": os.getcwd(), "builtins": type(__builtins__).__name__}))
"""
_BY_C = """
import ctypes
c = ctypes.CDLL(None)
c.printf(b"of C\\n")
line = ctypes.create_string_buffer(b"later")
ctypes.pythonapi.Py_IncRef(ctypes.py_object(line))
c.__cxa_atexit.argtypes = [ctypes.c_void_p] * 3
c.__cxa_atexit(ctypes.cast(c.puts, ctypes.c_void_p), ctypes.addressof(line), None)
"""
_COMPILER = """
import sys, torch

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.Adam(net.parameters())

def step(x):
    optimizer.zero_grad()
    loss = net(x).pow(2).sum()
    loss.backward()
    optimizer.step()
    return round(loss.item(), 5)

x = torch.ones(2, 3)
print(step(x), "torch._dynamo" in sys.modules)
from torch import _dynamo as early
# What asks for a part of the compiler gets it, whichever of both it has.
print(early.disable(recursive=False)(lambda: True)(), early.disable(step).__name__ == "step" and "explain" in dir(early))
early.mark = "kept"
config = torch._dynamo.config
print(torch._dynamo.mark == "kept", early.__file__ == torch._dynamo.__file__)
print(torch._dynamo is sys.modules["torch._dynamo"], config is sys.modules["torch._dynamo.config"])
from torch._dynamo.eval_frame import OptimizedModule
print(step(x), isinstance(torch.compile(net), OptimizedModule))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
optimizer.load_state_dict(optimizer.state_dict())
print(step(x), torch.compile(step, backend="eager")(x))
print(sum(torch._dynamo.utils.counters["frames"].values()) > 0)
"""
_GARBAGE = """
import gc, weakref, torch

class Node: pass

node = Node()
node.me, node.data = node, torch.ones(2)
seen = weakref.ref(node)
del node
gc.collect()
print(gc.isenabled(), seen() is None)
"""
_NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": "# Not code"},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "!pip install x\n", "import torch\n", "n = 7 \\\n", "  % 4"]},
        {"cell_type": "code", "source": "%%bash\nrm -rf /"},
        {"cell_type": "code", "source": "%%time\nimport asyncio\nawait asyncio.sleep(0)\ndisplay(n)\nget_ipython().system('ls')"},
        {"cell_type": "code", "source": "x = torch.ones(2, device='cuda')\nx + torch.ones(2)\n1 / 0"},
    ]
}  # fmt: skip

#: Each program: its files, the launcher's options, the words that name it, and a signal to send when it is "ready".
PROGRAMS: dict[str, dict[str, Any]] = {
    "script": {"files": {"sub/me.py": '"""Doc."""' + _ME}, "words": ["sub/me.py", "--mode", "x", "-m"]},
    "module": {"files": {"pack/__init__.py": "", "pack/me.py": _ME}, "words": ["-m", "pack.me", "a"]},
    "package": {"files": {"pack/__init__.py": "", "pack/__main__.py": _ME}, "words": ["-m", "pack"]},
    "folder": {"files": {"app/__main__.py": _ME}, "words": ["app"]},
    "heal": {"files": {"a.py": _TRAIN.replace("torch.ones(2, 4).to(device)", "torch.ones(2, 4)")}, "mode": "heal"},
    "strict": {"files": {"a.py": _TRAIN.replace("torch.ones(2, 4).to(device)", "torch.ones(2, 4)")}},
    "right": {"files": {"a.py": _TRAIN}},
    "plain": {"files": {"a.py": _TRAIN}, "mode": "plain", "options": ["--kind", "none"]},
    "compiler": {"files": {"a.py": _COMPILER}},
    "compiler of the CPU": {"files": {"a.py": _COMPILER}, "mode": "plain", "options": ["--kind", "none"]},
    "garbage": {"files": {"a.py": _GARBAGE}},
    "steps": {"files": {"a.py": _TRAIN}, "options": ["--max-steps", "2"]},
    "first": {
        "files": {"a.py": _TRAIN.replace("torch.ones(2, 4).to(device)", "torch.ones(2, 4)")},
        "mode": "heal",
        "options": ["--max-mismatches", "1"],
    },
    "notebook": {"files": {"sub/n.ipynb": json.dumps(_NOTEBOOK)}, "mode": "heal", "words": ["sub/n.ipynb"]},
    "exit": {"files": {"a.py": "import sys\nsys.exit(3)"}},
    "exit with words": {"files": {"a.py": "import sys\nsys.exit('bye')"}},
    "os._exit": {"files": {"a.py": "import os\nprint('out', flush=True)\nos._exit(7)"}},
    "raises": {"files": {"a.py": "def f():\n    raise ValueError('é')\n\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    f()"}},
    "syntax": {"files": {"a.py": "x = = 1"}},
    "missing": {"files": dict[str, str]()},
    "missing module": {"files": dict[str, str](), "words": ["-m", "nope"]},
    "interrupted": {"files": {"a.py": "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nimport time\ntime.sleep(9)"}},
    "terminated": {"files": {"a.py": "import time\nprint('ready', flush=True)\ntime.sleep(60)"}, "kill": "SIGTERM"},
    "killed": {"files": {"a.py": "import time\nprint('ready', flush=True)\ntime.sleep(60)"}, "kill": "SIGKILL"},
    "own handler": {
        "files": {"a.py": "import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(4))\nprint('ready', flush=True)\ntime.sleep(60)"},
        "kill": "SIGTERM",
    },
    "sleeps": {"files": {"a.py": "import time\ntry:\n    time.sleep(60)\nfinally:\n    print('cleaned')"}, "options": ["--max-seconds", "0.2"], "whole": True},
    "by C": {"files": {"a.py": _BY_C}, "mode": "plain", "options": ["--kind", "none"], "whole": True},
    "catches everything": {
        "files": {"a.py": "import time\nwhile True:\n    try:\n        time.sleep(0.05)\n    except BaseException:\n        pass"},
        "options": ["--max-seconds", "0.1"],
    },
    "thread": {
        "files": {"a.py": "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start()\nprint('main')"},
    },
    "endless thread": {
        "files": {"a.py": "import threading, time\nthreading.Thread(target=lambda: time.sleep(60)).start()"},
        "options": ["--max-seconds", "0.3"],
    },
    "forks": {"files": {"a.py": "import os, sys\nif os.fork() == 0:\n    sys.exit(5)\nprint(os.waitstatus_to_exitcode(os.wait()[1]))"}},
    "spawns": {
        "files": {"a.py": "import multiprocessing as m\ndef f(x): return x + 1\nif __name__ == '__main__':\n    with m.get_context('fork').Pool(1) as pool: print(pool.map(f, [1, 2]))"},
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    orders: list[dict[str, Any]] = []
    for number, order in enumerate(PROGRAMS.values()):
        folder = tmp_path_factory.mktemp(f"run{number}")
        for name, text in order["files"].items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        options = ["--mode", order.get("mode", "strict"), *order.get("options", [])]
        words = order.get("words", ["a.py"])
        more: dict[str, Any] = {name: order[name] for name in ("kill", "whole") if name in order}
        orders.append({"folder": str(folder), "options": options, "words": words, **more})
    done = subprocess.run(
        [sys.executable, str(_HERE / "launched.py")],
        input=json.dumps(orders),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    return {name: {**result, **order} for name, result, order in zip(PROGRAMS, results, orders, strict=True)}


def outcome(run: dict[str, Any]) -> tuple[str, int | None, str | None, int]:
    told = run["report"]["outcome"]
    return told["how"], told["status"], told["reason"], run["status"]


def test_a_script_finds_itself_as_python_would_have_it(runs: dict[str, dict[str, Any]]) -> None:
    run = runs["script"]
    told = json.loads(run["out"])
    folder = os.path.realpath(run["folder"])
    assert told == {
        "name": "__main__",
        "file": os.path.join(run["folder"], "sub", "me.py"),
        "argv": ["sub/me.py", "--mode", "x", "-m"],
        "path": os.path.join(folder, "sub"),
        "package": None,
        "spec": None,
        "main": True,
        "doc": "Doc.",
        "cwd": folder,
        "builtins": "module",
    }


@pytest.mark.parametrize(
    ("name", "file", "spec", "package"),
    [
        ("module", "pack/me.py", "pack.me", "pack"),
        ("package", "pack/__main__.py", "pack.__main__", "pack"),
        ("folder", "app/__main__.py", "__main__", ""),
    ],
)
def test_a_module_finds_itself(
    runs: dict[str, dict[str, Any]], name: str, file: str, spec: str, package: str
) -> None:
    run = runs[name]
    told = json.loads(run["out"])
    assert (told["spec"], told["package"], told["name"]) == (spec, package, "__main__")
    assert os.path.realpath(told["file"]) == os.path.join(os.path.realpath(run["folder"]), file)
    assert told["argv"][0] == ("app" if name == "folder" else told["file"])


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("right", ("finished", 0, None, 0)),
        ("plain", ("finished", 0, None, 0)),
        ("heal", ("finished", 0, None, 0)),
        ("strict", ("raised", 1, None, 1)),
        ("compiler", ("finished", 0, None, 0)),
        ("compiler of the CPU", ("finished", 0, None, 0)),
        ("garbage", ("finished", 0, None, 0)),
        ("steps", ("stopped", 0, "max-steps", 0)),
        ("first", ("stopped", 0, "max-mismatches", 0)),
        ("exit", ("exited", 3, None, 3)),
        ("exit with words", ("exited", 1, None, 1)),
        ("os._exit", ("exited", 7, None, 7)),
        ("raises", ("raised", 1, None, 1)),
        ("syntax", ("raised", 1, None, 1)),
        ("missing", ("exited", 2, None, 2)),
        ("missing module", ("exited", 1, None, 1)),
        ("interrupted", ("raised", 130, None, -2)),
        ("terminated", ("stopped", 143, "SIGTERM", -15)),
        ("own handler", ("exited", 4, None, 4)),
        ("killed", ("unfinished", None, None, -9)),
        ("sleeps", ("stopped", 0, "max-seconds", 0)),
        ("catches everything", ("stopped", 0, "max-seconds", 0)),
        ("thread", ("finished", 0, None, 0)),
        ("endless thread", ("stopped", 0, "max-seconds", 0)),
        ("forks", ("finished", 0, None, 0)),
        ("spawns", ("finished", 0, None, 0)),
    ],
)
def test_every_ending_is_reported(
    runs: dict[str, dict[str, Any]], name: str, how: tuple[str, int | None, str | None, int]
) -> None:
    assert outcome(runs[name]) == how, runs[name]["err"]


def test_nobody_waits_for_what_torch_gives_back(runs: dict[str, dict[str, Any]]) -> None:
    # A library that was there before has a line to say at its end, and the program says its own.
    assert runs["sleeps"]["out"] == "cleaned\n"
    assert runs["by C"]["out"] == "of C\nlater\n"


def test_the_program_prints_what_it_prints(runs: dict[str, dict[str, Any]]) -> None:
    assert runs["exit with words"]["err"] == "bye\n"
    assert runs["os._exit"]["out"] == "out\n"
    assert runs["thread"]["out"] == "main\nthread\n"
    assert runs["forks"]["out"] == "5\n"
    assert runs["spawns"]["out"] == "[2, 3]\n"
    assert "can't open file" in runs["missing"]["err"]
    assert "No module named nope" in runs["missing module"]["err"]


def test_a_traceback_is_the_programs_own(runs: dict[str, dict[str, Any]]) -> None:
    run = runs["raises"]
    file = os.path.join(run["folder"], "a.py")
    lines = [line.strip() for line in run["err"].splitlines()]
    shown = [line for line in lines if line.startswith(("File", "ZeroDivisionError", "ValueError"))]
    assert shown == [
        f'File "{file}", line 5, in <module>',
        "ZeroDivisionError: division by zero",
        f'File "{file}", line 7, in <module>',
        f'File "{file}", line 2, in f',
        "ValueError: é",
    ]
    error = run["report"]["outcome"]["error"]
    assert (error["type"], error["message"]) == ("ValueError", "é")
    assert [(place["line"], place["function"]) for place in error["frames"]] == [(7, "<module>"), (2, "f")]


def test_an_error_of_the_accelerator_shows_no_simulator(runs: dict[str, dict[str, Any]]) -> None:
    shown = runs["strict"]["err"]
    assert "Expected all tensors to be on the same device" in shown
    assert "simulator" not in shown
    assert runs["syntax"]["err"].startswith("  File ")


def test_mismatches_are_reported_with_their_lines(runs: dict[str, dict[str, Any]]) -> None:
    report = runs["heal"]["report"]
    [found] = report["mismatches"]
    assert (found["count"], found["sink"]["line"], report["steps"]) == (6, 10, 6)
    assert runs["steps"]["report"]["steps"] == 2
    assert len(runs["first"]["report"]["mismatches"]) == 1
    assert report["modules"]["__main__"] == os.path.join(runs["heal"]["folder"], "a.py")


def test_a_simulated_run_trains_what_the_cpu_trains(runs: dict[str, dict[str, Any]]) -> None:
    simulated, plain = runs["right"]["report"]["parameters"], runs["plain"]["report"]["parameters"]
    assert simulated["sha256"] == plain["sha256"]
    assert simulated["values"] == plain["values"]
    assert (simulated["count"], [len(row) for row in simulated["values"]]) == (2, [12, 3])
    assert (simulated["device_types"], plain["device_types"]) == (["cuda"], ["cpu"])
    assert simulated["sha256"] != runs["steps"]["report"]["parameters"]["sha256"]
    assert runs["plain"]["report"]["transfers"] == []


def test_the_compiler_comes_when_the_program_asks_for_it(runs: dict[str, dict[str, Any]]) -> None:
    simulated, plain = runs["compiler"], runs["compiler of the CPU"]
    told = [line.split() for line in plain["out"].splitlines()]
    assert [line[-1] for line in told] == ["False", "True", "True", "True", "True", told[5][1], "True"]
    assert told[1] == told[2] == told[3] == ["True", "True"]
    losses = [float(told[0][0]), float(told[4][0]), *map(float, told[5])]
    assert losses == sorted(losses, reverse=True)
    assert len(set(losses)) == 4
    # Nothing is compiled where the accelerator is simulated, and all else is the same.
    assert simulated["out"].splitlines() == [*plain["out"].splitlines()[:-1], "False"]


def test_a_programs_garbage_is_collected(runs: dict[str, dict[str, Any]]) -> None:
    assert (runs["garbage"]["out"], runs["garbage"]["err"]) == ("True True\n", "")


def test_a_notebook_is_one_program(runs: dict[str, dict[str, Any]]) -> None:
    run = runs["notebook"]
    assert run["out"] == "3\n"
    assert outcome(run) == ("raised", 1, None, 1)
    assert run["err"].count("is no Python and is left out") == 4
    [found] = run["report"]["mismatches"]
    assert (found["sink"]["cell"], found["sink"]["line"]) == (4, 2)
    assert found["sink"]["file"] == os.path.join(run["folder"], "sub", "n.ipynb")
    assert found["sink"]["text"] == "x + torch.ones(2)"
    [frame] = run["report"]["outcome"]["error"]["frames"]
    assert (frame["cell"], frame["line"], frame["text"]) == (4, 3, "1 / 0")


def test_the_launcher_is_run_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "devfix.py").write_text("raise SystemError")
    (tmp_path / "a.py").write_text(
        "import sys\nprint([name for name in sys.modules if name.startswith('devfix')])\n"
        "file = open('kept.txt', 'w')\nprint('written at the end', file=file)"
    )
    report = tmp_path / "report.json"
    command = [sys.executable, str(LAUNCHER), "--mode", "strict", "--report", str(report), "a.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr
    assert json.loads(report.read_text())["outcome"]["how"] == "finished"
    assert (tmp_path / "kept.txt").read_text() == "written at the end\n"
    known = {"a.py", "devfix.py", "kept.txt", "report.json", "__pycache__"}
    assert {path.name for path in tmp_path.iterdir()} <= known
    assert done.stderr == ""


def test_a_report_goes_through_a_pipe_and_leaves_it_one(tmp_path: Path) -> None:
    """A path that is no file, such as ``/dev/null``, must not become one."""
    pipe = tmp_path / "report"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    (tmp_path / "main.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    command = [sys.executable, str(LAUNCHER), "--mode", "strict", "--report", str(pipe), "main.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
    report = os.read(reader, 100_000)
    os.close(reader)
    assert done.returncode == 3
    assert pipe.is_fifo()
    # It is written anew as the run goes on; the last one says how it ended.
    assert b'"status": 3' in report
