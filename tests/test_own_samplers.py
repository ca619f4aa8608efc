"""Samplers of the program's own draw the indices where the loop over the loader runs."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

HEAD = """
import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, Dataset, Sampler, TensorDataset
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)
rows = TensorDataset(torch.rand(8, 3))
class Hard(Sampler):
    def __init__(self, n):
        self.n, self.scores, self.g = n, None, torch.Generator().manual_seed(0)
    def __len__(self):
        return self.n
    def __iter__(self):
        if self.scores is None:
            return iter(range(self.n))
        {draw}
sampler = Hard(8)
loader = {loader}
for epoch in range(3):
    for (x,) in loader:
        losses = net(x.to(device)).squeeze(1).detach()
    sampler.scores = {scores}
"""
LOADER = "DataLoader(rows, batch_size=4, sampler=sampler)"
DRAW = "return iter(torch.multinomial(self.scores, self.n, generator=self.g).tolist())"


def _program(*, draw: str = DRAW, loader: str = LOADER, scores: str = "losses.sigmoid()") -> str:
    return HEAD.replace("{draw}", draw).replace("{loader}", loader).replace("{scores}", scores)


@pytest.mark.parametrize(
    ("draw", "fixed"),
    [
        (DRAW, "return iter(torch.multinomial(self.scores.cpu(), self.n, generator=self.g).tolist())"),
        (
            "yield from torch.multinomial(self.scores, 8, True, generator=self.g).view(-1).numpy()",
            "yield from torch.multinomial(self.scores.cpu(), 8, True, generator=self.g).view(-1).numpy()",
        ),
        (
            "for _ in range(8): yield torch.multinomial(self.scores, 1, generator=self.g).item()",
            "for _ in range(8): yield torch.multinomial(self.scores.cpu(), 1, generator=self.g).item()",
        ),
        (
            "for _ in range(8): yield int(torch.multinomial(self.scores, 1, generator=self.g)[0])",
            "for _ in range(8): yield int(torch.multinomial(self.scores.cpu(), 1, generator=self.g)[0])",
        ),
        ("yield from self.scores.numpy().argsort()", "yield from self.scores.cpu().numpy().argsort()"),
        ("yield from (self.scores + torch.rand(8, generator=self.g)).argsort().tolist()", None),
    ],
)
def test_what_a_sampler_does_with_what_the_loop_gave_it_is_seen(draw: str, fixed: str | None) -> None:
    text = _program(draw=draw)
    assert clashes(text)
    after, _ = fix_texts(files(text))
    assert fixed is None or fixed in after["main.py"]
    assert not clashes(after["main.py"])


def test_a_sampler_of_batches_is_run_as_well() -> None:
    draw = "yield torch.multinomial(self.scores, self.n, generator=self.g).tolist()"
    assert clashes(_program(draw=draw, loader="DataLoader(rows, batch_sampler=sampler)")) == ["16: generator"]


@pytest.mark.parametrize(
    "changed",
    [
        {"scores": "losses.sigmoid().cpu()"},
        {
            "scores": "losses.sigmoid().tolist()",
            "draw": "yield from sorted(range(8), key=self.scores.__getitem__)",
        },
        {"draw": "yield from self.scores.argsort().tolist()"},
        {"draw": "yield from torch.multinomial(self.scores, 8).tolist()"},
        {"loader": "DataLoader(rows, batch_size=4)"},
    ],
)
def test_a_sampler_that_draws_where_its_scores_are_is_left_alone(changed: dict[str, str]) -> None:
    assert not clashes(_program(**changed))


@pytest.mark.parametrize("read", ["", "[0]", ".squeeze(0)"])
def test_what_is_drawn_and_used_on_the_device_goes_back_there(read: str) -> None:
    text = f"""
import torch
device = torch.device("cuda")
g, p = torch.Generator(), torch.ones(4, device=device)
i = torch.multinomial(p, 2, generator=g){read}
print(torch.arange(4, device=device) + i)
"""
    after, _ = fix_texts(files(text))
    assert f"i = torch.multinomial(p.cpu(), 2, generator=g).to(p.device){read}\n" in after["main.py"]
