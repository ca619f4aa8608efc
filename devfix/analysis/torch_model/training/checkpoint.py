"""``torch.save`` and ``torch.load``: what was put into a file comes out of it again."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from functools import reduce
from typing import TYPE_CHECKING, TypeGuard

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.lattice import CPU, UNKNOWN_DEVICE, Device
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Array,
    BoundMethod,
    Const,
    DeviceValue,
    External,
    Function,
    Obj,
    Scalar,
    Tensor,
    Unknown,
    Value,
)
from devfix.analysis.language import containers
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.text.syntax import in_rows, remembered
from devfix.analysis.torch_model.devices import device_strings
from devfix.analysis.torch_model.python import copies, file_names, text_methods
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.analysis.torch_model.training import saved_tensors, snapshots, storage_mapping
from devfix.analysis.torch_model.training.snapshots import Snapshot
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What stands for a file of which nobody knows what is in it.
LOADED: External = External("torch.load")
_TOKEN = "checkpoint|"  # noqa: S105 - the name of an unknown value
#: So begin those of files that were loaded to the accelerator.
_BROUGHT = f"{_TOKEN}brought|"
_SAVES = frozenset(("torch.save", "th.save"))
_JOINS = frozenset(("os.path.join", "osp.join", "path.join", "join", "str", "Path", "pathlib.Path"))
#: What gives a file the content of another.
_TAKES_PLACE = (
    "os.rename os.replace os.link os.symlink shutil.copy shutil.copy2 shutil.copyfile shutil.move".split()
)


def load(interp: Interpreter, name: str, site: CallSite) -> Value:
    """A checkpoint: what the program saved there, else something nobody knows."""
    location = site.value(1, "map_location")
    open_ = location is None or (location == NONE and _is_left_open(site.get(1, "map_location")))
    asked = storage_mapping.device(interp, location, site)
    asked = device_strings.asked(interp, site, 1, "map_location") if asked is None else asked
    device = UNKNOWN_DEVICE if site.open else asked
    # Only a load without map_location is the cause of where its tensors are.
    kind = "host-checkpoint" if device == CPU else "other"
    made = interp.site("checkpoint" if open_ and not site.open else kind, site.node)
    key = _key(interp, site)
    if key is not None:
        interp.loads[made] = interp.loads.get(made, frozenset()) | {_written_as(interp, key)}
        interp.read_files.update((key, key[:1]))
    whole = _whole(interp, key)
    if whole is not None and open_:
        return copies.copied(interp, whole, site)
    saved = _saved(interp, key)
    if saved is not None and saved != UNKNOWN:
        return _restored(interp, saved, device, made)
    # Where it says where to, a model comes there wherever it was.
    follows = open_ or location == NONE or bool(site.open)
    interp.recorder.strange_files |= interp.is_script and follows
    obj = Obj("external", LOADED, trail=(made,))
    return interp.new(obj.with_fact("device", DeviceValue(device or UNKNOWN_DEVICE)))


def _is_left_open(given: Arg | None) -> bool:
    """Whether a call that says where to load to says nothing; what is none here is an option that others may give."""
    return given is None or given.node is None or isinstance(given.node, ast.Constant)


def _saved(interp: Interpreter, key: tuple[str, ...] | None) -> Snapshot | None:
    """What was saved to a file; one that goes by another name there is the only one that the program writes."""
    files: Mapping[tuple[str, ...], Snapshot] = interp.recorder.saved
    interp.reads.add(("saved",))
    if key is not None and key in files:
        return files[key]
    contents = interp.recorder.contents()
    sole = reduce(snapshots.common, contents) if contents else UNKNOWN
    if sole == UNKNOWN:
        return None
    return sole if key is None or key[0] != "literal" or _are_nameless(files) else None


def _are_nameless(files: Iterable[tuple[str, ...]]) -> bool:
    return all(key[0] != "literal" for key in files)


def save(interp: Interpreter, name: str, site: CallSite) -> Value:
    """Writes a file."""
    key, value = _key(interp, site, 1), site.value(0, "obj")
    if key is not None:
        interp.written.add(key)
    saved_tensors.note(interp, value)
    if value is not None and saved_tensors.holds_model(interp, value):
        interp.recorder.whole_models |= interp.is_script
        interp.saved_models[key] = copies.clone(interp, value, {})
    if key is not None and value is not None:
        interp.library.entangled = True
        known = interp.recorder.saved.get(key)
        found = snapshots.taken(interp, value, is_read=_is_read(interp, key))
        interp.recorder.saved[key] = found if known is None else _either(interp, key, known, found)
    return NONE


def take_place(interp: Interpreter, name: str, site: CallSite) -> Value:
    """A copy of a file that the program wrote, or its new name, is a file that the program wrote."""
    source, target = _key(interp, site, 0, "src"), _key(interp, site, 1, "dst")
    if source in interp.written and target is not None:
        interp.written.add(target)
    return UNKNOWN


def _either(interp: Interpreter, written: tuple[str, ...], one: Snapshot, other: Snapshot) -> Snapshot:
    """What a file holds that is written twice: two files of one name, or one file with two contents, say nothing.

    One that the program reads, by its name or by a variable as it writes it, is written again with what was in it.
    """
    if _is_read(interp, written):
        return snapshots.read_and_written(one, other)
    return one if one == other else UNKNOWN


def _written_as(interp: Interpreter, read: tuple[str, ...]) -> tuple[str, ...]:
    """How the program has told a file by then that it may be: by its name, by a pattern of it, or by a variable."""
    if read in interp.written or read[0] != "literal":
        return read
    found = (each for each in interp.written if each[0] != "literal" or fnmatchcase(read[-1], each[-1]))
    return min(found, default=read)


def _is_read(interp: Interpreter, written: tuple[str, ...]) -> bool:
    """Whether the program has read what it writes, or a file that goes by a name of the same kind."""
    return (written if written[0] == "literal" else written[:1]) in interp.read_files


def _whole(interp: Interpreter, key: tuple[str, ...] | None) -> Value | None:
    """The model that the script wrote to a file as a whole; what goes by no name is its only file."""
    found = interp.saved_models.get(key)
    nameless = key is not None and key[0] != "literal"
    if found is None and nameless and len(interp.written) == 1:
        found = next(iter(interp.saved_models.values()), None)
    return found if interp.obj_of(found) is not None else None  # one that another path wrote is not there


def _key(interp: Interpreter, site: CallSite, position: int = 0, named: str = "f") -> tuple[str, ...] | None:
    """What identifies a file: its own literal name, the attribute or the local variable that names it."""
    arg = site.get(position, named)
    if arg is None or arg.node is None:
        return None
    if isinstance(arg.value, Const) and isinstance(arg.value.value, str):
        return ("literal", _base(arg.value.value))
    if opened := _opened(interp, arg):
        return ("literal", opened)
    name = text_methods.pattern(_file_name(arg.node), "*", lambda part: _known(interp, part))
    if name != "*":
        return ("literal", _base(name))
    literals = [
        n.value for n in in_rows(arg.node) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]
    if literals:
        return ("literal", _base(literals[-1]))
    if isinstance(arg.node, ast.Call):
        return _named_by_function(interp, arg.node)
    if isinstance(arg.node, ast.Attribute):
        return ("attribute", interp.frame.path, interp.text(arg.node))
    if isinstance(arg.node, ast.Name):
        return ("name", interp.frame.path, interp.frame.scope, arg.node.id)
    return None


def _named_by_function(interp: Interpreter, call: ast.Call) -> tuple[str, ...] | None:
    """The file that a function of the project names: ``path_of(config)``, or ``self.path()``."""
    called = interp.eval(call.func)
    function = called.function if isinstance(called, BoundMethod) else called
    if not isinstance(function, Function):
        return None
    return ("function", function.path, function.scope)


def _opened(interp: Interpreter, arg: Arg) -> str:
    """The file's own name where ``arg`` is the file itself, opened by a name that is known; "" for anything else."""
    named = file_names.of(interp, arg) if interp.obj_of(arg.value) is not None else None
    base = _base(named or "")
    return "" if ">" in base else base  # what is kept in a variable or an attribute goes by that


