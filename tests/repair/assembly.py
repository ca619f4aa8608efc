"""Assemblies: where a package puts its parts together: its entry, a function, an object that runs them, or one that makes them as they
are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from repair.device_choice import DeviceChoice
from repair.package_text import Method, class_of, function

ASSEMBLIES = ("entry", "function", "runner", "container")
_SEED = ("torch.manual_seed(0)", "random.seed(0)")
_GUARD = '\n\n\nif __name__ == "__main__":\n    main()'
_BOUND = re.compile(r"(\w+) = (.+)$")


@dataclass(frozen=True)
class Assembly:
    """``lines`` bind ``features``, whatever the chain needs, ``trainer`` and perhaps ``report``."""

    kind: str
    lines: tuple[str, ...]
    choice: DeviceChoice

    def fits(self) -> bool:
        """Whether it can be made of these lines: a container has one attribute for each name."""
        bound = [found[1] if (found := _BOUND.match(line)) else "" for line in self.lines]
        return self.kind in ("entry", "function") or ("" not in bound and len(set(bound)) == len(bound))

    def texts(self) -> dict[str, str]:
        """The files that put the package together, and its entry."""
        own, total = self._files()
        place = {"entry": "", "function": "parts.", "runner": "runner.", "container": "container."}[self.kind]
        last = [
            f"loss = {place}trainer.fit({place}features)",
            f'print("RESULT", round({place}trainer.evaluate({place}features) + loss{total}, 5))',
        ]
        return {**own, "main": function("main()", [*_SEED, *self._begin(), *last]) + _GUARD}

    def _given(self) -> str:
        return self.choice.given

    def _begin(self) -> Sequence[str]:
        made, given = self.choice.made, self._given()
        return {
            "entry": [*made, *self.lines],
            "function": [*made, f"parts = build_parts({given})"],
            "runner": [*made, f"runner = Runner({given})"],
            "container": [*made, f"container = Container({given})"],
        }[self.kind]

    def _files(self) -> tuple[dict[str, str], str]:
        """The files beside the entry, and what the entry adds to its result."""
        reported = any(line.startswith("report = ") for line in self.lines)
        given = self._given()
        if self.kind == "function":
            names = ["features", "trainer", *(["report"] if reported else [])]
            result = f"return SimpleNamespace({', '.join(f'{name}={name}' for name in names)})"
            text = function(f"build_parts({given})", [*self.lines, result])
            return {"assembly": text}, " + parts.report.total" if reported else ""
        if self.kind == "runner":
            begin = [*self._kept(), *(self._own(line) for line in self.lines)]
            text = class_of("Runner", (self._constructor(), begin))
            return {"runner": text}, " + runner.report.total" if reported else ""
        if self.kind == "container":
            text = class_of("Container", (self._constructor(), self._kept() or ["pass"]), *self._properties())
            return {"container": text}, " + container.report.total" if reported else ""
        return {}, " + report.total" if reported else ""

    def _constructor(self) -> str:
        given = self._given()
        return f"__init__(self, {given})" if given else "__init__(self)"

    def _kept(self) -> list[str]:
        given = self._given()
        return [f"self.{given} = {given}"] if given else []

    def _properties(self) -> list[Method]:
        bound = (match for line in self.lines if (match := _BOUND.match(line)))
        return [(f"@cached_property\n{match[1]}(self)", [f"return {self._own(match[2])}"]) for match in bound]

    def _own(self, text: str) -> str:
        """A statement or an expression with the object's attributes in place of names."""
        names = [found[1] for line in self.lines if (found := _BOUND.match(line))]
        every = "|".join(re.escape(name) for name in (*names, *filter(None, [self._given()])))
        return re.sub(rf"(?<![\w.'\"])({every})\b(?!\(|=)", r"self.\1", text)
