"""Of a state that is asked for on the CPU, and goes on to ``load_state_dict``, the tensor moves that does not go there."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

MAIN = """
    import torch
    from resume import resume

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    class Run:
        def __init__(self, device):
            self.device = device
            self.net = torch.nn.Linear(3, 3).to(device)
            self.optimizer = torch.optim.Adam(self.net.parameters())
            self.mean, self.std = torch.zeros(3, device=device), torch.ones(3, device=device)

        def step(self, x):
            return self.net((x.to(self.device) - self.mean) / self.std).sum()

    run = Run(device)
    torch.save({{"net": run.net.state_dict(), "optimizer": run.optimizer.state_dict(), "mean": {mean}}}, "run.pt")
    again = Run(device)
    resume("run.pt", again)
    print(again.step(torch.ones(2, 3)))
"""
RESUME = """
    import torch

    def resume(path, run):
        state = torch.load(path, map_location={location})
        {restored}
        {taken}
"""
RESTORED = 'run.net.load_state_dict(state["net"])'


def added(taken: str, restored: str = RESTORED, location: str = '"cpu"', mean: str = "run.mean") -> list[str]:
    """The lines that the repair adds to what resumes a run."""
    resume = RESUME.format(taken=taken, restored=restored, location=location)
    texts = files(MAIN.format(mean=mean), resume=resume)
    after = fix_texts(texts)[0]
    assert after["main.py"] == texts["main.py"]
    return [
        line.strip()
        for line in after["resume.py"].splitlines()
        if line not in texts["resume.py"].splitlines()
    ]


@pytest.mark.parametrize(
    ("taken", "moved"),
    [
        ('run.mean = state["mean"]', 'run.mean = state["mean"].to(run.device)'),
        ('run.mean, run.done = state["mean"], 1', 'run.mean, run.done = state["mean"].to(run.device), 1'),
    ],
)
def test_it_moves_alone(taken: str, moved: str) -> None:
    assert added(taken) == [moved]
    assert added(taken, 'run.optimizer.load_state_dict(state["optimizer"])') == [moved]


def test_a_file_of_which_nothing_is_restored_is_loaded_there() -> None:
    assert added('run.mean = state["mean"]', "print(len(state))") == [
        "state = torch.load(path, map_location=run.device)"
    ]


@pytest.mark.parametrize(
    ("taken", "location"),
    [
        ('run.mean = state["mean"]', "run.device"),
        ('run.mean = state["mean"].to(run.device)', '"cpu"'),
        ('run.mean.copy_(state["mean"])', '"cpu"'),
    ],
)
def test_what_is_there_stays(taken: str, location: str) -> None:
    assert added(taken, location=location) == []
