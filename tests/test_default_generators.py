"""What draws without being given a generator is told that it is the default one that is elsewhere."""

from __future__ import annotations

import pytest
from text_program import check_texts, files, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.arange(8.0))
{generator}
torch.set_default_device("cuda")
loader = DataLoader(data, batch_size=4, shuffle=True{given})
print([x.tolist() for (x,) in loader])
"""


def said(generator: str = "", given: str = "") -> list[str]:
    """What is said of a loader under a default device."""
    return [each.message for each in check_texts(files(PROGRAM.format(generator=generator, given=given)))]


def test_the_default_generator_is_named_where_none_is_given() -> None:
    (message,) = said()
    assert "without a `generator`" in message
    assert "the default one, on the CPU" in message


def test_a_generator_that_is_given_is_meant() -> None:
    (message,) = said("mine = torch.Generator()", ", generator=mine")
    assert message.startswith("the generator is on the CPU")


DRAWN = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
{seeded}
print(torch.randn(2, 3{given}))
"""


@pytest.mark.parametrize(
    ("seeded", "given"),
    [
        ("", ", generator=torch.manual_seed(0), device=device"),
        ("mine = torch.manual_seed(0)", ", generator=mine, device=device"),
        ("mine = torch.random.manual_seed(0)", ", device=device, generator=mine"),
    ],
)
def test_what_a_seed_gives_back_draws_on_the_cpu(seeded: str, given: str) -> None:
    before = files(DRAWN.format(seeded=seeded, given=given))
    (message,) = [each.message for each in check_texts(before)]
    assert message.startswith("the generator is on the CPU")
    after, reports = fix_texts(before, Applicability.SAFE)
    assert ".to(device))" in after["main.py"]
    assert [each for report in reports for each in report.findings] == []


@pytest.mark.parametrize(
    ("seeded", "given"),
    [
        ("mine = torch.manual_seed(0)", ", generator=mine"),
        ("torch.manual_seed(0)", ", device=device"),
        ("mine = torch.cuda.manual_seed(0)", ", generator=mine, device=device"),
        ("mine = torch.Generator(device).manual_seed(0)", ", generator=mine, device=device"),
    ],
)
def test_a_seed_that_is_only_set_is_no_generator(seeded: str, given: str) -> None:
    assert check_texts(files(DRAWN.format(seeded=seeded, given=given))) == []
