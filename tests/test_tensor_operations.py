"""What is said of the results of operations, layers and losses is what PyTorch makes of them."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

HEAD = """
import math
import torch
import numpy as np
import torch.nn as nn
import torch.nn.functional as F
f, d, h = torch.rand(2, 3), torch.rand(2, 3, dtype=torch.float64), torch.rand(2, 3).half()
i, b, u = torch.arange(6).reshape(2, 3), torch.rand(2, 3) > 0.5, torch.ones(2, 3, dtype=torch.uint8)
s, v, m = torch.tensor(2.5), torch.rand(3), torch.rand(3, 3)
k, z = torch.tensor(1), torch.rand(2, 3, dtype=torch.complex64)
p = nn.Parameter(torch.rand(2, 3))
ids = torch.tensor([0, 1])
images, series = torch.rand(2, 3, 8, 8), torch.rand(2, 5, 4)
logits, classes = torch.randn(4, 3, requires_grad=True), torch.tensor([0, 1, 2, 1])
"""

#: One expression a line; each is run by PyTorch and by the analysis.
EXPRESSIONS = """
f.type()
b.type()
z.type()
f.type(d.type())
d.type(i.type())
f.type(b.type())
F.upsample_nearest(images, scale_factor=2)
F.lp_pool1d(series, 2.0, 2)
F.adaptive_max_pool3d(images, 2)
F.adaptive_avg_pool3d(images, 2)
F.dropout2d(images)
F.rrelu(f)
F.hardshrink(f)
F.softshrink(d)
F.tanhshrink(f)
F.local_response_norm(images, 2)
f.arcsinh()
i.arcsinh()
f.moveaxis(0, 1)
f.to_sparse_coo()
f + d
f + i
i + 1
i + 1.5
f + 1
b + 1
b + b
b & b
~b
u + i
i / 2
i // 2
i / i
f // 2
2 - f
1 / i
f ** 2
2 ** i
i ** 0.5
-f
+i
abs(i)
f @ m
m @ v
v @ m
v @ v
f.t() @ f
series @ torch.rand(4, 2)
series @ torch.rand(4)
torch.rand(2, 6, 5, 4) @ torch.rand(4, 3)
m.mv(v)
v.dot(v)
m.mm(m)
torch.bmm(series, series.transpose(1, 2))
nn.Linear(3, 2).weight @ v
f @ nn.Linear(3, 2).weight.t()
i % 2
f > 0
f == f
(f > 0) & (i > 0)
f + s
d + s
i + s
i + k
f + k
h + 1
h + f
z + f
z * 2
f * np.pi
f * math.pi
f + np.float64(1)
f + np.ones((2, 3))
f.sum()
f.sum(0)
f.sum(dim=1, keepdim=True)
i.sum()
b.sum()
i.float().mean()
f.mean(dim=-1)
f.mean((0, 1))
f.std()
f.max()
f.max(1)
f.max(dim=1).values
f.max(1)[1]
f.argmax()
f.argmax(1)
torch.max(f, d.float())
torch.max(f, 1)
f.min(0).indices
f.sort()
f.topk(2)
f.unique()
f.norm()
f.cumsum(0)
i.cumsum(0)
f.any()
f.all(0)
f.median()
f.var(0)
torch.logsumexp(f, 1)
f.view(-1)
f.view(3, 2)
f.reshape(6)
f.flatten()
f.unsqueeze(0)
f.squeeze()
f[None].squeeze(0)
f.t()
f.T
f.transpose(0, 1)
f.permute(1, 0)
f.expand(4, 2, 3)
f.repeat(2, 1)
f.tile(2)
f.chunk(2)
f.split(1)
torch.split(f, [1, 1])
f.unbind()
torch.cat([f, f])
torch.cat([f, d], dim=1)
torch.cat((i, i), 0)
torch.stack([f, f])
torch.stack([s, s])
torch.where(b, f, d)
torch.where(b, f, 0.0)
torch.where(b, 1, 0)
torch.where(b)
f.where(b, d)
m @ m
torch.pi * f
z.abs()
z.real
z.norm()
abs(z) + f
torch.stft(torch.rand(64), 16, return_complex=True, window=torch.hann_window(16)).abs()
f[[0, 1]]
f[[1, 0]][:, 0]
torch.tensor([[float(n) for n in range(3)] for _ in range(4)])
torch.clamp(f, 0, 1)
f.clamp(min=0)
i.clamp(0, 2)
i.clamp(0.5)
torch.exp(i)
torch.sqrt(f)
torch.sigmoid(f)
torch.relu(f)
torch.softmax(f, 1)
torch.round(d)
torch.isnan(f)
torch.matmul(f, m)
torch.mm(f, m)
torch.mv(m, v)
torch.dot(v, v)
torch.bmm(f[None], m[None])
torch.einsum("ij,jk->ik", f, m)
torch.outer(v, v)
torch.cdist(f, f)
torch.cross(f, f, dim=1)
torch.linalg.norm(f)
torch.linalg.inv(m)
torch.gather(f, 1, i.clamp(0, 2))
f.gather(1, i.clamp(0, 2))
torch.index_select(f, 0, ids)
torch.take(f, ids)
f.masked_fill(b, 0)
f.masked_select(b)
f.scatter(1, i.clamp(0, 2), 1.0)
f.index_fill(0, ids, 1.0)
f[0]
f[0, 1]
f[:, 1]
f[..., 0]
f[None]
f[b]
f[ids]
f[:, [0, 2]]
f[0:1]
f[b].sum()
f[-1, :2]
i[i > 1]
f.to(torch.float64)
f.to(d)
f.to("cpu")
f.to("cpu", torch.int64)
f.to(dtype=torch.float16)
f.double()
f.long()
f.bool()
i.float()
f.type(torch.LongTensor)
f.type(torch.float64)
f.type_as(d)
f.cpu()
f.clone()
f.detach()
f.numpy()
d.numpy().sum()
f.tolist()
f.item() if f.numel() == 1 else 0
s.item()
k.item()
float(s)
int(k)
f.size()
f.size(0)
f.shape[0]
f.shape
f.dim()
f.ndim
f.numel()
f.dtype
f.device
f.is_cuda
f.requires_grad
len(f)
f.shape == d.shape
p * 2
p.data
p.detach() + 1
p.sum()
(p * 2).requires_grad
f.requires_grad_()
nn.Linear(3, 4)(f)
nn.Linear(3, 4).double()(d)
nn.Linear(3, 4).weight
nn.Linear(3, 4, bias=False)(f[None])
nn.Conv2d(3, 4, 3)(images)
nn.Conv1d(5, 4, 3)(series)
nn.BatchNorm2d(3)(images)
nn.LayerNorm(3)(f)
nn.Dropout(0.5)(f)
nn.ReLU()(i)
nn.Softmax(dim=1)(f)
nn.Flatten()(images)
nn.MaxPool2d(2)(images)
nn.AdaptiveAvgPool2d(1)(images)
nn.Embedding(10, 4)(i)
nn.Embedding(10, 4)(ids)
nn.Embedding(10, 4).weight
nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))(f)
nn.Sequential(nn.Flatten(), nn.Linear(192, 2))(images).argmax(1)
nn.LSTM(4, 6)(series)
nn.LSTM(4, 6, batch_first=True)(series)[0]
nn.LSTM(4, 6)(series)[1][0]
nn.GRU(4, 6)(series)[1]
nn.LSTMCell(3, 4)(f)
nn.MultiheadAttention(4, 2)(series, series, series)[0]
nn.TransformerEncoderLayer(4, 2, dim_feedforward=8)(series)
nn.Upsample(scale_factor=2)(images)
nn.ConvTranspose2d(3, 4, 2)(images)
nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 2)])[1](f)
nn.ModuleDict({"a": nn.Linear(3, 3)})["a"](f)
nn.Identity()(i)
nn.Bilinear(3, 3, 4)(f, f)
nn.PReLU()(f)
nn.CosineSimilarity()(f, f)
nn.PairwiseDistance()(f, f)
nn.CrossEntropyLoss()(logits, classes)
nn.CrossEntropyLoss(reduction="none")(logits, classes)
nn.NLLLoss()(F.log_softmax(logits, 1), classes)
nn.MSELoss()(f, f)
nn.MSELoss(reduction="none")(f, f)
nn.L1Loss()(f, f)
nn.BCELoss()(torch.sigmoid(f), b.float())
nn.BCEWithLogitsLoss(pos_weight=v)(f, b.float())
nn.KLDivLoss(reduction="batchmean")(F.log_softmax(f, 1), F.softmax(f, 1))
nn.SmoothL1Loss()(f, f)
nn.TripletMarginLoss()(f, f, f)
F.cross_entropy(logits, classes)
F.cross_entropy(logits, classes, reduction="sum")
F.nll_loss(F.log_softmax(logits, dim=1), classes)
F.mse_loss(f, f)
F.mse_loss(f, f, reduction="none")
F.binary_cross_entropy_with_logits(f, b.float())
F.softmax(f, dim=1)
F.relu(i)
F.one_hot(ids)
F.one_hot(ids, 5).float()
F.pad(f, (1, 1))
F.normalize(f)
F.interpolate(images, scale_factor=2)
F.linear(f, m)
F.embedding(ids, m)
F.conv2d(images, torch.rand(4, 3, 3, 3))
F.dropout(f)
F.gumbel_softmax(f)
F.cosine_similarity(f, f)
F.layer_norm(f, (3,))
F.unfold(images, 2)
F.grid_sample(images, torch.rand(2, 4, 4, 2), align_corners=False)
F.scaled_dot_product_attention(series, series, series)
F.log_softmax(f, 1).exp()
torch.autograd.grad(logits.sum(), logits)[0]
torch.distributions.Normal(f, f).sample()
torch.distributions.Normal(0.0, 1.0).sample((2,))
torch.distributions.Categorical(logits=f).sample()
torch.distributions.Categorical(f.softmax(1)).log_prob(ids)
torch.nn.utils.rnn.pad_sequence([v, v])
torch.nn.utils.rnn.pad_sequence([v, v], batch_first=True)
torch.einsum("ij,ij->i", [f, f])
torch.split(f, 2, dim=1)
torch.chunk(input=d, chunks=2)
torch.chunk(h, 2, dim=-1)[0]
torch.unbind(i)[0] * 2.5
torch.unique(i)
torch.unique(i, return_counts=True)
torch.hsplit(f, 3)
torch.numel(f)
torch.std_mean(d)
torch.aminmax(f)
torch.svd(m)
torch.linalg.svd(m)
torch.linalg.qr(m.double())
torch.linalg.eigh(m)
torch.linalg.slogdet(m)
torch.frexp(f)
torch.slogdet(m)[1]
np.zeros((2, 3))
np.arange(3)
np.array([1, 2])
np.array([1.0, 2])
np.array([[1, 2], [3, 4]], dtype=np.float32)
np.random.rand(2, 3)
np.random.randn(3)
np.random.randint(0, 5, (2,))
np.linspace(0, 1, 5)
np.zeros((2, 3)).astype(np.float32)
np.zeros((2, 3)).astype("float32")
np.zeros(3) + 1
np.zeros(3, dtype=np.float32) * 2.0
np.zeros(3, dtype=np.float32) * np.zeros(3)
np.arange(3) / 2
np.zeros((2, 3))[0]
np.zeros((2, 3)).mean()
np.zeros((2, 3)).sum(axis=0)
np.zeros((2, 3)).T
np.concatenate([np.zeros(3), np.ones(3)])
np.stack([np.zeros(3), np.ones(3)])
np.exp(np.zeros(3, dtype=np.float32))
np.eye(3)
np.where(np.zeros(3) > 0, 1.0, 2.0)
np.repeat(np.zeros((2, 3)), 2)
np.repeat(np.zeros((2, 3)), 2, axis=0)
np.zeros((2, 3)).repeat(2)
np.zeros((2, 3)).repeat(2, 1)
np.expand_dims(np.zeros((2, 3)), 0)
np.expand_dims(np.zeros(3), (0, 1))
torch.diff(torch.rand(2, 3))
torch.diff(torch.rand(2, 3), dim=0, prepend=torch.zeros(1, 3))
torch.diff(torch.rand(3), 2, -1, torch.zeros(1), torch.zeros(2, dtype=torch.float64))
torch.arange(4).diff(append=torch.zeros(1))
torch.bincount(ids)
torch.bincount(ids, weights=torch.rand(2))
torch.bincount(ids, torch.rand(2, dtype=torch.float64), minlength=3)
torch.bincount(ids, weights=torch.rand(2).half())
torch.bincount(ids, weights=ids)
torch.bincount(ids, weights=None)
ids.bincount(torch.rand(2))
np.float32(1) * 2.0
np.nonzero(np.eye(3))
np.zeros(3)[np.nonzero(np.ones(3))]
torch.from_numpy(np.zeros((2, 3))).float()
torch.tensor(np.zeros(3, dtype=np.float32))
torch.from_numpy(np.arange(3))
torch.tensor([np.zeros(3), np.ones(3)][0])
torch.Tensor(np.zeros(3))
torch.FloatTensor(np.zeros((2, 3)).astype(np.float32))
""".strip().splitlines()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_nothing_false_is_said(expression: str) -> None:
    assert lies(f"{HEAD}result = {expression}\n") == []


STATEMENTS = """
f += 1
f += d
i += 1
i *= i
f -= s
f[0] = 1
f[b] = 0
f[:, 0] += i[:, 0]
f.add_(d)
f.zero_()
f.fill_(3)
f.clamp_(0, 1)
f.copy_(d)
f.mul_(2).add_(i)
f.data = d
f.unsqueeze_(0)
f.requires_grad_()
f = f.squeeze_()
p.data.zero_()
p.data = d
p.data += 1
x = y = f
x, y = f
a, *c = f, i, b
j = [t.sum() for t in (f, i, b)]
q = {"x": f, "y": i}; r = q["x"] * q["y"]
for t in f: pass
for n, t in enumerate(f): pass
for n in range(3): v = v + n
for n in range(9): v = v.double()
with torch.no_grad(): g = p * 2
with torch.no_grad(): p.mul_(2)
with torch.enable_grad(): g = p * 2
total = 0; total += f.sum(); total = total + d.sum()
count = 0; count += b.sum().item()
net = nn.Linear(3, 2); net.double(); o = net(d)
net = nn.Linear(3, 2).half(); w = net.weight
net = nn.Linear(3, 2); net.weight.data = net.weight.data.double(); w = net.weight
net = nn.Linear(3, 2); net.weight = nn.Parameter(m[:2]); o = net(f)
net = nn.Linear(3, 2); state = net.state_dict(); w = state["weight"]
net = nn.Linear(3, 2); ws = list(net.parameters()); w = ws[0]
net = nn.Linear(3, 2); loss = net(f).sum(); loss.backward(); g = net.weight.grad
net = nn.Linear(3, 2); net.eval(); t = net.training
net = nn.Linear(3, 2); net.to(torch.float64); o = net(d)
net = nn.Sequential(nn.Linear(3, 2)); net[0] = nn.Linear(3, 5); o = net(f)
net = nn.Sequential(); net.append(nn.Linear(3, 5)); o = net(f)
net = nn.Sequential(); net.add_module("a", nn.Linear(3, 5)); o = net.a(f)
def g(x): x = x + 1; return x, x.long()
g = torch.no_grad()(lambda x: x * p); o = g(f)
o = (lambda x: x.double())(f)
e = f if f.sum() > 0 else d
e = f or None if s > 99 else i
while s < 100: s = s * 2
while v.sum() < 100: v = v * 2 + 1
""".strip().splitlines()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("statement", STATEMENTS)
def test_nothing_false_is_said_after(statement: str) -> None:
    lines = (
        [line.strip() for line in statement.split("; ")] if not statement.startswith("def") else [statement]
    )
    assert lies(HEAD + "\n".join(lines) + "\n") == []


def test_the_width_of_floats_is_not_judged_where_the_default_is_another() -> None:
    faulty = "net = torch.nn.Linear(3, 2)\nnet(torch.zeros(4, 3, dtype=torch.float64))\n"
    head = "import torch\n"
    assert clashes(head + faulty) == ["3: dtype"]
    for call in ("set_default_dtype(torch.float64)", "set_default_tensor_type(torch.DoubleTensor)"):
        assert clashes(f"{head}torch.{call}\n{faulty}") == []
    assert clashes(f"{head}torch.set_default_dtype(torch.float32)\n{faulty}") == ["4: dtype"]


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("getattr(zoo, name)(3).double()", []),
        ("hydra.utils.instantiate(name).half()", []),
        ("(torch.nn.Linear(3, 3) if len(name) > 3 else torch.nn.ReLU()).double()", []),
        ("getattr(zoo, name)(3)", ["8: dtype"]),
        ("getattr(zoo, name)(3).double(3)", ["8: dtype"]),
        ("torch.nn.Linear(3, 3).double()", ["8: dtype"]),
    ],
)
def test_the_width_of_models_that_nobody_constructs_is_not_judged_where_one_may_be_cast(
    made: str, found: list[str]
) -> None:
    text = f"""
    import hydra, sys, torch, zoo
    class Net(torch.nn.Module):
        def __init__(self, size):
            super().__init__()
            self.lstm = torch.nn.LSTM(size, 2)
        def forward(self, x):
            return self.lstm(x, (torch.zeros(1, 1, 2, dtype=torch.float64, device=x.device), x))
    name = sys.argv[1]
    model = {made}
    """
    assert clashes(text) == found
    seen = text.rstrip() + "\n    Net(3)(torch.zeros(1, 1, 3))\n"
    assert clashes(seen) == ["8: dtype"], "what a script constructs is as wide as it is seen to be"


def test_a_method_called_as_a_function_is_that_method() -> None:
    text = """
    import torch
    gates = torch.rand(2, 8).cuda()
    i, f = torch.split(gates, 4, dim=1)
    g, o = torch.chunk(gates, 2, 1)
    cell = torch.zeros(2, 4)
    print(f * cell)
    print(o * cell)
    print(torch.unbind(gates)[0] + torch.ones(8))
    """
    assert clashes(text) == ["7: device", "8: device", "9: device"]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("total += loss", ["5: device"]),
        ("total.add_(loss)", ["5: device"]),
        ("total = total + loss", []),
        ("total.copy_(loss)", []),
        ("total.fill_(loss)", []),
        ("loss += total", []),
        ("loss.mul_(total)", []),
    ],
)
def test_a_scalar_on_the_host_takes_nothing_in_from_the_accelerator(
    statement: str, expected: list[str]
) -> None:
    text = "import torch\ntotal = torch.tensor(0.0)\nloss = torch.ones((), device='cuda')\nloss = loss * 2\n"
    assert clashes(text + statement) == expected


def test_a_module_applied_on_several_devices_gives_what_it_gives() -> None:
    program = """
