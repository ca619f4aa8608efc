"""A method that makes an object anew with its parts moved, and forgets one, moves that one as well."""

from __future__ import annotations

import difflib

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

PROGRAM = """
    import copy
    import dataclasses
    from dataclasses import dataclass
    from typing import Optional

    import torch

    {kind}
    class Batch:
        {fields}

        {method}


    def main():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(3, 1).to(device)
        batch = Batch(torch.ones(4, 3), torch.ones(4, 4), torch.ones(4, 1)).to(device)
        h = {use}
        print((h - batch.y).sum())

    main()
"""
FIELDS = "x: torch.Tensor\n        edges: torch.Tensor\n        y: torch.Tensor"
BY_HAND = "def __init__(self, x, edges, y):\n            self.x, self.edges, self.y = x, edges, y"
USE = "torch.mm(batch.edges, model(batch.x))"


def _added(method: str, *, fields: str = FIELDS, kind: str = "@dataclass", use: str = USE) -> list[str]:
    before = files(
        PROGRAM.format(kind=kind, fields=fields, method=method.replace("\n", "\n        "), use=use)
    )
    after = fix_texts(before, Applicability.UNSAFE)[0]["main.py"]
    compared = difflib.ndiff(before["main.py"].splitlines(), after.splitlines())
    return [line[1:].strip() for line in compared if line.startswith("+")]


KEYWORDS = """def to(self, device):
    return Batch(
        x=self.x.to(device),
        edges=self.edges,
        y=self.y.to(device),
    )"""


@pytest.mark.parametrize(
    ("method", "line"),
    [
        (KEYWORDS, "edges=self.edges.to(device),"),
        (
            "def to(self, device):\n    return Batch(self.x.to(device), self.edges, self.y.to(device))",
            "return Batch(self.x.to(device), self.edges.to(device), self.y.to(device))",
        ),
        (
            "def to(self, where):\n    return type(self)(self.x.to(where, non_blocking=True), self.edges, self.y.to(where))",
            "return type(self)(self.x.to(where, non_blocking=True), self.edges.to(where, non_blocking=True), self.y.to(where))",
        ),
        (
            "def to(self, device):\n    return dataclasses.replace(self, x=self.x.to(device), y=self.y.to(device))",
            "return dataclasses.replace(self, x=self.x.to(device), y=self.y.to(device), edges=self.edges.to(device))",
        ),
    ],
)
@pytest.mark.usefixtures("long_lines")
def test_the_part_moves_as_the_others_do(method: str, line: str) -> None:
    assert _added(method) == [line]


def test_a_class_without_generated_constructor_is_treated_alike() -> None:
    assert _added(KEYWORDS, fields=BY_HAND, kind="") == ["edges=self.edges.to(device),"]


def test_what_is_computed_of_the_part_goes_back_to_it() -> None:
    assert _added(KEYWORDS, use="torch.mm(2 * batch.edges.t(), model(batch.x))") == [
        "edges=self.edges.to(device),"
    ]


def test_a_part_that_may_be_missing_moves_where_it_is_there() -> None:
    fields = FIELDS.replace("edges: torch.Tensor", "edges: Optional[torch.Tensor]")
    assert _added(KEYWORDS, fields=fields) == [
        "edges=self.edges.to(device) if self.edges is not None else None,"
    ]


def test_a_part_that_stays_on_the_host_for_good_is_left_there() -> None:
    assert _added(KEYWORDS, use="model(batch.x) + len(batch.edges.numpy())") == []


def test_a_method_that_moves_nothing_is_not_changed() -> None:
    method = "def to(self, device):\n    return Batch(self.x, self.edges, self.y)"
    assert not any("Batch(self" in line for line in _added(method))


def test_what_moves_all_is_left_alone() -> None:
    method = KEYWORDS.replace("edges=self.edges", "edges=self.edges.to(device)")
    assert _added(method) == []


BY_ITSELF = """def to(self, device):
    self.x = self.x.to(device)
    self.y = self.y.to(device)
    return self"""


def test_a_record_that_moves_by_itself_moves_the_part_as_well() -> None:
    assert _added(BY_ITSELF) == ["self.edges = self.edges.to(device)"]