def _known(interp: Interpreter, node: ast.expr) -> str | None:
    value = interp.eval(node)
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else None


def _file_name(node: ast.expr) -> ast.expr:
    """The last part of a path that is put together: ``name`` of ``os.path.join(folder, name)`` and ``folder / name``."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return _file_name(node.right)
    if isinstance(node, ast.Call) and node.args and ast.unparse(node.func) in _JOINS:
        return _file_name(node.args[-1])
    return node


def _base(path: str) -> str:
    """A file's own name: which folder it is in is said in many ways."""
    return path.rpartition("/")[2]


def _restored(interp: Interpreter, saved: Snapshot, device: Device | None, made: Origin) -> Value:
    def loaded(held: Value) -> Value:
        if isinstance(held, Tensor):
            return replace(
                held, device=device if device is not None else held.device, trail=(made,), roots=()
            )
        if isinstance(held, Array):
            return replace(held, trail=(made,))
        return held if isinstance(held, Scalar) else _unknown_part(interp, made, device)

    return snapshots.restored(interp, saved, made, loaded)


def part(interp: Interpreter, made: Origin) -> Value:
    """A part of a checkpoint of which only its origin is known."""
    if made.kind != "checkpoint" and not interp.program.adopts:
        return UNKNOWN
    token = f"{_TOKEN}{made.path}:{made.span.line}:{made.span.column}"
    interp.checkpoints[token] = made
    return Unknown(token)