import torch, torch.nn as nn
model = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid()).to("cuda")
out = nn.parallel.data_parallel(model, torch.ones(3, 2), range(1))
nn.BCELoss()(out, torch.ones(3, 1))
"""
    assert [found.split(":")[0] for found in clashes(program)] == ["5"]


def test_the_operands_of_einsum_may_be_a_list() -> None:
    text = """
    import torch
    x, table = torch.rand(2, 3).cuda(), torch.rand(3, 4)
    print(torch.einsum("ij,jk->ik", [x, table]))
    """
    assert clashes(text) == ["4: device"]


@pytest.mark.parametrize("call", ["torch.unique(x, {})", "x.unique({})", "torch.unique_consecutive(x, {})"])
@pytest.mark.parametrize(
    "asked",
    [
        "return_counts=True",
        "return_inverse=True, return_counts=True",
        "return_inverse=False",
        "dim=0, return_inverse=True",
    ],
)
def test_unique_says_where_and_how_often_in_integers(call: str, asked: str) -> None:
    assert lies(f"import torch\nx = torch.rand(3, 2)\nresult = {call.format(asked)}\n") == []


def test_counts_take_no_fractions_in_place() -> None:
    text = """
    import torch
    counts = torch.bincount(torch.tensor([0, 1]).cuda(), minlength=3)
    counts += 0.5
    """
    assert clashes(text) == ["4: in-place-dtype"]


def test_only_a_number_takes_an_item_out_of_a_pair() -> None:
    text = """
    import torch

    def score(table, sample, mode):
        if mode == "single":
            return table + sample[:, 0]
        left, right = sample
        return table + left.to("cuda") + right.to("cuda")

    pair = torch.ones(3), torch.ones(3)
    print(score(torch.ones(3, device="cuda"), pair, input()))
    print(score(torch.ones(3, device="cuda"), torch.ones(3, 2), input()))
    """
    assert clashes(text) == ["6: device"]
    assert clashes(text.replace("torch.ones(3, 2)", "pair")) == []


def test_the_name_of_a_type_says_where_and_what_a_tensor_is() -> None:
    text = """
