"""Moves where several values get their names at once."""

from __future__ import annotations

import pytest
from reality import run
from text_program import fix_texts

from devfix.findings import Applicability

HEAD = """
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)
x, y = np.ones((4, 3), dtype=np.float32), np.ones((4, 1)).astype(np.float32)
"""


def fixed(body: str) -> list[str]:
    """The lines after the head once they are fixed."""
    return fix_texts({"main.py": HEAD + body})[0]["main.py"].removeprefix(HEAD).splitlines()


def test_names_of_a_generator_are_unknown_outside_of_it() -> None:
    used = "print(net(x) - y, net(x) > (y > 0))"
    body = f"x, y = (torch.from_numpy(a) for a in (x, y))\n{used}\n"
    assert fixed(body) == ["x, y = (torch.from_numpy(a).to(device) for a in (x, y))", used]


def test_names_of_a_generator_that_is_looped_over() -> None:
    body = "for part in (torch.from_numpy(a) for a in (x, x)):\n    print(net(part))\n"
    assert fixed(body)[1] == "    part = part.to(device)"


def test_an_array_is_not_moved() -> None:
    body = "t = torch.from_numpy(y)\nprint(net(torch.ones(4, 3, device=device)) * (t > 0))\n"
    assert ".to(device)" not in body
    assert [line for line in fixed(body) if ".to(device)" in line] == ["t = torch.from_numpy(y).to(device)"]


BATCHES = """
import torch
from torch import nn
from torch.utils.data import DataLoader

class Batch:
    def __init__(self, samples):
        self.x = torch.stack([x for x in samples])
        self.y = torch.ones(len(samples), 1)

    def to(self, device):
        self.x, self.y = self.x.to(device), self.y.to(device)
        {returned}

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Bilinear(3, 1, 1).to(device)
for batch in DataLoader(torch.ones(8, 3), batch_size=2, collate_fn=Batch):
    {moved}
    print(net(batch.x, batch.y))
"""


@pytest.mark.parametrize(
    ("returned", "moved", "expected"),
    [
        ("return self", "pass", ["    batch = batch.to(device)", "    pass"]),
        ("pass", "pass", ["    batch.to(device)", "    pass"]),
    ],
)
def test_a_batch_that_can_move_is_moved_whole(returned: str, moved: str, expected: list[str]) -> None:
    text = BATCHES.format(returned=returned, moved=moved)
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert fixed.partition("collate_fn=Batch):\n")[2].splitlines()[:-1] == expected


def test_a_batch_is_not_given_a_device_that_it_does_not_take() -> None:
    text = BATCHES.format(returned="return self", moved="pass").replace(
        "def to(self, device)", "def to(self)"
    )
    assert "batch.to(" not in fix_texts({"main.py": text})[0]["main.py"]


def test_a_moved_batch_is_kept() -> None:
    text = BATCHES.format(returned="return self", moved="batch.to(device)")
    text = text.replace("self.x, self.y = self.x.to(device), self.y.to(device)", "other = Batch([])")
    text = text.replace(
        "return self", "other.x, other.y = self.x.to(device), self.y.to(device)\n        return other"
    )
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert fixed == text.replace("    batch.to(device)", "    batch = batch.to(device)")


BUFFER = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Buffer:
    def __init__(self):
        self.x, self.a = torch.ones(8, 3), torch.zeros(8, dtype=torch.long){made}

    def add(self, i, a):
        self.a[i] = a.cpu()

    def sample(self, pick):
        return (t[pick] for t in (self.x, self.a))

buffer, net = Buffer(), nn.Linear(3, 2).to(device)
buffer.add(torch.arange(2), torch.ones(2, dtype=torch.long))
x, a = buffer.sample(torch.arange(4)){moved}
print(net(x{there}).gather(1, a.unsqueeze(1){there}))
"""


def test_what_an_object_stores_is_moved_where_it_is_fetched() -> None:
    text = BUFFER.format(made="", there="", moved="")
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert fixed == BUFFER.format(made="", there="", moved="\nx, a = x.to(device), a.to(device)")


def test_what_is_written_to_is_no_copy() -> None:
    text = BUFFER.format(made=".to(device)", there=".to(device)", moved="")
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert "self.a[i] = " in fixed


HANDED_ON = """
import torch
from torch import nn
from torch.utils.data import DataLoader
from typing import NamedTuple

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Side(NamedTuple):
    dense: torch.Tensor


def collate(rows):
    return {"x": torch.stack(rows), "side": Side(torch.stack(rows))}


def send(part, device):
    if torch.is_tensor(part):
        return part.to(device)
    if isinstance(part, dict):
        return {key: send(value, device) for key, value in part.items()}
    return part


