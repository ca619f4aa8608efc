"""Command lines: options as ``argparse`` and ``optparse`` declare and give them, with those of subcommands."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_values
from devfix.analysis.domain.lattice import CPU, UNKNOWN_DEVICE, Device, parse_device
from devfix.analysis.domain.values import (
    ARGUMENT,
    FALSE,
    NONE,
    UNKNOWN,
    Class,
    Const,
    DeviceValue,
    External,
    Function,
    Obj,
    Partial,
    Ref,
    Scalar,
    Sequence,
    TupleValue,
    Union,
    Unknown,
    Value,
    members,
    option,
    without_none,
)
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.devices import device_settings
from devfix.analysis.torch_model.python import environment, given_arguments

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_PARSER = "argparse.ArgumentParser"
NAMESPACE = External("argparse.Namespace")
#: What ``add_subparsers`` gives: an object that makes the parser of each subcommand.
SUBPARSERS = "argparse._SubParsersAction"
#: The parser of ``optparse``.
OLD_PARSER = "optparse.OptionParser"
#: The numbers that an option may be told to be.
_NUMBERS: dict[Value, type[int | float]] = {
    External("builtins.int"): int,
    External("builtins.float"): float,
    Const("int"): int,
    Const("float"): float,
}
#: The entry under which a parser keeps that object; no option has such a name.
_COMMANDS = "subcommands of the parser"
#: What options of a parser are that say no default of their own.
_DEFAULT = "argument_default"
#: Such a default of options that are not there unless they are given.
_NOT_THERE = External("argparse.SUPPRESS")
#: Of more functions than this not each is followed.
_MANY = 12
#: The methods that cut an argument in parts: ``arg.split("=", 1)[1]`` is what the user said.
_CUTTING = frozenset(
    f"{option(ARGUMENT).token}.{name}" for name in ("split", "rsplit", "partition", "rpartition")
)


def parser(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``argparse.ArgumentParser(...)``, with the options of its ``parents``."""
    given = site.value(None, "parents")
    parents = iteration.exact_items(interp, given) if given is not None else ()
    objects = [interp.obj_of(parent) for parent in parents or ()]
    known = [obj for obj in objects if obj is not None]
    options = {name: value for obj in known for name, value in obj.attrs.items()}
    facts = {name: told for obj in known for name, told in given_arguments.options_of(obj).items()}
    if (common := site.value(None, _DEFAULT)) is not None:
        facts[_DEFAULT] = common
    return interp.new(Obj("external", External(_PARSER), attrs=options, facts=facts))


def is_parser(interp: Interpreter, obj: Obj) -> bool:
    """Whether an object is of a class of the project that is a parser."""
    return isinstance(obj.cls, Class) and _PARSER in modules.external_bases(interp, obj.cls)


def parts(callee: Value) -> Value | None:
    """What a method gives that cuts an argument of the command line, which a program reads by itself; None for other callees."""
    cuts = isinstance(callee, Unknown) and callee.token in _CUTTING
    return Sequence(option(ARGUMENT)) if cuts else None


