"""Commands: what each word of the command line does, from options to an exit code."""

from __future__ import annotations

import difflib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from devfix.baseline.known import Known
from devfix.baseline.wishes import Wishes
from devfix.cache.store import clean as remove
from devfix.config import Asked, Configuration, Settings, configuration_of
from devfix.deferred import Deferred
from devfix.discovery import short_path
from devfix.engine import Engine, with_built_in
from devfix.findings import Applicability
from devfix.guard import ERROR, guarded
from devfix.registry import PackFault, Rule, load
from devfix.remembering import cache_folder, memory_of
from devfix.report.catalogue import render_page, render_rules, render_rules_json
from devfix.report.diff import render_diff
from devfix.report.paint import printable
from devfix.report.results import Results
from devfix.reporting import Output, report_faults, write_bytes, write_results
from devfix.runner import Task, recall_paths, run_paths, run_text
from devfix.timing import Timing
from devfix.usage import UsageError

_STDIN = Path("-")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of ``check`` and ``apply`` as the user gave them."""

    paths: tuple[Path, ...]
    asked: Asked = field(default_factory=Asked)
    diff: bool = False
    unsafe: bool = False
    interactive: bool = False
    wishes: Wishes = field(default_factory=Wishes)
    output: Output = field(default_factory=Output)
    jobs: int | None = None
    stdin_filename: str = "stdin.py"
    cached: bool = False
    cache_dir: Path | None = None
    timing: Timing | None = None

    @property
    def named(self) -> tuple[Path, ...]:
        """The paths, with the file that standard input stands for in its place."""
        return tuple(Path(self.stdin_filename) if path == _STDIN else path for path in self.paths)

    @property
    def filters(self) -> bool:
        """Whether the text comes from standard input."""
        return _STDIN in self.paths


def check(options: Options) -> int:
    """Report findings."""
    return guarded(lambda: _check(options))


def report(options: Options) -> tuple[Engine, Results]:
    """Report findings, and give what was found with what found it; raises what ``guarded`` takes care of."""
    engine = _unloaded_engine(options)
    return engine, _reported(options, engine, _run(options, engine, Task()))


def apply(options: Options) -> int:
    """Apply fixes, or show them as a patch."""
    return guarded(lambda: _apply(options))


def rules(output_format: str) -> int:
    """List the rules."""
    render = render_rules_json if output_format == "json" else render_rules
    return guarded(lambda: _listed(render))


def clean(options: Options) -> int:
    """Remove the cache."""
    return guarded(lambda: _clean(options))


def explain(name: str) -> int:
    """Show one rule's page."""
    return guarded(lambda: _explained(name))


def config(path: Path, asked: Asked, *, as_json: bool) -> int:
    """Say what holds for a file, and why."""
    return guarded(lambda: _config(path, asked, as_json=as_json))


def _say(text: str) -> int:
    sys.stdout.write(text)
    return 0


def _clean(options: Options) -> int:
    missing = [str(path) for path in options.paths if not os.path.lexists(path)]
    if missing:
        raise UsageError(f"{missing[0]} does not exist")
    settings = configuration_of(options.asked).in_folder(_common_folder(options))
    folder, _ = cache_folder(options.paths, settings, options.cache_dir)
    removed = remove(folder)
    return _say(
        f"Removed {removed} files from {folder}.\n" if removed else f"There is no cache in {folder}.\n"
    )


def _listed(render: Callable[[list[Rule]], str]) -> int:
    loaded = load()
    _say(render(with_built_in(loaded.rules)))
    _complain(loaded.faults)
    return ERROR if loaded.faults else 0


def _explained(name: str) -> int:
    loaded = load()
    _complain(loaded.faults)
    return _say(render_page(_find(name, with_built_in(loaded.rules))))


def _config(path: Path, asked: Asked, *, as_json: bool) -> int:
    from devfix.effective import effective, render

    configuration = configuration_of(asked)
    folder = path if path.is_dir() else path.absolute().parent
    engine = engine_with(configuration, configuration.in_folder(folder))
    found = effective(str(path), engine, configuration)
    return _say(json.dumps(found.data, indent=2) + "\n" if as_json else render(found))


