"""Numbers beyond the dtype of the tensor they meet: which operations refuse them, and what the others make of them.

Each line is asked for a tensor of float16 (``h``), bfloat16 (``w``), float32 (``f``), int8 (``k``), uint8 (``u``) and
int32 (``n``) with a number that is too large for it.
"""

from __future__ import annotations

import re
from typing import Any

import torch
from recorded.autocast_questions import auto, brain
from recorded.questions import Questions
from torch import nn
from torch.nn import functional

QUESTIONS = Questions()


def _tensor(dtype: torch.dtype) -> Any:
    return lambda: torch.tensor([1, 2], dtype=dtype, device="cuda")


NAMES: dict[str, Any] = {
    "torch": torch,
    "nn": nn,
    "F": functional,
    "auto": lambda: auto,
    "brain": lambda: brain,
    "h": _tensor(torch.float16),
    "w": _tensor(torch.bfloat16),
    "f": _tensor(torch.float32),
    "k": _tensor(torch.int8),
    "u": _tensor(torch.uint8),
    "n": _tensor(torch.int32),
    "m": lambda: torch.tensor([True, False], device="cuda"),
    "r": lambda: torch.tensor([0], device="cuda"),
    "g": lambda: torch.eye(2, device="cuda"),
}

#: A number that each of them cannot hold. bfloat16 has nearly the range of float32, but not all of it.
BEYOND = {"h": "-1e9", "w": "-3.4e38", "f": "-1e39", "k": "-300", "u": "-300", "n": "-3_000_000_000"}

