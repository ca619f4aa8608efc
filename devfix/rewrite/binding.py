"""What import statements bind, and which import makes another one unnecessary."""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst


class Kind(enum.IntEnum):
    """The groups in which imports stand, in their order."""

    FUTURE = 0
    STANDARD = 1
    OTHER = 2
    RELATIVE = 3


@dataclass(frozen=True)
class Binding:
    """One name that an import binds: ``import module as alias`` or ``from module import name``."""

    module: str
    name: str | None = None
    alias: str | None = None

    @property
    def bound(self) -> str:
        """The name in the importing module."""
        return self.alias or self.name or self.package

    @property
    def package(self) -> str:
        """The top-level package; the empty string for a relative import."""
        return self.module.partition(".")[0]

    @property
    def is_plain(self) -> bool:
        """Whether the import is ``import module`` rather than ``from module import name``."""
        return self.name is None

    @property
    def kind(self) -> Kind:
        """The group that the import belongs to."""
        if self.module.startswith("."):
            return Kind.RELATIVE
        if self.package == "__future__":
            return Kind.FUTURE
        return Kind.STANDARD if self.package in sys.stdlib_module_names else Kind.OTHER

    @property
    def alias_code(self) -> str:
        """The imported name as it is written, with what it is called here."""
        return (self.name or self.module) + (f" as {self.alias}" if self.alias else "")

    @property
    def key(self) -> tuple[Kind, bool, str, str]:
        """The order of imports that are added together."""
        return (self.kind, not self.is_plain, self.module, self.alias_code)

    def serves(self, wanted: Binding) -> bool:
        """Whether this import makes the wanted one unnecessary."""
        if self == wanted:
            return True
        plain = wanted.is_plain and self.is_plain and wanted.alias is None and self.alias is None
        return plain and self.module.startswith(wanted.module + ".")


def bindings(node: cst.CSTNode) -> Iterator[Binding]:
    """What a statement binds by importing."""
    if isinstance(node, cst.Import):
        for alias in node.names:
            yield Binding(_dotted(alias.name), None, _alias(alias))
    elif isinstance(node, cst.ImportFrom):
        module = module_of(node)
        if isinstance(node.names, cst.ImportStar):
            yield Binding(module, "*")
            return
        for alias in node.names:
            yield Binding(module, _dotted(alias.name), _alias(alias))


def module_of(node: cst.ImportFrom) -> str:
    """The module that a ``from`` import names, dots included."""
    return "." * len(node.relative) + (_dotted(node.module) if node.module else "")


def _dotted(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def _alias(alias: cst.ImportAlias) -> str | None:
    name = alias.asname.name if alias.asname else None
    return name.value if isinstance(name, cst.Name) else None
