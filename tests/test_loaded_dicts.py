"""A dict of tensors that a function loads to the CPU moves where one of its callers gives it a name."""

from __future__ import annotations

import difflib
from textwrap import dedent

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

WIRE = """
import io
import torch

def pack(content):
    buffer = io.BytesIO()
    torch.save(content, buffer)
    return buffer.getvalue()

def unpack(message):
    return torch.load(io.BytesIO(message), map_location="cpu")
"""
TREES = """
def subtracted(a, b):
    return {k: a[k] - b[k] for k in a}

def added(a, b):
    return {k: a[k] + b[k] for k in a}
"""
MAIN = """
import torch
from trees import added, subtracted
from wire import pack, unpack

class Client:
    def __init__(self, device):
        self.device = device
        self.net = torch.nn.Linear(3, 2).to(device)

    def weights(self):
        return {k: p.detach().clone() for k, p in self.net.named_parameters()}

    def handle(self, message):
        BODY
        moved = subtracted(self.weights(), control)
        USES
        return pack({"moved": moved})

def serve(device):
    client = Client(device)
    control = {k: torch.zeros_like(p, device="cpu") for k, p in client.net.named_parameters()}
    reply = unpack(client.handle(pack({"round": 1, "control": control})))
    return added(reply["moved"], control)

serve(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
"""
NAMED = 'body = unpack(message)\ncontrol = body["control"]'
ADDED = "moved = added(moved, control)"
MOVE = "control = {k: v.to(self.device) for k, v in control.items()}"


def _added(body: str = NAMED, uses: str = ADDED, main: str = MAIN) -> list[str]:
    for name, text in (("BODY", body), ("USES", uses)):
        main = main.replace(name, "\n        ".join(dedent(text).strip().split("\n")))
    before = files(main, wire=WIRE, trees=TREES)
    after = fix_texts(before, Applicability.UNSAFE)[0]
    return [
        line[1:].strip()
        for path in before
        for line in difflib.ndiff(before[path].splitlines(), after[path].splitlines())
        if line.startswith("+ ")
    ]


@pytest.mark.parametrize("body", [NAMED, 'control = unpack(message)["control"]'])
def test_the_dict_moves_where_it_gets_its_name(body: str) -> None:
    assert _added(body) == [MOVE]


def test_one_that_is_named_in_its_turn_moves_where_it_is_whole() -> None:
    main = MAIN.replace('pack({"round": 1, "control": control})', "pack(control)")
    assert _added("control = unpack(message)", main=main) == [MOVE]


@pytest.mark.parametrize(
    ("body", "uses"),
    [
        (f"{NAMED}\n{MOVE}", ADDED),
        (f"{NAMED}\ncontrol = self.weights()", ADDED),
        (f"{NAMED}\nhost, control = control, self.weights()", "print([v.numpy() for v in host.values()])"),
    ],
)
def test_what_works_stays(body: str, uses: str) -> None:
    assert _added(body, uses) == []


def test_what_meets_the_accelerator_once_moves_there() -> None:
    assert MOVE not in _added(NAMED, "pass")


@pytest.mark.parametrize(
    ("body", "uses"),
    [
        (f"{NAMED}\nother = body['control']", "moved = added(moved, other)"),
        (f"control = None\nif message:\n    {NAMED}".replace("\ncontrol = b", "\n    control = b"), ADDED),
    ],
)
def test_one_that_has_several_names_or_need_not_be_loaded_stays(body: str, uses: str) -> None:
    assert MOVE not in _added(body, uses)
