"""What projects are made of is followed, so that their device reaches all of it."""

from __future__ import annotations

from test_adoption import CHOICE, adopted
from text_program import Ending, files


def test_the_functions_of_subcommands_are_what_some_run_calls() -> None:
    after = adopted(
        files(
            """
            import argparse
            import torch


            def scaled(x, by):
                return x * by


            def train(args):
                model = torch.nn.Linear(args.width, 1)
                x = torch.ones(4, args.width)
                print(scaled(model(x), torch.ones(4, 1)))


            def info(args):
                print(args.verbose)


            parser = argparse.ArgumentParser()
            commands = parser.add_subparsers(dest="command", required=True)
            first = commands.add_parser("train")
            first.add_argument("--width", type=int, default=2)
            first.set_defaults(func=train)
            second = commands.add_parser("info")
            second.add_argument("--verbose", action="store_true")
            second.set_defaults(func=info)
            args = parser.parse_args()
            args.func(args)
            """
        )
    )["main.py"]
    assert "torch.nn.Linear(args.width, 1).to(device)" in after
    assert "x = torch.ones(4, args.width, device=device)" in after
    assert "torch.ones(4, 1, device=device)" in after


def test_options_of_subcommands_are_options() -> None:
    end = Ending(
        """
        import argparse

        parser = argparse.ArgumentParser()
        commands = parser.add_subparsers(dest="command")
        commands.add_parser("train").add_argument("--depth", type=int, default=3)
        depth = parser.parse_args().depth
        """
    )
    assert getattr(end["depth"], "usual", None) == 3


def test_a_class_that_is_announced_to_its_base_is_known_there() -> None:
    after = adopted(
        files(
            """
            import torch

            SCHEDULES = {}


            class Schedule:
                def __init_subclass__(cls, name=None, **rest):
                    super().__init_subclass__(**rest)
                    SCHEDULES[name] = cls


            class Cosine(Schedule, name="cosine"):
                def betas(self, n):
                    return torch.linspace(0.1, 0.2, n)


            model = torch.nn.Linear(3, 3)
            betas = SCHEDULES["cosine"]().betas(3)
            print(model(betas).sum().item())
            """
        )
    )["main.py"]
    assert "device=device" in after or ".to(device)\nprint" in after


def test_a_registry_that_is_a_dict_gives_what_it_was_given() -> None:
    after = adopted(
        files(
            """
            import torch
            from registry import LOSSES, Smooth, Weighted

            model = torch.nn.Linear(3, 2)
            loss = LOSSES.build("Weighted", weight=[1.0, 2.0])
            print(loss(model(torch.ones(4, 3)), torch.zeros(4, 2)).item())
            """,
            registry="""
            import torch


            class Registry(dict):
                def __init__(self, name):
                    super().__init__()
                    self.name = name

                def register(self, cls):
                    self[cls.__name__] = cls
                    return cls

                def build(self, type, **kwargs):
                    if type not in self:
                        raise KeyError(f"{type} is not in {self.name}")
                    return self[type](**kwargs)


            LOSSES = Registry("losses")


            @LOSSES.register
            class Smooth:
                def __call__(self, pred, target):
                    return (pred - target).abs().mean()


            @LOSSES.register
            class Weighted:
                def __init__(self, weight):
                    self.weight = torch.tensor(weight)

                def __call__(self, pred, target):
                    return (self.weight * (pred - target) ** 2).mean()
            """,
        )
    )
    assert "self.weight.to(" in after["registry.py"] or "device=" in after["registry.py"]
    assert ".to(" not in after["registry.py"].partition("class Smooth")[0]


def test_what_may_be_no_module_does_not_move_where_it_is_made() -> None:
    after = adopted(
        files(
            """
            import sys
            import torch
            import torch.nn as nn


            class Focal(nn.Module):
                def __init__(self, alpha=(1.0, 2.0)):
                    super().__init__()
                    self.alpha = torch.tensor(alpha)

                def forward(self, pred, target):
                    return (self.alpha[target] * pred).mean()


            class Plain:
                def __call__(self, pred, target):
                    return (pred - target).abs().mean()


            LOSSES = {"focal": Focal, "plain": Plain}


            def build(name):
                return LOSSES[name]()


            model = nn.Linear(3, 1)
            criterion = build(sys.argv[1])
            batch = {"x": torch.ones(4, 3), "y": torch.zeros(4, dtype=torch.long)}
            print(criterion(model(batch["x"]).squeeze(1), batch["y"]).item())
            """
        )
    )["main.py"]
    assert "LOSSES[name]()\n" in after
    assert "nn.Linear(3, 1).to(device)" in after


def test_either_of_two_tensors_that_a_condition_chooses_moves() -> None:
    after = adopted(
        files(
            """
            import torch

            model = torch.nn.Linear(3, 1)
            kept = torch.zeros(5, 1)
            total = 0.0
            last = model(torch.ones(1, 3))
            for step in reversed(range(5)):
                follows = last if step == 4 else kept[step]
                total = total + (follows * 2).sum()
            kept[0] = total.detach()
            print(total.item())
            """
        )
    )["main.py"]
    assert "last if step == 4 else kept[step].to(" in after or "torch.zeros(5, 1, device=device)" in after