def _complain(faults: Sequence[PackFault]) -> None:
    sys.stderr.writelines(f"error: {fault}\n" for fault in faults)


def _find(name: str, known: list[Rule]) -> Rule:
    for rule in known:
        if name.lower() in (rule.code.lower(), rule.name):
            return rule
    family = [rule.code for rule in known if rule.code.lower().startswith(name.lower())]
    if name and family:
        raise UsageError(f"no rule is called `{name}`; those that begin so are {', '.join(family)}")
    near = difflib.get_close_matches(name, [word for rule in known for word in (rule.code, rule.name)], n=1)
    hint = f"did you mean `{near[0]}`?" if near else "`devfix rules` lists them"
    raise UsageError(f"no rule is called `{name}`; {hint}")


def _check(options: Options) -> int:
    engine = _unloaded_engine(options)
    output = output_of(options, engine)
    results = _run(options, engine, Task())
    wishes = options.wishes
    if wishes.write or wishes.update:
        return _record(results, engine, output, keep=wishes.update)
    if wishes.prune:
        from devfix.known_findings import prune

        sys.stderr.write(f"{printable(prune(results, engine))}\n")
    if wishes.add_ignore is not None:
        results = _without_known(results, known_of(options, engine, results), engine, quiet=output.quiet)
        return _ignore(results, options, engine, output)
    return _reported(options, engine, results).exit_code


def _reported(options: Options, engine: Engine, results: Results) -> Results:
    """The results without what is known, once they are written."""
    known = known_of(options, engine, results)
    results = _without_known(results, known, engine, quiet=options.output.quiet)
    write_results(results, output_of(options, engine), engine, sys.stdout)
    return results


def _record(results: Results, engine: Engine, output: Output, *, keep: bool) -> int:
    from devfix.known_findings import record

    _say(f"{printable(record(results, engine, keep=keep))}\n")
    report_faults(results, output)
    return ERROR if results.has_faults else 0


def _ignore(results: Results, options: Options, engine: Engine, output: Output) -> int:
    """Write comments; only where none can be written a finding remains."""
    from devfix.known_findings import ignore

    done = ignore(results, options.wishes.add_ignore or "", options.paths, write=not options.filters)
    stream = sys.stderr if options.filters else sys.stdout
    if options.filters:
        write_bytes(b"".join(_texts(done.results)))
    if done.results.findings:
        write_results(done.results, output, engine, stream)
    else:
        report_faults(done.results, output)
    stream.write(f"{done.told}\n")
    return replace(done.results, written=True).exit_code


def _apply(options: Options) -> int:
    wanted = Applicability.UNSAFE if options.unsafe else Applicability.SAFE
    shows = options.diff or options.filters
    if options.interactive:
        return _apply_asking(options, wanted)
    engine = _unloaded_engine(options)
    output = output_of(options, engine)
    known = known_of(options, engine)
    results = _run(options, engine, Task(wanted, write=not shows, known=tuple(known)))
    results = _without_known(results, known, engine, quiet=options.output.quiet)
    if options.diff:
        write_bytes(render_diff(results, output.paint_of_patch(sys.stdout)))
    elif options.filters:
        write_bytes(b"".join(_texts(results)))
        # The changed text was handed over, which is what writing means here.
        results = replace(results, written=True)
    write_results(results, output, engine, sys.stderr if shows else sys.stdout)
    return results.exit_code


def _apply_asking(options: Options, wanted: Applicability) -> int:
    """As ``_apply``, with the fixes that the user says yes to; one process asks, so one does the work."""
    if options.diff or options.filters:
        raise UsageError("--interactive writes files: it goes neither with --diff nor with `-`")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("--interactive asks on a terminal, and standard input or output is none")
    from devfix.interview import AskingEngine, Interview

    interview = Interview.at(sys.stdout, sys.stdin, options.output.paint_for(sys.stdout))
    engine = AskingEngine.of(engine_of(options), interview)
    known = known_of(options, engine)
    try:
        # What somebody said is nothing to remember.
        task = Task(wanted, write=True, known=tuple(known), in_order=True)
        results = _run(replace(options, jobs=1, cached=False), engine, task)
    except KeyboardInterrupt:
        raise UsageError("interrupted; nothing was written") from None
    results = _without_known(results, known, engine, quiet=options.output.quiet)
    write_results(results, output_of(options, engine), engine, sys.stdout)
    return results.exit_code


