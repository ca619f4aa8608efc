"""``torch.distributions``: parameters decide where samples are, and values must join them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1, FLOATS, INTEGERS, UNKNOWN_DEVICE
from devfix.analysis.domain.values import (
    UNKNOWN,
    Const,
    External,
    Obj,
    Ref,
    Scalar,
    Tensor,
    TupleValue,
    Value,
    without_none,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.record.trails import roots_of
from devfix.analysis.torch_model.tensors import distribution_transforms, draw_ranks, requirements
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


#: Under which fact an object of a class of the project keeps the distribution that it is.
_DISTRIBUTION = "distribution"
#: Attributes that are tensors.
_COMPUTED = frozenset(
    "probs logits mean mode stddev variance loc scale low high rate concentration concentration0 "
    "concentration1 covariance_matrix scale_tril precision_matrix df".split()
)
_MIXTURE, _PARTS = "MixtureSameFamily", ("mixture_distribution", draw_ranks.COMPONENTS)
#: What others descend from, or are wrapped in; an object stands for what it wraps as well.
_OF_ANY = frozenset({"Distribution", "ExponentialFamily", "TransformedDistribution", "Independent", _MIXTURE})
#: Distributions that descend from others that somebody draws from.
_ABOVE = {"Chi2": "Gamma", "OneHotCategoricalStraightThrough": "OneHotCategorical"}
#: Arguments that choose between the parts of a mixture, and have no part in what is drawn.
_CHOOSING = ("parameter 1", _PARTS[0])


def construct(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Normal(loc, scale)`` and the rest: the parameters meet."""
    last = name.rpartition(".")[2]
    if last == "kl_divergence":
        return _divergence(interp, name, site)
    if distribution_transforms.makes(name):
        return distribution_transforms.construct(interp, name, site)
    if last == _MIXTURE:
        _mix(interp, name, site)
    if last == "TransformedDistribution":
        return _transform(interp, name, site)
    parts: list[Part] = []
    inner: Value = UNKNOWN
    for role, arg in [*((f"parameter {i + 1}", a) for i, a in enumerate(site.args)), *site.keywords.items()]:
        value = without_none(arg.value)
        if isinstance(value, Tensor):
            parts.append(Part(value, role, arg.node))
        elif last == _MIXTURE and role in _CHOOSING:
            continue
        elif isinstance(value, Ref) and interp.obj(value).facts.get("parameters"):
            inner = value
    trail = (interp.site("factory", site.node),)
    obj = Obj("external", External(f"torch.distributions.{last}"), trail=trail)
    if not parts:
        if isinstance(inner, Ref):
            return interp.new(_with_parts(interp.obj(inner), site)) if last == _MIXTURE else inner
        given = site.all_args()
        numbers = all(isinstance(without_none(arg.value), (Const, Scalar)) for arg in given)
        # No argument of a distribution says where it is: what is drawn can be moved, and nothing before it.
        made = (interp.site("result", site.node),)
        rank = draw_ranks.of_parameters(site, last, 0)
        place = (
            Tensor(rank=rank, dtype="float32", trail=made) if numbers and given and not site.open else None
        )
        return interp.new(replace(obj, place=place)) if place is not None else UNKNOWN
    scalars = last not in draw_ranks.EXPANDING or not any(
        _is_no_number(interp, part.tensor) for part in parts
    )
    device = requirements.meet(interp, site.node, name, parts, scalars=scalars)
    tensors = [part.tensor for part in parts]
    there = [t for t in tensors if t.device == device] or tensors
    worst = next(
        (t for t in there if t.rank != 0), there[0]
    )  # a number beside a vector says nothing of the result
    values = TupleValue(tuple(tensors))
    rank = draw_ranks.of_parameters(site, last, worst.rank)
    worst = replace(worst, dtype=_common_float(tensors), rank=rank, roots=_roots(there))
    return interp.new(replace(obj, place=worst).with_fact("parameters", values))


def _roots(tensors: list[Tensor]) -> tuple[tuple[Origin, ...], ...]:
    """What moves all that decides where samples are, where there are several numbers, of which none may be left behind."""
    numbers = [tensor for tensor in tensors if tensor.rank == 0]
    return roots_of(numbers) if len(numbers) > 1 and len(numbers) == len(tensors) else ()


def _with_parts(component: Obj, site: CallSite) -> Obj:
    """A mixture, which is where its components are, and knows what it is made of."""
    given = {name: site.value(number, name) for number, name in enumerate(_PARTS)}
    return component.with_facts({name: value for name, value in given.items() if value is not None})


def _common_float(tensors: list[Tensor]) -> str | None:
    """The dtype of what is drawn, or computed, of tensors of one float dtype; which of several it has depends on how."""
    dtypes = {tensor.dtype for tensor in tensors}
    return dtypes.pop() if len(dtypes) == 1 and dtypes <= {*FLOATS} else None


def _is_no_number(interp: Interpreter, tensor: Tensor) -> bool:
    """Whether a parameter has dimensions; where the program was made for the CPU, one that nobody knows may."""
    return tensor.rank != 0 if interp.program.adopts else tensor.rank not in (0, None)


