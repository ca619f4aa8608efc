"""Workbench: the work of the language server on the texts it was given; no protocol, no processes."""

from __future__ import annotations

import contextlib
import os
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import singledispatchmethod
from typing import Any

from devfix.analysis.record.seen_values import see
from devfix.discovery import short_path
from devfix.engine import reports, with_built_in
from devfix.file_report import FileReport
from devfix.findings import Finding
from devfix.judgement import is_relevant
from devfix.lsp.buffers import Buffer, carried_over, next_buffer
from devfix.lsp.folder import Folder, folder_of
from devfix.lsp.messages import (
    Check,
    Checked,
    Configure,
    Drop,
    FileView,
    GetReady,
    Mend,
    MendAll,
    Mended,
    NewText,
    Prepare,
    Put,
    Ready,
    Refresh,
    RuleCard,
    See,
    Seen,
    known_by,
)
from devfix.lsp.rule_pages import cache_folder, page_file
from devfix.nesting import deepest
from devfix.project import Program, Scanned
from devfix.registry import load, summary
from devfix.source import NOTEBOOK_SUFFIX, Source

#: Not more texts than these wait to be read.
_MOST_TYPED = 50
_NO_FIX = "the text has changed, or the fix does nothing here"


class Workbench:
    """Answers requests; what it remembers is the folders and the open documents."""

    def __init__(
        self, undisturbed: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
    ) -> None:
        self._undisturbed = undisturbed
        self._loaded = load()
        self._buffers: dict[str, Buffer] = {}
        #: The texts that came since somebody asked, by their paths: many are gone before anybody does.
        self._typed: dict[str, list[Put]] = {}
        self._folders: dict[tuple[str, bool], Folder] = {}
        self._roots: tuple[str, ...] = ()

    def ready(self) -> Ready:
        """What the server is told when the work can begin."""
        pages = cache_folder()
        cards = [
            RuleCard(rule.code, rule.name, summary(rule), page_file(rule, pages))
            for rule in with_built_in(self._loaded.rules)
        ]
        return Ready(os.getcwd(), tuple(cards), tuple(map(str, self._loaded.faults)))

    def answer(self, request: Any) -> Any:
        """What is replied to a request."""
        if not isinstance(request, Put):
            self._read_typed()
        return self._answer(request)

    def _read_typed(self) -> None:
        """Look at the texts that came since the last time."""
        while self._typed:
            with self._undisturbed():
                self._read_text(*next(iter(self._typed.items())))

    def _read_text(self, path: str, requests: Sequence[Put]) -> None:
        texts = [request.text for request in requests]
        before = self._buffers.get(path)
        self._buffers[path] = next_buffer(before, path, texts, requests[-1].revision, self._follow)
        del self._typed[path]
        self._tell_folders(path)

    def _follow(self, before: Buffer | None, source: Source) -> Scanned | None:
        found = (folder.follow(before, source) for folder in self._folders.values())
        return next((each for each in found if each is not None), None)

    @singledispatchmethod
    def _answer(self, request: Any) -> Any:
        raise TypeError(f"{type(request).__name__} is no request")

    @_answer.register
    def _(self, request: Configure) -> None:
        self._roots = request.folders
        self._folders.clear()

    @_answer.register
    def _(self, request: Put) -> None:
        texts = self._typed.setdefault(short_path(request.path), [])
        texts.append(request)
        if len(texts) > _MOST_TYPED:
            self._read_typed()

    @_answer.register
    def _(self, request: Drop) -> None:
        path = short_path(request.path)
        self._buffers.pop(path, None)
        self._tell_folders(path)
        loose = (os.path.dirname(request.path), True)
        if loose in self._folders and not self._folders[loose].has_buffers():
            del self._folders[loose]

    @_answer.register
    def _(self, request: Refresh) -> None:
        for folder in self._folders.values():
            if request.contents_only:
                folder.reread()
            else:
                folder.refresh()

    @_answer.register
    def _(self, request: Check) -> Checked:
        path = short_path(request.path)
        folder = self._folder(request.path)
        provisional = folder.takes_long()
        program = folder.program_of_open(path) if provisional else folder.program_of(path)
        if program is None:
            fault = folder.fault or folder.skipped.get(path, "")
            return Checked({request.path: FileView(self._revision(path), fault=fault)}, provisional)
        return Checked(dict(self._views(folder, program)), provisional)

    @_answer.register
    def _(self, request: Prepare) -> Prepare:
        self._folder(request.path).programs()
        return request

    @_answer.register
    def _(self, request: See) -> Seen:
        path = short_path(request.path)
        folder, buffer = self._folder(request.path), self._buffers.get(path)
        program = folder.program_of_open(path) if folder.takes_long() else folder.program_of(path)
        if program is None or not is_relevant(program) or (buffer is not None and not buffer.is_current):
            return Seen(self._revision(path))
        return Seen(self._revision(path), see(program).get(path, ()))

    @_answer.register
    def _(self, request: GetReady) -> GetReady:
        folder = self._folder(request.path)
        program = folder.program_of(short_path(request.path))
        if program is not None:
            folder.get_ready(program)
            if any(finding.fix is not None for finding in folder.judgement(program).findings):
                with self._undisturbed():
                    import devfix.rewrite  # noqa: F401, PLC0415 - LibCST is not for the start
        return request

    @_answer.register
    def _(self, request: Mend) -> Mended:
        path = short_path(request.path)
        folder = self._folder(request.path)
        program, buffer = folder.program_of(path), self._buffers.get(path)
        if program is None or buffer is None or buffer.revision != request.revision:
            return Mended(refusal=_NO_FIX)
        if request.known is None:
            texts = self._mended_file(folder, program, path, request)
        else:
            texts = self._mended_finding(folder, program, request)
        return self._mended(program, texts)

    @_answer.register
    def _(self, request: MendAll) -> Mended:
        folder = self._folder(os.path.join(request.folder, "any"))
        found: list[NewText] = []
        for whole in folder.programs_with_notebooks():
            program = _without(whole, request.without)
            texts = _new_texts(folder.engine.fix(program, request.wanted, folder.admitted))
            mended = self._mended(program, texts) if texts else Mended()
            if mended.refusal:
                return mended
            found.extend(mended.texts)
        return Mended(tuple(found))

    def _mended_finding(self, folder: Folder, program: Program, request: Mend) -> Mapping[str, str]:
        judgement = folder.judgement(program)
        for finding in judgement.findings:
            if known_by(finding) == request.known:
                return folder.supposing_engine.mend(program, judgement, finding)
        return {}

    def _mended_file(self, folder: Folder, program: Program, path: str, request: Mend) -> Mapping[str, str]:
        """As ``devfix apply`` does it, with the findings of one file alone."""

        def admits(program: Program, findings: Sequence[Finding]) -> list[Finding]:
            new = folder.admitted(program, findings)
            return [each for each in new if each.path == path and request.code in (None, each.code)]

        return _new_texts(folder.supposing_engine.fix(program, request.wanted, admits))

    def _mended(self, program: Program, texts: Mapping[str, str]) -> Mended:
        changes = []
        for path, text in texts.items():
            buffer, source = self._buffers.get(path), program.sources[path]
            if buffer is not None and not buffer.is_current:
                return Mended(refusal=f"{path} cannot be parsed as it stands")
            if buffer is None and not _is_on_disk(source):
                return Mended(refusal=f"{path} has changed on disk")
            revision = None if buffer is None else buffer.revision
            before, after = source.file_text(), source.file_text(text)
            if buffer is not None and buffer.text != before:  # it begins with a byte order mark
                before, after = buffer.text, buffer.text[:1] + text[1:]
            changes.append(NewText(os.path.abspath(path), revision, before, after))
        return Mended(tuple(changes), "" if changes else _NO_FIX)

    def _views(self, folder: Folder, program: Program) -> Iterable[tuple[str, FileView]]:
        try:
            found = reports(program, folder.judgement(program))
        except RecursionError:
            yield from self._without_deepest(folder, program)
        except Exception as error:  # noqa: BLE001 - a defect in a rule must not end the server
            message = f"devfix failed: {type(error).__name__}: {error}"
            yield from self._failed(program, message, traceback.format_exc())
        else:
            for report in found:
                new = tuple(folder.admitted(program, report.findings))
                yield os.path.abspath(report.path), self._view(folder, program, replace(report, findings=new))

    def _view(self, folder: Folder, program: Program, report: FileReport) -> FileView:
        path, buffer = report.path, self._buffers.get(report.path)
        fault, trace = folder.fault, ""
        if report.crash is not None:
            fault, trace = f"devfix failed: {report.crash.message}", report.crash.traceback
        if buffer is None or buffer.is_current:
            return FileView(self._revision(path), report.findings, fault=fault, trace=trace)
        before = program.sources[path].text
        findings = tuple(carried_over(report.findings, path, before, buffer.text))
        return FileView(buffer.revision, findings, stale=True, fault=fault, trace=trace)

    def _without_deepest(self, folder: Folder, program: Program) -> Iterable[tuple[str, FileView]]:
        path = deepest(program)
        if path is None:
            yield from self._failed(program, "belongs to a program that is nested too deeply to be analysed")
            return
        if path in program.targets:
            yield (
                os.path.abspath(path),
                FileView(self._revision(path), fault="is nested too deeply to be analysed"),
            )
        yield from self._views(folder, program.without(path))

    def _failed(self, program: Program, fault: str, trace: str = "") -> Iterable[tuple[str, FileView]]:
        for path in sorted(program.targets):
            yield os.path.abspath(path), FileView(self._revision(path), fault=fault, trace=trace)

    def _revision(self, path: str) -> int | None:
        buffer = self._buffers.get(path)
        return None if buffer is None else buffer.revision

    def _tell_folders(self, path: str) -> None:
        for folder in self._folders.values():
            folder.changed(path)

    def _folder(self, path: str) -> Folder:
        root = None if path.endswith(NOTEBOOK_SUFFIX) else folder_of(path, self._roots)
        key = (os.path.dirname(path), True) if root is None else (root, False)
        if key not in self._folders:
            self._folders[key] = Folder(
                key[0], self._loaded, self._buffers, self._undisturbed, loose=root is None
            )
        return self._folders[key]


def _without(program: Program, paths: Sequence[str]) -> Program:
    for path in map(short_path, paths):
        if path in program.sources:
            program = program.without(path)
    return program


def _new_texts(found: Iterable[FileReport]) -> dict[str, str]:
    return {report.path: report.new_text for report in found if report.new_text is not None}


def _is_on_disk(source: Source) -> bool:
    try:
        with open(source.path, "rb") as file:
            return file.read() == source.encode()
    except OSError:
        return False
