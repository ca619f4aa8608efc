"""What draws without being given a generator is told that it is the default one that is elsewhere."""

from __future__ import annotations

from text_program import check_texts, files

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
