"""A function of another file that makes a model is told the device by the script that chooses one; there is no second choice."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

MAIN = """
    import torch
    from probe import probe

    net = torch.nn.Linear(3, 4)
    x, y = torch.ones(6, 3), torch.zeros(6).long()
    features = net(x).detach()
    print({call})
"""
PROBE = """
    import torch
    from torch import nn
    {before}

    def probe(features, target, steps=2{more}):
        head = nn.Linear(features.size(1), 2)
        optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
        for _ in range(steps):
            loss = nn.functional.cross_entropy(head(features), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return loss.item()
"""


def adopted(call: str, *, more: str = "", before: str = "", **others: str) -> dict[str, str]:
    """The files of the adopted program."""
    texts = files(MAIN.format(call=call), probe=PROBE.format(more=more, before=before), **others)
    return fix_texts(texts, Applicability.UNSAFE, adopt=True)[0]


def test_it_is_told_by_the_script() -> None:
    after = adopted("probe(features, y)")
    assert "print(probe(features, y, device=device))" in after["main.py"]
    assert 'def probe(features, target, steps=2, device="cpu"):' in after["probe.py"]
    assert "head = nn.Linear(features.size(1), 2).to(device)" in after["probe.py"]
    assert sum(text.count("is_available") for text in after.values()) == 1


@pytest.mark.parametrize(
    ("call", "more"),
    [
        ("[probe(*each) for each in ((features, y),)], probe", ""),
        ("probe(features, y, **{'steps': 3})", ""),
        ("probe(features, y)", ", device=None"),
    ],
)
def test_where_somebody_cannot_tell_it_the_file_chooses(call: str, more: str) -> None:
    after = adopted(call, more=more)
    assert 'device="cpu"' not in after["probe.py"]
    assert after["probe.py"].count("is_available") == 1


RUN = """
    import torch
    from fit import fit

    x, y = torch.ones(6, 3), torch.zeros(6, 1)
    net = fit(x, y)
    print(net(x).sum().item())
"""
FIT = """
    import torch

    def {name}(net, x, y):
        loss = (net(x) - y).pow(2).mean()
        {then}
        return loss

    def fit(x, y):
        net = torch.nn.Linear(3, 1)
        {use}
        return net
"""


@pytest.mark.parametrize("use", ["step(net, x, y)", "print(step(net, x, y).item())"])
def test_a_model_that_another_function_trains_moves_as_it_is_made(use: str) -> None:
    texts = files(RUN, fit=FIT.format(name="step", then="loss.backward()", use=use))
    after = fix_texts(texts, Applicability.UNSAFE, adopt=True)[0]
    assert "net = torch.nn.Linear(3, 1).to(device)" in after["fit.py"]
    assert "net = fit(x, y)\n" in after["main.py"]


@pytest.mark.parametrize("use", ["show(net, x, y)", "torch.nn.init.zeros_(net.weight)"])
def test_a_model_that_is_made_for_the_script_moves_there(use: str) -> None:
    texts = files(RUN, fit=FIT.format(name="step", then="loss.backward()", use=use))
    texts["fit.py"] += "\ndef show(net, *others):\n    print(net)\n"
    after = fix_texts(texts, Applicability.UNSAFE, adopt=True)[0]
    assert "net = torch.nn.Linear(3, 1)\n" in after["fit.py"]
    assert "net = fit(x, y).to(device)" in after["main.py"] or "net = net.to(device)" in after["main.py"]


PLAY = """
    import random
    import torch
    from encoding import encode

    net = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    kept = []

    def learn():
        states, after = zip(*random.sample(kept, 2))
        rest = [state for state in after if state is not None]
        values = net(torch.cat(states)).max(1).values
        if rest:
            values = values.sum() - net(torch.cat(rest)).max(1).values.sum()
        optimizer.zero_grad()
        values.sum().backward()
        optimizer.step()

    for episode in range(3):
        state = encode(0)
        done = False
        while not done:
            done = random.random() < 0.2
            {then}
            kept.append((state, after))
            state = after
            if len(kept) > 2:
                learn()
    {other}
    print(net.weight.sum().item())
"""
ENCODING = """
    import torch

    def encode(place):
        row = torch.zeros(1, 4)
        row[0, place] = 1
        return row
"""


@pytest.mark.parametrize(
    "then", ["after = None if done else encode(1)", "after = encode(1) if not done else None"]
)
def test_what_a_function_makes_moves_at_the_call_that_gives_nothing_in_the_end(then: str) -> None:
    texts = files(PLAY.format(then=then, other=""), encoding=ENCODING)
    after = fix_texts(texts, Applicability.UNSAFE, adopt=True)[0]
    wanted = texts["main.py"].replace("Linear(4, 2)", "Linear(4, 2).to(device)")
    for call in ("encode(0)", "encode(1)"):
        wanted = wanted.replace(call, f"{call}.to(device)")
    chosen = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n\n'
    assert after["main.py"].replace(chosen, "") == wanted
    assert after["encoding.py"] == texts["encoding.py"]


@pytest.mark.parametrize("other", ["print(encode(2).numpy())", "print([*map(encode, (2, 3))])"])
def test_a_call_that_is_not_the_only_one_of_which_nothing_is_known_stays(other: str) -> None:
    texts = files(PLAY.format(then="after = None if done else encode(1)", other=other), encoding=ENCODING)
    after = fix_texts(texts, Applicability.UNSAFE, adopt=True)[0]
    assert other in after["main.py"]
    assert "encode(1)\n" in after["main.py"]
    assert "torch.cat([part.to(device) for part in states])" in after["main.py"]
