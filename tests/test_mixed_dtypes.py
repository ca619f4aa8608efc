"""The dtype of what is made of tensors of several dtypes, and of parameters that get the storage of a vector."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest
import torch
from reality import lies
from text_program import Ending, check_texts, clashes, fix_texts

from devfix.analysis.domain.values import Tensor
from devfix.simulator import Machine, simulated_accelerator


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with simulated_accelerator() as found:
        yield found


def test_what_is_drawn_of_parameters_of_several_dtypes() -> None:
    text = """
    import torch
    from torch.distributions import Bernoulli, Beta, Categorical, Gamma, Normal, OneHotCategorical, kl_divergence
    s, d = torch.ones(3), torch.ones(3, dtype=torch.float64)
    h, i = torch.ones(3, dtype=torch.float16), torch.ones(3, dtype=torch.int64)
    a = Gamma(s, d).sample()
    b = Beta(s, d).sample()
    c = Normal(h, s).rsample()
    e = Normal(s, s).log_prob(d)
    f = Normal(i, i).log_prob(s)
    g = Categorical(logits=i).log_prob(torch.tensor(1))
    j = Categorical(logits=d).log_prob(torch.tensor(1))
    k = OneHotCategorical(logits=i).sample()
    l = Bernoulli(probs=s / 2).log_prob(d)
    m = Bernoulli(probs=d / 2).log_prob(s)
    n = kl_divergence(Normal(s, s), Normal(d, d))
    o = Normal(d, d).sample()
    p = Normal(d, d).log_prob(d)
    """
    assert lies(text) == []
    end = Ending(text)
    for name in ("o", "p", "j"):
        claim = end[name]
        assert isinstance(claim, Tensor)
        assert claim.dtype == "float64"


def test_sums_of_sparse_matrices_are_counted_in_what_nobody_knows() -> None:
    text = """
    import torch
    i = torch.ones(3, 3, dtype=torch.int32).to_sparse()
    a = torch.sparse.sum(i)
    b = torch.sparse.sum(i, 0)
    c = torch.sparse.mm(torch.eye(3).to_sparse(), torch.eye(3))
    """
    assert lies(text) == []
    c = Ending(text)["c"]
    assert isinstance(c, Tensor)
    assert c.dtype == "float32"


#: What autocast computes in another precision than its operands have.
UNDER_AUTOCAST = [
    "torch.addr(m, h[0], m[0])",
    "torch.linalg.multi_dot([h, m])",
    "torch.nn.functional.scaled_dot_product_attention(h[None], m[None], m[None])",
    "torch.sparse.mm(m.to_sparse_csr(), m)",
    "torch.amp.GradScaler('cuda').scale(h.sum())",
    "torch.amp.GradScaler('cuda').scale(h)",
    "m @ h",
]


@pytest.mark.parametrize("expression", UNDER_AUTOCAST)
def test_what_autocast_makes_has_the_dtype_that_is_claimed(machine: Machine, expression: str) -> None:
    head = "import torch\nm, h = torch.eye(4, device='cuda'), torch.eye(4, device='cuda').half()\n"
    text = f"{head}with torch.autocast('cuda'):\n    r = {expression}\n"
    names: dict[str, torch.Tensor] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(text, names)
    claim = Ending(text)["r"]
    assert isinstance(claim, Tensor)
    assert claim.dtype in (None, str(names["r"].dtype).removeprefix("torch."))


SEARCH = """\
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

device = torch.device("cuda")
net = nn.Linear(4, 2).to(device)
best = parameters_to_vector(net.parameters()).detach(){kept}
for step in range(3):
    noise = torch.randn(10, device=device)
    vector_to_parameters({vector}, net.parameters())
    print(net(torch.ones(1, 4, device=device)).sum())
"""


def test_parameters_are_where_the_vector_is_that_they_are_filled_from(machine: Machine) -> None:
    text = SEARCH.format(kept=".cpu()", vector="best")
    with pytest.raises(RuntimeError, match="same device"):
        exec(text, {})
    assert clashes(text) == ["11: device"]
    after, _ = fix_texts({"main.py": text})
    assert check_texts(after) == []
    exec(after["main.py"], {})


@pytest.mark.parametrize(
    ("kept", "vector"), [("", "best + 0.1 * noise"), (".cpu()", "best.to(device) + noise"), ("", "best")]
)
def test_a_vector_on_the_accelerator_leaves_the_parameters_there(
    machine: Machine, kept: str, vector: str
) -> None:
    text = SEARCH.format(kept=kept, vector=vector)
    exec(text, {})
    assert clashes(text) == []


def test_parameters_have_the_width_of_the_vector_that_they_are_filled_from(machine: Machine) -> None:
    head = "import torch\nfrom torch import nn\nnet = nn.Linear(4, 2)\n"
    use = "print(net(torch.ones(1, 4)))\n"
    wide = (
        f"{head}nn.utils.vector_to_parameters(torch.zeros(10, dtype=torch.float64), net.parameters())\n{use}"
    )
    with pytest.raises(RuntimeError, match="dtype"):
        exec(wide, {})
    assert clashes(wide) == ["5: dtype"]
    assert clashes(wide.replace(", dtype=torch.float64", "")) == []
    moved = f"{head}nn.utils.vector_to_parameters(torch.zeros(10), net.parameters())\nnet.cuda()\n{use[:-2]}.cuda())\n"
    moved = moved.replace("torch.ones(1, 4))", "torch.ones(1, 4, device='cuda'))")
    assert clashes(moved) == []
