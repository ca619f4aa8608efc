"""Datasets and loaders: what a batch is, and what must not be done to it before it is one."""

from __future__ import annotations

from textwrap import dedent

import pytest
from reality import lies
from text_program import analyse_text, clashes, fix_texts

from devfix.findings import Applicability

HEAD = """
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split

class Pairs(Dataset):
    def __init__(self, n=8):
        self.x = np.zeros((n, 3), dtype=np.float32)
        self.y = list(range(n))
    def __len__(self):
        return len(self.x)
    def __getitem__(self, i):
        return self.x[i], self.y[i]

class Dicts(Pairs):
    def __getitem__(self, i):
        return {"x": torch.zeros(3), "y": i, "z": 0.5, "name": "a"}

tensors = TensorDataset(torch.rand(8, 3), torch.arange(8))
"""

ITERATIONS = """
for x, y in DataLoader(tensors, batch_size=4): pass
for x, y in tensors: pass
for x in DataLoader(torch.rand(8, 3), batch_size=4): pass
for x in DataLoader(np.zeros((8, 3), dtype=np.float32), batch_size=4): pass
x, y = tensors[0]
for x, y in DataLoader(Pairs(), batch_size=4): pass
x, y = Pairs()[0]
x, y = next(iter(DataLoader(Pairs(), batch_size=2)))
for batch in DataLoader(Dicts(), batch_size=4): x, y, z, name = batch["x"], batch["y"], batch["z"], batch["name"]
for batch in DataLoader(tensors): x, y = batch[0], batch[1]; batch = None
for i, (x, y) in enumerate(DataLoader(tensors)): pass
for i, data in enumerate(DataLoader(Pairs()), 0): x, y = data; data = None
x, y = next(iter(DataLoader(Subset(tensors, [0, 1]))))
a, b = random_split(tensors, [4, 4]); x, y = next(iter(DataLoader(a)))
x, y = next(iter(DataLoader(Pairs(), collate_fn=lambda items: ([i[0] for i in items], len(items)))))
x = next(iter(DataLoader(torch.arange(4), batch_size=2)))
x = next(iter(DataLoader([1.5, 2.5], batch_size=2)))
x, y = next(iter(DataLoader(list(zip(torch.zeros(4, 3), range(4))), batch_size=2)))
x, y = next(iter(DataLoader(Pairs(), batch_size=None)))
n = len(DataLoader(tensors, batch_size=4).dataset)
""".strip().splitlines()


@pytest.mark.parametrize("statement", ITERATIONS)
def test_nothing_false_is_said_of_batches(statement: str) -> None:
    lines = statement.split("; ") if not statement.startswith("for") else [statement]
    assert lies(HEAD + "\n".join(lines) + "\n") == []


def faults(text: str) -> list[str]:
    """The kinds of mismatch; what runs but should not be is only advice."""
    found = analyse_text(HEAD + DEVICE + dedent(text)).mismatches()
    return ["advice" if mismatch.get("legal") else mismatch.kind for mismatch in found]


DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
MODEL = "net = nn.Linear(3, 2).to(device)\n"


def test_a_batch_is_on_the_host() -> None:
    assert faults(MODEL + "for x, y in DataLoader(tensors):\n    net(x)\n") == ["device"]
    assert faults(MODEL + "for x, y in DataLoader(tensors):\n    net(x.to(device))\n") == []


MOVING = """
class Moving(Pairs):
    def __getitem__(self, i):
        return torch.zeros(3).to(device), 0
"""


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", ["advice"]),
        ("num_workers=2", ["worker"]),
        ("pin_memory=True", ["pin"]),
        ("num_workers=0", ["advice"]),
    ],
)
def test_a_sample_may_be_moved_in_the_main_process_alone(options: str, expected: list[str]) -> None:
    assert faults(f"{MOVING}for x, y in DataLoader(Moving(), {options}):\n    pass\n") == expected


@pytest.mark.parametrize(
    ("options", "expected"), [("", ["advice"]), ("num_workers=2", ["worker"]), ("pin_memory=True", ["pin"])]
)
def test_a_collate_function_may_move_in_the_main_process_alone(options: str, expected: list[str]) -> None:
    collate = "def collate(items):\n    return torch.stack([torch.tensor(i[0]) for i in items]).cuda()\n"
    assert (
        faults(f"{collate}for x in DataLoader(Pairs(), collate_fn=collate, {options}):\n    pass\n")
        == expected
    )


