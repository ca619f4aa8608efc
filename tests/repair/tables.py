"""Tables: what is printed of all trials."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from repair.trial import DEFAULT, HEALED, UNSAFE, Original, Trial

#: A repair that changes no more lines than this times the mistake is small.
SMALL = 1.5


def report(trials: Sequence[Trial], originals: Sequence[Original]) -> Iterator[str]:
    """All lines of the report."""
    for title, key in _GROUPS:
        yield from _table(title, trials, key)
    yield from _harm(originals)


def _table(title: str, trials: Sequence[Trial], key: Callable[[Trial], str]) -> Iterator[str]:
    groups: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        groups[key(trial)].append(trial)
    yield f"{title:30}{'mutants':>8}{'default':>9}{'unsafe':>9}{'with run':>9}{'ratio':>7}{'small':>7}"
    for name, group in [*sorted(groups.items()), ("all", list(trials))]:
        yield _row(name, group)
    yield ""


def _row(name: str, trials: Sequence[Trial]) -> str:
    plain = [trial for trial in trials if not trial.mutant.adopts]
    shares = [_share(plain, DEFAULT), _share(trials, UNSAFE)]
    shares.append(_share(plain, HEALED) if any(HEALED in trial.repairs for trial in trials) else "")
    ratios = [trial.repairs[UNSAFE].ratio for trial in plain if trial.good(UNSAFE)]
    mean = f"{sum(ratios) / len(ratios):.2f}" if ratios else ""
    small = _percent(sum(ratio <= SMALL for ratio in ratios), len(ratios))
    return f"{name[:29]:30}{len(trials):8}{shares[0]:>9}{shares[1]:>9}{shares[2]:>9}{mean:>7}{small:>7}"


def _share(trials: Sequence[Trial], way: str) -> str:
    return _percent(sum(trial.good(way) for trial in trials), len(trials))


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else ""


def _harm(originals: Sequence[Original]) -> Iterator[str]:
    working = [each for each in originals if each.ran.result is not None]
    alike = sum(not each.changed for each in working)
    whole = sum(not each.broken for each in working)
    yield f"working programs: {len(working)} ({len(originals) - len(working)} do not run here)"
    yield f"  byte-identical after apply           {alike} {_percent(alike, len(working))}"
    yield f"  same RESULT after apply --unsafe     {whole} {_percent(whole, len(working))}"
    for each in working:
        if each.changed or each.broken:
            yield f"  HARM {each.program.name} {'changed ' if each.changed else ''}{_last_line(each.broken)}"


def failure(trial: Trial) -> Iterator[str]:
    """What is said of a mutant that the static repair leaves broken."""
    mutant, repair = trial.mutant, trial.repairs[UNSAFE]
    yield f"FAILED {mutant.name} [{mutant.role}; {mutant.program.style}]{_healed(trial)}"
    if mutant.path:
        yield f"   place: {mutant.program.texts[mutant.path].splitlines()[mutant.line - 1].strip()}"
    yield f"   error: {trial.error.splitlines()[0][:160]}"
    yield f"   after: {_last_line(repair.error)[:160]}"


def _healed(trial: Trial) -> str:
    return "" if HEALED not in trial.repairs else " healed" if trial.good(HEALED) else " NOT HEALED"


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0 if "Traceback" not in text else -1]


_GROUPS: tuple[tuple[str, Callable[[Trial], str]], ...] = (
    ("operator", lambda trial: trial.mutant.operator),
    ("role", lambda trial: trial.mutant.role),
    ("style", lambda trial: trial.mutant.program.style),
)
