"""Functions that move batches and hand on one form as it is: they look into that form as well."""

import pytest
from text_program import check_texts, clashes, files, fix_texts

HELPER = """
import torch
from collections import namedtuple
from typing import NamedTuple
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
Pair = namedtuple("Pair", "left right")

class Both(NamedTuple):
    left: torch.Tensor
    right: torch.Tensor

class Items(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.randn(4)

def collate(samples):
    x = torch.stack(samples)
    return {{"x": x, "rest": {made}}}

def move(obj, where):
    if torch.is_tensor(obj):
        return obj.to(where)
    if isinstance(obj, {known}):
        return {looked}
    return obj

model = nn.Linear(4, 2).to(device)
for batch in DataLoader(Items(), 4, collate_fn=collate):
    batch = {moved}
    y = model(batch["x"])
    print((y.sum() * {read}).sum())
"""
OF_DICT = {"known": "dict", "looked": "{k: move(v, where) for k, v in obj.items()}"}
#: A form, what is read of it, and what is written.
FORMS = [
    (
        "Pair(x, x + 1)",
        'batch["rest"].left',
        (
            '    if isinstance(obj, tuple) and hasattr(obj, "_fields"):\n'
            "        return type(obj)(*(move(v, where) for v in obj))\n    return obj\n"
        ),
    ),
    (
        "Both(x, right=x + 1)",
        'batch["rest"].right',
        (
            '    if isinstance(obj, tuple) and hasattr(obj, "_fields"):\n'
            "        return type(obj)(*(move(v, where) for v in obj))\n    return obj\n"
        ),
    ),
    (
        "(x, x + 1)",
        'batch["rest"][0]',
        "    if isinstance(obj, tuple):\n        return tuple(move(v, where) for v in obj)\n    return obj\n",
    ),
    (
        "[x, x + 1]",
        'batch["rest"][1]',
        "    if isinstance(obj, list):\n        return [move(v, where) for v in obj]\n    return obj\n",
    ),
]


def program(made: str, read: str, *, moved: str = "move(batch, device)", **helper: str) -> str:
    return HELPER.format(made=made, read=read, moved=moved, **{**OF_DICT, **helper})


@pytest.mark.parametrize(("made", "read", "written"), FORMS)
def test_the_form_that_was_left_is_looked_into(made: str, read: str, written: str) -> None:
    texts, _ = fix_texts(files(program(made, read)))
    assert written in texts["main.py"]
    assert texts["main.py"].replace(written, "    return obj\n") == program(made, read)
    assert check_texts(texts) == []


def test_a_dict_that_was_left_is_looked_into() -> None:
    text = program(
        '{"deep": x}', 'batch["rest"]["deep"]', known="list", looked="[move(v, where) for v in obj]"
    )
    whole = text.replace('return {"x": x, "rest": {"deep": x}}', 'return [x, {"deep": x}]')
    whole = whole.replace('batch["rest"]', "batch[1]").replace('batch["x"]', "batch[0]")
    texts, _ = fix_texts(files(whole))
    assert (
        "if isinstance(obj, dict):\n        return {key: move(v, where) for key, v in obj.items()}"
        in texts["main.py"]
    )
    assert check_texts(texts) == []


@pytest.mark.parametrize(("made", "read", "written"), FORMS)
def test_a_mover_that_looks_into_it_already_stays(made: str, read: str, written: str) -> None:
    text = program(made, read).replace("    return obj\n", written)
    texts, _ = fix_texts(files(text))
    assert clashes(text) == []
    assert texts["main.py"] == text


def test_what_nobody_reads_on_the_accelerator_stays() -> None:
    text = program("(x, x + 1)", "2", moved="move(batch, device)")
    texts, _ = fix_texts(files(text))
    assert texts["main.py"] == text


def test_a_mover_to_the_cpu_is_none() -> None:
    text = program("(x, x + 1)", 'batch["rest"][0]', moved='move(batch, "cpu")')
    texts, _ = fix_texts(files(text))
    assert "isinstance(obj, tuple)" not in texts["main.py"]


def test_a_tuple_has_no_way_to_move() -> None:
    text = """
    import torch
    from collections import namedtuple

    Pair = namedtuple("Pair", "left right")
    pair = Pair(torch.ones(3), torch.ones(3))
    pair = pair.to("cuda") if hasattr(pair, "to") else pair
    print(pair.left + torch.ones(3).cuda())
    """
    assert clashes(text) == ["8: device"]


RECORD = """
import torch
from dataclasses import InitVar, dataclass, field
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

@dataclass
class Inner:
    mask: torch.Tensor

@dataclass
class Pair:
    left: torch.Tensor
    inner: Inner
    count: int = 2
    {more}

def collate(samples):
    x = torch.stack(samples)
    return {{"x": x, "rest": Pair(x, Inner(x > 0))}}

def move(obj, where):
    if torch.is_tensor(obj):
        return obj.to(where)
    if isinstance(obj, dict):
        return {{k: move(v, where) for k, v in obj.items()}}
    return obj

model = nn.Linear(4, 2).to(device)
for batch in DataLoader([torch.randn(4) for _ in range(8)], 4, collate_fn=collate):
    batch = move(batch, device)
    y = model(batch["x"])
    print((y.sum() * batch["rest"].left).sum(), (batch["x"] * batch["rest"].inner.mask).sum())
"""
INTO_RECORDS = (
    "    if dataclasses.is_dataclass(obj):\n"
    "        parts = {field.name: move(getattr(obj, field.name), where) for field in dataclasses.fields(obj)}\n"
    "        return dataclasses.replace(obj, **parts)\n    return obj\n"
)


