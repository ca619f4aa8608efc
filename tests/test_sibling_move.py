"""What one loop or one assignment unpacks moves as its author moved the other parts."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import fix_texts

HEAD = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.ones(4, 3), torch.zeros(4, dtype=torch.long)), batch_size=2)
loss_of = torch.nn.CrossEntropyLoss()
net = torch.nn.Linear(3, 2)
net.cuda()
"""


def fixed(body: str) -> list[str]:
    """The lines after the head once they are fixed."""
    text = fix_texts({"main.py": HEAD + dedent(body)})[0]["main.py"]
    assert text.startswith(HEAD)
    return [line.strip() for line in text.removeprefix(HEAD).splitlines()]


def test_moves_of_one_assignment_stand_side_by_side() -> None:
    lines = fixed("""
        for x, y in loader:
            x, y = x, y.cuda()
            print(loss_of(net(x), y))
    """)
    assert "x, y = x.cuda(), y.cuda()" in lines


def test_what_is_under_a_guard_is_followed_by_the_sibling() -> None:
    lines = fixed("""
        for batch in loader:
            x, y = batch
            if torch.cuda.is_available():
                y = y.cuda(non_blocking=True)
            print(loss_of(net(x), y))
    """)
    assert lines[3:6] == [
        "if torch.cuda.is_available():",
        "y = y.cuda(non_blocking=True)",
        "x = x.cuda(non_blocking=True)",
    ]


def test_names_that_each_branch_unpacks_move_behind_both() -> None:
    lines = fixed("""
        import sys
        for batch in loader:
            if len(sys.argv) > 1:
                y, x = batch[1], batch[0]
            else:
                x, y = batch
            y = y.cuda()
            print(loss_of(net(x), y))
    """)
    assert lines[7:9] == ["y = y.cuda()", "x = x.cuda()"]


def test_a_batch_behind_both_branches_without_a_sibling() -> None:
    lines = fixed("""
        device = torch.device("cuda")
        import sys
        for batch in loader:
            if len(sys.argv) > 1:
                y, x = batch
            else:
                x, y = batch
            print(net(x))
    """)
    assert lines[8:10] == ["x = x.to(device)", "print(net(x))"]


def test_what_is_moved_stays_as_it_is() -> None:
    body = """
        for x, y in loader:
            x, y = x.cuda(), y.cuda()
            print(loss_of(net(x), y))
    """
    assert fixed(body) == [line.strip() for line in dedent(body).splitlines()]


GUARDED = """
import sys
import torch

use_gpu = "--gpu" in sys.argv
net = torch.nn.Linear(3, 2)
{made}
if use_gpu:
    net.cuda()
    y = y.cuda()
print(torch.nn.functional.cross_entropy(net(x), y))
"""
ONE_BY_ONE = "x = torch.FloatTensor(4, 3)\ny = torch.LongTensor(4).fill_(1)"
TOGETHER = "x, y = torch.FloatTensor(4, 3), torch.LongTensor(4).fill_(1)"


def fixed_alone(text: str) -> str:
    return fix_texts({"main.py": text})[0]["main.py"]


@pytest.mark.parametrize(
    "made",
    [
        ONE_BY_ONE,
        TOGETHER,
        f"{ONE_BY_ONE}\nprint('made')",
        f"{ONE_BY_ONE}\n_ = x.data.fill_(1)\nx.mul_(2)",
    ],
)
def test_what_is_made_moves_under_the_guard_of_what_is_made_with_it(made: str) -> None:
    before = GUARDED.format(made=made)
    assert fixed_alone(before) == before.replace("    y = y.cuda()\n", "    y = y.cuda()\n    x = x.cuda()\n")


@pytest.mark.parametrize("other", ["z.cuda()", "z"])
def test_one_statement_of_a_guard_may_move_several(other: str) -> None:
    made = f"{ONE_BY_ONE}\nz = torch.ones(2)"
    several = f"    y, z = y.cuda(), {other}\n"
    before = GUARDED.format(made=made).replace("    y = y.cuda()\n", several)
    after = before.replace(several, f"{several}    x = x.cuda()\n")
    assert (fixed_alone(before) == after) is (other == "z.cuda()")


@pytest.mark.parametrize(
    ("made", "guard"),
    [
        (f"{ONE_BY_ONE}\nif x.sum() > 3:\n    print(x)", "if use_gpu:\n"),
        (f"{ONE_BY_ONE}\nimport numpy\nprint(numpy.max(x))", "if use_gpu:\n"),
        (f"{ONE_BY_ONE}\nfilled = x.fill_(1)\nprint(net(filled))", "if use_gpu:\n"),
        (ONE_BY_ONE, "if use_gpu:\n    print('moved')\n"),
    ],
    ids=["it is read before", "by NumPy", "what fills it is kept", "the guard does something else"],
)
def test_other_guards_are_left_alone(made: str, guard: str) -> None:
    before = GUARDED.format(made=made).replace("if use_gpu:\n", guard)
    after = fixed_alone(before)
    assert "x = x.cuda()" not in after
    assert after != before


def test_what_was_computed_moves_beside_the_other_of_one_assignment() -> None:
    before = """
import torch

net = torch.nn.DataParallel(torch.nn.Linear(3, 3)).cuda()
for step in range(3):
    x = torch.rand(4, 3)
    noise = torch.zeros(4, 3).normal_()
    y = x + noise
    x, y = x.cuda(), y
    print((y - net(x)).sum())
"""
    assert fixed_alone(before) == before.replace("x.cuda(), y", "x.cuda(), y.cuda()")


