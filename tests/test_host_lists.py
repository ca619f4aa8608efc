"""A list that only the host reads is filled with copies; one that others get is copied where the host reads it."""

from __future__ import annotations

import pytest
from text_program import check_texts, files, fix_texts, names

from devfix.findings import Applicability

PROGRAM = """
    import numpy as np
    import torch

    device = torch.device("cuda")
    net = torch.nn.Linear(3, 1).to(device)
    kept = []
    for _ in range(3):
        x = torch.ones(4, 3).to(device)
        {fill}
    {read}
"""


def added(fill: str, read: str, wanted: Applicability = Applicability.UNSAFE) -> list[str]:
    """The lines that the repair adds; it is unsafe where it ends a gradient."""
    texts = files(PROGRAM.format(fill=fill.replace("\n", "\n        "), read=read.replace("\n", "\n    ")))
    after = fix_texts(texts, wanted)[0]["main.py"].splitlines()
    return [line.strip() for line in after if line not in texts["main.py"].splitlines()]


@pytest.mark.parametrize(
    ("fill", "read", "line"),
    [
        ("kept.append(net(x).mean())", "print(np.mean(kept))", "kept.append(net(x).mean().detach().cpu())"),
        (
            "loss = net(x).sum()\nkept.append(loss.detach())",
            "print(np.array(kept).std(), np.mean(kept), len(kept))",
            "kept.append(loss.detach().cpu())",
        ),
        ("out = net(x).detach()\nkept.extend(out)", "print(np.array(kept))", "kept.extend(out.cpu())"),
        ("out = net(x).detach()\nkept += out", "print(np.array(kept))", "kept += out.cpu()"),
        (
            "out = net(x)\nkept += list(out.data.int())",
            "print(np.mean(kept), np.max(kept))",
            "kept += list(out.data.int().cpu())",
        ),
        (
            "out = net(x).detach()\nkept.extend(list(out.squeeze(1)))",
            "print(np.mean(kept))",
            "kept.extend(list(out.squeeze(1).cpu()))",
        ),
        (
            "with torch.no_grad():\n    kept = [net(x).sum() for _ in range(4)]\nif kept:\n    print(np.max(kept))",
            "",
            "kept = [net(x).sum().cpu() for _ in range(4)]",
        ),
    ],
)
def test_it_is_filled_with_copies(fill: str, read: str, line: str) -> None:
    assert added(fill, read) == [line]
    has_gradient = line.startswith("kept.append(net(x)")
    assert added(fill, read, Applicability.SAFE) == ([] if has_gradient else [line])


@pytest.mark.parametrize(
    ("fill", "read"),
    [
        ("kept.append(net(x).mean())", "print(np.mean(kept))\ntorch.stack(kept).sum().backward()"),
        ("kept.append(net(x).mean())", "print(np.mean(kept), sum(kept))"),
        ("kept.append(net(x).mean())\nkept.append(net(x).sum())", "print(np.mean(kept))"),
        ("kept.append(net(x).mean())", "other = kept\nprint(np.mean(kept))"),
        ("out = net(x).detach()\nkept += list(out.unbind())", "print(np.mean(kept))"),
        ("out = net(x).detach()\nkept += [out.mean()]", "print(np.mean(kept))"),
        ("out = net(x).detach()\nkept += list(out)\nkept += list(out)", "print(np.mean(kept))"),
    ],
)
def test_what_others_get_is_copied_where_the_host_reads_it(fill: str, read: str) -> None:
    lines = added(fill, read)
    assert lines
    assert all("for t in kept" in line for line in lines)


OBJECT = """
    import numpy as np
    import torch

    class Trainer:
        def __init__(self):
            self.net = torch.nn.Linear(3, 1).cuda()
            self.losses = []

        def step(self):
            self.losses.append(self.net(torch.ones(4, 3).cuda()).mean())

        def report(self):
            return np.mean(self.losses)

    trainer = Trainer()
    trainer.step()
    print(trainer.report()){more}
"""


@pytest.mark.parametrize(("more", "at_append"), [("", True), (", trainer.losses[0]", False)])
def test_what_an_object_keeps_for_itself_is_filled_with_copies(more: str, at_append: bool) -> None:
    after = fix_texts(files(OBJECT.format(more=more)), Applicability.UNSAFE)[0]["main.py"]
    assert (".mean().detach().cpu())\n" in after) is at_append
    assert ("for t in self.losses" in after) is not at_append


#: Metrics of one base, of which one fills its lists by itself.
METRICS = """
    import numpy as np
    import torch

    class Metric:
        def __init__(self):
            self.reset()

        def reset(self):
            self.said, self.true = [], []

        def update(self, said, true):
            self.said.append(said.detach().cpu().numpy())
            self.true.append(true.cpu().numpy())

    class Error(Metric):
        def compute(self):
            return np.abs(np.concatenate(self.said) - np.concatenate(self.true)).mean()

    class Rank(Metric):
        def update(self, said, true):
            self.said.append(said.detach())
            self.true.append(true)

        def compute(self):
            return np.corrcoef(np.concatenate(self.said), np.concatenate(self.true))[0, 1]

    net = torch.nn.Linear(3, 1).cuda()
    for metric in (Error(), Rank()):
        x = torch.rand(4, 3).cuda()
        metric.update(net(x).squeeze(1), x.sum(1))
        print(metric.compute())
"""