def item(interp: Interpreter, obj: Obj) -> Value:
    """``checkpoint[key]``; of a file that was loaded to the accelerator what is a tensor is there."""
    if not obj.trail:
        return UNKNOWN
    device = obj.facts.get("device")
    return _unknown_part(interp, obj.trail[0], device.device if isinstance(device, DeviceValue) else None)


def _unknown_part(interp: Interpreter, made: Origin, device: Device | None) -> Value:
    if device is None or not device.is_accelerator or interp.program.adopts:
        return part(interp, made)
    token = f"{_BROUGHT}{made.path}:{made.span.line}:{made.span.column}"
    interp.checkpoints[token] = made
    return Unknown(token)


def is_brought(value: Value) -> TypeGuard[Unknown]:
    """Whether a value is a part of a file that was loaded to the accelerator."""
    return isinstance(value, Unknown) and value.token.startswith(_BROUGHT)


def location(interp: Interpreter, state: Value | None) -> Tensor | None:
    """A typical tensor of a state that is given to a module; None when nothing is known of it, or of some entries."""
    obj = interp.obj_of(state)
    if obj is None:
        return None
    device = obj.facts.get("device")
    if isinstance(device, DeviceValue):
        return Tensor(device.device, trail=obj.trail)
    entries = list(containers.everything(obj))
    if any(isinstance(value, Unknown) for value in entries):
        return None
    held = join_all([value for value in entries if isinstance(value, Tensor)])
    return held if obj.kind == "dict" and isinstance(held, Tensor) else None


def check_state(interp: Interpreter, value: Value | None, node: ast.expr) -> None:
    """``load_state_dict(...)`` of what was loaded without ``map_location``.

    That runs wherever the file's device is present, since a state is copied to where its module is:
    a remark, made of scripts alone. What a library does with a file is its caller's affair.
    """
    made = _origin(interp, value)
    if interp.is_script and made is not None and made.kind == "checkpoint":
        part = Part(Tensor(UNKNOWN_DEVICE, trail=(made,)), "state", None)
        requirements.record(interp, node, "torch.load", "map-location", [part], certain="no")


def note_own_files(interp: Interpreter) -> None:
    """Write down which loads read what the same script writes: that needs no other device.

    A file that goes by no name of its own is taken to be one of those that the script writes, itself or in a function
    that stands beside the load for others to call. Another script may come to the same load with a file of others.
    """
    for made, keys in interp.loads.items():
        nameless = all(key[0] != "literal" for key in keys)
        writes = bool(interp.written) or _saves(interp.program.sources[made.path].tree)
        is_own = (nameless and writes) or keys <= interp.written
        (interp.recorder.own_files if is_own else interp.recorder.files_of_others).add(made)


@remembered
def _saves(tree: ast.Module) -> bool:
    """Whether a file has calls of ``torch.save``, run or not."""
    calls = (node.func for node in in_rows(tree) if isinstance(node, ast.Call))
    return any(isinstance(called, ast.Attribute) and ast.unparse(called) in _SAVES for called in calls)


def _origin(interp: Interpreter, value: Value | None) -> Origin | None:
    if isinstance(value, Unknown):
        return interp.checkpoints.get(value.token)
    obj = interp.obj_of(value)
    return obj.trail[0] if obj is not None and obj.trail else None


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "torch.load": load,
    "torch.save": save,
    **dict.fromkeys(_TAKES_PLACE, take_place),
}