def test_what_a_name_gets_after_its_use_is_not_what_moves() -> None:
    lines = fixed("""
        def score(scores, y):
            return scores.masked_fill(y.eq(0).unsqueeze(1), 0.0).sum()

        def test(model):
            for x, y in loader:
                x = x.cuda()
                scores = model(x)
                print(score(scores, y))
                y = y.cpu().detach().numpy().reshape(-1)
                print(y)

        test(net)
    """)
    assert "y = y.cuda()" in lines
    assert "y = y.cpu().detach().numpy().reshape(-1)" in lines


def test_what_a_name_gets_as_an_array_is_not_moved() -> None:
    lines = fixed("""
        def seen(model):
            for x, y in loader:
                x = x.cuda()
                y = y.numpy()
                print(model(x), torch.from_numpy(y) + model(x).argmax(1))

        seen(net)
    """)
    assert "y = y.numpy()" in lines


PAIR = """
import numpy as np

device = torch.device("cuda")

def drawn(size):
    labels = np.random.randint(0, 2, size)
    return torch.LongTensor(labels), {made}

for x in torch.ones(3, 4, 3).cuda():
    y, weights = drawn(4)
    y = y.to(device)
    print((net(x).sum(1) * weights).sum() + y.sum())
"""


@pytest.mark.parametrize("made", ["torch.FloatTensor(np.ones(4))", "torch.ones(4)"])
def test_what_a_function_makes_of_several_moves_where_the_others_do(made: str) -> None:
    lines = fixed(PAIR.format(made=made))
    place = lines.index("y, weights = drawn(4)")
    assert lines[place + 1 : place + 3] == ["weights = weights.to(device)", "y = y.to(device)"]


def test_what_moves_with_no_others_moves_where_it_is_made() -> None:
    text = PAIR.format(made="torch.FloatTensor(np.ones(4))").replace("    y = y.to(device)\n", "")
    assert "weights = weights.to(device)" not in fixed(text.replace(" + y.sum()", ""))


LOOP = """
import torch

def train(loader, net, use_gpu):
    for images, labels in loader:
        {made}
        if use_gpu:
            {guard}
        (net(noise) + images - labels).sum().backward()

if __name__ == "__main__":
    data = torch.utils.data.TensorDataset(torch.zeros(8, 3), torch.zeros(8, 3))
    net = torch.nn.Linear(3, 3)
    use_gpu = torch.cuda.is_available()
    if use_gpu:
        net.cuda()
    train(torch.utils.data.DataLoader(data, batch_size=2), net, use_gpu)
"""
COMPUTED = "noise = torch.cat((images[:, :1], torch.zeros(len(images), 2)), 1)"
PARTS = "images = images.cuda()\n            labels = labels.cuda()"


def test_what_is_computed_in_a_round_moves_under_the_guard_of_the_batch() -> None:
    before = LOOP.format(made=COMPUTED, guard=PARTS)
    moved = "images = images.cuda()\n            noise = noise.cuda()\n"
    assert fixed_alone(before) == before.replace("images = images.cuda()\n", moved)


@pytest.mark.parametrize(
    ("made", "guard"),
    [
        (f"{COMPUTED}\n        drawn = noise", PARTS),
        (COMPUTED, f"print(len(images))\n            {PARTS}"),
    ],
    ids=["it is read before", "the guard does something else"],
)
def test_under_another_guard_of_the_batch_nothing_moves(made: str, guard: str) -> None:
    before = LOOP.format(made=made, guard=guard)
    assert "noise = noise.cuda()" not in fixed_alone(before)


@pytest.mark.parametrize("between", ["", "print(len(y))"])
def test_it_moves_beside_a_sibling_that_gets_another_name(between: str) -> None:
    """Not where it is read before that."""
    lines = fixed(f"""
        device = torch.device("cuda")
        for x, y in loader:
            seen = len(x)
            {between}
            inputs = x.to(device)
            print(seen, loss_of(net(inputs), y))
    """)
    move = "y = y.to(device)"
    assert lines.index(move) == (
        lines.index("seen = len(x)") - 1 if between else lines.index("inputs = x.to(device)") + 1
    )


def test_a_move_to_the_accelerator_gives_way_to_one_that_follows_the_model() -> None:
    before = dedent("""
        import torch
        from torch import nn

        class Noisy(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = nn.Linear(3, 3)

            def forward(self, x):
                y = self.scale(x)
                return y + torch.randn(4, 3).cuda()

        print(Noisy()(torch.ones(4, 3)).sum().item())
    """)
    assert "return y + torch.randn(4, 3).to(y.device)" in fixed_alone(before)


PREPARED = """\
import torch


def prepare(batch, device):
    x, target, y = batch.all()
    x = x.to(device)
    y = y.to(device)
    return x, target, y


class Batch:
    def __init__(self):
        self.parts = [torch.ones(4, 3), torch.ones(4, 2), torch.ones(4, 3)]

    def all(self):
        return self.parts[0], self.parts[1], self.parts[2]


def run(net, device):
    x, target, y = prepare(Batch(), device)
    return (net(x) - target).sum() + net(y).sum()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = torch.nn.Linear(3, 2).to(device)
    print(run(net, device))
    x, target, y = prepare(Batch(), device)
    print((net(x) - target).mean())
"""


@pytest.mark.parametrize("more", ["", "    host = torch.device('cpu')\n    print(run(net.to(host), host))\n"])
def test_a_function_of_a_device_moves_all_parts_of_the_batch_that_it_takes_apart(more: str) -> None:
    text = f"{PREPARED}{more}\n\nmain()\n"
    after = fix_texts({"main.py": text})[0]["main.py"]
    moved = "    x = x.to(device)\n"
    assert after == text.replace(moved, f"{moved}    target = target.to(device)\n", 1)
    assert fix_texts({"main.py": after})[0]["main.py"] == after
