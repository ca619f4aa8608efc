"""Criteria of torch that a module of the program keeps: what they were given moves with that module."""

from __future__ import annotations

from text_program import check_texts, fix_texts, names

LOSSES = """
import torch
from torch import nn

class Masked(nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.bce = nn.BCEWithLogitsLoss(reduction="none", pos_weight=weight)

    def forward(self, logits, target, known):
        return (self.bce(logits, target) * known).sum() / known.sum()

def make_criterion(count):
    return Masked(torch.full((count,), 2.0))
"""
TRAINER = """
import torch
from torch import nn
from losses import make_criterion

class Trainer:
    def __init__(self):
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.net = nn.Linear(3, 2).to(self.device)
        self.criterion = make_criterion(2){moved}

    def step(self, x, y):
        x, y = x.to(self.device), y.to(self.device)
        return self.criterion(self.net(x), y, torch.ones_like(y))

print(Trainer().step(torch.ones(4, 3), torch.ones(4, 2)).item())
"""


def _project(moved: str = "") -> dict[str, str]:
    return {"main.py": TRAINER.format(moved=moved), "losses.py": LOSSES}


def test_the_module_that_keeps_a_criterion_moves_where_it_is_made() -> None:
    assert names(check_texts(_project())) == {"model-not-moved"}
    after, _ = fix_texts(_project())
    assert after == _project(".to(self.device)")


def test_a_criterion_that_has_moved_with_its_module_is_left_alone() -> None:
    assert not check_texts(_project(".to(self.device)"))


HEAD = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
ALONE = """
criterion = nn.CrossEntropyLoss(weight=torch.ones(3))
logits, labels = torch.ones(4, 3).to(device), torch.ones(4).long().to(device)
print(criterion(logits, labels).item())
"""
#: The weights themselves are multiplied with what is on the accelerator, too.
SHARED = """
class Weighted(nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.ce = nn.CrossEntropyLoss(weight=weight)

    def forward(self, logits, labels):
        return self.ce(logits, labels)

weight = torch.ones(3)
criterion = Weighted(weight)
logits, labels = torch.ones(4, 3).to(device), torch.ones(4).long().to(device)
print(criterion(logits, labels).item(), (logits * weight).sum().item())
"""


def test_a_criterion_that_nothing_keeps_gets_its_weights_where_they_are_made() -> None:
    text = HEAD + ALONE
    assert names(check_texts({"main.py": text})) == {"criterion-tensor-on-cpu"}
    after, _ = fix_texts({"main.py": text})
    assert after["main.py"] == text.replace("torch.ones(3))", "torch.ones(3, device=device))")


def test_weights_that_are_used_by_themselves_as_well_move_for_both() -> None:
    text = HEAD + SHARED
    after, _ = fix_texts({"main.py": text})
    assert after["main.py"] != text
    assert not check_texts(after)


WEIGHED = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 5).to(device)
criterion = nn.CrossEntropyLoss(weight=torch.ones(5{weight}))
rows = torch.utils.data.TensorDataset(torch.randn(8, 4), torch.randint(0, 5, (8,)))
for x, labels in torch.utils.data.DataLoader(rows):
    x = x.to(device)
{moved}    print(criterion(model(x), labels).item())
"""


def test_what_a_model_made_stays_where_labels_and_weights_were_both_forgotten() -> None:
    after, reports = fix_texts({"main.py": WEIGHED.format(weight="", moved="")})
    moved = "    labels = labels.to(device)\n"
    assert after == {"main.py": WEIGHED.format(weight=", device=device", moved=moved)}
    assert not reports[0].findings
