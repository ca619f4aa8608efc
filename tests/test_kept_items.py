"""Copies that a comprehension or a loop with numbers, keys or more to do throws away: they are kept in what is gone through."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import clashes, fix_texts

from devfix.simulator import simulated_accelerator

HEAD = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(2, 2).to(device)
x, y = torch.ones(1, 2), torch.zeros(1, 2)
"""
#: What is made, what throws the copies away, what becomes of that, and what is computed behind it.
KEPT = {
    "a list of a comprehension": (
        "pair = [x, y]",
        "[each.to(device) for each in pair]",
        "pair = [each.to(device) for each in pair]",
        "model(pair[0]) - pair[1]",
    ),
    "a tuple": (
        "pair = (x, y)",
        "[each.to(device) for each in pair]  # all",
        "# all\npair = tuple(each.to(device) for each in pair)",
        "model(pair[0]) - pair[1]",
    ),
    "a list that others have": (
        "held = [[x, y]]\npair = held[0]",
        "[each.cuda() for each in pair]",
        "pair[:] = [each.cuda() for each in pair]",
        "model(held[0][0].to(device)) - held[0][1]",
    ),
    "a list with numbers": (
        "pair = [x, y]",
        "for i, each in enumerate(pair):\n    each = each.to(device)",
        "for i, each in enumerate(pair):\n    pair[i] = each.to(device)",
        "model(pair[0]) - pair[1]",
    ),
    "a number that nobody uses": (
        "pair = [x, y]",
        "for _, each in enumerate(pair):\n    each.to(device)",
        "for i, each in enumerate(pair):\n    pair[i] = each.to(device)",
        "model(pair[0]) - pair[1]",
    ),
    "a tuple with numbers": (
        "pair = (x, y)",
        "for i, each in enumerate(pair):\n    each = each.to(device)",
        "pair = tuple(each.to(device) for each in pair)",
        "model(pair[0]) - pair[1]",
    ),
    "a number that is used though its name denies it": (
        "pair = [x, y]",
        "for _, each in enumerate(pair):\n    print(_)\n    each = each.to(device)",
        "for _, each in enumerate(pair):\n    print(_)\n    pair[_] = each.to(device)",
        "model(pair[0]) - pair[1]",
    ),
    "more to do": (
        "pair = [x, y]",
        "for each in pair:\n    print(each.shape)\n    each = each.to(device)",
        "for i, each in enumerate(pair):\n    print(each.shape)\n    pair[i] = each.to(device)",
        "model(pair[0]) - pair[1]",
    ),
    "values": (
        "batch = {'x': x, 'y': y}",
        "for value in batch.values():\n    value = value.to(device)",
        "for key, value in batch.items():\n    batch[key] = value.to(device)",
        "model(batch['x']) - batch['y']",
    ),
    "values of a comprehension": (
        "batch = {'x': x, 'y': y}",
        "[value.to(device) for value in batch.values()]",
        "batch = {key: value.to(device) for key, value in batch.items()}",
        "model(batch['x']) - batch['y']",
    ),
    "a dict of a comprehension": (
        "held = [{'x': x, 'y': y}]\nbatch = held[0]",
        "{k: v.to(device) for k, v in batch.items()}",
        "batch.update({k: v.to(device) for k, v in batch.items()})",
        "model(held[0]['x'].to(device)) - batch['y']",
    ),
}
#: Nobody can tell where the copies belong, or what is gone through cannot take them: that statement stays.
LEFT = {
    "some of them": ("pair = [x, y]", "[each.to(device) for each in pair if each.sum() > 0]"),
    "the list is taken": ("pair = [x, y]", "made = [each.to(device) for each in pair]"),
    "used in the round": ("pair = [x, y]", "for each in pair:\n    each = each.to(device)\n    print(each)"),
    "another value before": (
        "pair = [x, y]",
        "for each in pair:\n    each = each.float()\n    each = each.to(device)",
    ),
    "another number": ("pair = [x, y]", "for i, each in enumerate(pair, 1):\n    each = each.to(device)"),
    "the number is used behind": (
        "pair = (x, y)",
        "for i, each in enumerate(pair):\n    each = each.to(device)\nprint(i)",
    ),
    "the number is given another value": (
        "pair = [x, y]",
        "for i, each in enumerate(pair):\n    i += 1\n    each = each.to(device)",
    ),
    "the list is used in the round": (
        "pair = [x, y, x]",
        "for each in pair:\n    pair.reverse()\n    each = each.to(device)",
    ),
    "a list that takes items as it likes": (
        "class Pair(list):\n    __setitem__ = None\n\n\npair = Pair([x, y])",
        "for each in pair:\n    each = each.to(device)",
    ),
    "what is only like a list": (
        "from collections import deque\npair = deque([x, y])",
        "[each.to(device) for each in pair]",
    ),
    "leaves of a loop": (
        "pair = [x, y]\nfor each in pair:\n    each.requires_grad_()",
        "[each.to(device) for each in pair]",
    ),
    "leaves of a comprehension": (
        "pair = [x, y]\n[each.requires_grad_() for each in pair]",
        "for i, each in enumerate(pair):\n    each = each.to(device)",
    ),
    "left early": ("pair = [x, y]", "for each in pair:\n    each = each.to(device)\n    break"),
}
LEAVES = {
    "a list": ("weights = [x, y]", "weights", "model(weights[0]) * weights[1]", "weights[1]"),
    "names": ("", "(x, y)", "model(x) * y", "y"),
    "a tuple": ("weights = (x, y)", "weights", "model(weights[0]) * weights[1]", "weights[1]"),
    "a dict": ("weights = {'a': x, 'b': y}", "weights.values()", "model(weights['a']) * weights['b']", "weights['b']"),
}  # fmt: skip


