"""Edited packages: small packages of many files, and edits of them at random."""

from __future__ import annotations

import ast
import random
from collections.abc import Mapping

Texts = Mapping[str, str]

_HEAD = "import torch\nfrom torch import nn\n"
_PARTS = (
    "DEVICE = {device}\n",
    "SCALE = torch.ones({n}, device={device})\n",
    "REGISTRY = {{}}\n\n\ndef register(fn):\n    REGISTRY[fn.__name__] = fn\n    return fn\n",
    "def make_{i}(n={n}):\n    return torch.zeros(n, device={device})\n",
    "def use_{i}(x):\n    made = {make}({n})\n    return x.to({device}) + made\n",
    "def add_{i}(x):\n    from . import {module}\n    return {module}.{make}() + x.to({device})\n",
    "def kept_{i}(path):\n    torch.save(torch.ones({n}), path)\n    return torch.load(path)\n",
    "def keep_{i}():\n    torch.save(torch.ones({n}, device={device}), 'kept.pt')\n",
    "def found_{i}(x):\n    return x.to({device}) + torch.load('kept.pt')\n",
    "def set_{i}():\n    global DEVICE\n    DEVICE = {device}\n    return torch.ones({n}, device=DEVICE)\n",
    "def deep_{i}(x, y={device}):\n    def inner(z):\n        return z.to(y) + {make}({n})\n    return inner(x)\n",
    (
        "class Net_{i}({base}):\n    limit = {n}\n\n    def __init__(self):\n        super().__init__()\n"
        "        self.layer = nn.Linear({n}, {n})\n        self.mask = torch.ones({n})\n\n"
        "    def forward(self, x):\n        return self.layer(x) * self.mask + {make}(self.limit)\n\n"
        "    def other(self, x):\n        return self.forward(x).numpy()\n"
    ),
    (
        "class Data_{i}:\n    device = {device}\n\n    def __init__(self, n={n}):\n        self.n = n\n\n"
        "    def batch(self):\n        return torch.rand(self.n).to(self.device)\n\n"
        "    def both(self):\n        return self.batch() + {make}({n})\n"
    ),
    "def train_{i}():\n    net = {net}().to({device})\n    return net(torch.rand({n}))\n",
    "net_{i} = {net}()\n",
)
_IMPORTS = ("from .{module} import *\n", "from .{module} import {make}\n", "from . import {module}\n")


class Packages:
    """Makes packages and edits them, each time in another way."""

    def __init__(self, seed: int, files: int = 4) -> None:
        self.random = random.Random(seed)
        self.names = [f"m{number}" for number in range(files)]

    def package(self) -> dict[str, str]:
        """The texts of a package by their paths."""
        texts = {f"pkg/{name}.py": self._module() for name in self.names}
        return {"pkg/__init__.py": self._init(), **texts}

    def edited(self, texts: Texts) -> dict[str, str]:
        """The texts after an edit of one or two files."""
        found = dict(texts)
        for path in self.random.sample(sorted(found), self.random.choice((1, 1, 1, 2))):
            text = edited(found[path], self.random, self._part)
            if is_program(text):
                found[path] = text
        return found

    def _init(self) -> str:
        if self.random.random() < 0.3:
            return ""
        return "".join(f"from . import {name}\n" for name in self.names)

    def _module(self) -> str:
        imports = "".join(
            self._filled(self.random.choice(_IMPORTS)) for _ in range(self.random.randint(0, 3))
        )
        parts = "\n\n".join(self._part() for _ in range(self.random.randint(2, 6)))
        return f"{_HEAD}{imports}\n\n{parts}"

    def _part(self) -> str:
        return self._filled(self.random.choice((*_PARTS, *_PARTS, *_IMPORTS)))

    def _filled(self, part: str) -> str:
        pick = self.random.choice
        return part.format(
            i=pick("abc"),
            n=pick("345"),
            device=pick(('"cuda"', '"cpu"', "DEVICE", '"cuda"')),
            make=f"make_{pick('abc')}",
            net=f"Net_{pick('abc')}",
            base=pick(("nn.Module", "nn.Module", "Net_a", "Net_b")),
            module=pick(self.names),
        )


def is_program(text: str) -> bool:
    """Whether a text is one of Python."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def edited(text: str, chance: random.Random, part: object = None) -> str:
    """A text after one edit at random: of a constant, a name, a comment, or a whole definition."""
    lines = text.splitlines(keepends=True)
    body = ast.parse(text).body
    kind = chance.randrange(7)
    if kind == 0 or not body:
        lines.insert(chance.randint(0, len(lines)), chance.choice(("# a comment\n", "\n")))
    elif kind == 1:
        chosen = chance.choice(body)
        del lines[chosen.lineno - 1 : chosen.end_lineno]
    elif kind == 2 and callable(part):
        lines.insert(chance.choice(body).lineno - 1, part() + "\n")
    elif kind == 3:
        chosen, other = chance.choice(body), chance.choice(body)
        moved = lines[chosen.lineno - 1 : chosen.end_lineno]
        lines[other.lineno - 1 : other.lineno - 1] = moved
    else:
        pairs = [
            ("cuda", "cpu"),
            ("cpu", "cuda"),
            ("_a", "_b"),
            ("_b", "_c"),
            ("3", "4"),
            ("x", "y"),
            ("ones", "rand"),
        ]
        pairs += [
            ("nn.Module", "object"),
            (".to(", ".type_as("),
            ("return ", "yield "),
            ("self.", "self.m"),
            ("torch.", "t."),
        ]
        old, new = chance.choice(pairs)
        at = [number for number, line in enumerate(lines) if old in line]
        if at:
            number = chance.choice(at)
            lines[number] = lines[number].replace(old, new, chance.choice((1, -1)))
    return "".join(lines)