def test_a_shuffle_wants_a_generator_on_the_host() -> None:
    loader = "for x, y in DataLoader(tensors, shuffle=True, generator=torch.Generator({})):\n    pass\n"
    assert faults(loader.format("device")) == ["generator"]
    assert faults(loader.format("")) == []


_LOADED = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

net = nn.Linear(3, 2).cuda()
pairs = TensorDataset(torch.randn(20, 3), torch.randint(0, 2, (20,)))
"""


@pytest.mark.parametrize(
    "moves",
    [
        "batch[0] = batch[0].cuda(); batch[1] = batch[1].cuda()",
        "for i in range(len(batch)): batch[i] = batch[i].cuda()",
        "for i, part in enumerate(batch): batch[i] = part.cuda()",
    ],
)
def test_a_collated_batch_is_a_list_whose_items_are_replaced(moves: str) -> None:
    loop = f"for batch in DataLoader(pairs, batch_size=5):\n    {moves}\n"
    assert clashes(f"{_LOADED}{loop}    nn.functional.cross_entropy(net(batch[0]), batch[1])\n") == []


def test_what_is_done_to_tuples_is_not_done_to_a_collated_batch() -> None:
    text = """
    def moved(batch):
        return tuple(part.cuda() for part in batch) if isinstance(batch, tuple) else batch

    for batch in DataLoader(pairs, batch_size=5):
        net(moved(batch)[0])
    """
    assert clashes(_LOADED + dedent(text)) == ["13: device"]
    assert clashes(_LOADED + dedent(text.replace("tuple)", "list)"))) == []


@pytest.mark.parametrize("device", ["cuda", "cpu"])
def test_a_sampler_wants_a_generator_on_the_host(device: str) -> None:
    text = f"{HEAD}g = torch.Generator('{device}')\n"
    text += "torch.utils.data.RandomSampler(tensors, generator=g)\n"
    expected = ["generator"] if device == "cuda" else []
    assert [mismatch.kind for mismatch in analyse_text(text).mismatches()] == expected


FILES = """\
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda")


class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index][0], self.rows[index][1]


net = nn.Embedding(4, 2).to(device)
"""


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ('pd.read_csv("ratings.csv").values.tolist()', 1),
        ('torch.load("ratings.pt")', 0),
    ],
)
def test_what_a_dataset_reads_from_files_is_on_the_cpu(made: str, found: int) -> None:
    text = FILES + f"for user, item in DataLoader(Rows({made}), 4):\n    net(user)\n"
    assert len(clashes(text)) == found


def test_what_a_caller_gives_a_dataset_may_be_anywhere() -> None:
    loop = "def train(rows):\n    for user, item in DataLoader(Rows(rows), 4):\n        net(user)\n"
    assert clashes(FILES + loop) == []


TENSORS_OF_TWO_KINDS = """
import sys
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x, y = torch.rand(8, 3), torch.rand(8, 3)
data = TensorDataset(x, y) if len(sys.argv) > 3 else TensorDataset(x)
loader = DataLoader(data, batch_size=4, pin_memory=True)
net = nn.Linear(3, 2).to(device)
for batch in loader:
    if isinstance(batch, list):
        extra = batch[1].to(device) if len(batch) > 1 else None
        batch = batch[0]
    batch = batch.to(device)
    net(batch)
net(loader.dataset.tensors[0].to(device))
"""


def test_a_batch_of_so_many_parts_or_so_many_is_a_list() -> None:
    assert not clashes(TENSORS_OF_TWO_KINDS)
    without = TENSORS_OF_TWO_KINDS.replace("    batch = batch.to(device)\n", "")
    assert clashes(without) == ["16: device"]


def test_what_a_dataset_keeps_is_moved_where_it_is_taken_out() -> None:
    text = TENSORS_OF_TWO_KINDS.replace("tensors[0].to(device)", "tensors[0]")
    assert fix_texts({"main.py": text})[0]["main.py"] == TENSORS_OF_TWO_KINDS


def test_datasets_chosen_by_an_option_are_read_alike() -> None:
    text = """
import argparse
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Hours(Dataset):
    def __init__(self, path):
        self.x = pd.read_csv(path).values
    def __getitem__(self, i):
        return self.x[i]
    def __len__(self):
        return len(self.x)

class Minutes(Hours):
    pass

