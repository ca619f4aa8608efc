"""What a method of a module makes beside its parameters, where no script tells where the module is."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

MODEL = """import torch
from torch import nn

class Flow(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 3)

    def {method}(self, {given}):
        total = torch.zeros({size})
        {body}
"""


def fixed(*, method: str = "forward", given: str = "x", size: str = "x.shape[0]", body: str) -> str:
    text = MODEL.format(method=method, given=given, size=size, body=body.replace("\n", "\n        "))
    return fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]


@pytest.mark.parametrize(
    "body",
    [
        "total += self.net(x)\nreturn total",
        "total -= self.net(x)[:, 0]\nreturn x, total",
        "total += torch.sum(self.net(x), dim=1)\nreturn torch.exp(total) * 2",
        "total.fill_(0)\ntotal.add_(self.net(x)[:, 0])\nreturn total * self.net(x)",
    ],
)
def test_what_is_summed_is_made_where_the_parameters_are(body: str) -> None:
    after = fixed(body=body)
    assert "device=next(self.parameters()).device)" in after
    assert ".to(total.device)" not in after
    assert not clashes(after)


def test_an_input_that_is_a_tensor_tells_the_device() -> None:
    after = fixed(given="x: torch.Tensor", size="x.size(0)", body="total += self.net(x)\nreturn total")
    assert "torch.zeros(x.size(0), device=x.device)" in after


@pytest.mark.parametrize(
    "body",
    [
        "for i, x in enumerate(x):\n    total[i] += self.net(x)[0]\nreturn total",
        "total += self.net(x)\nreturn total.numpy()",
        "total += self.net(x)\nself.total = total",
        "total += self.net(x)\nshow(total)\nreturn total",
        "total += self.net(x)\ntotal.tolist()\nreturn total",
        "total += self.net(x)\nreturn total.add_(1)",
    ],
)
def test_what_may_be_meant_for_the_cpu_stays_there(body: str) -> None:
    after = fixed(body=body)
    assert "device=" not in after
    assert ".to(total.device)" in after


KEEPER = """import torch
from torch import nn

class Filter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("w", torch.ones(3))

    def forward(self, x):
        {before}
        total = torch.zeros(len(x), 3)
        total += self.w
        return total
"""


def test_a_buffer_that_is_added_tells_the_device() -> None:
    after = fix_texts({"main.py": KEEPER.format(before="x = x * 2")}, Applicability.SAFE)[0]["main.py"]
    assert "torch.zeros(len(x), 3, device=self.w.device)" in after
    assert not clashes(after)


def test_an_attribute_that_the_method_sets_does_not() -> None:
    text = KEEPER.format(before="self.w = self.w * 2")
    assert "device=self.w.device" not in fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]


def test_a_script_that_tells_the_device_is_followed() -> None:
    model = MODEL.format(method="forward", given="x", size="x.shape[0]", body="total += self.net(x)[:, 0]")
    script = 'device = torch.device("cuda")\nFlow().to(device)(torch.ones(2, 3, device=device))\n'
    after = fix_texts({"main.py": model + script}, Applicability.SAFE)[0]["main.py"]
    assert "torch.zeros(x.shape[0], device=x.device)" in after


OWN_METHOD = """import torch
from torch import nn

