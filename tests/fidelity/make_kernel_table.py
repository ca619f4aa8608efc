"""Writes devfix/simulator/kernel_table.py from the list of operators that the installed torch carries.

    python tests/fidelity/make_kernel_table.py [--check]

torchgen, which comes with torch, holds native_functions.yaml: which operator has a kernel for CUDA, whether
that kernel is a structured one, and whether torch's build writes a check of the operands' devices in front
of it. ``--check`` writes nothing and exits with 1 when the table is not the one that would be written.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).resolve().parents[2] / "devfix" / "simulator" / "kernel_table.py"

_ON_CPU = {"CPU", "SparseCPU", "SparseCsrCPU"}
_HEAD = '''"""Which operators have a check of their operands' devices written in front of their CUDA kernel.

Written by tests/fidelity/make_kernel_table.py from torch {version}'s native_functions.yaml; not to be edited.
"""

from __future__ import annotations

'''
_STRUCTURED = (
    "Operators whose structured CUDA kernel is checked: the method is named after name and overload."
)
_PLAIN = "Operators whose other CUDA kernel is checked: the method is named after overload and name."
_SPARSE = "Operators with a checked kernel for sparse tensors on CUDA."
_HOST_ONLY = (
    "Operators with a kernel for the CPU that no CUDA kernel and no composition of others stands in for."
)


class Operator(NamedTuple):
    """What native_functions.yaml says of one overload."""

    name: str
    kernels: dict[str, str]
    delegate: str
    structured: bool
    checked: bool


def operators(text: str) -> dict[str, Operator]:
    """The operators that the text of native_functions.yaml describes, by name and overload."""
    return {operator.name: operator for operator in map(_operator, re.split(r"(?m)^- func: ", text)[1:])}


def _operator(entry: str) -> Operator:
    fields = dict(re.findall(r"(?m)^  (\w+): *([^#\n]*)", entry))
    listed = re.search(r"(?m)^  dispatch:\n((?:    .*\n|\s*#.*\n)*)", entry)
    kernels: dict[str, str] = {}
    for line in listed.group(1).splitlines() if listed else ():
        keys, _, kernel = line.split("#")[0].partition(":")
        kernels.update(dict.fromkeys((key.strip() for key in keys.split(",")), kernel.strip()))
    return Operator(
        name=entry.split("(", 1)[0].strip(),
        kernels={key: kernel for key, kernel in kernels.items() if key},
        delegate=fields.get("structured_delegate", "").strip(),
        structured=fields.get("structured", "").strip() == "True",
        checked=fields.get("device_check", "").strip() != "NoCheck",
    )


def checked_kernels(known: dict[str, Operator]) -> tuple[list[str], list[str]]:
    """Operators with a checked structured kernel for CUDA, and those with another checked one."""
    structured: list[str] = []
    plain: list[str] = []
    for name, operator in sorted(known.items()):
        group = known.get(operator.delegate, operator)
        if "CUDA" in group.kernels and operator.checked:
            (structured if group.structured else plain).append(name)
    return structured, plain


def sparse_kernels(known: dict[str, Operator]) -> list[str]:
    """Operators with a checked kernel for sparse tensors."""
    keys = {"SparseCUDA", "SparseCsrCUDA"}
    return sorted(
        name for name, operator in known.items() if operator.checked and keys & set(operator.kernels)
    )


def host_only(known: dict[str, Operator]) -> list[str]:
    """Operators that run on the CPU alone."""
    found = []
    for name, operator in sorted(known.items()):
        group = known.get(operator.delegate, operator)
        keys = set(group.kernels)
        if keys & _ON_CPU and not any("CUDA" in key or key.startswith("Composite") for key in keys):
            found.append(name)
    return found


def table(text: str, version: str) -> str:
    """The text of the module."""
    known = operators(text)
    structured, plain = checked_kernels(known)
    parts = [
        ("STRUCTURED", _STRUCTURED, structured),
        ("PLAIN", _PLAIN, plain),
        ("SPARSE", _SPARSE, sparse_kernels(known)),
        ("HOST_ONLY", _HOST_ONLY, host_only(known)),
    ]
    return _HEAD.format(version=version) + "\n\n".join(_frozen_set(*part) for part in parts)


def _frozen_set(name: str, comment: str, names: list[str]) -> str:
    lines = textwrap.wrap(" ".join(names), width=104, break_on_hyphens=False, break_long_words=False)
    body = "\n".join(f"    {line}" for line in lines)
    return f'#: {comment}\n{name} = frozenset(\n    """\n{body}\n    """.split()\n)\n'


def installed() -> Iterator[str]:
    """The text of the installed native_functions.yaml, and the version of torch without its build."""
    home = importlib.util.find_spec("torchgen")
    assert home is not None
    assert home.submodule_search_locations is not None
    folder = Path(home.submodule_search_locations[0])
    yield (folder / "packaged" / "ATen" / "native" / "native_functions.yaml").read_text(encoding="utf-8")
    version = (folder.parent / "torch" / "version.py").read_text(encoding="utf-8")
    yield version.split("__version__ = '")[1].split("'")[0].split("+")[0]


def main() -> int:
    """Write the table, or say whether it is up to date."""
    wanted = table(*installed())
    if "--check" in sys.argv[1:]:
        return 0 if TABLE.read_text(encoding="utf-8") == wanted else 1
    TABLE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
