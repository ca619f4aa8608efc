"""Where models and trained tensors move when a program is adopted: not where other things are made, too."""

from __future__ import annotations

import pytest
from test_adoption import CHOICE, adopted
from text_program import clashes, files

_REGISTRY = """
class Registry(dict):
    def register(self, cls):
        self[cls.__name__] = cls
        return cls

    def build(self, config):
        config = dict(config)
        return self[config.pop("type")](**config)


PARTS = Registry()
"""
_PARTS = """
import torch
from registry import PARTS


@PARTS.register
class Net(torch.nn.Linear):
    pass


@PARTS.register
class Log:
    def __init__(self, every):
        self.every = every
"""


def test_models_of_a_registry_that_makes_other_things_move_where_they_get_their_names() -> None:
    main = """
    import torch
    import parts
    from registry import PARTS


    class Runner:
        def __init__(self):
            self.net, self.log = PARTS.build(dict(type="Net", in_features=2, out_features=1)), PARTS.build(dict(type="Log", every=2))

        def run(self):
            return self.net(torch.ones(3, 2)).sum().item()


    print(Runner().run())
    """
    after = adopted(files(main, registry=_REGISTRY, parts=_PARTS))
    assert after["registry.py"] == files(registry=_REGISTRY)["registry.py"]
    assert f"self.device = {CHOICE}" in after["main.py"]
    assert "out_features=1)).to(self.device), PARTS.build(dict(type=" in after["main.py"]


def test_where_only_the_maker_of_other_things_could_move_a_model_nothing_does() -> None:
    main = """
    import torch
    import parts
    from registry import PARTS

    nets = [PARTS.build(dict(type="Net", in_features=2, out_features=1))]
    logs = [PARTS.build(dict(type="Log", every=2))]
    print(nets[0](torch.ones(3, 2)).sum().item(), logs[0].every)
    """
    before = files(main, registry=_REGISTRY, parts=_PARTS)
    assert adopted(before)["registry.py"] == before["registry.py"]


def test_an_image_that_is_trained_moves_before_it_requires_grad() -> None:
    text = """
            import torch

            photo = torch.ones(3, 8, 8) * 0.5
            image = photo.clone().requires_grad_()
            optimizer = torch.optim.Adam([image])
            (image - {other}).pow(2).mean().backward()
            optimizer.step()
            """
    alone = adopted(files(text.replace("{other}", "0.5")))["main.py"]
    assert "photo.clone().to(device).requires_grad_()" in alone
    # What it is made of is on the device here anyway.
    beside = adopted(files(text.replace("{other}", "photo")))["main.py"]
    assert "torch.ones(3, 8, 8, device=device) * 0.5" in beside
    assert "photo.clone().requires_grad_()" in beside


def test_a_default_that_is_looked_up_is_taken_now_and_then() -> None:
    text = """
    import torch

    start = torch.full((2,), 1e6)
    rows = {(0, 0): torch.zeros(2, device="cuda")}
    for i in range(3):
        for j in range(3):
            rows[i, j] = rows.get((i - 1, j), start) + torch.ones(2, device="cuda")
    """
    assert clashes(text) == ["8: device"]


def test_a_default_where_every_entry_is_known_is_not_taken() -> None:
    text = """
    import torch

    start = torch.full((2,), 1e6)
    rows = {"a": torch.zeros(2, device="cuda")}
    rows.get("a", start) + torch.ones(2, device="cuda")
    """
    assert clashes(text) == []


def test_a_way_that_ends_blindly_is_not_taken() -> None:
    after = adopted(
        files(
            """
            import torch
            from learner import Learner


            def noisy(x):
                gain = torch.empty(x.size(0), 1).uniform_(0.7, 1.3)
                return x.roll(1) * gain


            learner = Learner(noisy)
            print(learner(torch.ones(4, 3)).sum().item())
            """,
            learner="""
            import torch
            import torch.nn as nn


            class Learner(nn.Module):
                def __init__(self, augment):
                    super().__init__()
                    self.augment = augment
                    self.net = nn.Linear(3, 1)
                    self.forward(torch.ones(2, 3))

                def forward(self, x):
                    return self.net(self.augment(x))
            """,
        )
    )["main.py"]
    assert "learner = Learner(noisy).to(device)" in after
    assert "gain = torch.empty(x.size(0), 1).uniform_(0.7, 1.3).to(x.device)" in after


