"""States: forks go their own ways, and where they meet only what both hold is kept."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from devfix.analysis.domain.join import join_values
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE
from devfix.analysis.domain.state import Layer, State, join_states
from devfix.analysis.domain.values import UNKNOWN, Const, DeviceValue, Obj, Scalar, Value
from devfix.analysis.language.rounds import widen

FRAMES = (1, 2, 3)


def new_state() -> State:
    return State(Layer(dict.fromkeys(FRAMES)))


def with_names(**names: object) -> State:
    state = new_state()
    for name, value in names.items():
        state.set(1, name, Const(value))
    return state


def test_what_one_fork_writes_the_other_does_not_see() -> None:
    state = with_names(x=1)
    state.write(7, Obj("list", items=()))
    other = state.fork()
    other.set(1, "x", Const(2))
    other.set(2, "y", Const(3))
    other.write(7, Obj("list", items=(Const(1),)))
    state.set(1, "z", Const(4))
    assert (state.get(1, "x"), state.get(2, "y"), state.get(1, "z")) == (Const(1), None, Const(4))
    assert (other.get(1, "x"), other.get(2, "y"), other.get(1, "z")) == (Const(2), Const(3), None)
    assert (state.read(7), other.read(7)) == (Obj("list", items=()), Obj("list", items=(Const(1),)))


def test_a_name_that_is_deleted_in_a_fork_stays_in_the_other() -> None:
    state = with_names(x=1, y=2)
    other = state.fork()
    other.delete(1, "x")
    assert (state.get(1, "x"), other.get(1, "x"), other.get(1, "y")) == (Const(1), None, Const(2))


def test_names_and_objects_are_joined() -> None:
    a = with_names(same=1, other=1, here=1)
    a.write(7, Obj("dict", attrs={"k": Const(1)}))
    b = a.fork()
    a.set(1, "other", Const(2))
    b.set(1, "there", Const(3))
    b.write(7, Obj("dict", attrs={"k": Const("x")}))
    b.write(8, Obj("list", items=()))
    joined = join_states(a, b)
    assert joined.get(1, "same") == Const(1)
    assert joined.get(1, "other") == Scalar("int")
    assert (joined.get(1, "here"), joined.get(1, "there")) == (Const(1), Const(3))
    entry = joined.read(7)
    assert entry is not None
    assert entry.attrs["k"] == join_values(Const(1), Const("x"))
    assert joined.read(8) == Obj("list", items=())


def test_a_path_that_ended_does_not_count() -> None:
    a, b = with_names(x=1), with_names(x=2)
    b.dead = True
    assert join_states(a, b).get(1, "x") == Const(1)
    a, b = with_names(x=1), with_names(x=2)
    a.dead = True
    assert join_states(a, b).get(1, "x") == Const(2)


def test_a_default_device_of_one_path_is_unknown_afterwards() -> None:
    a = new_state()
    b = a.fork()
    b.default_device = DeviceValue(UNKNOWN_DEVICE)
    assert join_states(a, b).default_device == DeviceValue(UNKNOWN_DEVICE)


def test_numbers_that_a_round_of_a_loop_changed_are_any_number() -> None:
    before = with_names(n=1, name="x", flag=True, same=5)
    after = before.fork()
    for name, value in (("n", 2), ("name", "y"), ("flag", False), ("same", 5)):
        after.set(1, name, Const(value))
    widen(after, before, {}, {})
    found = [after.get(1, name) for name in ("n", "name", "flag", "same")]
    assert found == [Scalar("int"), Const("y"), Const(False), Const(5)]


writes = st.lists(
    st.tuples(
        st.sampled_from(["set", "delete", "write", "fork", "join"]),
        st.sampled_from(FRAMES),
        st.sampled_from("abc"),
        st.integers(0, 3),
    ),
    max_size=30,
)


class Model:
    """A state as plain dictionaries, copied in full at each fork."""

    def __init__(self, names: dict[tuple[int, str], Value], heap: dict[int, Obj]) -> None:
        self.names, self.heap = names, heap

    def fork(self) -> Model:
        return Model(dict(self.names), dict(self.heap))

    def join(self, other: Model) -> None:
        for key, value in other.names.items():
            self.names[key] = join_values(self.names[key], value) if key in self.names else value
        for address, obj in other.heap.items():
            mine = self.heap.get(address, obj)
            attrs = {"k": join_values(mine.attrs["k"], obj.attrs["k"])}
            self.heap[address] = Obj("dict", attrs=attrs)


@given(writes)
def test_layers_behave_like_full_copies(steps: Sequence[tuple[str, int, str, int]]) -> None:
    """Forks and joins in any nesting, against a model that copies everything."""
    stack = [(new_state(), Model({}, {}))]
    for action, frame, name, number in steps:
        state, model = stack[-1]
        if action == "set":
            state.set(frame, name, Const(number))
            model.names[frame, name] = Const(number)
        elif action == "delete" and len(stack) == 1:
            state.delete(frame, name)
            model.names.pop((frame, name), None)
        elif action == "write":
            obj = Obj("dict", attrs={"k": Const(number)})
            state.write(frame, obj)
            model.heap[frame] = obj
        elif action == "fork":
            stack.append((state.fork(), model.fork()))
        elif action == "join" and len(stack) > 1:
            other_state, other_model = stack.pop()
            state, model = stack.pop()
            model.join(other_model)
            stack.append((join_states(state, other_state), model))
    for state, model in stack:
        for frame in FRAMES:
            for name in "abc":
                assert (state.get(frame, name) or UNKNOWN) == model.names.get((frame, name), UNKNOWN)
            assert state.read(frame) == model.heap.get(frame)
