"""Distributions that expand a parameter without dimensions to the shape of the others, where it is."""

import contextlib

import pytest
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability
from devfix.simulator import simulated_accelerator

PROGRAM = """
import torch
from torch import distributions as D

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
scale = {scale}
made = D.{made}
print(made.log_prob(torch.rand(3, device=device)).sum())
"""
VECTOR = "torch.ones(3, device=device)"


@pytest.mark.parametrize(
    "made",
    [
        "StudentT(torch.tensor(5.0), scale, scale)",
        "Normal(torch.tensor(0.0), scale)",
        "Normal(loc=torch.zeros(()), scale=scale)",
        "Uniform(torch.tensor(0.0), scale)",
        "Beta(scale, torch.tensor(2.0))",
        "Gamma(torch.tensor(2.0), scale)",
    ],
)
def test_a_number_on_the_cpu_is_expanded_there(made: str) -> None:
    assert clashes(PROGRAM.format(made=made, scale=VECTOR)) == ["7: device"]


@pytest.mark.parametrize(
    "made",
    [
        "StudentT(5.0, scale, scale)",
        "Normal(0.0, scale)",
        "Normal(torch.tensor(0.0, device=device), scale)",
        # What a binomial does not count is brought to what it counts.
        "Binomial(torch.tensor(5.0), probs=scale / 2)",
    ],
)
def test_what_stands_beside_a_vector_without_harm(made: str) -> None:
    assert clashes(PROGRAM.format(made=made, scale=VECTOR)) == []


def test_beside_another_number_nothing_is_expanded() -> None:
    text = PROGRAM.format(made="Normal(torch.tensor(0.0), scale)", scale="torch.tensor(1.0, device=device)")
    assert clashes(text) == []


def test_nobody_knows_whether_a_parameter_that_is_handed_in_has_dimensions() -> None:
    text = """
    import torch
    from torch.distributions import Normal

    def around(scale):
        return Normal(torch.tensor(0.0), scale.cuda())
    """
    assert clashes(text) == []


def test_it_is_made_beside_the_others() -> None:
    text = PROGRAM.format(made="StudentT(torch.tensor(5.0), scale, scale)", scale=VECTOR)
    texts, _ = fix_texts(files(text))
    after = texts["main.py"]
    assert "D.StudentT(torch.tensor(5.0, device=device), scale, scale)" in after


def test_where_a_program_adopts_a_device_it_goes_along() -> None:
    text = """
    import torch
    from torch import nn

    class Head(nn.Module):
        def __init__(self):
            super().__init__()
            self.out = nn.Linear(4, 2)

        def forward(self, x):
            mu, raw = self.out(x).chunk(2, -1)
            return torch.distributions.StudentT(torch.tensor(5.0), mu, raw.exp())

    model = Head()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = -model(torch.randn(8, 4)).log_prob(torch.randn(8, 1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    """
    texts, _ = fix_texts(files(text), Applicability.UNSAFE, adopt=True)
    after = texts["main.py"]
    assert "StudentT(torch.tensor(5.0, device=mu.device), mu, raw.exp())" in after


@pytest.mark.parametrize(
    "made",
    [
        "torch.distributions.uniform.Uniform(0.0, 1.0)",
        "torch.distributions.bernoulli.Bernoulli(0.5)",
        "Gamma(1.0, 2.0)",
        "Independent(torch.distributions.Normal(torch.zeros(3), torch.ones(3)), 1)",
    ],
)
def test_a_distribution_is_known_in_the_file_that_has_it(made: str) -> None:
    head = "import torch\nfrom torch.distributions.gamma import Gamma\nfrom torch.distributions.independent import Independent\n"
    text = f"{head}made = {made}.sample((4, 3))\nprint(made + torch.ones(4, 1).cuda())\n"
    assert clashes(text) == ["5: device"]
    assert clashes(text.replace(".cuda()", "")) == []


DRAWN = """
import torch
from torch import distributions as D
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
prior = D.{made}
net = nn.Linear(2, 3).to(device)
{use}
"""
NUMBERS = "Normal(torch.tensor(0.0), torch.tensor(1.0))"
BESIDE = "Normal(torch.tensor(0.0, device=device), torch.tensor(1.0))"


def test_all_numbers_that_something_is_drawn_of_are_moved() -> None:
    text = DRAWN.format(made=NUMBERS, use="print(net(prior.sample((4, 2))))")
    wanted = text.replace("0.0)", "0.0, device=device)").replace("1.0)", "1.0, device=device)")
    assert fix_texts(files(text), Applicability.UNSAFE)[0]["main.py"] == wanted
    assert clashes(wanted) == []


@pytest.mark.parametrize(
    ("made", "use", "found"),
    [
        (BESIDE, "prior.sample((4, 2))", ["9: device"]),
        (f"Log{BESIDE}", "prior.sample()", ["9: device"]),
        (BESIDE, "prior.rsample((4, 2))", []),
        (BESIDE, "prior.log_prob(torch.rand(3, device=device))", []),
        (BESIDE.replace("Normal", "Laplace"), "prior.sample((4, 2))", []),
        (NUMBERS, "prior.sample((4, 2)).to(device) + net.bias[:2]", []),
    ],
)
def test_a_normal_draws_of_numbers_on_one_device(made: str, use: str, found: list[str]) -> None:
    text = DRAWN.format(made=made, use=use)
    assert clashes(text) == found
    with simulated_accelerator(), pytest.raises(RuntimeError) if found else contextlib.nullcontext():
        exec(compile(text, "main.py", "exec"), {})
