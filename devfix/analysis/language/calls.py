"""Calls: into the project's functions, classes and objects, or out of the project."""

from __future__ import annotations

import ast
import functools
import math
from typing import TYPE_CHECKING

from devfix.analysis import accounts
from devfix.analysis.assumptions import unsure_entries
from devfix.analysis.deciding import chosen_results
from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all, join_objects
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    BoundMethod,
    Class,
    External,
    ExternalMethod,
    Function,
    Obj,
    Partial,
    Ref,
    Retargeting,
    Sequence,
    Tensor,
    Union,
    Value,
    without_none,
)
from devfix.analysis.language import (
    construction,
    containers,
    contexts,
    fitting,
    iteration,
    parameters,
    passed_over,
    raising,
    recursion,
    returning,
    suspended,
    unknown_code,
)
from devfix.analysis.language.frames import Arg, CallSite, Frame
from devfix.analysis.nn.modules import havoc, is_module
from devfix.analysis.nn.reach import HOLDERS
from devfix.analysis.reuse import outcomes
from devfix.analysis.torch_model import external_objects, functions, methods
from devfix.analysis.torch_model.concurrency import coroutines
from devfix.analysis.torch_model.devices import autocast, default_choices
from devfix.analysis.torch_model.libraries import tokenizers
from devfix.analysis.torch_model.loading import batch_mates, stranger_methods
from devfix.analysis.torch_model.modules import hooks, layers, module_apply, movers, wrapped_forward
from devfix.analysis.torch_model.python import command_line
from devfix.analysis.torch_model.tensors import float_width, idle_moves, moves, number_places
from devfix.analysis.torch_model.training import own_optimizers

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Deeper chains of calls are not followed; their results are unknown.
MAX_DEPTH = 40


def evaluate(interp: Interpreter, node: ast.Call) -> Value:
    """A call expression: arguments first, then the callee."""
    func = node.func
    if isinstance(func, ast.Name) and func.id == "super" and not node.args:
        return construction.zero_argument_super(interp)
    callee = interp.eval(func)
    site = _call_site(interp, node)
    if isinstance(func, ast.Attribute) and func.attr in idle_moves.METHODS:
        idle_moves.note(interp, node, callee, site)
    result = call(interp, callee, site)
    if not isinstance(callee, External):
        number_places.note_result(interp, result, node)
    return result


#: Makes an argument without a call of Python, of which there are two for most calls that are interpreted.
_arg = tuple.__new__


