"""What a program puts in place of a part of a library's model is run with what the other parts make."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
from torch import nn
from transformers import AutoModelForCausalLM

class Low(nn.Module):
    def __init__(self, base, rank):
        super().__init__()
        self.base = base
        {made}

    def forward(self, x{more}):
        return self.base(x) + {used}

def inject(module, rank):
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, Low(child, rank))
        else:
            inject(child, rank)

def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = AutoModelForCausalLM.from_pretrained("gpt2").to(device)
    {replaced}
    net(input_ids=torch.zeros(2, 3, dtype=torch.int64).to(device))

main()
"""
_NAMED = """for name, module in list(net.named_modules()):
        for last, child in list(module.named_children()):
            if isinstance(child, nn.Linear):
                setattr(module, last, Low(child, 4))"""
_BY_PATH = """for path in [name for name, part in net.named_modules() if isinstance(part, nn.Linear)]:
        parent, _, last = path.rpartition(".")
        holder = net.get_submodule(parent)
        setattr(holder, last, Low(getattr(holder, last), 4))"""
_OF_ALL = """for path, part in list(net.named_modules()):
        if isinstance(part, nn.Linear):
            parent, _, last = path.rpartition(".")
            setattr(net.get_submodule(parent), last, Low(part, 4))"""
_WAYS = ["inject(net, 4)", "net.lm_head = Low(net.lm_head, 4)", _NAMED, _BY_PATH, _OF_ALL]
_FACTORS = "self.down = nn.Parameter(torch.zeros(8, rank))"
_SCALES = "self.scale = nn.Parameter(torch.ones({}))".format
_MADE = [
    (_FACTORS, "x @ self.down"),
    ("self.down = nn.Linear(8, rank)", "self.down(x)"),
    (_SCALES("base.in_features"), "x * self.scale"),
    (_SCALES("base.in_features if rank else base.out_features"), "x * self.scale"),
]


def _program(replaced: str, made: str = _FACTORS, used: str = "x @ self.down", more: str = "") -> str:
    return PROGRAM.format(replaced=replaced, made=made, used=used, more=more)


@pytest.mark.parametrize("replaced", _WAYS)
@pytest.mark.parametrize(("made", "used"), _MADE)
def test_it_joins_a_model_that_was_moved(replaced: str, made: str, used: str) -> None:
    assert clashes(_program(replaced, made, used))
    assert clashes(_program(f"{replaced}\n    net.to(device)", made, used)) == []


@pytest.mark.parametrize("replaced", _WAYS)
def test_it_may_be_made_where_it_belongs(replaced: str) -> None:
    there = "self.down = nn.Parameter(torch.zeros(8, rank, device=next(base.parameters()).device))"
    assert clashes(_program(replaced, there)) == []
    assert clashes(_program(replaced.replace("4)", "4).to(device)"))) == [] or replaced == _WAYS[0]


@pytest.mark.parametrize("replaced", _WAYS)
@pytest.mark.parametrize("used", ["x @ self.down.to(x.device)", "(x.cpu() @ self.down).to(x.device)", "x"])
def test_it_may_move_what_it_needs(replaced: str, used: str) -> None:
    assert clashes(_program(replaced, used=used)) == []


def test_what_else_it_is_given_is_unknown() -> None:
    more = ", mask, scale=None, *rest, **named"
    assert clashes(_program(_WAYS[1], used="mask + x", more=more)) == []
    assert clashes(_program(_WAYS[1], used="x * mask * self.down", more=more))


@pytest.mark.parametrize("replaced", _WAYS)
def test_the_fix_moves_it_as_it_joins(replaced: str) -> None:
    text = _program(replaced)
    fixed = fix_texts({"a.py": text}, Applicability.UNSAFE)[0]["a.py"]
    changed = [line for line in fixed.splitlines() if line not in text.splitlines()]
    assert len(changed) == 1
    assert changed[0] == "    net.to(device)" if replaced == _WAYS[0] else ").to(" in changed[0]
    assert clashes(fixed) == []


@pytest.mark.parametrize("size", ["base.shape", "base.in_features or ()", "()"])
def test_what_may_be_a_single_number_is_excused(size: str) -> None:
    assert clashes(_program(_BY_PATH, _SCALES(size), "x * self.scale")) == []


SIZED = """
import torch
from transformers import AutoModel

net = AutoModel.from_pretrained("bert-base-uncased").cuda()
state = net(input_ids=torch.zeros(2, 3, dtype=torch.int64).cuda()).last_hidden_state
state + torch.zeros({size})
"""


@pytest.mark.parametrize("size", ["net.config.hidden_size", "net.encoder.dense.out_features"])
def test_a_model_tells_how_many_there_are(size: str) -> None:
    assert clashes(SIZED.format(size=size))
    assert clashes(SIZED.format(size=f"{size}, device=net.device")) == []


def test_what_else_it_tells_is_unknown() -> None:
    assert clashes(SIZED.format(size="net.config.image_size")) == []


CHOSEN = """
import torch
from torch import nn
from torchvision.models import resnet18
from transformers import AutoModel

net = {model}
found = torch.zeros(3).cuda() if isinstance(net, {kind}) else torch.zeros(3)
found + torch.zeros(3).cuda()
"""


@pytest.mark.parametrize("model", ['AutoModel.from_pretrained("bert")', "resnet18()"])
@pytest.mark.parametrize("kind", ["nn.Linear", "(nn.Conv2d, nn.LayerNorm)"])
def test_a_whole_model_is_no_layer_with_weights(model: str, kind: str) -> None:
    assert clashes(CHOSEN.format(model=model, kind=kind))
    assert clashes(CHOSEN.format(model=model, kind="nn.Module")) == []
