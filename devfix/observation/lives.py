"""Lives: from where a tensor was seen to be made to where it is used, through the program's own text.

The run knows where a tensor was made and which expressions held it in each frame; the text knows which
statement gave those names their values. Both together make the trail that a fix is placed along.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.findings import Origin
from devfix.observation.bindings import binding_of, span_of_header
from devfix.observation.index import Store
from devfix.observation.module_classes import is_module_class
from devfix.observation.parts import normal
from devfix.observation.pointing import Pointer
from devfix.observation.record import Made, ObservedMismatch, ObservedOperand, Owner
from devfix.observation.spots import Spot
from devfix.observation.whence import MOST_STEPS, Whence
from devfix.placement.blaming.causes import Trail

#: What made a tensor, in the words of a trail.
_KINDS = {
    "factory": "factory",
    "random-factory": "random-factory",
    "numpy": "numpy",
    "move": "move",
    "cast": "cast",
    "checkpoint": "checkpoint",
    "loader": "loader",
    "result": "result",
}
#: Kinds that are calls of what made the tensor, not of something that made it on its way.
_CALLS = ("factory", "random-factory", "numpy")
_DISPLAYS = (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Tuple)


class Lives:
    """The lives of the operands of one mismatch."""

    def __init__(self, pointer: Pointer, mismatch: ObservedMismatch) -> None:
        self.pointer = pointer
        self.mismatch = mismatch
        self.frames = [pointer.spot(place) for place in mismatch.stack]
        self.names = [dict(names) for names in mismatch.names]
        self.whence = Whence(pointer, self.frames)

    def of_tensor(self, operand: ObservedOperand, node: ast.expr | None) -> tuple[Trail, tuple[Trail, ...]]:
        """The trail and the roots of an operand that is written as ``node`` at the sink."""
        frame = len(self.frames) - 1
        at = self.frames[frame] if self.frames else None
        way = self._way(node, at, frame, operand) if node is not None and at is not None else []
        if way and way[0].kind == "loader":
            return tuple(way), ()
        made = self.origin(operand.made)
        if made is None or made.kind == "replaced":
            return tuple(way) if made is None else (made,), ()
        roots = self._roots(operand)
        if node is not None and at is not None:
            computed = self._computed(node, at, operand, made)
            if computed:
                return (at.at(node).origin("result"),), (computed,)
        if made.kind != "result":
            stored = self._stored(operand.made) if made.kind != "other" else []
            return _joined([made, *stored, *way]), ()
        if at is not None and (made.path, made.span) == (at.path, at.span):
            # Made on the way, inside of what was called: it stands for what was handed in.
            return _joined([*(roots[0] if len(roots) == 1 else ()), *way]), roots
        return _joined([made, *self._stored(operand.made), *way]), roots

    def _computed(self, node: ast.expr, at: Spot, operand: ObservedOperand, made: Origin) -> Trail:
        """The life of the one tensor that an expression at the sink computes the operand from: ``x`` of ``x.view(-1)``."""
        held = set(map(normal, operand.paths))
        ambiguous = made.kind == "result" and len(operand.roots) > 1
        if len(operand.computed_from) != 1 or ast.unparse(node) in held or ambiguous:
            return ()
        source = _parsed(operand.computed_from[0])
        if not isinstance(source, ast.Name):
            return ()
        way = self._way(source, at, len(self.frames) - 1, None)
        first = operand.roots[0] if made.kind == "result" and operand.roots else operand.made
        begin = self.origin(first)
        if not way or begin is None:
            return ()
        return tuple(way) if way[0].kind == "loader" else _joined([begin, *self._stored(first), *way])

    def _roots(self, operand: ObservedOperand) -> tuple[Trail, ...]:
        firsts = [(root, self.origin(root)) for root in operand.roots]
        return tuple(
            _joined([first, *(self._stored(root) if first.kind != "other" else ())])
            for root, first in firsts
            if first is not None
        )

    def of_dtype(self, operand: ObservedOperand, trail: Trail) -> tuple[Trail, ...]:
        """The trails of what gave an operand its dtype; what it was before it moved belongs to them."""
        moves = [site for site in trail if site.kind == "move"]
        roots = self._roots(operand) or ((trail,) if trail else ())
        if not moves:
            return roots
        before = [site for move in moves for site in self._before(move)]
        return tuple(
            _joined([*before, *root] if root[0] in moves else [root[0], *before, *moves, *root[1:]])
            for root in roots
        )

    def _before(self, move: Origin) -> list[Origin]:
        """The life of what a method such as ``to`` is called on."""
        outline = self.pointer.facts.outline(move.path)
        call = outline.expression_at(move.span)
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return []
        return self._way(call.func.value, Spot(move.path, outline, call), None, None)

    def of_module(self, owner: Owner) -> Trail:
        """The life of the module that owns a parameter."""
        made = self.pointer.spot(owner.made, owner.class_name)
        at = self.frames[owner.frame] if owner.frame < len(self.frames) else None
        path = _parsed(owner.path)
        way = self._way(path, at, owner.frame, None) if at is not None and path is not None else []
        begin = [made.origin("module"), *self._stored_at(made)] if made is not None else []
        if not begin and way:
            begin = [self._value_of(way[0]) or way[0]]
            begin = [Origin("module", begin[0].path, begin[0].span, begin[0].text, begin[0].scope)]
        return _joined([*begin, *way, *self._holder(path, at)])

    def of_layer(self, operand: ObservedOperand) -> Trail:
        """The life of the innermost module that made the parameter."""
        spot = self.pointer.made(operand.made)
        if spot is None or not isinstance(spot.node, ast.Call):
            return ()
        return _joined([spot.origin("module"), *self._stored_at(spot)])

    def _holder(self, path: ast.expr | None, at: Spot | None) -> list[Origin]:
        """Where the object got its name that keeps a module as an attribute (``trainer`` of ``trainer.net``)."""
        root = path
        while isinstance(root, ast.Attribute):
            root = root.value
        if at is None or path is None or root is path or not isinstance(root, ast.Name):
            return []
        found = binding_of(root.id, at)
        if found is None or found.kind != "assigned":
            return []
        return [found.target.origin("holder", ast.unparse(path))]

    def of_container(self, owner: Owner) -> Trail:
        """Where the plain container that holds a module was made, and became an attribute."""
        at = self.frames[owner.frame] if owner.kept and owner.frame < len(self.frames) else None
        kept = _parsed(owner.kept) if at is not None and owner.kept else None
        if at is None or not isinstance(kept, ast.Attribute):
            return ()
        made = self.pointer.spot(owner.made, owner.class_name)

        def rank(store: Store) -> tuple[bool, bool, bool]:
            value, target = store.target.at(store.value), store.target
            near = made is not None and made.path == value.path
            within = near and made is not None and value.span.contains(made.span)
            beside = near and made is not None and _function_of(made) is _function_of(target)
            return not within, not beside, not isinstance(store.value, _DISPLAYS)

        for store in sorted(self.whence.stores(kept, at, None), key=rank):
            return (store.target.at(store.value).origin("other"), store.target.origin("module-attribute"))
        return ()

    def origin(self, made: Made | None) -> Origin | None:
        """Where and how a tensor came to be, when that is in the program."""
        spot = self.pointer.made(made)
        if made is None or spot is None:
            return None
        if made.kind == "replaced":
            return _replaced(spot)
        kind = _KINDS.get(made.kind, "other")
        if kind == "checkpoint" and _names_a_place(spot.node):
            kind = "host-checkpoint"
        return spot.origin("other" if kind in _CALLS and not _is_call_of(spot.node, made.by) else kind)

    def _value_of(self, site: Origin) -> Origin | None:
        """The expression that a name or attribute was bound to, as an origin."""
        outline = self.pointer.facts.outline(site.path)
        node = outline.expression_at(site.span)
        statement = outline.statement_of(node) if node is not None else None
        value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
        return Spot(site.path, outline, value).origin("module") if value is not None else None

    def _stored(self, made: Made | None) -> list[Origin]:
        return self._stored_at(self.pointer.made(made))

    def _stored_at(self, spot: Spot | None) -> list[Origin]:
        """The name or attribute that a statement gives to what was made on its right-hand side."""
        if spot is None:
            return []
        statement = spot.outline.statement_of(spot.node)
        targets = (
            statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        )
        if getattr(statement, "value", None) is not spot.node:
            return []
        return [site for target in targets for site in self._target(spot, target)]

    def _target(self, spot: Spot, target: ast.AST | None) -> Iterator[Origin]:
        if isinstance(target, ast.Name):
            yield spot.at(target).origin("name")
        elif isinstance(target, ast.Attribute):
            yield spot.at(target).origin(self._kind_of_attribute(spot.at(target)))

    def _kind_of_attribute(self, target: Spot) -> str:
        function = target.outline.function_of(target.node)
        cls = target.outline.class_of(function) if function is not None else None
        module = cls is not None and is_module_class(self.pointer, target.path, cls)
        return "module-attribute" if module else "attribute"

    def _way(
        self, node: ast.expr, at: Spot, frame: int | None, operand: ObservedOperand | None, steps: int = 0
    ) -> list[Origin]:
        """The names that led to an expression, from the first that can be told."""
        if steps > MOST_STEPS:
            return []
        if isinstance(node, ast.Name):
            return self._way_of_name(node.id, at, frame, operand, steps + 1)
        if isinstance(node, ast.Attribute):
            for store in self.whence.stores(node, at, operand):
                before = self._way(store.value, store.target, None, operand, steps + 1)
                return [*before, store.target.origin(self._kind_of_attribute(store.target))]
            return []
        if isinstance(node, ast.Subscript):
            return self._way(node.value, at, frame, operand, steps + 1)
        if isinstance(node, ast.IfExp):
            ways = (self._way(part, at, frame, operand, steps + 1) for part in (node.body, node.orelse))
            return next((way for way in ways if way), [])
        if operand is not None and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            # A method that hands on what it is called on: the tensor was made before.
            receiver = node.func.value
            if isinstance(receiver, ast.Name) and not self._makes(node, at, operand):
                return self._way(receiver, at, frame, operand, steps + 1)
        return []

    def _makes(self, node: ast.expr, at: Spot, operand: ObservedOperand) -> bool:
        """Whether the tensor was made in an expression."""
        made = self.pointer.made(operand.made)
        return made is not None and made.path == at.path and at.at(node).span.contains(made.span)

    def _way_of_name(
        self, name: str, at: Spot, frame: int | None, operand: ObservedOperand | None, steps: int
    ) -> list[Origin]:
        found = binding_of(name, at)
        if found is None or found.kind == "other":
            return []
        if found.kind == "parameter":
            return self._way_of_parameter(name, found.target, frame, operand, steps)
        site = found.target.origin("name")
        value = found.value
        if value is None:
            return [site]
        if found.kind == "looped":
            return [*self._looped(value, found.target, frame, operand, steps), site]
        return [*self._way(value, found.target, frame, operand, steps), site]

    def _looped(
        self, source: ast.expr, target: Spot, frame: int | None, operand: ObservedOperand | None, steps: int
    ) -> list[Origin]:
        """What a loop takes its elements from: a loader, or something that holds them."""
        names = self.names[frame] if frame is not None and frame < len(self.names) else {}
        for node in ast.walk(source):
            if isinstance(node, (ast.Name, ast.Attribute)) and names.get(ast.unparse(node)) == "loader":
                return [target.at(node).origin("loader")]
        if self._comes_from_iteration(target, operand):
            return [target.at(_innermost_argument(source)).origin("loader")]
        return self._way(source, target, frame, operand, steps)

    def _comes_from_iteration(self, target: Spot, operand: ObservedOperand | None) -> bool:
        """Whether library code that the loop asked for its next element made the tensor."""
        made = self.pointer.made(operand.made) if operand is not None else None
        loop = target.outline.parents.get(target.node)
        while isinstance(loop, (ast.Tuple, ast.List, ast.Starred)):
            loop = target.outline.parents.get(loop)
        header = span_of_header(loop, target.outline) if loop is not None else None
        return (
            made is not None
            and header is not None
            and made.path == target.path
            and header.contains(made.span)
        )

    def _way_of_parameter(
        self, name: str, target: Spot, frame: int | None, operand: ObservedOperand | None, steps: int
    ) -> list[Origin]:
        site = target.origin("argument", name)
        caller = self.whence.caller(frame, target)
        if caller is None:
            return [site]
        number, at = caller
        given = self.whence.given(name, target, at)
        if given is not None and operand is not None and not self._may_hold(given, number, operand):
            given = None
        if given is None and operand is not None:
            given = _parsed(next(iter(_held(operand, number)), ""))
        return [*(self._way(given, at, number, operand, steps) if given is not None else []), site]

    @staticmethod
    def _may_hold(node: ast.expr, frame: int, operand: ObservedOperand) -> bool:
        """Whether the run did not see the tensor elsewhere: what a name holds is known for each frame."""
        plain = isinstance(node, (ast.Name, ast.Attribute))
        return not plain or not operand.held or ast.unparse(node) in map(normal, _held(operand, frame))

    def is_made_in(self, operand: ObservedOperand, node: ast.expr) -> bool:
        """Whether the tensor was made where an object of the sink's frame was."""
        frame = len(self.frames) - 1
        at = self.frames[frame] if self.frames else None
        source = self.whence.source(node, at, frame) if at is not None else None
        spots = [self.pointer.made(made) for made in (operand.made, *operand.roots)]
        return source is not None and any(
            spot is not None and self.whence.makes(source, spot) for spot in spots
        )