def test_what_a_class_fills_by_itself_is_filled_with_copies_although_its_base_fills_it_too() -> None:
    texts = files(METRICS)
    after = fix_texts(texts)[0]["main.py"]
    filled = texts["main.py"].replace("append(said.detach())", "append(said.detach().cpu())")
    assert after == filled.replace("append(true)", "append(true.cpu())")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # The base fills the same list.
        ("self.true.append(true)\n", "self.true.append(true)\n            super().update(said, true)\n"),
        # What is derived from the class reads the list as tensors.
        (
            "    net = ",
            "    class Sum(Rank):\n        def total(self):\n            return torch.cat(self.said), torch.cat(self.true)\n\n    net = ",
        ),
        # And so does the base.
        (
            "    class Error",
            "        def raw(self):\n            return self.said, self.true\n\n    class Error",
        ),
        # So does a method of the same name in what is derived from the class.
        (
            "    net = ",
            "    class Sum(Rank):\n        def update(self, said, true):\n            super().update(said, true)\n            self.last = torch.cat(self.said), torch.cat(self.true)\n\n    net = ",
        ),
        # The base is asked by its name.
        ("self.true.append(true)\n", "self.true.append(true)\n            Metric.update(self, said, true)\n"),
        # Anybody may.
        ("print(metric.compute())", "print(metric.compute(), metric.said, metric.true)"),
    ],
)
def test_what_others_that_are_of_the_class_read_is_copied_where_the_host_reads_it(old: str, new: str) -> None:
    texts = files(METRICS.replace(old, new, 1))
    assert texts != files(METRICS)
    after = fix_texts(texts)[0]["main.py"]
    assert all(kept in after for kept in ("append(said.detach())", "append(true)"))


CURVES = """
    import matplotlib.pyplot as plt
    import torch

    class Log:
        def __init__(self):
            self.first, self.second = [], []
            self.curves = [self.first, self.second]

        def add(self, first, second):
            self.first.append(first)
            self.second.append(second)

        def plot(self):
            for curve, title in zip(self.curves, ["first", "second"]):
                plt.plot(range(len(curve)), curve)

    net = torch.nn.Linear(3, 1).cuda()
    log = Log()
    for _ in range(3):
        loss = net(torch.ones(4, 3).cuda()).mean()
        log.add({first}, {second})
    log.plot()
"""


@pytest.mark.parametrize(("first", "second"), [("loss.item()", "loss"), ("loss", "loss.item()")])
def test_one_of_several_lists_that_holds_numbers_has_nothing_to_copy(first: str, second: str) -> None:
    texts = files(CURVES.format(first=first, second=second))
    assert fix_texts(texts, Applicability.UNSAFE)[0] == texts
    assert names(check_texts(texts)) == {"numpy-of-device-tensor"}


def test_several_lists_of_tensors_are_copied_where_they_are_read() -> None:
    texts = files(CURVES.format(first="loss", second="loss * 2"))
    after = fix_texts(texts, Applicability.UNSAFE)[0]["main.py"]
    assert "curve)), [t.detach().cpu() for t in curve])" in after


def test_lists_of_numbers_stay_as_they_are() -> None:
    texts = files(CURVES.format(first="loss.item()", second="float(loss)"))
    assert fix_texts(texts, Applicability.UNSAFE)[0] == texts


PADDED = """
    import json

    import numpy as np
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = torch.nn.Linear(4, 8).to(device)

    def padded(rows, size):
        out = np.zeros((len(rows), size))
        for number, row in enumerate(rows):
            out[number, :size] = {read}
        return out

    def decoded(x):
        return [[net(x).argmax(1)[0] for _ in range(4)]]

    with open("rows.json") as file:
        rows = json.load(file)
    x = torch.ones(2, 4, device=device)
    print(padded(decoded(x), 4){others})
"""
READS = ["np.asarray(row[:size])", "np.asarray([item for item in row])", "np.asarray(rows[number])"]


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize(
    "others",
    [
        ", padded([[1, 2, 3, 4]], 4)",
        ', padded(rows["words"], 4)',
        ", padded([list(row) for row in rows], 4)",
        ", padded([rows[0] if len(rows) > 3 else [1, 2, 3, 4], rows[1]], 4)",
    ],
)
def test_what_may_hold_numbers_in_other_calls_is_not_copied_item_by_item(read: str, others: str) -> None:
    texts = files(PADDED.format(read=read, others=others))
    assert check_texts(texts)
    assert "cpu()" not in fix_texts(texts, Applicability.UNSAFE)[0]["main.py"]


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("others", ["", ", padded(decoded(x) + decoded(x), 4)"])
def test_what_holds_tensors_in_each_call_is_copied_item_by_item(read: str, others: str) -> None:
    assert "cpu()" in fix_texts(files(PADDED.format(read=read, others=others)))[0]["main.py"]
