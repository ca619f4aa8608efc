"""Layer: what one place says of the settings, such as one file or the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from devfix.config.places import line_of
from devfix.config.settings import RuleChoice, Settings

#: The name of the layer that has an option for each of its keys.
OPTIONS = "the command line"

#: The keys whose values name rules, by themselves or for the files of a glob.
_NAMING = tuple(
    prefix + key
    for key in ("select", "ignore", "fixable", "unfixable", "safe-fixes", "unsafe-fixes", "per-file-ignores")
    for prefix in ("", "extend-")
)


@dataclass(frozen=True)
class Layer:
    """The values of one place by key, read but not merged.

    ``name`` says where the values come from: a file as the user would write it, or options. Of a file
    there are the path, the text and the dotted name of the table. ``root`` is the folder that paths
    are relative to.
    """

    values: Mapping[str, Any]
    root: str
    name: str
    file: str | None = None
    text: str = field(default="", repr=False)
    table: str = ""

    def place(self, key: str) -> str:
        """Where the value of a key is written: a file with its line, or an option."""
        if self.file is None:
            return f"--{key}" if self.name == OPTIONS else self.name
        line = self.line(key)
        return self.name if line is None else f"{self.name}:{line}"

    def line(self, key: str) -> int | None:
        """The line of the file on which a key is set; None where that cannot be told."""
        return line_of(self.text, [*filter(None, self.table.split(".")), key])

    def naming(self, selector: str) -> str:
        """Where the layer names a rule, or what may be one; "" where it does not."""
        for key in _NAMING:
            value = self.values.get(key) or ()
            if selector in value or any(selector in each[1] for each in value if isinstance(each, tuple)):
                return self.place(key)
        return ""


def merged(layers: Sequence[Layer], *, root: str) -> Settings:
    """The settings of some layers, the weakest first."""
    return Settings(
        **_rules(layers),
        per_file_ignores=_replaced("per-file-ignores", layers, ())
        + _added("extend-per-file-ignores", layers),
        exclude=_replaced("exclude", layers, ()) + _added("extend-exclude", layers),
        respect_gitignore=_replaced("respect-gitignore", layers, True),
        **_fixes(layers),
        extend_safe_fixes=_added("extend-safe-fixes", layers),
        extend_unsafe_fixes=_added("extend-unsafe-fixes", layers),
        device_policy=_replaced("device-policy", layers, "cuda"),
        adopt=_replaced("adopt", layers, False),
        force_exclude=_replaced("force-exclude", layers, False),
        output_format=_replaced("output-format", layers, "text"),
        baseline=_replaced("baseline", layers, None),
        cache_dir=_replaced("cache-dir", layers, None),
        src=_replaced("src", layers, ()),
        root=root,
    )


def _replaced(key: str, layers: Sequence[Layer], default: Any) -> Any:
    return next((layer.values[key] for layer in reversed(layers) if key in layer.values), default)


def _added(key: str, layers: Sequence[Layer]) -> Any:
    return tuple(item for layer in layers for item in layer.values.get(key, ()))


def _rules(layers: Sequence[Layer]) -> dict[str, Any]:
    """A layer that selects leaves nothing of those before it; others change what those select."""
    choices = [choice_of(layer) for layer in layers if choice_of(layer) != RuleChoice()]
    selecting = [number for number, choice in enumerate(choices) if choice.select is not None]
    choices = choices[selecting[-1] if selecting else 0 :]
    last = choices.pop() if choices else RuleChoice()
    return {
        "select": last.select,
        "extend_select": last.extend,
        "ignore": last.ignore,
        "inherited": tuple(choices),
    }


def choice_of(layer: Layer) -> RuleChoice:
    """What a layer says of the rules that run."""
    values = layer.values
    ignored = values.get("ignore", ()) + values.get("extend-ignore", ())
    return RuleChoice(values.get("select"), values.get("extend-select", ()), ignored)


def _fixes(layers: Sequence[Layer]) -> dict[str, Any]:
    """The same for fixes."""
    fixable: tuple[str, ...] | None = None
    more: tuple[str, ...] = ()
    unfixable: tuple[str, ...] = ()
    for layer in layers:
        if "fixable" in layer.values:
            fixable, more, unfixable = layer.values["fixable"], (), ()
        more += layer.values.get("extend-fixable", ())
        unfixable += layer.values.get("unfixable", ())
    return {"fixable": fixable, "extend_fixable": more, "unfixable": unfixable}
