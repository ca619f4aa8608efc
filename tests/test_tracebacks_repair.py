"""From a traceback to a fix: programs of the corpus with what an H200 said of them, and programs of our own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from corpus_case import CORPUS, read_case
from pastes import (
    FIXED,
    NAMED,
    PROGRAM,
    diff_lines,
    explained,
    plain,
    program_trace,
    recordings,
    rules,
    texts_after,
    trace,
    write,
)
from text_program import check_texts

from devfix.findings import Applicability

DEVICE = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# ---- the corpus

RECORDED = recordings("corpus")


@pytest.mark.parametrize("name", RECORDED)
def test_a_program_of_the_corpus_is_mended(name: str, tmp_path: Path) -> None:
    """The finding is of the case's cause, and no fault is left but those that devfix says are left."""
    case = read_case(CORPUS / name)
    case.copy("before", tmp_path)
    told = explained(RECORDED[name])
    assert told.reading.kind
    assert told.repair.changed, told.repair.reason
    assert {finding.rule for finding in told.repair.findings} & set(case.rules)
    left = check_texts({**case.texts("before"), **texts_after(told)})
    known = check_texts(case.texts("before"))
    assert len(left) == told.repair.others < len(known)


def test_the_programs_are_of_every_cause() -> None:
    causes = {rule.name for rule in rules()}
    # These are no errors, need another device, need no mismatch, or are known from the text alone.
    silent = {
        "device-scattered",
        "no-device-chosen",
        "float64-on-mps",
        "unused-suppression",
        "devices-disagree",
    }
    assert {name.partition("/")[0] for name in RECORDED} == causes - silent


def test_the_patch_can_be_applied(tmp_path: Path) -> None:
    case = read_case(CORPUS / "criterion-tensor-on-cpu" / "class-weights-in-solver")
    case.copy("before", tmp_path)
    (tmp_path / "error.txt").write_text(RECORDED[case.name])
    shown = subprocess.run(
        [sys.executable, "-m", "devfix", "explain", "--error", "error.txt"],
        capture_output=True, check=True, env={**os.environ, "PYTHONPATH": python_path()},
    )  # fmt: skip
    subprocess.run(["git", "apply", "-"], input=shown.stdout, check=True)
    changed = {name: (tmp_path / name).read_text() for name in case.texts("before")}
    assert changed != case.texts("before")
    assert check_texts(changed) == []


def python_path() -> str:
    root = Path(__file__).resolve().parents[1]
    return os.pathsep.join([str(root), str(root / "codemods")])


# ---- what the analysis does not see, and the traceback does

OPAQUE = """\
    import torch
    from torch import nn

    from zoo import make_encoder, settings


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = make_encoder(settings)
            self.head = nn.Linear(4, 2)

        def forward(self, x, mask):
            h = self.encoder(x)
            return torch.where(mask, h, self.head(h))
    """


def test_the_named_operand_is_moved_to_the_device_of_the_other(tmp_path: Path) -> None:
    write(
        tmp_path,
        loss="""\
            import torch


            def distance(a, b):
                return torch.matmul(a, b)


            def total(model, batch):
                keys = model.encode(batch)
                return distance(keys, model.memory())
            """,
    )
    text = trace(
        tmp_path,
        NAMED.format("mat2", "cpu", "cuda:0", "mm"),
        ("loss", "total", "return distance(keys, model.memory())"),
        ("loss", "distance", "return torch.matmul(a, b)"),
    )
    told = explained(text)
    assert told.repair.witness == "traceback"
    assert told.repair.applicability == Applicability.SAFE
    assert diff_lines(told) == ["return torch.matmul(a, b.to(a.device))"]
    assert "It was passed as `b` from loss.py:10, where it is `model.memory()`." in told.who


def test_what_another_function_passed_is_moved_there_when_it_can_be(tmp_path: Path) -> None:
    write(
        tmp_path,
        train="""\
            import torch
            from zoo import batches, make_model

            device = torch.device("cuda")
            model = make_model().to(device)
            for images, names in batches():
                logits = model(images)
            """,
    )
    text = trace(
        tmp_path,
        NAMED.format("mat1", "cpu", "cuda:0", "addmm"),
        ("train", "<module>", "logits = model(images)"),
    ).replace("    logits = model(images)\n", "    logits = model(images)\n" + MODULE_CALL)
    told = explained(text)
    assert told.repair.witness == "traceback"
    assert diff_lines(told) == ["images = images.to(device)"]


MODULE_CALL = (
    '  File "/env/lib/python3.12/site-packages/torch/nn/modules/module.py", line 1779, in _call_impl\n'
    "    return forward_call(*args, **kwargs)\n"
    '  File "/env/lib/python3.12/site-packages/torch/nn/modules/linear.py", line 134, in forward\n'
    "    return F.linear(input, self.weight, self.bias)\n"
)


def test_the_device_is_not_taken_from_the_operand_that_is_wrong(tmp_path: Path) -> None:
    write(
        tmp_path,
        loss="""\
            import torch
            import torch.nn.functional as F


            def shifted(logits, ids):
                return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
            """,
    )
    line = "return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())"
    text = trace(
        tmp_path, NAMED.format("target", "cuda:0", "cpu", "nll_loss_forward"), ("loss", "shifted", line)
    )
    told = explained(text)
    assert diff_lines(told) == [line.replace("(0, 1),", "(0, 1).to(ids.device),")]