#: What is asked for each of them: ``x`` is the tensor, ``LOW`` the number, ``HIGH`` the same above zero.
_ASKED = """
x.masked_fill(m, LOW)
x.masked_fill(m, HIGH)
x.masked_fill_(m, LOW)
torch.masked_fill(x, m, LOW)
x.masked_fill(m, torch.tensor(LOW))
x.masked_fill(m, torch.tensor(LOW, device="cuda"))
x.masked_fill(m, x.new_tensor(LOW))
x.masked_scatter(m, torch.tensor([LOW, LOW], device="cuda").to(x.dtype))
torch.full((2,), LOW, dtype=x.dtype, device="cuda")
torch.full((), LOW, dtype=x.dtype, device="cuda")
torch.full((2,), torch.tensor(LOW), dtype=x.dtype, device="cuda")
torch.full((2,), LOW, device="cuda").to(x.dtype)
torch.full_like(x, LOW)
x.new_full((2,), LOW)
x.new_tensor([LOW])
torch.tensor([LOW], dtype=x.dtype)
torch.tensor([LOW], dtype=x.dtype, device="cuda")
torch.tensor(LOW, device="cuda").to(x.dtype)
torch.as_tensor(LOW, dtype=x.dtype, device="cuda")
torch.asarray(LOW, dtype=x.dtype, device="cuda")
torch.scalar_tensor(LOW, dtype=x.dtype)
torch.scalar_tensor(LOW, dtype=x.dtype, device="cuda")
x.fill_(LOW)
x.fill_(torch.tensor(LOW))
nn.init.constant_(x, LOW)
x.repeat(2, 1).fill_diagonal_(LOW)
x.index_fill(0, r, LOW)
x.index_fill_(0, r, LOW)
x.index_fill(0, r, torch.tensor(LOW))
x.scatter(0, r, LOW)
x.scatter_(0, r, LOW)
x.scatter(0, r, LOW, reduce="add")
x.index_put((r,), torch.tensor(LOW).to(x.dtype))
x[m] = LOW; x
x[0] = LOW; x
x[:] = LOW; x
x[r] = LOW; x
x[...] = LOW; x
x[m] = torch.tensor(LOW); x
x[0] = torch.tensor(LOW); x
x[0] = torch.tensor(LOW, device="cuda"); x
torch.where(m, x, LOW)
torch.where(m, LOW, x)
torch.where(m, LOW, LOW).to(x.dtype)
x.where(m, LOW)
torch.where(m, x, torch.tensor(LOW))
torch.where(m, torch.tensor(LOW), x)
torch.where(m, x, torch.tensor(LOW, device="cuda"))
torch.where(m, x, x.new_tensor(LOW))
F.pad(x, (1, 1), value=LOW)
F.pad(x[None], (1, 1), "constant", LOW)
nn.ConstantPad1d(1, LOW)(x[None])
nn.utils.rnn.pad_sequence([x, x[:1]], padding_value=LOW)
F.threshold(x, 1, LOW)
F.threshold(x, LOW, 0)
nn.Threshold(1, LOW)(x)
F.hardtanh(x, LOW, HIGH)
nn.Hardtanh(LOW, HIGH)(x)
x.clamp(LOW, HIGH)
x.clamp(min=LOW)
x.clamp(max=HIGH)
x.clamp(max=LOW)
x.clamp_(min=LOW)
x.clamp_min(LOW)
x.clamp_max(HIGH)
torch.clip(x, LOW)
x.clamp(min=torch.tensor(LOW))
x.maximum(torch.tensor(LOW))
x.minimum(torch.tensor(LOW))
x.nan_to_num(nan=LOW)
x.nan_to_num(posinf=HIGH)
x.nan_to_num(neginf=LOW)
x.add(LOW)
x + LOW
LOW + x
x.add_(LOW)
x += LOW; x
x - LOW
LOW - x
x * LOW
x.mul_(LOW)
x / LOW
x // LOW
x % HIGH
x.fmod(HIGH)
x ** HIGH
x.pow(HIGH)
HIGH ** x
x.copysign(LOW)
x.xlogy(HIGH)
x.add(x, alpha=LOW)
x.sub(x, alpha=LOW)
torch.add(x, 1, alpha=LOW)
x.add_(x, alpha=LOW)
x.addcmul(x, x, value=LOW)
x.addcdiv(x, x, value=LOW)
x.addcmul_(x, x, value=LOW)
x.lerp(x, LOW)
x.index_add(0, r, x[:1], alpha=LOW)
torch.addmm(x.repeat(2, 1), x.repeat(2, 1), x.repeat(2, 1), beta=LOW)
torch.addmm(x.repeat(2, 1), x.repeat(2, 1), x.repeat(2, 1), alpha=LOW)
torch.baddbmm(x.repeat(1, 2, 1), x.repeat(1, 2, 1), x.repeat(1, 2, 1), beta=LOW)
x > LOW
x > HIGH
x == LOW
x <= LOW
x.ne(LOW)
torch.isin(x, LOW)
torch.bucketize(LOW, x)
x.cumsum(0).add(LOW).cumsum(0)
torch.arange(0, HIGH, HIGH / 2, dtype=x.dtype, device="cuda")
torch.arange(HIGH, HIGH + 2, dtype=x.dtype, device="cuda")
torch.linspace(0, HIGH, 3, dtype=x.dtype, device="cuda")
torch.linspace(LOW, 0, 3, dtype=x.dtype, device="cuda")
torch.logspace(0, HIGH, 2, dtype=x.dtype, device="cuda")
F.elu(x, HIGH)
F.celu(x, HIGH)
F.leaky_relu(x, HIGH)
F.softplus(x, HIGH, HIGH)
F.hardshrink(x, HIGH)
F.softshrink(x, HIGH)
F.rrelu(x, HIGH, HIGH)
F.normalize(x, dim=0, eps=HIGH)
F.cosine_similarity(x, x, dim=0, eps=HIGH)
F.layer_norm(x, (2,), eps=HIGH)
F.smooth_l1_loss(x, x, beta=HIGH)
F.huber_loss(x, x, delta=HIGH)
x.uniform_(LOW, HIGH).shape
x.normal_(0, HIGH).shape
x.softmax(-1).masked_fill(m, LOW)
x.mul(0).add(m.logical_not() * LOW)
"""

