"""The distribution that a module keeps is made of buffers, which move with the module."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

NET = """
    import torch
    from torch import distributions as D, nn
    from torch.distributions import Beta, Independent, Normal, kl_divergence

    def drawn(distribution):
        return distribution.rsample()

    class other:
        @staticmethod
        def kl_divergence(distribution):
            return distribution.sample().sum()

    class Net(nn.Module):
        def __init__(self, latent=3):
            {constructor}
            self.encoder = nn.Linear(3, 2 * latent)
            {rest}

        def forward(self, x):
            mean, scale = self.encoder(x).chunk(2, 1)
            return {loss}

    def main():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net = Net().to(device)
        {more}
        print(net(torch.ones(4, 3).to(device)).item())

    main()
"""
PLAIN, EVENTS = (
    "kl_divergence(Normal(mean, scale.exp()), self.prior).sum()",
    "self.prior.log_prob(mean).sum()",
)
TWO = "self.prior = Normal(torch.zeros(latent), torch.ones(latent))"


def repaired(
    rest: str, loss: str = PLAIN, constructor: str = "super().__init__()", more: str = "pass"
) -> tuple[str, str]:
    texts = files(NET.format(rest=rest, loss=loss, constructor=constructor, more=more))
    return texts["main.py"], fix_texts(texts)[0]["main.py"]


@pytest.mark.parametrize(
    ("rest", "loss", "buffers", "made"),
    [
        (
            TWO,
            PLAIN,
            {"loc": "torch.zeros(latent)", "scale": "torch.ones(latent)"},
            "Normal(self.prior_loc, self.prior_scale)",
        ),
        (
            "self.prior = Normal(torch.zeros(latent), scale=1.0)",
            EVENTS,
            {"loc": "torch.zeros(latent)"},
            "Normal(self.prior_loc, scale=1.0)",
        ),
        (
            "self.prior = Independent(D.Normal(scale=torch.ones(latent), loc=torch.zeros(latent)), 1)",
            EVENTS,
            {"scale": "torch.ones(latent)", "loc": "torch.zeros(latent)"},
            "Independent(D.Normal(scale=self.prior_scale, loc=self.prior_loc), 1)",
        ),
    ],
)
def test_its_parameters_are_registered(rest: str, loss: str, buffers: dict[str, str], made: str) -> None:
    before, after = repaired(rest, loss)
    indent = "\n" + 8 * " "
    lines = [
        f'self.register_buffer("prior_{name}", {value}, persistent=False)' for name, value in buffers.items()
    ]
    told = f"\n\n    @property\n    def prior(self):{indent}return {made}"
    assert after == before.replace(rest, indent.join(lines) + told)


@pytest.mark.parametrize(
    "rest",
    [
        f"self.prior_loc = 1\n            {TWO}",
        f"{TWO}\n            self.prior.loc = torch.zeros(latent)",
        "rows = torch.zeros(latent)\n            self.prior = Normal(rows, torch.ones(latent))",
        f"if latent:\n                {TWO}",
        "self.prior = D.MultivariateNormal(torch.zeros(latent), torch.eye(latent))",
        "self.prior = Normal(torch.zeros(latent, requires_grad=True), torch.ones(latent))",
    ],
)
def test_what_may_be_named_or_set_otherwise_is_no_buffer(rest: str) -> None:
    assert "@property" not in repaired(rest)[1]


@pytest.mark.parametrize(
    "loss",
    [
        f"{PLAIN} + self.prior.sample((4,)).to(x.device).sum()",
        f"{PLAIN} + self.prior.expand((4, 3)).sample().to(x.device).sum()",
        f"{PLAIN} + drawn(self.prior).to(x.device).sum()",
        f"{PLAIN} + other.kl_divergence(self.prior).to(x.device)",
    ],
)
def test_what_is_drawn_keeps_its_numbers(loss: str) -> None:
    before, after = repaired(TWO, loss)
    assert TWO in after
    assert after != before


def test_another_one_is_put_in_its_place() -> None:
    assert "@property" not in repaired(TWO, more="net.prior = Normal(torch.zeros(3).to(device), 1.0)")[1]


def test_nothing_is_registered_before_the_module_has_begun() -> None:
    _, after = repaired("super().__init__()\n            self.encoder = nn.Linear(3, 6)", constructor=TWO)
    assert "register_buffer" not in after


@pytest.mark.parametrize(
    "heir",
    [
        "self.prior_loc = nn.Parameter(torch.ones(3))",
        "pass\n\n    def prior_loc(self):\n        return 1.0",
        "pass\n\n    @property\n    def prior_scale(self):\n        return self.prior.stddev",
        "pass\n\n    prior = None",
    ],
)
def test_a_derived_class_has_the_names_already(heir: str) -> None:
    text = files(NET.format(rest=TWO, loss=PLAIN, constructor="super().__init__()", more="pass"))["main.py"]
    derived = f"class Heir(Net):\n    def __init__(self):\n        super().__init__()\n        {heir}\n\ndef main():"
    texts = {"main.py": text.replace("def main():", derived).replace("net = Net()", "net = Heir()")}
    after = fix_texts(texts)[0]["main.py"]
    assert TWO in after
    assert after != texts["main.py"]


def test_comments_within_are_not_lost() -> None:
    _, after = repaired(
        f"self.prior = Normal(torch.zeros(latent),  # in the middle\n{16 * ' '}torch.ones(latent))  # of all"
    )
    assert "# in the middle" in after
    assert "# of all" in after
    _, after = repaired(f"{TWO}  # of all")
    assert "persistent=False)  # of all" in after