net = nn.Linear(3, 1).to(device)
for batch in DataLoader(list(torch.randn(8, 3)), 4, collate_fn=collate):
    batch = send(batch, device)
    print(net(batch["x"]) + net(batch["side"].dense))
"""


def test_what_a_function_left_where_it_is_is_not_moved_by_moving_the_rest_again() -> None:
    """The function moves all that has ``to`` and that it knows: it looks into one form more, and the batch stays."""
    text = fix_texts({"main.py": HANDED_ON})[0]["main.py"]
    added = """\
    if isinstance(part, tuple) and hasattr(part, "_fields"):
        return type(part)(*(send(value, device) for value in part))
"""
    assert text == HANDED_ON.replace("    return part\n", f"{added}    return part\n")


PARTS = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda")
net = nn.Linear(3, 1).to(device)
for batch in DataLoader(TensorDataset(torch.randn(8, 3), torch.ones(8)), batch_size=2):
    for i, part in enumerate(batch):
        if i == 0:
            part = net(part)
        print(part.cpu().numpy())
"""


def test_one_part_of_a_batch_moves_where_it_is_told_from_the_others() -> None:
    after = fix_texts({"main.py": PARTS})[0]["main.py"]
    assert after == PARTS.replace("net(part)", "net(part.to(device))")


USED_BEFORE = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda")
net = nn.Linear(3, 3).to(device)
shown = []
for i, (x, y) in enumerate(DataLoader(TensorDataset(torch.randn(8, 3), torch.ones(8, 3)), batch_size=2)):
    loss = nn.functional.mse_loss(net(x), y)
    if i % 2 == 0:
        x = net(torch.ones(1, 3, device=device))
        shown.append(x[0].detach().cpu().numpy())
"""


def test_a_part_that_is_used_before_anything_is_tested_moves_at_the_top() -> None:
    after = fix_texts({"main.py": USED_BEFORE})[0]["main.py"]
    assert after == USED_BEFORE.replace("    loss", "    x, y = x.to(device), y.to(device)\n    loss")


WRAPPED = """
import torch
from torch import nn
from torch.autograd import Variable
from torch.utils.data import DataLoader, TensorDataset

class Shell(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, *args):
        return self.inner(*args)

if input():
    net = Shell(nn.Linear(3, 1)).cuda()
else:
    net = nn.Linear(3, 1).cuda()
for x, y in DataLoader(TensorDataset(torch.randn(8, 3), torch.ones(8, 1)), batch_size=2):
    x, y = Variable(x), Variable(y.cuda())
    print(nn.functional.mse_loss(net(x), y).item())
"""


def test_what_is_wrapped_beside_another_moves_as_that_does() -> None:
    after = fix_texts({"main.py": WRAPPED})[0]["main.py"]
    assert after == WRAPPED.replace("Variable(x)", "Variable(x.cuda())")


def test_arguments_that_are_handed_on_together_have_no_to() -> None:
    after = fix_texts({"main.py": WRAPPED.replace("Variable(x), Variable(y.cuda())", "x, y.cuda()")})[0][
        "main.py"
    ]
    assert ".to(" not in after.partition("if input")[0]


GLOBAL_NETS = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

def train():
    step = 0
    for x, _ in DataLoader(TensorDataset(torch.randn(8, 4), torch.ones(8)), batch_size=2):
        step += 1
        {first}
        print(nn.functional.mse_loss(decoder(code), x), step)

encoder, decoder = nn.Linear(4, 2), nn.Linear(2, 4)
if torch.cuda.is_available():
    encoder, decoder = encoder.cuda(), decoder.cuda()
train()
"""


def test_a_batch_moves_at_the_top_to_a_model_that_the_function_only_uses() -> None:
    before = GLOBAL_NETS.format(first="code = encoder(x)")
    after = fix_texts({"main.py": before})[0]["main.py"]
    move = "x = x.to(next(encoder.parameters()).device)"
    assert after == before.replace("        step += 1", f"        {move}\n        step += 1")


def test_a_model_that_the_function_makes_later_names_no_device_at_the_top() -> None:
    before = GLOBAL_NETS.format(first="own = nn.Linear(4, 2).cuda(); code = own(x)")
    after = fix_texts({"main.py": before})[0]["main.py"]
    assert "own.parameters" not in after.partition("step += 1")[0]


def test_a_batch_that_moves_with_a_model_of_the_file_stays() -> None:
    right = GLOBAL_NETS.format(first="x = x.to(next(encoder.parameters()).device); code = encoder(x)")
    assert fix_texts({"main.py": right})[0]["main.py"] == right


NESTED = """
import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(2, 1).to(device)
pairs = [{"source": {"text": torch.ones(2)}, "target": torch.ones(1)}] * 8
for batch in DataLoader(pairs, batch_size=4):
    text = batch["source"]["text"].to(device)
    target = batch["target"]
    print((net(text) - target).sum().item())
"""


