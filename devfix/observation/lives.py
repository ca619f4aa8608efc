"""Lives: from where a tensor was seen to be made to where it is used, through the program's own text.

The run knows where a tensor was made and which expressions held it in each frame; the text knows which
statement gave those names their values. Both together make the trail that a fix is placed along.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.findings import Origin
from devfix.observation.bindings import (
    argument_for,
    binding_of,
    returned_by,
    sole_call_of,
    span_of_header,
    stores_of,
)
from devfix.observation.module_classes import is_module_class
from devfix.observation.parts import normal
from devfix.observation.pointing import Pointer, Spot
from devfix.observation.record import Made, ObservedMismatch, ObservedOperand, Owner
from devfix.placement.causes import Trail

#: Names are followed through no more steps than this.
_MOST_STEPS = 12
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


class Lives:
    """The lives of the operands of one mismatch."""

    def __init__(self, pointer: Pointer, mismatch: ObservedMismatch) -> None:
        self.pointer = pointer
        self.mismatch = mismatch
        self.frames = [pointer.spot(place) for place in mismatch.stack]
        self.names = [dict(names) for names in mismatch.names]

    def of_tensor(self, operand: ObservedOperand, node: ast.expr | None) -> tuple[Trail, tuple[Trail, ...]]:
        """The trail and the roots of an operand that is written as ``node`` at the sink."""
        frame = len(self.frames) - 1
        at = self.frames[frame] if self.frames else None
        way = self._way(node, at, frame, operand) if node is not None and at is not None else []
        if way and way[0].kind == "loader":
            return tuple(way), ()
        made = self.origin(operand.made)
        if made is None:
            return tuple(way), ()
        roots = self._roots(operand)
        if made.kind != "result":
            stored = self._stored(operand.made) if made.kind != "other" else []
            return _joined([made, *stored, *way]), ()
        if at is not None and (made.path, made.span) == (at.path, at.span):
            # Made on the way, inside of what was called: it stands for what was handed in.
            return _joined([*(roots[0] if len(roots) == 1 else ()), *way]), roots
        return _joined([made, *self._stored(operand.made), *way]), roots

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
        made = self.pointer.spot(owner.made)
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
        spot = self.pointer.spot(operand.made.place) if operand.made is not None else None
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
        for target, value, _ in self._stores(kept, at, None):
            return (target.at(value).origin("other"), target.origin("module-attribute"))
        return ()

    def source(self, node: ast.expr, at: Spot, frame: int | None) -> Spot:
        """The expression that a name, an attribute or a parameter got its value from, as far as can be told."""
        for _ in range(_MOST_STEPS):
            found = self._source(node, at, frame)
            if found is None:
                break
            at, frame = found
            node = at.node if isinstance(at.node, ast.expr) else node
        return at.at(node)

    def _source(self, node: ast.expr, at: Spot, frame: int | None) -> tuple[Spot, int | None] | None:
        if isinstance(node, ast.Attribute):
            stores = self._stores(node, at, None)
            return (stores[0][0].at(stores[0][1]), None) if stores else None
        if isinstance(node, ast.Subscript):
            return at.at(node.value), frame
        if isinstance(node, ast.Call):
            returned = returned_by(self.pointer.facts, node)
            return (returned, None) if returned is not None else None
        found = binding_of(node.id, at) if isinstance(node, ast.Name) else None
        if found is None:
            return None
        if found.kind != "parameter" or not isinstance(node, ast.Name):
            return (found.target.at(found.value), frame) if found.value is not None else None
        number, call = self._caller(frame, found.target) or (None, self._sole_call(found.target))
        given = self._given(node.id, found.target, call) if call is not None else None
        return (call.at(given), number) if call is not None and given is not None else None

    def _sole_call(self, parameter: Spot) -> Spot | None:
        function = parameter.outline.function_of(parameter.node)
        return sole_call_of(self.pointer.facts, function, parameter.outline) if function is not None else None

    def _given(self, parameter: str, target: Spot, call: Spot) -> ast.expr | None:
        """The argument that a call gives for a parameter."""
        function = target.outline.function_of(target.node)
        if function is None:
            return None
        is_method = target.outline.class_of(function) is not None and not _is_static(function)
        return argument_for(function, parameter, call.node, is_method=is_method)

    def origin(self, made: Made | None) -> Origin | None:
        """Where and how a tensor came to be, when that is in the program."""
        spot = self.pointer.spot(made.place) if made is not None else None
        if made is None or spot is None:
            return None
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
        return self._stored_at(self.pointer.spot(made.place) if made is not None else None)

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
        module = cls is not None and is_module_class(self.pointer.facts, target.path, cls)
        return "module-attribute" if module else "attribute"

    def _way(
        self, node: ast.expr, at: Spot, frame: int | None, operand: ObservedOperand | None, steps: int = 0
    ) -> list[Origin]:
        """The names that led to an expression, from the first that can be told."""
        if steps > _MOST_STEPS:
            return []
        if isinstance(node, ast.Name):
            return self._way_of_name(node.id, at, frame, operand, steps + 1)
        if isinstance(node, ast.Attribute):
            for target, value, _ in self._stores(node, at, operand):
                before = self._way(value, target, None, operand, steps + 1)
                return [*before, target.origin(self._kind_of_attribute(target))]
            return []
        if isinstance(node, ast.Subscript):
            return self._way(node.value, at, frame, operand, steps + 1)
        return []

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
        made = (
            self.pointer.spot(operand.made.place)
            if operand is not None and operand.made is not None
            else None
        )
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
        caller = self._caller(frame, target)
        if caller is None:
            return [site]
        number, at = caller
        given = self._given(name, target, at)
        if given is not None and operand is not None and not self._may_hold(given, number, operand):
            given = None
        if given is None and operand is not None:
            given = _parsed(next(iter(_held(operand, number)), ""))
        return [*(self._way(given, at, number, operand, steps) if given is not None else []), site]

    def _caller(self, frame: int | None, parameter: Spot) -> tuple[int, Spot] | None:
        """The frame that called the function whose parameter it is, if that is the frame before."""
        if frame is None or frame == 0:
            return None
        here, before = self.frames[frame], self.frames[frame - 1]
        function = parameter.outline.function_of(parameter.node)
        if here is None or before is None or here.outline.function_of(here.node) is not function:
            return None
        return frame - 1, before

    @staticmethod
    def _may_hold(node: ast.expr, frame: int, operand: ObservedOperand) -> bool:
        """Whether the run did not see the tensor elsewhere: what a name holds is known for each frame."""
        plain = isinstance(node, (ast.Name, ast.Attribute))
        return not plain or not operand.held or ast.unparse(node) in map(normal, _held(operand, frame))

    def is_made_in(self, operand: ObservedOperand, node: ast.expr) -> bool:
        """Whether the tensor was made where an object of the sink's frame was."""
        frame = len(self.frames) - 1
        at = self.frames[frame] if self.frames else None
        source = self.source(node, at, frame) if at is not None else None
        spots = [self.pointer.spot(made.place) for made in (operand.made, *operand.roots) if made is not None]
        return source is not None and any(spot is not None and self._makes(source, spot) for spot in spots)

    def _makes(self, value: Spot, made: Spot) -> bool:
        """Whether what was made somewhere is, or is a part of, an expression's value."""
        if made.path == value.path and value.span.contains(made.span):
            return True
        return isinstance(value.node, ast.expr) and self.source(value.node, value, None).node is made.node

    def _stores(
        self, node: ast.Attribute, at: Spot, operand: ObservedOperand | None
    ) -> list[tuple[Spot, ast.expr, ast.ClassDef | None]]:
        """The statements that set an attribute, the likeliest first."""
        found = [
            store
            for path in self.pointer.facts.program.sources
            for store in stores_of(node.attr, self.pointer.facts.outline(path), path)
        ]
        made = (
            self.pointer.spot(operand.made.place)
            if operand is not None and operand.made is not None
            else None
        )
        function = at.outline.function_of(at.node)
        own = at.outline.class_of(function) if function is not None else None

        def rank(store: tuple[Spot, ast.expr, ast.ClassDef | None]) -> tuple[bool, bool, bool]:
            target, value, cls = store
            setter = target.outline.function_of(target.node)
            makes = made is not None and self._makes(target.at(value), made)
            return not makes, cls is not own, getattr(setter, "name", "") != "__init__"

        found.sort(key=rank)
        if (
            isinstance(node.value, ast.Name)
            and own is not None
            and node.value.id == at.outline.receiver_name(function)
        ):
            mine = [store for store in found if store[2] is own or not rank(store)[0]]
            return mine or found
        return found


def _names_a_place(node: ast.AST) -> bool:
    """Whether a call that loads a checkpoint says where to."""
    return isinstance(node, ast.Call) and any(keyword.arg == "map_location" for keyword in node.keywords)


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


def _is_static(function: ast.AST) -> bool:
    marks = getattr(function, "decorator_list", [])
    return any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in marks)


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
