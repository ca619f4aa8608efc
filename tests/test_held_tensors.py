"""Tensors held by other values: named tuples, distributions, metrics, plain objects, dicts with methods."""

from __future__ import annotations

import re

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

DEVICE = 'import torch\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'


def fixed(text: str, start: str = DEVICE) -> str:
    after, _ = fix_texts({"main.py": start + text}, Applicability.UNSAFE)
    return after["main.py"]


NAMED = """
from collections import namedtuple
Pair = namedtuple({fields})
pair = Pair(torch.ones(3), {second})
print(pair.a + pair.b)
a, b = pair
"""


@pytest.mark.parametrize("fields", ['"Pair", ["a", "b"]', '"Pair", "a b"', '"Pair", "a, b"'])
def test_fields_of_named_tuples(fields: str) -> None:
    assert len(clashes(DEVICE + NAMED.format(fields=fields, second="torch.ones(3, device=device)"))) == 1
    assert not clashes(DEVICE + NAMED.format(fields=fields, second="b=torch.ones(3)"))


@pytest.mark.parametrize(
    ("made", "field", "count"),
    [
        ("topk(2)", "values", 1),
        ("topk(2)", "indices", 1),
        ("max(dim=1)", "values", 1),
        ("topk(2)", "shape", 0),
    ],
)
def test_fields_of_what_torch_returns(made: str, field: str, count: int) -> None:
    text = f"found = torch.rand(4, 5).{made}.{field} + torch.ones(4, 5, device=device)\n"
    assert len(clashes(DEVICE + text)) == count


STATE = """
def start():
    return torch.zeros(1, 2, 4), torch.zeros(1, 2, 4)
def run(lstm, x, state{default}):
    return lstm(x, state)
def main():
    where = "cuda" if torch.cuda.is_available() else "cpu"
    lstm, x = torch.nn.LSTM(3, 4).to(where), torch.ones(5, 2, 3, device=where)
    run(lstm, x, start())
    {more}
main()
"""


def test_a_tuple_of_states_moves_part_by_part() -> None:
    after = fixed(STATE.format(default="", more="print(x)"), "import torch\n")
    assert "lstm(x, tuple(part.to(x.device) for part in state))" in after


def test_a_state_that_may_be_none_is_not_taken_apart() -> None:
    after = fixed(STATE.format(default="=None", more="run(lstm, x)"), "import torch\n")
    assert "for part in state" not in after


def test_no_method_is_called_on_a_distribution() -> None:
    text = """
from torch.distributions import Normal, kl_divergence
def prior():
    return Normal(torch.zeros(3), torch.ones(3))
def loss(q, p):
    return kl_divergence(q, p)
print(loss(Normal(torch.zeros(3, device=device), torch.ones(3, device=device)), prior()))
"""
    assert len(clashes(DEVICE + text)) == 1
    after = fixed(text)
    assert "p.to(" not in after
    assert "q.device" not in after


METRIC = """
from torchmetrics.classification import {metric}
metric = {metric}({options})
metric.update(torch.rand(4, 3, device=device), torch.ones(4, dtype=torch.long, device=device))
"""


@pytest.mark.parametrize(
    ("metric", "options", "moved"),
    [
        ("MulticlassAccuracy", "num_classes=3", True),
        ("MulticlassAUROC", "num_classes=3", False),
        ("MulticlassAccuracy", 'num_classes=3, multidim_average="samplewise"', False),
    ],
)
def test_metrics_with_a_state_are_moved(metric: str, options: str, moved: bool) -> None:
    after = fixed(METRIC.format(metric=metric, options=options))
    assert (f"{metric}({options}).to(device)" in after) is moved


def test_modules_of_a_plain_object_are_registered() -> None:
    text = """
class Gate:
    def __init__(self):
        self.v = torch.nn.Linear(3, 3)
    def __call__(self, x):
        return self.v(x)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = Gate()
    def forward(self, x):
        return self.gate(x)
def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print(Net().to(device)(torch.ones(2, 3, device=device)))
main()
"""
    after, _ = fix_texts({"main.py": "import torch\n" + text}, Applicability.UNSAFE)
    assert "self.gate_modules = torch.nn.ModuleList([self.gate.v])" in after["main.py"]


def test_a_dict_with_methods_moves_by_its_own() -> None:
    text = """
class Batch(dict):
    def to(self, device):
        return Batch({name: value.to(device) for name, value in self.items()})
x = torch.ones(3, device=device)
print(Batch(a=torch.ones(3)).to(device)["a"] + x)
"""
    assert not clashes(DEVICE + text)
    assert len(clashes(DEVICE + text.replace(").to(device)[", ")["))) == 1