def test_where_parts_of_parts_move_on_their_own_so_does_another_part() -> None:
    fixed = fix_texts({"main.py": NESTED})[0]["main.py"]
    assert fixed == NESTED.replace('batch["target"]', 'batch["target"].to(device)')


MIXED = """
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return {"x": torch.ones(3), "y": torch.zeros(3)}

def send(x):
    return x

net = nn.Linear(3, 3).cuda()
for batch in DataLoader(Rows(), batch_size=2):
    for key, value in batch.items():
        if torch.is_tensor(value):
            batch[key] = send(value)
    print(net(batch["x"]) - batch["y"])
"""


@pytest.mark.parametrize("asked", ["torch.is_tensor(value)", "isinstance(value, torch.Tensor)"])
def test_what_is_asked_whether_it_is_a_tensor_moves_only_where_it_is_one(asked: str) -> None:
    """Before it is asked it may be a text, which has no ``to``."""
    text = MIXED.replace("torch.is_tensor(value)", asked)
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace("send(value)", "send(value.to(next(net.parameters()).device))")


def test_what_is_used_again_behind_the_question_is_not_moved_before_it() -> None:
    text = MIXED.replace("send(value)", "send(value)\n            print(net(value))")
    assert "value = value.to(" not in fix_texts({"main.py": text})[0]["main.py"]


LOADED = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
loader = DataLoader(TensorDataset(torch.ones(4, 3), torch.ones(4, 3)), batch_size=2)
"""


def loaded(loop: str) -> list[str]:
    """The lines of a loop over a loader once they are fixed."""
    return fix_texts({"main.py": LOADED + loop})[0]["main.py"].removeprefix(LOADED).splitlines()


@pytest.mark.parametrize(
    "used",
    [
        "    if number == 0:\n        print(net(x))\n    else:\n        print(net(x) + 1)\n",
        "    if number == 0:\n        print(net(x))\n    elif number == 1:\n        print(1)\n    else:\n        print(net(x))\n",
        "    if number == 0:\n        print(net(x).shape)\n    print(net(x))\n",
        "    if number % 2 == 0:\n        print(net(x))\n",
    ],
)
def test_how_many_batches_there_were_says_nothing_of_the_parts_of_one(used: str) -> None:
    head = "for number, (x, y) in enumerate(loader):"
    assert loaded(f"{head}\n{used}") == [head, "    x = x.to(device)", *used.splitlines()]


@pytest.mark.parametrize("test", ["elif number == 1:", "if number == 1:"])
def test_each_part_of_a_batch_moves_where_it_is_told_from_the_others(test: str) -> None:
    head = "for batch in loader:\n    for number, part in enumerate(batch):\n        if number == 0:\n"
    used = "            print(net(part){})\n"
    after = loaded(f"{head}{used.format('')}        {test}\n{used.format(' + 1')}")
    assert [line for line in after if "net(" in line] == [
        "            print(net(part.to(device)))",
        "            print(net(part.to(device)) + 1)",
    ]


def test_what_is_used_of_one_part_and_of_all_moves_in_both_places() -> None:
    head = "for number, x in enumerate(DataLoader(torch.ones(4, 3), batch_size=2)):\n"
    after = loaded(f"{head}    if number == 0:\n        print(net(x).shape)\n    print(net(x))\n")
    assert after[1:] == [
        "    if number == 0:",
        "        print(net(x.to(device)).shape)",
        "    print(net(x.to(device)))",
    ]


ASKED = """\
    if isinstance(x, list):
        x = torch.stack(x)
    else:
        x = x.float()
    print(net(x) - y)
"""


@pytest.mark.parametrize("moved", ["", "    y = y.to(device)\n"])
def test_a_part_that_may_be_a_list_moves_behind_the_question(moved: str) -> None:
    """A list has no ``to``, neither by itself nor beside another part that moves."""
    after = loaded(f"for x, y in loader:\n{moved}{ASKED}")
    assert after[1:] == ["    y = y.to(device)", *ASKED.replace("float()", "float().to(device)").splitlines()]


@pytest.mark.parametrize(
    ("asked", "use", "moved"),
    [
        ("if isinstance(x, list):\n        continue", "x = x.float()", "x = x.float().to(device)"),
        ("if not torch.is_tensor(x):\n        break", "x = x + 1", "x = (x + 1).to(device)"),
    ],
)
def test_what_leaves_where_a_part_is_a_list_goes_on_to_leave(asked: str, use: str, moved: str) -> None:
    after = loaded(f"for x, y in loader:\n    {asked}\n    {use}\n    print(net(x))\n")
    assert after == ["for x, y in loader:", *f"    {asked}".splitlines(), f"    {moved}", "    print(net(x))"]


VARIED = """import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def resolved(tree, path):
    for key in path.split("."):
        tree = tree[key]
    return tree

