"""What goes through less usual functions of PyTorch: nothing false is said of it, and where it is stays known."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

HEAD = """import copy
import torch
import torch.fx
import torch.nn as nn
from torch import distributions as D
from torch.nn.utils import prune, rnn
from torch.utils import _pytree as pytree
from torch.utils.data import DataLoader, StackDataset, TensorDataset

"""
#: Where the tensors and the layer are that all of it is made of.
MADE = """x = torch.rand(4, 4, device={place}) + 0.1
v = torch.rand(4, device={place}) + 0.1
m = nn.Linear(4, 4).to({place})
norm = nn.BatchNorm1d(4).to({place})
gru = nn.GRU(4, 4).to({place})
"""

EXPRESSIONS = """
D.kl_divergence(D.Normal(v, v), D.Normal(v, v))
D.AffineTransform(v, v)(v)
D.transforms.TanhTransform().inv(v / 4)
D.ComposeTransform([D.ExpTransform(), D.AffineTransform(v, v)])(v)
D.ComposeTransform([D.ExpTransform(), D.SigmoidTransform()])(x)
D.ExpTransform().log_abs_det_jacobian(v, v)
D.biject_to(D.constraints.positive)(v)
D.StickBreakingTransform()(v)
D.RelaxedOneHotCategorical(v.sum(), logits=v).rsample()
D.RelaxedBernoulli(v.mean(), logits=v).rsample()
D.Normal(v, v).expand((2, 4)).sample()
x.new(4)
x.new(4, 3)
x.new([1.0, 2.0])
pow(x, 2)
torch.broadcast_tensors(x, v)[1]
torch._foreach_mul([x, v], 2.0)[1]
torch._foreach_add([x], [x])[0]
torch._foreach_lerp([v], [v], 0.5)[0]
pytree.tree_leaves({"a": [v, x]})[0]
pytree.tree_flatten({"a": x, "b": (v, 1)})[0][1]
pytree.tree_unflatten([leaf * 2 for leaf in pytree.tree_leaves([x, v])], pytree.tree_flatten([x, v])[1])[1]
pytree.tree_map_only(torch.Tensor, torch.sqrt, {"a": v, "b": "name"})["a"]
torch.func.vjp(torch.sin, v)[0]
torch.func.vjp(torch.sin, v)[1](v)[0]
torch.func.jvp(torch.sin, (v,), (v,))[1]
torch.autograd.functional.vjp(torch.sin, v, v)[1]
torch.autograd.functional.jvp(torch.sin, v, v)[0]
torch.autograd.functional.hvp(lambda a: (a ** 2).sum(), v, v)[1]
torch.autograd.functional.vhp(lambda a: (a ** 2).sum(), x, x)[1]
torch.compiler.disable(m)(x)
torch.fx.symbolic_trace(m)(x)
torch.func.functionalize(torch.sin)(v)
prune.l1_unstructured(m, "weight", 0.5).weight_mask
prune.random_unstructured(m, name="weight", amount=0.5).weight_orig
prune.identity(m, "weight").bias
nn.utils.spectral_norm(m).weight_u
nn.utils.fuse_linear_bn_eval(m.eval(), norm.eval()).weight
norm.running_mean
gru.weight_hh_l0
gru.bias_ih_l0
rnn.unpad_sequence(rnn.pad_sequence([x, x]), torch.tensor([4, 2]))[0]
rnn.unpack_sequence(rnn.pack_sequence([x, x]))[1]
StackDataset(x, v)[0][0]
StackDataset(image=x, label=v)[0]["image"]
next(iter(DataLoader(StackDataset(image=TensorDataset(x), label=v), batch_size=2)))["label"]
""".strip().splitlines()


@pytest.mark.filterwarnings("ignore")  # PyTorch's own, where it uses what it has given up
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_nothing_false_is_said(expression: str) -> None:
    head = HEAD + MADE.format(place='"cpu"')
    assert not lies(f"{head}result = {expression}\n")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_is_on_the_host_meets_the_accelerator(expression: str) -> None:
    met = f'result = {expression}\nprint(torch.ones(1, device="cuda") + result)\n'
    assert clashes(HEAD + MADE.format(place='"cpu"') + met) == [
        f"{(HEAD + MADE + met).count(chr(10))}: device"
    ]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_is_on_the_accelerator_is_there(expression: str) -> None:
    met = f'result = {expression}\nprint(torch.ones(1, device="cuda") + result)\n'
    assert not clashes(HEAD + MADE.format(place='"cuda"') + met)


MIXED = """import torch
from torch import distributions as D
from torch import nn
v = torch.rand(4, device="cuda")
"""


@pytest.mark.parametrize(
    "line",
    [
        "D.AffineTransform(torch.zeros(4), torch.ones(4))(v)",
        "D.ComposeTransform([D.AffineTransform(torch.zeros(4), torch.ones(4))])(v)",
        "torch._foreach_add_([v], [torch.ones(4)])",
        "torch._foreach_lerp_([torch.ones(4)], [v], 0.1)",
        "torch.func.vjp(lambda a: a + torch.ones(4), v)",
        "torch.func.vjp(torch.sin, v)[1](torch.ones(4))",
        'torch.func.jvp(nn.Linear(4, 4, device="cuda"), (v,), (torch.ones(4),))',
        'torch.func.jvp(nn.Linear(4, 4, device="cuda"), (v,), [torch.ones(4)])',
        "torch.autograd.functional.hvp(lambda a: (a * torch.ones(4)).sum(), v, v)",
        "nn.utils.skip_init(nn.Linear, 4, 4)(v)",
        "torch.diag(v).sparse_mask(torch.eye(4).to_sparse())",
        "torch.sparse.sampled_addmm(torch.diag(v).to_sparse_csr(), torch.eye(4), torch.diag(v))",
        "torch.fake_quantize_per_channel_affine(torch.diag(v), torch.ones(4), torch.zeros(4).int(), 0, 0, 255)",
        "torch.quantize_per_tensor(v, torch.tensor(0.1), torch.tensor(0), torch.qint8)",
    ],
)
def test_operands_within_meet(line: str) -> None:
    assert len(clashes(MIXED + line + "\n")) == 1


@pytest.mark.parametrize(
    "line",
    [
        # These cross devices, or what meets is a number.
        "torch.func.vjp(torch.sum, v)[1](torch.tensor(1.0))",
        "torch.func.vjp(torch.sin, v)[1](torch.ones_like(v))",
        "torch.func.jvp(lambda z: z * 2, (v,), (torch.ones(4),))",
        "torch._foreach_copy_([torch.ones(4)], [v])",
        "torch._foreach_mul_([v], torch.tensor(2.0))",
        "D.AffineTransform(0.0, 2.0)(v)",
        "torch.broadcast_tensors(v, torch.ones(4))",
        "torch.quantize_per_tensor(v, 0.1, 0, torch.qint8).dequantize() + v",
        'nn.utils.skip_init(nn.Linear, 4, 4, device="cuda")(v)',
        # A mask is where it is asked to be, whatever the module is.
        'nn.Transformer(4, 2, 1, 1).generate_square_subsequent_mask(4, device="cuda") + v',
    ],
)
def test_what_is_right_stays_so(line: str) -> None:
    assert not clashes(MIXED + line + "\n")


def test_an_own_transform_makes_what_its_method_makes() -> None:
    text = """
import torch
from torch import distributions as D

class Moving(D.Transform):
    def _call(self, x):
        return x.to("cuda")

print(Moving()(torch.ones(4)) + torch.ones(4, device="cuda"))
"""
    assert not clashes(text)