parser = argparse.ArgumentParser()
parser.add_argument("--data", default="hours")
args = parser.parse_args()
data = {"hours": Hours, "minutes": Minutes}[args.data]("a.csv")
net = nn.Linear(3, 2).cuda()
for x in DataLoader(data):
    net(x.float())
"""
    assert clashes(text) == ["25: device"]


def test_a_batch_of_indices_selects_rows() -> None:
    text = """
import torch
from torch.utils.data.sampler import BatchSampler, SubsetRandomSampler

class Storage:
    def __init__(self):
        self.returns = torch.zeros(8, 1)
    def batches(self):
        for indices in BatchSampler(SubsetRandomSampler(range(8)), 4, drop_last=True):
            yield self.returns[indices]

values = torch.zeros(4, 1, device="cuda")
for returns in Storage().batches():
    print(values - returns)
"""
    assert clashes(text) == ["14: device"]


@pytest.mark.parametrize("taken", ["next(batches)", "batches.__next__()", "batches.next()"])
def test_a_batch_that_is_taken_from_an_iterator_is_on_the_cpu(taken: str) -> None:
    text = f"""
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    model = torch.nn.Linear(2, 1).cuda()
    loader = DataLoader(TensorDataset(torch.ones(8, 2), torch.ones(8)))
    batches = loader.__iter__()
    x, y = {taken}
    model(x)
    """
    assert clashes(text) == ["9: device"]


_TEACHING = """
teacher = nn.Linear(3, 2).cuda()

class Taught(Pairs):
    def __getitem__(self, i):
        x = torch.zeros(3)
        return x, {label}
