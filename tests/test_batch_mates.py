"""What is left of a batch that nobody knows: once one part of it moved, the others are on the CPU."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from text_program import clashes, fix_texts

PROGRAM = """
import torch
from torch import nn
from torch.autograd import Variable
from readers import batches

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 3).to(device)
criterion = nn.CrossEntropyLoss()
for {target} in batches():
"""


def program(body: str, target: str = "x, y") -> str:
    return PROGRAM.format(target=target) + indent(dedent(body).strip("\n"), "    ") + "\n"


def added(body: str, target: str = "x, y") -> list[str]:
    """The lines that the repair adds."""
    text = program(body, target)
    after = fix_texts({"main.py": text})[0]["main.py"]
    return [line.strip() for line in after.splitlines() if line not in text.splitlines()]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("x = x.to(device)\ncriterion(net(x), y)", "y = y.to(device)"),
        ("x = x.to(device)\ny = y.long()\ncriterion(net(x), y)", "y = y.long().to(device)"),
        ("criterion(net(x.cuda()), y)", "y = y.to(device)"),
        ("x = Variable(x).cuda()\ny = Variable(y)\ncriterion(net(x), y)", "y = Variable(y).to(device)"),
        ("y = y.to(device)\ncriterion(net(x), y)", "x = x.to(device)"),
    ],
)
def test_what_is_left_moves_as_well(body: str, line: str) -> None:
    assert line.split(maxsplit=1)[0] in {each.split()[0] for each in added(body)}
    assert all(each.endswith(".to(device)") for each in added(body))


def test_what_is_left_moves_under_the_guard_of_the_other() -> None:
    text = program("if torch.cuda.is_available():\n    x = x.cuda()\ncriterion(net(x), y)")
    text = text.replace(".to(device)", ".cuda()").replace("device = ", "chosen = ")
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert "        x = x.cuda()\n        y = y.cuda()\n" in after


@pytest.mark.parametrize(
    ("target", "body"),
    [
        ("x, y", "x, y = x.to(device), y.to(device)\ncriterion(net(x), y)"),
        ("x, y", "criterion(net(x.to(device)), y.to(device))"),
        ("x, y", "x = x.to(device)\ny = prepared(y)\ncriterion(net(x), y)"),
        ("x, y", "criterion(net(x), y)"),
        ("x, y", "x = x.cpu()\ncriterion(net(x), y)"),
        ("x, scale", "print(net(x.to(device)) * scale)"),
        ("x, y", "x = x.to(device)\nfor x, y in y:\n    criterion(net(x), y)"),
        ("batch", "x, y = ready(batch)\nx = x.to(device)\ncriterion(net(x), y)"),
    ],
)
def test_what_may_be_elsewhere_or_no_tensor_stays(target: str, body: str) -> None:
    assert not clashes(program(body, target))


def test_what_one_path_alone_leaves_behind_stays() -> None:
    """Where nobody knows which path is taken nothing is known of what the batch gave."""
    body = "if x.shape[0] > 3:\n    x = x.to(device)\nelse:\n    y = y.to(device)\ncriterion(net(x), y)"
    assert not clashes(program(body))


LAYERS = """
import torch
from torch import nn
from readers import batches, sizes

layers = []
for first, last in sizes():
    layers.append(nn.Linear(first, last))
    layers.append({other})
net = nn.Sequential(*layers).cuda()
for x in batches():
    {use}
"""


def test_layers_of_unknown_number_make_something_of_anything_where_their_weights_are() -> None:
    lost = "net(x) + torch.ones(3)"
    assert clashes(LAYERS.format(other="nn.ReLU()", use=lost)) == ["12: device"]
    assert not clashes(LAYERS.format(other="nn.ReLU()", use="net(x) + torch.ones(3).cuda()"))
    assert not clashes(LAYERS.format(other="sizes()", use=lost))


MOVED = """
import torch
from torch import nn
from readers import batches

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU()){model}
for batch in batches():
    x, y = {parts}
    nn.functional.mse_loss(net(x), y).backward()
