"""What was taken to the CPU to be saved comes back."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

PROGRAM = """
    import torch
    from torch import nn


    class Trainer:
        def __init__(self, net):
            self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            self.net = net
            self.model = nn.Sequential(net, nn.ReLU(), nn.Linear(4, 2)).to(self.device)

        def train(self, x):
            return self.model(x.to(self.device)).sum()

        def save(self, path):
            SAVE
            return path


    trainer = Trainer(nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 4)))
    for epoch in range(2):
        loss = trainer.train(torch.rand(3, 4))
        trainer.save("net.pt")
    print("RESULT", loss.item())
    """


def test_a_module_returns_from_being_saved() -> None:
    text = PROGRAM.replace("SAVE", "torch.save(self.net.cpu().state_dict(), path)")
    fixed = fix_texts(files(text))[0]["main.py"]
    assert "state_dict(), path)\n        self.net.to(self.device)\n        return path" in fixed
    assert fixed.count(".to(") == 3


def test_a_module_that_is_moved_for_its_own_sake_stays() -> None:
    text = PROGRAM.replace("SAVE", "self.net.cpu()")
    assert "self.net.to(" not in fix_texts(files(text))[0]["main.py"]


CHAINS = """
import random
import torch

class Sampler:
    def __init__(self, device):
        self.device = device
        self.chains = [torch.rand(1, 3) for _ in range(8)]

    def sample(self):
        new = torch.rand(1, 3, device=self.device)
        old = torch.cat(random.{drawn}(self.chains, k=4))
        both = torch.cat([new, old])
        self.chains = list(both.to(self.device).cpu().chunk(5)) + self.chains
        return both

sampler = Sampler(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
for _ in range(3):
    sampler.sample()
"""


@pytest.mark.parametrize("drawn", ["choices", "sample"])
def test_one_place_that_two_rules_blame_is_mended_once(drawn: str) -> None:
    text = CHAINS.format(drawn=drawn)
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert sum(a != b for a, b in zip(text.splitlines(), fixed.splitlines(), strict=True)) == 1


def test_a_module_returns_from_its_state() -> None:
    text = PROGRAM.replace("SAVE", "state = self.net.cpu().state_dict()\n            torch.save(state, path)")
    fixed = fix_texts(files(text))[0]["main.py"]
    assert "state_dict()\n        self.net.to(self.device)\n        torch.save" in fixed


NO_DEVICE = """
import sys
import torch
from torch import nn

def save(model, path):
    {save}

use_gpu = "--gpu" in sys.argv
model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 4))
if use_gpu:
    model.cuda()
for epoch in range(2):
    x = torch.rand(3, 4)
    if use_gpu:
        x = x.cuda()
    loss = model(x).sum()
    save(model, "net.pt")
"""


@pytest.mark.parametrize("save", ["torch.save({}, path)", "state = {}"])
@pytest.mark.parametrize("move", ["cpu()", "to('cpu')"])
def test_where_nobody_knows_the_device_the_state_is_copied(save: str, move: str) -> None:
    before = NO_DEVICE.format(save=save.format(f"model.{move}.state_dict()"))
    copy = "{key: value.cpu() for key, value in model.state_dict().items()}"
    assert fix_texts({"main.py": before})[0]["main.py"] == NO_DEVICE.format(save=save.format(copy))


@pytest.mark.parametrize("save", ["torch.save(model.state_dict(), path)", "other = model.cpu()"])
def test_what_takes_no_state_is_left_alone(save: str) -> None:
    before = NO_DEVICE.format(save=save)
    assert save in fix_texts({"main.py": before})[0]["main.py"]


def test_a_state_with_more_than_tensors_is_not_copied() -> None:
    more = "class Counted(nn.Linear):\n    def get_extra_state(self):\n        return {'count': 3}\n\n"
    text = NO_DEVICE.format(save="torch.save(model.cpu().state_dict(), path)")
    before = text.replace("def save", more + "def save").replace("nn.Linear(8, 4)", "Counted(8, 4)")
    assert "value.cpu()" not in fix_texts({"main.py": before})[0]["main.py"]


@pytest.mark.parametrize("save", ["model = {}\n    torch.save(model, path)", "return {}"])
def test_where_the_module_ends_its_state_is_copied(save: str) -> None:
    known = 'use_gpu = "--gpu" in sys.argv\ndevice = torch.device("cuda" if use_gpu else "cpu")'
    program = NO_DEVICE.replace('use_gpu = "--gpu" in sys.argv', known)
    before = program.format(save=save.format("model.cpu().state_dict()"))
    copy = "{key: value.cpu() for key, value in model.state_dict().items()}"
    assert fix_texts({"main.py": before})[0]["main.py"] == program.format(save=save.format(copy))


ROUNDS = """
import torch
from settings import every, folder

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 3).to(device)
for epoch in range(4):
    for i in range(3):
        net(torch.ones(2, 3).to(device)).sum().backward()
    if {test}:
        net.eval().cpu()
        torch.save(net.state_dict(), "net.pt")
        {last}
    print(epoch)
