"""Witness: what a traceback has seen, in the currency of the analysis.

Either the analysis knows the mismatch that the error speaks of, or one is made of what the error says.
Rules then look at facts that hold nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import Mismatch, Operand, Origin
from devfix.placement.blaming.causes import misplaced
from devfix.source import Source
from devfix.tracebacks.blame import Blame
from devfix.tracebacks.call_chain import Step
from devfix.tracebacks.operands import Culprit, forward_parameters, operands
from devfix.tracebacks.readings import Reading, is_host
from devfix.tracebacks.scene import Placed, Scene
from devfix.tracebacks.views import View

#: Kinds of mismatch that one error may be about, as the analysis tells them apart and texts do not.
_GROUPS: tuple[frozenset[str], ...] = (
    frozenset({"device", "optimizer-state", "dispatched"}),
    frozenset({"numpy"}),
    frozenset({"host-only"}),
    frozenset({"generator"}),
    frozenset({"legacy-constructor"}),
    frozenset({"device-string"}),
    frozenset({"worker", "fork", "pin", "framework-pin"}),
    frozenset({"no-leaf"}),
    frozenset({"dispatched", "device"}),
    frozenset({"map-location"}),
    frozenset({"float64-on-mps"}),
    frozenset({"value-range"}),
    frozenset({"array-dtype"}),
    frozenset(
        "dtype index-dtype target-dtype target-width in-place-dtype mask-dtype float-dtype narrow-float "
        "float64-on-mps".split()
    ),
)


def kinds(kind: str) -> frozenset[str]:
    """The kinds of mismatch that an error of ``kind`` may be about."""
    return frozenset().union(*(group for group in _GROUPS if kind in group))


def known(
    facts: Facts, mismatches: Iterable[Mismatch], reading: Reading, scene: Scene
) -> tuple[list[Mismatch], list[Mismatch]]:
    """The mismatches that the error is about, at its innermost frame that has any; and all of that statement.

    What else is wrong with the statement would fail next.
    """
    wanted = kinds(reading.kind)
    found = [mismatch for mismatch in mismatches if mismatch.kind in wanted]
    for depth, placed in enumerate(reversed(scene.placed)):
        here = [mismatch for mismatch in found if _is_at(facts, mismatch, placed)]
        if depth and reading.kind == "device":
            # Further out, other operations of the line have nothing to do with the error.
            here = [mismatch for mismatch in here if _leads_inwards(mismatch, placed)]
        if here:
            return _most_exact(_of_kind(here, reading.kind), placed), here
    return [], []


def _leads_inwards(mismatch: Mismatch, placed: Placed) -> bool:
    """Whether the mismatch is that of the call that the frame is in, as far as carets tell."""
    marked = placed.marked
    return marked is None or mismatch.sink == marked


def agrees(mismatch: Mismatch, found: Blame) -> bool:
    """Whether the analysis blames what PyTorch blames; where they differ, PyTorch is right."""
    blamed = misplaced(mismatch) if mismatch.kind == "device" else None
    if blamed is None or len(found.culprits) != 1 or not is_host(found.suspicion.device):
        return True
    one, other = "".join(blamed.text.split()), "".join(found.culprits[0].text.split())
    return one in other or other in one


def near(facts: Facts, reading: Reading, scene: Scene) -> list[Mismatch]:
    """Mismatches that the error may be about: in a function of the traceback, or the only ones there are.

    A backward pass, an optimizer and a loader fail elsewhere than where the mismatch is made.
    """
    wanted = kinds(reading.kind)
    found = [mismatch for mismatch in facts.mismatches() if mismatch.kind in wanted]
    for placed in reversed(scene.placed):
        here = [mismatch for mismatch in found if _is_in_function(facts, mismatch, placed)]
        if here:
            return _of_kind(here, reading.kind)
    return found if len({(mismatch.path, mismatch.sink) for mismatch in found}) == 1 else []


def _of_kind(found: list[Mismatch], kind: str) -> list[Mismatch]:
    """Those of just this kind, if there are any."""
    return [mismatch for mismatch in found if mismatch.kind == kind] or found


def _is_at(facts: Facts, mismatch: Mismatch, placed: Placed) -> bool:
    source = placed.source
    if source is None or not placed.line or mismatch.path != source.path:
        return False
    if mismatch.sink.line <= placed.line <= mismatch.sink.end_line:
        return True
    statement = facts.outline(source.path).statement_at(mismatch.sink)
    if statement is None or hasattr(statement, "body"):
        return False
    span = source.span(statement)
    return span.line <= placed.line <= span.end_line


def _is_in_function(facts: Facts, mismatch: Mismatch, placed: Placed) -> bool:
    source = placed.source
    if source is None or not placed.line or mismatch.path != source.path:
        return False
    outline = facts.outline(source.path)
    node = outline.statement_at(mismatch.sink)
    function = outline.function_of(node) if node is not None else None
    if function is None:
        return placed.frame.function in ("", "<module>")
    span = source.span(function)
    return span.line <= placed.line <= span.end_line


def _most_exact(found: list[Mismatch], placed: Placed) -> list[Mismatch]:
    """Of several on one line, those that the carets underline."""
    marked = placed.marked
    if marked is None or len(found) == 1:
        return found
    exact = [mismatch for mismatch in found if mismatch.sink == marked]
    return exact or [mismatch for mismatch in found if marked.overlaps(mismatch.sink)] or found


# ---- a mismatch of what the error says

#: Kinds whose rules can do with what a traceback knows.
_MADE = frozenset(
    "device numpy host-only dtype index-dtype target-dtype mask-dtype float-dtype narrow-float array-dtype".split()
)


def witnessed(reading: Reading, found: Blame, scene: Scene) -> Iterator[Mismatch]:
    """The mismatch that the error names, seen from the calls it went through, the outermost first.

    Only one operand may be accused, its file must be at hand, and it is no module: where a module
    should move, only the analysis knows.
    """
    view, sink, place = found.view, found.sink, found.place
    if reading.kind not in _MADE or view is None or sink is None or place is None or not view.from_file:
        return
    if len(found.culprits) != 1 or place.stale == "gone" or found.culprits[0].of_module:
        return
    for step in reversed(found.steps):
        yield _mismatch(reading, found, step.view, step.sink, step.culprit, _callee(step, scene))
    given = operands(
        sink, through_module=scene.tail.through_module, parameters=forward_parameters(scene.tail)
    )
    peers = [
        _operand(view, role, node, found.suspicion.peer)
        for role, node in given.items()
        if node is not found.culprits[0].node
    ]
    two = len(given) == 2
    peers = [peer for peer in peers if two or peer.role == "weight"]
    yield _mismatch(reading, found, view, sink, found.culprits[0], peers)


def _callee(step: Step, scene: Scene) -> list[Operand]:
    """The module that was called, when its own parameters are what the operand meets."""
    if not scene.tail.through_module or not isinstance(step.sink.func, (ast.Name, ast.Attribute)):
        return []
    named = step.parameter and isinstance(step.sink.func, ast.Name) and step.sink.func.id[:1].islower()
    return [_operand(step.view, "weight", step.sink.func, "cuda")] if named else []


def _operand(view: View, role: str, node: ast.expr, device: str) -> Operand:
    kept = _kept(node)
    where = device.partition(":")[0] or None
    return Operand(view.text(kept), role, view.source.path, view.source.span(kept), where)


def _kept(node: ast.expr) -> ast.expr:
    """The name that an expression takes its device from: ``ids`` of ``ids[:, 1:].flatten()``."""
    inner = node
    while True:
        if isinstance(inner, ast.Subscript):
            inner = inner.value
        elif (
            isinstance(inner, ast.Call)
            and isinstance(inner.func, ast.Attribute)
            and inner.func.attr in _KEEPING
        ):
            inner = inner.func.value
        else:
            break
    return inner if isinstance(inner, (ast.Name, ast.Attribute)) else node


#: Methods whose result is where their tensor is.
_KEEPING = frozenset(
    "flatten view reshape squeeze unsqueeze transpose permute contiguous expand repeat t float long half double detach clone mean sum"
    " softmax log_softmax sigmoid exp log abs argmax".split()
)


def _mismatch(
    reading: Reading, found: Blame, view: View, sink: ast.AST, culprit: Culprit, peers: Sequence[Operand]
) -> Mismatch:
    suspicion = found.suspicion
    source, outline = view.source, Outline(view.source)
    trail = tuple(_trail(culprit.node, source, outline))
    blamed = Operand(
        culprit.text,
        culprit.role,
        source.path,
        source.span(culprit.node),
        suspicion.device.partition(":")[0] or None,
        suspicion.dtype or None,
        trail,
    )
    detail = {"scope": outline.scopes(sink)[0], "wanted": suspicion.wanted or reading.wanted}
    if reading.kind == "numpy":
        detail["grad"] = "yes"  # nothing says that it does not require grad, and detaching is free
    if reading.family.name == "index-types":
        detail["either"] = "1"  # an index or a mask
    operation = f"torch.{found.call}" if found.call else reading.operator
    others = tuple(peers) if reading.kind == "device" else ()
    facts = tuple(sorted((key, value) for key, value in detail.items() if value or key == "scope"))
    return Mismatch(reading.kind, source.path, source.span(sink), operation, (blamed, *others), facts)


def _trail(node: ast.expr, source: Source, outline: Outline) -> Iterator[Origin]:
    """The one place that gives the operand its name, in the function that uses it."""
    if isinstance(node, ast.Name):
        function = outline.function_of(node)
        around: ast.AST = function if function is not None else source.tree
        bound = [each for each in ast.walk(around) if _binds(each, node.id)]
        if len(bound) == 1 and isinstance(bound[0], ast.Name) and outline.function_of(bound[0]) is function:
            yield Origin("name", source.path, source.span(bound[0]), node.id, outline.scopes(node)[0])


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.arg):
        return node.arg == name
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)


# ---- what the analysis knows of operands that the error does not name


def settled(facts: Facts, found: Blame) -> Blame:
    """The blame with the operand that is on the CPU for all that the analysis knows, if one of two is."""
    suspicion, view, sink = found.suspicion, found.view, found.sink
    if suspicion.roles or suspicion.device != "cpu" or view is None or sink is None or not view.from_file:
        return found
    given = operands(sink, through_module=False)
    outline = facts.outline(view.source.path)
    where = {role: _device_of(facts, outline, node) for role, node in given.items()}
    if len(given) != 2:
        return found
    hosts = [role for role, device in where.items() if device == "cpu"]
    placed = [role for role, device in where.items() if device == "accelerator"]
    odd = (
        hosts
        if len(hosts) == 1
        else [role for role in given if role not in placed]
        if len(placed) == 1
        else []
    )
    if len(odd) != 1:
        return found
    node = given[odd[0]]
    other = next(view.text(given[role]) for role in given if role != odd[0])
    how = f"the analysis knows where `{other}` is" if placed else "the analysis follows it"
    told = replace(suspicion, roles=(odd[0],), peer="cuda", how=how)
    return replace(found, suspicion=told, culprits=(Culprit(odd[0], view.text(node), node),))


def contradicts(facts: Facts, found: Blame) -> bool:
    """Whether the program moves the operand that was on the CPU: then it is not the program that ran."""
    if found.view is None or not found.view.from_file or not is_host(found.suspicion.device):
        return False
    outline = facts.outline(found.view.source.path)
    return any(_device_of(facts, outline, culprit.node) == "accelerator" for culprit in found.culprits)


def _device_of(facts: Facts, outline: Outline, node: ast.expr) -> str:
    """Where every binding of a name is: ``cpu``, ``accelerator``, or "" when that is not known."""
    kept = _kept(node)
    path = outline.source.path
    if isinstance(kept, ast.Name):
        own = facts.bindings(path, outline.scopes(kept)[0]).get(kept.id, [])
    elif isinstance(kept, ast.Attribute) and isinstance(kept.value, ast.Name):
        function = outline.function_of(kept)
        receiver = outline.receiver_name(function)
        scope = outline.scope(function) if function is not None else ""
        own = facts.bindings(path, scope).get(f"self.{kept.attr}", []) if kept.value.id == receiver else []
    else:
        own = []
    kinds = {
        binding.device.kind for binding in own if binding.kind == "tensor" and binding.device is not None
    }
    return next(iter(kinds)) if len(kinds) == 1 and all(binding.kind == "tensor" for binding in own) else ""