def test_a_part_of_it_that_may_be_missing_moves_where_it_is_there() -> None:
    fields = FIELDS.replace("edges: torch.Tensor", "edges: Optional[torch.Tensor]")
    added = _added(BY_ITSELF, fields=fields)
    assert added == ["if self.edges is not None:", "self.edges = self.edges.to(device)"]


def test_a_record_that_moves_all_by_itself_is_left_alone() -> None:
    assert _added(BY_ITSELF.replace("    return", "    self.edges = self.edges.to(device)\n    return")) == []


NAMED = """
    import torch
    from typing import NamedTuple

    class Batch(NamedTuple):
        x: torch.Tensor
        y: torch.Tensor
        mask: torch.Tensor

        def to(self, device):
            return {moved}

    def main():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(3, 3).to(device)
        for x in torch.ones(4, 2, 3):
            batch = Batch(x, torch.ones(2), torch.ones(2, 3))
            batch = batch.to(device)
            print((model(batch.x) * batch.{mask}).sum())

    main()
"""


def _named(moved: str, mask: str = "mask") -> list[str]:
    """The lines that the repair adds to a named tuple that moves its parts."""
    texts = files(NAMED.format(moved=moved, mask=mask))
    after = fix_texts(texts)[0]["main.py"].splitlines()
    return [line.strip() for line in after if line not in texts["main.py"].splitlines()]


@pytest.mark.parametrize(
    ("moved", "line"),
    [
        (
            "Batch(self.x.to(device), self.y.to(device), self.mask)",
            "return Batch(self.x.to(device), self.y.to(device), self.mask.to(device))",
        ),
        (
            "self._replace(x=self.x.to(device), y=self.y.to(device))",
            "return self._replace(x=self.x.to(device), y=self.y.to(device), mask=self.mask.to(device))",
        ),
    ],
)
def test_a_named_tuple_moves_all_its_parts(moved: str, line: str) -> None:
    assert _named(moved) == [line]
    assert _named(moved, mask="mask[:]") == [line]
    assert _named(moved, mask="_asdict()['mask']") == [line]


def test_what_a_named_tuple_leaves_and_nobody_misses_stays() -> None:
    assert _named("self._replace(x=self.x.to(device), y=self.y.to(device))", mask="y.sum()") == []


COLLECTED = """
    import dataclasses
    import torch
    {decorator}
    class Batch:
        {fields}
        {method}

    def collate(n):
        x = torch.randn(n, 4)
        return Batch(x, (x.sum(1) > 0).long(), [torch.ones(4) for _ in range(3)])

    def main():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(4, 2).to(device)
        criterion = torch.nn.CrossEntropyLoss()
        for step in range(3):
            batch = collate(8)
            {moved}
            scores = 0
            for mask in batch.masks:
                scores = scores + model(batch.x * mask)
            criterion(scores, batch.y).backward()

    main()
"""
RECORD = "x: torch.Tensor\ny: torch.Tensor\nmasks: list"
PLAIN = "def __init__(self, x, y, masks):\n    self.x, self.y, self.masks = x, y, masks"
MASKS = "[part.to(device) for part in self.masks]"


def _of_collected(method: str, fields: str, moved: str = "batch = batch.to(device)") -> list[str]:
    """The lines that the repair adds to a program whose batches hold a list, by a record or a class of its own."""
    text = COLLECTED.format(
        decorator="@dataclasses.dataclass" if fields == RECORD else "",
        fields=fields.replace("\n", "\n" + " " * 8),
        method=method.replace("\n", "\n" + " " * 8),
        moved=moved,
    )
    texts = files(text)
    after = fix_texts(texts)[0]["main.py"].splitlines()
    return [line.strip() for line in after if line not in texts["main.py"].splitlines()]


@pytest.mark.usefixtures("long_lines")
def test_a_list_that_a_copy_left_moves_with_the_rest() -> None:
    method = "def to(self, device):\n    return {}"
    moved = "x=self.x.to(device), y=self.y.to(device)"
    like = f"return dataclasses.replace(self, {moved}, masks={MASKS})"
    assert _of_collected(method.format(f"dataclasses.replace(self, {moved})"), RECORD) == [like]
    again = "return Batch(self.x.to(device), self.y.to(device), {})"
    assert _of_collected(f"def to(self, device):\n    {again.format('self.masks')}", PLAIN) == [
        again.format(MASKS)
    ]


