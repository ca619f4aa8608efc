"""What is drawn of a distribution and passes through transforms meets their tensors."""

import pytest
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
from torch.distributions import AffineTransform, Independent, Normal, TanhTransform, TransformedDistribution

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
base = Independent(Normal(torch.zeros(4, 3, device=device), torch.ones(4, 3, device=device)), 1)
scale = {scale}
policy = TransformedDistribution(base, {transforms})
print(policy.rsample().sum())
"""
VECTOR = "torch.full((3,), 2.0)"


@pytest.mark.parametrize(
    "transforms",
    [
        "AffineTransform(0.0, scale)",
        "[TanhTransform(cache_size=1), AffineTransform(loc=0.0, scale=scale)]",
    ],
)
def test_a_transform_meets_what_is_drawn(transforms: str) -> None:
    assert clashes(PROGRAM.format(scale=VECTOR, transforms=transforms)) == ["8: device"]


@pytest.mark.parametrize(
    ("scale", "transforms"),
    [
        ("torch.full((3,), 2.0, device=device)", "AffineTransform(0.0, scale)"),
        ("torch.tensor(2.0)", "[AffineTransform(0.0, scale)]"),
        ("2.0", "[TanhTransform(), AffineTransform(0.0, scale)]"),
        ("make()", "[AffineTransform(0.0, scale)]"),
    ],
)
def test_what_fits_is_left_alone(scale: str, transforms: str) -> None:
    assert clashes(PROGRAM.format(scale=scale, transforms=transforms)) == []


def test_what_a_transform_is_made_around_is_where_it_was() -> None:
    text = PROGRAM.format(scale="2.0", transforms="AffineTransform(0.0, scale)")
    assert clashes(f"{text}print(torch.ones(3) * policy.base_dist.mean)\n") == ["10: device"]
    assert clashes(f"{text}print(torch.ones(3, device=device) * policy.base_dist.base_dist.mean)\n") == []


def test_the_bounds_that_an_actor_keeps_become_its_buffers() -> None:
    text = """
    import torch
    from torch import nn
    from torch.distributions import AffineTransform, Normal, TransformedDistribution

    class Actor(nn.Module):
        def __init__(self, low, high):
            super().__init__()
            self.loc, self.scale = torch.tensor([low + high]) / 2, torch.tensor([high - low]) / 2
            self.net = nn.Linear(3, 1)

        def forward(self, x):
            return TransformedDistribution(
                Normal(self.net(x), 1.0), [AffineTransform(loc=self.loc, scale=self.scale)]
            )

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    actor = Actor(-1.0, 2.0).to(device)
    print(actor(torch.rand(4, 3, device=device)).rsample().sum())
    """
    fixed = fix_texts(files(text), Applicability.UNSAFE)[0]["main.py"]
    assert 'self.register_buffer("loc", loc, persistent=False)' in fixed
    assert 'self.register_buffer("scale", scale, persistent=False)' in fixed
    assert clashes(fixed) == []


HANDED = """
import torch
from torch import nn
from torch.distributions import AffineTransform, Normal, TransformedDistribution

class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 2)

    def forward(self, x, loc, scale):
        base = Normal(self.net(x), 1.0)
        return TransformedDistribution(base, {transforms})

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
head = Head().to(device)

class Scaler:
    def fit(self, series):
        self.loc, self.scale = series.mean(0), series.std(0)
        return self

series = torch.rand(9, 3)[:, :2]
scaler = Scaler().fit(series)
for part in series.split(3):
    x = ((part - scaler.loc) / scaler.scale).to(device)
    print(head(torch.cat([x, x[:, :1]], 1), scaler.loc, scaler.scale).rsample().sum())
"""


@pytest.mark.parametrize(
    ("transforms", "wanted"),
    [
        (
            "[AffineTransform(loc=loc, scale=scale)]",
            "[AffineTransform(loc=loc.to(x.device), scale=scale.to(x.device))]",
        ),
        (
            "AffineTransform(loc, scale, event_dim=1)",
            "AffineTransform(loc.to(x.device), scale.to(x.device), event_dim=1)",
        ),
        ("[AffineTransform(0.0, scale)]", "[AffineTransform(0.0, scale.to(x.device))]"),
    ],
)
def test_each_tensor_that_a_transform_is_made_of_is_moved(transforms: str, wanted: str) -> None:
    text = HANDED.format(transforms=transforms)
    fixed = HANDED.format(transforms=wanted)
    assert fix_texts(files(text), Applicability.UNSAFE)[0]["main.py"] == fixed
    assert clashes(fixed) == []
