"""A plain class that makes tensors when an object is made is told the device, where the program gets one."""

from __future__ import annotations

import difflib

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

MAIN = """
    import torch
    from schedule import Schedule

    def main():
        model = torch.nn.Linear(3, 3)
        schedule = {made}
        x = torch.ones(4, 3)
        for step in range(3):
            y = schedule.noised(model(x), step)
            loss = schedule.weighted(y).sum()
            loss.backward()

    main()
"""
SCHEDULE = """
    import torch

    {before}
    class Schedule{bases}:
        def __init__(self, steps{parameters}):
            self.steps = steps
            self.beta = {table}
            self.alpha = 1 - self.beta

        def noised(self, x, step):
            return x * self.alpha

        def weighted(self, x):
            return x * self.beta
"""


USUAL = {
    "table": "torch.linspace(0.1, 0.9, 3)",
    "parameters": "",
    "made": "Schedule(3)",
    "bases": "",
    "before": "",
}


def _added(parts: dict[str, str] | None = None, *, adopt: bool = True) -> list[str]:
    """The lines that the repair adds to the program with some parts of it changed."""
    written = USUAL | (parts or {})
    texts = files(MAIN.format(**written), schedule=SCHEDULE.format(**written))
    after = fix_texts(texts, Applicability.UNSAFE, adopt=adopt)[0]
    return [
        line[1:].strip()
        for path in texts
        for line in difflib.ndiff(texts[path].splitlines(), after[path].splitlines())
        if line.startswith("+") and line[1:].strip()
    ]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("torch.linspace(0.1, 0.9, 3)", "torch.linspace(0.1, 0.9, 3, device=device)"),
        ("torch.rand(3)", "torch.rand(3).to(device)"),
        ("torch.empty(3).uniform_()", "torch.empty(3).uniform_().to(device)"),
        ("torch.softmax(torch.ones(3), 0)", "torch.softmax(torch.ones(3, device=device), 0)"),
    ],
)
def test_it_is_told(table: str, told: str) -> None:
    added = _added({"table": table})
    assert 'def __init__(self, steps, device="cpu"):' in added
    assert f"self.beta = {told}" in added
    assert "schedule = Schedule(3, device=device)" in added
    assert not any(".to(" in line and line.startswith("return") for line in added)


def test_what_its_constructor_has_already_stands_before_it() -> None:
    assert 'def __init__(self, steps, kind: str = "linear", device="cpu"):' in _added(
        {"parameters": ', kind: str = "linear"'}
    )


@pytest.mark.parametrize(
    "otherwise",
    [
        {"parameters": ', device="meta"'},
        {"bases": "(Base)", "before": "class Base:\n        pass\n"},
        {"made": "Schedule(3) if model.bias is None else Schedule(3)"},
        {"made": 'Schedule(**{"steps": 3})'},
    ],
    ids=["knows a device", "has a base", "is made twice", "is made of a dict"],
)
def test_one_that_need_not_be_alone_with_it_is_not(otherwise: dict[str, str]) -> None:
    assert not any('device="cpu"' in line for line in _added(otherwise))


def test_one_that_does_not_get_its_device_just_now_is_not() -> None:
    assert _added(adopt=False) == []


def test_one_that_only_keeps_data_for_others_is_not() -> None:
    texts = files(
        """
        import torch
        from corpus import Corpus

        def main():
            corpus = Corpus()
            model = torch.nn.Embedding(9, 3)
            head = torch.nn.Linear(3, 9)
            for start in range(0, 6, 2):
                x, y = corpus.ids[start : start + 2], corpus.ids[start + 1 : start + 3]
                torch.nn.functional.cross_entropy(head(model(x)), y).backward()

        main()
        """,
        corpus="""
        import torch

        class Corpus:
            def __init__(self):
                self.ids = torch.arange(9)
        """,
    )
    after = fix_texts(texts, Applicability.UNSAFE, adopt=True)[0]
    assert after["corpus.py"] == texts["corpus.py"]
    assert after["main.py"] != texts["main.py"]
