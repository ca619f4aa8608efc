"""Operations that take no floats of 16 bits: Fourier transforms, decompositions and quantiles."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import torch
from text_program import clashes, fix_texts

from devfix.analysis.torch_model.tensors import narrow_floats
from devfix.findings import Applicability

#: What a layer gives under autocast, and what is done with it.
_LAYER = """
import torch
from torch import nn

class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp, self.gain = nn.Linear(8, 8), nn.Parameter(torch.ones(5))

    def forward(self, h):
        {use}

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Mixer().to(device)
with {around}:
    print(net(torch.randn(4, 8, device=device)))
"""
_BRAIN, _HALF = 'torch.autocast("cuda", dtype=torch.bfloat16)', 'torch.autocast("cuda", dtype=torch.float16)'


def _layer(use: str, around: str = _BRAIN) -> str:
    return _LAYER.replace("{use}", use).replace("{around}", around)


@pytest.mark.parametrize(
    ("use", "fixed"),
    [
        (
            "return torch.fft.rfft(self.inp(h), dim=1) * self.gain",
            "return torch.fft.rfft(self.inp(h).float(), dim=1) * self.gain",
        ),
        (
            "h = self.inp(h)\n        return torch.linalg.svd(h)",
            "h = self.inp(h)\n        return torch.linalg.svd(h.float())",
        ),
        (
            "h = self.inp(h)\n        return (h.T @ h).inverse()",
            "h = self.inp(h)\n        return (h.T @ h).float().inverse()",
        ),
        (
            "return torch.quantile(self.inp(h), 0.5)",
            "return torch.quantile(self.inp(h).float(), 0.5)",
        ),
    ],
)
def test_what_autocast_makes_is_widened_where_it_is_too_narrow(use: str, fixed: str) -> None:
    assert clashes(_layer(use)) == [f"{11 + use.count(chr(10))}: narrow-float"]
    after, _ = fix_texts({"main.py": _layer(use)}, Applicability.UNSAFE)
    assert after["main.py"] == _layer(fixed)
    assert clashes(after["main.py"]) == []


@pytest.mark.parametrize(
    ("use", "around"),
    [
        ("return torch.fft.rfft(self.inp(h))", _HALF),  # an accelerator has it
        ("return torch.fft.rfft(self.inp(h))", "torch.no_grad()"),
        ("return torch.fft.rfft(h)", _BRAIN),
        ("return torch.cdist(self.inp(h), self.inp(h))", _BRAIN),  # which autocast widens
        ("return torch.linalg.svd(nn.functional.layer_norm(self.inp(h), (8,)))", _BRAIN),
        ("return torch.linalg.norm(self.inp(h)) + self.inp(h).std()", _BRAIN),
        ("return torch.linalg.svd(self.inp(h).double())", _BRAIN),
        (
            "with torch.autocast('cuda', enabled=False):\n            return torch.linalg.svd(self.inp(h))",
            _BRAIN,
        ),
    ],
)
def test_what_is_wide_enough_stays(use: str, around: str) -> None:
    assert clashes(_layer(use, around)) == []


def test_autocast_for_the_cpu_widens_it() -> None:
    text = """
    import torch

    net = torch.nn.Linear(4, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        print(torch.fft.rfft(net(torch.ones(2, 4))), torch.quantile(net(torch.ones(2, 4)), 0.5))
    """
    assert clashes(text) == []
    net = torch.nn.Linear(4, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        given = net(torch.ones(2, 4))
        found = torch.fft.rfft(given).dtype, torch.quantile(given, 0.5).dtype
    assert (given.dtype, found) == (torch.bfloat16, (torch.complex64, torch.float32))


def test_a_model_of_halves_has_what_comes_of_it_in_halves_again() -> None:
    text = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.eye(4, device=device).half()
print(x @ torch.linalg.inv(x))
print(torch.linalg.solve(x, x).shape)
"""
    assert clashes(text) == ["6: narrow-float", "7: narrow-float"]
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert "print(x @ torch.linalg.inv(x.float()).to(x.dtype))" in after["main.py"]
    assert "torch.linalg.solve(x.float(), x.float())" in after["main.py"]
    assert clashes(after["main.py"]) == []


def test_the_cpu_counts_narrow_floats() -> None:
    text = "import torch\nx = torch.rand(9){}.half()\nprint(torch.histc(x, 4, 0, 1))\n"
    assert clashes(text.format("")) == []
    assert clashes(text.format(".cuda()")) == ["3: narrow-float"]
    assert torch.histc(torch.rand(9).half(), 4, 0, 1).dtype == torch.float16


@pytest.mark.parametrize("rows", [4, 40])
def test_distances_of_narrow_floats_may_be_made_of_products(rows: int) -> None:
    """Euclidean ones of many rows are, and who knows how many there are; no others."""
    x = torch.rand(rows, 3, dtype=torch.float16)
    head = f"import torch\nx = torch.rand({rows}, 3, dtype=torch.float16).cuda()\n"
    for use in ("torch.cdist(x, x)", "torch.cdist(x, x, 2.0)"):
        assert clashes(f"{head}{use}\n") == []
    assert clashes(f"{head}torch.cdist(x, x, p=1.0)\n") == ["3: narrow-float"]
    if rows == 40:
        assert torch.cdist(x, x).dtype == torch.float16
    with pytest.raises(NotImplementedError, match="cdist"):
        torch.cdist(x, x, p=1.0)


@pytest.mark.parametrize("name", ["torch.special.zeta", "torch.igamma", "torch.igammac"])
def test_a_wide_operand_widens_a_narrow_one(name: str) -> None:
    wide, narrow = torch.ones(3), torch.ones(3, dtype=torch.float16)
    function = eval(name)
    assert function(wide, narrow).dtype == function(narrow, wide).dtype == torch.float32
    head = "import torch\nwide, narrow = torch.ones(3).cuda(), torch.ones(3, dtype=torch.float16).cuda()\n"
    assert clashes(f"{head}{name}(wide, narrow)\n{name}(narrow, wide)\n") == []
    assert clashes(f"{head}{name}(narrow, narrow)\n") == ["3: narrow-float"]


#: What an H200 answered (tests/recorded/narrow_questions.py).
ANSWERS: dict[str, str] = json.loads((Path(__file__).parent / "data" / "h200_answers.json").read_text())[
    "narrow"
]
#: What is refused and nothing is said of: what depends on a number, parts with their own dtype, and who knows which length.
UNFOLLOWED = re.compile(
    r"matrix_power|matrix_exp|Beta|Dirichlet|sparse\.mm|ord=|\bnorm\(|vander|ormqr|l[ud]l?_solve|ctc_loss|Multivariate|orthogonal_|\[:, :3\]|, 6, |chebyshev|cdist\(\w, \w\)"
)
ASKED = """
import torch
import torch.nn.functional as F
from torch import nn
h = torch.eye(4, dtype=torch.float16, device="cuda").mul(2)
w = torch.eye(4, dtype=torch.bfloat16, device="cuda").mul(2)
g = torch.eye(4, device="cuda").mul(2)
i = torch.arange(4, device="cuda", dtype=torch.int32) + 1
"""


def as_program(question: str) -> str:
    """A question for an accelerator, as the lines of a script."""
    found = re.fullmatch(r"(?:(auto|brain)\(lambda: )?kind\((.*?)\)\)?", question)
    assert found is not None
    if found[1] is None:
        return f"{ASKED}{question}\n".replace("kind(", "(", 1)
    dtype = {"auto": "torch.float16", "brain": "torch.bfloat16"}[found[1]]
    return f'{ASKED}with torch.autocast("cuda", dtype={dtype}):\n    {found[2]}\n'


@pytest.mark.parametrize(("question", "answer"), ANSWERS.items())
def test_what_an_accelerator_refuses_is_found(question: str, answer: str) -> None:
    refused = not answer.startswith("ok")
    said = [line.partition(": ")[2] for line in clashes(as_program(question))]
    assert said == ["narrow-float"] * refused or (refused and not said and UNFOLLOWED.search(question))


def test_every_operation_is_asked_of_an_accelerator() -> None:
    asked = {name for question in ANSWERS for name in re.findall(r"\b(\w+)\(", question)}
    assert sorted(narrow_floats.REFUSED.keys() - asked) == []


_PROBABILITIES = """
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid()).to(device)
bce = nn.BCELoss()
steps = 2
x, y = torch.randn(5, 3).to(device), torch.ones(5, 1).to(device)
with {around}:
    prob = net(x)
{loss}
loss.backward()
"""
_CUDA_HALF = 'torch.autocast("cuda", dtype=torch.float16)'
_APART = "with torch.autocast(prob.device.type, enabled=False):"


@pytest.mark.parametrize(
    "around",
    [
        _CUDA_HALF,
        _BRAIN,
        "torch.amp.autocast(device.type, dtype=torch.float16)",
        "torch.cuda.amp.autocast()",
        "torch.cuda.amp.autocast(steps > 1, torch.bfloat16)",
    ],
)
@pytest.mark.parametrize("loss", ["bce({}, y)", "F.binary_cross_entropy({}, y)"])
def test_a_loss_that_autocast_refuses_is_computed_behind_it(loss: str, around: str) -> None:
    text = _PROBABILITIES.format(around=around, loss=f"    loss = {loss.format('prob')}")
    wanted = _PROBABILITIES.format(around=around, loss=f"loss = {loss.format('prob.float()')}")
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == wanted
    assert clashes(wanted) == []


def test_wide_probabilities_are_refused_under_autocast_as_well() -> None:
    text = _PROBABILITIES.format(around=_CUDA_HALF, loss="    loss = bce(prob.float(), y)")
    wanted = _PROBABILITIES.format(around=_CUDA_HALF, loss="loss = bce(prob.float(), y)")
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == wanted
    assert clashes(wanted) == []


def test_what_is_computed_of_the_loss_goes_along() -> None:
    text = _PROBABILITIES.format(
        around=_CUDA_HALF, loss="    loss = bce(prob, y)\n    loss = loss / steps\n    loss += 1"
    )
    wanted = _PROBABILITIES.format(
        around=_CUDA_HALF, loss="loss = bce(prob.float(), y)\nloss = loss / steps\nloss += 1"
    )
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == wanted


@pytest.mark.parametrize(
    ("loss", "wanted"),
    [
        (
            "    loss = bce(prob, y)\n    other = net(x)",
            f"    {_APART}\n        loss = bce(prob.float(), y)\n    other = net(x)",
        ),
        (
            "    if steps:\n        loss = 2 * bce(prob.view(-1),\n            y.view(-1))",
            f"    if steps:\n        {_APART}\n            loss = 2 * bce(prob.view(-1).float(),\n                y.view(-1))",
        ),
    ],
)
def test_a_loss_that_cannot_go_behind_autocast_turns_it_off(loss: str, wanted: str) -> None:
    text, after = (_PROBABILITIES.format(around=_CUDA_HALF, loss=each) for each in (loss, wanted))
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == after
    assert clashes(after) == []


_CALLED = """
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid()).to(device)

def compare(prob, y):
{loss}

with torch.cuda.amp.autocast():
    loss = compare(net(torch.randn(5, 3).to(device)), torch.ones(5, 1).to(device))
"""


def test_a_function_that_is_called_under_autocast_turns_it_off() -> None:
    text = _CALLED.format(loss="    return F.binary_cross_entropy(prob, y)")
    wanted = _CALLED.format(loss=f"    {_APART}\n        return F.binary_cross_entropy(prob.float(), y)")
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == wanted
    assert clashes(wanted) == []


@pytest.mark.parametrize(
    "loss",
    [
        "    loss = bce(net(x), y)\n    other = net(x)",
        "    loss = bce(prob, y) + net(x).sum()\n    other = net(x)",
        "    loss = bce(prob, y) + x[0] @ x[1]\n    other = net(x)",
        "    loss = [bce(each, y) for each in (prob, prob)][0]\n    other = net(x)",
        "    loss = bce(prob, y) if steps else None\n    other = net(x)",
        "    loss = steps and bce(prob, y)\n    other = net(x)",
        "    loss = bce(prob, y)  # of two\n    other = net(x)",
        "    if steps: loss = bce(prob, y)",
        "    steps += 1; loss = bce(prob, y); other = net(x)",
    ],
)
def test_what_cannot_leave_autocast_is_told_alone(loss: str) -> None:
    text = _PROBABILITIES.format(around=_CUDA_HALF, loss=loss)
    assert len(clashes(text)) == 1
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == text


@pytest.mark.parametrize(
    ("around", "loss"),
    [
        ("torch.no_grad()", "    loss = bce(prob, y)"),
        ('torch.autocast("cuda", enabled=False)', "    loss = bce(prob, y)"),
        ("torch.cuda.amp.autocast(False)", "    loss = bce(prob, y)"),
        ('torch.autocast("cpu")', "    loss = bce(prob, y)"),
        ('torch.autocast("cpu", dtype=torch.bfloat16)', "    loss = bce(prob, y)"),
        ("torch.cpu.amp.autocast()", "    loss = bce(prob, y)"),
        ("torch.cuda.amp.autocast(enabled=steps > 2)", "    loss = bce(prob, y)"),
        (_CUDA_HALF, "    loss = bce(prob.float().cpu(), y.cpu())"),
        (_CUDA_HALF, '    with torch.autocast("cuda", enabled=False):\n        loss = bce(prob.float(), y)'),
        (_CUDA_HALF, "    loss = F.binary_cross_entropy_with_logits(prob, y)"),
        (_CUDA_HALF, "    loss = F.mse_loss(prob, y)"),
    ],
)
def test_losses_that_autocast_takes_or_does_not_reach_stay(around: str, loss: str) -> None:
    text = _PROBABILITIES.format(around=around, loss=loss)
    assert clashes(text) == []
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == text


@pytest.mark.parametrize(
    ("loss", "found"),
    [
        ("    loss = bce(prob, y)", 1),
        ("    loss = F.mse_loss(prob, y) if args.amp else bce(prob, y)", 0),
        ("    if not args.amp:\n        loss = bce(prob, y)", 0),
        ("    loss = bce(prob, y) if args.other else None", 1),
    ],
)
def test_where_a_switch_of_autocast_is_asked_the_loss_may_be_another(loss: str, found: int) -> None:
    text = "from options import args\n" + _PROBABILITIES.format(
        around='torch.autocast("cuda", dtype=torch.float16, enabled=args.amp)', loss=loss
    )
    assert len(clashes(text)) == found


def test_probabilities_on_the_cpu_are_none_of_cuda() -> None:
    text = _PROBABILITIES.format(around=_CUDA_HALF, loss="    loss = bce(prob, y)").replace(
        '"cuda" if torch.cuda.is_available() else "cpu"', '"cpu"'
    )
    assert clashes(text) == []