class Holder:
    def __init__(self, **options):
        for key, value in options.items():
            setattr(self, key, value)

"""


@pytest.mark.parametrize(
    "use",
    [
        "parts = {'a': {'b': torch.ones(3)}}\nprint(x + resolved(parts, 'a.b'))\n",
        "holder = Holder(name='base', weight=x.sum(0, keepdim=True).cpu())\nprint(x + holder.weight)\n",
    ],
)
def test_what_is_no_tensor_in_other_rounds_is_not_moved_in_each(use: str) -> None:
    body = f"{VARIED}x = torch.ones(3, device=device)\n{use}"
    text = fix_texts({"main.py": body})[0]["main.py"]
    (changed,) = [line for line in text.splitlines() if line not in body.splitlines()]
    assert changed.startswith(("parts", "print"))


def test_the_device_of_a_list_in_dicts_is_that_of_its_item() -> None:
    body = """import torch

x = torch.ones(3, device="cuda")
parts = {"a": {"b": [x.sum(0, keepdim=True).cpu()]}}
print(x + parts["a"]["b"][0])
"""
    text = fix_texts({"main.py": body})[0]["main.py"]
    assert "parts['a']['b'].device" not in text.replace('"', "'")


SWITCHED = """import torch
from torch import nn
from torch.utils.data import DataLoader

MASKED = True
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 3).to(device)

def filled(x, mask):
    return x * mask

for x in DataLoader([(torch.ones(3), torch.ones(3))], batch_size=1):
    if MASKED:
        x, mask = x[0], x[1]
        made = net(filled(x, mask))
    else:
        x, mask = x[0], {other}
        made = net(x)
    loss = (made - x).sum()
    if MASKED:
        print((made * mask).sum())
"""


@pytest.mark.parametrize("other", ["None", "1.0", "'none'"])
def test_a_name_that_a_branch_gives_no_tensor_is_moved_in_the_other_one(other: str) -> None:
    after = fix_texts({"main.py": SWITCHED.format(other=other)}, Applicability.UNSAFE)[0]["main.py"]
    moved, _, rest = after.partition("    else:")
    assert "        x, mask = x.to(device), mask.to(device)\n" in moved
    assert "mask.to" not in rest
    for program in (after, after.replace("MASKED = True", "MASKED = False")):
        assert "loss" in run(program)


def test_what_each_branch_gives_is_moved_behind_them() -> None:
    after = fix_texts({"main.py": SWITCHED.format(other="x[1]")}, Applicability.UNSAFE)[0]["main.py"]
    assert "\n    x, mask = x.to(device), mask.to(device)\n    loss" in after


CHOSEN = 'import torch\n\nDEVICE = "cuda" if torch.cuda.is_available() else "cpu"\n'
TRAINER = """import torch


def train(forward, loader):
    for i, (x, y) in enumerate(loader):
        out = forward(x)
        loss = (out - y).sum()
        loss.backward()
    x, y = next(iter(loader))
    return (forward(x) - y).sum()
"""
STARTED = """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

{chosen}from training import train

data = TensorDataset(torch.ones(8, 3), torch.ones(8, 1))
model = nn.Linear(3, 1).to({device})
parts = (lambda x: model(x), DataLoader(data, batch_size=2))
loss = train(*parts)
"""


def trained(chosen: str, device: str, *, constants: str = CHOSEN) -> dict[str, str]:
    """What becomes of a trainer in a file that knows no device."""
    texts = {
        "constants.py": constants,
        "training.py": TRAINER,
        "main.py": STARTED.format(chosen=chosen, device=device),
    }
    return fix_texts(texts)[0]


def test_a_trainer_imports_the_device_that_other_files_import() -> None:
    after = trained("from constants import DEVICE\n", "DEVICE")
    assert "from constants import DEVICE" in after["training.py"].splitlines()
    assert after["training.py"].count("x, y = x.to(DEVICE), y.to(DEVICE)\n") == 2
    assert "loss" in run(**{name: after[f"{name}.py"] for name in ("main", "training", "constants")})


@pytest.mark.parametrize(
    ("chosen", "constants"),
    [
        ("", CHOSEN),  # nobody imports it
        (
            "from constants import DEVICE\n",
            "import training\n" + CHOSEN,
        ),  # which comes to import the trainer itself
    ],
)
def test_a_trainer_that_cannot_import_the_device_asks_a_tensor(chosen: str, constants: str) -> None:
    after = trained(chosen, "DEVICE" if chosen else '"cuda"', constants=constants)["training.py"]
    assert "import DEVICE" not in after
    assert ".to(" in after