"""


@pytest.mark.parametrize(
    "parts",
    ["batch[0].to(device), batch[1].to(device)", "[part.cuda() for part in batch]", "batch.to(device)"],
)
def test_a_model_meets_what_moved_of_a_batch(parts: str) -> None:
    assert not clashes(MOVED.format(model=".to(device)", parts=parts))
    if "batch.to" not in parts:
        text = MOVED.format(model="", parts=parts)
        after = fix_texts({"main.py": text})[0]["main.py"]
        assert after == MOVED.format(model=".to(device)", parts=parts)


@pytest.mark.parametrize(
    "use",
    [
        "x = x.to(torch.float64)\n    net(x)",
        "x = x.to(device).cpu()\n    net(x)",
        "net(taken(x.to(device)))",
        "x.to(device)\n    net(x)",
    ],
)
def test_what_may_not_have_moved_meets_nothing(use: str) -> None:
    text = MOVED.format(model="", parts="batch").replace("nn.functional.mse_loss(net(x), y).backward()", use)
    assert not clashes(text)


def test_a_device_that_a_batch_names_is_any_device() -> None:
    """What nobody knows may be a device as well, or what a data set is made of."""
    body = """
        net = nn.Linear(3, 3).to(y)
        net(x.to(device))
        for part, in torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x)):
            net(part)
    """
    assert not clashes(program(body))


@pytest.mark.parametrize(
    ("target", "body", "line"),
    [
        ("batch", 'x = batch["x"].to(device)\ncriterion(net(x), batch["y"])', 'batch["y"].to(device)'),
        (
            "i, batch",
            'y = batch["y"]\nx = batch["x"].to(device)\ncriterion(net(x), y)',
            'batch["y"].to(device)',
        ),
        ("batch", "criterion(net(batch[0].to(device)), batch[1])", "batch[1].to(device)"),
        ("batch", "x = batch.x.to(device)\ncriterion(net(x), batch.y)", "batch.y.to(device)"),
        ("x, y", 'x = x.to(device)\ncriterion(net(x), y["label"])', 'y["label"].to(device)'),
        ("n", 'b = next(iter(n))\ncriterion(net(b["x"].to(device)), b["y"])', 'b["y"].to(device)'),
        (
            "b",
            'b["x"] = b["x"].to(device)\ncriterion(net(b["x"]), b["y"].long())',
            'b["y"] = b["y"].to(device)',
        ),
        ("b", 'if "y" in b:\n    criterion(net(b["x"].float().cuda()), b["y"])', 'b["y"].to(device)'),
    ],
)
def test_what_is_left_in_a_batch_that_stays_whole_moves_where_it_is_taken_out(
    target: str, body: str, line: str
) -> None:
    lines = added(body, target)
    assert len(lines) == 1
    assert line in lines[0]


@pytest.mark.parametrize(
    "body",
    [
        'criterion(net(b["x"].to(device)), b["y"].to(device))',
        'b["x"], b["y"] = b["x"].to(device), b["y"].to(device)\ncriterion(net(b["x"]), b["y"])',
        'b["y"] = prepared(b["y"])\ncriterion(net(b["x"].to(device)), b["y"])',
        "b.y = prepared(b.y)\ncriterion(net(b.x.to(device)), b.y)",
        'prepare(b)\ncriterion(net(b["x"].to(device)), b["y"])',
        'b.update(ready)\ncriterion(net(b["x"].to(device)), b["y"])',
        'b = {k: v.to(device) for k, v in b.items()}\ncriterion(net(b["x"].to(device)), b["y"])',
        'for k in b:\n    b[k] = b[k].to(device)\ncriterion(net(b["x"].to(device)), b["y"])',
        "b.to(device)\ncriterion(net(b.x.to(device)), b.y)",
        "c = b\nmove(c)\ncriterion(net(b.x.to(device)), b.y)",
        "if ready:\n    b.y = b.y.to(device)\ncriterion(net(b.x.to(device)), b.y)",
        'print(net(b["x"].to(device)) * b["scale"])',
        'criterion(net(b["x"]), b["y"])',
    ],
)
def test_what_may_have_moved_with_a_batch_stays(body: str) -> None:
    assert not clashes(program(body, "b"))


STEP = """
import torch
from torch import nn
from readers import batches

device = torch.device("cuda")
net = nn.Linear(3, 3).to(device)
criterion = nn.CrossEntropyLoss()

def step(batch, net):
    {step}
    y = batch["y"]
    return criterion(net(batch["x"].to(device)), y)

for batch in batches():
    {before}
    step({call})
"""


@pytest.mark.parametrize("call", ["batch, net", "net=net, batch=batch"])
def test_a_function_of_the_program_may_take_a_batch_apart(call: str) -> None:
    text = STEP.format(step="pass", before="pass", call=call)
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace('y = batch["y"]', 'y = batch["y"].to(device)')


@pytest.mark.parametrize(
    ("step", "before"),
    [
        ("prepare(batch)", "pass"),
        ("pass", "prepare(batch)"),
        ("batch = prepare(batch)", "pass"),
        ("batch['y'] = prepare()", "pass"),
        ("pass", "batches.last = batch"),
    ],
)
def test_who_else_gets_a_batch_may_move_all_of_it(step: str, before: str) -> None:
    assert not clashes(STEP.format(step=step, before=before, call="batch, net"))


COMPUTED = """
import torch
from readers import batches

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
scale = torch.linspace(1, 3, 3)
for x in batches():
    x = x.to(device)
    {line}
"""


@pytest.mark.parametrize(
    "expression",
    [
        "x + scale",
        "scale < x",
        "(x @ x.t()).sum() + scale",
        "x[:, 0] * scale",
        "x[0] * scale",
        "x.exp() / scale",
        "torch.maximum(x, scale)",
        "torch.nonzero(x == 1).squeeze() * scale",
    ],
)
def test_what_moved_is_a_tensor_where_it_is_computed_with(expression: str) -> None:
    text = COMPUTED.format(line=f"print({expression})")
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert "scale = torch.linspace(1, 3, 3, device=device)" in after


@pytest.mark.parametrize(
    "line",
    [
        "print(x.graph + scale)",
        "print(x.shape[-1] * scale)",
        "rows = x.ndim\n    print(scale * rows)",
        "size = x.shape[0]\n    print((scale * size).ceil())",
        "print(x['text'] * scale)",
        "print(x.to('cpu') + scale)",
        "print(x + scale[0])",
        "print(x + 1, x is scale)",
        "y = x.cpu()\n    print(y + scale)",
        "print(x(scale))",
        "x.step(scale)",
    ],
)
def test_what_moved_need_not_be_a_tensor_elsewhere(line: str) -> None:
    assert not clashes(COMPUTED.format(line=line))


def test_what_moved_to_different_accelerators_may_meet() -> None:
    """Nobody says which of them holds what a stranger gave."""
    text = COMPUTED.replace("linspace(1, 3, 3)", 'linspace(1, 3, 3, device="cuda:1")')
    assert not clashes(text.format(line="print(x + scale)"))