import torch

rows = [torch.ones(3, dtype=torch.{dtype}), torch.ones(2, dtype=torch.{dtype})]
net = torch.nn.Linear(3, 3).cuda()
out = torch.zeros(2, 3).type(rows[0].data.type())
for i, row in enumerate(rows):
    out[i, :len(row)] = row
net({use})
"""
    assert clashes(text.format(dtype="float32", use="out")) == ["9: device"]
    assert not clashes(text.format(dtype="float32", use="out.cuda()"))
    assert clashes(text.format(dtype="float64", use="out.cuda()")) == ["9: dtype"]
    assert not clashes(text.format(dtype="float64", use="out.type(net.weight.type())"))


@pytest.mark.parametrize("edge", ["prepend", "append"])
def test_what_stands_at_an_edge_of_differences_is_where_they_are(edge: str) -> None:
    text = f"""
    import torch
    times = torch.rand(2, 3).cuda()
    edge = torch.zeros(len(times), 1)
    print(torch.diff(times, dim=1, {edge}=edge))
    print(times.diff(1, 1, {edge}=edge))
    print(torch.diff(times, 1, 0), torch.diff(times, dim=1, {edge}=edge.cuda()))
    """
    assert clashes(text) == ["5: device", "6: device"]
    assert clashes(text.replace(".cuda()", "")) == []


OF_SOME_ROUNDS = """
import torch
from elsewhere import place

def main(loader):
    x = torch.zeros(3)
    for batch in loader:
        if batch.sum() > 0:
            x = x.cuda()
        y = x{move}
        y + torch.ones(3, device="cuda")

main(torch.utils.data.DataLoader([torch.ones(3)]))
"""


@pytest.mark.parametrize("move", [".to(place())", ".to(place(), torch.float64)", ".type_as(place())"])
def test_what_some_rounds_leave_on_the_cpu_goes_wherever_it_is_moved(move: str) -> None:
    assert clashes(OF_SOME_ROUNDS.format(move=move)) == []


@pytest.mark.parametrize("move", ["", ".to(torch.float64)"])
def test_what_is_no_more_than_cast_stays_there(move: str) -> None:
    assert clashes(OF_SOME_ROUNDS.format(move=move)) == ["11: device"]