net.eval().cpu()
"""


@pytest.mark.parametrize("test", ["epoch % 2 == 0", "folder is not None and (epoch + 1) % every == 0"])
def test_a_module_that_a_round_left_on_the_cpu_is_back_for_the_next(test: str) -> None:
    """The input does not follow it: in the first round the module is on the accelerator."""
    text = ROUNDS.format(test=test, last="net.train()")
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace("net.train()\n", "net.train()\n        net.to(device)\n")


def test_a_module_that_moves_back_is_left_alone() -> None:
    text = ROUNDS.format(test="epoch % 2 == 0", last="net.to(device).train()")
    assert fix_texts({"main.py": text})[0]["main.py"] == text


def test_a_module_of_the_project_is_back_for_the_next_round_as_well() -> None:
    """Where it is called tells that it is used in a round, not where a layer of it meets the input."""
    layers = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.LSTM(3, 3)

    def forward(self, x):
        return self.layer(x)[0]

device"""
    text = ROUNDS.format(test="epoch % 2 == 0", last="net.train()")
    text = text.replace("torch.nn.Linear(3, 3)", "Net()").replace("device", layers.strip(), 1)
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace("net.train()\n", "net.train()\n        net.to(device)\n")


def net(text: str) -> str:
    """A program whose module has layers of its own, some of them no modules."""
    return text.replace("class Trainer:", NET, 1).replace("self.net = net", "self.net = Net(net)", 1)


NET = """class Net(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner, self.last = inner, nn.Linear(4, 4)
            self.register_buffer("scale", torch.ones(9, 4))

        def forward(self, x):
            return self.last(self.inner(x + self.scale[: x.size(0)]))


    class Trainer:"""

SAVED = """
    import torch
    from torch import nn


    class Trainer:
        def __init__(self, net):
            self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            self.net = net
            self.net.to(self.device)

        def step(self, x):
            return self.net(x).sum()

        def train(self, epochs):
            for epoch in range(epochs):
                for x in torch.rand(3, 3, 4):
                    loss = self.step(x.to(self.device))
                self.save("net.pt")
            return loss

        def save(self, path):
            SAVE


    print("RESULT", Trainer(nn.Linear(4, 4)).train(3).item())
    """


@pytest.mark.parametrize("move", ["to('cpu')", "cpu()", "eval().cpu()"])
@pytest.mark.parametrize(
    "save",
    [
        "torch.save(self.net.state_dict(), path)",
        "torch.save(self.net, path)",
        "self.net.save_pretrained(path)",
    ],
)
def test_a_module_that_a_method_saves_is_back_when_another_one_uses_it(move: str, save: str) -> None:
    """One move, and none of what meets the module's layers."""
    text = net(SAVED).replace("SAVE", f"self.net.{move}\n            {save}")
    before = files(text)["main.py"]
    line = f"        {save}\n"
    assert fix_texts(files(text))[0]["main.py"] == before.replace(
        line, f"{line}        self.net.to(self.device)\n"
    )


def test_a_function_that_saves_asks_where_the_module_was() -> None:
    save = "model.cpu()\n    torch.save(model.state_dict(), path)\n    print(path)"
    before = NO_DEVICE.format(save=save)
    asks = "device = next(model.parameters()).device\n    model.cpu()"
    after = before.replace("model.cpu()", asks).replace("    print", "    model.to(device)\n    print")
    assert fix_texts({"main.py": before})[0]["main.py"] == after


