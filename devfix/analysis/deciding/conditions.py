"""Conditions: what is known of a test, which branch chooses the accelerator, what a test teaches."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.assumptions.changing_globals import asks_for_flag
from devfix.analysis.deciding import (
    answers,
    asked_again,
    asked_places,
    callers_choices,
    compared_switches,
    correlated,
    data_tests,
    rank_tests,
    unusual_runs,
)
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import is_accelerator_choice
from devfix.analysis.domain.lattice import ACCELERATOR, CPU
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Array,
    Const,
    DeviceValue,
    External,
    Ref,
    Scalar,
    Tensor,
    Union,
    Value,
    members,
    without_none,
)
from devfix.analysis.language import iteration
from devfix.analysis.text import fetches
from devfix.analysis.text.syntax import (
    ACCELERATORS,
    binds_host,
    called,
    in_rows,
    is_flag,
    names_accelerator,
    speaks_of,
)
from devfix.analysis.torch_model.python import instance_checks, value_classes
from devfix.analysis.torch_model.tensors import comparisons

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.source import Source


#: One of these is in the text of any branch that chooses the accelerator or the CPU, or fetches from it.
_CHOOSING = (*ACCELERATORS, "cpu", "numpy")
#: How a class is compared with the one that is asked for.
_SAME, _OTHER = (ast.Is, ast.Eq), (ast.IsNot, ast.NotEq)
_COMPARED = frozenset({*_SAME, *_OTHER})
#: Words by which an option asks for a device.
_DEVICE_WORDS = re.compile(r"cuda|gpu|cpu|mps|xpu|npu|device|accel|auto")


def decide(interp: Interpreter, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> bool | None:
    """Which branch the program under analysis takes; None when both are possible.

    A flag nobody here decides (a command line option, say) is taken to be set so that the
    accelerator is chosen, when one branch chooses it and the other does not.
    """
    known = answers.truth(interp, interp.eval(test))
    if known is not None:
        return known
    settled = asked_again.settled(interp, test)
    chosen = preferred(interp.source, body, orelse)
    if chosen is None and not orelse and interp.frame.function is not None:
        chosen = fetches.chosen_leaving(interp.source, interp.frame.function.node, body)
    if settled is None and chosen is None:
        return None  # as with most tests, of which it need not be known what they ask
    if not _is_option(interp, test) or _is_one_of_many(test, orelse):
        return None
    if settled is not None or chosen is None or _is_text_of_another_kind(interp, test):
        return settled
    if _makes_another(interp.source, test, body, orelse):
        return None  # a file to go on from, or which model is made: that chooses no device
    branch = body if chosen else orelse
    if _ends_program(branch) or _is_chosen_already(interp, branch):
        return None  # what is done instead of all that follows is no choice, nor is another accelerator
    settle(interp, test, chosen)
    return chosen


def _is_option(interp: Interpreter, test: ast.expr) -> bool:
    """Whether what is not known of a test are options: ``args.cuda and torch.cuda.is_available()`` asks for one."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _is_option(interp, test.operand)
    parts = test.values if isinstance(test, ast.BoolOp) else []
    is_plain = is_flag(test)
    if not is_plain and not parts:
        return False
    if asked_places.are_open(interp, test) or asks_for_flag(interp, test):
        return False  # where it is not on the accelerator, neither is what the test is asked for
    if data_tests.differs_by_round(interp, test) or data_tests.is_of_data(interp, test):
        return False
    return is_plain or all(is_flag(part) or asked_again.truth(interp, part) is not None for part in parts)


def _is_text_of_another_kind(interp: Interpreter, test: ast.expr) -> bool:
    """Whether an option is tested that is a text, or nothing, and whose name says nothing of devices."""
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    if not name or _DEVICE_WORDS.search(name.lower()):
        return False
    value = interp.eval(test)
    return isinstance(value, Scalar) and value.type == "str"


