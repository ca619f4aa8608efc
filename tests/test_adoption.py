"""A program that chooses no device gets one, in one place, and hands it on in its own way."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import Texts, files, fix_texts

from devfix.findings import Applicability

CHOICE = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'


def adopted(texts: Texts) -> dict[str, str]:
    """The files as they read afterwards; what was done stays when it is done again."""
    once, _ = fix_texts(texts, Applicability.UNSAFE, adopt=True)
    assert fix_texts(once, Applicability.UNSAFE, adopt=True)[0] == once
    return once


def test_an_object_that_makes_its_models_has_the_device() -> None:
    after = adopted(
        files(
            """
            from agent import Agent

            agent = Agent()
            print(agent.act([0.0, 1.0]))
            """,
            agent="""
            import torch


            class Agent:
                def __init__(self):
                    self.policy = torch.nn.Linear(2, 3)

                def act(self, state):
                    state = torch.tensor(state)
                    return self.policy(state).argmax().item()
            """,
        )
    )
    assert f"        self.device = {CHOICE}\n        self.policy =" in after["agent.py"]
    assert "torch.nn.Linear(2, 3).to(self.device)" in after["agent.py"]
    assert "torch.tensor(state, device=self.device)" in after["agent.py"]
    assert "device" not in after["main.py"]


def test_a_model_made_elsewhere_moves_where_the_script_has_it() -> None:
    after = adopted(
        files(
            """
            import torch
            from nets import build

            model = build(3)
            print(model(torch.ones(2, 3)).sum().item())
            """,
            nets="""
            import torch.nn as nn


            def build(width):
                return nn.Linear(width, 1)
            """,
        )
    )
    assert f"device = {CHOICE}" in after["main.py"]
    assert "model = build(3).to(device)" in after["main.py"]
    assert "device" not in after["nets.py"]


def test_who_keeps_the_model_keeps_its_device() -> None:
    after = adopted(
        files(
            """
            import torch
            from trainer import Trainer

            data = torch.utils.data.TensorDataset(torch.ones(4, 3), torch.ones(4, 1))
            loader = torch.utils.data.DataLoader(data, batch_size=2)
            model = torch.nn.Linear(3, 1)
            print(Trainer(model, loader).run())
            """,
            trainer="""
            import torch


            class Trainer:
                def __init__(self, model, loader):
                    self.model = model
                    self.loader = loader

                def run(self):
                    for x, y in self.loader:
                        loss = torch.nn.functional.mse_loss(self.model(x), y)
                    return loss.item()
            """,
        )
    )
    kept = "        self.model = model\n        self.device = next(model.parameters()).device\n"
    assert kept in after["trainer.py"]
    assert "x, y = x.to(self.device), y.to(self.device)" in after["trainer.py"]
    assert CHOICE not in after["trainer.py"]


def test_torch_is_imported_where_only_a_part_of_it_was() -> None:
    after = adopted(
        files("from torch import nn, ones\n\nmodel = nn.Linear(3, 1)\nprint(model(ones(2, 3)))\n")
    )
    assert "import torch\n" in after["main.py"]
    assert "nn.Linear(3, 1).to(device)" in after["main.py"]


def test_a_name_that_is_taken() -> None:
    text = """
    import torch

    model = torch.nn.Linear(3, 1)
    for device in ("phone", "tablet"):
        print(device, model(torch.ones(2, 3)).sum().item())
    """
    assert "torch.nn.Linear(3, 1).to(DEVICE)" in adopted(files(text))["main.py"]


def test_parameters_without_a_model() -> None:
    after = adopted(
        files(
            """
            import torch
            from torch import nn

            w = torch.randn(3, 1, requires_grad=True)
            b = torch.zeros(1, requires_grad=True)
            scale = nn.Parameter(torch.ones(1))
            optimizer = torch.optim.SGD([w, b, scale], lr=0.1)
            loss = ((torch.ones(4, 3) @ w + b) * scale).sum()
            loss.backward()
            optimizer.step()
            """
        )
    )["main.py"]
    assert "w = torch.randn(3, 1).to(device).requires_grad_()" in after
    assert "b = torch.zeros(1, requires_grad=True, device=device)" in after
    assert "scale = nn.Parameter(torch.ones(1, device=device))" in after


def test_a_parameter_of_a_module_moves_with_it() -> None:
    text = """
    import torch
    from torch import nn


    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.by = nn.Parameter(torch.ones(3))

        def forward(self, x):
            return x * self.by


    print(Scale()(torch.ones(3)))
    """
    after = adopted(files(text))["main.py"]
    assert "self.by = nn.Parameter(torch.ones(3))" in after
    assert "Scale().to(device)" in after


def test_what_nobody_runs_and_who_chose_stay_as_they_are() -> None:
    chosen = (
        'import torch\n\ndevice = "cuda" if torch.cuda.is_available() else "cpu"\nm = torch.nn.Linear(3, 1)\n'
    )
    library = """
    import torch


    def build():
        return torch.nn.Linear(3, 1)
    """
    for texts in (files(chosen + "n = torch.nn.Linear(1, 1).to(device)\n"), files(library)):
        assert adopted(texts) == texts


def test_an_array_that_left_the_device_stays_an_array() -> None:
    after = adopted(
        files(
            """
            import numpy as np
            import torch

            first, second = torch.nn.Linear(3, 2), torch.nn.Linear(2, 1)
            found = first(torch.ones(4, 3)).detach().numpy()
            rows = np.stack([found, found])
            print(second(torch.from_numpy(rows)).sum().item())
            """
        )
    )["main.py"]
    assert ".detach().cpu().numpy()\n" in after
    assert "torch.from_numpy(rows).to(device)" in after


def test_what_joins_of_unknown_arrays_make_is_no_scalar() -> None:
    text = """
    import numpy as np
    import torch

    from buffer_of_somebody import draw

    model = torch.nn.Linear(3, 1)
    rewards = torch.from_numpy(np.vstack([each.reward for each in draw()])).float()
    print((model(torch.ones(2, 3)) + rewards).sum().item())
    """
    after = adopted(files(text))["main.py"]
    assert (
        "rewards = torch.from_numpy(np.vstack([each.reward for each in draw()])).float().to(device)" in after
    )


def test_a_cast_to_a_tensor_type_asks_for_no_device() -> None:
    text = """
    import numpy as np
    import torch

    model = torch.nn.Linear(3, 1)
    x = torch.from_numpy(np.ones((4, 3))).type(torch.Tensor)
    y = torch.from_numpy(np.ones((4, 1))).type(torch.Tensor)
    print(torch.nn.functional.mse_loss(model(x), y).item())
    y = y.numpy()
    """
    after = adopted(files(text))["main.py"]
    assert "mse_loss(model(x), y)" in after


def test_a_closure_is_what_an_optimizer_calls() -> None:
    text = """
    import numpy as np
    import torch

    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.LBFGS(model.parameters())
    x, y = torch.from_numpy(np.ones((4, 3))).float(), torch.from_numpy(np.ones((4, 1))).float()
    for _ in range(2):

        def closure():
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(x), y)
            loss.backward()
            return loss

        print(optimizer.step(closure).item())
    """
    after = adopted(files(text))["main.py"]
    assert after.count(".to(device)") == 3


def test_a_batch_that_is_unpacked_anew_moves_after_both() -> None:
    after = adopted(
        files(
            """
            import torch

            data = torch.utils.data.TensorDataset(torch.ones(4, 3), torch.ones(4, 1))
            loader = torch.utils.data.DataLoader(data, batch_size=2)
            model = torch.nn.Linear(3, 1)
            batches = iter(loader)
            for _ in range(5):
                try:
                    x, _ = next(batches)
                except StopIteration:
                    batches = iter(loader)
                    x, _ = next(batches)
                print(model(x).sum().item())
            """
        )
    )["main.py"]
    assert "        x, _ = next(batches)\n    x = x.to(device)\n    print" in after


def test_one_move_of_a_name_is_enough() -> None:
    text = """
    import torch

    cell = torch.nn.GRUCell(1, 3)
    data = torch.ones(4, 5)
    h = torch.zeros(4, 3)
    for part in data.split(1, dim=1):
        h = cell(part, h)
        h = cell(part + h.sum(), h)
    print(h.sum().item())
    """
    assert adopted(files(text))["main.py"].count("part = part") <= 1


def test_a_coin_that_is_tossed_comes_down_on_both_sides() -> None:
    text = """
    import random

    import torch

    table, out = torch.nn.Embedding(4, 3), torch.nn.Linear(3, 4)


    def run(target, ratio):
        word = torch.tensor([0])
        forced = random.random() < ratio
        for i in range(target.size(0)):
            scores = out(table(word))
            if forced:
                word = target[i]
            else:
                word = scores.argmax(1)
        return scores.sum().item()


    print(run(torch.tensor([1, 2]).view(-1, 1), 0.5))
    """
    after = adopted(files(text))["main.py"]
    assert "print(run(torch.tensor([1, 2], device=device).view(-1, 1), 0.5))" in after
    assert after.count("device=") == 2


def test_a_tensor_type_makes_a_tensor_on_the_host_of_anything() -> None:
    text = """
    import torch
    from images_of_somebody import digits

    model = torch.nn.Linear(4, 2)
    x = torch.unsqueeze(digits.data, dim=1).type(torch.FloatTensor) / 255.0
    print(model(x).sum().item())
    """
    assert "type(torch.FloatTensor) / 255.0).to(device)" in adopted(files(text))["main.py"]


def trained(saved: str) -> dict[str, str]:
    """A program that writes what it trained to a file."""
    return files(f"""
        import torch

        model = torch.nn.Linear(3, 1)
        print(model(torch.ones(2, 3)).sum().item())
        torch.save({saved}, "model.pt")
        """)


@pytest.mark.parametrize("saved", ["model", '{"model": model, "epoch": 3}', "[model]"])
def test_nothing_is_adopted_where_another_script_may_load_a_model_itself(saved: str) -> None:
    loading = files(loaded="import torch\n\nmodel = torch.load(input())\nprint(model)\n")
    texts = {**trained(saved), **loading, "main.py": "import loaded\n" + trained(saved)["main.py"]}
    assert adopted(texts) == texts


@pytest.mark.parametrize(
    ("where", "comes"),
    [
        ('map_location="cpu"', True),
        ("map_location=lambda kept, _: kept", True),
        ("map_location=None", False),
        ("**given", False),
    ],
)
def test_a_model_that_another_script_loads_to_where_it_says_may_be_anywhere(where: str, comes: bool) -> None:
    loading = files(
        loaded=f"import json\nimport torch\n\ngiven = json.loads(input())\nprint(torch.load(input(), {where}))\n"
    )
    texts = {**trained("model"), **loading, "main.py": "import loaded\n" + trained("model")["main.py"]}
    after = adopted(texts)
    assert (after["main.py"] != texts["main.py"]) is comes
    assert after["loaded.py"] == texts["loaded.py"]


def test_what_a_script_saved_is_what_it_loads() -> None:
    texts = files("""
        import torch


        def keep(model, path):
            torch.save(model, path)


        model = torch.nn.Linear(3, 1)
        keep(model, "model.pt")
        print(torch.load("model.pt", weights_only=False)(torch.ones(2, 3)).sum().item())
        """)
    after = adopted(texts)["main.py"]
    assert "torch.nn.Linear(3, 1).to(device)" in after
    assert "torch.ones(2, 3, device=device)" in after


@pytest.mark.parametrize("saved", ["model.state_dict()", '{"model": model.state_dict()}'])
def test_a_state_in_a_file_is_no_model(saved: str) -> None:
    assert "torch.nn.Linear(3, 1).to(device)" in adopted(trained(saved))["main.py"]


def test_nothing_is_adopted_where_numpy_takes_in_what_a_model_made() -> None:
    texts = files("""
        import torch

        model = torch.nn.Linear(3, 1)
        ratio = model(torch.ones(2, 3)).detach()
        print(ratio * (1 - ratio).numpy())
        """)
    assert adopted(texts) == texts


def test_what_values_begin_with_moves_and_not_what_is_computed_of_it() -> None:
    after = adopted(
        files(
            """
            import torch
            from diffusion import Diffusion

            model = torch.nn.Linear(8, 8)
            diffusion = Diffusion(model, 10)
            for x in torch.utils.data.DataLoader(torch.randn(16, 8), batch_size=4):
                diffusion.loss(x).backward()
            """,
            diffusion="""
            import torch


            class Diffusion:
                def __init__(self, model, steps):
                    self.model = model
                    self.steps = steps
                    self.betas = torch.linspace(0.1, 0.2, steps)
                    self.alphas = torch.cumprod(1 - self.betas, dim=0)

                def noisy(self, x, t, noise):
                    level = self.alphas.gather(-1, t).reshape(-1, 1)
                    return level.sqrt() * x + (1 - level).sqrt() * noise

                def loss(self, x):
                    t = torch.randint(0, self.steps, (x.shape[0],))
                    noise = torch.randn_like(x)
                    return (self.model(self.noisy(x, t, noise)) - noise).pow(2).mean()
            """,
        )
    )
    assert "torch.linspace(0.1, 0.2, steps, device=self.device)" in after["diffusion.py"]
    assert "(x.shape[0],)).to(self.device)" in after["diffusion.py"]
    assert "    x = x.to(device)\n" in after["main.py"]
    assert after["diffusion.py"].count(".to(self.device)") == 1
    assert "self.alphas = torch.cumprod(1 - self.betas, dim=0)\n" in after["diffusion.py"]


def test_what_a_module_is_given_moves_where_it_is_given() -> None:
    after = adopted(
        files(
            """
            import torch
            from nets import Policy
            from storage import Storage

            policy, storage = Policy(), Storage()
            print(policy.act(storage.obs[0]))
            """,
            nets="""
            import torch


            class Policy(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.body = torch.nn.Linear(3, 2)

                def act(self, obs):
                    return self.body(obs.view(-1, 3)).argmax(1)
            """,
            storage="""
            import torch


            class Storage:
                def __init__(self):
                    self.obs = torch.zeros(5, 3)
            """,
        )
    )
    assert "policy.act(storage.obs[0].to(device))" in after["main.py"]
    assert "device" not in after["nets.py"] + after["storage.py"]


def test_what_a_distribution_computes_is_where_its_parameters_are() -> None:
    text = """
    import torch
    from torch.distributions import Normal


    class Drawing(torch.distributions.Categorical):
        def sample(self):
            return super().sample().unsqueeze(-1)

        def best(self):
            return self.probs.argmax(-1)


    net = torch.nn.Linear(3, 2)
    normal = Normal(net(torch.ones(4, 3)), torch.ones(4, 2))
    drawing = Drawing(logits=net(torch.ones(4, 3)))
    print(normal.mean.detach().numpy(), drawing.sample().numpy(), drawing.best().numpy())
    """
    assert adopted(files(text))["main.py"].count(".cpu().numpy()") == 3


def test_a_tensor_of_something_unknown_goes_along() -> None:
    text = """
    import torch
    from measurements import wanted

    model = torch.nn.Linear(3, 1)
    goal = torch.tensor(wanted())
    print((model(torch.ones(2, 3)) - goal).pow(2).mean().item())
    """
    assert "goal = torch.tensor(wanted(), device=device)" in adopted(files(text))["main.py"]


def test_what_a_function_returns_here_and_there_is_on_one_device() -> None:
    text = """
    import random

    import torch

    policy = torch.nn.Linear(3, 2)


    def act(state):
        if random.random() < 0.5:
            return policy(state).argmax(1)
        return torch.tensor([random.randrange(2)])


    print(torch.cat([act(torch.ones(1, 3)) for _ in range(4)]))
    """
    assert "return torch.tensor([random.randrange(2)], device=device)" in adopted(files(text))["main.py"]


def test_layers_by_names_that_are_made_up_move_with_their_module() -> None:
    text = """
    from collections import OrderedDict

    import torch

    layers = []
    for i in range(3):
        layers.append(("layer_%d" % i, torch.nn.Linear(3, 3)))
    model = torch.nn.Sequential(OrderedDict(layers))
    print(model(torch.ones(2, 3)).sum().item())
    """
    after = adopted(files(text))["main.py"]
    assert "model = torch.nn.Sequential(OrderedDict(layers)).to(device)" in after
    assert after.count(".to(device)") == 1


def test_samples_of_a_dataset_move_where_they_are_used() -> None:
    text = """
    import torch


    class Digits(torch.utils.data.Dataset):
        def __len__(self):
            return 8

        def __getitem__(self, index):
            return torch.full((3,), float(index)), torch.zeros(1)


    digits = Digits()
    model = torch.nn.Linear(3, 1)
    for x, y in torch.utils.data.DataLoader(digits, batch_size=4):
        print((model(x) - y).sum().item())
    x, y = digits[0]
    print((model(x) - y).sum().item())
    """
    after = adopted(files(text))["main.py"]
    assert "return torch.full((3,), float(index)), torch.zeros(1)\n" in after
    assert after.count("x, y = x.to(device), y.to(device)") == 2


def test_what_is_drawn_on_the_host_is_drawn_there_still() -> None:
    text = """
    import torch

    model = torch.nn.Linear(3, 1)
    x = torch.empty(2, 3).uniform_(0, 1)
    y = torch.FloatTensor(2, 1).normal_()
    print((model(x) - y).sum().item())
    """
    after = adopted(files(text))["main.py"]
    assert "torch.empty(2, 3).uniform_(0, 1).to(device)" in after
    assert "torch.FloatTensor(2, 1).normal_().to(device)" in after


def test_a_static_method_has_no_object_that_keeps_a_device() -> None:
    after = adopted(
        files(
            """
            import torch
            from sampler import Sampler

            model = torch.nn.Linear(3, 1)
            print(Sampler(model).run().sum().item())
            """,
            sampler="""
            import torch


            class Sampler:
                def __init__(self, model):
                    self.model = model

                def run(self):
                    return Sampler.noisy(self.model, self.model(torch.ones(2, 3)))

                @staticmethod
                def noisy(model, x):
                    return x + torch.randn(2, 1)
            """,
        )
    )
    assert "torch.randn(2, 1).to(x.device)" in after["sampler.py"]
    assert "model.device" not in after["sampler.py"]


def test_a_list_of_samples_of_both_sides_is_on_one_device() -> None:
    text = """
    import random

    import torch

    model = torch.nn.Linear(3, 3)
    samples = [torch.rand(1, 3) for _ in range(8)]
    for _ in range(3):
        batch = torch.cat(random.choices(samples, k=4))
        made = model(batch).detach()
        samples = list(made.chunk(4)) + samples
    print(torch.cat(samples).sum().item())
    """
    after = adopted(files(text))["main.py"]
    assert "samples = [torch.rand(1, 3).to(device) for _ in range(8)]" in after
    assert after.count(".to(device)") == 2


def test_a_named_tuple_with_other_fields_is_one_again() -> None:
    text = """
    from typing import NamedTuple

    import torch


    class State(NamedTuple):
        at: torch.Tensor
        steps: torch.Tensor

        def moved(self, by):
            return self._replace(at=self.at + by)


    model = torch.nn.Linear(3, 3)
    state = State(torch.zeros(2, 3), torch.zeros(2, 1))
    for _ in range(2):
        state = state.moved(model(state.at))
    print((state.at - state.steps).sum().item())
    """
    after = adopted(files(text))["main.py"]
    assert "State(torch.zeros(2, 3, device=device), torch.zeros(2, 1, device=device))" in after


def test_a_cast_is_no_choice_of_a_device() -> None:
    text = """
    import torch
    from measurements import ratio, samples

    rows = [each.float() for each in samples()]
    model = torch.nn.Linear(3, 1)
    print(model(torch.ones(2, 3)).sum().item(), torch.stack(rows) if ratio() else None)
    for x in torch.ones(4, 3) if ratio() else samples():
        kept = x.double()
    """
    assert "model = torch.nn.Linear(3, 1).to(device)" in adopted(files(text))["main.py"]


IMPORTED_BELOW = """
from models import Net


class Controller(object):
    def __init__(self):
        self.model = Net()


if __name__ == "__main__":
    import torch

    torch.manual_seed(0)
    controller = Controller()
    print(controller.model(torch.ones(2, 3)).sum().item())
"""


def test_a_file_that_imports_torch_below_imports_it_at_its_top() -> None:
    models = """
    import torch.nn as nn


    class Net(nn.Sequential):
        def __init__(self):
            super().__init__(nn.Linear(3, 1))
    """
    after = adopted(files(IMPORTED_BELOW, models=models))["main.py"]
    assert after.startswith("\nfrom models import Net\nimport torch\n")
    assert f"        self.device = {CHOICE}\n        self.model = Net().to(self.device)" in after
    taken = IMPORTED_BELOW.replace("import torch\n", "from models import torch\n")
    assert adopted(files(taken, models="import torch\n" + dedent(models)))["main.py"] == taken
