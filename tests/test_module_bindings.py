"""A criterion whose weights stay on the CPU moves where it gets its name, not where it is called."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

HEAD = """
    import torch

    LOSSES = {}

    def register(name):
        def wrap(maker):
            LOSSES[name] = maker
            return maker
        return wrap

    @register("ce")
    def weighted(counts):
        return torch.nn.CrossEntropyLoss(weight=1 / torch.tensor(counts))

    def build(name, **options):
        return LOSSES[name](**options)

    def batches(device):
        for _ in range(3):
            yield torch.ones(4, 3).to(device), torch.ones(4, dtype=torch.long).to(device)
"""

SCRIPT = """
    def main():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(3, 2).to(device)
        criterion = {made}
        {between}
        for x, y in batches(device):
            loss = criterion(model(x), y)
            loss.backward()

    main()
"""

TRAINER = """
    class Trainer:
        def __init__(self, model):
            self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            self.model = model.to(self.device)
            self.criterion = build("ce", counts=[1.0, 2.0])

        def fit(self):
            for x, y in batches(self.device):
                self.criterion(self.model(x), y).backward()

    Trainer(torch.nn.Linear(3, 2)).fit()
"""


def _added(text: str) -> list[str]:
    before = files(text)
    after = fix_texts(before, Applicability.UNSAFE)[0]["main.py"]
    return [line.strip() for line in after.splitlines() if line not in before["main.py"].splitlines()]


@pytest.mark.parametrize(
    "made",
    [
        'build("ce", counts=[1.0, 2.0])',
        'LOSSES["ce"]([1.0, 2.0])',
        'build("ce", **{"counts": [1.0, 2.0]})',
    ],
)
def test_it_moves_where_it_is_bound(made: str) -> None:
    text = HEAD + SCRIPT.format(made=made, between="print(device)")
    assert _added(text) == [f"criterion = {made}.to(device)"]


def test_it_moves_where_the_object_gets_it() -> None:
    assert _added(HEAD + TRAINER) == ['self.criterion = build("ce", counts=[1.0, 2.0]).to(self.device)']


@pytest.mark.parametrize(
    "between",
    [
        "print(criterion(torch.ones(1, 2), torch.ones(1, dtype=torch.long)))",
        "if len(LOSSES) > 5:\n            criterion = torch.nn.CrossEntropyLoss()",
        "keep(criterion)",
    ],
)
def test_one_that_is_used_before_or_bound_again_does_not_move_there(between: str) -> None:
    text = HEAD + SCRIPT.format(made='build("ce", counts=[1.0, 2.0])', between=between)
    text = text.replace("def main", "def keep(loss):\n        print(loss.weight.numpy())\n\n    def main")
    assert not any(line.startswith("criterion = build") and ".to(" in line for line in _added(text))


def test_one_that_is_bound_before_the_device_is_chosen_does_not_move_there() -> None:
    text = HEAD + SCRIPT.format(made='build("ce", counts=[1.0, 2.0])', between="pass")
    chosen = '        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
    made = '        criterion = build("ce", counts=[1.0, 2.0])\n'
    text = text.replace(made, "").replace(chosen, made + chosen)
    assert not any(line.startswith("criterion = build") for line in _added(text))


def test_what_is_moved_already_stays() -> None:
    assert (
        _added(HEAD + SCRIPT.format(made='build("ce", counts=[1.0, 2.0]).to(device)', between="pass")) == []
    )
