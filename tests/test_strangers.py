"""Values of which nothing is known, where they meet what a program has been adopted with."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import clashes, files

NET = """
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.last = nn.Linear(3, 1)

    def forward(self, x, scale=None):
        h = self.first(x.flatten(1)).relu()
        return self.last(h) if scale is None else self.last(h) * scale
"""


def test_what_comes_from_outside_moves_where_a_script_hands_it_to_a_model() -> None:
    after = adopted(
        files(
            """
            import torch
            import elsewhere
            from net import Net

            model = Net()
            for x, y in elsewhere.batches():
                loss = torch.nn.functional.mse_loss(model(x), y)
                loss.backward()
            print(model(elsewhere.held()).argmax(1).numpy())
            """,
            net=NET,
        )
    )
    assert "mse_loss(model(x.to(device)), y.to(device))" in after["main.py"]
    assert "model(elsewhere.held().to(device)).argmax(1).cpu().numpy()" in after["main.py"]
    assert after["net.py"].strip() == NET.strip()


def test_what_is_handed_on_moves_where_the_model_gets_it() -> None:
    after = adopted(
        files(
            """
            import elsewhere
            from net import Net


            def predict(model, rows):
                return model(rows)


            print(predict(Net(), elsewhere.rows()).sum().item())
            """,
            net=NET,
        )
    )["main.py"]
    assert "predict(Net().to(device), elsewhere.rows().to(device))" in after


def test_an_argument_that_nothing_shows_to_be_a_tensor_stays_as_it_is() -> None:
    after = adopted(
        files(
            """
            import torch
            import elsewhere
            from net import Net

            model = Net()
            scale = elsewhere.scale()
            print(model(torch.ones(2, 3), scale).sum().item())
            """,
            net=NET,
        )
    )["main.py"]
    assert "model(torch.ones(2, 3, device=device), scale)" in after


def test_what_a_module_computes_in_an_unknown_way_stays_as_it_is() -> None:
    net = """
    import elsewhere
    import torch.nn as nn


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = nn.Linear(3, 1)

        def forward(self, x):
            return self.last(elsewhere.mixed(x))
    """
    after = adopted(
        files(
            """
            import torch
            from net import Net

            print(Net()(torch.ones(2, 3)).sum().item())
            """,
            net=net,
        )
    )
    assert "elsewhere.mixed(x))" in after["net.py"]


def test_what_a_module_computes_in_an_unknown_way_stays_as_it_is_where_it_hands_it_on() -> None:
    net = """
    import elsewhere
    import torch.nn as nn


    class Head(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = nn.Linear(3, 1)

        def forward(self, h):
            return self.last(h)


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = Head()

        def forward(self, x):
            return self.head(elsewhere.mixed(x))
    """
    after = adopted(
        files(
            """
            import torch
            from net import Net

            print(Net()(torch.ones(2, 3)).sum().item())
            """,
            net=net,
        )
    )
    assert "Net().to(device)(torch.ones(2, 3))" in after["main.py"]
    assert ".to(" not in after["net.py"]


def test_a_program_with_a_device_of_its_own_is_not_judged_by_what_is_unknown() -> None:
    text = """
    import torch
    import elsewhere

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = torch.nn.Linear(3, 1).to(device)
    for x, y in elsewhere.batches():
        loss = torch.nn.functional.mse_loss(model(x), y)
    """
    assert clashes(text) == []


def test_an_unknown_argument_that_is_called_a_dtype_is_no_choice_of_a_device() -> None:
    after = adopted(
        files(
            """
            import torch
            import elsewhere

            model = torch.nn.Linear(3, 1)
            x = torch.ones(2, 3).to(elsewhere.dtype)
            print(model(x).sum().item())
            """
        )
    )["main.py"]
    assert "torch.nn.Linear(3, 1).to(device)" in after


CELL = """
import elsewhere
import torch
import torch.nn as nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.both = nn.Linear(7, 4)

    def forward(self, x, hidden):
        return self.both(torch.cat(({joined}, hidden), 1))

    def start(self):
        return torch.zeros(1, 4)


cell = Cell()
hidden = cell.start()
for letter in elsewhere.word():
    hidden = cell({letter}, hidden)
print(hidden.sum().item())
"""


def test_what_is_joined_to_others_is_a_tensor() -> None:
    after = adopted(files(CELL.format(joined="x", letter="letter[0]")))["main.py"]
    assert "hidden = cell(letter[0].to(device), hidden)" in after
    assert "return torch.zeros(1, 4, device=device)" in after


def test_what_a_module_has_from_elsewhere_is_where_the_module_is() -> None:
    after = adopted(files(CELL.format(joined="elsewhere.grown(self.both)", letter="letter")))["main.py"]
    assert "torch.cat((elsewhere.grown(self.both), hidden), 1)" in after
    assert "hidden = cell(letter, hidden)" in after


@pytest.mark.parametrize(
    ("given", "found"), [("strangers.Layer(goal).to(device)", 0), ("print(goal)", 2), ("goal.to(device)", 0)]
)
def test_what_has_a_method_to_may_be_moved_by_code_from_outside(given: str, found: int) -> None:
    program = f"""
import torch
import strangers

device = torch.device("cuda")

class Goal:
    def __init__(self):
        self.device = torch.device("cpu")
        self.offset = torch.zeros(3)

    def to(self, device):
        self.device = device
        self.offset = self.offset.to(device)
        return self

goal = Goal()
{given}
torch.zeros(3, device=goal.device) + torch.ones(3).to(device)
goal.offset + torch.ones(3).to(device)
"""
    assert len(clashes(program)) == found


GIVEN = """
import torch
from torch import nn
from elsewhere import Trainer


class Silent(Trainer):
    pass


class Telling(Trainer):
    def __init__(self, net):
        super().__init__(net)


class Keeping(Trainer):
    def __init__(self, net):
        self.net = net


net = nn.Linear(3, 3)
trainer = {made}
net(torch.ones(3, device="cuda"))
"""


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("Silent(net)", 0),
        ("Silent(nets=[net])", 0),
        ("Telling(net)", 0),
        ("Telling(net.state_dict())", 1),
        ("Keeping(net)", 1),
    ],
)
def test_a_constructor_from_outside_may_move_what_it_is_given(made: str, found: int) -> None:
    assert len(clashes(GIVEN.format(made=made))) == found
