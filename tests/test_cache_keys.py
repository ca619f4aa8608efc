"""Caches under keys that tell no device, of what is made on the device that the function is told."""

import pytest
from text_program import check_texts, files, fix_texts

PROGRAM = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
_tables = {{}}


def table(length, dim, where, like=None):
    {body}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x):
        return self.inner(x + table({given}))


net = Net()
print(net(torch.zeros(2, 4)).shape)
net = net.to(device)
print(net(torch.zeros(2, 4).to(device)).sum())
{more}
"""
NAMED = """key = (length, dim)
    if key not in _tables:
        _tables[key] = torch.rand(length, dim).to(where)
    return _tables[key]"""
INLINE = """if (length, dim) not in _tables:
        _tables[length, dim] = torch.ones(length, dim, device=where)
    return _tables[length, dim]"""
ONE = """size = length * dim
    if size not in _tables:
        _tables[size] = torch.arange(4.0, device=where)
    return _tables[size]"""


def program(body: str, given: str = "2, 4, x.device", more: str = "") -> str:
    return files(PROGRAM.format(body=body, given=given, more=more))["main.py"]


@pytest.mark.parametrize(
    ("body", "changes"),
    [
        (NAMED, [("(length, dim)\n    if", "(length, dim, where)\n    if")]),
        (
            INLINE,
            [("if (length, dim)", "if (length, dim, where)"), ("[length, dim]", "[length, dim, where]")],
        ),
    ],
)
def test_the_key_tells_the_device(body: str, changes: list[tuple[str, str]]) -> None:
    before = program(body)
    texts, _ = fix_texts({"main.py": before})
    after = before
    for old, new in changes:
        after = after.replace(old, new)
    assert texts["main.py"] == after
    assert check_texts(texts) == []


def test_the_device_of_an_argument_is_told_as_well() -> None:
    before = program(NAMED.replace(".to(where)", ".to(like.device)"), "2, 4, None, x")
    texts, _ = fix_texts({"main.py": before})
    assert "key = (length, dim, like.device)\n" in texts["main.py"]
    assert check_texts(texts) == []


@pytest.mark.parametrize(
    ("body", "more"),
    [
        (NAMED, "print(len(_tables[2, 4]))"),
        (NAMED, "print(_tables.get((2, 4)))"),
        (NAMED.replace("return", "print(key)\n    return"), ""),
        (NAMED.replace("if key", "where = where or device\n    if key"), ""),
    ],
)
def test_a_key_that_others_know_stays(body: str, more: str) -> None:
    texts, _ = fix_texts({"main.py": program(body, more=more)})
    assert "key = (length, dim)\n" in texts["main.py"]


@pytest.mark.parametrize("body", [NAMED, INLINE, ONE])
def test_a_cache_that_tells_the_device_stays(body: str) -> None:
    whole = body.replace("length, dim)", "length, dim, where)").replace(
        "[length, dim]", "[length, dim, where]"
    )
    before = program(whole.replace("size = length * dim", "size = (length, where)"))
    assert fix_texts({"main.py": before})[0]["main.py"] == before
