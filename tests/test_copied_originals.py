"""What a module is a copy of moves in the script that makes it, where neither file has a device of its own."""

from __future__ import annotations

from text_program import files, fix_texts

MAIN = """
    import torch
    from average import Average
    from trainer import Trainer

    def main():
        model = torch.nn.Linear(3, 2)
        average = Average({given})
        trainer = Trainer(model)
        trainer.step(torch.ones(4, 3))
        average.update(trainer.model)
        {more}

    main()
"""
AVERAGE = """
    from copy import deepcopy
    import torch

    class Average:
        def __init__(self, model):
            self.module = deepcopy(model){kept}

        @torch.no_grad()
        def update(self, model):
            weights = [weight{fetched} for weight in model.parameters()]
            torch._foreach_add_(list(self.module.parameters()), weights, alpha=0.1)
"""
TRAINER = """
    import torch

    class Trainer:
        def __init__(self, model):
            self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            self.model = model.to(self.device)

        def step(self, x):
            self.model(x.to(self.device)).sum().backward()
"""
CHOICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'


def added(given: str = "model", kept: str = "", fetched: str = "", more: str = "") -> dict[str, list[str]]:
    """The lines that the repair adds to each file."""
    average = AVERAGE.format(kept=kept, fetched=fetched)
    texts = files(MAIN.format(given=given, more=more), average=average, trainer=TRAINER)
    after = fix_texts(texts)[0]
    found = {
        path: [line.strip() for line in after[path].splitlines() if line not in text.splitlines()]
        for path, text in texts.items()
    }
    return {path: lines for path, lines in found.items() if lines}


def test_the_original_moves_before_it_is_copied() -> None:
    assert added() == {"main.py": [CHOICE, "model = torch.nn.Linear(3, 2).to(device)"]}


def test_a_copy_that_is_kept_on_the_host_stays() -> None:
    assert added(kept='.to("cpu")', fetched=".cpu()") == {}


def test_a_module_of_its_own_moves_where_it_is_made() -> None:
    found = added(given="torch.nn.Linear(3, 2)")
    assert found == {"main.py": [CHOICE, "average = Average(torch.nn.Linear(3, 2).to(device))"]}