class Householder(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.vectors = nn.Parameter(torch.randn(3, size))
        self.seen = []

    def forward(self, x):
        for v in self.vectors:
            x = x - 2 * torch.outer(x @ v, v)
        return x

    def matrix(self):
        identity = torch.eye(self.size)
        {body}
"""


def test_what_goes_to_the_modules_own_method_is_made_there() -> None:
    text = OWN_METHOD.format(body="return self.forward(identity)")
    after = fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]
    assert after == text.replace("eye(self.size)", "eye(self.size, device=next(self.parameters()).device)")


def test_what_is_kept_beside_may_be_meant_for_the_cpu() -> None:
    text = OWN_METHOD.format(body="self.seen.append(identity)\n        return self.forward(identity)")
    after = fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]
    assert "torch.eye(self.size)\n" in after


INNER_MODULE = """import torch
from torch import nn

class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        {part}

    def decode(self, vec):
        return {use}

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.decoder = Decoder()

    def sample(self):
        vec = torch.ones(1, 4)
        return self.decode(vec)

    def decode(self, vec):
        return self.decoder.decode(vec)
"""


@pytest.mark.parametrize(
    ("part", "use"),
    [
        ("self.W = nn.Linear(4, 4)", "self.W(vec)"),
        ('self.register_buffer("W", torch.ones(4))', "self.W + vec"),
    ],
)
def test_what_an_inner_module_keeps_has_no_name_in_the_outer_one(part: str, use: str) -> None:
    after = fix_texts({"main.py": INNER_MODULE.format(part=part, use=use)}, Applicability.SAFE)[0]["main.py"]
    assert "self.W.device" not in after.partition("class Model")[2]


def test_a_module_that_is_called_has_parameters_and_no_device() -> None:
    text = INNER_MODULE.format(part="self.W = nn.Linear(4, 4)", use="self.W(vec)")
    after = fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]
    assert after == text.replace("ones(1, 4)", "ones(1, 4, device=next(self.parameters()).device)")


COLLECTED = """import torch
from torch import nn

class Filter(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.last = nn.ReLU()

    def forward(self, x: torch.Tensor):
        keep = self.first(x).sum(-1) > 0
        found = torch.zeros((x.shape[0], 3))
        found[keep] = self.first(x[keep])
        {rest}
"""


def test_what_is_filled_and_handed_to_a_part_is_made_with_its_device() -> None:
    text = COLLECTED.format(rest="return self.last(found)")
    after = fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]
    assert after == text.replace("shape[0], 3))", "shape[0], 3), device=x.device)")


def test_what_is_filled_and_returned_may_be_meant_for_the_cpu() -> None:
    text = COLLECTED.format(rest="return found")
    after = fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]
    assert "torch.zeros((x.shape[0], 3))" in after


SUM = """import torch
from torch import nn

class Total(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])

    def forward(self, x: torch.Tensor):
        total = torch.Tensor([0.0])
        for part in self.parts:
            total += part(x).mean()
        return total
"""
CHECK = """import torch
from main import Total

def test_total():
    assert Total()(torch.ones(3)).shape == (1,)
"""


@pytest.mark.parametrize("beside", [{}, {"test_total.py": CHECK}])
def test_a_check_on_the_cpu_does_not_hide_the_input_that_tells_the_device(beside: dict[str, str]) -> None:
    after = fix_texts({"main.py": SUM, **beside}, Applicability.SAFE)[0]["main.py"]
    assert after == SUM.replace("Tensor([0.0])", "Tensor([0.0]).to(x.device)")


POOLING = """import torch
from torch import nn

class Scales(nn.Module):
    def __init__(self, n, how):
        super().__init__()
        self.n, self.how = n, how
        self.net = nn.Linear(n, n)

    def scaled(self, x):
        if self.how == "max":
            pool = nn.MaxPool1d(2)
        elif self.how == "conv":
            pool = nn.Conv1d(self.n, self.n, 3)
        else:
            return x
        return pool(x.permute(0, 2, 1))

    def forward(self, x):
        return self.scaled(self.net(x))
"""


def test_a_layer_that_a_method_makes_for_the_moment_goes_where_its_input_is() -> None:
    after = fix_texts({"main.py": POOLING}, Applicability.SAFE)[0]["main.py"]
    assert after == POOLING.replace("self.n, 3)", "self.n, 3).to(x.device)")
    assert not clashes(after)


SCAN = """import torch
from torch import nn

class Scan(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.net = nn.Linear(n, n)

    def forward(self, u: torch.Tensor):
        decay = self.net(u)
        state = torch.zeros((2, 4))
        states = []
        for step in range(3):
            FIRST
            THEN
        return torch.stack(states, dim=1)
"""
RENEWED, KEPT = "state = decay[:, step] * state + u[:, step]", "states.append(state)"


def test_what_is_collected_once_it_was_renewed_begins_where_it_is_renewed() -> None:
    text = SCAN.replace("FIRST", RENEWED).replace("THEN", KEPT)
    after = fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]
    assert after == text.replace("(2, 4))", "(2, 4), device=u.device)")
    assert not clashes(after)


@pytest.mark.parametrize(
    ("first", "then"),
    [(KEPT, RENEWED), ("other = decay[:, step] * state", KEPT)],
    ids=["before", "never"],
)
def test_what_is_collected_as_it_was_made_is_moved_where_it_meets(first: str, then: str) -> None:
    text = SCAN.replace("FIRST", first).replace("THEN", then)
    after = fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]
    assert "(2, 4))\n" in after
    assert "* state.to(" in after
