"""What the tables say of PyTorch is what a GPU does, and every name in them exists."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
import torch
from text_program import analyse_text

from devfix.analysis.torch_model import functions, names
from devfix.analysis.torch_model.modules import layer_specs, layers
from devfix.analysis.torch_model.tensors import factories, functional, losses, specs

#: PyTorch's operator database on a GPU, each operand in turn left on the CPU: where that fails.
RECORD = Path(__file__).parent / "data" / "operator_devices.json"

#: Operators of which the analysis says nothing: internals, and what hardly anybody calls.
UNMODELLED = frozenset(
    "softmax_backward_data gradient diff grid_sampler_2d grid_sampler_3d fractional_max_pool2d "
    "multi_head_attention_forward native_batch_norm native_layer_norm argmax argmin cumprod cumsum log_softmax "
    "logaddexp median softmax softmin std var amax amin logsumexp mean norm prod sum".split()
)
#: Where all operands have no dimensions, or the first has none, which one fails follows no rule.
_ALL_SCALARS = frozenset(
    "logical_and logical_or logical_xor masked_fill normal index_fill cosine_similarity soft_margin_loss "
    "binary_cross_entropy_with_logits".split()
)


@dataclass(frozen=True)
class Case:
    """One call with one operand on the CPU, and whether the GPU refused it."""

    call: str
    ranks: tuple[int, ...]
    dtypes: tuple[str, ...]
    displaced: int
    fails: bool

    @property
    def operator(self) -> str:
        return self.call.partition("(")[0].rpartition(".")[2]

    @property
    def is_modelled(self) -> bool:
        masked = self.call.startswith("torch.masked.")
        reflected = self.call.startswith("{0}.__")
        exact = self.operator in _ALL_SCALARS and self.ranks[self.displaced] == 0
        return not (masked or reflected or exact or self.operator in UNMODELLED or self._is_singular())

    def _is_singular(self) -> bool:
        """``torch.linalg.pinv({0}, {1})`` of the database is a product, not the function's own form."""
        return self.operator == "pinv" and "rtol" not in self.call

    def line(self) -> str:
        operands = [
            f"{'host' if at == self.displaced else 'device'}_{rank}_{dtype}"
            for at, (rank, dtype) in enumerate(zip(self.ranks, self.dtypes, strict=True))
        ]
        return f"result = {self.call.format(*operands)}"


def cases() -> Iterator[Case]:
    for row in json.loads(RECORD.read_text(encoding="utf-8"))["rows"]:
        for displaced in sorted(row["fails"] + row["runs"]):
            yield Case(
                row["call"], tuple(row["ranks"]), tuple(row["dtypes"]), displaced, displaced in row["fails"]
            )


CASES = tuple(cases())


@cache
def refused() -> frozenset[Case]:
    """The cases in which the analysis sees two devices meet."""
    operands = sorted(
        {(rank, dtype) for case in CASES for rank, dtype in zip(case.ranks, case.dtypes, strict=True)}
    )
    head = ["import torch"]
    for rank, dtype in operands:
        made = f"torch.zeros({(2,) * rank}, dtype=torch.{dtype})"
        head += [f"host_{rank}_{dtype} = {made}", f'device_{rank}_{dtype} = {made}.to("cuda")']
    facts = analyse_text("\n".join([*head, *(case.line() for case in CASES)]))
    lines = {found.sink.line for found in facts.mismatches() if found.kind in ("device", "host-only")}
    return frozenset(case for number, case in enumerate(CASES, len(head) + 1) if number in lines)


def test_nothing_that_runs_on_a_gpu_is_refused() -> None:
    assert [case for case in CASES if not case.fails and case in refused()] == []


def test_what_fails_on_a_gpu_is_seen() -> None:
    missed = [case for case in CASES if case.fails and case.is_modelled and case not in refused()]
    assert missed == []


def test_the_record_tells_both_outcomes() -> None:
    assert sum(case.fails for case in CASES) > 500
    assert sum(not case.fails for case in CASES) > 100


# --------------------------------------------------------------------------------- names


def exists(dotted: str) -> bool:
    """Whether PyTorch has a thing of this name."""
    owner: object = torch
    for name in dotted.split(".")[1:]:
        if not hasattr(owner, name) and not _is_imported(owner, name):
            return False
        owner = getattr(owner, name)
    return True


def _is_imported(owner: object, name: str) -> bool:
    """Whether what PyTorch does not import by itself, as ``torch.multiprocessing.pool``, can be imported."""
    if not isinstance(owner, ModuleType):
        return False
    try:
        import_module(f"{owner.__name__}.{name}")
    except ImportError:
        return False
    return hasattr(owner, name)


_PACKAGES = (
    "torch",
    "torch.Tensor",
    "torch.nn.functional",
    "torch.linalg",
    "torch.special",
    "torch.fft",
    "torch.sparse",
)


def known_as_operation(name: str) -> bool:
    return any(exists(f"{package}.{name}") or exists(f"{package}.{name}_") for package in _PACKAGES)


TABLES = {
    "OPS": specs.OPS,
    "SAME": specs.SAME,
    "FLOATING": specs.FLOATING,
    "RESHAPES": specs.RESHAPES,
    "REDUCTIONS": specs.REDUCTIONS,
    "TESTS": specs.TESTS,
    "LAYERS": functional.LAYERS,
    "LOSSES": losses.LOSSES,
}


@pytest.mark.parametrize("table", TABLES)
def test_operations_exist(table: str) -> None:
    assert [name for name in TABLES[table] if not known_as_operation(name)] == []


@pytest.mark.parametrize(
    "classes", [layer_specs.WEIGHTED, layers.CONTAINERS, layers.WRAPPERS, losses.CRITERIA], ids=len
)
def test_modules_exist(classes: dict[str, object]) -> None:
    assert [
        name for name in classes if not (exists(f"torch.nn.{name}") or exists(f"torch.nn.parallel.{name}"))
    ] == []


def test_factories_exist() -> None:
    assert [name for name in factories.FACTORIES if not exists(f"torch.{name}")] == []


def test_functions_exist() -> None:
    named = {name for name in functions.HANDLERS if name.startswith("torch.")}
    absent = sorted(name for name in named if not exists(name))
    assert [name for name in absent if not (_leads_to(name) or _is_exported(name))] == []


def _is_exported(name: str) -> bool:
    """Whether a package of PyTorch's that imports one that is not here gives the name on, as its text says."""
    package, _, last = name.removeprefix("torch.").rpartition(".")
    text = Path(torch.__file__).parent.joinpath(*package.split("."), "__init__.py")
    if not text.exists():
        return False
    imports = [n for n in ast.walk(ast.parse(text.read_text())) if isinstance(n, ast.ImportFrom)]
    return any((alias.asname or alias.name) == last for node in imports for alias in node.names)


def _leads_to(name: str) -> bool:
    """A canonical name need not be spelled like PyTorch's own when one of its spellings is."""
    last = name.rpartition(".")[2]
    spellings = [f"{prefix}.{last}" for prefix in names.SPELLINGS] + list(names.SPELLINGS)
    return any(names.canonical(spelling) == name and exists(spelling) for spelling in spellings)