#: Where the range ends, and what is excused.
_LIMITS = """
h.masked_fill(m, -65504)
h.masked_fill(m, -65504.0)
h.masked_fill(m, -65505)
h.masked_fill(m, 65504.5)
h.masked_fill(m, 65519.9)
h.masked_fill(m, 65520)
h.masked_fill(m, 10 ** 9)
h.masked_fill(m, 10 ** 30)
h.masked_fill(m, float("inf"))
h.masked_fill(m, float("-inf"))
h.masked_fill(m, float("nan"))
h.masked_fill(m, 1e-30)
h.masked_fill(m, True)
h.masked_fill(m, torch.finfo(h.dtype).min)
h.masked_fill(m, torch.finfo(torch.float32).min)
h.masked_fill(m, torch.finfo(torch.bfloat16).min)
h.masked_fill(m, torch.tensor(float("-inf")))
h.masked_fill(m, torch.tensor(-1e9).half())
h.masked_fill(m, max(-1e9, torch.finfo(h.dtype).min))
torch.where(m, h, -65504)
torch.where(m, h, -65505)
torch.where(m, h, 65519.9)
torch.where(m, h, float("-inf"))
torch.where(m, h, torch.finfo(h.dtype).min)
torch.where(m, h, 10 ** 9)
torch.where(m, h, f)
torch.where(m, h, -1e9).dtype
torch.full((2,), 65504, dtype=torch.half, device="cuda")
torch.full((2,), 65505, dtype=torch.half, device="cuda")
w.masked_fill(m, -1e9)
w.masked_fill(m, -3.3895313892515355e38)
w.masked_fill(m, -3.39e38)
w.masked_fill(m, torch.finfo(torch.bfloat16).min)
w.masked_fill(m, torch.finfo(torch.float32).min)
w.masked_fill(m, torch.finfo(torch.float16).min)
torch.where(m, w, -1e9)
torch.where(m, w, torch.finfo(torch.float32).min)
torch.full((2,), torch.finfo(torch.float32).min, dtype=torch.bfloat16, device="cuda")
f.masked_fill(m, torch.finfo(torch.float32).min)
f.masked_fill(m, -3.5e38)
f.masked_fill(m, torch.finfo(torch.float64).min)
torch.where(m, f, torch.finfo(torch.float64).min)
f.double().masked_fill(m, -1e300)
f.double().masked_fill(m, -10 ** 400)
k.masked_fill(m, 127)
k.masked_fill(m, 128)
k.masked_fill(m, -128)
k.masked_fill(m, -129)
k.masked_fill(m, 1.5)
k.masked_fill(m, -1e9)
k.masked_fill(m, float("-inf"))
u.masked_fill(m, 255)
u.masked_fill(m, 256)
u.masked_fill(m, -1)
u.masked_fill(m, -255)
u.masked_fill(m, -256)
u.fill_(-1)
torch.full((2,), -1, dtype=torch.uint8, device="cuda")
n.masked_fill(m, 2 ** 31 - 1)
n.masked_fill(m, 2 ** 31)
n.masked_fill(m, -2 ** 31)
n.masked_fill(m, 1e10)
n.masked_fill(m, 2 ** 63)
torch.where(m, n, 1e10)
torch.where(m, k, 300)
torch.tensor([300], dtype=torch.uint8)
torch.tensor([-1], dtype=torch.uint8)
h.cpu().masked_fill(m.cpu(), -1e9)
torch.where(m.cpu(), h.cpu(), -1e9)
torch.where(m.cpu(), h.cpu(), -1e9).cuda()
torch.where(m, h.cpu(), -1e9)
h.cpu().clamp(min=-1e9)
F.hardtanh(h.cpu(), -1e9, 1e9)
h.cpu().add(h.cpu(), alpha=1e9)
h.cpu() ** 1e9
torch.scalar_tensor(-1e9, dtype=torch.half)
torch.linspace(0, 1e9, 3, dtype=torch.half)
"""