def test_a_module_is_not_moved_where_it_is_used(tmp_path: Path) -> None:
    write(
        tmp_path,
        net="""\
            from torch import nn
            from zoo import make_cell


            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.cell = make_cell()

                def forward(self, x):
                    return self.cell(x)
            """,
    )
    text = trace(
        tmp_path, NAMED.format("mat1", "cuda:0", "cpu", "addmm"), ("net", "forward", "return self.cell(x)")
    ).replace("    return self.cell(x)\n", "    return self.cell(x)\n" + MODULE_CALL)
    told = explained(text)
    assert told.repair.changed == ()
    assert [culprit.text for culprit in told.blame.culprits] == ["self.cell"]
    assert "Move the module" in told.todo


def test_between_half_and_float_nobody_is_cast(tmp_path: Path) -> None:
    write(tmp_path, net="import torch\n\n\ndef forward(x, down):\n    return x @ down\n")
    text = trace(
        tmp_path,
        "RuntimeError: expected mat1 and mat2 to have the same dtype, but got: c10::BFloat16 != float",
        ("net", "forward", "return x @ down"),
    )
    assert explained(text).repair.changed == ()


def test_a_cast_is_unsafe(tmp_path: Path) -> None:
    write(tmp_path, net="import torch\n\n\ndef forward(x, down):\n    return x @ down\n")
    text = trace(
        tmp_path,
        "RuntimeError: expected mat1 and mat2 to have the same dtype, but got: double != float",
        ("net", "forward", "return x @ down"),
    )
    told = explained(text)
    assert diff_lines(told) == ["return x.float() @ down"]
    assert told.repair.applicability == Applicability.UNSAFE


def test_numpy_gets_a_copy_on_the_host(tmp_path: Path) -> None:
    write(tmp_path, plot="import torch\n\n\ndef show(axis, model):\n    axis.plot(model.weights().numpy())\n")
    text = trace(
        tmp_path,
        "TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
        ("plot", "show", "axis.plot(model.weights().numpy())"),
    )
    assert diff_lines(explained(text)) == ["axis.plot(model.weights().detach().cpu().numpy())"]


def test_where_the_analysis_and_pytorch_differ_pytorch_is_right(tmp_path: Path) -> None:
    """The program chose another path than the analysis assumes, and `y` was on the CPU, not `x`."""
    write(
        tmp_path,
        train="""\
            import torch

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            x = torch.randn(4, 4)
            y = torch.randn(4, 4).to(device)
            z = torch.mm(x, y)
            """,
    )
    right = trace(
        tmp_path, NAMED.format("mat2", "cuda:0", "cpu", "mm"), ("train", "<module>", "z = torch.mm(x, y)")
    )
    wrong = trace(
        tmp_path, NAMED.format("mat2", "cpu", "cuda:0", "mm"), ("train", "<module>", "z = torch.mm(x, y)")
    )
    assert explained(right).repair.witness == "analysis"
    told = explained(wrong)
    assert told.repair.changed == ()
    assert told.blame.culprits[0].text == "y"
    assert explained(wrong).who[0].startswith("`y`, the second operand of `torch.mm`, is on the CPU")


# ---- what is shown of a program with more than one fault

TWICE = """\
    import torch
    from torch import nn

    device = torch.device("cuda")
    model = nn.Linear(4, 2).to(device)
    criterion = nn.MSELoss()
    x, y, z = torch.randn(8, 4), torch.randn(8, 2), torch.randn(8, 4)
    loss = criterion(model(x), y)
    other = model(z)
    """


def test_the_fix_takes_the_rest_of_the_statement_along_and_leaves_the_others(tmp_path: Path) -> None:
    write(tmp_path, train=TWICE)
    text = (
        "Traceback (most recent call last):\n"
        '  File "train.py", line 8, in <module>\n'
        "    loss = criterion(model(x), y)\n"
        "                     ^^^^^^^^\n"
        + MODULE_CALL
        + NAMED.format("mat1", "cpu", "cuda:0", "addmm")
        + "\n"
    )
    told = explained(text)
    assert [finding.message for finding in told.repair.findings] == [
        "`x` is on the CPU and meets the parameters of `model` on the accelerator"
    ]
    ((_, fixed),) = told.repair.changed
    left = check_texts({"train.py": fixed})
    assert told.repair.others == len(left) == 1
    assert "model(z)" in fixed
    assert "`z`" in left[0].message


def test_a_suppressed_finding_does_not_hide_the_error(tmp_path: Path) -> None:
    write(tmp_path, train=dedent(PROGRAM))
    (tmp_path / "pyproject.toml").write_text('[tool.devfix]\nignore = ["ALL"]\n')
    assert diff_lines(explained(program_trace())) == FIXED


def test_a_dispatched_model_and_a_missing_gpu_are_no_faults_of_an_operand(tmp_path: Path) -> None:
    write(tmp_path, train=PROGRAM)
    told = explained(
        plain(
            "AssertionError: Torch not compiled with CUDA enabled",
            ("train.py", 4, "<module>", "model = torch.nn.Linear(4, 2).to(device)"),
        )
    )
    assert told.repair.changed == ()
    assert told.who == ()
