"""The page of the command line: what `--help` says of each command, as the program itself knows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer.main
from typer.testing import CliRunner

from devfix.cli import app

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

PAGE = "commands.md"
_WIDTH = "110"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Make the page."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - the tests make pages without it

    files.append(File.generated(config, PAGE, content=page()))
    return files


def page() -> str:
    """The text of the page."""
    lines = ["# Commands", "", "What `devfix COMMAND --help` says.", ""]
    for words in commands(typer.main.get_command(app)):
        lines += [f"## devfix {' '.join(words)}", "", "```text", help_of(words), "```", ""]
    return "\n".join(lines)


def commands(group: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words that call each command."""
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if hasattr(command, "commands"):
            yield from commands(command, (*before, name))
        else:
            yield (*before, name)


def help_of(words: tuple[str, ...]) -> str:
    """What a command says of itself."""
    result = CliRunner().invoke(
        app, [*words, "--help"], prog_name="devfix", env={"COLUMNS": _WIDTH}, color=False
    )
    if result.exit_code:
        raise RuntimeError(f"devfix {' '.join(words)} --help: {result.output}")
    return result.stdout.strip()
