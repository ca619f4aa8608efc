"""Drawing: ways to bring a generator and what draws from it to one device, best first."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import (
    Applicability,
    FileEdit,
    Fix,
    Mismatch,
    Origin,
    RemoveKeyword,
    SetKeyword,
    Span,
    WrapExpression,
)
from devfix.placement.devices import boundness, device_expression, needless_default, source_tensor
from devfix.placement.devices.device_expression import DeviceExpression, Place
from devfix.placement.telling.device_argument import generator_with_device, generator_without_device

Edits = tuple[FileEdit, ...]

#: What draws where the tensor is that it is given, by a generator that it is given, too.
_OF_TENSORS = frozenset({"torch.bernoulli", "torch.multinomial", "torch.poisson"})
#: All that draws where the tensor is that it is given.
_DRAWING = _OF_TENSORS | {"torch.normal", "torch.rand_like", "torch.randn_like", "torch.randint_like"}
#: What draws where it is told, or where the default device is.
_MADE = frozenset({"rand", "randn", "randint", "randperm"})
#: What reads a tensor on the CPU, or brings it there.
_TO_HOST = frozenset({"tolist", "item", "cpu", "numpy"})
#: What gives the same numbers in another form or dtype, wherever they are.
_VIEWS = frozenset("squeeze unsqueeze view reshape flatten long int bool float".split())
#: Calls that make a tensor, to be filled at once, where their argument is.
_LIKE = ("torch.empty_like", "torch.zeros_like", "torch.ones_like")


#: Methods that fill a tensor with what they draw, or draw from it.
_FILLING = frozenset(
    "uniform_ normal_ random_ bernoulli_ exponential_ cauchy_ log_normal_ geometric_ bernoulli multinomial".split()
)


def filled_at_random(outline: Outline, call: ast.Call, met: Span | None = None) -> ast.Call | None:
    """``torch.empty(n).uniform_()`` around ``torch.empty(n)``: what is drawn on the CPU stays what it is.

    So does what a function draws of it, as ``torch.normal(torch.zeros(n))`` does, unless that draw is where it ``met``
    another tensor, and has to be before.
    """
    method = outline.parents.get(call)
    if isinstance(method, ast.Call) and call in method.args:
        draws = ast.unparse(method.func) in _DRAWING and outline.source.span(method) != met
        return method if draws else None
    around = outline.parents.get(method) if isinstance(method, ast.Attribute) else None
    if not isinstance(method, ast.Attribute) or not isinstance(around, ast.Call) or around.func is not method:
        return None
    return (around if method.attr in _FILLING else None) or filled_at_random(outline, around)


def _is_read_on_host(outline: Outline, node: ast.expr) -> bool:
    """Whether what a call gives goes to the CPU at once, as ``multinomial(p, 1).item()`` does, also by a view of it."""
    parent = outline.parents.get(node)
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return _is_read_on_host(outline, parent)
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
        return parent.func.id in ("int", "float")
    around = outline.parents.get(parent) if isinstance(parent, ast.Attribute) else None
    if not isinstance(parent, ast.Attribute) or not isinstance(around, ast.Call) or around.func is not parent:
        return False
    return parent.attr in _TO_HOST or (parent.attr in _VIEWS and _is_read_on_host(outline, around))


class Drawing:
    """Builds fixes for a random call whose generator is on another device than its result."""

    def __init__(self, facts: Facts, mismatch: Mismatch) -> None:
        self.facts = facts
        self.mismatch = mismatch
        self.generator = mismatch.operands[0]

    def fixes(self) -> list[Fix]:
        """All fixes, the preferred one first."""
        on_host = self.generator.device == "cpu"
        found = self._for_host_generator() if on_host else self._for_device_generator()
        return [Fix(title, edits, level) for title, edits, level in found if edits]

    def _for_host_generator(self) -> Iterator[tuple[str, Edits, Applicability]]:
        yield "draw on the CPU and move the result", self._draw_on_host(), Applicability.SAFE
        yield "draw on the CPU and move the result", self._draw_of_copy(), Applicability.SAFE
        if not self.generator.trail:
            gone = needless_default.removed(self.facts)
            yield "choose no default device, as nothing needs it", gone, Applicability.SAFE
            yield "give the sampler a generator on the device", self._new_generator(), Applicability.UNSAFE
        if self.mismatch.get("early"):
            yield "make the generator on the device", self._generator_moved(told=True), Applicability.SAFE
            yield "draw on the CPU", self._drawn_on_host(), Applicability.SAFE
        yield "make the generator on the device", self._generator_moved(), Applicability.SAFE

    def _for_device_generator(self) -> Iterator[tuple[str, Edits, Applicability]]:
        yield "make the generator on the CPU", self._generator_on_host(), Applicability.SAFE

    def _draw_on_host(self) -> Edits:
        """``randn(n, generator=g, device=d)`` becomes ``randn(n, generator=g).to(d)``."""
        place = self._place(self.mismatch.path, self.mismatch.sink)
        if place is None or not isinstance(place.node, ast.Call):
            return ()
        given = [keyword.value for keyword in place.node.keywords if keyword.arg == "device"]
        if not given:
            return self._fill_on_host(place, place.node)
        source = place.outline.source
        device = source.segment(source.span(given[0]))
        removed = RemoveKeyword(self.mismatch.sink, "device")
        moved = WrapExpression(self.mismatch.sink, "", f".to({device})")
        return FileEdit(place.path, removed), FileEdit(place.path, moved)

    def _drawn_on_host(self) -> Edits:
        """``randperm(n, generator=g)`` becomes ``randperm(n, generator=g, device="cpu")``, whatever the default device."""
        place = self._place(self.mismatch.path, self.mismatch.sink)
        if place is None or not isinstance(place.node, ast.Call):
            return ()
        func, given = place.node.func, {keyword.arg for keyword in place.node.keywords}
        name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        if name not in _MADE or given & {"device", "out", None}:
            return ()
        return (FileEdit(place.path, SetKeyword(self.mismatch.sink, "device", '"cpu"')),)

    def _fill_on_host(self, place: Place, call: ast.Call) -> Edits:
        """``empty_like(x).normal_(generator=g)`` becomes ``empty_like(x, device="cpu")....to(x.device)``."""
        made = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(made, ast.Call) or not made.args or ast.unparse(made.func) not in _LIKE:
            return ()
        template = made.args[0]
        if not isinstance(template, ast.Name) or any(keyword.arg != "dtype" for keyword in made.keywords):
            return ()
        host = SetKeyword(place.outline.source.span(made), "device", '"cpu"')
        moved = WrapExpression(self.mismatch.sink, "", f".to({template.id}.device)")
        return FileEdit(place.path, host), FileEdit(place.path, moved)

    def _draw_of_copy(self) -> Edits:
        """``bernoulli(p, generator=g)`` becomes ``bernoulli(p.cpu(), generator=g).to(p.device)``."""
        place = self._place(self.mismatch.path, self.mismatch.sink)
        call = place.node if place is not None else None
        if place is None or not isinstance(call, ast.Call) or not call.args:
            return ()
        given = call.args[0]
        if ast.unparse(call.func) not in _OF_TENSORS or isinstance(given, ast.Starred):
            return ()
        host = WrapExpression(place.outline.source.span(given), "", ".cpu()")
        if _is_read_on_host(place.outline, call):
            return (FileEdit(place.path, host),)
        device = self._device_of(place, given)
        if device is None:
            return ()
        moved = WrapExpression(self.mismatch.sink, "", f".to({device})")
        return FileEdit(place.path, host), FileEdit(place.path, moved)

    def _device_of(self, place: Place, given: ast.expr) -> str | None:
        """What tells the device of the tensor that a call at a place is given: itself, or what it was computed of."""
        is_named = isinstance(given, (ast.Name, ast.Attribute))
        named = ast.unparse(given) if is_named else source_tensor.made_of(self.facts, place)
        if named is not None:
            return f"{named}.device"
        found = device_expression.find(self.facts, place, [])
        return found.code if found is not None and not found.edits else None

    def _generator_moved(self, *, told: bool = False) -> Edits:
        """The generator is made on the device that a name ``told`` there stands for, or on the default one."""
        place = self._construction()
        if place is None:
            return ()
        found = device_expression.find(self.facts, place, [])
        if found is None and not told:
            found = self._default_device(place)
        return (*found.edits, *generator_with_device(place, found.code)) if found is not None else ()

    def _default_device(self, place: Place) -> DeviceExpression | None:
        """A call that is given no device draws where the default device is, wherever that is."""
        sink = self._place(self.mismatch.path, self.mismatch.sink)
        if sink is None or not isinstance(sink.node, ast.Call):
            return None
        given = any(keyword.arg in ("device", None) for keyword in sink.node.keywords)
        called = ast.unparse(sink.node.func)
        # What draws into a tensor, or from one, does so where that is.
        given = given or called in _OF_TENSORS or called.endswith("_")
        if given or not boundness.is_bound(place.outline, place.node, "torch"):
            return None
        return DeviceExpression(self._default_code())

    def _default_code(self) -> str:
        """The default device; ``get_default_device`` does not know of one that a default type has brought."""
        sources = self.facts.program.sources.values()
        if any("set_default_tensor_type" in source.text for source in sources):
            return "torch.empty(0).device"
        return "torch.get_default_device()"

    def _generator_on_host(self) -> Edits:
        place = self._construction()
        return generator_without_device(place) if place is not None else ()

    def _new_generator(self) -> Edits:
        """A loader that draws from the default generator, under a default device."""
        place = self._place(self.mismatch.path, self.mismatch.sink)
        if place is None or not isinstance(place.node, ast.Call):
            return ()
        found = device_expression.find(self.facts, place, [])
        code = found.code if found is not None else self._default_code()
        edit = SetKeyword(self.mismatch.sink, "generator", f"torch.Generator(device={code})")
        return (FileEdit(place.path, edit),)

    def _construction(self) -> Place | None:
        made: Origin | None = self.generator.trail[0] if self.generator.trail else None
        return self._place(made.path, made.span) if made is not None else None

    def _place(self, path: str, span: Span) -> Place | None:
        outline = self.facts.outline(path)
        node = outline.expression_at(span)
        return Place(path, outline, node) if node is not None else None