def run_there(text: str) -> None:
    """Runs a program where an accelerator is simulated: it fails as it does on one."""
    with simulated_accelerator():
        exec(text, {"__name__": "__main__"})


@pytest.mark.parametrize("form", KEPT)
def test_what_is_gone_through_keeps_the_copies(form: str) -> None:
    made, lost, kept, used = KEPT[form]
    before, after = (f"{HEAD}{made}\n{each}\nprint({used})\n" for each in (lost, kept))
    with pytest.raises(RuntimeError, match="same device"):
        run_there(before)
    assert fix_texts({"main.py": before})[0]["main.py"] == after
    run_there(after)


@pytest.mark.parametrize("form", LEFT)
def test_what_does_not_move_all_of_it_in_vain_stays(form: str) -> None:
    made, lost = LEFT[form]
    before = f"{HEAD}{made}\n{lost}\nprint(model(pair[0]) - pair[1])\n"
    after = fix_texts({"main.py": before})[0]["main.py"]
    assert f"\n{lost}\n" in after
    assert clashes(after) == []
    run_there(after)


#: Ways to have gradients collected for what a list has.
TRAINED = [
    "for each in weights:\n    each.requires_grad = True",
    "for each in weights:\n    each.requires_grad_(len(weights) > 1)",
    "for i, each in enumerate(weights):\n    if each.dim() > 1:\n        each.detach_().requires_grad_()",
    "for i in range(len(weights)):\n    weights[i].requires_grad_()",
    "[each.requires_grad_() for each in weights if each.is_floating_point()]",
    "def train(weight):\n    weight.requires_grad_()\n\n\nfor each in weights:\n    train(each)",
    "x.requires_grad_()\ny.requires_grad = True",
]


@pytest.mark.parametrize("trained", TRAINED)
@pytest.mark.parametrize(
    "lost", ["[each.to(device) for each in weights]", "for each in weights:\n    each = each.to(device)"]
)
def test_a_leaf_is_one_under_all_its_names(trained: str, lost: str) -> None:
    made = f"{HEAD}weights = [x, y]\n"
    used = "(model(weights[0]) * weights[1]).sum().backward()\nprint(weights[1].grad.shape)\n"
    after = fix_texts({"main.py": f"{made}{trained}\n{lost}\n{used}"})[0]["main.py"]
    assert f"\n{lost}\n" in after
    run_there(after)


@pytest.mark.parametrize("told", ["each.requires_grad_(False)", "each.requires_grad = False"])
def test_what_is_told_to_collect_none_is_moved(told: str) -> None:
    text = f"{HEAD}pair = [x, y]\nfor each in pair:\n    {told}\n[each.to(device) for each in pair]\nmodel(pair[0]) - pair[1]\n"
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert "\npair = [each.to(device) for each in pair]\n" in after
    run_there(after)


@pytest.mark.parametrize("form", LEAVES)
def test_what_a_loop_makes_leaves_stays_what_gradients_are_collected_for(form: str) -> None:
    made, over, used, read = LEAVES[form]
    text = f"""\
{HEAD}{made}
for each in {over}:
    each.requires_grad_()
for each in {over}:
    each = each.to(device)
({used}).sum().backward()
print({read}.grad.shape)
"""
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after != text
    run_there(after)


def test_a_parameter_that_may_be_a_tuple_gets_no_items() -> None:
    text = HEAD + dedent("""\
        def place(parts):
            for i, part in enumerate(parts):
                part = part.to(device)
            return parts


        pair, row = place([x, y]), place((x, y))
        print(model(pair[0]) - row[1])
        """)
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert "part = part.to(device)" in after
    run_there(after)