def test_a_copy_that_has_a_name_before_it_is_returned_is_looked_at_as_well() -> None:
    made = "new = Batch(self.x.to(device), self.y.to(device), {})"
    method = f"def to(self, device):\n    {made.format('self.masks')}\n    return new"
    assert _of_collected(method, PLAIN) == [made.format(MASKS)]


@pytest.mark.parametrize("fields", [RECORD, PLAIN])
@pytest.mark.parametrize("end", ["\n    return self", ""])
def test_what_an_object_left_when_it_moved_by_itself_moves_too(fields: str, end: str) -> None:
    method = f"def to(self, device):\n    self.x = self.x.to(device)\n    self.y = self.y.to(device){end}"
    moved = "batch = batch.to(device)" if end else "batch.to(device)"
    assert _of_collected(method, fields, moved) == [f"self.masks = {MASKS}"]


def test_a_part_moves_in_the_order_of_its_neighbours() -> None:
    method = (
        f"def to(self, device):\n    self.x = self.x.to(device)\n    self.masks = {MASKS}\n    return self"
    )
    assert _of_collected(method, PLAIN) == ["self.y = self.y.to(device)"]


def test_a_list_that_moves_with_the_rest_stays_as_it_is() -> None:
    method = "def to(self, device):\n    self.x = self.x.to(device)\n    self.y = self.y.to(device)"
    assert _of_collected(f"{method}\n    self.masks = {MASKS}\n    return self", PLAIN) == []


def test_a_part_that_can_move_moves_as_a_whole() -> None:
    text = """
        import dataclasses
        import torch

        @dataclasses.dataclass
        class Graph:
            edges: torch.Tensor

            def to(self, device):
                return dataclasses.replace(self, edges=self.edges.to(device))

        @dataclasses.dataclass
        class Batch:
            x: torch.Tensor
            graph: Graph

            def to(self, device):
                return dataclasses.replace(self, x=self.x.to(device))

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(4, 4).to(device)
        for step in range(3):
            batch = Batch(torch.randn(8, 4), Graph(torch.ones(8, 8) / 8)).to(device)
            print((batch.graph.edges @ model(batch.x)).sum())
    """
    texts = files(text)
    after = fix_texts(texts)[0]["main.py"].splitlines()
    added = [line.strip() for line in after if line not in texts["main.py"].splitlines()]
    assert added == ["return dataclasses.replace(self, x=self.x.to(device), graph=self.graph.to(device))"]


COUNTED = """
    from collections import namedtuple

    import torch

    Sample = namedtuple("Sample", "x edges y")

    def moved(sample, device):
        return {moved}


    def main():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(3, 1).to(device)
        sample = moved(Sample(torch.ones(4, 3), torch.ones(4, 4), torch.ones(4, 1)), device)
        print((torch.mm(sample.edges, model(sample.x)) - sample.y).sum())

    main()
"""


@pytest.mark.parametrize(
    ("moved", "line"),
    [
        (
            "sample._replace(x=sample.x.to(device), y=sample.y.to(device))",
            "sample._replace(x=sample.x.to(device), y=sample.y.to(device), edges=sample.edges.to(device))",
        ),
        (
            "Sample(sample.x.to(device), sample.edges, sample.y.to(device))",
            "Sample(sample.x.to(device), sample.edges.to(device), sample.y.to(device))",
        ),
    ],
)
def test_a_function_moves_the_field_of_a_named_tuple_that_it_left(moved: str, line: str) -> None:
    before = files(COUNTED.format(moved=moved))
    after = fix_texts(before, Applicability.UNSAFE)[0]["main.py"]
    assert after == before["main.py"].replace(moved, line)


def test_a_named_tuple_that_goes_to_the_cpu_is_left_as_it_is() -> None:
    to_host = 'sample._replace(x=sample.x.to("cpu"))'
    after = fix_texts(files(COUNTED.format(moved=to_host)), Applicability.UNSAFE)[0]["main.py"]
    assert to_host in after


