"""Operations of floats alone: what refuses whole numbers on the CPU, and what on an accelerator, asked of PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest
from reality import lies
from text_program import check_texts, clashes, fix_texts
from torch import nn

from devfix.analysis.torch_model.tensors import float_operations
from devfix.findings import Applicability
from devfix.simulator import Machine, simulated_accelerator

HEAD = """\
import torch
import torch.nn.functional as F
from torch import nn
x = torch.ones(1, 4, 8, 8, device={device!r}).to({dtype})
m = torch.eye(4, device={device!r}).to({dtype})
w = torch.ones(2, 4, 3, 3, device={device!r}).to({dtype})
"""
#: One expression a line; whether it is refused depends on the dtype, and on where the tensors are.
EXPRESSIONS = """
nn.SiLU()(x)
nn.LeakyReLU()(x)
nn.RReLU()(x)
nn.LogSigmoid()(x)
nn.GELU()(x)
nn.Mish()(x)
nn.Softplus()(x)
nn.Softmax(1)(x)
nn.Softmax2d()(x)
torch.softmax(m, 1)
torch.softmax(m, 1, torch.float32)
m.log_softmax(1, torch.float32)
F.softmax(m, 1, 3, torch.float32)
F.log_softmax(m, 1, 3, None)
nn.GLU(1)(x)
nn.Sigmoid()(x)
nn.Tanh()(x)
nn.PixelShuffle(2)(x)
nn.ZeroPad2d(1)(x)
nn.LayerNorm(8, elementwise_affine=False)(x)
nn.InstanceNorm2d(4)(x)
nn.BatchNorm2d(4, affine=False, track_running_stats=False)(x)
nn.LocalResponseNorm(2)(x)
nn.Unfold(2)(x)
nn.Upsample(scale_factor=2)(x)
nn.UpsamplingNearest2d(scale_factor=2)(x)
nn.UpsamplingBilinear2d(scale_factor=2)(x)
nn.MaxPool2d(2)(x)
nn.AvgPool2d(2)(x)
F.interpolate(x, scale_factor=2)
F.interpolate(x, size=4, mode="nearest-exact")
F.interpolate(x, size=4, mode="bilinear")
F.interpolate(x, size=4, mode="bicubic")
F.interpolate(x, size=4, mode="area")
F.unfold(x, 2)
x.unfold(2, 2, 2)
F.fold(torch.ones(1, 16, 4, device=x.device).to(x.dtype), 4, 2, stride=2)
F.layer_norm(m, (4,))
F.group_norm(x, 2)
F.instance_norm(x)
F.cosine_similarity(m, m)
F.pairwise_distance(m.float(), m.float())
F.linear(m, m)
F.bilinear(m, m, torch.ones(2, 4, 4, device=m.device).to(m.dtype))
F.conv2d(x, w)
F.conv2d(x.float(), w.float())
F.scaled_dot_product_attention(x, x, x)
F.pdist(m)
torch.matmul(m, m)
m @ m
m[0] @ m[0]
m * m
torch.inner(m, m)
torch.outer(m[0], m[0])
torch.tensordot(m, m, 1)
torch.einsum("ij,jk->ik", m, m)
torch.einsum("i,j->ij", m[0], m[0])
torch.einsum("ij,jk->ik", m.float(), m.float())
torch.linalg.multi_dot([m, m])
torch.linalg.det(m)
torch.linalg.qr(m)
torch.linalg.svdvals(m)
torch.linalg.solve(m, m[0])
torch.linalg.matrix_norm(m)
torch.linalg.vecdot(m, m)
torch.logdet(m)
torch.dist(m.float(), m.float())
torch.dist(m[0], m[1])
torch.hypot(m, m)
torch.hypot(m, m.float())
torch.logaddexp(m, m)
torch.lerp(m, m, 0.5)
torch.renorm(m, 2, 0, 1.0)
torch.sum(m)
torch.logsumexp(m, 0)
torch.fft.fft(m)
""".strip().splitlines()
DTYPES = ["torch.int64", "torch.int32", "torch.uint8", "torch.bool", "torch.float32", "torch.float64"]


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with simulated_accelerator() as found:
        yield found


def is_refused(expression: str, names: dict[str, object]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            eval(expression, names)
        except (RuntimeError, NotImplementedError):
            return True
    return False


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_refused_is_found_and_nothing_else(machine: Machine, dtype: str, device: str) -> None:
    head = HEAD.format(device=device, dtype=dtype)
    names: dict[str, object] = {}
    exec(head, names)
    refused = [line for line in EXPRESSIONS if is_refused(line, names)]
    found = clashes(head + "\n".join(EXPRESSIONS))
    first = head.count("\n") + 1
    assert {clash.partition(": ")[2] for clash in found} <= {"float-dtype"}
    lines = [EXPRESSIONS[int(clash.partition(":")[0]) - first] for clash in found]
    assert (set(lines) - set(refused), set(refused) - set(lines)) == (set(), set())
    assert dtype.startswith("torch.float") == (not refused)


def test_a_picture_of_bytes_is_cast_before_it_is_resized() -> None:
    text = """\
