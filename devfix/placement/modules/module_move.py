"""Moving modules: where a module that stayed on the CPU gets its ``.to(device)``, best first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import groupby

from devfix.analysis.domain.lattice import DTYPES
from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import (
    Applicability,
    Edit,
    FileEdit,
    Fix,
    InsertAfter,
    InsertAtBodyStart,
    Operand,
    Origin,
    SetKeyword,
    WrapExpression,
)
from devfix.placement.blaming.causes import Trail, lives_of_module, spoken_name
from devfix.placement.devices import (
    bare_moves,
    device_expression,
    imported_device,
    introduction,
    named_entry,
    own_inputs,
)
from devfix.placement.devices.device_expression import DeviceExpression, Place, is_in_module
from devfix.placement.devices.reaching import is_wanted
from devfix.placement.modules import (
    copied_part,
    handed_module,
    held_part,
    late_parts,
    module_choice,
    module_keeper,
    module_lists,
    sibling_module,
)
from devfix.placement.moves import inference
from devfix.placement.telling import giving, told_function
from devfix.placement.text import handed

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class ModuleMover:
    """Builds fixes that move one module; its life is the trail of ``operand``, its parameter."""

    def __init__(self, facts: Facts, operand: Operand) -> None:
        self.facts = facts
        self.operand = operand
        #: What the module meets on the accelerator.
        self.inputs: list[Operand] = []
        lives = lives_of_module(operand)
        self.sites, self.before = (
            tuple(site for site in life if not handed_module.may_be_immobile(facts, site)) for life in lives
        )
        #: Where the module was made.
        self.made = self.sites[0] if self.sites else None
        self._is_copied = copied_part.is_one(facts, operand, self.made)
        returned = self._return()
        #: Where the module is made for good: for what a function returns at once, where its caller gives it a name.
        self._homes = self.sites[:1] if returned is None else self.sites[1:2]
        if returned is not None and _returns_several(*returned):
            self.sites = (*self.sites[1:], self.sites[0])  # whichever it is moves at the call
        self.title = f"move `{spoken_name(operand)}` to the device of its inputs"

    @inference.outside
    def fixes(self) -> list[Fix]:
        """All fixes, the preferred one first, without repeats."""
        ways = self._before_copied() if self._is_copied else self._candidates()
        edits = dict.fromkeys(edits for edits in ways if edits)
        return [Fix(self.title, each, Applicability.SAFE) for each in edits]

    def moves_later(self) -> bool:
        """Whether the module is one that what it meets shows to have moved, after something was computed from it."""
        names = tuple(f"{site.text}." for site in self.sites if site.kind in ("name", "attribute"))
        lives = (life for peer in self.inputs for life in (peer.trail, *peer.roots) if life)
        return any(life[0].kind == "move" and life[0].text.startswith(names) for life in lives)

    def _before_copied(self) -> Iterator[tuple[FileEdit, ...]]:
        wholes = copied_part.wholes(self.facts, self.operand, self.sites)
        for choose in (device_expression.chosen, told_function.in_module):
            for site in wholes:
                yield from self._at(site, choose)

    def _candidates(self) -> Iterator[tuple[FileEdit, ...]]:
        ways = (sibling_module.in_one_assignment, sibling_module.in_mover)
        yield from (beside(self.facts, site) for beside in ways for site in self.sites)
        for scope, sites in _by_function(self.sites):
            for site in sites:
                yield from self._at(site, device_expression.chosen)
            if self.made is not None and scope == self.made.scope and len(sites) < len(self.sites):
                # It moves in the function that makes it, before others are handed it.
                for site in sites:
                    yield self._once_chosen(site)
        for site in self.sites:
            yield sibling_module.beside(self.facts, site)
        for site in self.sites:
            yield self._once_chosen(site)
        for site in self.sites:
            yield from self._at(site, self._entry)
        yield self._by_itself()
        for site in self.sites[:1]:
            yield from self._at(site, self._of_input)
            yield from self._at(site, self._in_passing)
        yield from self._at_hand(given=False)
        for site in self.before:
            yield from self._at(site, device_expression.chosen)
        for site in self.sites:
            yield bare_moves.like_inputs(self.facts, site, self.inputs)
        for site in self.sites:
            yield self._where_given(site)
        yield from self._as_callers_know(self.made) if self.made is not None else ()
        yield module_keeper.moved_in_method(self.facts, self.operand, self.sites)
        for site in self._homes:
            yield from self._at(site, imported_device.find)
            yield from self._at(site, _alone)
        yield from self._at_hand(given=True)

    def _at_hand(self, *, given: bool) -> Iterator[tuple[FileEdit, ...]]:
        """With any device in scope; what is at hand where a function is ``given`` the module need not be so for all who give it."""
        for site in self.sites:
            if (site.kind == "argument") is given:
                yield from self._at(site, _any_in_scope)

    def _as_callers_know(self, made: Origin) -> Iterator[tuple[FileEdit, ...]]:
        """What a function makes moves where the function is called, or the function is told where to."""
        yield module_lists.moved_by_callers(self.facts, made)
        for site in self.sites:
            yield handed_module.moved_by_callers(self.facts, site)
            yield from self._at(site, told_function.at)

    def _where_given(self, site: Origin) -> tuple[FileEdit, ...]:
        """``Trainer(build().to(device))`` for the one ``Trainer(build())`` of a program, where that names a device."""
        place = giving.anywhere(self.facts, site)
        if place is None or _is_moved(place.node):
            return ()
        found = device_expression.chosen(self.facts, place)
        if found is None:
            return ()
        return (*found.edits, FileEdit(place.path, _wrapped(place.outline, place.node)(found)))

    def _of_input(self, facts: Facts, place: Place) -> DeviceExpression | None:
        """The device of what a layer is called with that is made in passing."""
        call = place.outline.parents[place.node]
        given = call.args if isinstance(call, ast.Call) and call.func is place.node else []
        spans = [place.outline.source.span(arg) for arg in given]
        beside = [each for each in self.inputs if each.path == place.path and each.span in spans]
        return device_expression.find(facts, place, beside) if beside else None

    def _in_passing(self, facts: Facts, place: Place) -> DeviceExpression | None:
        """The device of what a method of a module gives to a layer that it makes for the moment."""
        code = own_inputs.of_layer(facts, place, self.inputs) if is_in_module(facts, place) else None
        return DeviceExpression(code) if code is not None else None

    def _entry(self, _: Facts, place: Place) -> DeviceExpression | None:
        """The entry of a dict by which the inputs are moved."""
        code = named_entry.of_peers(place, self.inputs)
        return DeviceExpression(code) if code is not None else None

    def by_own_choice(self) -> list[Fix]:
        """Where no device is in sight, the file in which the module is made gets a choice of its own.

        A script rather makes the choice for what the module is a copy of.
        """
        copied = [site for site in self.before if self.facts.is_script(site.path)]
        homes = () if self._is_copied else (*copied, *self._homes)
        edits = (edits for site in homes for edits in self._at(site, imported_device.or_own))
        return [Fix(self.title, each, Applicability.SAFE) for each in edits]

    def _return(self) -> tuple[Outline, ast.Return] | None:
        """The statement that returns the module as it makes it, where the caller gives it a name."""
        if self.made is None or len(self.sites) == 1:
            return None
        outline = self.facts.outline(self.made.path)
        node = outline.expression_at(self.made.span)
        named = self.sites[1]
        statement = outline.parents[node] if node is not None else None
        if named.kind != "name" or named.scope == self.made.scope or not isinstance(statement, ast.Return):
            return None
        return outline, statement

    def _by_itself(self) -> tuple[FileEdit, ...]:
        """A class that chooses a device in its constructor moves itself at the end of it, unless it is moved elsewhere."""
        constructor = self._constructor()
        if constructor is None or self._is_moved_by_others(*constructor):
            return ()
        path, outline, function = constructor
        last, receiver = function.body[-1], outline.receiver_name(function)
        found = device_expression.chosen(self.facts, Place(path, outline, last))
        code = found.code if found is not None else None
        if code is None:
            choices = device_expression.choices_after(self.facts, Place(path, outline, last))
            code = next((name for _, name in choices), None)
        if isinstance(last, ast.Return) or code is None or not code.startswith(f"{receiver}."):
            return ()
        return (FileEdit(path, InsertAfter(outline.source.span(last), f"{receiver}.to({code})")),)

    def _is_moved_by_others(self, path: str, outline: Outline, constructor: ast.FunctionDef) -> bool:
        """Whether another object of the class is seen on the accelerator, where it was not when it was made."""
        cls = outline.class_of(constructor)
        methods = [part for part in cls.body if isinstance(part, _FUNCTIONS)] if cls is not None else []
        names = (
            self.facts.bindings(path, outline.scope(method.body[0])).get(
                outline.receiver_name(method) or "", []
            )
            for method in methods
            if method is not constructor
        )
        seen = (binding for bindings in names for binding in bindings)
        return any(binding.kind == "module" and is_wanted(binding.device) for binding in seen)

    def _constructor(self) -> tuple[str, Outline, ast.FunctionDef] | None:
        """The constructor of the module's class, where one class of the program has its name."""
        name = self.made.text.partition("(")[0].rpartition(".")[2] if self.made is not None else ""
        found = [
            (path, node)
            for path, source in self.facts.program.sources.items()
            if f"class {name}" in source.text
            for node in in_rows(source.tree)
            if isinstance(node, ast.ClassDef) and node.name == name
        ]
        if len(found) != 1:
            return None
        path, definition = found[0]
        made = (node for node in definition.body if isinstance(node, ast.FunctionDef))
        function = next((node for node in made if node.name == "__init__"), None)
        return (path, self.facts.outline(path), function) if function is not None else None

    def _at(self, site: Origin, choose: device_expression.Choose) -> Iterator[tuple[FileEdit, ...]]:
        """The module moves as it passes ``site``."""
        outline = self.facts.outline(site.path)
        for place, edit in self._moves(site, outline):
            found = choose(self.facts, place)
            if found is not None:
                yield (*found.edits, FileEdit(site.path, edit(found)))
                return

    def _moves(self, site: Origin, outline: Outline) -> Iterator[tuple[Place, _Edit]]:
        if site.kind == "argument":
            yield from _at_argument(site, outline)
            return
        node = outline.expression_at(site.span)
        if node is None:
            return
        if self.facts.makes_things(site.path, node):
            return
        if site.kind == "module" and not _is_moved(outline.parents.get(outline.parents.get(node, node))):
            if self._leaves_device_out(node):
                yield Place(site.path, outline, node), _Passed(outline, node)
            several = module_choice.after(outline, node)
            if several is not None:
                choice, name = several
                yield Place(site.path, outline, choice), _Edit(outline, choice, f"{name}.to({{}})")
            yield Place(site.path, outline, node), _wrapped(outline, node)
        elif site.kind == "collected":
            yield Place(site.path, outline, node), _wrapped(outline, node)
        elif site.kind in ("name", "attribute"):
            yield from _at_binding(site, outline, node)
        elif site.kind == "holder":
            filling = late_parts.filling(self.facts, self.sites[0], site)
            statement = held_part.had_from(self.facts, self.sites, site)
            if filling is not None:
                binds = isinstance(filling.statement, ast.Assign)
                moved = filling.statement.value if binds else filling.statement
                move = "" if binds else f"{filling.given}.to({{}})"
                yield Place(site.path, outline, moved), _Edit(outline, moved, move)
            elif statement is not None:
                there = node if statement is outline.statement_of(node) else statement
                yield Place(site.path, outline, there), _Edit(outline, statement, f"{site.text}.to({{}})")

    def _leaves_device_out(self, node: ast.expr) -> bool:
        """Whether a call of the module's class does not say to which device its constructor moves it."""
        constructor = self._constructor()
        if constructor is None or not isinstance(node, ast.Call):
            return False
        _, outline, function = constructor
        names = [parameter.arg for parameter in (*function.args.args[1:], *function.args.kwonlyargs)]
        if "device" not in names or any(keyword.arg in ("device", None) for keyword in node.keywords):
            return False
        given = any(isinstance(arg, ast.Starred) for arg in node.args)
        if given or len(node.args) > names.index("device"):
            return False
        moves = {f"{outline.receiver_name(function)}.to({name})" for name in ("device", "self.device")}
        return any(isinstance(part, ast.Call) and ast.unparse(part) in moves for part in in_rows(function))

    def _once_chosen(self, site: Origin) -> tuple[FileEdit, ...]:
        """After the statement that chooses the device, where that comes later than the module."""
        outline = self.facts.outline(site.path)
        held = site.kind == "holder"
        start = held_part.had_from(self.facts, self.sites, site) if held else _start(outline, site)
        if start is None:
            return ()
        for statement, code in device_expression.choices_after(self.facts, Place(site.path, outline, start)):
            edit = InsertAfter(outline.source.span(statement), f"{site.text}.to({code})")
            return (FileEdit(site.path, edit),)
        return ()


