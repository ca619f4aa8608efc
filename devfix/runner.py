"""Runner: from paths to results; the only part that reads, writes and uses several processes."""

from __future__ import annotations

import gc
import os
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from devfix import ending, large_programs
from devfix.baseline.known import Known, admitted
from devfix.cache.contents import Tree
from devfix.cache.memory import Memory, program_key
from devfix.cache.unit_store import UnitStore
from devfix.discovery import short_path
from devfix.engine import Engine
from devfix.file_report import Crash, FileReport, Skipped
from devfix.findings import Applicability
from devfix.judgement import is_relevant
from devfix.kept_trees import KeptTrees
from devfix.large_programs import SMALL
from devfix.nesting import deepest
from devfix.pool import Pool
from devfix.prefilter import concerned
from devfix.project import Layout, Program, Project, Scanned, collect, find_roots, load_project, scan, scanned
from devfix.reading import Look, Looks, Recall, look, look_at_each, size_on_disk, unread
from devfix.recall import may_change, recall, settings_key
from devfix.report.results import Results, by_path, for_skipped
from devfix.source import Source, decode_source
from devfix.timing import READING, Spent, Timing, measured
from devfix.writing import places_of, write_reports

#: The trees of so much text are kept from the first look at the files, beside those of the largest program.
KEPT_TREES = 400_000
#: Stands in the place of a program's key for all files that have nothing to do with accelerators.
IDLE = "idle"
#: So many files are read in one go.
_CHUNK = 10


@dataclass(frozen=True, slots=True)
class Task:
    """What to do: only ``check``, or apply the fixes from ``wanted`` on, and write them.

    What is ``known`` is not fixed. Programs are taken ``in_order`` of their paths where somebody watches.
    """

    wanted: Applicability | None = None
    write: bool = False
    known: tuple[Known, ...] = ()
    in_order: bool = False

    @property
    def applying(self) -> bool:
        """Whether fixes are asked for."""
        return self.wanted is not None


def run_paths(
    paths: Sequence[Path],
    engine: Engine,
    task: Task,
    *,
    jobs: int | None = None,
    memory: Memory | None = None,
    timing: Timing | None = None,
) -> Results:
    """Do the task on files and folders; what ``memory`` knows is not found out again."""
    with _collecting_seldom():
        run = _Run(paths, engine, task, jobs or os.cpu_count() or 1, memory, timing or Timing())
        results = run.results()
    return replace(results, pack_faults=tuple(engine.pack_faults))


def recall_paths(paths: Sequence[Path], engine: Engine, task: Task, memory: Memory) -> Results | None:
    """What the task came to when nothing has changed since, without a look at the rules; else None."""
    found = recall(memory, paths, engine.settings, engine.of_files, applying=task.applying)
    if found is None:
        return None
    reports, skipped, sources = found
    return _results([*reports, *for_skipped(skipped)], sources, task)


