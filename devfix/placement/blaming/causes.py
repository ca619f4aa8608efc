"""Causes: which of the things that go wrong lies behind a mismatch. Each mismatch has one cause."""

from __future__ import annotations

from devfix.findings import Mismatch, Operand, Origin
from devfix.origin_kinds import DISCARDED
from devfix.placement.moves import legacy

Trail = tuple[Origin, ...]

_LOSSES = ("loss", "entropy")

#: Kinds of mismatch that are a cause by themselves.
_BY_KIND = {
    "numpy": "numpy-of-device-tensor",
    "array-dtype": "numpy-lacks-dtype",
    "host-only": "host-only-argument-on-device",
    "index-dtype": "index-not-integer",
    "target-dtype": "target-dtype",
    "generator": "generator-device",
    "device-option": "devices-disagree",
    "other-accelerator": "devices-disagree",
    "legacy-constructor": "legacy-tensor-type",
    "device-string": "invalid-device-string",
    "pin": "pinned-device-tensor",
    "framework-pin": "framework-owns-device",
    "dispatched": "device-map-then-move",
    "no-leaf": "moved-parameter-is-no-leaf",
    "map-location": "load-without-map-location",
    "dtype": "float64-meets-float32",
    "target-width": "",
    "in-place-dtype": "in-place-result-type",
    "mask-dtype": "mask-not-boolean",
    "float-dtype": "integer-where-float-needed",
    "narrow-float": "narrow-float-where-wide-needed",
    "float64-on-mps": "float64-on-mps",
    "fork": "fork-after-accelerator",
    "value-range": "number-overflows-dtype",
}


def cause(mismatch: Mismatch) -> str:
    """The name of the cause, which is that of the rule that reports it."""
    if mismatch.kind == "optimizer-state":
        early = mismatch.get("cause") == "constructor"
        return "optimizer-before-move" if early else "optimizer-state-before-move"
    if mismatch.kind == "worker":
        return "device-move-in-collate" if mismatch.get("where") == "collate" else "device-move-in-dataset"
    if mismatch.kind in _BY_KIND:
        return _BY_KIND[mismatch.kind]
    operand = misplaced(mismatch)
    return _placement_cause(mismatch, operand) if operand is not None else "operand-not-moved"


def misplaced(mismatch: Mismatch) -> Operand | None:
    """The operand to blame: the first on the CPU, a module's parameters before anything else."""
    hosts = [operand for operand in mismatch.operands if operand.device == "cpu"]
    weights = [operand for operand in hosts if operand.role == "weight" and mismatch.get("module")]
    return next(iter(weights or hosts), None)


def _placement_cause(mismatch: Mismatch, operand: Operand) -> str:
    if unregistered(mismatch, operand):
        return "unregistered-module"
    if module_life(operand):
        return "unregistered-tensor" if _is_kept_copy(operand) else "model-not-moved"
    sites = sites_of(operand)
    kinds = {site.kind for site in sites}
    if not kinds.isdisjoint(DISCARDED):
        return "move-result-discarded"
    if registered_late(operand) is not None:
        return "unregistered-tensor"
    if "checkpoint" in kinds:
        return "load-without-map-location"
    if "tokenizer" in kinds:
        return "tokenizer-output-not-moved"
    if legacy.origins(operand):
        return "legacy-tensor-type"
    if operand.role in ("weight", "pos_weight") and any(w in mismatch.operation for w in _LOSSES):
        return "criterion-tensor-on-cpu"
    return "created-on-cpu" if _is_made_in_passing(mismatch, sites) else "operand-not-moved"


def unregistered(mismatch: Mismatch, operand: Operand) -> str:
    """What a plain container of a module keeps of it: "modules" or "parameters"; "" when the operand is neither."""
    if (kept := mismatch.get("unregistered")) in ("parameters", "modules"):
        return kept
    return "modules" if operand.role == "weight" and mismatch.get("unregistered") else ""


def _is_made_in_passing(mismatch: Mismatch, sites: list[Origin]) -> bool:
    """Whether the function that uses the operand (or its class, or a helper it calls) made it.

    What comes out of a loader or another object, is handed over by a caller, or is data for a model
    or a loss, was forgotten to be moved.
    """
    made = [site for site in sites if site.kind in ("factory", "random-factory") and site.scope]
    around = mismatch.get("scope") or ""
    if not made or not around or any(site.kind == "loader" for site in sites):
        return False
    if any(_beside(site.scope, around) for site in made):
        return True
    data = mismatch.get("module") is not None or any(word in mismatch.operation for word in _LOSSES)
    handed = any(site.kind == "argument" and site.scope == around for site in sites)
    return not data and not handed and all("." not in site.scope for site in made)


def _beside(scope: str, around: str) -> bool:
    """Whether two scopes are one function, or methods of one class."""
    owner = scope.rpartition(".")[0]
    return scope == around or bool(owner and owner == around.rpartition(".")[0])


def module_life(operand: Operand) -> Trail:
    """The life of the module whose parameter the operand is or comes from; () when it is neither."""
    trails = (operand.trail, *operand.roots)
    return next((trail for trail in trails if trail and trail[0].kind == "module"), ())


def lives_of_module(operand: Operand) -> tuple[Trail, Trail]:
    """The life of the module from where it was made, and that of the one it is a copy of."""
    life = module_life(operand)
    made = max((number for number, site in enumerate(life) if site.kind == "module"), default=0)
    return life[made:], life[:made]


def spoken_name(operand: Operand) -> str:
    """What a person calls the module: the first name it got, else how it is made."""
    life, _ = lives_of_module(operand)
    names = [site.text for site in life if site.kind in ("name", "attribute", "module-attribute")]
    made = [site.text for site in life if site.kind == "module"]
    return next(iter([*names, *made]), operand.text)


def _is_kept_copy(operand: Operand) -> bool:
    """Whether a Module's constructor keeps, as a plain attribute, what it computed from parameters."""
    copied = bool(operand.trail) and operand.trail[0].kind != "module"
    return copied and any(site.kind == "module-attribute" for site in operand.trail)


def sites_of(operand: Operand) -> list[Origin]:
    """Every place in the life of the operand and of what it was computed from."""
    return [*operand.trail, *(site for root in operand.roots for site in root)]


def registered_late(operand: Operand) -> Origin | None:
    """The place where a Module's constructor (or what it calls) kept the tensor as a plain attribute, if it did."""
    sites = (site for trail in (operand.trail, *operand.roots) for site in trail)
    return next((site for site in sites if site.kind == "module-attribute"), None)


def is_only_given(life: Trail) -> bool:
    """Whether a value is computed from others, and remembered for having been an argument alone."""
    kinds = {site.kind for site in life}
    return life[0].kind == "result" and "given" in kinds and not kinds & {"attribute", "module-attribute"}
