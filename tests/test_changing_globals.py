"""Globals that functions set are not known where nobody tells who calls them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from text_program import check_texts, files, names, program, rules

from devfix.config import Settings
from devfix.engine import Engine
from devfix.lsp.edited import EditedProgram

CUDA = """
import torch

ENABLED = False

def tensor(values):
    if ENABLED:
        return torch.tensor(values).cuda()
    return torch.tensor(values)
{more}
"""
LOSS = """
import torch
from torch import nn
import cuda

class Loss(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layer = nn.Linear(n, n)
        self.weights = cuda.tensor([1.0, 2.0])

    def forward(self, x):
        return self.layer(x) * self.weights
"""
TASK = """
import torch
import cuda

def prepare(model, wanted):
    {first}
    return model.cuda() if cuda.ENABLED else model
"""


def _texts(first: str = "pass", more: str = "") -> dict[str, str]:
    texts = files(LOSS, cuda=CUDA.format(more=more), task=TASK.format(first=first))
    texts["loss.py"] = texts.pop("main.py")
    return texts


def test_a_flag_that_nobody_sets_is_what_it_is() -> None:
    assert names(check_texts(_texts())) == {"unregistered-tensor"}


@pytest.mark.parametrize(
    ("first", "more"),
    [
        ("cuda.ENABLED = wanted", ""),
        ("cuda.ENABLED = True", ""),
        ("import os, cuda as flags, cuda\n    cuda.ENABLED = wanted", ""),
        ("import cuda as flags\n    flags.ENABLED = wanted", ""),
        ("pass", "def enable():\n    global ENABLED\n    ENABLED = True\n"),
        ("pass", "def enable():\n    global OTHER, ENABLED\n    ENABLED = True\n"),
        ("pass", "def enable():\n    global ENABLED  # for all\n    ENABLED = True\n"),
        ("pass", "def enable():\n    global \\\n        ENABLED\n    ENABLED = True\n"),
    ],
)
def test_a_flag_that_a_function_sets_may_be_set(first: str, more: str) -> None:
    assert check_texts(_texts(first, more)) == []


@pytest.mark.parametrize(
    ("path", "taken"),
    [
        ("cuda.py", "import cuda as switches"),
        ("tools/cuda.py", "from tools import cuda as switches"),
        ("tools/cuda.py", "from tools import (\n    cuda as switches,\n)"),
        ("tools/cuda.py", "import tools.cuda as switches"),
    ],
)
def test_a_module_that_goes_by_another_name_is_found(path: str, taken: str) -> None:
    texts = _texts("switches.ENABLED = wanted")
    texts["task.py"] = texts["task.py"].replace("import cuda", taken)
    if path != "cuda.py":
        texts[path] = texts.pop("cuda.py")
        texts["tools/__init__.py"] = ""
        texts["loss.py"] = texts["loss.py"].replace("import cuda", "from tools import cuda")
    assert check_texts(texts) == []


@pytest.mark.parametrize(
    "taken", ["from other import cuda", "import other.cuda as cuda", "from .other import cuda"]
)
def test_another_module_of_that_name_says_nothing(taken: str) -> None:
    texts = _texts("cuda.ENABLED = wanted")
    texts["task.py"] = texts["task.py"].replace("import cuda", taken)
    texts |= {"other/__init__.py": "", "other/cuda.py": "ENABLED = False\n"}
    assert names(check_texts(texts)) == {"unregistered-tensor"}


@pytest.mark.parametrize("first", ["model.ENABLED = wanted", "print(cuda.ENABLED == wanted)"])
def test_what_sets_something_else_says_nothing(first: str) -> None:
    assert names(check_texts(_texts(first))) == {"unregistered-tensor"}


def test_a_script_knows_what_was_set() -> None:
    script = """
    import torch
    import cuda

    def enable():
        cuda.ENABLED = True

    enable()
    print(cuda.tensor([1.0]) + torch.ones(1, 2))
    """
    [finding] = check_texts(files(script, cuda=CUDA.format(more="")))
    assert finding.path == "main.py"


def test_what_is_filled_where_it_is_missing_is_missing_at_first() -> None:
    text = """
    import torch
    from torch import nn

    grid = None

    class Warp(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 3)

        def forward(self, x):
            global grid
            if grid is None:
                grid = torch.arange(3.0)
            return self.layer(x) + grid

    def run(x):
        return Warp().cuda()(x.cuda())
    """
    assert len(check_texts(files(text))) == 1


def test_an_edit_elsewhere_is_taken_into_account() -> None:
    engine = Engine(rules(), Settings())
    first = program(LOSS, cuda=CUDA.format(more=""), task=TASK.format(first="pass"))
    edited = EditedProgram(first)
    assert edited.judge(engine, first) == engine.judge(first)
    for line in ("cuda.ENABLED = wanted", "cuda.OTHER = wanted"):
        changed = first.with_texts({"task.py": TASK.format(first=line)})
        if not edited.take(changed.sources["task.py"]):
            edited = EditedProgram(changed)
        assert edited.judge(engine, changed) == engine.judge(changed)


def test_a_file_remembered_is_judged_anew_where_another_one_sets_its_flag(tmp_path: Path) -> None:
    for path, text in _texts().items():
        (tmp_path / path).write_text(text)
    assert "DF106" in _checked(tmp_path)
    (tmp_path / "task.py").write_text(TASK.format(first="cuda.ENABLED = wanted"))
    assert _checked(tmp_path) == _checked(tmp_path, "--no-cache")
    assert "DF106" not in _checked(tmp_path)


def _checked(folder: Path, *options: str) -> str:
    command = [sys.executable, "-m", "devfix", "check", "--output-format", "concise", *options, "."]
    environment = {**os.environ, "DEVFIX_CACHE_DIR": str(folder / "cache")}
    told = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return told.stdout


USED = """
import torch
from torch import nn

ENABLED = False

def enable():
    {enable}

def moved(x):
    if ENABLED:
        return x.cuda()
    return x

def made(*size):
    return torch.cuda.FloatTensor(*size) if ENABLED else torch.FloatTensor(*size)

def device():
    return "cuda:0" if ENABLED else "cpu"

def use():
    return nn.Linear(3, 3)({used})
"""
USES = ["moved(torch.zeros(2, 3))", "made(2, 3)", "torch.zeros(2, 3, device=device())"]


@pytest.mark.parametrize("used", USES)
def test_a_flag_that_may_be_set_or_not_chooses_no_accelerator(used: str) -> None:
    assert check_texts(files(USED.format(enable="global ENABLED; ENABLED = True", used=used))) == []


@pytest.mark.parametrize("used", USES)
def test_an_option_chooses_it(used: str) -> None:
    text = USED.format(enable="pass", used=used).replace(
        "ENABLED = False", "import sys\nENABLED = len(sys.argv) > 1"
    )
    assert names(check_texts(files(text))) == {"model-not-moved"}


PLACES = "import torch\n\n{given}\n\nGENERATOR = 0\n"
DRAWS = """
import torch
import places

def made():
    return torch.Generator(device=places.device)

class Draws:
    def __init__(self, p):
        self.p = p
        self.generator = made()

    def mask(self, shape, device):
        return torch.empty(shape, device=device).bernoulli_(self.p, generator=self.generator)
"""


@pytest.mark.parametrize(
    "given",
    [
        "device = 'cpu'",
        'device = "cpu"  # or "cuda"',
        "device: str = 'cpu'",
        "device = torch.device('cpu')",
        'device: torch.device = torch.device("cpu")',
    ],
)
def test_a_setting_that_says_the_cpu_is_there_to_be_set(given: str) -> None:
    texts = files(DRAWS, places=PLACES.format(given=given))
    texts["draws.py"] = texts.pop("main.py")
    assert check_texts(texts) == []


def test_a_generator_of_no_device_is_on_the_cpu() -> None:
    texts = files(DRAWS.replace("device=places.device", ""), places=PLACES.format(given="device = 'cpu'"))
    texts["draws.py"] = texts.pop("main.py")
    assert names(check_texts(texts)) == {"generator-device"}


def test_a_script_knows_where_a_setting_is() -> None:
    script = """
    import torch
    import places

    print(torch.ones(2, device=places.device) + torch.ones(2).cuda())
    """
    assert names(check_texts(files(script, places=PLACES.format(given="device = 'cpu'")))) != set()


CHOSEN = """
import torch

{given}

class Net:
    def __init__(self, device):
        self.pad = torch.zeros(3).to(device)

    def add(self, x):
        return x + self.pad

class Predictor:
    def __init__(self, args):
        self.net = Net(device={name})

    def run(self, x):
        return self.net.add(torch.tensor(x)).numpy()
"""


@pytest.mark.parametrize(
    ("given", "name"), [('torch.device("cpu")', "cpu"), ("'cpu'", "CPU"), ('torch.device("cpu")', "where")]
)
def test_a_setting_that_says_the_cpu_is_no_accelerator_either(given: str, name: str) -> None:
    assert check_texts({"predict.py": CHOSEN.format(given=f"{name} = {given}", name=name)}) == []


@pytest.mark.parametrize(("name", "found"), [("cpu", True), ("where", False)])
def test_what_is_called_the_cpu_is_no_setting(name: str, found: bool) -> None:
    text = CHOSEN.format(given=f'{name} = torch.device("cpu")', name=name)
    text = text.replace(".numpy()", " + torch.ones(3).cuda()")
    assert bool(check_texts({"predict.py": text})) is found
