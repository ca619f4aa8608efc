"""Optimizers whose state is where their parameters were before they moved."""

from __future__ import annotations

from textwrap import dedent

from text_program import fix_texts


def test_a_state_that_steps_made_follows_the_model() -> None:
    text = dedent("""\
    import torch


    class Pipeline:
        def __init__(self):
            self.net = torch.nn.Linear(4, 1)
            self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1, momentum=0.9)

        def step(self, x):
            self.opt.zero_grad()
            self.net(x).sum().backward()
            self.opt.step()

        def fit(self, device):
            self.net.to(device)
            self.step(torch.ones(2, 4, device=device))


    pipeline = Pipeline()
    pipeline.step(torch.ones(2, 4))
    pipeline.fit("cuda" if torch.cuda.is_available() else "cpu")
    """)
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    moved = "        self.net.to(device)\n"
    assert fixed == text.replace(moved, f"{moved}        self.opt.load_state_dict(self.opt.state_dict())\n")