GIVEN_OUT = """
    import dataclasses
    from collections import namedtuple
    from typing import NamedTuple

    import torch

    {kind}

    def samples(n):
        for _ in range(n):
            yield Sample(torch.ones(4, 3), torch.ones(4, 4), torch.tensor([3, 2, 2, 1]))


    def upload(source, device):
        for sample in source:
            yield {moved}


    def main():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.LSTM(3, 4).to(device)
        for sample in upload(samples(3), device):
            print({use})

    main()
"""
_FIELDS = "\n    x: torch.Tensor\n    edges: torch.Tensor\n    lengths: torch.Tensor\n"
KINDS = {
    "_replace": (
        'Sample = namedtuple("Sample", "x edges lengths")',
        f"class Sample(NamedTuple):{_FIELDS}\n    @property\n    def size(self):\n        return len(self.x)\n",
    ),
    "dataclasses.replace": (f"@dataclasses.dataclass(frozen=True)\nclass Sample:{_FIELDS}",),
}
PACKED = "torch.nn.utils.rnn.pack_padded_sequence(sample.x, sample.lengths)"


def _given_out(kind: str, moved: str, use: str) -> tuple[str, str]:
    text = GIVEN_OUT.format(kind=kind.replace("\n", "\n    "), moved=moved, use=use)
    before = files(text)
    return before["main.py"], fix_texts(before, Applicability.UNSAFE)[0]["main.py"]


@pytest.mark.parametrize(
    ("kind", "moved", "line"),
    [
        *(
            (
                kind,
                "sample._replace(x=sample.x.to(device))",
                "sample._replace(x=sample.x.to(device), edges=sample.edges.to(device))",
            )
            for kind in KINDS["_replace"]
        ),
        (
            KINDS["dataclasses.replace"][0],
            "dataclasses.replace(sample, x=sample.x.to(device))",
            "dataclasses.replace(sample, x=sample.x.to(device), edges=sample.edges.to(device))",
        ),
        *(
            (
                kind,
                "Sample(sample.x.to(device), sample.edges, sample.lengths)",
                "Sample(sample.x.to(device), sample.edges.to(device), sample.lengths)",
            )
            for kind in (*KINDS["_replace"], *KINDS["dataclasses.replace"])
        ),
    ],
)
def test_a_generator_moves_the_part_that_it_left(kind: str, moved: str, line: str) -> None:
    """The lengths stay where they are, which is where they are read."""
    before, after = _given_out(kind, moved, f"sample.edges @ sample.x, {PACKED}")
    assert after == before.replace(moved, line)


def test_a_generator_that_leaves_nothing_but_lengths_is_right() -> None:
    for kind in KINDS["_replace"]:
        before, after = _given_out(kind, "sample._replace(x=sample.x.to(device))", f"model({PACKED})")
        assert after == before


def test_a_generator_says_nothing_of_what_it_does_not_go_through() -> None:
    """What is made of another object than the one of the round is moved where it is used."""
    moved = "first._replace(x=first.x.to(device))"
    text = GIVEN_OUT.replace("for sample in source", "first = next(source)\n        for _ in source")
    before = files(text.format(kind=KINDS["_replace"][0], moved=moved, use="sample.edges @ sample.x"))
    after = fix_texts(before, Applicability.UNSAFE)[0]["main.py"]
    assert moved in after
    assert "sample.edges.to(" in after


COMPUTED = KEYWORDS.replace("self.edges", "(self.edges - self.edges.mean()) / {by}")


@pytest.mark.parametrize("by", ["2", "(self.edges.std() + 1e-8)", "self.edges.sum(0, keepdim=True)"])
def test_a_part_that_the_method_computes_on_the_way_moves_when_it_is_computed(by: str) -> None:
    line = f"edges=((self.edges - self.edges.mean()) / {by}).to(device),"
    assert _added(COMPUTED.format(by=by)) == [line]


def test_a_part_that_the_method_takes_to_the_cpu_stays_there() -> None:
    (line,) = _added(KEYWORDS.replace("self.edges", "self.edges.cpu()"))
    assert not line.startswith("edges=")


def test_what_the_method_computes_and_nothing_meets_on_the_accelerator_stays() -> None:
    assert not _added(COMPUTED.format(by="2"), use="model(batch.x) + float(batch.edges.sum())")
