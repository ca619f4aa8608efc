"""Label kinds: which loss a classifier of transformers compares its labels by, as its configuration says, and what that takes."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import INTEGERS
from devfix.analysis.domain.values import UNKNOWN, Const, External, Obj, Ref, Scalar, Tensor, Value
from devfix.analysis.language import containers
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.tensors import losses
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The class that a configuration is said to be of, whichever it is.
CONFIG = External("transformers.PretrainedConfig")
#: The options that decide: what is to be told, and how many numbers the model gives.
_PROBLEM, _COUNT = "problem_type", "num_labels"
#: The labels by their numbers: whoever sets them tells how many there are.
_LABELS = "id2label"
#: Configurations of models, which are told such options.
_CONFIG = re.compile(r"transformers\.(?!Generation)\w+Config")
_CLASSIFIERS = re.compile(r"transformers\.\w+For(Sequence|Image)Classification")
#: Classifiers that know one loss alone, or cast what they compare.
_OTHERS = re.compile(
    r"transformers\.(Wav2Vec2|Hubert|SEW|WavLM|UniSpeech|Data2VecAudio|Whisper|Deberta|PPLCNet|ShieldGemma)"
)
_LOSSES = {"multi_label_classification": "binary_cross_entropy_with_logits", "regression": "mse_loss"}


def config(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """The configuration of a model that says what it is to tell, or how large it is; None for others, of which nothing is known."""
    told = _sizes(site) | _told(site)
    if _CONFIG.fullmatch(name) is None or not told:
        return None
    return interp.new(Obj("external", CONFIG, attrs=told))


def attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """An option of a configuration, of which nothing is known where the program does not tell it; None for ``update``."""
    return obj.attrs.get(name, UNKNOWN) if name != "update" else None


def update(interp: Interpreter, ref: Ref, site: CallSite) -> None:
    """``config.update({"problem_type": ...})``: of options that nobody sees it may be any."""
    entries = containers.entries(interp, site.value(0) or UNKNOWN)
    for key in (_PROBLEM, _COUNT):
        if entries is None or entries[1] is not None:
            interp.update(ref, interp.obj(ref).with_attr(key, UNKNOWN))
        elif key in entries[0]:
            interp.update(ref, interp.obj(ref).with_attr(key, entries[0][key]))


def kept(interp: Interpreter, name: str, site: CallSite) -> dict[str, Value]:
    """The configuration by which a model that is made knows its labels, with the options beside it: it may be told more later."""
    if _CLASSIFIERS.fullmatch(name) is None or _OTHERS.match(name):
        return {}
    value, told = site.value(0, "config"), _told(site)
    given = interp.obj_of(value)
    is_one = given is not None and given.cls == CONFIG
    if is_one and value is not None and not told:
        return {"config": value}
    own = dict(given.attrs) if is_one and given is not None else {}
    return {"config": interp.new(Obj("external", CONFIG, attrs=own | told))}


def _told(site: CallSite) -> dict[str, Value]:
    return {key: site.keywords[key].value for key in (_PROBLEM, _COUNT) if key in site.keywords}


def _sizes(site: CallSite) -> dict[str, Value]:
    """Options that are whole numbers, as sizes are: what the numbers are may change, a vocabulary grows with its model."""
    return {key: Scalar("int") for key, arg in site.keywords.items() if _is_whole(arg.value)}


def _is_whole(value: Value) -> bool:
    return type(value.value) is int if isinstance(value, Const) else value == Scalar("int")


def _options(config: Obj) -> Mapping[str, Value]:
    """What a configuration says by now; nothing where it was told something under a name that nobody knows, or the labels themselves."""
    are_known = _LABELS not in config.attrs and all(map(str.isidentifier, config.attrs))
    return config.attrs if are_known else {}


def check(interp: Interpreter, obj: Obj, parts: list[Part], result: Tensor, site: CallSite) -> None:
    """Whole numbers where the loss of a model takes floats, of which the answer is ``result``.

    Facts: "bce: long" and "mse: long target then backward".
    """
    config = interp.obj_of(obj.attrs.get("config"))
    options = _options(config) if config is not None and config.cls == CONFIG else {}
    problem = options.get(_PROBLEM)
    if problem is None and options.get(_COUNT) == Const(1):
        problem = Const("regression")
    loss = _LOSSES.get(str(problem.value)) if isinstance(problem, Const) else None
    labels = [part for part in parts if part.role == "labels" and part.tensor.dtype in (*INTEGERS, "bool")]
    if loss is None or not labels:
        return
    logits = replace(result, dtype=(obj.place.dtype if obj.place is not None else None) or "float32")
    target = replace(labels[0], role="target")
    losses.check_target(interp, loss, [Part(logits, "input", site.node), target], site)
