"""Functions that are commands: click, typer, fire, tyro and absl give their parameters what the command line says."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import (
    COMMAND_LINE,
    TRUE,
    UNKNOWN,
    Const,
    External,
    Function,
    Obj,
    Scalar,
    Sequence,
    Value,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.python import command_line

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What ``@click.option(...)`` is: it gives one parameter of a function its value.
_OPTION = External("click.option")
#: The kinds of flags of absl whose value is one.
_KINDS = ("bool", "boolean", "float", "integer", "string", "enum")


def option(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``click.option("--lr", default=0.1)`` and ``click.argument("path")``, about to decorate a function."""
    parameter = command_line.parameter_name(site)
    if parameter is None:
        return UNKNOWN
    parameter = parameter.partition("/")[0]  # ``--pretrain/--no-pretrain``
    return interp.new(Obj("external", _OPTION, attrs={parameter: _given(interp, site)}))


def _given(interp: Interpreter, site: CallSite) -> Value:
    default = site.value(None, "default")
    names = [arg.value.value for arg in site.args if isinstance(arg.value, Const)]
    if site.value(None, "is_flag") == TRUE or any("/" in str(name) for name in names):
        return Scalar("bool", isinstance(default, Const) and bool(default.value))
    given = command_line.option_value(interp, site)
    return Sequence(given) if site.value(None, "multiple") == TRUE else given


def with_option(interp: Interpreter, wrapper: Value, function: Function) -> Function:
    """A function that a command's option decorates: called without arguments, it gets that option."""
    declared = interp.obj_of(wrapper)
    if declared is None or declared.cls != _OPTION:
        return function
    return replace(function, defaults=(*function.defaults, *declared.attrs.items()))


def typed_option(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``lr: float = typer.Option(0.1)``: what the parameter is unless somebody says otherwise."""
    if not site.args:
        return UNKNOWN
    first = replace(site, keywords={"default": site.args[0]})
    return UNKNOWN if site.args[0].value == Const(...) else command_line.option_value(interp, first)


def run(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``fire.Fire(main)``, ``typer.run(main)``, ``tyro.cli(main)``: the function is called with the options."""
    function = site.value(0, "component", "function", "f")
    return interp.call(function, CallSite(site.node)) if function is not None else UNKNOWN


def run_and_leave(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``app.run(main)`` of absl: the function is called with what the command line has beside its flags, and the program ends."""
    function = site.value(0, "main")
    if function is not None:
        interp.call(function, CallSite(site.node, (Arg(site.value(1, "argv") or COMMAND_LINE),)))
    interp.state.dead = True
    return UNKNOWN


def flag(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``flags.DEFINE_string("device", "cuda", "...")`` of absl: what holds the flag's value."""
    default = site.value(1, "default")
    declared = replace(site, keywords={} if default is None else {"default": Arg(default)})
    held = {"value": command_line.option_value(interp, declared)}
    return interp.new(Obj("external", External("absl.flags.FlagHolder"), attrs=held))


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "click.option": option,
    "click.argument": option,
    "typer.Option": typed_option,
    "typer.Argument": typed_option,
    **dict.fromkeys(("fire.Fire", "typer.run", "tyro.cli"), run),
    "absl.app.run": run_and_leave,
    **dict.fromkeys((f"absl.flags.DEFINE_{kind}" for kind in _KINDS), flag),
}
