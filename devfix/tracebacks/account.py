"""Account: the explanation of one error in words: what is wrong, who is to blame, what to do."""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from devfix.registry import Rule
from devfix.tracebacks import advice, sentences
from devfix.tracebacks.blame import Blame, blame
from devfix.tracebacks.choice import Choice
from devfix.tracebacks.operands import forward_parameters, operands
from devfix.tracebacks.raised import Raised
from devfix.tracebacks.readings import Reading
from devfix.tracebacks.repair import Repair, repair
from devfix.tracebacks.scene import Files, Placed, Scene
from devfix.tracebacks.suspicion import spoken


@dataclass(frozen=True)
class Account:
    """All that is said of one error.

    ``rules`` are the names of the rules that explain it further; ``notes`` tell of frames and files that
    do not go together, and of anything else to know before the fix is trusted.
    """

    raised: Raised
    reading: Reading
    what: str
    who: tuple[str, ...]
    todo: str
    rules: tuple[str, ...]
    blame: Blame
    repair: Repair
    notes: tuple[str, ...] = ()
    others: tuple[Raised, ...] = ()

    @property
    def place(self) -> Placed | None:
        """The innermost place in the user's code."""
        return self.blame.place


def account(choice: Choice, files: Files, rules: Sequence[Rule]) -> Account:
    """The account of the chosen error; the files are read, never run."""
    scene, reading = choice.scene(files), choice.reading
    found = blame(reading, scene)
    mended = repair(reading, found, scene, rules)
    found = mended.blame or found
    names = dict.fromkeys([*(finding.rule for finding in mended.findings), *advice.rules_for(reading, found)])
    return Account(
        choice.raised,
        reading,
        _what(reading, found),
        tuple(_who(reading, found, mended, scene)),
        _todo(reading, found, mended),
        tuple(names),
        found,
        mended,
        tuple(_notes(scene, mended)),
        choice.others,
    )


# ---- what is wrong


class _Words(dict[str, str]):
    """The words of a message for the templates of its family."""

    def __missing__(self, key: str) -> str:
        return "of another dtype" if key in ("found", "wanted") or key.startswith("is_") else "it"


def _filled(template: str, reading: Reading) -> str:
    """A template with the words of the message in it."""
    words = _Words(reading.words)
    words.update({f"is_{role}": dtype for role, dtype in reading.dtypes.items() if dtype})
    own = {
        "argument": reading.argument,
        "operator": reading.operator,
        "found": reading.found,
        "wanted": reading.wanted,
        "on": spoken(reading.on),
        "others": spoken(reading.others),
    }
    words.update({key: value for key, value in own.items() if value})
    for key in ("wanted_device", "found_device"):
        if key in words:
            words[key] = spoken(words[key].lower())
    return string.Formatter().vformat(template, (), words)


def _what(reading: Reading, found: Blame) -> str:
    if reading.kind == "optimizer-state" and reading.family.kind != "optimizer-state":
        return "The step of an optimizer met tensors on two devices: its own state (or a gradient) is not where the parameter is."
    if reading.family.says:
        return _filled(reading.family.says, reading)
    operation = sentences.operation(reading.operator, found.call)
    operation = f"{operation} (most likely)" if found.guessed else operation
    if reading.kind == "device":
        devices = reading.all_devices
        pair = f", {spoken(devices[0])} and {spoken(devices[1])}" if len(devices) > 1 else ""
        return f"{operation} got tensors on two devices{pair}."
    named = [
        dtype for dtype in dict.fromkeys([*reading.dtypes.values(), reading.found, reading.wanted]) if dtype
    ]
    pair = f", {named[0]} and {named[1]}" if len(named) > 1 else ""
    return f"{operation} got tensors of two dtypes{pair}, and does not convert by itself."


def _todo(reading: Reading, found: Blame, mended: Repair) -> str:
    titles = dict.fromkeys(finding.fix.title for finding in mended.findings if finding.fix is not None)
    if mended.changed and titles:
        return f"{_capital('; '.join(titles))}: the fix below does it."
    if reading.family.advice:
        return _filled(reading.family.advice, reading)
    return advice.what_to_do(reading, found) if reading.kind else ""


# ---- who is to blame


def _who(reading: Reading, found: Blame, mended: Repair, scene: Scene) -> Iterator[str]:
    """The sentences that blame, each with how it is known."""
    if not reading.kind or reading.kind == "absent-device":
        return
    if mended.witness in ("analysis", "nearby"):
        yield from dict.fromkeys(f"{_capital(finding.message)}." for finding in mended.findings)
        return
    how = f" {_capital(found.suspicion.how)}." if found.suspicion.how else ""
    met = sentences.meets(found.suspicion)
    also = f", and {met}" if met else ""
    if found.culprits:
        yield f"{' Or '.join(sentences.accused(each, found) for each in found.culprits)}{also}.{how}"
        yield from _passed_on(found)
    elif found.suspicion.roles:
        yield f"{sentences.unseen(found.suspicion, scene.tail, found.call)}{also}.{how}"
    elif not reading.family.says or reading.family.kind == "device":
        yield _unnamed(found, scene)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _passed_on(found: Blame) -> Iterator[str]:
    for step in found.steps:
        path = step.view.source.path
        yield f"It was passed as `{step.parameter}` from {path}:{step.view.line}, where it is `{step.culprit.text}`."


def _unnamed(found: Blame, scene: Scene) -> str:
    """PyTorch does not say which operand it is: here are those there are."""
    text = "PyTorch does not say which operand is meant."
    if found.view is None or found.sink is None:
        return text
    given = operands(
        found.sink, through_module=scene.tail.through_module, parameters=forward_parameters(scene.tail)
    )
    shown = [f"`{found.view.text(node)}`" for node in given.values() if len(found.view.text(node)) <= 60]
    shown = list(dict.fromkeys(shown))
    if len(shown) < 2:
        return text
    return f"{text} These meet here: {', '.join(shown[:-1])} and {shown[-1]}."


# ---- what else there is to know


def _notes(scene: Scene, mended: Repair) -> Iterator[str]:
    for placed in scene.placed:
        source = placed.source
        if source is None:
            continue
        at = f"line {placed.frame.line} of {source.path}"
        if placed.stale == "moved":
            yield f"{at} has changed since: that code is in line {placed.line} now"
        elif placed.stale == "gone":
            yield f"{at} does not hold that code (any more): the traceback is of another version of the file"
    if mended.witness == "nearby":
        yield "the error shows elsewhere than where it comes from; this is the likely cause"
