"""What counts as somebody's choice of a device, and that whatever meets a model comes along."""

from __future__ import annotations

import pytest
from test_adoption import CHOICE, adopted
from text_program import files

TRAINING = """
import torch
{imports}

model = torch.nn.Linear(3, 1)
x = torch.ones(4, 3)
print(model(x).sum().item())
"""


@pytest.mark.parametrize(
    "function",
    [
        "def scaled(x, by):\n    return by.to(x.device) * x\n",
        "def like(x, y):\n    return x.type(y.type())\n",
        "def like(x, y):\n    return x.type_as(y)\n",
        "def cast(x, other):\n    return torch.ones(3).to(other.dtype) + x\n",
        "def cast(x):\n    return torch.ones(3).to(torch.get_default_dtype()) + x\n",
        "def cast(x, y):\n    return torch.ones(3).to(torch.result_type(x, y)) + x\n",
        "class Norm(torch.nn.Module):\n    def forward(self, x):\n        return x - torch.ones(3).to(x.device)\n",
    ],
)
def test_who_follows_a_tensor_chooses_no_device(function: str) -> None:
    texts = files(TRAINING.format(imports="import parts"), parts=f"import torch\n\n\n{function}")
    after = adopted(texts)["main.py"]
    assert f"device = {CHOICE}" in after
    assert "torch.nn.Linear(3, 1).to(device)" in after


def test_a_name_for_the_device_of_a_tensor_is_no_choice() -> None:
    after = adopted(
        files(
            """
            import torch


            def shifted(x):
                device, rows = x.device, len(x)
                return x + torch.arange(rows, device=device).unsqueeze(1)


            model = torch.nn.Linear(3, 1)
            print(model(shifted(torch.ones(4, 3))).sum().item())
            """
        )
    )["main.py"]
    assert f"DEVICE = {CHOICE}" in after
    assert "torch.nn.Linear(3, 1).to(DEVICE)" in after


@pytest.mark.parametrize(
    "function",
    [
        "def moved(n, device):\n    return torch.ones(n).to(device)\n",
        "def moved(n, args):\n    return torch.ones(n, device=args.device)\n",
        "def moved(x):\n    return x.to(DEVICE)\n\n\nDEVICE = torch.device('cuda')\n",
    ],
)
def test_a_program_that_chooses_a_device_somewhere_keeps_it(function: str) -> None:
    texts = files(TRAINING.format(imports="import parts"), parts=f"import torch\n\n\n{function}")
    assert adopted(texts)["main.py"] == texts["main.py"]


def test_other_repairs_do_not_stand_in_for_the_choice() -> None:
    after = adopted(
        files(
            """
            import torch
            from nets import Net

            net = Net()
            print(net(torch.ones(4, 3)).sum().item())
            """,
            nets="""
            import torch
            import torch.nn as nn


            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(3, 3)

                def forward(self, x):
                    h = self.fc(x)
                    return h * torch.ones(4, 3)


            class Other(nn.Module):
                def forward(self, x, lengths):
                    weight = torch.tensor([1.0 / n for n in lengths])
                    both = torch.cat([x, torch.zeros(4, 1)], dim=1)
                    return weight * x + both[:, 1:]
            """,
        )
    )
    assert "net = Net().to(device)" in after["main.py"]


def test_torch_may_come_with_all_names_of_another_file() -> None:
    after = adopted(
        files(
            """
            from helpers import *

            torch.manual_seed(0)
            model = make_model()
            optimizer = torch.optim.Adam(model.parameters())
            print(model(torch.ones(2, 3)).sum().item())
            """,
            helpers="""
            import torch


            def make_model():
                return torch.nn.Linear(3, 1)
            """,
        )
    )
    assert f"device = {CHOICE}" in after["main.py"]
    assert "make_model().to(device)" in after["main.py"]
    assert "import torch\n" not in after["main.py"]


def test_an_array_of_which_little_is_known_is_no_tensor() -> None:
    after = adopted(
        files(
            """
            import torch
            from loading import load

            features, labels = load("data")
            features, labels = torch.FloatTensor(features), torch.LongTensor(labels)
            model = torch.nn.Linear(3, 2)
            print(torch.nn.functional.cross_entropy(model(features), labels).item())
            """,
            loading="""
            import pickle
            import numpy as np


            def load(name):
                with open(name, "rb") as file:
                    first, second, y, z = pickle.load(file)
                return np.vstack((first, second)), np.concatenate((y, z))
            """,
        )
    )["main.py"]
    assert 'features, labels = load("data")\nfeatures, labels = torch' in after
    assert after.count(".to(device)") >= 3


def test_a_wrapper_that_some_runs_have_does_not_move_the_input_of_all() -> None:
    after = adopted(
        files(
            """
            import sys
            import torch

            model = torch.nn.Linear(3, 1)
            if len(sys.argv) > 1:
                model = torch.nn.DataParallel(model)
            x = torch.ones(4, 3)
            print(model(x).sum().item())
            """
        )
    )["main.py"]
    assert "x = torch.ones(4, 3, device=device)" in after