class _Edit:
    """An edit that waits for its device expression."""

    def __init__(self, outline: Outline, node: ast.AST, code: str = "") -> None:
        self.span = outline.source.span(node)
        self.node = node
        self.code = code

    def __call__(self, found: DeviceExpression) -> Edit:
        if not self.code:
            return WrapExpression(self.span, "", f".to({found.code})")
        code = self.code.format(found.code)
        if isinstance(self.node, _FUNCTIONS):
            return InsertAtBodyStart(self.span, code)
        return InsertAfter(self.span, code)


class _Passed(_Edit):
    """The device is an argument of the call."""

    def __call__(self, found: DeviceExpression) -> Edit:
        return SetKeyword(self.span, "device", found.code)


def _returns_several(outline: Outline, statement: ast.Return) -> bool:
    """Whether the function of a ``return`` has several that make what they return."""
    function = outline.function_of(statement)
    made = (
        [node for node in in_rows(function) if isinstance(node, ast.Return)] if function is not None else []
    )
    return sum(isinstance(each.value, ast.Call) for each in made) > 1


def _alone(facts: Facts, place: Place) -> DeviceExpression | None:
    """A choice of the file's own, where no other file has made one."""
    return None if imported_device.is_elsewhere(facts, place.path) else introduction.introduce(facts, place)