def test_a_module_that_is_moved_to_be_used_there_does_not_return() -> None:
    save = "self.net.cpu()\n            torch.save(self.net.state_dict(), path)\n            print(self.net(torch.rand(2, 4)))"
    fixed = fix_texts(files(SAVED.replace("SAVE", save)))[0]["main.py"]
    assert "path)\n        self.net.to(" not in fixed


def test_a_saved_module_that_moves_back_is_left_alone() -> None:
    save = "self.net.cpu()\n            torch.save(self.net.state_dict(), path)\n            self.net.to(self.device)"
    before = files(net(SAVED).replace("SAVE", save))
    assert fix_texts(before)[0]["main.py"] == before["main.py"]


EXPORTED = """
import io
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.last = nn.Conv1d(1, 2, 3), nn.Linear(2, 2)

    def forward(self, x):
        return self.last(self.conv(x).mean(-1))


class Deployed(nn.Module):
    def __init__(self, policy):
        super().__init__()
        self.encoder = policy.encoder

    def forward(self, x):
        return self.encoder(x)

    def export(self, path):
        self.to("cpu")
        {export}
        return path


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.head = Encoder(), nn.Linear(4, 1)

    def forward(self, x, y):
        return self.head(torch.cat([y, self.encoder(x)], dim=-1))


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    policy = Policy().to(device)
    for step in range(4):
        loss = policy(torch.rand(3, 1, 9, device=device), torch.rand(3, 2, device=device)).sum()
        loss.backward()
        if step % 2:
            Deployed(policy).export("policy.pt")
    print("RESULT", loss.item())


main()
"""


@pytest.mark.parametrize(
    "export",
    [
        "torch.jit.save(torch.jit.trace(self, torch.zeros(1, 1, 9)), path)",
        "torch.onnx.export(self, (torch.zeros(1, 1, 9),), path)",
    ],
)
def test_what_is_exported_shares_its_parts_with_what_goes_on(export: str) -> None:
    before = EXPORTED.format(export=export)
    asks = 'device = next(self.parameters()).device\n        self.to("cpu")'
    after = before.replace('self.to("cpu")', asks).replace(
        "        return path", "        self.to(device)\n        return path"
    )
    assert fix_texts({"main.py": before})[0]["main.py"] == after


LOOKED_AT = """
    import torch
    from torch import nn


    def size(model):
        probe = torch.zeros(1, 4)
        with torch.no_grad():
            LOOK
        END


    def main():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2)).to(device)
        print(size(model))
        for _ in range(2):
            x, y = torch.rand(3, 4).to(device), torch.rand(3, 2).to(device)
            out = model(x)
            print((out - y).sum().item())


    main()
    """
_COUNT = "return sum(p.numel() for p in model.parameters())"


@pytest.mark.parametrize(
    "look", ["model.cpu().eval()(probe)", 'model.to("cpu")\n            print(model(probe).shape)']
)
def test_a_module_that_a_function_was_lent_for_a_look_goes_back(look: str) -> None:
    text = LOOKED_AT.replace("LOOK", look).replace("END", _COUNT)
    fixed = fix_texts(files(text))[0]["main.py"]
    before = files(text)["main.py"]
    asked = "        device = next(model.parameters()).device\n"
    found = before.index("        " + look.partition("\n")[0])
    end = before.index("    return sum(")
    assert fixed == f"{before[:found]}{asked}{before[found:end]}        model.to(device)\n{before[end:]}"


@pytest.mark.parametrize("end", ["return model", "return model, 3", "return model.eval()"])
def test_a_module_that_is_handed_out_where_it_was_looked_at_does_not_go_back(end: str) -> None:
    text = LOOKED_AT.replace("LOOK", "model.cpu()(probe)").replace("END", end)
    assert "next(model.parameters()).device\n" not in fix_texts(files(text))[0]["main.py"]


def test_a_function_that_only_moves_what_it_is_given_means_it() -> None:
    text = LOOKED_AT.replace("LOOK", "model.cpu()").replace("END", "return probe")
    assert "next(model.parameters()).device\n" not in fix_texts(files(text))[0]["main.py"]