import torch
import torch.nn.functional as F

device = torch.device("cuda")
picture = torch.zeros(1, 3, 8, 8, dtype=torch.uint8, device=device)
small = F.interpolate(picture, size=(4, 4), mode="bilinear")
mask = F.interpolate(picture, size=(4, 4), mode="nearest")
other = F.interpolate(picture, size=(4, 4), mode=input())
print(small, mask, other)
"""
    (finding,) = check_texts({"main.py": text})
    assert (finding.rule, finding.span.line) == ("integer-where-float-needed", 6)
    assert "on an accelerator" in finding.message
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    line = 'small = F.interpolate(picture.float(), size=(4, 4), mode="bilinear")'
    assert after["main.py"].splitlines()[5] == line
    assert check_texts({"main.py": text.replace('"cuda"', '"cpu"')}) == []


def test_a_game_of_life_counts_its_neighbours_in_floats_on_an_accelerator() -> None:
    text = """\
import torch
import torch.nn.functional as F

device = torch.device("cuda")
board = torch.randint(0, 2, (1, 1, 16, 16), device=device)
around = torch.ones(1, 1, 3, 3, dtype=torch.int64, device=device)
print(F.conv2d(board, around, padding=1) - board)
"""
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    line = "print(F.conv2d(board.float(), around.float(), padding=1) - board)"
    assert after["main.py"].splitlines()[-1] == line
    assert check_texts(after) == check_texts({"main.py": text.replace('"cuda"', '"cpu"')}) == []


def test_a_condition_is_no_matrix() -> None:
    """``torch.cond`` chooses between two functions; ``torch.linalg.cond`` is another one."""
    text = (
        "import torch\nx = torch.ones(2, 2, device='cuda')\nprint(torch.cond(x.sum() > 0, abs, abs, (x,)))\n"
    )
    assert clashes(text) == []


def test_the_functions_of_layers_are_functions() -> None:
    """Every layer of torch's that is called without weights has a function that is found by its name."""
    for name in ("SiLU", "LeakyReLU", "MaxPool2d", "LogSigmoid", "Softmax2d", "LayerNorm", "InstanceNorm3d"):
        assert hasattr(nn.functional, float_operations.of_layer(name))
        assert hasattr(nn, name)


def test_what_is_made_of_whole_numbers_has_the_dtype_that_torch_gives_it() -> None:
    text = """
    import torch
    from torch import nn
    i, s, b = torch.ones(3, 3, dtype=torch.int64), torch.ones(3, 3, dtype=torch.int32), torch.ones(3, 3) > 0
    a = nn.Sigmoid()(i)
    c = nn.Tanh()(b)
    d = nn.ReLU()(s)
    e = torch.trace(s)
    f = torch.vander(s[0])
    g = torch.clamp(b, 0, 1)
    h = torch.einsum("ij->i", s)
    j = torch.add(b, 1)
    k = torch.stft(torch.ones(16), 4, window=torch.ones(4, dtype=torch.float64), return_complex=True)
    l = torch.stft(torch.ones(16), 4, window=torch.ones(4), return_complex=True)
    m = torch.mul(s, 2)
    n = torch.softmax(i.half(), 1, torch.float32)
    o = i.half().log_softmax(1, torch.float32)
    p = nn.functional.softmax(i.half(), 1, 3, torch.float64)
    q = torch.softmax(i, 1, torch.float64)
    """
    assert lies(text) == []
