"""Models that are trained before another one holds them: where a program adopts a device, they move where they are made."""

from text_program import files, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.body(x))

def train(model, opt):
    for _ in range(2):
        loss = model(torch.randn(8, 4)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()

body = nn.Linear(4, 4)
{script}
"""


def adopted(script: str) -> str:
    text = PROGRAM.format(script=script.strip())
    texts, _ = fix_texts(files(text), Applicability.UNSAFE, adopt=True)
    return texts["main.py"]


def test_what_was_pretrained_moves_and_so_does_what_holds_it() -> None:
    after = adopted("""
train(body, torch.optim.Adam(body.parameters()))
net = Net(body)
train(net, torch.optim.Adam(net.parameters()))
""")
    assert "body = nn.Linear(4, 4).to(device)\n" in after
    assert "net = Net(body).to(device)\n" in after


def test_what_is_held_when_it_is_trained_moves_with_its_holder() -> None:
    after = adopted("""
net = Net(body)
train(body, torch.optim.Adam(body.parameters()))
train(net, torch.optim.Adam(net.parameters()))
""")
    assert "body = nn.Linear(4, 4)\n" in after
    assert "net = Net(body).to(device)\n" in after


def test_an_optimizer_that_does_not_step_before_trains_nothing() -> None:
    after = adopted("""
opt = torch.optim.Adam(body.parameters())
net = Net(body)
train(net, opt)
""")
    assert "body = nn.Linear(4, 4)\n" in after
    assert "net = Net(body).to(device)\n" in after
