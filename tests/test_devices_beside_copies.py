"""Where the program gets one device, an object that keeps a copy of a module asks the module it was given for it."""

from __future__ import annotations

from text_program import files, fix_texts

from devfix.findings import Applicability

MAIN = """
    import torch
    from trainer import Trainer

    trainer = Trainer(torch.nn.Linear(3, 3))
    for _ in range(2):
        trainer.step()
    print(trainer.sample(4))
"""
TRAINER = """
    import copy
    import torch

    class Trainer{base}:
        def __init__(self, network):
            self.network = network
            self.avg = copy.deepcopy(network)
            self.optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
            self.rng = torch.Generator().manual_seed(0)

        def noise(self, n):
            return torch.randn(n, 3, generator=self.rng)

        def step(self):
            loss = self.network(self.noise(4)).sum()
            loss.backward()
            self.optimizer.step()

        def sample(self, n):
            return self.avg(self.noise(n))
"""


def added(base: str = "") -> list[str]:
    """The lines that the repair adds to the trainer."""
    before = "class Base:\n        pass\n\n    " if base else ""
    trainer = TRAINER.format(base=base).replace("class Trainer", f"{before}class Trainer")
    texts = files(MAIN, trainer=trainer)
    after = fix_texts(texts, Applicability.UNSAFE, adopt=True)[0]
    return [
        line.strip()
        for line in after["trainer.py"].splitlines()
        if line not in texts["trainer.py"].splitlines()
    ]


def test_it_keeps_the_device_of_the_module_it_was_given() -> None:
    assert added() == [
        "self.device = next(network.parameters()).device",
        "return torch.randn(n, 3, generator=self.rng).to(self.device)",
    ]


def test_one_that_may_have_a_device_of_its_base_asks_the_module() -> None:
    assert added("(Base)") == [
        "return torch.randn(n, 3, generator=self.rng).to(next(self.avg.parameters()).device)"
    ]
