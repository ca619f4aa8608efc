"""``devfix lsp``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def lsp(
    stdio: Annotated[  # noqa: ARG001 - there is no other way
        bool, typer.Option("--stdio", hidden=True, help="As many editors call a server.")
    ] = True,
) -> None:
    """Serve an editor over the Language Server Protocol. Runs no code of yours.

    Only the commands devfix.run and devfix.showProof, which the editor's user calls, run a program. Exit code 2 when the
    packages that `devfix[lsp]` brings are missing.
    """
    try:
        import pygls  # noqa: F401 - only whether it is there
    except ImportError:
        sys.stderr.write(
            "error: the language server needs more packages: pip install 'devfix[lsp]' (in a checkout: '.[lsp]')\n"
        )
        raise typer.Exit(2) from None
    from devfix.lsp.server import serve

    serve()