def _any_in_scope(facts: Facts, place: Place) -> DeviceExpression | None:
    return device_expression.find(facts, place, [])


def _wrapped(outline: Outline, node: ast.AST) -> _Edit:
    return _Edit(outline, node)


def _at_argument(site: Origin, outline: Outline) -> Iterator[tuple[Place, _Edit]]:
    """Where a function keeps what it is given, or at its start."""
    function = handed.receiver(outline, site.span)
    kept = handed.kept(outline, function, site.text) if function is not None else None
    if kept is not None:
        yield Place(site.path, outline, kept), _wrapped(outline, kept)
    elif function is not None:
        at_start = _Edit(outline, function, f"{site.text}.to({{}})")
        yield Place(site.path, outline, function.body[0]), at_start


def _at_binding(site: Origin, outline: Outline, node: ast.expr) -> Iterator[tuple[Place, _Edit]]:
    statement = outline.statement_of(node)
    alone = isinstance(statement, ast.AnnAssign) or getattr(statement, "targets", None) == [node]
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    if _is_moved(value):
        return
    if alone and value is not None:
        yield Place(site.path, outline, value), _wrapped(outline, value)
    elif isinstance(statement, ast.Assign):
        name = site.text
        yield Place(site.path, outline, node), _Edit(outline, statement, f"{name} = {name}.to({{}})")


def _is_moved(node: ast.AST | None) -> bool:
    """Whether a node is ``x.to(device)`` or ``x.cuda()`` already: what undoes that comes later."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "to" and node.args:
        return ast.unparse(node.args[0]).rpartition(".")[2] not in DTYPES
    return node.func.attr == "cuda"


def _start(outline: Outline, site: Origin) -> ast.stmt | None:
    """The statement from which on the name at ``site`` holds the module."""
    if site.kind == "argument":
        function = handed.receiver(outline, site.span)
        return function.body[0] if function is not None else None
    node = outline.expression_at(site.span) if site.kind in ("name", "attribute") else None
    return outline.statement_of(node) if node is not None else None


def _by_function(sites: Trail) -> Iterator[tuple[str, list[Origin]]]:
    """The places of a life by the function (or script) that they are in, one after the other."""
    for (_, scope), group in groupby(sites, key=lambda site: (site.path, site.scope)):
        yield scope, list(group)
