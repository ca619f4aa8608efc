"""What a function made and another took apart moves where it was taken apart, all of it in one way."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import files

GRAPH = """
import numpy as np
import torch


def load():
    rng = np.random.RandomState(0)
    adj = torch.from_numpy(np.eye(6, dtype=np.float32)).to_sparse()
    features = torch.FloatTensor(rng.rand(6, 4))
    labels = torch.LongTensor(np.arange(6) % 2)
    return adj, features, labels
"""

NETS = """
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, wide, narrow):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(wide, narrow))

    def forward(self, x, adj):
        support = torch.mm(x, self.weight)
        return torch.spmm(adj, support)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Layer(4, 3)
        self.second = Layer(3, 2)

    def forward(self, x, adj):
        x = torch.relu(self.first(x, adj))
        return self.second(x, adj)
"""


def test_what_was_unpacked_moves_there_however_far_it_is_handed_on() -> None:
    after = adopted(
        files(
            """
            import torch
            from graph import load
            from nets import Net


            def train(model, features, adj, labels):
                output = model(features, adj)
                return torch.nn.functional.cross_entropy(output, labels)


            def evaluate(model, features, adj):
                return model(features, adj).argmax(1)


            if __name__ == "__main__":
                adj, features, labels = load()
                model = Net()
                print(train(model, features, adj, labels).item(), evaluate(model, features, adj).sum().item())
            """,
            graph=GRAPH,
            nets=NETS,
        )
    )
    moved = "adj, features, labels = adj.to(device), features.to(device), labels.to(device)"
    assert f"    adj, features, labels = load()\n    {moved}\n" in after["main.py"]
    assert after["main.py"].count(".to(") == 4
    assert (after["graph.py"], after["nets.py"]) == (GRAPH, NETS)


def test_all_parts_of_an_example_move_where_it_is_unpacked() -> None:
    after = adopted(
        files(
            """
            import torch

            WORDS = [("abc", 1), ("de", 0)]


            class Reader(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.rnn = torch.nn.RNN(5, 2)

                def forward(self, word):
                    return self.rnn(word.unsqueeze(0))[0][0, -1:]


            def gather():
                data = []
                for word, kind in WORDS:
                    letters = torch.zeros(len(word), 5)
                    for number, letter in enumerate(word):
                        letters[number][ord(letter) - 97] = 1.0
                    data.append((word, letters, torch.tensor([kind])))
                return data


            def main():
                data = gather()
                model = Reader()
                for example in data:
                    word, letters, kind = example
                    print(word, torch.nn.functional.cross_entropy(model(letters), kind).item())


            main()
            """
        )
    )["main.py"]
    assert "letters = torch.zeros(len(word), 5)\n" in after
    assert (
        "word, letters, kind = example\n        letters, kind = letters.to(device), kind.to(device)\n"
        in after
    )


def test_what_only_one_function_has_is_made_on_the_device() -> None:
    after = adopted(
        files(
            """
            import torch

            model = torch.nn.Linear(3, 1)
            first, second = torch.ones(4, 3), torch.zeros(4, 3)
            print(model(first + 2 * second).sum().item())
            """
        )
    )["main.py"]
    assert "first, second = torch.ones(4, 3, device=device), torch.zeros(4, 3, device=device)" in after


def test_another_name_for_an_input_is_no_unpacking() -> None:
    after = adopted(
        files(
            """
            import numpy as np
            import torch


            class Flow(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.scales = torch.nn.ModuleList([torch.nn.Linear(2, 2) for _ in range(3)])

                def forward(self, x):
                    total, z = x.new_zeros(x.shape[0]), x
                    for scale in self.scales:
                        s = scale(z)
                        z = z * torch.exp(s)
                        total -= s.sum(dim=1)
                    return z, total


            flow = Flow()
            points = np.ones((4, 2), dtype=np.float32)
            z, total = flow(torch.from_numpy(points))
            print((z.sum() + total.sum()).item())
            """
        )
    )["main.py"]
    assert "        total, z = x.new_zeros(x.shape[0]), x\n        for scale in self.scales:\n" in after
    assert "            total -= s.sum(dim=1)\n" in after
    assert "z, total = flow(torch.from_numpy(points).to(device))" in after


def test_what_a_list_gives_to_a_model_moves_where_the_list_is_made() -> None:
    after = adopted(
        files(
            """
            import numpy as np
            import torch
            from trainer import Trainer


            class Scorer(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.table = torch.nn.Embedding(4, 2)

                def forward(self, weights, i):
                    return (weights * self.table(i).sum(1)).sum()


            trainer = Trainer(Scorer())
            print(trainer.fit(np.ones(3, dtype=np.float32), np.arange(3)))
            """,
            trainer="""
            import torch


            class Trainer:
                def __init__(self, model):
                    self.model = model

                def fit(self, *arrays):
                    parts = [torch.from_numpy(array) for array in arrays]
                    return self.model(*parts).item()
            """,
        )
    )
    assert ".to(" not in after["main.py"].partition("trainer = ")[0]
    assert "parts = [torch.from_numpy(array).to(self.device) for array in arrays]" in after["trainer.py"]


def test_a_sum_that_grows_in_loops_is_made_on_the_device() -> None:
    after = adopted(
        files(
            """
            import torch

            model = torch.nn.Linear(2, 1)


            def part(number):
                found = torch.zeros(2)
                found[number % 2] = 1
                return found


            def mean():
                total = torch.zeros(2)
                for i in [-1, 0, 1]:
                    for k in [-1, 0, 1]:
                        total += part(i + k)
                return total / total.sum()


            for _ in range(3):
                print(model(mean()).item(), model(part(1)).item())
            """
        )
    )["main.py"]
    assert "total = torch.zeros(2, device=device)" in after
    assert "found = torch.zeros(2, device=device)" in after
    assert "total += part(i + k)" in after


def test_batches_move_whatever_their_samples_were_made_with() -> None:
    after = adopted(
        files(
            """
            import torch
            from torch.utils.data import DataLoader, TensorDataset

            model = torch.nn.Linear(3, 1)


            def fit(examples):
                inputs = torch.cat([torch.Tensor(x).unsqueeze(0) for x, _ in examples])
                targets = torch.cat([torch.zeros(1, 1) + y for _, y in examples])
                for x, y in DataLoader(TensorDataset(inputs, targets), batch_size=2):
                    print(torch.nn.functional.mse_loss(model(x), y).item())


            def pair():
                return torch.FloatTensor([[1, 2, 3]]), torch.ones(1, 1)


            fit([([1, 2, 3], 1.0), ([3, 2, 1], 0.0)])
            x, y = pair()
            print((model(x) - y).sum().item())
            """
        )
    )["main.py"]
    assert "batch_size=2):\n        x, y = x.to(device), y.to(device)\n" in after
    assert "x, y = pair()\nx, y = x.to(device), y.to(device)\n" in after
    assert after.count(".to(device)") == 5


def test_what_was_cast_and_named_moves_where_it_got_its_name() -> None:
    after = adopted(
        files(
            """
            import numpy as np
            import torch


            class Reader(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.hidden = torch.nn.Linear(1, 3)
                    self.last = torch.nn.Linear(3, 1)

                def forward(self, x):
                    x = x.view(2, 4, 1)
                    steps = torch.relu(self.hidden(x))
                    kept = torch.zeros(2, 4, 3)
                    for t in range(4):
                        kept[:, t, :] = steps[:, t, :]
                    return self.last(torch.relu(kept)).sum(1)


            model = Reader()
            for _ in range(2):
                x, y = np.ones((2, 4)), np.zeros((2, 1))
                x = torch.from_numpy(x).float()
                y = torch.from_numpy(y).float()
                print(torch.nn.functional.mse_loss(model(x), y).item())
            """
        )
    )["main.py"]
    assert "    x = torch.from_numpy(x).float().to(device)\n" in after
    assert "    y = torch.from_numpy(y).float().to(device)\n" in after
    assert "mse_loss(model(x), y)" in after


def test_a_module_makes_what_another_reads_beside_its_own_tensors() -> None:
    after = adopted(
        files(
            """
            import torch


            class Attention(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.scores = torch.nn.Linear(3, 1)

                def forward(self, kept):
                    return self.scores(kept).sum(1)


            class Reader(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.hidden = torch.nn.Linear(2, 3)
                    self.attention = Attention()

                def forward(self, x):
                    steps = self.hidden(x)
                    kept = torch.zeros(4, 3)
                    kept[0, :] = steps.sum(0)
                    return self.attention(torch.relu(kept).view(1, 4, 3))


            model = Reader()
            print(model(torch.ones(5, 2)).sum().item())
            """
        )
    )["main.py"]
    assert "kept = torch.zeros(4, 3, device=steps.device)" in after


REPLAYED = """
import numpy as np
import torch
from torch import nn

critic, memory = nn.Linear(3, 1), [(np.ones(3), 1.0, False) for _ in range(4)]
optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)

def learn():
    states, rewards, dones = (np.array(part) for part in zip(*memory))
    states = torch.from_numpy(states).float()
    rewards = torch.from_numpy(rewards).float()
    {dones}
    with torch.no_grad():
        wanted = rewards + {factor} * critic(states).squeeze(1)
    loss = (critic(states).squeeze(1) - wanted).pow(2).mean()
    loss.backward()
    optimizer.step()

learn()
"""


@pytest.mark.parametrize("factor", ["(1 - dones) * 0.9", "(1 - dones)", "0.9 * (1.0 - dones)"])
@pytest.mark.parametrize("made", ["torch.from_numpy(dones).float()", "torch.tensor(dones).float()"])
def test_what_is_computed_of_a_cast_array_moves_where_that_got_its_name(factor: str, made: str) -> None:
    after = adopted(files(REPLAYED.format(dones=f"dones = {made}", factor=factor)))["main.py"]
    assert f"wanted = rewards + {factor} * critic(states).squeeze(1)" in after
    moved = made.replace("(dones)", "(dones, device=device)") if "tensor(" in made else f"{made}.to(device)"
    assert f"    dones = {moved}\n" in after


def test_what_was_named_before_it_was_cast_moves_under_its_first_name() -> None:
    text = REPLAYED.format(
        dones="ended = torch.from_numpy(dones)\n    going = ended.float()", factor="(1 - going)"
    )
    after = adopted(files(text))["main.py"]
    assert "    ended = torch.from_numpy(dones).to(device)\n    going = ended.float()\n" in after


TEACHER = """
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.cell, self.out, self.steps = nn.GRUCell(2, 8), nn.Linear(8, 2), steps

    def forward(self, x, target=None):
        y, h = x[:, -1], x.new_zeros(len(x), 8)
        outs = torch.zeros(len(x), self.steps, 2)
        for k in range(self.steps):
            h = self.cell(y, h)
            y = self.out(h)
            outs[:, k] = y
            if target is not None and torch.rand(1).item() < 0.5:
                y = target[:, k]
        return outs
"""


def test_a_part_of_a_batch_that_a_module_takes_apart_moves_with_the_other_parts() -> None:
    after = adopted(
        files(
            """
            import torch
            from teacher import Decoder
            from torch.utils.data import DataLoader, TensorDataset


            def main():
                data = TensorDataset(torch.randn(16, 5, 2), torch.randn(16, 3, 2))
                model = Decoder(3)
                opt = torch.optim.Adam(model.parameters())
                for x, t in DataLoader(data, 4):
                    loss = (model(x, t) - t).abs().mean()
                    opt.zero_grad()
                    loss.backward()
                    opt.step()


            main()
            """,
            teacher=TEACHER,
        )
    )
    assert "        x, t = x.to(device), t.to(device)\n        loss = (model(x, t) - t)" in after["main.py"]
    outs = "outs = torch.zeros(len(x), self.steps, 2{})"
    told = TEACHER.replace(outs.format(""), outs.format(", device=x.device"))
    assert after["teacher.py"] == files(teacher=told)["teacher.py"]


def test_what_is_made_for_a_call_alone_is_made_where_the_device_is_known() -> None:
    odes = """
    import torch
    from torch import nn


    class Field(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Linear(3, 2)

        def forward(self, t, x):
            return self.net(torch.cat([x, t.expand(len(x), 1)], 1))


    def integrate(field, x, times):
        path = [x]
        for t, s in zip(times[:-1], times[1:]):
            path.append(path[-1] + (s - t) * field(t, path[-1]))
        return torch.stack(path)
    """
    main = """
    import torch
    from odes import Field, integrate


    def main():
        start = torch.ones(4, 2)
        field = Field()
        near = integrate(field, start, torch.linspace(0, 1, 5))
        far = integrate(field, start, torch.linspace(0, 3, 9))
        print((near.mean() - far.mean()).item())


    main()
    """
    after = adopted(files(main, odes=odes))
    assert after["odes.py"] == files(odes=odes)["odes.py"]
    assert "torch.linspace(0, 1, 5, device=device)" in after["main.py"]
    assert "torch.linspace(0, 3, 9, device=device)" in after["main.py"]


AGENT = """
import torch
from torch import nn


class World:
    def __init__(self):
        self.left = 3

    def reset(self):
        self.left = 3
        return torch.zeros(1, 4)

    def step(self):
        self.left -= 1
        return torch.ones(1, 4)


world = World()
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
{first}
for _ in range(5):
    loss = net(state).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    {again}
"""


@pytest.mark.parametrize(
    ("first", "again", "moved"),
    [
        (
            "state, done = world.reset(), False",
            "state, total = world.reset(), 0",
            ["state, done = world.reset().to(device), False", "state, total = world.reset().to(device), 0"],
        ),
        (
            "[done, state] = [False, world.reset()]",
            "state = world.reset()",
            ["[done, state] = [False, world.reset().to(device)]", "state = world.reset().to(device)"],
        ),
    ],
)
def test_what_a_call_beside_others_gives_moves_there(first: str, again: str, moved: list[str]) -> None:
    before = AGENT.format(first=first, again=again)
    after = adopted({"main.py": before})["main.py"].splitlines()
    assert [line.strip() for line in after if ".reset()" in line and "state" in line] == moved


def test_what_a_name_gets_besides_moves_after_it_got_it() -> None:
    first = "start = world.reset()\nstate, done = start, False"
    after = adopted({"main.py": AGENT.format(first=first, again="state = world.step()")})["main.py"]
    assert "start.to(device), False" not in after
    assert "state = world.step().to(device)" in after


def test_a_move_to_the_cpu_makes_way_for_that_to_the_device() -> None:
    text = """
    import numpy as np
    import torch
    from torch import nn


    class Agent:
        def __init__(self):
            self.net = nn.Linear(4, 2)
            self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

        def act(self, state):
            state = torch.from_numpy(state)
            state = state.float().cpu()
            return int(self.net(state).argmax())


    agent = Agent()
    agent.net(torch.ones(2, 4)).sum().backward()
    agent.optimizer.step()
    print(agent.act(np.ones(4)))
    print(agent.net.weight.detach().cpu().numpy())
    """
    after = adopted(files(text))["main.py"]
    assert "state = state.float().to(self.device)\n" in after
    assert "agent.net.weight.detach().cpu().numpy()" in after


_WARD = """
class Ward:
    def __init__(self, x, missing, y):
        self.x, self.missing, self.y = x, missing, y

    def batches(self, order):
        for rows in order.split(2):
            yield self.x[rows], self.missing[rows], self.y[rows]
"""
_MASKED_NET = """
import torch
from torch import nn


class MaskAware(nn.Module):
    def __init__(self):
        super().__init__()
        self.fill = nn.Parameter(torch.zeros(3))
        self.body = nn.Linear(3, 1)

    def forward(self, x, missing):
        return self.body(torch.where(missing, self.fill, x)).squeeze(-1)
"""
_CLIENT = """
import copy

import torch.nn.functional as F


class Client:
    def __init__(self, ward):
        self.ward = ward

    def train(self, shared, order):
        net, total = copy.deepcopy(shared), 0.0
        for x, missing, y in self.ward.batches(order):
            total += F.binary_cross_entropy_with_logits(net(x, missing), y).item()
        return total
"""


def test_what_a_generator_of_the_project_yields_moves_at_once_where_a_loop_takes_it_apart() -> None:
    main = """
    import torch
    from client import Client
    from net import MaskAware
    from ward import Ward

    x = torch.rand(6, 3)
    client = Client(Ward(x, x > 0.5, x.sum(1).round()))
    print(client.train(MaskAware(), torch.arange(6)))
    """
    texts = files(main, client=_CLIENT, net=_MASKED_NET, ward=_WARD)
    after = adopted(texts)
    assert after["ward.py"] == texts["ward.py"]
    assert after["net.py"] == texts["net.py"]
    assert "x, missing, y = x.to(device), missing.to(device), y.to(device)\n" in after["client.py"]
    assert "net(x, missing), y)" in after["client.py"]
