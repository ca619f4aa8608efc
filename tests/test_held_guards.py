"""What an object asks before it moves its own is asked for a module as well, where who makes both told it that."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

DATA = """
import torch


class Data:
    def __init__(self, size, cuda=True):
        self.size = size
        {kept}

    def batches(self):
        for _ in range(3):
            x = torch.ones(self.size, 3)
            {asked}
                x = x.cuda()
            yield x
"""
TRAIN = """
import argparse

import torch

from data import Data


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-cuda", action="store_true")
    args = parser.parse_args()
    args.cuda = not args.no_cuda
    return args


if __name__ == "__main__":
    args = parsed()
    {made}
    net = torch.nn.Linear(3, 1)
    print(net)
    {more}
    for x in data.batches():
        print(net(x).sum())
"""
IN_MAIN = (
    TRAIN.replace('if __name__ == "__main__":', "def main():")
    + """

if __name__ == "__main__":
    main()
"""
)
MADE = "data = Data(4, cuda=args.cuda)"


def _texts(
    train: str = TRAIN,
    made: str = MADE,
    more: str = "pass",
    kept: str = "self.cuda = cuda",
    asked: str = "if self.cuda:",
) -> tuple[str, str]:
    texts = files(train.format(made=made, more=more), data=DATA.format(kept=kept, asked=asked))
    return texts["main.py"], fix_texts(texts, Applicability.UNSAFE)[0]["main.py"]


@pytest.mark.parametrize("train", [TRAIN, IN_MAIN])
@pytest.mark.parametrize("made", [MADE, "data = Data(4, args.cuda)", "data = Data(cuda=args.cuda, size=4)"])
def test_who_makes_both_asks_what_it_told_the_object(train: str, made: str) -> None:
    text, after = _texts(train, made)
    assert after == text.replace("Linear(3, 1)\n", "Linear(3, 1)\n    if args.cuda:\n        net.cuda()\n")


@pytest.mark.parametrize(
    "changed",
    [
        {"more": "data.cuda = not args.no_cuda"},
        {"more": "args.cuda = True"},
        {"more": "args = parsed()"},
        {"made": "data = Data(4)"},
        {"made": "data = Data(4, cuda=bool(args.cuda))"},
        {"made": "data = Data(4, cuda=args.cuda)\n    other = Data(2, cuda=False)"},
        {"made": "kinds = [Data]\n    data = kinds[0](4, cuda=args.cuda)"},
        {"made": "data = Data(*[4], args.cuda)"},
        {"kept": "self.cuda = cuda and size > 2"},
        {"kept": "cuda = cuda or size > 2\n        self.cuda = cuda"},
        {"kept": "self.cuda = cuda\n\n    def stop(self):\n        self.cuda = False"},
    ],
)
def test_nothing_is_asked_that_may_mean_something_else(changed: dict[str, str]) -> None:
    _, after = _texts(**changed)
    assert "if args.cuda:" not in after


def test_an_object_of_a_class_below_may_be_told_something_else() -> None:
    data = DATA.format(kept="self.cuda = cuda", asked="if self.cuda:")
    texts = files(TRAIN.format(made=MADE, more="pass"), data=data + "\n\nclass More(Data):\n    pass\n")
    assert "if args.cuda:" not in fix_texts(texts, Applicability.UNSAFE)[0]["main.py"]