def _mix(interp: Interpreter, name: str, site: CallSite) -> None:
    """What chooses between the parts of a mixture indexes what is drawn of them: both are on one device."""
    given = [site.get(number, name) for number, name in enumerate(_PARTS)]
    parts: list[Part] = []
    for role, arg in zip(("mixture", "component"), given, strict=True):
        obj = interp.obj_of(arg.value) if arg is not None else None
        if arg is not None and obj is not None and obj.place is not None:
            parts.append(Part(obj.place, role, arg.node, held=True))
    if len(parts) == len(given):
        requirements.meet(interp, site.node, name, parts)


def _transform(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``TransformedDistribution``: what is drawn of the first passes through the transforms, whose tensors it meets."""
    base, transforms = site.get(0, "base_distribution"), site.get(1, "transforms")
    drawn = interp.obj_of(base.value) if base is not None else None
    if base is None or drawn is None or drawn.place is None:
        return UNKNOWN
    steps = _steps(interp, transforms) if transforms is not None else []
    parts = [part for step, node in steps for part in distribution_transforms.operands(interp, step, node)]
    if parts:
        requirements.meet(interp, site.node, name, [Part(drawn.place, "base", base.node, held=True), *parts])
    if not parts and steps and all(distribution_transforms.keeps_shape(step) for step, _ in steps):
        return base.value
    rank = AT_LEAST_1 if drawn.place.rank not in (0, None) else None
    return interp.new(replace(drawn, place=replace(drawn.place, rank=rank)))


def _steps(interp: Interpreter, transforms: Arg) -> list[tuple[Obj, ast.expr | None]]:
    """One transform, or each in a list that is known, and where it is written."""
    given, node = interp.obj_of(transforms.value), transforms.node
    if given is None or given.kind != "list":
        return [(given, node)] if given is not None else []
    steps = given.items or ()
    written = (
        node.elts if isinstance(node, ast.List) and len(node.elts) == len(steps) else [node] * len(steps)
    )
    pairs = zip(map(interp.obj_of, steps), written, strict=True)
    return [(step, element) for step, element in pairs if step is not None]


def _divergence(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``kl_divergence(p, q)``: the parameters of both meet."""
    parts: list[Part] = []
    for role, arg in zip(("p", "q"), site.args, strict=False):
        obj = interp.obj_of(arg.value)
        if obj is not None and obj.place is not None:
            parts.append(Part(obj.place, role, arg.node, held=True))
    if len(parts) < 2:
        return UNKNOWN
    device = requirements.meet(interp, site.node, name, parts)
    trail = (interp.site("result", site.node),)
    of_vectors = any(_is_of_vectors(interp.obj_of(arg.value)) for arg in site.args)
    rank = None if of_vectors or parts[0].tensor.rank in (0, None) else AT_LEAST_1
    return Tensor(device, _common_float([part.tensor for part in parts]), rank, trail=trail)


def initialise(interp: Interpreter, ref: Ref, base: str, site: CallSite) -> None:
    """The ``__init__`` of a base class among the distributions: the object behaves as one such."""
    made = construct(interp, base, site) if not distribution_transforms.makes(base) else UNKNOWN
    if isinstance(made, Ref):
        interp.update(ref, interp.obj(ref).with_fact(_DISTRIBUTION, made))


def within(interp: Interpreter, obj: Obj) -> Ref | None:
    """The distribution that an object of a class of the project is."""
    found = obj.facts.get(_DISTRIBUTION)
    return found if isinstance(found, Ref) else None


def is_one(obj: Obj) -> bool:
    """Whether an object is a distribution of torch's."""
    return isinstance(obj.cls, External) and obj.cls.name.startswith("torch.distributions")


def is_no(obj: Obj, name: str) -> bool:
    """Whether a distribution is certainly none of this class, neither itself nor as what it may be wrapped in."""
    package, _, asked = name.rpartition(".")
    own = getattr(obj.cls, "name", "").rpartition(".")[2]
    told = package == "torch.distributions" and asked not in _OF_ANY and not asked.endswith("Transform")
    return told and asked not in (own, _ABOVE.get(own))


def with_parameter(obj: Obj, name: str, value: Value) -> Obj:
    """A distribution that is given another parameter, ``noise.loc = noise.loc.cuda()``, as its others may be in turn."""
    place = obj.place
    if place is None or name not in _COMPUTED:
        return obj
    here = isinstance(value, Tensor) and value.device == place.device
    rank = place.rank if isinstance(value, Tensor) and value.rank == place.rank else None
    return replace(obj, place=replace(place, device=place.device if here else UNKNOWN_DEVICE, rank=rank))


def attribute(interp: Interpreter, ref: Ref, name: str, node: ast.expr) -> Value | None:
    """``probs``, ``mean`` and what else a distribution computes from its parameters, where they are."""
    obj = interp.obj(ref)
    if distribution_transforms.is_one(obj):
        return distribution_transforms.attribute(ref, name, node)
    if name in _PARTS:
        return obj.facts.get(name)
    if name == "base_dist" and obj.place is not None:
        return ref
    return _computed(interp, obj.place, node) if obj.place is not None and name in _COMPUTED else None


def _computed(interp: Interpreter, place: Tensor, node: ast.expr) -> Tensor:
    trail = (interp.site("result", node),)
    roots = place.roots or ((place.trail,) if place.trail else ())
    rank = place.rank if place.rank in (0, None) else AT_LEAST_1
    return Tensor(place.device, place.dtype, rank, trail=trail, roots=roots)


#: What takes its value to where its parameters are, as torch's own code says (``torch.as_tensor(value, device=…)``).
_FETCHING = frozenset(f"torch.distributions.{name}.log_prob" for name in ("Gamma", "Chi2", "HalfCauchy"))
#: What gives its result to where its parameters are, as torch's own code says (``type_as(self.low)``).
_BRINGING = frozenset({"torch.distributions.Uniform.log_prob"})
#: What makes more than one number of its value before it meets the parameters: it is looked up, or put into a pair.
_LOOKED_UP = frozenset(f"torch.distributions.{name}.log_prob" for name in ("Categorical", "Beta"))


def _expands_value(place: Tensor, name: str) -> bool:
    """Whether a single number on the CPU is refused, too; ``Bernoulli`` gives it the dimensions of its parameters."""
    of_rows = place.rank == AT_LEAST_1 or (place.rank or 0) > 0
    return name in _LOOKED_UP or (of_rows and name == "torch.distributions.Bernoulli.log_prob")


#: Distributions over whole vectors, whose entropy is a number for each of them.
_OF_VECTORS = frozenset(
    "Categorical OneHotCategorical MultivariateNormal LowRankMultivariateNormal Dirichlet Multinomial Independent "
    "RelaxedOneHotCategorical MixtureSameFamily".split()
)


def _is_of_vectors(obj: Obj | None) -> bool:
    return getattr(getattr(obj, "cls", None), "name", "").rpartition(".")[2] in _OF_VECTORS


def _of_entropy(obj: Obj, sample: Tensor) -> Tensor:
    return replace(sample, rank=None) if _is_of_vectors(obj) else sample


#: What is drawn by ``torch.normal``, which takes no number of the CPU beside one of an accelerator.
_DRAWN_TOGETHER = frozenset(f"torch.distributions.{name}.sample" for name in ("Normal", "LogNormal"))


def _draw(interp: Interpreter, obj: Obj, name: str, site: CallSite) -> None:
    """Two numbers of which something is drawn; where one has dimensions both were expanded when they met."""
    given = obj.facts.get("parameters")
    full = f"{getattr(obj.cls, 'name', '')}.{name}"
    if full in _DRAWN_TOGETHER and isinstance(given, TupleValue):
        numbers = [item for item in given.items if isinstance(item, Tensor) and item.rank == 0]
        parts = [Part(number, "parameters", _owner(site), held=True) for number in numbers]
        requirements.meet(interp, site.node, full, parts, scalars=False)


def _owner(site: CallSite) -> ast.expr | None:
    """What a method is called of."""
    return getattr(getattr(site.node, "func", None), "value", None)


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``sample``, ``rsample``, ``log_prob``, ``cdf``, ``entropy``."""
    place = obj.place
    if distribution_transforms.is_one(obj):
        return distribution_transforms.method(interp, obj, name, site)
    if place is None:
        return UNKNOWN
    if name == "expand":  # a distribution of the same kind, of many
        return interp.new(replace(obj, place=replace(place, rank=AT_LEAST_1)))
    sample = _computed(interp, place, site.node)
    if obj.cls == External("torch.distributions.Categorical") and name in ("sample", "sample_n", "mode"):
        sample = replace(sample, dtype="int64")
    if name in ("sample", "rsample", "sample_n"):
        _draw(interp, obj, name, site)
        if not obj.facts.get("parameters"):  # of plain numbers, which are nowhere: the draw is what can move
            sample = replace(sample, trail=(interp.site("random-factory", site.node),), roots=())
        return replace(sample, rank=draw_ranks.of_draw(interp, obj, name, site))
    if name in ("log_prob", "cdf", "icdf"):
        arg = site.get(0, "value")
        value = without_none(arg.value) if arg is not None else None
        if arg is not None and isinstance(value, Tensor):
            parts = [Part(place, "parameters", _owner(site), held=True), Part(value, "value", arg.node)]
            full = f"{getattr(obj.cls, 'name', '')}.{name}"
            if full in _FETCHING:
                return replace(sample, rank=value.rank)
            device = requirements.meet(
                interp, site.node, full, parts, scalars=not _expands_value(place, full)
            )
            if full in _BRINGING:
                return replace(sample, rank=value.rank)
            counted = value.dtype in (*INTEGERS, "bool")
            dtype = sample.dtype if counted else _common_float([sample, value])
            return replace(sample, device=device, rank=value.rank, dtype=dtype)
    return _of_entropy(obj, sample) if name in ("entropy", "perplexity") else UNKNOWN