"""
_BACK = "teacher(x.to(device)).cpu()"
_LOOP = "for x, y in DataLoader(Taught(), {}):\n    pass\n"


def taught(options: str, label: str = _BACK) -> list[str]:
    """The kinds of mismatch where a data set asks a model on the accelerator."""
    return faults(_TEACHING.format(label=label) + _LOOP.format(options))


def test_workers_cannot_ask_a_model_on_the_accelerator_whatever_comes_back() -> None:
    assert taught("num_workers=2") == ["worker"]
    assert taught("num_workers=2", f"{_BACK}.argmax().item()") == ["worker"]
    assert taught("**{'num_workers': 2}") == ["worker"]
    assert taught("num_workers=2, multiprocessing_context='fork'") == ["worker"]


@pytest.mark.parametrize(
    "options",
    ["", "num_workers=0", "num_workers=2, multiprocessing_context='spawn'", "num_workers=2, **unknown"],
)
def test_the_main_process_and_a_new_one_can(options: str) -> None:
    assert [kind for kind in taught(options) if kind != "advice"] == []


@pytest.mark.parametrize(
    "label",
    [
        f"{_BACK} if torch.utils.data.get_worker_info() is None else torch.zeros(2)",
        f"{_BACK} if i in known else torch.zeros(2)",
        "nn.Linear(3, 2)(x)",
    ],
)
def test_nothing_is_said_of_what_a_worker_may_not_do(label: str) -> None:
    assert taught("num_workers=2", label) == []


def test_another_start_method_anywhere_is_heard_of() -> None:
    chosen = 'torch.multiprocessing.set_start_method("spawn")\n'
    assert faults(chosen + _TEACHING.format(label=_BACK) + _LOOP.format("num_workers=2")) == []


def test_a_process_that_has_not_used_the_accelerator_may_be_forked() -> None:
    alone = "class Alone(Pairs):\n    def __getitem__(self, i):\n        return (torch.zeros(3).cuda() + i).cpu()\n"
    loop = "for x in DataLoader(Alone(), num_workers=2):\n    pass\n"
    assert faults(alone + loop) == []
    assert faults(f"nn.Linear(3, 2).cuda()\n{alone}{loop}") == ["worker"]


def test_a_data_set_that_asks_a_model_is_loaded_in_the_main_process() -> None:
    before = HEAD + DEVICE + _TEACHING.format(label=_BACK) + _LOOP.format("num_workers=2")
    after = fix_texts({"main.py": before}, Applicability.UNSAFE)[0]["main.py"]
    assert after == before.replace("num_workers=2", "num_workers=0")


_RESIDENT = "kept = TensorDataset(torch.rand(8, 3).cuda())\n"


@pytest.mark.parametrize(
    "options",
    [
        "options = {{'pin_memory': {}}}",
        "options = {{'batch_size': 2, 'pin_memory': {}}} if torch.cuda.is_available() else {{}}",
        "options = dict(pin_memory={})",
        "options = {{}}\noptions['pin_memory'] = {}",
        "options = dict(batch_size=2)\nmore = {{'pin_memory': {}}}\noptions.update(more)",
        "class C:\n    options = dict(pin_memory={})\noptions = C.options",
    ],
)
def test_an_option_is_changed_in_the_dictionary_that_gives_it(options: str) -> None:
    before = (
        HEAD
        + _RESIDENT
        + options.format("True")
        + "\nfor (x,) in DataLoader(kept, **options):\n    x.sum()\n"
    )
    after = fix_texts({"main.py": before})[0]["main.py"]
    assert after == before.replace(options.format("True"), options.format("False"))


@pytest.mark.parametrize(
    "loader",
    [
        "make = functools.partial(DataLoader, pin_memory={})\nloader = make(kept)",
        "options = dict(pin_memory={})\nmake = functools.partial(DataLoader, **options)\nloader = make(kept)",
        "class C:\n    make = functools.partial(DataLoader, batch_size=2, pin_memory={})\nloader = C.make(kept)",
        "make = functools.partial(DataLoader, pin_memory=True)\nloader = make(kept, pin_memory={})",
    ],
)
def test_an_option_is_changed_in_the_partial_that_gives_it(loader: str) -> None:
    before, after = (
        f"import functools\n{HEAD}{_RESIDENT}{loader.format(given)}\nfor (x,) in loader:\n    x.sum()\n"
        for given in ("True", "False")
    )
    assert fix_texts({"main.py": before})[0]["main.py"] == after
    assert fix_texts({"main.py": after})[0]["main.py"] == after


def test_a_partial_of_something_else_gives_no_option() -> None:
    text = (
        f"import functools\n{HEAD}{_RESIDENT}def loaded(data, pin_memory):\n    return DataLoader(data, **settings())\n"
        "def settings():\n    return dict(pin_memory=bool(1))\n"
        "make = functools.partial(loaded, pin_memory=True)\nfor (x,) in make(kept):\n    x.sum()\n"
    )
    assert fix_texts({"main.py": text})[0]["main.py"] == text


def test_workers_of_a_dictionary_stay_where_its_other_options_need_them() -> None:
    options = "options = dict(num_workers=2{})\n"
    loop = "for (x,) in DataLoader(kept, **options):\n    x.sum()\n"
    plain, bound = (
        HEAD + _RESIDENT + options.format(more) + loop for more in ("", ", persistent_workers=True")
    )
    after = fix_texts({"main.py": plain}, Applicability.UNSAFE)[0]["main.py"]
    assert after == plain.replace("dict(num_workers=2)", "dict(num_workers=0)")
    assert fix_texts({"main.py": bound}, Applicability.UNSAFE)[0]["main.py"] == bound


def test_what_is_looped_over_by_number_gives_one_item_each() -> None:
    program = """
import torch
from torch import nn

class Rows:
    def __init__(self):
        self.rows = torch.rand(8, 3)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]

loss = nn.BCEWithLogitsLoss(pos_weight=torch.stack([row for row in Rows()]).sum(0))
x = torch.rand(4, 3).cuda()
loss(x, x)
"""
    assert clashes(program) == ["17: device"]


MAPPED = """
class Rows(Pairs):
    def __init__(self, files):
        super().__init__()
        self.files = files

    def __getitem__(self, i):
        return {name: np.copy(rows[i : i + 2]) for name, rows in self.files.items()}

class Nested(Pairs):
    def __getitem__(self, i):
        return {"a": [self.x[i], i], "b": {"c": self.x}}

"""


@pytest.mark.parametrize("made", ['Rows({"a": np.zeros((4, 3), np.float32)})', "Nested()"])
def test_arrays_in_dicts_become_tensors_where_nothing_is_collated(made: str) -> None:
    rows = 'batch["a"]' if made.startswith("Rows") else 'batch["a"][0]'
    loop = f"{MAPPED}for batch in DataLoader({made}, batch_size=None):\n"
    assert lies(f"{HEAD}{loop}    x = {rows}\n") == []
    assert faults(f"{MODEL}{loop}    net({rows})\n") == ["device"]
    assert faults(f"{loop}    torch.ones(3, device=device) + {rows}.to(device)\n") == []