def _call_site(interp: Interpreter, node: ast.Call) -> CallSite:
    args: list[Arg] = []
    opened = grew = False
    for arg in node.args:
        value = interp.eval(arg)
        if arg.__class__ is not ast.Starred:
            args.append(_arg(Arg, (value, arg)))
            continue
        items = iteration.unpacked(interp, value)
        opened = opened or items is None
        grew = grew or iteration.has_grown(interp, value)
        args.extend(Arg(item, arg) for item in items or ())
        if items is None:
            element = iteration.element(interp, value, arg)
            args.extend([Arg(element, arg)] * 4)
    keywords: dict[str, Arg] = {}
    spread = False
    at_times: frozenset[str] = frozenset()
    unnamed: Arg | None = None
    for keyword in node.keywords:
        value = interp.eval(keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = _arg(Arg, (value, keyword.value))
        else:
            obj = _spread_object(interp, value)
            spread = not _spread(interp, value, obj, keyword.value, keywords) or spread
            at_times |= unsure_entries.of(obj)
            if obj is not None and obj.kind == "dict" and obj.element is not None:
                unnamed = Arg(obj.element, keyword.value)
    is_open = opened or grew or spread
    site = CallSite(node, tuple(args), keywords, is_open, spread, at_times, grew and not opened, unnamed)
    if site.open:
        _hand_on(interp, site)
    return site


def _hand_on(interp: Interpreter, site: CallSite) -> None:
    """Arguments that nobody knows may be those that the running function has in its ``*args``, put in another order."""
    function = interp.frame.function
    if function is None or function.node.args.vararg is None:
        return
    spec = function.node.args
    seen = [arg.value for arg in site.all_args()]
    for value in interp.frame.given[len(spec.posonlyargs) + len(spec.args) :]:
        if isinstance(value, HOLDERS) and value not in seen:
            havoc(interp, value, everything=True)


def _spread_object(interp: Interpreter, value: Value) -> Obj | None:
    """What ``**value`` takes keywords from: a dict, or what is either of several."""
    if not isinstance(value, Union):
        return containers.as_dict(interp, value)
    found = [containers.as_dict(interp, member) for member in value.members]
    dicts = [obj for obj in found if obj is not None and obj.kind == "dict"]
    return functools.reduce(join_objects, dicts) if len(dicts) == len(found) else None


def _spread(interp: Interpreter, value: Value, obj: Obj | None, node: ast.expr, into: dict[str, Arg]) -> bool:
    """``**value``: put known entries into the keywords; False when there may be more."""
    if obj is None:
        return False
    into.update({name: Arg(item, node) for name, item in obj.attrs.items() if name.isidentifier()})
    into.update({name: Arg(item, node) for name, item in tokenizers.spread(interp, value).items()})
    return obj.kind == "dict" and obj.element is None


def _makes(callee: External, site: CallSite) -> bool:
    """Whether a call is what it seems: of the class of another tensor, of sizes or of data.

    With places and values it makes a sparse tensor of its kind, and with nothing what is empty there, in versions of
    torch in which such a class says where its tensors are.
    """
    if not callee.asked:
        return True
    of_parts = len(site.args) > 1 and any(isinstance(arg.value, Tensor) for arg in site.args)
    return bool(site.args) and not of_parts


def call(interp: Interpreter, callee: Value, site: CallSite) -> Value:
    """The result of calling a value."""
    if not interp.may_call():
        return UNKNOWN
    callee = without_none(callee)
    if isinstance(callee, External):
        return functions.call(interp, callee.name, site) if _makes(callee, site) else UNKNOWN
    if isinstance(callee, ExternalMethod):
        return methods.call(interp, callee, site)
    if isinstance(callee, Union):
        return _call_any(interp, callee, site)
    if interp.placements is not None and isinstance(callee, (Function, BoundMethod)):
        return movers.call(interp, callee, site)
    if isinstance(callee, Function):
        return call_function(interp, callee, [], site.node, site)
    if isinstance(callee, BoundMethod):
        if getattr(callee.function.node, "name", "") == "step":
            own_optimizers.before_step(interp, callee.receiver, site)
        return call_function(interp, callee.function, [callee.receiver], site.node, site)
    if isinstance(callee, Class):
        return construction.instantiate(interp, callee, site)
    if isinstance(callee, Retargeting):
        value = site.value(0)
        return module_apply.retargeted(callee, value) if isinstance(value, Tensor) else UNKNOWN
    if isinstance(callee, Partial):
        return call(interp, callee.function, _completed(callee, site))
    if isinstance(callee, Ref):
        return call_object(interp, callee, site)
    interp.recorder.things[site.node] = interp.frame.path  # whatever it makes need not be a module
    default_choices.note_made(interp, site.node)
    float_width.note_cast(interp, site)
    return (
        stranger_methods.call(interp, callee, site)
        or batch_mates.method(interp, callee, site)
        or moves.typed(interp, site)
        or moves.converted(interp, site)
        or command_line.parts(callee)
        or unknown_code.call(interp, site)
    )


def _call_any(interp: Interpreter, callee: Union, site: CallSite) -> Value:
    float_width.note_cast(interp, site)
    possible = fitting.possible(interp, callee.members, site)
    whole = command_line.are_commands(interp, possible, site)
    if not whole and fitting.are_many(interp, possible):
        return fitting.one_of_many(interp, possible, lambda each: call(interp, each, site))
    return chosen_results.of_any(
        interp, site.node, possible, lambda each: call(interp, each, site), usual=callee.usual, whole=whole
    )


def _completed(partial: Partial, site: CallSite) -> CallSite:
    args = (*(Arg(value) for value in partial.args), *site.args)
    keywords = {name: Arg(value) for name, value in partial.keywords} | site.keywords
    return replace(site, args=args, keywords=keywords)


def call_object(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """Calling an object: ``__call__``, or a module's ``forward``."""
    if not is_module(interp, ref):
        return _call_instance(interp, ref, site)
    interp.samplers[ref.address] = interp.makes_batch and interp.samplers.get(ref.address, True)
    site = hooks.before_forward(interp, ref, site)
    return hooks.after_forward(interp, ref, site, _call_module(interp, ref, site))


def _call_module(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    obj = interp.obj(ref)
    if autocast.WRAPPED in obj.facts:
        made = wrapped_forward.call(interp, ref, lambda: _call_module(interp, ref, site))
        if made is not None:
            return made
    patched = obj.attrs.get("forward")
    if patched is not None:
        return call(interp, patched, site)
    if isinstance(obj.cls, Class):
        for name in ("__call__", "forward"):
            found = classes.find(interp, obj.cls, name)
            if isinstance(found, Function) and fitting.is_refused(interp, ref, site):
                return _not_followed(interp, site)
            if isinstance(found, Function):
                return call_function(interp, found, [ref], site.node, site)
    return layers.call(interp, ref, site)


def _call_instance(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    obj = interp.obj(ref)
    found = classes.find(interp, obj.cls, "__call__") if isinstance(obj.cls, Class) else None
    if isinstance(found, Function):
        return tokenizers.mark(interp, call_function(interp, found, [ref], site.node, site), site)
    return external_objects.call(interp, ref, obj, "__call__", site)


def call_function(
    interp: Interpreter,
    function: Function,
    first: list[Value],
    node: ast.expr,
    site: CallSite | None = None,
) -> Value:
    """Interpret a function's body with these arguments; ``first`` go before those of ``site``."""
    site = site if site is not None else CallSite(node)
    if first:
        site = CallSite(site.node, (*map(Arg, first), *site.args), site.keywords, site.open, site.spread)
    if interp.exhausted or len(interp.stack) > MAX_DEPTH or not fitting.fits(function.node.args, site):
        return _not_followed(interp, site)
    parameters.note_call(interp, function, site)
    if recursion.is_too_deep(interp, function, site):
        return recursion.cut(interp, function)
    if interp.is_script or interp.placements is not None:
        return suspended.begun(interp, function, site, interp.follow(function, site))
    outcome = outcomes.of_call(interp, function, site)
    if outcome.is_known:
        return suspended.begun(interp, function, site, outcome.repeated(interp, site))
    account = interp.library.account(function)
    calls, cuts, found, outer = account.calls, interp.cuts, _found(interp), interp.oldest
    interp.oldest = math.inf
    begin = interp.fresh()
    result = interp.follow(function, site, alike=outcome.calls > 0)
    changed = interp.oldest < begin or interp.state.dead or _found(interp) > found
    if account.calls > calls and interp.cuts == cuts and not interp.exhausted:
        outcome.book(site, result, begin, pure=not changed)
        interp.booked(outcome)
    interp.oldest = min(interp.oldest, outer)
    return suspended.begun(interp, function, site, result)


def _found(interp: Interpreter) -> int:
    """How many mistakes were found so far, and exceptions raised: of a call that adds to them no other takes the place."""
    return len(interp.recorder.mismatches) + interp.raises


def followed(interp: Interpreter, function: Function, site: CallSite, *, alike: bool = False) -> Value:
    """The result of a call whose body is interpreted, as long as the account of its function allows it.

    That allows less where an earlier call was ``alike``.
    """
    account = interp.library.account(function)
    given = tuple([arg.value for arg in site.all_args()])
    free = interp.free_until
    if not accounts.may_follow(interp, function, site, alike=alike):
        passed_over.leave_unmade(interp, function, given)
        if (known := accounts.known(interp, account, given)) is None:
            return _not_followed(interp, site, function)
        raising.not_followed(interp)
        passed_over.forget(interp, function, site)
        return known
    frame = _new_frame(interp, function, site, given)
    before = interp.steps
    start = interp.state.fork() if recursion.is_active(interp, function) else None
    asked = coroutines.asked_in_vain(interp, function)
    interp.parents[frame.id] = frame.parent
    interp.stack.append(frame)
    try:
        parameters.bind(interp, function, site)
        interp.recorder.executed[function.node] = function.path
        run = _result_within if function.within else _result
        result = run(interp, function, frame)
    finally:
        interp.stack.pop()
        interp.free_until = free  # what was granted to this call is not for those after it
    account.book(interp.steps - before)
    if start is not None and frame.is_cut and interp.state.dead:
        interp.state = start
        return _not_followed(interp, site)
    accounts.keep(interp, account, given, result)
    coroutines.go_on_later(interp, function, site, asked)
    return result


def _not_followed(interp: Interpreter, site: CallSite, method: Function | None = None) -> Value:
    """A function whose body is not interpreted (again): whatever it can reach may have changed.

    A method of the program changes of its object what it assigns, and what those assign that it calls.
    """
    raising.not_followed(interp)
    given = [arg.value for arg in site.all_args()]
    if method is not None and method.owner is not None and getattr(method.node, "name", "") != "__init__":
        passed_over.forget(interp, method, site)
        given = given[1:]
    for value in given:
        havoc(interp, value, everything=True)
    return UNKNOWN


def _result_within(interp: Interpreter, function: Function, frame: Frame) -> Value:
    """The result of a function under the context managers that decorate it."""
    nowhere = ast.Constant(None, lineno=1, col_offset=0)
    leaving = [contexts.enter(interp, manager, nowhere)[1] for manager in function.within]
    result = _result(interp, function, frame)
    for each in reversed(leaving):
        each.leave()
    return result


def _new_frame(interp: Interpreter, function: Function, site: CallSite, given: tuple[Value, ...]) -> Frame:
    receiver = site.args[0].value if function.owner is not None and site.args else None
    module = interp.outermost(function.frame)
    return Frame(
        interp.fresh(), function.path, function.scope, "function", function.frame, module,
        function, function.owner, receiver, given=given,
    )  # fmt: skip


def _result(interp: Interpreter, function: Function, frame: Frame) -> Value:
    if isinstance(function.node, ast.Lambda):
        interp.steps += 1
        return interp.eval(function.node.body)
    interp.run(function.node.body)
    if not interp.state.dead:
        frame.returns.append((NONE, interp.state))
    if not interp.library.makes_functions(function.node, interp.source):
        interp.forget(frame.id)
    if not frame.returns and not frame.rescues:
        return UNKNOWN  # every path raises: this one ends here
    if interp.program.adopts:
        returning.agree(interp, frame)
    value, interp.state = returning.joined(interp, frame)
    interp.state.dead = False
    if frame.yields:
        return Sequence(
            join_all(suspended.left_behind(interp, frame)), suspended.row(frame, function.node), value
        )
    return value