def test_what_a_module_makes_of_its_inputs_moves_where_they_are_given() -> None:
    after = adopted(
        files(
            """
            import torch
            from critic import Critic


            class Agent:
                def __init__(self):
                    self.critic = Critic()

                def value(self, batch):
                    return self.critic(batch.obs, batch.action)


            class Batch:
                def __init__(self, rows):
                    self.obs = torch.tensor([row[:2] for row in rows])
                    self.action = torch.tensor([row[2:] for row in rows])


            print(Agent().value(Batch([[0.0, 1.0, 2.0]])).sum().item())
            """,
            critic="""
            import torch
            import torch.nn as nn


            class Critic(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.net = nn.Linear(3, 1)

                def forward(self, obs, action):
                    x = torch.cat([obs, action], -1)
                    return self.net(x)
            """,
        )
    )
    assert "x = torch.cat([obs, action], -1)\n" in after["critic.py"]


_DROPPING = """
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)

    def dropped(self, adj):
        if not self.training:
            return adj
        keep = torch.rand(adj.values().shape) > 0.1
        return torch.sparse_coo_tensor(adj.indices()[:, keep], adj.values()[keep], adj.shape)

    def forward(self, adj, x):
        return torch.sparse.mm(self.dropped(adj), self.lin(x))
"""


def test_a_sparse_tensor_made_of_parts_of_an_argument_moves_where_that_is_given() -> None:
    main = """
    import torch
    from layer import Layer


    def graph(size):
        return torch.sparse_coo_tensor(torch.arange(size).expand(2, size), torch.ones(size), (size, size)).coalesce()


    def main():
        adj = graph(4)
        x = torch.ones(4, 2)
        layer = Layer()
        print(layer.train()(adj, x).sum().item())
        print(layer.eval()(adj, x).sum().item())


    main()
    """
    after = adopted(files(main, layer=_DROPPING))
    assert after["layer.py"] == files(layer=_DROPPING)["layer.py"]
    assert clashes(**{name.removesuffix(".py"): text for name, text in after.items()}) == []


PRUNED = """
import numpy as np
import torch
from pruner import Pruner


def main():
    net = torch.nn.Linear(3, 1)
    pruner = Pruner(net.parameters())

    def train(masks=None):
        pruner.cut(masks)
        print(net(torch.ones(2, 3)).sum().item())

    train()
    mixed = [torch.tensor(np.random.permutation(m.numpy())) for m in pruner.masks]
    train(mixed){given}


main()
"""
PRUNER = """
import torch


class Pruner:
    def __init__(self, params):
        self.params = list(params)
        self.masks = [torch.ones_like(p) for p in self.params]

    def cut(self, masks=None):
        masks = masks if masks is not None else self.masks
        for m, p in zip(masks, self.params):
            p.data = m * p.data
"""


@pytest.mark.parametrize("given", ["", "\n    return mixed"], ids=["to those it calls", "to others as well"])
def test_what_a_function_that_gives_nothing_back_hands_down_in_a_list_is_made_on_the_device(
    given: str,
) -> None:
    after = adopted({"main.py": PRUNED.format(given=given), "pruner.py": PRUNER})
    made = "torch.tensor(np.random.permutation(m.cpu().numpy()), device=device)"
    assert (made in after["main.py"]) == (not given)
    assert (after["pruner.py"] == PRUNER) == (not given)


_SEARCH = """
import torch
from torch import nn


class Search:
    def __init__(self, seed):
        self.g = torch.Generator().manual_seed(seed)
        self.low, self.high = torch.zeros(2), torch.tensor([3.0, 5.0])
        self.net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
        self.xs = []

    def ask(self):
        if len(self.xs) < 6:
            return list(torch.rand(6, 2, generator=self.g))
        points = torch.rand(32, 2, generator=self.g)
        order = self.net(points)[:, 0].argsort()
        return [points[i] for i in order[:2]]

    def tell(self, xs):
        self.xs += xs

    def decode(self, u):
        return (self.low + u * (self.high - self.low)).tolist()
"""
_ASKING = """
from search import Search

search = Search(0)
for _ in range(5):
    xs = search.ask()
    print([search.decode(x) for x in xs])
    search.tell(xs)
"""


def test_a_function_that_returns_one_of_two_lists_may_return_the_one_on_the_device() -> None:
    after = adopted(files(_ASKING, search=_SEARCH))
    assert after["main.py"] == files(_ASKING)["main.py"]
    assert after["search.py"] == files(search=_SEARCH)["search.py"].replace(
        "        self.g =", f"        self.device = {CHOICE}\n        self.g ="
    ).replace("zeros(2)", "zeros(2, device=self.device)").replace(
        "5.0])", "5.0], device=self.device)"
    ).replace("1))", "1)).to(self.device)").replace("generator=self.g)", "generator=self.g).to(self.device)")