def _makes_another(source: Source, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> bool:
    """Whether a test that says nothing of devices tells which of two objects is constructed under one name.

    What the branches do beside that, and beside moving it, chooses no device either.
    """
    said = (getattr(part, key, "") for part in in_rows(test) for key in ("id", "attr", "value"))
    if any(isinstance(word, str) and _DEVICE_WORDS.search(word.lower()) for word in said):
        return False
    one, other = _constructed(body), _constructed(orelse)
    names = {name for name in one.keys() & other.keys() if one[name] != other[name]}
    rest = ([part for part in branch if _placed(part) not in names] for branch in (body, orelse))
    return bool(names) and preferred(source, *rest) is None


def _constructed(branch: list[ast.stmt]) -> dict[str, str]:
    """What names of a branch are given that constructs an object, without where that, or an argument of it, moves."""
    made = {}
    for part in branch:
        if isinstance(part, ast.Assign) and len(part.targets) == 1:
            value = _unmoved(part.value)
            if isinstance(value, ast.Call) and _is_class(value.func):
                given = [ast.unparse(_unmoved(arg)) for arg in value.args]
                named = [f"{each.arg}={ast.unparse(_unmoved(each.value))}" for each in value.keywords]
                made[ast.unparse(part.targets[0])] = f"{ast.unparse(value.func)}({', '.join(given + named)})"
    return made


def _placed(part: ast.stmt) -> str:
    """What a statement constructs, or moves; "" where it does something else."""
    if isinstance(part, ast.Expr):
        return ast.unparse(_unmoved(part.value)) if _unmoved(part.value) is not part.value else ""
    if not isinstance(part, ast.Assign) or len(part.targets) != 1:
        return ""
    name, value = ast.unparse(part.targets[0]), _unmoved(part.value)
    return name if name in _constructed([part]) or name == ast.unparse(value) else ""


def _unmoved(node: ast.expr) -> ast.expr:
    """``Net()`` of ``Net().to(device)``."""
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("cuda", "to")
    ):
        node = node.func.value
    return node


def _is_class(node: ast.expr) -> bool:
    """Whether a call of this constructs an object: by its spelling, and unless that only spreads another one."""
    last = ast.unparse(node).rpartition(".")[2]
    return last[:1].isupper() and not last.endswith(("DataParallel", "Tensor"))


def _ends_program(branch: list[ast.stmt]) -> bool:
    """Whether a branch leaves the program by ``sys.exit()``."""
    last = branch[-1].value if branch and isinstance(branch[-1], ast.Expr) else None
    return isinstance(last, ast.Call) and ast.unparse(last.func) in ("sys.exit", "exit", "quit", "os._exit")


def _is_chosen_already(interp: Interpreter, branch: list[ast.stmt]) -> bool:
    """Whether all that a branch does with accelerators is to name another one, as distributed runs do."""
    naming = [part for part in branch if names_accelerator(part, interp.source)]
    targets = [part.targets[0] for part in naming if isinstance(part, ast.Assign) and len(part.targets) == 1]
    if not targets or len(targets) < len(naming):
        return False
    return all(
        isinstance(target, ast.Name) and is_accelerator_choice(interp.lookup(target.id) or UNKNOWN)
        for target in targets
    )


def _is_one_of_many(test: ast.expr, orelse: list[ast.stmt]) -> bool:
    """Whether an option names one of several things that are not devices, as a chain of ``elif`` goes through."""
    name = _named_by(test)
    following = orelse[0] if len(orelse) == 1 else None
    other = _named_by(following.test) if isinstance(following, ast.If) else None
    if name is None or other is None or name[0] != other[0]:
        return False
    return not any(_DEVICE_WORDS.search(word) for word in (name[1], other[1]))