def test_a_dataclass_that_was_left_is_looked_into_and_those_in_it() -> None:
    before = RECORD.format(more="")
    texts, _ = fix_texts(files(before))
    assert INTO_RECORDS in texts["main.py"]
    plain = texts["main.py"].replace(INTO_RECORDS, "    return obj\n").replace("import dataclasses\n", "")
    assert plain == files(before)["main.py"]
    assert check_texts(texts) == []


@pytest.mark.parametrize(
    "more",
    [
        "norm: float = field(init=False, default=1.0)",
        "seed: InitVar[int] = 0",
        "def __post_init__(self): self.left = self.left * 2",
    ],
)
def test_a_dataclass_that_its_fields_alone_do_not_make_is_not_made_anew(more: str) -> None:
    texts, _ = fix_texts(files(RECORD.format(more=more)))
    assert "dataclasses.replace" not in texts["main.py"]


def test_a_name_that_is_taken_is_not_the_package() -> None:
    texts, _ = fix_texts(
        files(RECORD.format(more="").replace("def collate", "dataclasses = 3\n\ndef collate"))
    )
    assert "dataclasses.replace" not in texts["main.py"]


MAP = """
import torch
from typing import NamedTuple
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Box(NamedTuple):
    at: torch.Tensor

class Pair(NamedTuple):
    left: Box
    right: torch.Tensor

def nested(fn, obj):
    if torch.is_tensor(obj):
        return fn(obj)
    if isinstance(obj, list):
        return [nested(fn, v) for v in obj]
    return obj

def move(obj, where):
    return nested({function}, obj)

model = nn.Linear(4, 2).to(device)
for step in range(3):
    pairs = move([Pair(Box(torch.randn(2, 4)), torch.ones(2))], device)
    print((model(pairs[0].left.at).sum(1) * pairs[0].right).sum())
"""
INTO_TUPLES = (
    '    if isinstance(obj, tuple) and hasattr(obj, "_fields"):\n'
    "        return type(obj)(*(nested(fn, v) for v in obj))\n    return obj\n"
)


def test_a_mover_that_is_given_what_moves_looks_into_the_form_that_was_left() -> None:
    before = MAP.format(function="lambda t: t.to(where, non_blocking=True)")
    texts, _ = fix_texts(files(before))
    assert texts["main.py"] == before.replace("    return obj\n\ndef move", INTO_TUPLES + "\ndef move")
    assert check_texts(texts) == []


@pytest.mark.parametrize("function", ["lambda t: t * 2", "lambda t: t.cpu()", "str", "where"])
def test_what_is_given_something_else_than_a_move_is_no_mover(function: str) -> None:
    texts, _ = fix_texts(files(MAP.format(function=function)))
    assert "_fields" not in texts["main.py"]


KEPT = """
import torch
{imports}
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Fields(UserDict):
    def __getattr__(self, name):
        if name == "data":
            raise AttributeError(name)
        return self.data[name]
{more}
class Items(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return Fields(x=torch.randn(4))

def collate(samples):
    return Fields({{name: torch.stack([each[name] for each in samples]) for name in samples[0]}})

def move(obj, where):
    if torch.is_tensor(obj):
        return obj.to(where)
    if isinstance(obj, {known}):
        return {{k: move(v, where) for k, v in obj.items()}}
    if isinstance(obj, (list, tuple)):
        return type(obj)(move(v, where) for v in obj)
    return obj

model = nn.Linear(4, 2).to("cuda")
for batch in DataLoader(Items(), 4, collate_fn=collate):
    batch = move(batch, "cuda")
    print(model(batch{read}).sum())
"""


def kept(imports: str, *, known: str = "dict", more: str = "", read: str = '["x"]') -> str:
    return KEPT.format(imports=imports, known=known, more=more, read=read)


@pytest.mark.parametrize(
    "imports", ["from collections import UserDict", "import collections\nfrom collections import UserDict"]
)
@pytest.mark.parametrize("read", ['["x"]', ".x"])
def test_a_user_dict_that_was_left_is_made_anew_of_its_class(imports: str, read: str) -> None:
    text = kept(imports, read=read)
    texts, _ = fix_texts(files(text))
    written = (
        "    if isinstance(obj, collections.UserDict):\n"
        "        return type(obj)({key: move(v, where) for key, v in obj.items()})\n"
    )
    assert written in texts["main.py"]
    assert "import collections\n" in texts["main.py"]
    assert texts["main.py"].replace(written, "").replace("import collections\n", "") == text.replace(
        "import collections\n", ""
    )
    assert check_texts(texts) == []


def test_a_mover_that_knows_user_dicts_stays() -> None:
    for known in ("(dict, UserDict)", "UserDict", "Mapping", "(Mapping, UserDict)"):
        text = kept("from collections import UserDict\nfrom collections.abc import Mapping", known=known)
        assert clashes(text) == []
        assert fix_texts(files(text))[0]["main.py"] == text


def test_a_user_dict_that_is_made_in_its_own_way_is_not_made_anew() -> None:
    more = "    def __init__(self, entries=None, origin=None, **more):\n        super().__init__(entries, **more)\n        self.origin = origin\n"
    texts, _ = fix_texts(files(kept("from collections import UserDict", more=more)))
    assert "type(obj)({" not in texts["main.py"]


def test_a_user_dict_that_was_given_attributes_is_not_made_anew() -> None:
    """Else those would be lost."""
    made = "    return Fields({name: torch.stack([each[name] for each in samples]) for name in samples[0]})\n"
    given = made.replace("return", "fields =") + "    fields.count = len(samples)\n    return fields\n"
    text = kept("from collections import UserDict")
    assert made in text
    texts, _ = fix_texts(files(text.replace(made, given)))
    assert "type(obj)({" not in texts["main.py"]
