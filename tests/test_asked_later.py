"""What is worked out when it is asked for, and not before, comes to what it would have come to at once."""

from __future__ import annotations

import ast

from devfix.analysis.accounts import Account
from devfix.analysis.deciding.refilling import renewed
from devfix.analysis.domain.lattice import CPU
from devfix.analysis.domain.values import (
    UNKNOWN,
    Const,
    Obj,
    Ref,
    Scalar,
    Tensor,
    TupleValue,
    Union,
    weight_of,
)
from devfix.analysis.record.recorder import Binding
from devfix.analysis.reuse.outcomes import _involves_objects
from devfix.prefilter import imports_tensors
from devfix.span import Span


def test_the_last_call_with_the_same_arguments_tells_the_result() -> None:
    account = Account()
    account.keep((Const("a"),), Const(1))
    account.keep((Const("a"),), Const(2))
    assert account.known((Const("a"),)) == Const(2)
    account.keep((Const("a"),), Const(3))
    assert account.known((Const("a"),)) == Const(3)


def test_the_first_call_of_a_kind_tells_the_result_of_others_however_often_that_was_asked() -> None:
    account = Account()
    account.keep((Ref(1), Const(4)), Const("first"))
    assert account.known((Ref(2), Const(5))) == Const("first")
    account.keep((Ref(3), Const(6)), Const("second"))
    account.keep((Tensor(CPU), Const(6)), Const("tensor"))
    assert account.known((Ref(4), Const(7))) == Const("first")
    assert account.known((Tensor(CPU), Const(7))) == Const("tensor")
    assert account.known((Const("text"),)) is None


def test_what_a_union_weighs_counts_in_what_holds_it() -> None:
    union = Union((TupleValue((Const(1), Const(2))), Const("a")))
    assert weight_of(union) == 4
    assert weight_of(TupleValue((union, UNKNOWN))) == 6


def test_a_tuple_of_unions_that_are_too_heavy_together_lets_go_of_them() -> None:
    heavy = TupleValue(tuple(map(Const, range(400))))
    union = Union((heavy, Const("a")))
    assert TupleValue((union,)).items == (union,)
    assert TupleValue((union, union)).items == (UNKNOWN, UNKNOWN)


def test_references_are_one_where_their_addresses_are() -> None:
    assert Ref(3) == Ref(3)
    assert len({Ref(3), Ref(3), Ref(4)}) == 2
    assert Ref(3) != Const(3)
    assert {Ref(3): 1}.get(3) is None  # type: ignore[call-overload] # a number is no reference


def test_bindings_are_told_apart_by_all_that_they_say() -> None:
    span = Span(1, 0, 1, 5)
    plain, registered = Binding("tensor", CPU, span), Binding("tensor", CPU, span, registered=True)
    assert len({plain, registered, Binding("tensor", None, span), Binding("tensor", CPU, None)}) == 4
    assert hash(plain) == hash(Binding("tensor", CPU, Span(1, 0, 1, 5)))


def test_objects_are_seen_wherever_they_are_in_the_kind_of_a_call() -> None:
    assert _involves_objects((1, (Obj, "list")))
    assert _involves_objects((1, (TupleValue, (Const, int, 1), (Obj, Ref))))
    assert not _involves_objects((1, (Const, int, 1), ("name", (Scalar, "int"))))


def test_a_test_is_refilled_by_names_and_attributes_and_by_nothing_else() -> None:
    text = "if cache.held is None or size > n:\n    cache.held = make(n)\n    size, rest = n, 0\n    kept[size] = 1\n    size = n\n"
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.If)
    assert [ast.unparse(target) for target, _ in renewed(node)] == ["cache.held", "size"]


def test_the_import_of_tensors_counts_wherever_it_stands_among_others() -> None:
    assert imports_tensors(b"import os\nimport torch\nimport sys\n")
    assert imports_tensors(b"import os, sys\nfrom a import b\nfrom torch import nn\n")
    assert not imports_tensors(b"import os\nfrom a import b\n# torch\n")