def _named_by(test: ast.expr) -> tuple[str, str] | None:
    """The option and the word of ``option == "word"``."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return None
    word = test.comparators[0]
    if not isinstance(word, ast.Constant) or not isinstance(word.value, str):
        return None
    return ast.dump(test.left), word.value.lower()


def preferred(source: Source, body: list[ast.stmt], orelse: list[ast.stmt]) -> bool | None:
    """The one branch that chooses the accelerator or fetches from it, or the one that does not choose the CPU."""
    parts = [*body, *orelse]
    if parts and not speaks_of(source, _CHOOSING, parts[0], parts[-1]):
        return None
    then, other = (any(names_accelerator(part, source) for part in branch) for branch in (body, orelse))
    if then != other:
        return then
    then, other = any(map(binds_host, body)), any(map(binds_host, orelse))
    return other if then != other else fetches.chosen(source, body, orelse)


def decide_expression(interp: Interpreter, node: ast.IfExp) -> bool | None:
    """Like :func:`decide`, for a conditional expression."""
    known = answers.truth(interp, interp.eval(node.test))
    if known is not None or not _is_option(interp, node.test):
        return known
    then, other = (names_accelerator(part, interp.source) for part in (node.body, node.orelse))
    chosen = then if then != other else fetches.chosen(interp.source, [node.body], [node.orelse])
    if chosen is not None:
        settle(interp, node.test, chosen)
    return chosen


def decide_devices(interp: Interpreter, node: ast.IfExp, body: Value, orelse: Value) -> bool | None:
    """Like :func:`decide_expression`, by the values: ``x.device if fast else "cpu"`` chooses where ``x`` is."""
    if is_accelerator_choice(body) == is_accelerator_choice(orelse) or not _is_option(interp, node.test):
        return None
    other = orelse if is_accelerator_choice(body) else body
    if other != Const("cpu") and not (isinstance(other, DeviceValue) and other.device == CPU):
        return None
    settle(interp, node.test, other is orelse)
    return other is orelse


def settle(interp: Interpreter, test: ast.expr, outcome: bool) -> None:
    """A flag that was once taken to be set is set from there on: what else depends on it, or did before, agrees."""
    for part, found in parts_of(test, outcome):
        callers_choices.assume(interp, part, found)
        asked, opposite = compared_switches.asked(interp, part)
        correlated.settle(interp, asked, found != opposite)
        if isinstance(asked, (ast.Name, ast.Attribute)) and interp.eval(asked) == Scalar("bool"):
            _narrow(interp, asked, answers.boolean(found != opposite))


def parts_of(test: ast.expr, outcome: bool) -> Iterator[tuple[ast.expr, bool]]:
    """The parts of a test whose own outcome follows from that of the whole."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from parts_of(test.operand, not outcome)
    elif not isinstance(test, ast.BoolOp):
        yield test, outcome
    elif isinstance(test.op, ast.And) == outcome:
        for part in test.values:
            yield from parts_of(part, outcome)


