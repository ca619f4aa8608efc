"""Errors and frames in every form in which they are written down; the texts are recorded from real runs."""

from __future__ import annotations

import pytest
from pastes import chosen, errors, plain, recorded, user_frames

from devfix.findings import Span

DTYPE = "RuntimeError: mat1 and mat2 must have the same dtype, but got Double and Float"
DEVICE = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
NAMED = "RuntimeError: Expected all tensors to be on the same device, but got mat1 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_addmm)"
NET = [
    ("/home/me/project/net.py", 17, "out = model(batch)"),
    ("/home/me/project/net.py", 12, "h = self.fc(x)"),
]


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("notebook_7", "<ipython-input-2-3365433ab71b>"),
        ("notebook_8_0", "In[2]"),
        ("notebook_8_37", "In[2]"),
        ("notebook_9_coloured", "In[2]"),
    ],
)
def test_notebooks(name: str, cell: str) -> None:
    first, second, key, last = errors(recorded(name))
    assert first.headline == second.headline == DTYPE
    assert user_frames(first) == [(cell, 3, "loss = train(model, x)"), *NET]
    assert [frame.function.rpartition(".")[2] for frame in first.frames][-2:] == ["_call_impl", "forward"]
    assert (key.headline, last.relation) == ("KeyError: 'x'", "context")


@pytest.mark.parametrize("name", ["rich_wide", "rich_narrow", "rich_with_locals"])
def test_boxes(name: str) -> None:
    (found,) = errors(recorded(name))
    assert found.headline == DTYPE
    assert user_frames(found)[-2:] == [(path.replace("/project", ""), line, code) for path, line, code in NET]


@pytest.mark.parametrize("name", ["pytest_long", "pytest_short", "pytest_native"])
def test_pytest(name: str) -> None:
    (found,) = errors(recorded(name))
    assert found.headline == DTYPE
    shown = [(path.rpartition("/")[2], line, code) for path, line, code in user_frames(found)]
    assert shown == [
        ("test_net.py", 8, "assert train(model, x) > 0"),
        ("net.py", 17, "out = model(batch)"),
        ("net.py", 12, "h = self.fc(x)"),
    ]


def test_pytest_with_a_line_for_each_error() -> None:
    assert errors(recorded("pytest_line"))[0].headline == DTYPE


@pytest.mark.parametrize(
    ("name", "relations", "root"),
    [
        ("chained", ["", "context", "cause"], NAMED),
        ("futures", ["", "cause"], DEVICE),
        ("spawn", ["", "inside"], NAMED),
        ("worker_collate", ["", "inside"], "RuntimeError: Cannot re-initialize CUDA in forked subprocess."),
        ("worker_tensors", ["", "inside"], "torch.AcceleratorError: CUDA error: initialization error"),
        ("group", ["", "", ""], DEVICE),
        ("dist_mismatch", ["", ""], NAMED),
        ("torchscript", ["", "inside"], DEVICE),
        ("logged", [""], DEVICE),
    ],
)
def test_errors_that_follow_on_each_other(name: str, relations: list[str], root: str) -> None:
    text = recorded(name)
    assert [raised.relation for raised in errors(text)] == relations
    assert chosen(text).raised.headline.startswith(root)


def test_the_frames_of_a_worker_begin_in_the_main_process() -> None:
    choice = chosen(recorded("worker_collate"))
    own = [
        (frame.line, frame.code)
        for frame in choice.frames
        if frame.path.endswith("project/worker_collate.py")
    ]
    assert own[0][1].startswith("for x in DataLoader(")
    assert own[1] == (5, "return torch.stack(items).cuda()")


def test_the_compiler_names_the_code_it_was_given() -> None:
    (found,) = errors(recorded("compile_inductor"))
    assert found.type == "torch._dynamo.exc.TorchRuntimeError"
    assert found.frames[-1].code == "return F.linear(input, self.weight, self.bias)"
    assert chosen(recorded("compile_inductor")).reading.family.name == "fake-tensor-devices"


def test_a_warning_is_an_error_of_its_own() -> None:
    assert [raised.type for raised in errors(recorded("bnb"))] == ["UserWarning", "UserWarning"]


def test_carets_mark_a_part_of_the_code() -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "net.py", line 5, in forward\n'
        "    return (x - self.mean) / self.std\n"
        "            ~~^~~~~~~~~~~\n"
        "RuntimeError: x\n"
    )
    (found,) = errors(text)
    assert found.frames[0].mark == Span(1, 8, 1, 21)