class _Run:
    """One run on files and folders."""

    def __init__(
        self,
        paths: Sequence[Path],
        engine: Engine,
        task: Task,
        jobs: int,
        memory: Memory | None,
        timing: Timing,
    ) -> None:
        self.paths = paths
        self.engine = engine
        self.task = task
        self.jobs = jobs
        self.memory = memory
        self.timing = timing
        self.looks = Looks(KeptTrees(KEPT_TREES))
        self.layout = Layout(find_roots(paths, engine.settings.src), self.looks.exists)
        #: Targets that have nothing to do with accelerators.
        self.idle: list[str] = []

    def results(self) -> Results:
        """The reports of all files."""
        engine = self.engine
        with self.timing.phase("looking for files"):
            files, passed_over = collect(
                self.paths, engine.of_files, force_exclude=engine.settings.force_exclude
            )
        names, roots = tuple(map(str, files)), self.layout.roots
        engine.prepare(names)
        with self.timing.phase("reading and parsing"):
            project, unreadable = self._load(names, roots)
            programs = project.programs()
        with self.timing.phase("analysis, rules and fixes"):
            groups = self._groups(programs)
        if self.idle:
            groups[IDLE] = tuple(map(FileReport, self.idle))
        if self.memory is not None and not engine.pack_faults:
            tree = Tree(
                self.memory.tool,
                names,
                tuple(passed_over),
                roots,
                programs=groups,
                unreadable=tuple(unreadable),
            )
            with self.timing.phase("remembering"):
                _keep(self.memory, tree, self.looks, engine, applying=self.task.applying)
        reported = list(groups.values())
        if self.task.write:
            places = places_of(self.paths)
            with self.timing.phase("writing"):
                reported = [tuple(write_reports(group, project.sources, places)) for group in reported]
        reports = [report for group in reported for report in group]
        return _results([*reports, *for_skipped([*passed_over, *unreadable])], project.sources, self.task)

    def _load(self, names: Sequence[str], roots: tuple[str, ...]) -> tuple[Project, list[Skipped]]:
        """The files that can have to do with accelerators, and those that cannot be read."""
        named = self._named()
        self._look_at([name for name in names if name in named], closely=True)
        self._look_at([name for name in names if name not in named], closely=False)
        project, skipped = self._project(names, roots)
        graph = project.imports()
        needed = concerned(graph, [path for path in graph if self.looks.scanned(path).matters])
        glanced = [path for path in sorted(needed) if self.looks.scanned(path).glanced]
        if glanced or len(needed) < len(graph):
            self._look_at(glanced, closely=True)
            self.idle = [name for name in names if name in graph and name not in needed]
            left = frozenset(self.idle)
            project, skipped = self._project([name for name in names if name not in left], roots)
        return project, skipped

    def _named(self) -> frozenset[str]:
        """The files that the user asks about by name, and not as parts of a folder: they are parsed whatever is in them."""
        return frozenset(short_path(os.fspath(path)) for path in self.paths)

    def _look_at(self, names: Sequence[str], *, closely: bool) -> None:
        self.looks.add(_look_at_all(names, self.jobs, self._known, closely=closely), self._imported_by)

    def _imported_by(self, file: Scanned) -> list[str]:
        return self.layout.dependencies(file.source.path, file.imports)

    @cached_property
    def _known(self) -> Recall | None:
        return None if self.memory is None or not self.memory.past.known else self.memory.known

    def _project(self, names: Sequence[str], roots: tuple[str, ...]) -> tuple[Project, list[Skipped]]:
        return load_project(
            names, roots, device_policy=self.engine.device_policy, read=self._read, layout=self.layout
        )

    def _read(self, path: str) -> Scanned | Skipped:
        if path not in self.looks.files:
            self.looks.add([look(path, self._known, closely=False)], self._imported_by)
        return self.looks.files[path].file

    def _groups(self, programs: Sequence[Program]) -> dict[str, tuple[FileReport, ...]]:
        """The reports of each program by its key, in the order of the programs."""
        contents = self.looks.contents()
        of_files = self.engine.of_files
        keyed = {
            program_key(program, contents, settings_key(of_files, program.sources)): program
            for program in programs
        }
        groups = {key: self._recalled(key) for key in keyed}
        missing = [key for key, found in groups.items() if found is None]
        units = (
            None if self.memory is None else UnitStore(self.memory.store, self.memory.tool, self.memory.name)
        )
        worked = _run_programs([keyed[key] for key in missing], self.engine, self.task, self.jobs, units)
        for key, (group, spent) in zip(missing, worked, strict=True):
            groups[key] = tuple(group)
            paths = list(keyed[key].sources)
            self.timing.program(_with_reading(spent, self.looks.seconds(paths)), paths)
        return {key: group for key, group in groups.items() if group is not None}

    def _recalled(self, key: str) -> tuple[FileReport, ...] | None:
        found = None if self.memory is None else self.memory.reports(key)
        if found is not None and self.task.applying and any(map(may_change, found)):
            return None
        return found


def _keep(memory: Memory, tree: Tree, looks: Looks, engine: Engine, *, applying: bool) -> None:
    """Remember a run, unless something about it may be different next time though no file has changed."""
    contents = looks.contents()
    if len(contents) < len(looks.files):
        return  # what could not be read may be readable next time
    reports = [report for group in tree.programs.values() for report in group]
    if any(_is_passing(report) or (applying and may_change(report)) for report in reports):
        return
    asked = sorted(looks.asked.items())
    kept = replace(
        tree,
        files=contents,
        settings=settings_key(engine.of_files, contents),
        present=tuple(path for path, there in asked if there and path not in contents),
        absent=tuple(path for path, there in asked if not there),
    )
    memory.keep_known(looks.known(), kept)
    memory.keep(kept)


def _is_passing(report: FileReport) -> bool:
    """Whether a report tells of more than the content of files: of changes, a crash, or what was too much."""
    return bool(report.fixed or report.new_text or report.crash or report.skipped)


def run_text(data: bytes, name: str, engine: Engine, task: Task) -> Results:
    """Do the task on one text that stands for the file ``name``, which need not exist."""
    source = decode_source(name, data)
    if isinstance(source, Skipped):
        return Results(tuple(for_skipped([source])), {})
    return run_source(source, engine, task)


def run_source(source: Source, engine: Engine, task: Task) -> Results:
    """Do the task on one source in the place of the file at its path, which need not exist."""
    project, _ = load_project(
        [source.path],
        find_roots([Path(source.path)], engine.settings.src),
        device_policy=engine.device_policy,
        read=partial(_scan_instead, source),
    )
    groups = [_run_program(engine, task, program) for program in project.programs()]
    results = _results([report for group in groups for report in group], project.sources, task)
    return replace(results, pack_faults=tuple(engine.pack_faults))


def _results(reports: Iterable[FileReport], sources: Mapping[str, Source], task: Task) -> Results:
    wanted = Applicability.SAFE if task.wanted is None else task.wanted
    return Results(by_path(reports), sources, wanted, task.applying, task.write)


