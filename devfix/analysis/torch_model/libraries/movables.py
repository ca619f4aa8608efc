"""Movables: objects of libraries that hold tensors and move as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.values import External, Obj, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: A graph of PyTorch Geometric, or several of them as one.
GRAPH = "torch_geometric.data.Data"
#: What a tokenizer returns.
BATCH = "transformers.BatchEncoding"
#: The fact of a batch that may be a dict and no more.
PLAIN = "plain"


def is_graph(obj: Obj | None) -> bool:
    """Whether an object is a graph, or a batch of them."""
    return obj is not None and isinstance(obj.cls, External) and obj.cls.name == GRAPH


def is_batch(interp: Interpreter, value: Value) -> bool:
    """Whether a value is a batch from a tokenizer."""
    obj = interp.obj_of(value)
    return obj is not None and _is_batch(obj)


def _is_batch(obj: Obj) -> bool:
    return isinstance(obj.cls, External) and obj.cls.name == BATCH


def moves_itself(interp: Interpreter, value: Value) -> bool:
    """Whether a value is a batch that has a method ``to``: a row of a dataset is treated alike, and is a dict."""
    obj = interp.obj_of(value)
    return obj is not None and _is_batch(obj) and PLAIN not in obj.facts
