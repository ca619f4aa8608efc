"""Entry points: scripts are run as ``__main__``; functions nobody calls get symbolic arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from devfix.analysis import import_circles, receivers
from devfix.analysis.assumptions import changing_globals, own_files, stand_ins
from devfix.analysis.domain.lattice import same_as
from devfix.analysis.domain.values import (
    Class,
    Function,
    Obj,
    Ref,
    Tensor,
    Unknown,
    Value,
)
from devfix.analysis.interpreter import Interpreter
from devfix.analysis.language.frames import Arg, CallSite, Frame
from devfix.analysis.library import Library
from devfix.analysis.nn.modules import (
    forget_where,
    havoc,
    is_module,
    is_module_class,
    is_on_accelerator,
    tensors,
)
from devfix.analysis.record.recorder import Recorder, place_of
from devfix.analysis.record.trails import Trail
from devfix.analysis.reuse import reads
from devfix.analysis.reuse.ledger import BLOCK
from devfix.analysis.text import absent_arguments, moved_globals, own_handling
from devfix.analysis.text.scope_names import positional_of
from devfix.analysis.text.syntax import is_main_guard
from devfix.analysis.torch_model.devices import default_choices
from devfix.analysis.torch_model.modules import owners
from devfix.analysis.torch_model.training import checkpoint, optim
from devfix.findings import Origin
from devfix.forks import may_fork

if TYPE_CHECKING:
    from devfix.analysis.reuse.units import Keeper
    from devfix.project import Program


#: Statements that may be interpreted in a whole program, whatever its size, and for each of its lines.
_BUDGET, _BUDGET_OF_A_LINE = 60_000, 3
#: In less text than this, others would take longer to begin than to find anything out; and a single one that helps has to have
#: so many times as much to do as each of several.
_MUCH, _SINGLE = 400_000, 8
#: So many processes are enough: each takes memory, and what is found out far ahead is wrong more often.
_MOST = 8
#: How much of that scripts may take; the rest is left to the functions that no script reaches.
_SCRIPTS_SHARE = 0.6


def run_program(
    program: Program,
    recorder: Recorder,
    interpreter: Callable[[Program, Recorder, Library], Interpreter] = Interpreter,
    library: Library | None = None,
    keeper: Keeper | None = None,
    jobs: int = 1,
) -> Library:
    """Interpret a program from all its entry points, then what none of them reached, unless the ``keeper`` knows it.

    Several processes have so many ``jobs`` of the latter where that is much; what comes of it is the same.
    """
    library = library or Library()
    lines = sum(source.text.count("\n") for source in program.sources.values())
    budget = _BUDGET + _BUDGET_OF_A_LINE * lines
    scripts = _scripts(program)
    recorder.saves_files = own_files.are_written(program)
    saving = {path for path in scripts if own_files.writes(program.sources[path])}
    for path in scripts:
        recorder.scripts.append(path)
        saving.discard(path)
        recorder.saves_later = bool(saving)
        if library.steps < budget * _SCRIPTS_SHARE:
            run_script(interpreter(program, recorder, library), path)
        else:
            recorder.leave(path)
    for path in import_circles.untouched(program, library.modules, scripts):
        if library.steps < budget * _SCRIPTS_SHARE:
            interp = interpreter(program, recorder, library)
            interp.load_module(path)
            interp.finish()
        else:
            recorder.leave(path)
    recorder.parameters = tuple(recorder.leaves)
    default_choices.note(library, program)
    with _others(program, recorder, library, budget, keeper, jobs) as knowing:
        for index, path in enumerate(sorted(program.sources)):
            library.enter(index // BLOCK)
            if library.steps < budget:
                _run_uncalled(interpreter(program, recorder, library), path, budget, knowing)
            if library.steps >= budget and (
                left := list(_unreached(recorder, path, program.sources[path].tree))
            ):
                recorder.leave(path, *left)
    return library


@contextmanager
def _others(
    program: Program, recorder: Recorder, library: Library, budget: int, keeper: Keeper | None, jobs: int
) -> Iterator[Keeper | None]:
    """The keeper, who has other processes find out what is not known of a program where that is much."""
    sources = program.sources
    unknown = [path for path in sorted(sources) if keeper is None or not keeper.knows(path)]
    others = min(jobs, _MOST) - 1
    if others < 1 or sum(len(sources[path].text) for path in unknown) < _much(others) or not may_fork():
        yield keeper
        return
    from devfix.analysis.reuse.ahead import Ahead, File  # most programs are small
    from devfix.analysis.reuse.units import Keeper

    keeper = keeper or Keeper(lasting=False)

    def run(path: str, scout: Keeper) -> None:
        _run_uncalled(Interpreter(program, recorder, library), path, budget, scout)

    blocks = {path: index // BLOCK for index, path in enumerate(sorted(sources))}
    files = [
        File(path, blocks[path], frozenset(map(place_of, _definitions(source.tree))), len(source.text))
        for path, source in ((path, sources[path]) for path in unknown)
    ]
    keeper.ahead = Ahead(recorder, library, files, others, run, lasting=keeper.lasting)
    try:
        yield keeper
    finally:
        keeper.ahead.close()
        keeper.ahead = None


def _much(others: int) -> int:
    """How much text so many processes beside this one are worth."""
    return _MUCH * (_SINGLE if others == 1 else 1)


def _scripts(program: Program) -> list[str]:
    """Files that are run: those with a main guard, and those that nobody imports."""
    imported = program.imported
    guarded = [p for p, s in program.sources.items() if any(map(is_main_guard, s.tree.body))]
    return sorted({*guarded, *(p for p in program.sources if p not in imported)})


def run_script(interp: Interpreter, path: str) -> None:
    """Interpret a file as ``__main__``."""
    interp.is_script = True
    with interp.recorder.of_script():
        interp.execute_file(path, interp.fresh_globals(path, main=True), "__main__")
    _note_models(interp, path)
    checkpoint.note_own_files(interp)
    if interp.exhausted:
        interp.recorder.leave(path)
    interp.finish()


def _note_models(interp: Interpreter, path: str) -> None:
    """Write down the lives of the script's models: modules with parameters that nobody holds, or held when they were trained.

    Not those of slices of what is held, nor of what works on samples alone, as a dataset's transforms do.
    """
    objects = interp.state.objects()
    made = [(address, obj) for address, obj in objects if obj.trail and _is_made_module(interp, address, obj)]
    if not made:
        return  # who holds what takes a look at all objects
    held_by = owners.holders(interp)
    held = {
        obj.trail
        for address, obj in objects
        # A part of a model whose code is not here has the life of the model.
        if any(interp.obj(owner).trail != obj.trail for owner, _ in held_by.get(address, ()))
    }
    for address, obj in made:
        known = address in held_by or obj.trail in held
        made_at, owning = obj.trail[0], (interp.obj(owner).trail for owner, _ in held_by.get(address, ()))
        known = known and not (made_at.path == path and _comes_later(made_at, owning))
        if (known and not optim.is_trained_alone(obj)) or obj.trail in interp.recorder.models:
            continue
        if any(tensor.parameter for tensor in tensors(interp, Ref(address))):
            interp.recorder.models.append(obj.trail)


def _comes_later(made: Origin, lives: Iterable[Trail]) -> bool:
    """Whether a module is made below those that hold it, which do not take it along when they move where they are made."""
    sites = [life[0] for life in lives if life]
    return bool(sites) and all(
        (site.path, site.scope) == (made.path, made.scope) and site.span.end_line < made.span.line
        for site in sites
    )


def _is_made_module(interp: Interpreter, address: int, obj: Obj) -> bool:
    """Whether an object is a module that the program makes, and not of what works on samples."""
    if obj.kind not in ("module", "instance") or obj.trail[0].kind != "module":
        return False
    return is_module(interp, Ref(address)) and not interp.samplers.get(address, False)


def _run_uncalled(interp: Interpreter, path: str, budget: int, keeper: Keeper | None) -> None:
    """Functions and methods of one file that no entry point reached."""
    recorder = interp.recorder
    source = interp.program.sources[path]
    if not any(_unreached(recorder, path, source.tree)):
        return
    # What is found in a file depends on what it uses, and not on what calls in other files came to.
    interp.library.begin_anew()
    with recorder.mute():
        interp.load_module(path)
    changing_globals.forget(interp)
    default_choices.forget_device(interp)
    interp.library.begin_anew()
    if keeper is None:
        _call_uncalled(interp, path, budget)
    else:
        keeper.run(interp, path, budget, partial(_call_uncalled, interp, path, budget))


def _call_uncalled(interp: Interpreter, path: str, budget: int) -> bool:
    """Call what was not called of a file's functions and methods; whether the budget was enough for all of them."""
    frame_id = interp.module_frame(path)
    frame = Frame(frame_id, path, "", "module", None, frame_id)
    with interp.entered(frame):
        globals_ = reads.definitions(interp, path).values()
        for value in globals_:
            if reads.is_taken_back(value, interp.obj_of(value)):
                forget_where(interp, value)  # nobody knows when these functions are called
        source = interp.program.sources[path]
        tree = source.tree
        for name in sorted(moved_globals.of(source)):
            kept = reads.variable_of(interp, frame_id, name)
            if kept is not None and not is_on_accelerator(interp, kept):
                havoc(interp, kept)
        for value in _outermost_first(globals_, path, tree):
            if interp.library.steps >= budget:
                return False
            if isinstance(value, Function):
                _call_symbolically(interp, value, [])
            else:
                before = interp.state.fork()
                _call_methods(interp, value)
                interp.state = before
    return True


