"""Prefilter: files that can have nothing to do with accelerators, told by their bytes, before any parsing.

A file matters when it imports PyTorch or a library that hands out its tensors; so does what imports such a file,
and what those import. All others need not be parsed. The imports of a file that is not parsed are guessed from its text, and
some too many at that: then it is parsed after all.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from devfix.imports import Import
from devfix.suppression import MARKER

#: What the names of such libraries have in them.
_WORDS = (b"torch", b"cuda", b"transformers", b"lightning", b"accelerate", b"diffusers", b"timm", b"dgl")
#: What is looked at closely besides: comments that devfix reads, imports that only a run tells, and where they are looked for.
_MARKER = MARKER.encode()
_IMPORTERS = (b"import_module", b"__import__")
_SEARCH_PATHS = (b"sys.path", b"addsitedir")
_QUOTED = re.compile(rb"[\"'][\w.]*(?:" + b"|".join(_WORDS) + rb")")
_CODING = re.compile(rb"[^\n]*(?:\n[^\n]*)?coding[:=]\s*([-\w.]+)")
_USUAL_CODING = re.compile(rb"utf-?8|latin-?1|ascii|iso-8859-\d+", re.IGNORECASE)

#: ``import a.b, c`` and ``from .a import b, c``, wherever it stands, with names in brackets or on lines that go on.
_IMPORT = re.compile(rb"import(?<!\wimport)\b(?=[\s\\]*(\((?:[^)#]|#[^\n]*)*|(?:[^\n;#\\]|\\\r?\n)*))")
_FROM = re.compile(rb"\bfrom[\s\\]*([.\s\\]*)([\w.]*)[\s\\]*\Z")
_COMMENT = re.compile(rb"#[^\n]*")
_NAME = re.compile(rb"[A-Za-z_][\w.]*")
#: What comes before ``import`` within one statement is not longer.
_FROM_LENGTH = 300


def needs_parsing(data: bytes) -> bool:
    """Whether a glance at the bytes does not tell what a file imports, or the file matters."""
    if any(word in data for word in (*_IMPORTERS, *_SEARCH_PATHS)) or matters(data):
        return True
    coding = _CODING.match(data)
    return coding is not None and _USUAL_CODING.fullmatch(coding[1]) is None


def matters(data: bytes) -> bool:
    """Whether a text is looked at for its own sake."""
    return _MARKER in data or imports_tensors(data)


def imports_tensors(data: bytes) -> bool:
    """Whether a text imports what hands out tensors, or perhaps does."""
    if not any(word in data for word in _WORDS):
        return False
    if any(importer in data for importer in _IMPORTERS) and _QUOTED.search(data) is not None:
        return True
    return any(map(_brings_tensors, _guessed(data)))  # mostly one of the first does


def _brings_tensors(item: Import) -> bool:
    named = (item.module, *item.names)
    return any(word.decode() in name for name in named for word in _WORDS)


def guessed_imports(data: bytes) -> tuple[Import, ...]:
    """The imports that a file has, and perhaps some that it has not."""
    return tuple(dict.fromkeys(_guessed(data)))


def _guessed(data: bytes) -> Iterator[Import]:
    for found in _IMPORT.finditer(data):
        words = [name.decode() for name in _NAME.findall(_COMMENT.sub(b"", found[1]))]
        start = found.start()
        begin = data.find(b"from", max(0, start - _FROM_LENGTH), start)
        source = _FROM.search(data, max(0, begin - 1), start) if begin >= 0 else None
        if source is None or b"\n" in source[0]:  # a comment, say, may end in "from"
            yield from map(Import, words)
        if source is not None:
            yield Import(source[2].decode().strip("."), _level(source), tuple(words) or ("*",))


def _level(source: re.Match[bytes]) -> int:
    """How many dots a relative import begins with."""
    return source[1].count(b".") + len(source[2]) - len(source[2].lstrip(b"."))


def concerned(graph: Mapping[str, Iterable[str]], mattering: Iterable[str]) -> set[str]:
    """The files that belong to programs that matter: those that import such files, and all that either import."""
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for path, imported in graph.items():
        for each in imported:
            importers[each].add(path)
    return reached(graph, reached(importers, mattering))


def reached(graph: Mapping[str, Iterable[str]], start: Iterable[str]) -> set[str]:
    """The nodes at the start and all that can be reached from them."""
    seen = set(start)
    pending = list(seen)
    while pending:
        fresh = set(graph.get(pending.pop(), ())) - seen
        seen |= fresh
        pending.extend(fresh)
    return seen