def known_of(options: Options, engine: Engine, results: Results | None = None) -> list[Known]:
    """What is known and is neither to be reported nor fixed; raises ConfigError."""
    wishes = options.wishes
    if wishes.commit is None and (wishes.off or engine.settings.baseline is None):
        return []
    from devfix import known_findings

    return known_findings.known_of(wishes, options.named, engine, options.jobs, results)


def _without_known(results: Results, known: Sequence[Known], engine: Engine, *, quiet: bool) -> Results:
    if not known:
        return results
    from devfix.known_findings import without_known

    results, said = without_known(results, known, engine)
    said = [line for line in said if not quiet or line.startswith("warning: ")]
    sys.stderr.writelines(f"{printable(line)}\n" for line in said)
    return results


def _run(options: Options, engine: Engine, task: Task) -> Results:
    results = replace(_results(options, engine, task), policy=options.output.policy, timing=options.timing)
    if options.timing is not None:
        sys.stderr.write(options.timing.text())
    return results


def _results(options: Options, engine: Engine, task: Task) -> Results:
    if options.filters:
        if len(options.paths) > 1:
            raise UsageError("`-` cannot be combined with other paths")
        _ = engine.selection
        return run_text(sys.stdin.buffer.read(), short_path(options.stdin_filename), engine, task)
    timing = options.timing or Timing()
    with timing.phase("looking at what is remembered"):
        memory = memory_of(options.paths, engine.settings, options.cache_dir) if options.cached else None
        recalled = None if memory is None else recall_paths(options.paths, engine, task, memory)
    if recalled is not None:
        return recalled
    with timing.phase("loading the rules"):
        _ = engine.selection
    return run_paths(options.paths, engine, task, jobs=options.jobs, memory=memory, timing=timing)


def engine_of(options: Options) -> Engine:
    """The rules and settings; what is wrong with the options is found before any file is read."""
    options.wishes.check()
    configuration = configuration_of(options.asked)
    engine = engine_with(configuration, configuration.in_folder(_common_folder(options)))
    output_of(options, engine).check()
    return engine


def output_of(options: Options, engine: Engine) -> Output:
    """How results are written: as the options say, or else the settings."""
    return replace(options.output, format=engine.settings.output_format)


def _unloaded_engine(options: Options) -> Engine:
    """The same, but the rules are loaded when they are needed, and so are names of rules looked at then."""
    options.wishes.check()
    configuration = configuration_of(options.asked)
    loaded = Deferred(lambda: [load()])
    engine = Engine(
        Deferred(lambda: loaded[0].rules),
        configuration.in_folder(_common_folder(options)),
        pack_faults=Deferred(lambda: loaded[0].faults),
        configuration=configuration,
    )
    output_of(options, engine).check()
    return engine


def engine_with(configuration: Configuration, settings: Settings) -> Engine:
    """The rules with settings for the run and for each file; raises ConfigError."""
    loaded = load()
    engine = Engine(loaded.rules, settings, pack_faults=loaded.faults, configuration=configuration)
    _ = engine.selection
    return engine


def _common_folder(options: Options) -> Path:
    try:
        common = Path(os.path.commonpath([os.path.abspath(path) for path in options.named]))
    except ValueError:
        # Different drives have nothing in common.
        return Path()
    return common if common.is_dir() else common.parent


def _texts(results: Results) -> Iterator[bytes]:
    """What standard input became; nothing when it could not be read, so that no editor empties a file."""
    for report in results.reports:
        if report.skipped is None:
            yield results.sources[report.path].encode(report.new_text)
