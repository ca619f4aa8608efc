"""Memory: what is known of one call of devfix: the files it read, what it looked for in vain, and what it found."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from devfix.cache.contents import Known, Past, Reports, Tree
from devfix.cache.signatures import Signature, digest
from devfix.cache.store import Store
from devfix.project import Program

#: Reports of programs that are not there any more are kept for so many changes of the tree: branches come and go.
_KEPT_CHANGES = 8


Part = TypeVar("Part", Tree, Past)


class Memory:
    """What is remembered of a call: its tree, which is looked at each time, and its past, once that has changed."""

    def __init__(self, store: Store, tool: str, call: Iterable[object]) -> None:
        self.store = store
        self.tool = tool
        self._name = repr((os.getcwd(), *call))
        self.tree = self._found(Tree)
        self._past: Past | None = None

    @property
    def past(self) -> Past:
        """What is known from before; nothing, if need be."""
        if self._past is None:
            self._past = (self._found(Past) if self.tree is not None else None) or Past(self.tool)
        return self._past

    def known(self, path: str, content: str) -> Known | None:
        """What a file's content comes to."""
        return self.past.known.get(kind(path, content))

    def reports(self, key: str) -> Reports | None:
        """What was found in a program, now or some changes ago."""
        current = None if self.tree is None else self.tree.programs.get(key)
        return current if current is not None else self.past.programs.get(key, (0, None))[1]

    @property
    def name(self) -> str:
        """What tells the call from others."""
        return self._name

    def keep(self, tree: Tree) -> None:
        """Take the tree in place of the one that was found; nothing is written that is there already."""
        if tree == self.tree:
            self.store.touch(self._name_of(Tree))
        else:
            self._write(tree)
            self.tree = tree

    def keep_known(self, known: Mapping[str, Known], tree: Tree) -> None:
        """Remember what the contents of files come to; reports of programs as they were are kept for a few changes more."""
        gone = {key: (changes + 1, reports) for key, (changes, reports) in self.past.programs.items()}
        if self.tree is not None:
            gone.update((key, (0, reports)) for key, reports in self.tree.programs.items())
        kept = {
            key: found for key, found in gone.items() if key not in tree.programs and found[0] < _KEPT_CHANGES
        }
        self._past = Past(self.tool, known, kept)
        self._write(self._past)

    def _name_of(self, part: type[Tree | Past]) -> str:
        return digest(f"{part.__name__} {self._name}".encode(errors="surrogateescape"))

    def _write(self, part: Tree | Past) -> None:
        from devfix.cache.codec import encoded  # noqa: PLC0415 - an unchanged tree without findings is never written

        self.store.write(self._name_of(type(part)), encoded(part))

    def _found(self, part: type[Part]) -> Part | None:
        from devfix.cache.codec import CodecError, decoded  # noqa: PLC0415 - as above

        data = self.store.read(self._name_of(part))
        # What another version of devfix wrote has another form: it is known by its first value.
        if not isinstance(data, list) or len(data) < 2 or data[1] != self.tool:
            return None
        try:
            found: Any = decoded(data)
        except (CodecError, RecursionError):
            return None
        return found if isinstance(found, part) else None


def kind(path: str, content: str) -> str:
    """What decides how a file reads: its content, and whether it is a notebook."""
    return f"{content}n" if path.endswith(".ipynb") else content


def program_key(program: Program, files: Mapping[str, tuple[str, Signature | None]], settings: str) -> str:
    """Stands for all that decides what is found in a program; ``settings`` for those of its files."""
    layout = program.layout
    parts: list[object] = [settings, layout.roots, sorted(layout.packages)]
    parts += [program.device_policy, program.adopts]
    parts += [(path, files[path][0], path in program.targets) for path in sorted(program.sources)]
    return digest(repr(parts).encode(errors="surrogateescape"))
