"""Where two paths meet, only what holds on both is kept."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devfix.analysis.domain.join import join_all, join_objects, join_values
from devfix.analysis.domain.lattice import ACCELERATOR, AT_LEAST_1, CPU, UNKNOWN_DEVICE, same_as
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Array,
    Const,
    DeviceValue,
    DTypeValue,
    Obj,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
)

devices = st.sampled_from([CPU, ACCELERATOR, UNKNOWN_DEVICE, same_as("x")])
dtypes = st.sampled_from(["float32", "int64", None])
ranks = st.sampled_from([0, 1, 2, AT_LEAST_1, None])
flags = st.sampled_from([True, False, None])
tensors = st.builds(Tensor, devices, dtypes, ranks, st.booleans(), flags, flags)
plain: st.SearchStrategy[Value] = st.one_of(
    tensors,
    st.builds(Array, dtypes, ranks),
    st.sampled_from(
        [NONE, Const(1), Const(2), Const(1.5), Const("a"), Const(True), Scalar("int"), Scalar("str")]
    ),
    st.builds(DTypeValue, dtypes),
    st.builds(Ref, st.integers(1, 3)),
    st.just(UNKNOWN),
)
values = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.builds(TupleValue, st.lists(inner, max_size=3).map(tuple)), st.builds(Sequence, inner)
    ),
    max_leaves=5,
)


def same(a: Value, b: Value) -> bool:
    """Equality that does not mind the order in a union."""
    if isinstance(a, Union) and isinstance(b, Union):
        return len(a.members) == len(b.members) and all(any(same(x, y) for y in b.members) for x in a.members)
    if isinstance(a, TupleValue) and isinstance(b, TupleValue):
        return len(a.items) == len(b.items) and all(map(same, a.items, b.items))
    if isinstance(a, Sequence) and isinstance(b, Sequence):
        return same(a.element, b.element)
    return a == b


@given(values)
def test_a_value_joined_with_itself_stays(a: Value) -> None:
    assert join_values(a, a) == a


@given(values, values)
def test_the_order_of_the_paths_does_not_matter(a: Value, b: Value) -> None:
    assert same(join_values(a, b), join_values(b, a))


@given(values)
def test_unknown_is_above_everything(a: Value) -> None:
    assert isinstance(join_values(a, UNKNOWN), Unknown)
    assert isinstance(join_values(UNKNOWN, a), Unknown)


@given(values, values)
def test_a_join_is_above_both(a: Value, b: Value) -> None:
    joined = join_values(a, b)
    assert same(join_values(joined, a), joined)
    assert same(join_values(joined, b), joined)


@given(tensors, tensors, tensors)
def test_three_paths_meet_in_any_order(a: Tensor, b: Tensor, c: Tensor) -> None:
    assert join_values(join_values(a, b), c) == join_values(a, join_values(b, c)) == join_all([c, b, a])


def test_a_device_that_is_chosen_on_one_path_is_the_accelerator() -> None:
    """``device = "cuda" if ... else "cpu"``: the program under analysis is the one with an accelerator."""
    cuda, cpu = DeviceValue(ACCELERATOR), DeviceValue(CPU)
    assert join_values(cpu, cuda) == join_values(cuda, cpu) == cuda
    assert join_values(Const("cpu"), Const("cuda:0")) == Const("cuda:0")
    assert join_values(Const("cuda"), Const("elephant")) == Scalar("str")


def test_tensors_on_two_devices_are_somewhere() -> None:
    joined = join_values(Tensor(CPU, "float32", 2), Tensor(ACCELERATOR, "float32", 1))
    assert joined == Tensor(UNKNOWN_DEVICE, "float32", AT_LEAST_1)
    assert isinstance(joined, Tensor)
    assert joined.split is None


def test_a_path_that_is_taken_at_times_is_remembered() -> None:
    host, device = Tensor(CPU, "float32", 1), Tensor(ACCELERATOR, "float32", 1)
    for a, b in ((host, device), (device, host)):
        joined = join_values(a, b, split=True)
        assert isinstance(joined, Tensor)
        assert joined.device == UNKNOWN_DEVICE
        assert joined.split == host


def test_kinds_that_have_nothing_in_common_stay_apart_while_they_are_few() -> None:
    joined = join_values(NONE, Tensor(CPU))
    assert same(joined, Union((NONE, Tensor(CPU))))
    assert same(join_values(joined, Tensor(ACCELERATOR)), Union((NONE, Tensor(UNKNOWN_DEVICE))))
    assert join_all([NONE, Tensor(), Ref(1), Ref(2), Ref(3), Ref(4)]) == UNKNOWN


@pytest.mark.parametrize(
    ("a", "b", "joined"),
    [
        (Const(1), Const(2), Scalar("int")),
        (Const(1), Const(2.0), Scalar("float", mixed=True)),
        (Const(True), Const(False), Scalar("bool")),
        (Const("a"), Const("b"), Scalar("str")),
        (TupleValue((Const(1), NONE)), TupleValue((Const(1), NONE)), TupleValue((Const(1), NONE))),
        (TupleValue((Const(1),)), TupleValue((Const(1), Const(1))), Sequence(Const(1))),
        (DTypeValue("float32"), DTypeValue("int64"), DTypeValue(None)),
        (Array("float64", 1), Array("float64", 2), Array("float64", AT_LEAST_1)),
    ],
)
def test_values_of_a_kind_are_merged(a: Value, b: Value, joined: Value) -> None:
    assert join_values(a, b) == joined


def test_one_and_true_are_two_values() -> None:
    assert Const(1) != Const(True)
    assert join_values(Const(1), Const(True)) == Scalar("float", mixed=True)


LIST = Obj("list", items=(Const(1), Const(2)))
DICT = Obj("dict", attrs={"a": Const(1)})


def test_objects_are_joined_entry_by_entry() -> None:
    other = DICT.with_attr("a", Const("x")).with_attr("b", NONE)
    joined = join_objects(DICT, other)
    assert same(joined.attrs["a"], Union((Const(1), Const("x")))) or joined.attrs["a"] == UNKNOWN
    assert joined.attrs["b"] == NONE


def test_lists_of_two_lengths_keep_a_typical_element() -> None:
    joined = join_objects(LIST, replace(LIST, items=(Const(1),)))
    assert joined.items is None
    assert joined.element == Scalar("int")


def test_lists_of_one_length_are_joined_item_by_item() -> None:
    joined = join_objects(LIST, replace(LIST, items=(Const(1), Const("x"))))
    assert joined.items is not None
    assert joined.items[0] == Const(1)
    assert joined.element is None


def test_a_module_that_was_moved_on_one_path_is_somewhere() -> None:
    module = Obj("module", place=Tensor(CPU, "float32", parameter=True))
    moved = replace(module, place=Tensor(ACCELERATOR, "float32", parameter=True))
    joined = join_objects(module, moved).place
    assert joined is not None
    assert joined.device == UNKNOWN_DEVICE