def _outermost_first(values: Iterable[Value], path: str, tree: ast.Module) -> list[Class | Function]:
    """The functions of a file, then its classes from the last to the first.

    What objects are made of mostly stands before them, is seen within them, and need not be seen by itself.
    """
    own = [value for value in values if reads.is_definition(value, path)]
    functions = [value for value in own if isinstance(value, Function)]
    made = (value for value in reversed(own) if isinstance(value, Class))
    return [*functions, *(cls for cls in made if not stand_ins.leave_alone(path, tree, cls.node))]


def _unreached(recorder: Recorder, path: str, tree: ast.Module) -> Iterator[str]:
    """The functions and methods of a file that no run has reached so far."""
    for node, name in _definitions(tree).items():
        if not recorder.was_executed(node, path):
            yield name


def _definitions(tree: ast.Module) -> dict[ast.AST, str]:
    """The functions and methods of a file, and what they are called."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    found: dict[ast.AST, str] = {}
    for node in tree.body:
        if isinstance(node, kinds):
            found[node] = node.name
        elif isinstance(node, ast.ClassDef):
            found.update((part, f"{node.name}.{part.name}") for part in node.body if isinstance(part, kinds))
    return found


def _call_symbolically(
    interp: Interpreter, function: Function, first: list[Value], given: dict[str, Arg] | None = None
) -> None:
    """Call what nobody called, and once more with what is ``given``, if anything is."""
    if isinstance(function.node, ast.Lambda) or reads.was_executed(interp, function):
        return
    source = interp.program.sources[function.path]
    if own_handling.exports(source, function.node):
        return
    checks = own_handling.hands_over(source, function.node)
    if checks and not any(_is_placed(interp, value) for value in first):
        return
    undecided = receivers.undecided(interp, function)
    for keywords in (undecided, {**undecided, **given}) if given else (undecided,):
        interp.state.dead = False
        before = interp.state.fork()
        place = _place(function.node)
        interp.call_function(function, first, place, CallSite(place, keywords=keywords))
        if interp.exhausted:
            interp.recorder.leave(function.path, function.scope)
        interp.finish()
        interp.state = before


def _is_placed(interp: Interpreter, receiver: Value) -> bool:
    """Whether an object puts its own parameters on the accelerator when it is made: there it is called, too."""
    parameters = tensors(interp, receiver) if isinstance(receiver, Ref) else []
    return any(tensor.device.is_accelerator for tensor in parameters)


def _place(node: ast.AST) -> ast.expr:
    """An expression that stands where a definition does, for calls that nobody wrote.

    As long as the definition stands there it is the same one, by which a later run knows the call again.
    """
    made = ast.copy_location(ast.Constant(None), node)
    known: ast.expr | None = node.__dict__.get("place")
    if known is None or any(getattr(known, name) != getattr(made, name) for name in made._attributes):
        node.__dict__["place"] = known = made
    return known


def _call_methods(interp: Interpreter, cls: Class) -> None:
    """Every method nobody called, on an object made with unknown arguments."""
    methods = [
        value
        for value in interp.state.variables(cls.frame).values()
        if isinstance(value, Function) and not reads.was_executed(interp, value)
    ]
    if not methods:
        return
    receiver = receivers.make(interp, cls, CallSite(_place(cls.node)))
    helpers = receivers.construction_helpers(cls.node, interp.program.sources[cls.path])
    # What ``forward`` reaches is seen with its inputs, and not for itself alone.
    for method in sorted(methods, key=lambda method: getattr(method.node, "name", "") != "forward"):
        name = getattr(method.node, "name", "")
        if name in helpers:
            continue
        if method.kind == "staticmethod":
            _call_symbolically(interp, method, [])
        elif name != "__init__":
            _call_on(interp, cls, receiver, method)


def _call_on(interp: Interpreter, cls: Class, receiver: Value, method: Function) -> None:
    """A module's ``forward`` gets tensors whose device is learnt from what they meet."""
    name = getattr(method.node, "name", "")
    args: list[Value] = [receiver]
    scope = f"{method.path}:{method.scope}:"
    if name in ("forward", "training_step", "validation_step") and is_module_class(interp, cls):
        parameters = positional_of(method.node)[1:]
        optional = len(method.node.args.defaults)
        required = parameters[: len(parameters) - optional] if optional else parameters
        args.extend(_symbolic_input(parameter, scope + parameter.arg) for parameter in required)
    source = interp.program.sources[method.path]
    if name != "forward" and (
        own_handling.registers(source, method.node) or own_handling.moves(source, method.node)
    ):
        # The module is still being made, or comes to where it is used in the method: it need not have been moved before.
        before = interp.state.fork()
        havoc(interp, receiver)
        _call_symbolically(interp, method, args)
        interp.state = before
    else:
        # What it can do without, and asks for, is given in a call of its own: a mask, say.
        absent = absent_arguments.of(method.node) if name == "forward" and len(args) > 1 else ()
        given = {part.arg: Arg(_symbolic_input(part, scope + part.arg)) for part in absent}
        _call_symbolically(interp, method, args, given)


def _symbolic_input(parameter: ast.arg, token: str) -> Value:
    """An input of ``forward``: a tensor by annotation, else something unknown with an identity."""
    annotation = ast.unparse(parameter.annotation) if parameter.annotation is not None else ""
    if annotation in ("Tensor", "torch.Tensor", "th.Tensor"):
        return Tensor(same_as(f"{token}.device"))
    return Unknown(token)
