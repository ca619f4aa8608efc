"""The steps of the Trainer of transformers, as far as a program has its own: losses, predictions, metrics, callbacks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    External,
    Function,
    Ref,
    Scalar,
    Tensor,
    TupleValue,
    Value,
)
from devfix.analysis.language import containers, iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.devices import autocast
from devfix.analysis.torch_model.libraries import hf_batches, model_outputs, told_precisions

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Arguments that have it call the model, and ``compute_loss``, in another precision.
_PRECISIONS = ("fp16", "bf16", "fp16_full_eval", "bf16_full_eval")
#: The precision that some of them stand for, and others by which the model itself may be cast.
_DTYPES = {"fp16": "float16", "bf16": "bfloat16"}
_CASTING = ("fp16_full_eval", "bf16_full_eval", "deepspeed", "fsdp")
#: The fact of arguments that there may be others, and the one by which metrics are told of each batch while it is there.
MORE = "more"
_BY_BATCH = "batch_eval_metrics"
#: When it is told to evaluate while it trains, by the names of newer and of older releases.
_EVALUATING = ("eval_strategy", "evaluation_strategy")
_NEVER = (None, NONE, Const("no"))
#: What else a callback is told by name, and what comes before and after the first step.
_BESIDE = "tokenizer processing_class optimizer lr_scheduler train_dataloader eval_dataloader".split()
_BEFORE = ("on_train_begin", "on_epoch_begin", "on_step_begin")
_AFTER = ("on_step_end", "on_epoch_end")
#: Models whose outputs are a loss and logits, which is all that a metric is told of them.
_ONE_OUTPUT = re.compile(r"For(Sequence|Token|Image|Audio|Video)\w*Classification$|ForMaskedLM$|LMHeadModel$")


@dataclass(frozen=True, slots=True)
class Steps:
    """A Trainer at work, and the call that told it to."""

    interp: Interpreter
    trainer: Ref
    site: CallSite

    def held(self, name: str) -> Value:
        """What it was given under a name, or None."""
        return self.interp.obj(self.trainer).attrs.get(name, NONE)

    @property
    def model(self) -> Value:
        """The model, or nothing that is known."""
        return self.held("model")

    def train(self, dataset: Value | None) -> None:
        """A first step, and what comes before and after it."""
        self._call("create_optimizer_and_scheduler", [Scalar("int")])
        self._call("create_optimizer", [])
        for event in _BEFORE:
            self._tell(event)
        batch = self._batch("get_train_dataloader", dataset)
        if self._call("training_step", [self.model, batch, UNKNOWN]) is None:
            self.loss(self.prepared(batch), FALSE)
        for event in _AFTER:
            self._tell(event)
        options = self.interp.obj_of(self.held("args"))
        if options is not None and any(options.facts.get(name) not in _NEVER for name in _EVALUATING):
            self.evaluate(self.held("eval_dataset"))
        self._tell("on_train_end")

    def evaluate(self, dataset: Value | None, *, predicts: bool = False) -> None:
        """A step of the evaluation, and the metrics that are made of what it predicts.

        Where there are no metrics, and nobody asks for the predictions, it is the loss alone that counts.
        """
        measures = self.held("compute_metrics") != NONE
        given = None if dataset == NONE else dataset
        batch = self._batch("get_test_dataloader" if predicts else "get_eval_dataloader", given)
        made = self._call(
            "prediction_step", [self.model, batch, FALSE if measures or predicts else TRUE, NONE]
        )
        if made is None:
            made = self.prediction(self.prepared(batch))
        items = made.items if isinstance(made, TupleValue) else ()
        if len(items) == 3 and (measures or predicts):  # a loss, logits and labels
            self._measure(items[1], items[2])
        self._tell("on_evaluate")

    def _batch(self, maker: str, dataset: Value | None) -> Value:
        """A batch of the loader that the library makes, which moves it, or of the project's own, which need not."""
        interp, node = self.interp, self.site.node
        own = self._call(maker, [] if maker == "get_train_dataloader" else [dataset or UNKNOWN])
        if own is None:
            return hf_batches.make(interp, interp.obj(self.trainer), dataset, node)
        obj = interp.obj_of(own)
        return iteration.element(interp, own, node) if obj is not None and obj.kind == "loader" else UNKNOWN

    def prepared(self, batch: Value) -> Value:
        """A batch as a step of the library hands it to the model: on the accelerator, or as the project's own method has it."""
        own = self._call("_prepare_inputs", [batch])
        return hf_batches.moved(self.interp, batch, self.site.node) if own is None else own

    def prediction(self, batch: Value) -> Value:
        """The loss, the logits and the labels of a batch."""
        made = self.loss(batch, TRUE)
        loss, outputs = (
            made.items if isinstance(made, TupleValue) and len(made.items) == 2 else (made, UNKNOWN)
        )
        held = self.interp.obj_of(batch)
        labels = held.attrs.get("labels", held.element or UNKNOWN) if held is not None else UNKNOWN
        return TupleValue((loss, _logits(self.interp, self.model, outputs), labels))

    def loss(self, batch: Value, return_outputs: Value) -> Value:
        """What the project's ``compute_loss`` gives, or that of the library, in the precision that is asked for."""
        with autocast.within(self.interp, self._precision()), self._wrapped():
            given = [self.model, batch, return_outputs] if return_outputs == TRUE else [self.model, batch]
            own = self._call("compute_loss", given)
            return self.usual_loss(batch, return_outputs) if own is None else own

    def usual_loss(self, batch: Value, return_outputs: Value) -> Value:
        """What the model gives with its labels, or a function that was given for it."""
        function = self.held("compute_loss_func")
        labels: Value = UNKNOWN
        held = self.interp.obj_of(batch)
        if function != NONE and held is not None and held.kind == "dict":
            labels = held.attrs.get("labels", held.element or NONE)
            left = {key: value for key, value in held.attrs.items() if key != "labels"}
            batch = self.interp.new(replace(held, attrs=left))
        outputs = self._outputs(batch)
        node = self.site.node
        if function == NONE:
            loss = (
                containers.get_item(self.interp, outputs, Const("loss"))
                if isinstance(outputs, Ref)
                else UNKNOWN
            )
        else:
            loss = self.interp.call(function, CallSite(node, (Arg(outputs), Arg(labels))))
        return TupleValue((loss, outputs)) if return_outputs == TRUE else loss

    def _outputs(self, batch: Value) -> Value:
        """The model is called with the entries of the batch by their names; others are left out where it does not take them."""
        interp, held = self.interp, self.interp.obj_of(batch)
        if held is None or held.kind != "dict" or not isinstance(self.model, Ref):
            return UNKNOWN
        names = hf_batches.taken_by(interp, self.model)
        taken = dict(held.attrs)
        if names is not None:
            # Of a dataset that nobody knows any entry may be there that is asked for.
            asked = {
                key: UNKNOWN for key, default in names.items() if default == NONE and held.element is not None
            }
            taken = {**asked, **{key: value for key, value in taken.items() if key in names}}
        is_open = held.element is not None
        given = {key: Arg(value) for key, value in taken.items()}
        return interp.call(self.model, CallSite(self.site.node, (), given, open=is_open, spread=is_open))

    def _measure(self, logits: Value, labels: Value) -> None:
        """Metrics are told of predictions and labels that were fetched, as arrays; batch by batch they would be tensors."""
        interp, node = self.interp, self.site.node
        narrow = self.held("preprocess_logits_for_metrics")
        if narrow != NONE and logits != UNKNOWN:
            logits = interp.call(narrow, CallSite(node, (Arg(logits), Arg(labels))))
        metrics = self.held("compute_metrics")
        if metrics != NONE and (_takes_all_at_once(metrics) or not self._may_be(_BY_BATCH)):
            arrays = tuple(_fetched(value) for value in (logits, labels))
            told = TupleValue(arrays, ("predictions", "label_ids"))
            interp.call(metrics, CallSite(node, (Arg(told),)))

    def _tell(self, event: str) -> None:
        """Call a method of each callback, which is told of the model and of the arguments."""
        held = self.interp.obj_of(self.held("callbacks"))
        for callback in containers.everything(held) if held is not None and held.kind == "list" else ():
            found = self._finds(callback, event)
            if found is not None:
                told = {"model": Arg(self.model), **{name: Arg(UNKNOWN) for name in _BESIDE}}
                args = (Arg(self.held("args")), Arg(UNKNOWN), Arg(UNKNOWN))
                site = CallSite(self.site.node, args, told)
                self.interp.call_function(found, [callback], self.site.node, site)

    def _call(self, name: str, args: list[Value]) -> Value | None:
        """A method of the project's own Trainer, with as many of the arguments as it takes; None where it has none."""
        found = self._finds(self.trainer, name)
        if found is None:
            return None
        spec = found.node.args
        taken = len(args) if spec.vararg is not None else len(spec.args) - 1
        return self.interp.call_function(found, [self.trainer, *args[:taken]], self.site.node)

    def _finds(self, receiver: Value, name: str) -> Function | None:
        obj = self.interp.obj_of(receiver)
        cls = obj.cls if obj is not None else UNKNOWN
        found = classes.find(self.interp, cls, name) if isinstance(cls, Class) else None
        return found if isinstance(found, Function) else None

    def _precision(self) -> str | None:
        """That of autocast around a step: none where a Trainer is certainly not told of one."""
        return "?" if any(self._may_be(name) for name in _PRECISIONS) else None

    @contextmanager
    def _wrapped(self) -> Iterator[None]:
        """The model computes in the precision that a Trainer is certainly told of, at least in its steps."""
        interp, model = self.interp, self.model
        precision = self._told_precision()
        if not isinstance(model, Ref) or precision is None:
            yield
            return
        interp.update(model, interp.obj(model).with_fact(autocast.WRAPPED, Const(precision)))
        try:
            yield
        finally:
            obj = interp.obj(model)
            facts = {name: fact for name, fact in obj.facts.items() if name != autocast.WRAPPED}
            interp.update(model, replace(obj, facts=facts))

    def _told_precision(self) -> str | None:
        options = self.interp.obj_of(self.held("args"))
        if options is None or MORE in options.facts:
            return None
        asked = {name: told_precisions.told(options.facts.get(name, FALSE)) for name in _DTYPES}
        told = [dtype for name, dtype in _DTYPES.items() if asked[name] == TRUE]
        others = [name for name in _DTYPES if asked[name] not in (TRUE, FALSE)]
        casts = any(options.facts.get(name, FALSE) not in (NONE, FALSE) for name in _CASTING)
        return told[0] if len(told) == 1 and not others and not casts else None

    def _may_be(self, option: str) -> bool:
        """Whether an option that is off as a rule may be on."""
        options = self.interp.obj_of(self.held("args"))
        if options is None:
            return self.held("args") != NONE
        return MORE in options.facts or told_precisions.told(options.facts.get(option, FALSE)) != FALSE


