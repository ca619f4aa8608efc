"""Commands: what the user asks for by name. Two of them run the user's program; nothing else here does."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcRequestCancelled

import devfix
from devfix.findings import Applicability
from devfix.lsp.actions import edit_for
from devfix.lsp.documents import is_unsaved, path_of, uri_of
from devfix.lsp.folder import folder_of
from devfix.lsp.messages import MendAll, Mended
from devfix.lsp.observed import observed_diagnostics
from devfix.lsp.program import Ended, run_devfix
from devfix.lsp.progress import Progress, progress
from devfix.lsp.proof_page import proof_page

if TYPE_CHECKING:
    from devfix.lsp.server import DevfixServer
    from devfix.lsp.session import Session

_Command = Callable[["Session", Sequence[Any]], Awaitable[Any]]


def register(server: DevfixServer) -> None:
    """Let a client call the commands."""
    commands: Mapping[str, _Command] = {
        "devfix.applyAll": _apply_all,
        "devfix.run": _run,
        "devfix.showProof": _show_proof,
        "devfix.debugInformation": _debug_information,
    }
    for name, command in commands.items():
        _register(server, name, command)


def _register(server: DevfixServer, name: str, command: _Command) -> None:
    @server.command(name)
    async def called(*arguments: Any) -> Any:
        try:
            return await command(server.session, arguments)
        except asyncio.CancelledError:
            # pygls would wait for ever for the result of a command that ended like this.
            raise JsonRpcRequestCancelled("it was called off") from None


async def _apply_all(session: Session, arguments: Sequence[Any]) -> dict[str, Any]:
    """Apply fixes in a folder of the workspace (the first one): ``[uri]``, ``{"unsafe": true}``."""
    unsafe = any(isinstance(each, Mapping) and each.get("unsafe") is True for each in arguments)
    folder = _folder(session, arguments)
    wanted = Applicability.UNSAFE if unsafe else Applicability.SAFE
    # What was never saved is no file yet.
    unsaved = tuple(document.path for document in session.documents.unsaved())
    async with progress(session, "devfix: fixing all files") as bar:
        mended = await bar.unless_cancelled(session.worker.ask(MendAll(folder, wanted, unsaved), Mended))
    if mended.refusal:
        session.say(f"Nothing was changed: {mended.refusal}.", types.MessageType.Warning)
        return {"applied": False, "files": 0}
    edit = edit_for(session, mended)
    if edit is None:
        session.say("There is nothing to fix." if not mended.texts else "Files changed meanwhile; try again.")
        return {"applied": False, "files": 0}
    # As one refactoring: VS Code saves such files, and leaves no editor open for each.
    whole = types.WorkspaceEditMetadata(is_refactoring=True)
    request = types.ApplyWorkspaceEditParams(edit, "devfix: apply all fixes", whole)
    answer = await session.server.workspace_apply_edit_async(request)
    return {"applied": answer.applied, "files": len(mended.texts)}


def _folder(session: Session, arguments: Sequence[Any]) -> str:
    named = next((session.documents.path(each) for each in arguments if isinstance(each, str)), None)
    if named is None:
        return session.home
    inside = named if named in session.folders else folder_of(named, session.folders)
    return inside or os.path.dirname(named)


async def _run(session: Session, arguments: Sequence[Any]) -> dict[str, Any]:
    """Run a script on the simulated accelerator, ``uri, [arguments]``, and show its mismatches."""
    script, words = _program(arguments)
    folder = folder_of(script, session.folders) or os.path.dirname(script)
    async with progress(session, f"devfix run {os.path.basename(script)}") as bar:
        _warn_of_unsaved(session)
        with tempfile.TemporaryDirectory(prefix="devfix-") as place:
            report = Path(place) / "report.json"
            options = ["--quiet", "--output-format", "json", "--output", str(report)]
            ended = await _devfix(session, bar, ["run", *options], [script, *words], folder)
            document = _read(report)
    if document is None:
        session.say(f"devfix run: {_last_line(ended)}", types.MessageType.Error)
        return {"exitCode": ended.status, "mismatches": None}
    shown = observed_diagnostics(session, document, folder)
    before, session.observed = session.observed, shown
    session.show({*before, *shown})
    count = int(document["summary"]["mismatches"])
    session.say(
        f"{os.path.basename(script)}: {count} mismatch{'es' if count != 1 else ''} on the accelerator."
    )
    return {"exitCode": ended.status, "mismatches": count}


async def _show_proof(session: Session, arguments: Sequence[Any]) -> dict[str, Any]:
    """Run a script before and after the fixes, ``uri, [arguments]``, and show what that proves."""
    script, words = _program(arguments)
    folder = folder_of(script, session.folders) or os.path.dirname(script)
    async with progress(session, f"devfix prove {os.path.basename(script)}") as bar:
        _warn_of_unsaved(session)
        call = ["prove", "--output-format", "json", script]
        ended = await _devfix(session, bar, call, ["--", *words] if words else [], folder)
    document = _parsed(ended.output)
    if ended.status not in (0, 1) or document is None:
        session.say(f"devfix prove: {_last_line(ended)}", types.MessageType.Error)
        return {"exitCode": ended.status, "text": ended.output}
    page = proof_page(document)
    if session.client.shows_documents:
        name = f"devfix-proof-{Path(script).stem}-"
        with tempfile.NamedTemporaryFile(
            "w", prefix=name, suffix=".md", delete=False, encoding="utf-8"
        ) as file:
            file.write(page)
        await session.server.window_show_document_async(types.ShowDocumentParams(uri_of(file.name)))
    else:
        session.say(page.strip())
    return {"exitCode": ended.status, "text": page}


async def _debug_information(session: Session, _arguments: Sequence[Any]) -> dict[str, Any]:
    """What the server believes, for reports of defects of its own."""
    documents = {
        document.uri: {
            "version": document.version,
            "sha256": sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest(),
        }
        for document in session.documents.texts()
    }
    return {
        "version": devfix.__version__,
        "encoding": session.documents.encoding,
        "pulls": session.client.pulls,
        "folders": list(session.folders),
        "documents": documents,
        "worker": session.worker.pid,
    }


async def _devfix(
    session: Session, bar: Progress, options: list[str], program: list[str], folder: str
) -> Ended:
    python = ["--python", session.options.python] if session.options.python else []
    return await bar.unless_cancelled(run_devfix([*options, *python, *program], folder, bar.report))


def _program(arguments: Sequence[Any]) -> tuple[str, list[str]]:
    script = path_of(arguments[0]) if arguments and isinstance(arguments[0], str) else ""
    if not script:
        raise ValueError("name the script by its URI")
    if is_unsaved(arguments[0]):
        raise ValueError("save it first: what is run is what is saved")
    words = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], Sequence) else ()
    return script, [str(word) for word in words]


def _warn_of_unsaved(session: Session) -> None:
    """What runs is what is saved."""
    unsaved = [
        each
        for each in session.documents
        if each.path.endswith(".py") and not is_unsaved(each.uri) and not _is_saved(each.path, each.text)
    ]
    if unsaved:
        names = ", ".join(os.path.basename(document.path) for document in unsaved)
        session.say(f"What is saved is run; there are unsaved changes in {names}.", types.MessageType.Warning)


def _is_saved(path: str, text: str) -> bool:
    try:
        return Path(path).read_bytes().decode("utf-8-sig", "replace") == text
    except OSError:
        return False


def _read(report: Path) -> dict[str, Any] | None:
    try:
        return _parsed(report.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def _parsed(report: str) -> dict[str, Any] | None:
    try:
        document = json.loads(report)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def _last_line(ended: Ended) -> str:
    lines = (ended.errors.strip() or ended.output.strip()).splitlines()
    return lines[-1] if lines else f"ended with status {ended.status}"