def test_an_average_of_a_model_is_called_as_the_model_is() -> None:
    after = adopted(
        files(
            """
            import torch
            from torch.optim.swa_utils import SWALR, AveragedModel

            model = torch.nn.Linear(3, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            schedule = SWALR(optimizer, swa_lr=0.05)
            average = AveragedModel(model)
            average.update_parameters(model)
            schedule.step()
            print(average(torch.ones(2, 3)).sum().item())
            """
        )
    )["main.py"]
    assert "model = torch.nn.Linear(3, 1).to(device)" in after
    assert "average = AveragedModel(model)\n" in after
    assert "average(torch.ones(2, 3, device=device))" in after


def test_a_constructor_in_a_variable_is_given_no_device() -> None:
    after = adopted(
        files(
            """
            import torch


            def returns(values):
                kind = type(values)
                found = kind(values.size(0), 1)
                for i in range(values.size(0)):
                    found[i] = values[i]
                return values + found


            critic = torch.nn.Linear(3, 1)
            print(returns(critic(torch.ones(4, 3)).detach()).sum().item())
            """
        )
    )["main.py"]
    assert "kind(values.size(0), 1).to(" in after


def test_a_tensor_of_which_nobody_knows_where_it_is_comes_along() -> None:
    after = adopted(
        files(
            """
            import torch
            import strange

            model = torch.nn.Linear(3, 1)
            x = torch.ones(2, 3) * strange.scale()
            x = x + strange.bias()
            print(model(torch.cat([x, strange.rows()])).sum().item())
            """
        )
    )["main.py"]
    assert "torch.ones(2, 3, device=device)" in after


def test_tensors_and_arrays_that_one_test_chose_together_do_not_mix() -> None:
    after = adopted(
        files(
            """
            import torch
            from scaling import Scaler

            model = torch.nn.Linear(3, 1)
            print(model(torch.ones(2, 3)).sum().item())
            """,
            scaling="""
            import numpy as np
            import torch


            class Scaler:
                def __init__(self, data):
                    self.mean = np.mean(data, 0)
                    self.std = np.std(data, 0)

                def restore(self, data):
                    mean = torch.from_numpy(self.mean).type_as(data) if torch.is_tensor(data) else self.mean
                    std = torch.from_numpy(self.std).type_as(data) if torch.is_tensor(data) else self.std
                    return data * std + mean
            """,
        )
    )["main.py"]
    assert "torch.nn.Linear(3, 1).to(device)" in after


def test_what_is_differentiated_by_in_a_function_that_is_given_the_model_follows_it() -> None:
    after = adopted(
        files(
            """
            import torch
            from paths import follow

            model = torch.nn.Linear(2, 1)
            print(model(torch.ones(3, 2)).sum().item(), follow(model, [0.1, 0.2]))
            """,
            paths="""
            import torch


            def follow(model, start):
                x = torch.tensor(start, requires_grad=True)
                model(x).sum().backward()
                return x.grad.numpy().sum()
            """,
        )
    )
    assert f"device = {CHOICE}" in after["main.py"]
    assert "is_available" not in after["paths.py"]
    assert (
        "torch.tensor(start, requires_grad=True, device=next(model.parameters()).device)" in after["paths.py"]
    )
    assert "x.grad.cpu().numpy()" in after["paths.py"]


RETURNED = """
import sys
import torch
from torch import nn


def build(name):
    if name == "wide":
        return nn.Linear(2, 8)
    elif name == "narrow":
        return nn.Linear(2, 4)
    raise ValueError(name)


model = build(sys.argv[1])
print(model(torch.ones(3, 2)).sum().item())
"""


def test_whichever_of_several_models_a_function_returns_moves_where_it_arrives() -> None:
    after = adopted(files(RETURNED))["main.py"]
    assert "model = build(sys.argv[1]).to(device)\n" in after
    assert after.count(".to(") == 1


def test_what_a_function_returns_to_several_moves_where_it_is_made() -> None:
    twice = RETURNED + "other = build('wide')\nprint(other(torch.ones(3, 2)).sum().item())\n"
    after = adopted(files(twice))["main.py"]
    assert "return nn.Linear(2, 8).to(device)" in after
    kept = RETURNED.replace("return nn.Linear(2, 4)", "return None")
    assert "return nn.Linear(2, 8).to(device)" in adopted(files(kept))["main.py"]


NOISED = """\
import numpy as np
import torch
from torch import nn


class Steps(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.net = nn.Linear(4, 4)
        self.kept = np.cumprod(1 - np.linspace(0.1, 0.5, count))

    def forward(self, rows):
        return self.net(rows)

    def noised(self, rows):
        for step in range(3):
            noise = torch.randn_like(rows)
            rows = self.kept[step] ** 0.5 * rows + (1 - self.kept[step]) ** 0.5 * noise
        return rows


steps = Steps(3)
print(steps(torch.rand(2, 4)).sum().item())
"""


def test_a_number_of_numpy_leaves_open_what_comes_of_a_row_that_nobody_knows() -> None:
    assert "steps = Steps(3).to(device)" in adopted({"main.py": NOISED})["main.py"]


def test_a_whole_array_takes_in_what_is_added_to_it() -> None:
    program = NOISED.replace("self.kept[step]", "self.kept")
    assert adopted({"main.py": program})["main.py"] == program
