"""Options about settings, which several commands take in the same way."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import typer

from devfix.cli import completion
from devfix.cli.options import words

_Words = list[str] | None


def _rules(help_text: str) -> Any:
    return Annotated[_Words, typer.Option(metavar="RULES", help=help_text, autocompletion=completion.rules)]


def _files(help_text: str, metavar: str = "GLOB") -> Any:
    return Annotated[_Words, typer.Option(metavar=metavar, help=help_text)]


#: The options, with their defaults; each that takes words is a field of ``Asked``.
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "select": (_rules("Run only these rules: codes, prefixes, names or ALL, separated by commas."), None),
    "ignore": (_rules("Do not run these rules."), None),
    "extend_select": (_rules("Run these rules too."), None),
    "per_file_ignores": (_files("Do not run these rules on these files.", "GLOB:RULE"), None),
    "extend_per_file_ignores": (
        _files("Do not run these rules on these files either, besides what the settings say.", "GLOB:RULE"),
        None,
    ),
    "fixable": (_rules("Offer and apply the fixes of these rules only."), None),
    "extend_fixable": (_rules("Offer and apply the fixes of these rules too."), None),
    "unfixable": (_rules("Neither offer nor apply the fixes of these rules."), None),
    "exclude": (_files("Leave these files out of folders, instead of those that the settings name."), None),
    "extend_exclude": (_files("Leave these files out too."), None),
    "respect_gitignore": (
        Annotated[
            bool | None,
            typer.Option(
                "--respect-gitignore/--no-respect-gitignore",
                help="Leave out, or do not leave out, what Git ignores.",
            ),
        ],
        None,
    ),
    "force_exclude": (
        Annotated[
            bool | None,
            typer.Option(
                "--force-exclude/--no-force-exclude",
                help="Leave out excluded files even when they are named on the command line.",
            ),
        ],
        None,
    ),
    "config": (
        Annotated[
            _Words,
            typer.Option(
                metavar="FILE|SETTING",
                help="A settings file to use for all files, or a setting such as 'select = [\"DF1\"]'. Repeatable.",
            ),
        ],
        None,
    ),
    "isolated": (
        Annotated[bool, typer.Option("--isolated", "--no-config", help="Take no settings from any file.")],
        False,
    ),
}


def takes_settings(command: Callable[..., None]) -> Callable[..., None]:
    """A command with these options, which are handed to it as ``asked``.

    They are named once, and stand behind the command's own in its help.
    """

    @functools.wraps(command)
    def taking(**given: Any) -> None:
        from devfix.config import Asked

        values = {name: given.pop(name) for name in _OPTIONS}
        config = tuple(values.pop("config") or ())
        others = {name: values.pop(name) for name in ("isolated", "force_exclude", "respect_gitignore")}
        lists = {name: words(value) for name, value in values.items()}
        given_rules = Asked(**lists)  # type: ignore[arg-type]
        asked = replace(given_rules, config=config, **others)
        command(asked=asked, **given)

    # Not `get_type_hints`: in Python 3.10 it makes an Optional of what is None by default, and hides the options.
    # The class of ``asked`` is not loaded for a look at the options.
    own = inspect.signature(command, locals={"Asked": object}, eval_str=True).parameters.values()
    parameters = [each for each in own if each.name != "asked"]
    parameters += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in _OPTIONS.items()
    ]
    # What the framework reads: the options of both.
    taking.__annotations__ = {each.name: each.annotation for each in parameters}
    taking.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return taking