def old_parser(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``optparse.OptionParser(...)``."""
    return interp.new(Obj("external", External(OLD_PARSER)))


def old_group(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``optparse.OptionGroup(parser, ...)``: what is declared of it is declared of its parser."""
    return site.value(0, "parser") or UNKNOWN


def old_parser_method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``add_option`` declares an option, ``parse_args`` gives them all, and the other arguments with them."""
    if name == "add_option":
        _declare(interp, ref, obj, site)
        return UNKNOWN
    if name == "parse_args":
        given = interp.new(Obj("external", NAMESPACE, attrs=dict(obj.attrs)))
        return TupleValue((given, Sequence(Scalar("str"))))
    return parser_method(interp, ref, obj, name, site) if name == "set_defaults" else UNKNOWN


def parser_method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``add_argument`` declares an option, ``parse_args`` gives them all."""
    if name == "add_argument":
        _declare(interp, ref, obj, site)
        return UNKNOWN
    if name in ("add_argument_group", "add_mutually_exclusive_group"):
        return ref
    if name in ("parse_args", "parse_known_args"):
        said = _said(interp, obj, without_none(site.value(0, "args") or NONE))
        into = without_none(site.value(1, "namespace") or NONE)
        made = _told(interp, {**_given(interp, obj), **said}, into, said)
        return made if name == "parse_args" else TupleValue((made, UNKNOWN))
    if name == "add_subparsers":
        return _subparsers(interp, ref, obj, site)
    if name == "set_defaults":
        for key, arg in site.keywords.items():
            obj = obj.with_attr(key, arg.value)
        interp.update(ref, obj)
    return UNKNOWN


def _said(interp: Interpreter, parser: Obj, written: Value) -> Mapping[str, Value]:
    """What the options are that the words name which a parser is handed.

    Those that take the place of a command line without words, as in ``sys.argv[1:] or ["--bits", "8"]``, are what options usually are:
    a user may say otherwise, and may choose an accelerator where they say that it is the CPU.
    """
    others = [each for each in members(written) if each != Sequence(option(ARGUMENT))]
    said = given_arguments.of(
        interp, parser, [*_commands(interp, parser)], others[0] if len(others) == 1 else written
    )
    if others == [*members(written)]:
        return said
    return {name: _usually(value) for name, value in said.items() if _device(value) != CPU}


def _usually(value: Value) -> Value:
    if not isinstance(value, Const) or value == NONE or _device(value).is_known:
        return value
    return Scalar(type(value.value).__name__, value.value)


def _device(value: Value) -> Device:
    """The device that an option names, where it names one."""
    return parse_device(str(value.value)) if isinstance(value, Const) else UNKNOWN_DEVICE


def initialise_namespace(interp: Interpreter, ref: Ref, site: CallSite) -> None:
    """``argparse.Namespace.__init__(ref, ...)``, which a class of the project inherits."""
    obj = interp.obj(ref)
    interp.update(
        ref, replace(obj, attrs={**obj.attrs, **{k: arg.value for k, arg in site.keywords.items()}})
    )


def _told(interp: Interpreter, given: dict[str, Value], into: Value, said: Mapping[str, Value]) -> Value:
    """The options in a namespace of their own, or in the object or class that a program names for them.

    What that had before takes the place of a default, and not of what was ``said``.
    """

    def kept(name: str, known: Value | None, value: Value) -> Value:
        return value if known is None or name in said else join_values(known, value)

    obj = interp.obj_of(into)
    if isinstance(into, Class):
        for name, value in given.items():
            known = classes.find(interp, into, name)
            interp.assign(into.frame, name, kept(name, known, value))
        return into
    if not isinstance(into, Ref) or obj is None or obj.kind not in ("instance", "external"):
        return interp.new(Obj("external", NAMESPACE, attrs=given))
    if obj.kind == "external" and obj.cls != NAMESPACE:
        return into  # nobody knows which of them it has
    for name, value in given.items():
        known = obj.attrs.get(name)
        if known is None and isinstance(obj.cls, Class):
            known = classes.find(interp, obj.cls, name)
        if not isinstance(known, Function):  # as a property is, which gives what it likes
            obj = obj.with_attr(name, kept(name, known, value))
    interp.update(into, obj)
    return into


def _subparsers(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    commands = interp.new(Obj("external", External(SUBPARSERS), items=()))
    dest = site.value(None, "dest")
    if isinstance(dest, Const) and isinstance(dest.value, str):
        obj = obj.with_attr(dest.value, Scalar("str"))
    interp.update(ref, obj.with_fact(_COMMANDS, commands))
    return commands


def subparsers_method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``add_parser`` makes the parser of one more subcommand."""
    if name != "add_parser":
        return UNKNOWN
    made = parser(interp, name, site)
    interp.update(ref, replace(obj, items=(*(obj.items or ()), made)))
    return made


def _given(interp: Interpreter, obj: Obj) -> dict[str, Value]:
    """The options of a parser, with those of whichever subcommand is asked for.

    A subcommand's function is handed on as a partial one: each is what some run of the program calls.
    """
    given = dict(obj.attrs)
    for command in _commands_of(interp, obj):
        for name, value in _given(interp, command).items():
            option = Partial(value, (), ()) if isinstance(value, Function) else value
            given[name] = join_values(given[name], option) if name in given else option
    return given


def _commands_of(interp: Interpreter, obj: Obj) -> list[Obj]:
    """The parsers of a parser's subcommands."""
    commands = interp.obj_of(obj.facts.get(_COMMANDS, NONE))
    found = [interp.obj_of(each) for each in commands.items or ()] if commands is not None else []
    return [command for command in found if command is not None]


def _commands(interp: Interpreter, obj: Obj) -> Iterator[Obj]:
    """The same with the subcommands of these."""
    for command in _commands_of(interp, obj):
        yield command
        yield from _commands(interp, command)


def is_command(callee: Value) -> bool:
    """Whether a value is the function of a subcommand, as a parser hands it on."""
    return isinstance(callee, Partial) and not callee.args and not callee.keywords


def are_commands(interp: Interpreter, callees: tuple[Value, ...], site: CallSite) -> bool:
    """Whether functions are handed the options and nothing else, as subcommands are: ``COMMANDS[args.command](args)``.

    A program does so in one place: where it does a second time, the option may have said what there is by now.
    """
    functions = len(callees) <= _MANY and all(isinstance(callee, Function) for callee in callees)
    given = [*site.args, *site.keywords.values()]
    if not functions or site.open or not all(_says_how(interp, arg.value) for arg in given):
        return False
    interp.dispatched = interp.dispatched or site.node
    return interp.dispatched is site.node


def _says_how(interp: Interpreter, value: Value) -> bool:
    """Whether a value tells a run what to do, and is nothing that another part of the run made."""
    return isinstance(value, (Const, DeviceValue, Scalar)) or environment.are_options(interp, value)


def _declare(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> None:
    name = parameter_name(site)
    if name is None:
        return
    common = obj.facts.get(_DEFAULT, NONE)
    is_said = "default" in site.keywords or name in obj.attrs  # ``set_defaults`` may come first
    if common not in (NONE, _NOT_THERE) and not is_said and not site.open:
        site = replace(site, keywords={**site.keywords, "default": Arg(common)})
    value, known = option_value(interp, site), obj.attrs.get(name)
    # Of two switches for one thing either can be turned, and what the first is by default counts.
    is_fixed = isinstance(value, Const) and isinstance(value.value, bool)
    told = known if is_fixed and isinstance(known, Scalar) else value
    interp.update(ref, given_arguments.with_option(obj.with_attr(name, told), name, site))


def parameter_name(site: CallSite) -> str | None:
    """Under which name an option is given to the program: that of ``--batch-size`` is ``batch_size``."""
    names = [
        a.value.value for a in site.args if isinstance(a.value, Const) and isinstance(a.value.value, str)
    ]
    dest = site.value(None, "dest")
    if isinstance(dest, Const) and isinstance(dest.value, str):
        return dest.value
    if not names:
        return None
    longest = next((n for n in names if n.startswith("--")), names[0])
    return longest.lstrip("-").replace("-", "_")


def option_value(interp: Interpreter, site: CallSite) -> Value:
    """What an option may be: its default, but the user may say otherwise.

    A device option is taken to be set to the accelerator; that is the program under analysis.
    """
    action = site.value(None, "action")
    default = site.value(None, "default")
    if isinstance(action, Const) and action.value == "store_const":
        return _either(default or NONE, site.value(None, "const") or NONE)
    if isinstance(action, Const) and str(action.value).startswith("store_"):
        unset = bool(default.value) if isinstance(default, Const) else action.value == "store_false"
        # One that stores what it is anyway is a switch that nobody can turn.
        return Const(unset) if unset is (action.value == "store_true") else Scalar("bool", unset)
    if isinstance(default, Const) and isinstance(default.value, str):
        number = _as_number(default.value, site)
        if number is not None:
            return number
        device = parse_device(default.value)
        if device.is_known and (device.is_accelerator or interp.library.as_given):
            return default
        if device.is_known:
            interp.library.entangled = True
            interp.library.host_options.append(interp.site("option", site.node))
            return Const("cuda")
        return Scalar("str", default.value)
    if isinstance(default, Const) and isinstance(default.value, bool):
        return Scalar("bool", default.value)
    if isinstance(default, Const) and isinstance(default.value, (int, float)):
        kind = site.value(None, "type")
        name = "float" if kind == External("builtins.float") else type(default.value).__name__
        return Scalar(name, default.value)
    if default is None or default == NONE:
        left_out = default == NONE or (default is None and _may_be_left_out(site))
        given = _without_default(site)
        return Union((NONE, given)) if left_out else given
    return default


def _either(default: Value, const: Value) -> Value:
    """What an option without an argument may be: its default, or its constant where it is given."""
    if isinstance(default, Const) and isinstance(const, Const) and type(default.value) is type(const.value):
        return default if default == const else Scalar(type(default.value).__name__, default.value)
    return Union((default, const), usual=default)


def _without_default(site: CallSite) -> Value:
    name = parameter_name(site)
    return option(name if name is not None and device_settings.is_called(name) else "")


def _as_number(text: str, site: CallSite) -> Value | None:
    """A default that is written as text is converted as what a user writes is."""
    kind = _NUMBERS.get(site.value(None, "type") or NONE)
    if kind is None:
        return None
    with contextlib.suppress(ValueError):
        return Scalar(kind.__name__, kind(text))
    return None


def _may_be_left_out(site: CallSite) -> bool:
    """Whether a run may be given no such option, which then is None."""
    first = site.args[0].value if site.args else None
    named = isinstance(first, Const) and str(first.value).startswith("-")
    return named and site.value(None, "required") in (None, FALSE)


def undeclared(interp: Interpreter, obj: Obj, name: str) -> Value:
    """An option that nobody declared here."""
    return option(name)
