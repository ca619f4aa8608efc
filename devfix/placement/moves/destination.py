"""Destinations: values that come to a tensor on the CPU which is there for good."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import Applicability, Fix, Mismatch, Operand, Origin
from devfix.placement.blaming import wording
from devfix.placement.devices.boundness import is_bound
from devfix.placement.devices.device_expression import Place, is_in_module, place_at
from devfix.placement.modules import moving_back, taken_back
from devfix.placement.moves import aliases, suffixes
from devfix.placement.telling import left_out
from devfix.placement.text.dependence import dotted
from devfix.placement.text.naming import is_path, named_tensor
from devfix.placement.text.provenance import MADE


def is_written(mismatch: Mismatch, operand: Operand) -> bool:
    """Whether the operation writes to the operand in place."""
    return operand.role in ("out", mismatch.get("in_place"))


def is_stored_back(facts: Facts, mismatch: Mismatch, operand: Operand) -> bool:
    """Whether what comes out is written into the tensor that the operand is a part of: ``seen[i] = b * seen[i] + x``."""
    if mismatch.path not in facts.program.sources or operand.path != mismatch.path:
        return False
    outline = facts.outline(mismatch.path)
    node = outline.expression_at(operand.span)
    statement = outline.statement_at(operand.span)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if node is None or not isinstance(target, ast.Subscript):
        return False
    return named_tensor(outline, facts, node) == ast.unparse(target.value)


def is_on_purpose(facts: Facts, mismatch: Mismatch, operand: Operand) -> bool:
    """Whether somebody moved the operand to the CPU for this use, or the module it belongs to.

    Where a program has just been given its device, nobody knew of another one. The weights that a module is lent for a
    call were kept there, and are used where the module is.
    """
    if facts.program.adopts or (operand.held and operand.role == "weight"):
        return False
    trails = [trail for trail in (operand.trail, *operand.roots) if trail]
    # ``x.type(torch.FloatTensor)`` was written where nobody knew of another place.
    moves = [trail[0] for trail in trails if trail[0].kind == "move" and not _is_typed(facts, trail[0])]
    derived = bool(operand.trail) and operand.trail[0].kind == "result"
    if not moves or len(moves) < len(trails) - derived:
        return False
    if derived and _comes_of_module(facts, operand.trail[0]):
        return False  # where the module is says nothing of what comes out of it
    asked = operand.role == "self" and mismatch.operation.endswith(".__getitem__")
    if asked and not derived and all(_is_fetched(facts, move) for move in moves):
        return True  # what was fetched is looked up on the host, wherever that was done: an index is little
    if is_module(mismatch, operand):
        if moving_back.returns(facts, operand) or taken_back.by_framework(facts, operand) is not None:
            return False
        # Whoever puts a module somewhere by name wants it there, unless a call forgot to say where.
        return not any(left_out.handed_on(facts, move) for move in moves)
    return all(move.scope == mismatch.get("scope") or _is_statement(facts, move) for move in moves)


def _is_typed(facts: Facts, move: Origin) -> bool:
    """Whether a type of tensors of the CPU was asked for: ``x.type(torch.FloatTensor)``."""
    place = place_at(facts, move.path, move.span)
    node = place.node if place is not None else None
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "type"


def _is_fetched(facts: Facts, move: Origin) -> bool:
    """Whether a tensor was copied to the CPU by ``x.cpu()``."""
    place = place_at(facts, move.path, move.span)
    node = place.node if place is not None else None
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "cpu"


def stays(mismatch: Mismatch, operand: Operand) -> bool:
    """Whether an operand is nothing that moves where it is used: it is written to, or is the module that is called."""
    return is_written(mismatch, operand) or is_module(mismatch, operand)


def _comes_of_module(facts: Facts, result: Origin) -> bool:
    """Whether a module with a name was called for a result."""
    if result.path not in facts.program.sources:
        return False
    outline = facts.outline(result.path)
    call = outline.expression_at(result.span)
    name = dotted(call.func) if isinstance(call, ast.Call) else None
    if call is None or name is None:
        return False
    receiver = outline.receiver_name(outline.function_of(call))
    name = f"self.{name[len(receiver) + 1 :]}" if receiver and name.startswith(f"{receiver}.") else name
    bindings = [
        each for scope in outline.scopes(call) for each in facts.bindings(result.path, scope).get(name, [])
    ]
    return bool(bindings) and all(binding.kind == "module" for binding in bindings)


def is_module(mismatch: Mismatch, operand: Operand) -> bool:
    """Whether an operand stands for the module that is called, which is never moved where it is used."""
    return operand.role == "weight" and mismatch.get("module") is not None


def _is_statement(facts: Facts, move: Origin) -> bool:
    """Whether a move stands alone, as those of modules do, which move in place."""
    if move.path not in facts.program.sources:
        return False
    outline = facts.outline(move.path)
    statement, node = outline.statement_at(move.span), outline.expression_at(move.span)
    value = statement.value if isinstance(statement, ast.Expr) else None
    # ``net.cpu().eval()`` stands alone as well, ``kept.append(x.cpu())`` does not.
    while value is not node and isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value
    return value is not None and value is node


def kept(facts: Facts, mismatch: Mismatch, operand: Operand, peers: list[Operand]) -> tuple[Fix | None, bool]:
    """What moves the others to the operand, and whether that is where the result is written."""
    stored = is_stored_back(facts, mismatch, operand)
    found = fix(facts, mismatch, operand, peers, anyway=stored)
    return found, stored or is_written(mismatch, operand)


def fix(
    facts: Facts, mismatch: Mismatch, operand: Operand, peers: list[Operand], *, anyway: bool = False
) -> Fix | None:
    """Moves the other operands to the device of this one, where they are used.

    That is wanted where this one is on the CPU for good, or ``anyway``: when it must not move.
    """
    on_purpose = is_on_purpose(facts, mismatch, operand)
    if not (is_written(mismatch, operand) or on_purpose or anyway):
        return None
    outline = facts.outline(mismatch.path) if mismatch.path in facts.program.sources else None
    node = outline.expression_at(operand.span) if outline is not None else None
    if outline is None or node is None or operand.path != mismatch.path:
        return None
    name = named_tensor(outline, facts, node) if not operand.held else None
    if name is None and is_written(mismatch, operand) and not operand.held:
        name = aliases.written_path(outline, node)
    suffix = f".to({name}.device)" if name is not None else _same_move(facts, outline, operand, node)
    kept_here = is_written(mismatch, operand) and suffix == ".cpu()"
    if suffix is None or (name is None and not (on_purpose or kept_here)):
        return None
    movable = [
        peer for peer in peers if peer.path == mismatch.path and not (peer.held or _is_part(mismatch, peer))
    ]
    if not movable or len(movable) < len(peers):
        return None
    wraps = [suffixes.added(facts, outline, outline.expression_at(peer.span), suffix) for peer in movable]
    if not all(wraps):
        return None
    edits = tuple(edit for wrap in wraps for edit in wrap)
    moved = ", ".join(f"`{peer.text}`" for peer in movable)
    return Fix(f"move {moved} to where `{wording.spoken(operand)}` is kept", edits, Applicability.SAFE)


def _same_move(facts: Facts, outline: Outline, operand: Operand, node: ast.expr) -> str | None:
    """What moved the operand moves its peers too: a device that was asked for by name, or the CPU.

    None when the device was asked for by a name that is not known here: it may be another one
    than the CPU when the program is run with other options.
    """
    function = outline.function_of(node)
    receiver = outline.receiver_name(function)
    sites = [trail[0] for trail in (operand.trail, *operand.roots) if trail and trail[0].kind == "move"]
    asked = [_asked(facts, site) for site in sites]
    text = asked[0] if len(set(asked)) == 1 else None
    root = (text or "").partition(".")[0].partition("[")[0]
    here = bool(sites) and outline.scopes(node)[0] == sites[0].scope and sites[0].path == outline.source.path
    if text and here and is_bound(outline, node, root):
        return f".to({text})"
    if (
        operand.role == "weight"
        and is_path(node, ast.Constant)
        and (text != "" or _is_of(node, receiver))
        and _has_parameters(facts, outline, node)
    ):
        # The method serves every module of its class, wherever each of them was put.
        return f".to(next({ast.unparse(node)}.parameters()).device)"
    return ".cpu()" if text == "" else None


def _has_parameters(facts: Facts, outline: Outline, node: ast.expr) -> bool:
    """Whether no module that a name stands for in its turn is one without parameters, such as an activation."""
    bindings = facts.bindings(outline.source.path, outline.scopes(node)[0]).get(dotted(node) or "", [])
    return all(binding.kind == "module" and binding.device is not None for binding in bindings)


def _is_of(node: ast.AST, receiver: str | None) -> bool:
    return receiver is not None and (dotted(node) or "").startswith(f"{receiver}.")


def _asked(facts: Facts, site: Origin) -> str | None:
    """The name of the device that a move asks for, "" for the CPU itself; None for anything else."""
    if site.path not in facts.program.sources:
        return None
    outline = facts.outline(site.path)
    call = outline.expression_at(site.span)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr == "cpu":
        return ""
    if call.func.attr == "type":
        return None
    given = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "device")]
    if not given:
        return None
    if isinstance(given[0], ast.Constant) and given[0].value == "cpu":
        return ""
    if ast.unparse(given[0]).replace('"', "'") == "torch.device('cpu')":
        return ""
    if not is_path(given[0], ast.Constant):
        return None
    return outline.source.segment(outline.source.span(given[0]))


def _is_part(mismatch: Mismatch, peer: Operand) -> bool:
    """Whether an operand is no value of its own at the sink: a module's weight, the sink, what is written to."""
    return peer.held or peer.span == mismatch.sink or stays(mismatch, peer)


