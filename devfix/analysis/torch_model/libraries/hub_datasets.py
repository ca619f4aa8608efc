"""Data sets of Hugging Face's ``datasets``, and the collators of transformers that batch them.

What their columns hold is in files nobody reads here. But a set in the format ``torch`` gives
tensors, and a collator pads into tensors, all on the CPU, where no ``device`` is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1, CPU
from devfix.analysis.domain.values import (
    NONE,
    TRUE,
    UNKNOWN,
    Const,
    External,
    Obj,
    Ref,
    Scalar,
    Tensor,
    Value,
)
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.libraries import movables

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

DATASET = "datasets.Dataset"
COLLATOR = "transformers.DataCollator"
_TORCH = (Const("torch"), Const("pt"), Const("pytorch"))

#: Methods that give another set whose rows are in the same format.
_SAME = frozenset(
    "map filter shuffle select sort shard skip take repeat remove_columns rename_column rename_columns "
    "select_columns cast cast_column class_encode_column train_test_split flatten flatten_indices unique "
    "add_column add_item align_labels_with_mapping to_iterable_dataset batch".split()
)
_COLLATORS = (
    "DataCollatorWithPadding DataCollatorForTokenClassification DataCollatorForSeq2Seq "
    "DataCollatorForLanguageModeling DataCollatorForWholeWordMask DefaultDataCollator "
    "DataCollatorForPermutationLanguageModeling"
).split()


def load(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``load_dataset(...)``, ``Dataset.from_dict(...)``: one set, or a dict of several with the same methods."""
    return _made(interp, NONE)


def together(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``concatenate_datasets([first, second])``: in the format that all have."""
    given = interp.obj_of(site.args[0].value) if site.args else None
    parts = [interp.obj_of(part) for part in given.items or ()] if given is not None else []
    formats = {part.facts.get("format", NONE) for part in parts if part is not None and is_one(part)}
    return _made(interp, formats.pop() if len(formats) == 1 else UNKNOWN)


def _made(interp: Interpreter, form: Value) -> Ref:
    return interp.new(Obj("external", External(DATASET), facts={"format": form}))


def is_one(obj: Obj) -> bool:
    """Whether an object is such a set."""
    return obj.cls == External(DATASET)


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``dataset.map(...)``, ``dataset.set_format("torch")`` and the others."""
    if name in _SAME:
        return interp.new(obj)
    if name in ("with_format", "set_format"):
        made = replace(obj, facts={**obj.facts, "format": _format(site)})
        return _changed(interp, ref, made, in_place=name == "set_format")
    if name in ("with_transform", "set_transform"):
        made = replace(obj, facts={**obj.facts, "format": UNKNOWN})
        return _changed(interp, ref, made, in_place=name == "set_transform")
    if name == "reset_format":
        return _changed(interp, ref, replace(obj, facts={**obj.facts, "format": NONE}), in_place=True)
    return Scalar("int") if name == "__len__" else UNKNOWN


def _changed(interp: Interpreter, ref: Ref, made: Obj, *, in_place: bool) -> Value:
    if not in_place:
        return interp.new(made)
    interp.update(ref, made)
    return NONE


def _format(site: CallSite) -> Value:
    """The format asked for; tensors made elsewhere than on the CPU are nothing that is known."""
    if site.open or "device" in site.keywords:
        return UNKNOWN
    asked = site.value(0, "type")
    return asked if asked is not None else NONE


def item(interp: Interpreter, ref: Ref, obj: Obj, key: Value) -> Value:
    """``datasets["train"]``, ``dataset[3]``; a column, too, is named by a text, and is nothing that is known."""
    if isinstance(key, Const) and isinstance(key.value, str):
        return ref
    return row(interp, obj)


def row(interp: Interpreter, obj: Obj) -> Value:
    """One row (or several): a dict by the names of the columns."""
    if obj.facts.get("format", NONE) not in _TORCH:
        return UNKNOWN
    return _named_tensors(interp, None, mixed=True)


def _named_tensors(interp: Interpreter, rank: int | None, *, mixed: bool = False) -> Ref:
    """Tensors by the names of their columns; ``mixed`` when texts may be among them."""
    tensor = Tensor(CPU, None, rank, grad=False, leaf=True)
    facts: dict[str, Value] = {movables.PLAIN: TRUE, **({"mixed": TRUE} if mixed else {})}
    return interp.new(Obj("external", External(movables.BATCH), element=tensor, facts=facts))


def collator(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``DataCollatorWithPadding(tokenizer)``: it makes tensors of PyTorch, unless it is told otherwise."""
    told = site.value(None, "return_tensors")
    if site.open or (told is not None and told not in _TORCH):
        return UNKNOWN
    return interp.new(Obj("external", External(COLLATOR)))


def collate(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``collator(samples)``: a padded batch on the CPU."""
    if name != "__call__" or site.value(1, "return_tensors") not in (None, *_TORCH):
        return UNKNOWN
    return _named_tensors(interp, AT_LEAST_1)


def default_collator(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``default_data_collator(samples)``: a plain dict of tensors on the CPU."""
    if site.value(1, "return_tensors") not in (None, *_TORCH):
        return UNKNOWN
    return _named_tensors(interp, AT_LEAST_1)


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **{f"datasets.{name}": load for name in ("load_dataset", "load_from_disk")},
    **{f"datasets.{name}": together for name in ("concatenate_datasets", "interleave_datasets")},
    **{
        f"datasets.Dataset.from_{source}": load
        for source in "dict list pandas csv json parquet text generator".split()
    },
    **{f"transformers.{name}": collator for name in _COLLATORS},
    "transformers.default_data_collator": default_collator,
}
METHODS: dict[str, Callable[[Interpreter, Ref, Obj, str, CallSite], Value]] = {
    DATASET: method,
    COLLATOR: collate,
}
