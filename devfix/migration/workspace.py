"""Workspace: the files of one repository as they are before and after, for one worker and one run."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from devfix.migration.git import Git

_LINK = "120000"


class Workspace:
    """A folder with the files of a clone. Nobody else uses it; the clone's own settings make no program run."""

    def __init__(self, folder: Path, name: str, clone: Git, base: str) -> None:
        # Some programs know the name of the folder they live in.
        self.tree = folder / "files" / name
        self.temporary = folder / "temporary"
        self.base = base
        self.git = replace(clone, index=folder / "index", tree=self.tree)
        self._shown = ""
        self.tree.mkdir(parents=True)
        self.temporary.mkdir()

    def show(self, tree: str) -> Path:
        """Let the folder hold the files of a commit or tree."""
        if not self._shown:
            self._fill(tree)
        elif tree != self._shown:
            changed = self.git.run("diff-tree", "-r", "-z", "--name-only", self._shown, tree)
            self.git.run("read-tree", tree)
            self.git.run("checkout-index", "-f", "-z", "--stdin", data=changed)
        self._shown = tree
        return self.tree

    def _fill(self, tree: str) -> None:
        self.git.run("read-tree", tree)
        self.git.run("checkout-index", "-a", "-f", "-q")
        # What asks git for a version, as a build may, finds the history.
        (self.tree / ".git").write_text(f"gitdir: {self.git.folder.resolve()}\n", encoding="utf-8")
        self._drop_ways_out(tree)

    def _drop_ways_out(self, tree: str) -> None:
        """Take links away that lead out of the folder: nothing outside is to be read or written by them."""
        root = os.path.realpath(self.tree)
        listing = self.git.run("ls-tree", "-r", "-z", tree)
        links = (
            record.split(b"\t", 1)[1] for record in listing.split(b"\0") if record.startswith(_LINK.encode())
        )
        out = []
        for link in links:
            path = os.path.join(root, os.fsdecode(link))
            if not is_below(os.path.realpath(path), root):
                out.append(path)
        for path in out:
            os.unlink(path)

    def store(self, paths: Iterable[str]) -> str:
        """The tree with these files as they are in the folder now."""
        root = os.path.realpath(self.tree)
        # A link is not what was changed, but the file it leads to.
        real = {os.path.relpath(os.path.realpath(self.tree / path), root) for path in paths}
        listed = b"".join(os.fsencode(path) + b"\0" for path in sorted(real))
        self.git.run("update-index", "-z", "--stdin", data=listed)
        self._shown = self.git.text("write-tree")
        return self._shown

    def restore(self, diff: bytes) -> str:
        """The tree that a diff makes of the base."""
        scratch = replace(self.git, index=self.git.index and self.git.index.with_name("scratch"))
        scratch.run("read-tree", self.base)
        scratch.run("apply", "--cached", "--binary", "--whitespace=nowarn", "--unidiff-zero", data=diff)
        return scratch.text("write-tree")

    def diff(self, tree: str) -> bytes:
        """What changes from the base to a tree."""
        words = (
            "diff-tree",
            "-r",
            "-p",
            "--binary",
            "--full-index",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
        )
        return self.git.run(*words, self.base, tree)


def is_below(path: str, root: str) -> bool:
    """Whether a real path is a folder or lies in it."""
    return path == root or path.startswith(root + os.sep)