def usual(interp: Interpreter, test: ast.expr) -> bool | None:
    """How a test of options comes out in a run that is given none; None when that is not known."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = usual(interp, test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        outcomes = {usual(interp, part) for part in test.values}
        decisive = isinstance(test.op, ast.Or)
        return decisive if decisive in outcomes else None if None in outcomes else not decisive
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = asked_again.value(interp, test.left), asked_again.value(interp, test.comparators[0])
        return comparisons.usual_answer(interp, test.ops[0], left, right)
    setting = isinstance(test, ast.Subscript) and isinstance(test.slice, ast.Constant)
    if not (setting or isinstance(test, (ast.Name, ast.Attribute)) or _asks_for_end(test)):
        return None
    value = answers.usual_option(interp.eval(test))
    return bool(value.value) if value is not None else None


def _asks_for_end(test: ast.expr) -> bool:
    """Whether a test is ``option.startswith(text)`` or its like, which can be asked twice."""
    return (
        isinstance(test, ast.Call)
        and isinstance(test.func, ast.Attribute)
        and test.func.attr in ("startswith", "endswith")
        and isinstance(test.func.value, (ast.Name, ast.Attribute))
    )


def assume(interp: Interpreter, test: ast.expr, outcome: bool, within: ast.If | None = None) -> None:
    """Narrow variables by a test that came out as ``outcome``; ``within`` is its statement, where it has branches."""
    if isinstance(test, ast.BoolOp):
        callers_choices.assume(interp, test, outcome, within)
    for asked, parted in data_tests.asked_where_they_are(interp, test):
        _narrow(interp, asked, replace(parted, split=None))
    for part, found in parts_of(test, outcome):
        callers_choices.assume(interp, part, found, within)
        if isinstance(part, ast.Compare) and len(part.ops) == 1:
            _assume_compare(interp, part, found)
            for ranked, alone in rank_tests.compared(part):
                _doubt_dtype(interp, ranked, alone)
        elif isinstance(part, ast.Attribute) and (tensor := asked_places.parted(interp, part)) is not None:
            device = ACCELERATOR if found == (part.attr == "is_cuda") else CPU
            _narrow(interp, part.value, replace(tensor, device=device, split=None))
        elif isinstance(part, ast.Name) and found:
            _narrow(interp, part, without_none(interp.eval(part)))
        elif isinstance(part, (ast.Name, ast.Attribute)) and not found:
            unusual_runs.assume(interp, part, NONE)  # no object is there where there mostly is one
        elif isinstance(part, ast.Call) and len(part.args) == 2:
            _assume_instance(interp, part, found)


def assume_asserted(interp: Interpreter, test: ast.expr) -> None:
    """Behind an assertion holds what it asserts. One that seems to be false ends no path, if it asks no device that is judged.

    A tensor or an array that is asserted to be something else is not what it was taken for.
    """
    if answers.truth(interp, interp.eval(test)) is not False:
        assume(interp, test, True)
    elif asked_places.asks_judged(interp, test):
        interp.state.dead = True
    elif isinstance(test, ast.Call) and called(test) == "isinstance" and test.args:
        asked = test.args[0]
        if isinstance(asked, ast.Name) and isinstance(interp.eval(asked), (Tensor, Array)):
            _narrow(interp, asked, UNKNOWN)


def _assume_class(interp: Interpreter, test: ast.Compare, asked: ast.expr, outcome: bool) -> None:
    """``type(x) is T`` tells which of the things that ``x`` may be it is."""
    value, op = interp.eval(asked), type(test.ops[0])
    if isinstance(value, Union) and op in _COMPARED:
        cls = interp.eval(test.comparators[0])
        kept = value_classes.those(interp, value, cls, same=outcome is (op in _SAME))
        _narrow(interp, asked, kept)


def _doubt_dtype(interp: Interpreter, node: ast.expr, alone: bool) -> None:
    value = interp.eval(node) if isinstance(node, (ast.Name, ast.Attribute)) else UNKNOWN
    if isinstance(value, Tensor) and rank_tests.tells_kinds(value, alone):
        _narrow(interp, node, replace(value, dtype=None, typed=()))


def _assume_instance(interp: Interpreter, test: ast.Call, outcome: bool) -> None:
    """``isinstance(x, T)`` tells which of the things that ``x`` may be it is."""
    value = interp.eval(test.args[0])
    if isinstance(value, Union) and interp.eval(test.func) == External("builtins.isinstance"):
        kept = instance_checks.those(interp, value, interp.eval(test.args[1]), outcome=outcome)
        _narrow(interp, test.args[0], kept)


def _assume_compare(interp: Interpreter, test: ast.Compare, outcome: bool) -> None:
    right = test.comparators[0]
    if (asked := value_classes.asked_for(interp, test.left)) is not None:
        _assume_class(interp, test, asked, outcome)
        return
    if not (isinstance(right, ast.Constant) and right.value is None):
        return
    if isinstance(test.ops[0], ast.Is):
        is_none = outcome
    elif isinstance(test.ops[0], ast.IsNot):
        is_none = not outcome
    else:
        return
    value = interp.eval(test.left)
    if is_none:
        if any(member == NONE for member in members(value)):
            _narrow(interp, test.left, NONE)
    else:
        _narrow(interp, test.left, without_none(value))


def assume_filled(interp: Interpreter, target: ast.expr) -> None:
    """Where a cache fits it has been filled before: it is not what it was at first any more."""
    if isinstance(target, (ast.Name, ast.Attribute)):
        value = interp.eval(target)
        if isinstance(value, Tensor) and value.split is not None:
            _narrow(interp, target, replace(value, split=None))


def _narrow(interp: Interpreter, node: ast.expr, value: Value) -> None:
    unusual_runs.assume(interp, node, value)
    if isinstance(node, ast.Name):
        interp.rebind(node.id, value)
    elif isinstance(node, ast.Attribute):
        owner = interp.eval(node.value)
        obj = interp.obj_of(owner)
        if obj is not None and isinstance(owner, Ref) and node.attr in obj.attrs:
            interp.update(owner, obj.with_attr(node.attr, value))
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        holder, key = interp.eval(node.value), iteration.dict_key(Const(node.slice.value)) or ""
        held = interp.obj_of(holder)
        if isinstance(holder, Ref) and held is not None and held.kind == "dict" and key in held.attrs:
            interp.update(holder, held.with_attr(key, value))