def _scan_instead(source: Source, path: str) -> Scanned | Skipped:
    """Scan ``path``, but take ``source`` for the file it stands for."""
    return scanned(source) if path == source.path else scan(path)


def _look_at_all(names: Sequence[str], jobs: int, recall: Recall | None, *, closely: bool) -> Iterator[Look]:
    if recall is not None or jobs == 1 or sum(map(size_on_disk, names)) <= SMALL:
        # What is known takes no parsing, and the rest is little.
        return (look(name, recall, closely=closely) for name in names)
    chunks = [names[start : start + _CHUNK] for start in range(0, len(names), _CHUNK)]
    pool = Pool(partial(look_at_each, closely=closely), unread, jobs)
    # What is parsed here need not be parsed again, as trees are not handed over.
    return (found for chunk in pool.map_here_too(chunks) for found in chunk)


def check_programs(programs: Sequence[Program], engine: Engine, jobs: int | None = None) -> list[FileReport]:
    """A report for each target of some programs, whose texts need not be on disk."""
    groups = _run_programs(programs, engine, Task(), jobs or os.cpu_count() or 1)
    return [report for group, _ in groups for report in group]


def _run_programs(
    programs: Sequence[Program], engine: Engine, task: Task, jobs: int, units: UnitStore | None = None
) -> list[tuple[list[FileReport], Spent]]:
    # The largest first: it takes longest, and its trees may be there already.
    relevant = list(filter(is_relevant, programs))
    if not task.in_order:
        relevant.sort(key=_length, reverse=True)
    # Another process is worth its start where there is much to do beside the largest.
    rest = sum(map(_length, relevant[1:]))
    ending.come(small_rest=rest <= SMALL)
    work = partial(_timed, engine, task, units, partial(_share, jobs, rest if rest > SMALL else 0))
    pool = Pool(work, lambda program: (_died(program), {}), jobs if rest > SMALL else 1)
    done = dict(zip(map(id, relevant), pool.map(relevant), strict=True))
    return [done[id(program)] if id(program) in done else work(program) for program in programs]


def _length(program: Program) -> int:
    return sum(len(source.text) for source in program.sources.values())


def _share(jobs: int, rest: int, program: Program) -> int:
    """How many of all jobs are those of one program, while the ``rest`` of the text is worked on beside the largest."""
    own = _length(program)
    return max(1, jobs * own // max(1, own + rest))


def _timed(
    engine: Engine, task: Task, units: UnitStore | None, share: Callable[[Program], int], program: Program
) -> tuple[list[FileReport], Spent]:
    """The reports of one program, and what its time was spent on."""
    with measured() as spent:
        reports = _run_program(engine, task, program, units, share(program))
    return reports, spent


def _with_reading(spent: Spent, seconds: float) -> Spent:
    """The same with what it took to read the files before it was known which of them are a program."""
    return {**spent, (READING, ""): spent.get((READING, ""), 0.0) + seconds}


def _run_program(
    engine: Engine, task: Task, program: Program, units: UnitStore | None = None, jobs: int = 1
) -> list[FileReport]:
    """The reports of one program; whatever goes wrong stays within it."""
    try:
        with _collecting_seldom():
            if task.wanted is None:
                return large_programs.checked(engine, program, units, jobs)
            admits = partial(admitted, task.known) if task.known else None
            return large_programs.fixing(engine, program, jobs).fix(program, task.wanted, admits)
    except RecursionError:
        return _without_deepest(engine, task, program)
    except Exception as error:  # noqa: BLE001 - a defect in a rule must not end the run
        message = f"{type(error).__name__}: {error}"
        return list(_crashed(program, message, traceback.format_exc()))
    finally:
        if not ending.leave(program):
            for source in program.sources.values():
                source.forget()


def _without_deepest(engine: Engine, task: Task, program: Program) -> list[FileReport]:
    """The reports of a program that is nested too deeply: of the file that is, and of the rest without it."""
    path = deepest(program)
    if path is None:
        reason = "belongs to a program that is nested too deeply to be analysed"
        return list(for_skipped(Skipped(each, reason) for each in sorted(program.targets)))
    rest = program.without(path)
    reports = _run_program(engine, task, rest) if rest.targets else []
    skipped = [Skipped(path, "is nested too deeply to be analysed")] if path in program.targets else []
    return [*for_skipped(skipped), *reports]


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Trees and states are many, live long and hold few cycles: looking through them often is waste."""
    usual = gc.get_threshold()
    gc.set_threshold(3_000_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _died(program: Program) -> list[FileReport]:
    return list(_crashed(program, "the process that analysed it died", ""))


def _crashed(program: Program, message: str, trace: str) -> Iterator[FileReport]:
    for path in sorted(program.targets):
        yield FileReport(path, crash=Crash(path, message, trace))