def test_carets_over_several_lines() -> None:
    """Python 3.13 shows all lines of a call."""
    text = (
        "Traceback (most recent call last):\n"
        '  File "net.py", line 5, in forward\n'
        "    loss = F.mse_loss(\n"
        "        net(x),\n"
        "        y,\n"
        "    )\n"
        "RuntimeError: a\n\n"
        '  File "net.py", line 5, in forward\n'
        "    loss = F.mse_loss(\n"
        "           ~~~~~~~~~~^\n"
        "        net(x),\n"
        "        ^^^^^^^\n"
        "    )\n"
        "    ^\n"
        "RuntimeError: b\n\n"
        '  File "net.py", line 5, in forward\n'
        "    loss = F.mse_loss(\n"
        "           ~~~~~~~~~~^\n"
        "    ...<2 lines>...\n"
        "    )\n"
        "    ^\n"
        "RuntimeError: c\n"
    )
    a, b, c = (raised.frames[0] for raised in errors(text))
    assert (a.code, a.mark) == ("loss = F.mse_loss(\n    net(x),\n    y,\n)", None)
    assert (b.code, b.mark) == ("loss = F.mse_loss(\n    net(x),\n)", Span(1, 7, 3, 1))
    assert (c.code, c.mark) == ("loss = F.mse_loss(", None)


@pytest.mark.parametrize(
    "header",
    [
        "RuntimeError: Caught RuntimeError in replica 0 on device 0.\nOriginal Traceback (most recent call last):\n",
        "RuntimeError: Caught RuntimeError in DataLoader worker process 3.\nOriginal Traceback (most recent call last):\n",
        'concurrent.futures.process._RemoteTraceback: \n"""\nTraceback (most recent call last):\n',
        "torch.multiprocessing.spawn.ProcessRaisedException: \n\n-- Process 1 terminated with the following error:\nTraceback (most recent call last):\n",
    ],
)
def test_the_original_in_what_wraps_it(header: str) -> None:
    outer = plain("", ("main.py", 1, "<module>", "run()")).rstrip() + "\n"
    inner = plain(DEVICE, ("net.py", 4, "forward", "return x + y")).partition("\n")[2]
    found = errors(f"{outer}{header}{inner}")
    assert found[-1].headline == DEVICE
    assert [frame.path for frame in chosen(f"{outer}{header}{inner}").frames][-1] == "net.py"


def test_a_text_whose_beginning_is_missing() -> None:
    text = '    out = self.fc(x)\n  File "net.py", line 9, in forward\n    return x + y\n' + DEVICE
    (found,) = errors(text)
    assert user_frames(found) == [("net.py", 9, "return x + y")]
    assert found.headline == DEVICE


def test_a_text_whose_end_is_missing() -> None:
    assert errors(plain("", ("net.py", 9, "forward", "return x + y"))) == []


@pytest.mark.parametrize(
    "text",
    [
        DEVICE,
        f"   {DEVICE}   ",
        DEVICE.partition(": ")[2],
        f"Help: I get {DEVICE} when I train, what now?",
        "Title: Expected all tensors to be on the same\ndevice, but found at least two devices,\ncuda:0 and cpu! #123",
    ],
)
def test_a_message_alone(text: str) -> None:
    assert chosen(text).reading.family.name == "two-devices"


def test_the_first_of_several_mismatches_is_explained_and_the_others_are_kept() -> None:
    choice = chosen("\n".join([plain("KeyError: 'a'"), plain(DEVICE), plain(DTYPE), plain(DEVICE)]))
    assert choice.raised.headline == DEVICE
    assert [raised.headline for raised in choice.others] == ["KeyError: 'a'", DTYPE]


def test_a_mismatch_matters_more_than_what_it_brought_about() -> None:
    text = "\n".join(
        [
            "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1207, unhandled cuda error",
            plain("RuntimeError: CUDA error: device-side assert triggered"),
            plain(DEVICE),
        ]
    )
    assert chosen(text).raised.headline == DEVICE


def test_an_error_matters_more_than_a_warning() -> None:
    warning = "net.py:3: UserWarning: You are calling .generate() with the `input_ids` being on a device type different than your model's device. x\n"
    assert chosen(warning).reading.family.name == "generate-input-ids"
    assert (
        chosen(warning + plain("torch.OutOfMemoryError: CUDA out of memory. Tried")).reading.family.name
        == "out-of-memory"
    )


def test_anomaly_detection_shows_where_the_loss_was_made() -> None:
    forward = (
        "[W python_anomaly_mode.cpp:104] Warning: Error detected in MseLossBackward. Traceback of forward call that caused the error:\n"
        '  File "train.py", line 7, in step\n    loss = F.mse_loss(out, y)\n'
        " (function _print_stack)\n"
    )
    backward = (
        "Traceback (most recent call last):\n"
        '  File "train.py", line 9, in step\n    loss.backward()\n'
        '  File "/env/lib/python3.8/site-packages/torch/tensor.py", line 221, in backward\n'
        "    torch.autograd.backward(self, gradient, retain_graph, create_graph)\n"
        "RuntimeError: Found dtype Double but expected Float\n"
    )
    (found,) = errors(forward + backward)
    assert [(frame.line, frame.code) for frame in found.forward] == [(7, "loss = F.mse_loss(out, y)")]