def test_what_an_object_says_of_itself_is_run_where_it_is_printed() -> None:
    text = """
        import torch


        class Tracker:
            def __init__(self):
                self.values = []

            def add(self, value):
                self.values.append(value)

            def __repr__(self):
                return str(torch.stack(self.values).numpy().mean())


        model = torch.nn.Linear(3, 1)
        tracker = Tracker()
        for step in range(3):
            tracker.add(model(torch.ones(2, 3)).mean().detach())
        {speak}
        """
    for speak in ("print(tracker)", "print('it is', tracker)", 'line = f"{tracker}"', "line = str(tracker)"):
        after = adopted(files(text.replace("{speak}", speak)))["main.py"]
        assert "torch.stack(self.values).cpu().numpy()" in after


def test_both_parts_of_a_mixture_are_on_one_device() -> None:
    after = adopted(
        files(
            """
            import torch
            from torch import nn
            from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal


            class Prior(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.loc = nn.Parameter(torch.randn(3, 2))

                def forward(self):
                    chosen = Categorical(logits=torch.zeros(3))
                    return MixtureSameFamily(chosen, Independent(Normal(self.loc, self.loc.exp()), 1))


            prior = Prior()
            print(prior().log_prob(torch.ones(4, 2)).sum().item())
            """
        )
    )["main.py"]
    assert "Categorical(logits=torch.zeros(3, device=" in after
    assert "torch.ones(4, 2, device=device)" in after


def test_a_table_moves_before_an_unknown_index_selects_from_it() -> None:
    after = adopted(
        files(
            """
            import json
            import sys
            import torch
            import torch.nn as nn


            class Focal(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.alpha = torch.tensor([1.0, 2.0])

                def forward(self, pred, target):
                    return (self.alpha[target] * pred).mean()


            class Plain:
                def __call__(self, pred, target):
                    return pred.mean()


            model = nn.Linear(3, 1)
            criterion = {"focal": Focal, "plain": Plain}[sys.argv[1]]()
            batch = {"kind": torch.zeros(2, dtype=torch.long), "names": ["a", "b"]}
            for name in json.load(open("heads.json")):
                print(criterion(model(torch.ones(2, 3)).squeeze(1), batch[name]).item())
            """
        )
    )["main.py"]
    assert "self.alpha.to(pred.device)[target] * pred" in after


def test_a_batch_that_is_a_dict_moves_at_the_top_of_its_loop_whatever_gets_it() -> None:
    after = adopted(
        files(
            """
            import torch
            from torch.utils.data import DataLoader, Dataset


            class Samples(Dataset):
                def __len__(self):
                    return 8

                def __getitem__(self, i):
                    return {"x": torch.ones(3), "y": torch.zeros(1), "name": str(i)}


            def loss_of(batch, model):
                return (model(batch["x"]) - batch["y"]).abs().mean()


            model = torch.nn.Linear(3, 1)
            for batch in DataLoader(Samples(), 4):
                print(loss_of(batch, model).item())
            """
        )
    )["main.py"]
    assert f"device = {CHOICE}" in after
    assert '    batch = {k: v.to(device) if hasattr(v, "to") else v for k, v in batch.items()}\n' in after
    assert after.count(".to(device)") == 2


def test_what_a_script_makes_and_hands_over_at_once_moves_there() -> None:
    after = adopted(
        files(
            """
            import torch
            from nets import build
            from solver import Solver

            solver = Solver(3, build())
            print(solver.loss(torch.ones(4, 2)).item())
            """,
            nets="""
            import torch.nn as nn


            def build():
                return nn.Linear(2, 1)
            """,
            solver="""
            class Solver:
                def __init__(self, steps, net):
                    self.steps, self.net = steps, net

                def loss(self, x):
                    return self.net(x).mean()
            """,
        )
    )
    assert "Solver(3, build().to(device))" in after["main.py"]
    assert "device" not in after["nets.py"] + after["solver.py"]


def test_quasi_random_points_are_drawn_on_the_host() -> None:
    after = adopted(
        files(
            """
            import torch

            model = torch.nn.Linear(2, 1)
            points = torch.quasirandom.SobolEngine(2, scramble=True).draw(8)
            print(model(points).sum().item())
            """
        )
    )["main.py"]
    assert ".draw(8).to(device)" in after


def test_what_one_statement_makes_of_many_tensors_moves_at_once() -> None:
    after = adopted(
        files(
            """
            import torch


            def boundary(n):
                x = torch.cat([torch.zeros(n), torch.ones(n), torch.arange(n), torch.linspace(0, 1, n)])
                return x.unsqueeze(1)


            model = torch.nn.Linear(1, 1)
            print(model(boundary(4)).sum().item())
            """
        )
    )["main.py"]
    assert (
        "torch.cat([torch.zeros(n), torch.ones(n), torch.arange(n), torch.linspace(0, 1, n)]).to(device)"
        in after
    )
    assert after.count("device=") == 0
