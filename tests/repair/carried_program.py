"""Carried programs: a small training program around a carrier, a value and the place where it is used."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from repair.carried_value import TYPES, CarriedValue, Making
from repair.carrier import Carrier

Texts = dict[str, str]
#: Where a value is used, and how a program is laid out.
USES = ("forward", "loss", "loop", "evaluation", "metric")
LAYOUTS = ("script", "main", "files")
_CHOICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
_MAIN = '\n\n\nif __name__ == "__main__":\n    main()'


@dataclass
class _Parts:
    """What a use puts into the places of a program."""

    forward: list[str] = field(default_factory=lambda: ["return self.body(x)"])
    functions: list[str] = field(default_factory=list)
    step: list[str] = field(default_factory=list)
    loss: str = "output.pow(2).mean()"
    score: list[str] = field(default_factory=lambda: ["score = model(features).abs().mean().item()"])


def fits(carrier: Carrier, value: CarriedValue, use: str) -> bool:
    """Whether a carrier can carry a value, and it is used there in a way that shows the mistake."""
    if value.kind not in carrier.kinds or not (value.early or "VALUE" in carrier.store):
        return False
    if value.kind == "l":
        return use in ("loss", "loop")
    # A module that is an attribute itself moves with the model; a function draws no numbers to measure.
    return (value.kind, use) not in {("m", "forward"), ("m", "metric"), ("g", "metric")}


def program(carrier: Carrier, value: CarriedValue, use: str, layout: str, *, wrong: bool) -> Texts:
    """The files of the program, with the mistake or without it."""
    making = value.wrong if wrong else value.right
    parts = _parts(carrier, value.kind, use)
    imports = [*making.imports, *carrier.imports, "import torch", "from torch import nn"]
    definitions, store = placed(carrier, making, TYPES.get(value.kind, "torch.Tensor"))
    network = _network(parts, carrier.handle if use == "forward" else "")
    body = _body(parts, store, carrier.handle if use == "forward" else "")
    if layout == "script":
        return {"main.py": _file(imports, [_CHOICE, definitions, network, *parts.functions, "\n".join(body)])}
    main = "def main():\n" + _indented(body) + _MAIN
    if layout == "main":
        return {"main.py": _file(imports, [_CHOICE, definitions, network, *parts.functions, main])}
    texts = {"settings": _CHOICE, "parts": definitions, "network": network}
    return _files(imports, {**texts, "main": "\n\n\n".join([*parts.functions, main])})


def _parts(carrier: Carrier, kind: str, use: str) -> _Parts:
    parts, handle = _Parts(), carrier.handle
    statements, value = carrier.fetched(f"self.{handle}" if use == "forward" else handle)
    if use == "forward":
        parts.forward = ["out = self.body(x)", *statements, f"return {_used(kind, 'out', value)}"]
    elif use == "loop" and kind == "l":
        parts.step, parts.loss = statements, _used(kind, "output", value)
    elif use == "loop":
        parts.step = [*statements, f"output = {_used(kind, 'output', value)}"]
    elif use == "evaluation":
        score = f"score = ({_used(kind, 'guess', value)}).abs().mean().item()"
        parts.score = ["guess = model(features)", *statements, score]
    else:
        result = _used(kind, "output", value)
        result = result if kind == "l" else f"({result}).pow(2).mean()"
        parts.functions = [
            f"def {use}_of(output, {handle}):\n" + _indented([*statements, f"return {result}"])
        ]
        if use == "loss":
            parts.loss = f"loss_of(output, {handle})"
        else:
            parts.score = [f"score = metric_of(model(features), {handle}).item()"]
    return parts


def _used(kind: str, output: str, value: str) -> str:
    """What an output becomes with the value."""
    if kind == "m":
        return f"{value}({output})"
    if kind == "g":
        return f"{output} + 0.1 * torch.randn({output}.shape, generator={value}, device={output}.device)"
    return f"nn.functional.cross_entropy({output}, {value})" if kind == "l" else f"{output} @ {value}"


def placed(carrier: Carrier, making: Making, kind: str) -> tuple[str, str]:
    """The definitions and the statements of a carrier with the value in its place."""
    definitions, store = carrier.definitions, carrier.store
    if "PREPARE" not in definitions + store:
        definitions = definitions if "VALUE" in store else f"PREPARE\n{definitions}"
        store = f"PREPARE\n{store}" if "VALUE" in store else store
    first, second = (_with_value(text, making).replace("TYPE", kind) for text in (definitions, store))
    return first, second


def _with_value(text: str, making: Making) -> str:
    lines: list[str] = []
    for line in text.split("\n"):
        begin = line[: len(line) - len(line.lstrip())]
        before = [begin + each for each in making.before]
        lines += before if line.strip() == "PREPARE" else [line.replace("VALUE", making.expression)]
    return "\n".join(lines).strip("\n")


def _network(parts: _Parts, given: str) -> str:
    begin = ["super().__init__()", *([f"self.{given} = {given}"] if given else [])]
    begin.append("self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))")
    methods = [
        f"def __init__(self{f', {given}' if given else ''}):\n{_indented(begin)}",
        f"def forward(self, x):\n{_indented(parts.forward)}",
    ]
    return "class Net(nn.Module):\n" + _indented("\n\n".join(methods).split("\n"))


def _body(parts: _Parts, store: str, given: str) -> list[str]:
    rounds = ["optimizer.zero_grad()", "output = model(features)", *parts.step, f"loss = {parts.loss}"]
    rounds += ["loss.backward()", "optimizer.step()"]
    return [
        "torch.manual_seed(0)",
        "features = torch.randn(32, 4).to(device)",
        *store.split("\n"),
        f"model = Net({given}).to(device)",
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.05)",
        "for epoch in range(3):",
        *_indented(rounds).split("\n"),
        "model.eval()",
        "with torch.no_grad():",
        *_indented(parts.score).split("\n"),
        'print("RESULT", round(score + loss.item(), 5))',
    ]


def _indented(lines: Sequence[str]) -> str:
    return textwrap.indent("\n".join(lines), "    ")


def _files(imports: list[str], texts: Texts) -> Texts:
    """A file for each text, which imports from those before it what it names."""
    found: Texts = {}
    defined: dict[str, str] = {}
    for name, text in texts.items():
        if text:
            used = _names(text)
            more = [f"from {defined[each]} import {each}" for each in sorted(used & defined.keys())]
            found[f"{name}.py"] = _file([*imports, *more], [text])
            defined |= dict.fromkeys(_bound(text), name)
    return found


def _file(imports: list[str], texts: list[str]) -> str:
    """A file with those of the imports that it needs."""
    text = "\n\n\n".join(each for each in texts if each) + "\n"
    used = _names(text)
    kept = dict.fromkeys(line for line in (needed(line, used) for line in imports) if line)
    return "\n".join(kept) + "\n\n\n" + text


def needed(line: str, used: set[str]) -> str:
    """An import statement with the names that are used; "" where none is."""
    before, _, names = line.rpartition("import ")
    kept = [each for each in names.split(", ") if each.rpartition(" as ")[2].partition(".")[0] in used]
    return f"{before}import {', '.join(kept)}" if kept else ""


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def _bound(text: str) -> Iterator[str]:
    """The names that a file defines."""
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
