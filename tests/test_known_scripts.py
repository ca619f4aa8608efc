"""A script whose run is known tells nothing new where it is loaded once more, for its functions that no run called."""

from __future__ import annotations

from textwrap import dedent

from text_program import analyse_text, files, fix_texts

from devfix.findings import Applicability

_PROGRAM = """
    import numpy as np
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


    class Rows(Dataset):
        def __init__(self, x, y=None):
            self.x, self.y = x, y

        def __len__(self):
            return len(self.x)

        def __getitem__(self, index):
            row = torch.from_numpy(self.x[index])
            if self.y is None:
                return row
            return row, int(self.y[index])


    def epoch(net, loader):
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            nn.functional.cross_entropy(net(x), y).backward()


    def predict(net, loader, times=3):
        found = []
        for again in range(times):
            for x in loader:
                if again:
                    x = x + 0.1 * torch.randn_like(x)
                found.append(net(x).argmax(1))
        return found


    def unused(loader):
        return len(loader)


    x = np.random.rand(12, 4).astype("float32")
    net = nn.Linear(4, 3).to(device)
    for part in range(3):
        {training}
        predict(net, DataLoader(Rows(x), batch_size=2))
"""


#: So many calls that functions which no run called would not be followed any more in the second time.
_TRAINING = "\n        ".join(
    f"epoch(net, DataLoader(Rows(x[{part}:], np.ones(12, int)), batch_size=2))" for part in range(40)
)
_TEXT = dedent(_PROGRAM.format(training=_TRAINING))


def test_names_are_bound_to_what_the_run_has_there() -> None:
    found = analyse_text(_TEXT).bindings("main.py", "predict")["x"]
    assert {binding.kind for binding in found} == {"tensor"}


def test_the_batch_moves_where_it_gets_its_name() -> None:
    before = _TEXT
    after, _ = fix_texts(files(before), Applicability.UNSAFE)
    assert after["main.py"] == before.replace(
        "        for x in loader:\n", "        for x in loader:\n            x = x.to(device)\n"
    )
