"""What shows how far a loop has come hands out what the loop is over."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
{imported}
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.ones(4, 3)), batch_size=2)
net = torch.nn.Linear(3, 2).cuda()
for (x,) in {bar}:
    net(x)
"""


@pytest.mark.parametrize(
    ("imported", "bar"),
    [
        ("from tqdm import tqdm", "tqdm(loader)"),
        ("from tqdm import tqdm_notebook as tqdm", "tqdm(loader, leave=False)"),
        ("from tqdm.std import tqdm", "tqdm(iterable=loader)"),
        ("import tqdm.rich", "tqdm.rich.tqdm(loader)"),
        ("from rich.progress import track", "track(sequence=loader, description='training')"),
        ("from alive_progress import alive_it", "alive_it(loader)"),
        ("import progressbar", "progressbar.progressbar(loader)"),
        ("from fastprogress import progress_bar", "progress_bar(loader, parent=None)"),
        ("from fastprogress.fastprogress import master_bar", "master_bar(loader)"),
        ("from barbar import Bar", "Bar(loader)"),
    ],
)
def test_a_bar_hands_out_the_batches(imported: str, bar: str) -> None:
    assert clashes(PROGRAM.format(imported=imported, bar=bar)) == ["9: device"]


def test_what_else_a_package_makes_of_a_loader_is_not_known() -> None:
    assert clashes(PROGRAM.format(imported="import progressbar", bar="progressbar.shown(loader)")) == []


@pytest.mark.parametrize("counted", ["tqdm.trange(4)", "tqdm.tnrange(4)", "tqdm.std.trange(4)"])
def test_a_range_with_a_bar_counts(counted: str) -> None:
    program = f"import torch\nimport tqdm.std\n\nx = torch.ones(4).cuda()\nfor i in {counted}:\n    x + torch.ones(4) * i\n"
    assert clashes(program) == ["6: device"]