def _function_of(spot: Spot) -> ast.AST | None:
    return spot.outline.function_of(spot.node)


def _names_a_place(node: ast.AST) -> bool:
    """Whether a call that loads a checkpoint says where to."""
    return isinstance(node, ast.Call) and any(keyword.arg == "map_location" for keyword in node.keywords)


def _replaced(spot: Spot) -> Origin:
    """What becomes the data of a parameter: the value of the assignment."""
    statement = spot.outline.statement_of(spot.node)
    value = statement.value if isinstance(statement, ast.Assign) else spot.node
    return spot.at(value).origin("replaced")


def _is_call_of(node: ast.AST, by: str) -> bool:
    """Whether a call is one of the very function that made a tensor, and not of one that calls it inside."""
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", None))
    made_by = by.rpartition(".")[2].strip("_")
    # What is called through a table or ``getattr`` has no name to compare.
    return name is None or made_by in name or name.endswith("Tensor")


def _held(operand: ObservedOperand, frame: int) -> tuple[str, ...]:
    return operand.held[frame] if frame < len(operand.held) else ()


def _parsed(path: str) -> ast.expr | None:
    try:
        return ast.parse(path, mode="eval").body
    except SyntaxError:
        return None


def _innermost_argument(source: ast.expr) -> ast.expr:
    """The loader in ``enumerate(tqdm(loader))``."""
    while isinstance(source, ast.Call) and source.args and not isinstance(source.args[0], ast.Starred):
        source = source.args[0]
    return source


def _joined(sites: list[Origin]) -> Trail:
    """The sites in order, each place once."""
    found: dict[tuple[str, object], Origin] = {}
    for site in sites:
        found.setdefault((site.path, site.span), site)
    return tuple(found.values())