def test_gradients_of_a_function_are_formed_as_its_argument() -> None:
    text = """
from torch.func import grad, vmap
def loss(p, x):
    return (p["w"] * x).sum()
grads = vmap(grad(loss), in_dims=(None, 0))({"w": torch.ones(3, device=device)}, torch.ones(4, 3, device=device))
print(grads["w"] + torch.ones(4, 3))
"""
    assert len(clashes(DEVICE + text)) == 1


def test_an_assignment_on_one_path_does_not_decide() -> None:
    text = """
def mixed(soft, logits, late):
    target = soft[0:4]
    if late > 2:
        target = target * 0.5
    return total(logits, target)
def total(logits, target):
    return (target * logits).sum()
for step in range(9):
    print(mixed(torch.ones(8, 3), torch.ones(4, 3, device=device), step))
"""
    after = fixed(text)
    assert "target = (target * 0.5).to" not in after
    assert not clashes(after)


def test_a_generator_of_the_host_fills_on_the_host() -> None:
    text = """
rng = torch.Generator()
def noise(x):
    return torch.empty_like(x).normal_(0, 1, generator=rng)
print(noise(torch.ones(3, device=device)))
"""
    assert 'torch.empty_like(x, device="cpu").normal_(0, 1, generator=rng).to(x.device)' in fixed(text)


PRIOR = """
from torch.distributions import {names}
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(3, 3)
        self.prior = {prior}
    def forward(self, x):
        return self.prior.log_prob(self.net(x)).sum()
print(Model().to(device)(torch.ones(2, 3, device=device)))
"""


def test_a_distribution_is_made_anew_of_its_moved_parameters() -> None:
    after = fixed(PRIOR.format(names="Normal", prior="Normal(torch.zeros(3), torch.ones(3))"))
    assert "self.prior.to(" not in after
    assert not clashes(after)


@pytest.mark.usefixtures("long_lines")
@pytest.mark.parametrize(
    ("prior", "anew"),
    [
        (
            "MultivariateNormal(torch.zeros(3), torch.eye(3))",
            "self.prior.loc.to({0}), scale_tril=self.prior.scale_tril.to({0}))",
        ),
        (
            "MultivariateNormal(torch.zeros(3), scale_tril=torch.eye(3))",
            "scale_tril=self.prior.scale_tril.to({0}))",
        ),
        ("Bernoulli(logits=torch.zeros(3))", "Bernoulli(logits=self.prior.logits.to({0}))"),
        ("Bernoulli(torch.full((3,), 0.5))", "Bernoulli(probs=self.prior.probs.to({0}))"),
        ("StudentT(torch.ones(3), torch.zeros(3), torch.ones(3))", "StudentT(self.prior.df.to({0}), "),
        (
            "Independent(Normal(torch.zeros(3), torch.ones(3)), 1)",
            "Independent(Normal(self.prior.base_dist.loc.to({0}), self.prior.base_dist.scale.to({0})), 1)",
        ),
        (
            "MixtureSameFamily(Categorical(torch.ones(2)), Independent(Normal(torch.zeros(2, 3), torch.ones(2, 3)), 1))",
            (
                "MixtureSameFamily(Categorical(probs=self.prior.mixture_distribution.probs.to({0})), "
                "Independent(Normal(self.prior.component_distribution.base_dist.loc.to({0}), "
            ),
        ),
        (
            (
                "MixtureSameFamily(component_distribution=Normal(torch.zeros(3, 2), torch.ones(3, 2)), "
                "mixture_distribution=Categorical(logits=torch.zeros(3, 2)))"
            ),
            (
                "MixtureSameFamily(Categorical(logits=self.prior.mixture_distribution.logits.to({0})), "
                "Normal(self.prior.component_distribution.loc.to({0}), "
            ),
        ),
    ],
)
def test_a_distribution_is_made_anew_of_what_it_was_made_of(prior: str, anew: str) -> None:
    after = apart(prior, "with torch.no_grad():\n            self.prior =")
    assert anew.format("x.device") in after["model.py"]
    assert not clashes(after["main.py"], model=after["model.py"])


def apart(prior: str, setting: str = "self.prior =") -> dict[str, str]:
    """What is made of a model in a file that knows no device; what is set within a block gets no buffers."""
    names = ", ".join(re.findall(r"(?<!\.)\b[A-Z]\w+(?=\()", prior))
    text = PRIOR.format(names=names, prior=prior).replace("self.prior =", setting)
    model, _, script = text.rpartition("print")
    texts = {
        "model.py": f"import torch\n{model}",
        "main.py": f"{DEVICE}from model import Model\nprint{script}",
    }
    return fix_texts(texts, Applicability.UNSAFE)[0]