#: What autocast makes half, and what it leaves or makes float32.
_UNDER_AUTOCAST = """
auto(lambda: (g @ g).masked_fill(m, -1e9))
auto(lambda: torch.where(m, g @ g, -1e9))
auto(lambda: torch.where(m, g, -1e9))
auto(lambda: torch.where(m, g @ g, g))
auto(lambda: g.masked_fill(m, -1e9))
auto(lambda: (g @ g + g).masked_fill(m, -1e9))
auto(lambda: ((g @ g) / 2 ** 0.5).masked_fill(m, -1e9))
auto(lambda: ((g @ g) * g.diag()[0]).masked_fill(m, -1e9))
auto(lambda: ((g @ g) * torch.tensor(2.0)).masked_fill(m, -1e9))
auto(lambda: torch.einsum("ij,kj->ik", g, g).masked_fill(m, -1e9))
auto(lambda: torch.bmm(g[None], g[None]).masked_fill(m, -1e9))
auto(lambda: torch.baddbmm(g[None], g[None], g[None]).masked_fill(m, -1e9))
auto(lambda: torch.addmm(g, g, g).masked_fill(m, -1e9))
auto(lambda: F.linear(g, g).masked_fill(m, -1e9))
auto(lambda: F.relu(g @ g).masked_fill(m, -1e9))
auto(lambda: torch.tanh(g @ g).masked_fill(m, -1e9))
auto(lambda: F.leaky_relu(g @ g).masked_fill(m, -1e9))
auto(lambda: F.gelu(g @ g).masked_fill(m, -1e9))
auto(lambda: F.dropout(g @ g).masked_fill(m, -1e9).dtype)
auto(lambda: (g @ g).softmax(-1).masked_fill(m, -1e9))
auto(lambda: (g @ g).log_softmax(-1).masked_fill(m, -1e9))
auto(lambda: (g @ g).sum(-1).masked_fill(m, -1e9))
auto(lambda: (g @ g).cumsum(-1).masked_fill(m, -1e9))
auto(lambda: (g @ g).exp().masked_fill(m, -1e9))
auto(lambda: (g @ g).pow(2).masked_fill(m, -1e9))
auto(lambda: (g @ g).square().masked_fill(m, -1e9))
auto(lambda: (g @ g).norm(dim=-1).masked_fill(m, -1e9))
auto(lambda: ((g @ g) ** 2).masked_fill(m, -1e9))
auto(lambda: (2 ** (g @ g)).masked_fill(m, -1e9))
auto(lambda: (2 / (g @ g + 1)).masked_fill(m, -1e9))
auto(lambda: (g @ g).reciprocal().masked_fill(m, -1e9))
auto(lambda: (g @ g).rsqrt().masked_fill(m, -1e9))
auto(lambda: (g @ g).sqrt().masked_fill(m, -1e9))
auto(lambda: (g @ g).sigmoid().masked_fill(m, -1e9))
auto(lambda: (g @ g).cumprod(-1).masked_fill(m, -1e9))
auto(lambda: (g @ g).prod(-1).masked_fill(m, -1e9))
auto(lambda: (g @ g).logsumexp(-1).masked_fill(m, -1e9))
auto(lambda: (g @ g).std(-1).masked_fill(m, -1e9))
auto(lambda: (g @ g).tan().masked_fill(m, -1e9))
auto(lambda: (g @ g).abs().masked_fill(m, -1e9))
auto(lambda: (g @ g).triu().masked_fill(m, -1e9))
auto(lambda: (g @ g).renorm(1, 0, 1.0).masked_fill(m, -1e9))
auto(lambda: (g @ g).addcmul(g, g).masked_fill(m, -1e9))
auto(lambda: (g @ g).lerp(g @ g, 0.5).masked_fill(m, -1e9))
auto(lambda: torch.addcdiv(g @ g, g + 1, g + 1).masked_fill(m, -1e9))
auto(lambda: torch.atan2(g @ g, g).masked_fill(m, -1e9))
auto(lambda: F.softplus(g @ g).masked_fill(m, -1e9))
auto(lambda: F.silu(g @ g).masked_fill(m, -1e9))
auto(lambda: F.normalize(g @ g).masked_fill(m, -1e9))
auto(lambda: F.softmin(g @ g, -1).masked_fill(m, -1e9))
auto(lambda: F.group_norm((g @ g)[None], 2).masked_fill(m, -1e9))
auto(lambda: F.batch_norm(g @ g, None, None, training=True).masked_fill(m, -1e9))
auto(lambda: F.pairwise_distance(g @ g, g).masked_fill(m, -1e9))
auto(lambda: F.avg_pool1d(g @ g, 1).masked_fill(m, -1e9))
auto(lambda: F.conv1d((g @ g)[None], g[:, :, None]).masked_fill(m, -1e9))
auto(lambda: F.interpolate((g @ g)[None], 2).masked_fill(m, -1e9))
auto(lambda: F.bilinear(g, g, torch.ones(2, 2, 2, device="cuda")).masked_fill(m, -1e9))
auto(lambda: F.prelu(g @ g, g[0, :1]).masked_fill(m, -1e9))
auto(lambda: nn.Linear(2, 2, device="cuda")(g).masked_fill(m, -1e9).dtype)
auto(lambda: nn.LayerNorm(2, device="cuda")(g @ g).masked_fill(m, -1e9))
auto(lambda: nn.GRU(2, 2, device="cuda")(g)[0].masked_fill(m, -1e9).dtype)
auto(lambda: nn.LSTM(2, 2, device="cuda")(g)[0].masked_fill(m, -1e9).dtype)
auto(lambda: nn.MultiheadAttention(2, 1, device="cuda")(g, g, g)[0].masked_fill(m, -1e9).dtype)
auto(lambda: torch.vdot(g[0], g[0]).masked_fill(m, -1e9))
auto(lambda: torch.kron(g, g[:1]).dtype)
auto(lambda: (g @ g).mean(-1).masked_fill(m, -1e9))
auto(lambda: (g @ g).amax(-1).masked_fill(m, -1e9))
auto(lambda: (g @ g).unsqueeze(0).masked_fill(m, -1e9))
auto(lambda: (g @ g).float().masked_fill(m, -1e9))
auto(lambda: F.layer_norm(g @ g, (2,)).masked_fill(m, -1e9))
auto(lambda: F.cosine_similarity(g, g).masked_fill(m, -1e9))
auto(lambda: torch.cdist(g, g).masked_fill(m, -1e9))
auto(lambda: torch.tensordot(g, g, 1).masked_fill(m, -1e9))
auto(lambda: torch.inner(g, g).masked_fill(m, -1e9))
auto(lambda: torch.outer(g[0], g[0]).masked_fill(m, -1e9))
auto(lambda: torch.mv(g, g[0]).masked_fill(m, -1e9))
auto(lambda: torch.chain_matmul(g, g).masked_fill(m, -1e9))
auto(lambda: torch.linalg.multi_dot([g, g]).masked_fill(m, -1e9))
auto(lambda: torch.cat([g, g @ g]).masked_fill(m, -1e9))
auto(lambda: torch.cat([g @ g, g @ g]).masked_fill(m, -1e9))
auto(lambda: torch.stack([g @ g, g @ g]).masked_fill(m, -1e9))
auto(lambda: torch.minimum(g @ g, g).masked_fill(m, -1e9))
auto(lambda: F.scaled_dot_product_attention(g[None], g[None], g[None]).masked_fill(m, -1e9))
auto(lambda: F.embedding(torch.zeros(2, dtype=torch.long, device="cuda"), g).masked_fill(m, -1e9))
auto(lambda: torch.full_like(g @ g, -1e9))
auto(lambda: (g @ g).new_full((2,), -1e9))
auto(lambda: (g @ g).clamp(min=-1e9))
auto(lambda: F.pad(g @ g, (1, 1), value=-1e9))
auto(lambda: (g @ g) + torch.full((2, 2), -1e9, device="cuda"))
auto(lambda: (g @ g) - 1e9 * m)
auto(lambda: (g @ g) - 1e9 * m.float())
brain(lambda: (g @ g).masked_fill(m, -1e9))
brain(lambda: torch.where(m, g @ g, -1e9))
brain(lambda: (g @ g).masked_fill(m, torch.finfo(torch.float32).min))
brain(lambda: torch.where(m, g @ g, torch.finfo(torch.float32).min))
"""


def _asked() -> str:
    """The lines of ``_ASKED`` for each dtype."""
    each = (
        re.sub(r"\bx\b", name, _ASKED.replace("LOW", low).replace("HIGH", low.removeprefix("-")))
        for name, low in BEYOND.items()
    )
    return "\n".join(each)


QUESTIONS.lines(NAMES, f"{_asked()}\n{_LIMITS}\n{_UNDER_AUTOCAST}")
