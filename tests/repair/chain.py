"""Chain: carriers that hand a value on to one another, each in a file of its own."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from repair.carried_program import placed
from repair.carried_value import Making
from repair.carrier import Carrier
from repair.device_choice import DeviceChoice

#: How a file hands on what its carrier holds.
STYLES = ("function", "class", "property", "base class", "module", "registered", "plugin")
_NOUNS = ("origin", "relay", "supply")
_BASE = """class {base}:
    def taken(self):
        return self._read()

    def _read(self):
        raise NotImplementedError"""


@dataclass(frozen=True)
class Stage:
    """One file: its text, the statement of the entry that makes its object, and how the next gets the value from that.

    ``silent`` is whether nobody names what is in the file, so that somebody has to import it.
    """

    name: str
    text: str
    call: str
    carrier: Carrier
    silent: bool = False


@dataclass(frozen=True)
class Chain:
    """Carriers, the styles of their files, and what each but the first does with the value before it keeps it.

    ``record`` is what the second makes of a record in which the value comes.
    """

    carriers: tuple[Carrier, ...]
    styles: tuple[str, ...]
    steps: tuple[str, ...] = ("{0}", "{0}", "{0}")
    record: str = ""

    @property
    def name(self) -> str:
        """What tells it from others."""
        whole = zip(self.carriers, self.styles, self.steps, strict=False)
        words = (
            (f"[{step}] " if step != "{0}" else "") + f"{each.name} ({style})" for each, style, step in whole
        )
        return " > ".join(words)

    def fits(self, making: Making, choice: DeviceChoice) -> bool:
        """Whether what the files need is known in them: a module, or a class that makes the value, takes no arguments."""
        for index, (carrier, style) in enumerate(zip(self.carriers, self.styles, strict=True)):
            inner = "VALUE" in carrier.definitions or "PREPARE" in carrier.definitions
            free = not _arguments(making, choice) if index == 0 else self.styles[index - 1] == "module"
            if (inner or style == "module") and not free:
                return False
        return not any(_names_twice(*self.carriers[k : k + 2]) for k in range(len(self.carriers) - 1))

    def stages(self, making: Making, kind: str, choice: DeviceChoice) -> Iterator[Stage]:
        """Its files, the first of which makes the value."""
        known = ["features", "model", *filter(None, [choice.given])]
        whole = zip(self.carriers, self.styles, self.steps, _NOUNS, strict=False)
        for carrier, style, step, noun in whole:
            if noun == _NOUNS[1] and self.record:
                making = Making(self.record, (*making.before, f"record = {making.expression}"))
            if noun != _NOUNS[0]:
                making = replace(making, expression=step.format(making.expression))
            stage = _stage(noun, carrier, style, placed(carrier, making, kind), known)
            yield stage
            statements, value = stage.carrier.fetched(stage.carrier.handle)
            making = Making(value, tuple(statements))
            known = [*known, stage.carrier.handle] if stage.call else known


def parameters(text: str, *more: str) -> list[str]:
    """Which of the names that the entry knows a text reads without binding them before."""
    read, bound = dict[str, None](), set[str]()
    for node in _in_order(ast.parse(text)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in bound:
            read[node.id] = None
        elif isinstance(node, ast.Name):
            bound.add(node.id)
    return [name for name in more if name in read]


def _in_order(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes in the order in which they are run, nearly: a value before its targets."""
    for child in sorted(ast.iter_child_nodes(tree), key=_stored):
        yield from _in_order(child)
    yield tree


def _stored(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store)


def _arguments(making: Making, choice: DeviceChoice) -> bool:
    """Whether a value's making needs what only the entry knows."""
    text = "\n".join([*making.before, making.expression])
    return bool(parameters(text, "features", "model", choice.given or "-"))


def _names_twice(first: Carrier, second: Carrier) -> bool:
    """Whether a file would import a name that it defines."""
    own = _defined(second.definitions)
    fetched = {node.id for node in ast.walk(ast.parse(first.fetch)) if isinstance(node, ast.Name)}
    return bool(own & fetched & _defined(first.definitions))


def _defined(text: str) -> set[str]:
    text = text.replace("PREPARE", "pass") if text.startswith("PREPARE") else text
    found = set[str]()
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


def _stage(noun: str, carrier: Carrier, style: str, texts: tuple[str, str], known: Sequence[str]) -> Stage:
    definitions, store = texts
    handle = carrier.handle
    given = ", ".join(parameters(store, *dict.fromkeys(known)))
    if style == "module":
        return Stage(noun, _joined(definitions, store), "", carrier)
    if style in ("registered", "plugin"):
        head = f'@register("{noun}")\n' if style == "registered" else ""
        body = f"{head}def make_{noun}({given}):\n" + _indented(f"{store}\nreturn {handle}")
        called = f'build("{noun}"{", " if given else ""}{given})'
        if style == "plugin":
            called = f'import_module("{noun}").make_{noun}({given})'
        return Stage(noun, _joined(definitions, body), f"{handle} = {called}", carrier, silent=True)
    if style == "function":
        body = f"def make_{noun}({given}):\n" + _indented(f"{store}\nreturn {handle}")
        return Stage(noun, _joined(definitions, body), f"{handle} = make_{noun}({given})", carrier)
    return _class_stage(noun, carrier, style, (definitions, store, given))


def _class_stage(noun: str, carrier: Carrier, style: str, texts: tuple[str, str, str]) -> Stage:
    definitions, store, given = texts
    statements, value = carrier.fetched(f"self.{carrier.handle}")
    begin = f"{store}\nself.{carrier.handle} = {carrier.handle}"
    method = {"class": "taken", "property": "current", "base class": "_read"}[style]
    base = f"{noun.title()}Base"
    lines = [
        f"class {noun.title()}{f'({base})' if style == 'base class' else ''}:",
        _indented(f"def __init__(self{', ' if given else ''}{given}):\n{_indented(begin)}\n"),
        *(["    @property"] if style == "property" else []),
        _indented(f"def {method}(self):\n" + _indented("\n".join([*statements, f"return {value}"]))),
    ]
    text = _joined(definitions, _BASE.format(base=base) if style == "base class" else "", "\n".join(lines))
    fetch = f"{noun}.current" if style == "property" else f"{noun}.taken()"
    held = replace(carrier, handle=noun, fetch=fetch, definitions="", imports=())
    return Stage(noun, text, f"{noun} = {noun.title()}({given})", held)


def _joined(*texts: str) -> str:
    return "\n\n\n".join(text for text in texts if text)


def _indented(text: str) -> str:
    return textwrap.indent(text, "    ")