def _takes_all_at_once(metrics: Value) -> bool:
    """Whether a function cannot be told that a batch is the last one, so that it is called once."""
    bound = isinstance(metrics, BoundMethod)
    function = metrics.function if isinstance(metrics, BoundMethod) else metrics
    if not isinstance(function, Function):
        return False
    spec = function.node.args
    return len(spec.args) == 1 + bound and not spec.kwonlyargs and spec.kwarg is None


def _logits(interp: Interpreter, model: Value, outputs: Value) -> Value:
    """What a metric is told of what a model returns: all but the loss, by itself where it is a single thing."""
    obj = interp.obj_of(outputs)
    if obj is not None and obj.kind == "dict" and obj.element is None:
        rest = [value for key, value in obj.attrs.items() if key != "loss"]
        return rest[0] if len(rest) == 1 else TupleValue(tuple(rest))
    called = interp.obj_of(model)
    names = (called.cls,) if called is not None and isinstance(called.cls, External) else ()
    if (
        obj is not None
        and obj.cls == model_outputs.CLASS
        and any(_ONE_OUTPUT.search(cls.name) for cls in names)
    ):
        return model_outputs.entry(obj, "logits") or UNKNOWN
    return UNKNOWN


def _fetched(value: Value) -> Value:
    return Array(value.dtype, AT_LEAST_1) if isinstance(value, Tensor) else UNKNOWN
