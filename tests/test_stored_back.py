"""What is written back into a tensor of the CPU is moved to it; an entry of a dict says where to move to."""

from __future__ import annotations

from textwrap import dedent

from text_program import fix_texts

from devfix.findings import Applicability


def fixed(text: str) -> str:
    return fix_texts({"main.py": dedent(text)}, Applicability.UNSAFE)[0]["main.py"]


def test_running_numbers_of_examples_stay_on_the_cpu() -> None:
    text = fixed(
        """\
        import torch

        class Curriculum:
            def __init__(self, n):
                self.running = torch.ones(n)

            def update(self, index, losses):
                self.running[index] = 0.9 * self.running[index] + 0.1 * losses

        plan = Curriculum(8)
        device = torch.device("cuda")
        plan.update(torch.arange(4), torch.rand(4).to(device))
        """
    )
    assert "0.9 * self.running[index] + (0.1 * losses).to(self.running.device)\n" in text


def test_a_draw_is_moved_to_what_a_dict_holds() -> None:
    text = fixed(
        """\
        import torch

        class Mix:
            def __init__(self):
                self.beta = torch.distributions.Beta(0.4, 0.4)

            def __call__(self, s):
                w = self.beta.sample((4,))
                return {**s, "x": w * s["x"]}

        def main():
            chosen = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            print(Mix()({"x": torch.rand(4).to(chosen)})["x"])

        main()
        """
    )
    assert '"x": w.to(s["x"].device) * s["x"]' in text


def test_targets_go_where_the_model_is_though_inputs_may_be_elsewhere() -> None:
    texts = {
        "net.py": """\
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)
        self.b = nn.Linear(3, 1)

    def forward(self, x):
        a = self.a(x)
        return self.b(a)
""",
        "trainer.py": """\
import torch.nn.functional as F

class Trainer:
    def __init__(self, model, device):
        self.model, self.device = model.to(device), device

    def _loss(self, x, y):
        return F.mse_loss(self.model(x), y)

    def fit(self, train, valid):
        for batch in train:
            x, y = batch["x"].to(self.device), batch["y"].to(self.device)
            self._loss(x, y).backward()
        return self.validate(valid)

    def validate(self, loader):
        return sum(self._loss(batch["x"], batch["y"]).item() for batch in loader)
""",
        "main.py": """\
import torch
from torch.utils.data import DataLoader, Dataset

from net import Net
from trainer import Trainer

class Rows(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return {"x": torch.rand(3), "y": torch.rand(1)}

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(Rows(), batch_size=4)
print(Trainer(Net(), device).fit(loader, loader))
""",
    }
    after = fix_texts(texts, Applicability.UNSAFE)[0]
    assert "x.device" not in after["trainer.py"]
    assert "y.to(self.device))" in after["trainer.py"]