def is_sample(place: Place) -> bool:
    """Whether a dataset makes what stands at a place as (a part of) its sample: batches move, not samples."""
    function = place.outline.function_of(place.node)
    return getattr(function, "name", "") in ("__getitem__", "__getitems__")


def is_made_there(facts: Facts, mismatch: Mismatch, operand: Operand) -> bool:
    """Whether the function that uses an operand, or another method of its module, makes it, or what it is computed from.

    What it meets need not follow it.
    """
    computed = bool(operand.trail) and operand.trail[0].kind == "result"
    born = [trail[0] for trail in (operand.roots if computed else (operand.trail,)) if trail]
    made = (place_at(facts, origin.path, origin.span) for origin in born if origin.kind in MADE)
    used = place_at(facts, operand.path, operand.span)
    return any(
        place is not None and not is_sample(place) and _is_beside(facts, mismatch, used, place)
        for place in made
    )


def _is_beside(facts: Facts, mismatch: Mismatch, used: Place | None, made: Place) -> bool:
    """Whether something is used where it is made, or by a method of the module that another one makes it for."""
    if used is None or used.path != made.path or mismatch.path != made.path:
        return False
    user, maker = used.outline.function_of(used.node), made.outline.function_of(made.node)
    if user is maker or user is None or maker is None:
        return user is maker
    cls = used.outline.class_of(user)
    return cls is not None and cls is made.outline.class_of(maker) and is_in_module(facts, used)