@pytest.mark.parametrize(
    "prior",
    [
        "MultivariateNormal(torch.zeros(3), torch.eye(3), validate_args=False)",
        "MultivariateNormal(*(torch.zeros(3), torch.eye(3)))",
        "Bernoulli(torch.full((3,), 0.5), validate_args=False)",
        "Independent(Normal(torch.zeros(3), torch.ones(3)), 1, validate_args=False)",
        "Independent(Normal(torch.zeros(3), torch.ones(3), validate_args=False), 1)",
        "MixtureSameFamily(Categorical(torch.ones(3, 2)), Normal(torch.zeros(3, 2), torch.ones(3, 2)), True)",
        "MixtureSameFamily(Categorical(torch.ones(3, 2)), Normal(torch.zeros(3, 2), torch.ones(3, 2), False))",
    ],
)
def test_a_distribution_that_takes_one_more_is_left(prior: str) -> None:
    assert "(self.prior." not in apart(prior)["model.py"]


def test_a_distribution_that_takes_more_is_left() -> None:
    text = PRIOR.format(names="Normal", prior="Normal(torch.zeros(3), torch.ones(3), validate_args=False)")
    after = fixed(text.replace("self.prior.log_prob", "(self.prior).log_prob"))
    assert "Normal(self.prior" not in after


#: A prior whose parameters and parts have names of their own before it has them.
NAMED_PARTS = """
import torch
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal
class Model(torch.nn.Module):
    def __init__(self, spread=None):
        super().__init__()
        self.net = torch.nn.Linear(3, 3)
        loc = torch.zeros(2, 3)
        loc[:, 0] = torch.tensor([1.0, -1.0])
        parts = Independent(Normal(loc, torch.full_like(loc, 0.5)), 1)
        self.prior = MixtureSameFamily(Categorical(logits=torch.zeros(2)), parts)
    def forward(self, x):
        return self.prior.log_prob(self.net(x)).sum()
"""
NAMED_USE = f"{DEVICE}from model import Model\nprint(Model().to(device)(torch.ones(2, 3, device=device)))\n"


@pytest.mark.usefixtures("long_lines")
def test_a_distribution_is_made_anew_whose_parameters_were_made_before_it() -> None:
    after, _ = fix_texts({"model.py": NAMED_PARTS, "main.py": NAMED_USE}, Applicability.UNSAFE)
    assert "Normal(self.prior.component_distribution.base_dist.loc.to(x.device), " in after["model.py"]
    assert not clashes(after["main.py"], model=after["model.py"])


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("        self.prior", "        if spread:\n            parts = spread\n        self.prior"),
        ("__init__(self, spread", "__init__(self, parts=None, spread"),
        ("        parts = Ind", "        same = parts = Ind"),
    ],
)
def test_parts_that_may_be_others_are_not_made_anew(line: str, other: str) -> None:
    text = NAMED_PARTS.replace(line, other)
    after, _ = fix_texts({"model.py": text, "main.py": NAMED_USE}, Applicability.UNSAFE)
    assert "(self.prior." not in after["model.py"]


OWN_DISTRIBUTIONS = """
from torch.distributions import Categorical, Normal
class Gaussian(Normal):
    def log_probs(self, x):
        return super().log_prob(x).sum(-1)
class Choice(Categorical):
    def log_probs(self, x):
        return super{call}.log_prob(x)
net = torch.nn.Linear(3, 4).to(device)
out = net(torch.rand(2, 3, device=device))
"""


def test_a_distribution_of_the_project_is_where_its_parameters_are() -> None:
    head = DEVICE + OWN_DISTRIBUTIONS.format(call="()")
    used = "print(Gaussian(out, out.exp()).log_probs(out) - torch.rand(2), Choice(logits=out).probs * torch.rand(2, 4))\n"
    assert len(clashes(head + used)) == 2
    assert not clashes(head + "print(Gaussian(torch.zeros(2), torch.ones(2)).log_probs(torch.rand(2)))\n")


def test_what_raises_is_no_way_to_go_on() -> None:
    """``super.log_prob`` is an attribute that the class ``super`` does not have."""
    choice = "dist = Gaussian(out, out.exp()) if len(out) > 3 else Choice(logits=out)\n"
    used = "print(dist.log_probs(out) - torch.rand(2))\n"
    assert len(clashes(DEVICE + OWN_DISTRIBUTIONS.format(call="") + choice + used)) == 1


FILLED = """
cell = torch.nn.GRUCell(3, 4)
gru = torch.nn.GRU(3, 4).to(device)
{filled}
print(cell(torch.zeros(1, 3, device=device), torch.zeros(1, 4, device=device)))
"""


def test_a_layer_that_is_given_the_weights_of_another_is_where_they_are() -> None:
    names = ("weight_hh", "weight_ih", "bias_hh", "bias_ih")
    filled = "\n".join(f"cell.{name}.data = gru.{name}_l0.data" for name in names)
    assert not clashes(DEVICE + FILLED.format(filled=filled))
    assert clashes(DEVICE + FILLED.format(filled=""))
