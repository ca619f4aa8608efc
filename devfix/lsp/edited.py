"""Edited: a program in which somebody is typing, judged again after each edit from what was found out before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from devfix.analysis.reuse.retracing import Retracer
from devfix.engine import Engine
from devfix.findings import Span
from devfix.judgement import Judgement, is_relevant, judge
from devfix.lsp.blank_lines import moved_judgement
from devfix.lsp.padding import PaddedText
from devfix.project import Program
from devfix.source import Source

#: Keeps a block from being broken off.
Undisturbed = Callable[[], AbstractContextManager[None]]

#: Of larger programs not all is kept that is known.
LARGE = 400_000


class EditedProgram:
    """Follows one program from text to text."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._texts = {path: PaddedText(source) for path, source in program.sources.items()}
        self._now = {path: source.text for path, source in program.sources.items()}
        self._retracer = Retracer()
        self._is_sound = True

    def take(self, source: Source) -> bool:
        """Whether another text of one of the files could be followed, and so can be parsed, and imports the same."""
        if not self._is_sound or source.path not in self._texts:
            return False
        self._is_sound = False  # until this is done; it may be broken off
        grafts = self._texts[source.path].edit(source)
        for made in grafts or ():
            self._retracer.edited(made.triggers, made.functions)
        if grafts is not None:
            self._now[source.path] = source.text
        self._is_sound = True
        return grafts is not None

    def is_at(self, program: Program) -> bool:
        """Whether a program is the one that was followed to here."""
        texts = {path: source.text for path, source in program.sources.items()}
        return self._is_like(program) and texts == self._now

    def _is_like(self, program: Program) -> bool:
        """Whether a program differs in its texts at most, all of which are known."""
        ours, theirs = (
            (each.targets, each.device_policy, each.layout.packages, each.adopts, each.sources.keys())
            for each in (self._program, program)
        )
        return self._is_sound and ours == theirs

    def suppose(self, engine: Engine, program: Program, undisturbed: Undisturbed) -> Judgement | None:
        """What the rules would say of the program with other texts, which are forgotten afterwards.

        None where these cannot be followed. What must not be broken off is ``undisturbed``.
        """
        if not self._is_like(program):
            return None
        changed = [source for path, source in program.sources.items() if source.text != self._now[path]]
        with self._retracer.apart(), self._supposed(changed, undisturbed) as taken:
            return self.judge(engine, program) if taken else None

    @contextmanager
    def _supposed(self, sources: list[Source], undisturbed: Undisturbed) -> Iterator[bool]:
        """Let files have other texts inside the block, if that can be."""
        ways_back: list[Callable[[], None]] = []
        self._is_sound = False  # until all is as it was
        try:
            with undisturbed():
                taken = all(self._take_over(source, ways_back) for source in sources)
            yield taken
        finally:
            with undisturbed():
                for back in reversed(ways_back):
                    back()
                self._is_sound = True

    def _take_over(self, source: Source, ways_back: list[Callable[[], None]]) -> bool:
        made = self._texts[source.path].suppose(source)
        if made is None:
            return False
        grafts, back = made
        ways_back.append(back)
        for each in grafts:
            self._retracer.edited(each.triggers, each.functions)
        return True

    def judge(self, engine: Engine, program: Program) -> Judgement:
        """What the rules say of the program, which it must be at."""
        padded = {path: text.source for path, text in self._texts.items()}
        roomy = program.with_sources(padded)
        return moved_judgement(judge(roomy, engine.selection, self._retracer.analyse), self)

    def moved(self, path: str, span: Span) -> Span:
        """Where a span of what was analysed is in the text itself."""
        return self._texts[path].moved(span) if path in self._texts else span


def may_be_followed(program: Program) -> bool:
    """Whether a program is of the kind that can be followed from text to text."""
    sources = program.sources.values()
    small = sum(len(source.text) for source in sources) <= LARGE
    return small and all(source.notebook is None for source in sources) and is_relevant(program)