_OWN_NET = """
import torch
from torch import nn


class Process(nn.Module):
    def __init__(self):
        super().__init__()
        self.warp = nn.Linear(2, 1)

    def score(self, points):
        return self.warp(points)[:, 0]
"""


_SPACE = """
import torch


class Space:
    def __init__(self):
        self.low = torch.zeros(2)

    def candidates(self, count):
        return torch.rand(count, 2)

    def decode(self, u):
        return self.low + u
"""


@pytest.mark.parametrize("given", ["points", "[points[i] for i in order[:2]]", "points[0], points[1]"])
def test_a_function_gives_back_what_it_hands_to_a_model_where_its_callers_had_it(given: str) -> None:
    search = f"""
    from process import Process

    class Search:
        def __init__(self, space):
            self.space = space
            self.net = Process()

        def ask(self):
            points = self.space.candidates(32)
            order = self.net.score(points).argsort()
            return {given}
    """
    main = """
    from search import Search
    from space import Space

    space = Space()
    search = Search(space)
    print([space.decode(x).tolist() for x in search.ask()])
    """
    texts = files(main, search=search, space=_SPACE, process=_OWN_NET)
    after = adopted(texts)
    assert "score(points.to(self.device))" in after["search.py"]
    assert {name for name in texts if texts[name] != after[name]} == {"search.py"}


def test_what_comes_back_beside_what_a_model_makes_of_it_moves_with_it() -> None:
    coder = """
    import torch
    from process import Process

    class Coder:
        def __init__(self):
            self.net = Process()

        def run(self):
            points = torch.rand(32, 2)
            return points, self.net.score(points)
    """
    main = """
    from coder import Coder

    points, found = Coder().run()
    print((points[:, 0] - found).sum().item())
    """
    after = adopted(files(main, coder=coder, process=_OWN_NET))
    assert "points = torch.rand(32, 2).to(self.device)" in after["coder.py"]
    assert after["main.py"] == files(main)["main.py"]


def test_what_is_computed_of_an_array_moves_where_the_array_becomes_a_tensor() -> None:
    """One move for all uses, in place of one at each of them."""
    main = """
import numpy as np
import torch

table = np.ones((6, 2), dtype="float32")
rows = torch.from_numpy(table)
rows = (rows - rows.mean(0)) / 2
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    optimizer.zero_grad()
    net(rows).mean().backward()
    optimizer.step()
result = net(rows[:3]).sum()
"""
    fixed = adopted(files(main))["main.py"]
    assert "rows = torch.from_numpy(table).to(device)\n" in fixed
    assert fixed.count(".to(device)") == 2


_OF_ARRAY = """
import numpy as np
import torch

table = np.ones((6, 2), dtype="float32")
rows = torch.from_numpy(table)
{made}
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    optimizer.zero_grad()
    net({used}).mean().backward()
    optimizer.step()
"""


@pytest.mark.parametrize("beside", ["", "count = len(rows), rows.shape[1]"])
def test_parts_that_are_computed_of_an_array_move_alone(beside: str) -> None:
    """The array may be much larger than what is ever used of it."""
    made = f"few = rows[[0, 1]] / 2\n{beside}"
    fixed = adopted(files(_OF_ARRAY.format(made=made, used="few")))["main.py"]
    assert "rows = torch.from_numpy(table)\n" in fixed
    assert "few = (rows[[0, 1]] / 2).to(device)" in fixed


@pytest.mark.parametrize(
    "written", ["rows += 1", "rows -= rows.mean(0)", "rows.mul_(2)", "rows[0] = 3", "rows[0] += 3"]
)
def test_a_tensor_stays_whose_array_sees_what_is_written_to_it(written: str) -> None:
    made = f"{written}\nprint(table.sum())"
    fixed = adopted(files(_OF_ARRAY.format(made=made, used="rows / 2")))["main.py"]
    assert "rows = torch.from_numpy(table)\n" in fixed
    assert "net((rows / 2).to(device))" in fixed


@pytest.mark.parametrize(
    "made", ["rows += 1", "print(table.sum())\nrows = rows / 3\nrows += 1\nprint(table.sum())"]
)
def test_a_tensor_moves_whose_array_is_not_written_to_or_read_no_more(made: str) -> None:
    fixed = adopted(files(_OF_ARRAY.format(made=made, used="rows / 2")))["main.py"]
    assert "rows = torch.from_numpy(table).to(device)\n" in fixed
