"""scikit-learn: the dtypes of its data sets, and of what its transformers make of others; it reads arrays alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.values import (
    FALSE,
    TRUE,
    UNKNOWN,
    Array,
    Const,
    External,
    Obj,
    Ref,
    TupleValue,
    Value,
    without_none,
)
from devfix.analysis.torch_model.arrays import data_types, numpy_types, sparse_matrices
from devfix.analysis.torch_model.tensors import host_memory

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

#: What a transformer makes: floats as wide as those it is given, at least as wide as what it was fitted to.
_AS_GIVEN, _AS_FITTED = "", "as fitted"
_SCALED = (_AS_GIVEN, _AS_FITTED)
#: What they make has floats as wide as those they are given.
_SCALERS = frozenset(
    "StandardScaler MinMaxScaler MaxAbsScaler RobustScaler QuantileTransformer PowerTransformer Normalizer".split()
)
_SCALING = frozenset("scale minmax_scale maxabs_scale robust_scale normalize".split())
_TRANSFORMERS = {
    **dict.fromkeys((f"sklearn.preprocessing.{name}" for name in _SCALERS), _AS_GIVEN),
    "sklearn.decomposition.PCA": _AS_FITTED,
    "sklearn.preprocessing.LabelEncoder": "int64",
    "sklearn.preprocessing.OrdinalEncoder": "float64",
    "sklearn.preprocessing.OneHotEncoder": "sparse float64",
    "sklearn.feature_extraction.text.TfidfVectorizer": "sparse float64",
    "sklearn.feature_extraction.text.CountVectorizer": "sparse int64",
}
#: Their option that asks for a sparse matrix, in older versions and in newer ones.
_SPARSE = ("sparse", "sparse_output")
#: Points in float64; of these the classes are float64, or something to be predicted.
_PREDICTED = frozenset(
    "make_regression make_swiss_roll make_s_curve make_friedman1 make_friedman2 make_friedman3 make_hastie_10_2 "
    "make_sparse_uncorrelated load_diabetes load_boston fetch_california_housing".split()
)
_CLASSES = frozenset(
    "make_moons make_blobs make_circles make_classification make_gaussian_quantiles load_iris load_wine "
    "load_breast_cancer load_digits".split()
)
#: What makes a weight for each class, or for each sample: float64, whatever the labels are.
_WEIGHING = frozenset(f"sklearn.utils.class_weight.compute_{each}_weight" for each in ("class", "sample"))
_DATA = External("sklearn.utils.Bunch")
#: What all other classes are known as that learn of data.
_ESTIMATOR = "sklearn.base.BaseEstimator"
_ESTIMATORS = frozenset(
    f"sklearn.{package}"
    for package in "cluster cross_decomposition decomposition discriminant_analysis ensemble gaussian_process "
    "linear_model manifold mixture naive_bayes neighbors neural_network svm tree".split()
)
#: Their methods that make arrays of all they are given.
_READING = frozenset(
    "fit fit_predict fit_transform inverse_transform kneighbors partial_fit predict predict_log_proba predict_proba "
    "decision_function score score_samples transform".split()
)
#: The setting with which some of them take tensors as they are.
_DISPATCH = "array_api_dispatch"
_OTHER_FORMS = frozenset(("coef", "return_centers", "as_frame", "n_targets"))
#: What some of them find, as wide as what they are fitted to.
_FOUND: dict[str, dict[str, Value]] = {
    **{
        name: {"cluster_centers_": Array(None, 2)}
        for name in ("KMeans", "MiniBatchKMeans", "BisectingKMeans")
    },
    "GaussianMixture": {"means_": Array(None, 2), "weights_": Array(None, 1)},
}


def call(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """A function or class of scikit-learn; None for those that are not known here."""
    package, _, last = name.rpartition(".")
    if name in _TRANSFORMERS:
        return _transformer(interp, name, site)
    if package == "sklearn.preprocessing" and last in _SCALING:
        host_memory.check(interp, name, site)
        return _scaled(interp, site) if "return_norm" not in site.keywords else UNKNOWN
    if name == "sklearn.model_selection.train_test_split":
        return TupleValue(tuple(part.value for part in site.args for _ in range(2)))
    if name in _WEIGHING:
        host_memory.check(interp, name, site)
        return Array("float64", 1, (interp.site("array", site.node),))
    if package == "sklearn.datasets" and last in _CLASSES | _PREDICTED:
        return _data(interp, last, site)
    if package in _ESTIMATORS and last[:1].isupper() and not _takes_tensors(interp):
        return interp.new(Obj("external", External(_ESTIMATOR), attrs=_FOUND.get(last, {})))
    return None


def _takes_tensors(interp: Interpreter) -> bool:
    """Whether the program speaks of the setting with which tensors stay what they are."""
    return any(_DISPATCH in source.text for source in interp.program.sources.values())


def _transformer(interp: Interpreter, name: str, site: CallSite) -> Value:
    kind = _TRANSFORMERS[name]
    dense = [site.keywords[option].value for option in _SPARSE if option in site.keywords]
    if kind not in _SCALED and (
        site.open or "dtype" in site.keywords or any(value != FALSE for value in dense)
    ):
        return UNKNOWN
    if dense:
        kind = kind.removeprefix("sparse ")
    return interp.new(Obj("external", External(name), facts={"makes": Const(kind)}))


def _data(interp: Interpreter, last: str, site: CallSite) -> Value:
    """``make_moons(...)``, ``load_iris()``: points in float64, and their classes, or what is to be predicted."""
    if site.open or site.keywords.keys() & _OTHER_FORMS:
        return UNKNOWN
    trail = (interp.site("array", site.node),)
    kinds = "float64" if last in _PREDICTED else "int64"
    points, classes = Array("float64", 2, trail), Array(kinds, 1, trail)
    alone = site.value(None, "return_X_y")
    if last.startswith("make_"):
        return TupleValue((points, classes)) if alone in (None, TRUE) else UNKNOWN
    if alone is not None:
        return TupleValue((points, classes)) if alone == TRUE else UNKNOWN
    return interp.new(Obj("external", _DATA, attrs={"data": points, "target": classes}))


def item(obj: Obj, key: Value) -> Value:
    """``load_iris()["data"]``."""
    return obj.attrs.get(str(key.value), UNKNOWN) if isinstance(key, Const) else UNKNOWN


def is_data(obj: Obj) -> bool:
    """Whether an object is one of the data sets."""
    return obj.cls == _DATA


def _method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``scaler.fit_transform(x)``: floats as wide as those of ``x``, or what the class makes of everything."""
    if name in ("fit", "partial_fit"):
        host_memory.check(interp, f"sklearn.preprocessing.{name}", site)
        return ref
    makes = obj.facts.get("makes")
    kind = makes.value if isinstance(makes, Const) else None
    if name not in ("fit_transform", "transform") and not (name == "inverse_transform" and kind in _SCALED):
        return UNKNOWN
    host_memory.check(interp, f"sklearn.preprocessing.{name}", site)
    if not isinstance(kind, str):
        return UNKNOWN
    if kind.startswith("sparse "):
        return sparse_matrices.made(interp, kind.removeprefix("sparse "))
    if kind not in _SCALED:
        return Array(kind, AT_LEAST_1, (interp.site("array", site.node),))
    made = _scaled(interp, site)
    fitted = kind == _AS_FITTED and name != "fit_transform"
    return (
        replace(made, dtype=None) if fitted and isinstance(made, Array) and made.dtype != "float64" else made
    )


def _scaled(interp: Interpreter, site: CallSite) -> Value:
    given = without_none(site.args[0].value) if site.args else UNKNOWN
    if sparse_matrices.of(interp, given) is not None:
        return UNKNOWN  # some of them keep it sparse
    dtype = numpy_types.floating(data_types.of_data(interp, given))
    return Array(dtype, AT_LEAST_1, (interp.site("array", site.node),))


def _of_estimator(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``KMeans(3).fit(x)``: what it is fitted to, or is asked about, has to be in host memory."""
    if name in _READING:
        host_memory.check(interp, f"sklearn.{name}", site)
    return ref if name in ("fit", "partial_fit", "set_params") else UNKNOWN


Method = Callable[["Interpreter", Ref, Obj, str, "CallSite"], Value]
METHODS: dict[str, Method] = {**dict.fromkeys(_TRANSFORMERS, _method), _ESTIMATOR: _of_estimator}
