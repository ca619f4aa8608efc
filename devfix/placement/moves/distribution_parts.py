"""Distributions made anew from the parameters of one that an object keeps."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import own_nodes, parameters_of
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Operand

_LOCATED = ("loc", "scale")
#: The parameters of a distribution: attributes of it under the names that its constructor takes.
_PARAMETERS = {
    **dict.fromkeys(("Normal", "LogNormal", "Laplace", "Gumbel", "Cauchy"), _LOCATED),
    "Dirichlet": ("concentration",),
    "Beta": ("concentration1", "concentration0"),
    "Gamma": ("concentration", "rate"),
    "Uniform": ("low", "high"),
    **dict.fromkeys(("Exponential", "Poisson"), ("rate",)),
    **dict.fromkeys(("HalfNormal", "HalfCauchy"), ("scale",)),
    "StudentT": ("df", "loc", "scale"),
}
#: What takes another distribution and says which of its dimensions belong to one event.
WRAPPER = "Independent"
#: What draws from one distribution which item of the batch of another it is: where it has them, as its constructor names them.
_MIXTURE, _MIXED = "MixtureSameFamily", ("mixture_distribution", "component_distribution")
#: What takes one of several parameters beside those: the names in the order of the constructor, how many always are
#: given, and the one to take instead ("" for that which was given). The factor of a covariance needs no Cholesky.
_ONE_OF = {
    "MultivariateNormal": (("loc", "covariance_matrix", "precision_matrix", "scale_tril"), 1, "scale_tril"),
    **dict.fromkeys(
        ("Categorical", "OneHotCategorical", "Bernoulli", "Geometric"), (("probs", "logits"), 0, "")
    ),
}


def construction(outline: Outline, attribute: ast.Attribute, operand: Operand) -> str:
    """``Normal(self.prior.loc.to({}), ...)`` for ``self.prior``; "" where it may be something else.

    The file must set the attribute just once, to a distribution that takes these parameters alone, and make them there.
    """
    call = only_value(outline, attribute)
    if not isinstance(call, ast.Call) or not operand.trail:
        return ""
    made, maker = operand.trail[0], outline.function_of(call) or call
    if made.path != operand.path or not outline.source.span(maker).contains(made.span):
        return ""
    return _made_anew(outline, call, ast.unparse(attribute))


def _made_anew(outline: Outline, made: ast.expr, kept: str) -> str:
    """The call that made a distribution, now of the parameters of the one at ``kept``."""
    call = _named(outline, made) if isinstance(made, ast.Name) else made
    called = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
    if not isinstance(call, ast.Call) or not is_imported(outline, called):
        return ""
    last = called.rpartition(".")[2]
    if last == WRAPPER:
        return _wrapped_anew(outline, call, called, kept)
    if last == _MIXTURE:
        return _mixed_anew(outline, call, called, kept)
    given = _given(call, last)
    parts = (f"{keyword}{kept}.{name}.to({{}})" for keyword, name in given)
    return f"{called}({', '.join(parts)})" if given else ""


def _wrapped_anew(outline: Outline, call: ast.Call, called: str, kept: str) -> str:
    """``Independent(Normal(...), 1)``, of which the object has how many dimensions belong to an event, too."""
    base, *rest = call.args
    if len(rest) != 1 or call.keywords:
        return ""
    inner = _made_anew(outline, base, f"{kept}.base_dist")
    is_plain = isinstance(rest[0], ast.Constant)
    told = ast.unparse(rest[0]) if is_plain else f"{kept}.reinterpreted_batch_ndims"
    return f"{called}({inner}, {told})" if inner else ""


def _mixed_anew(outline: Outline, call: ast.Call, called: str, kept: str) -> str:
    """``MixtureSameFamily(Categorical(...), Normal(...))``, of both anew."""
    given = [*zip(_MIXED, call.args, strict=False), *((each.arg, each.value) for each in call.keywords)]
    if len(call.args) > len(_MIXED) or sorted(name or "" for name, _ in given) != sorted(_MIXED):
        return ""
    parts = {name: _made_anew(outline, value, f"{kept}.{name}") for name, value in given}
    return f"{called}({', '.join(parts[name] for name in _MIXED)})" if all(parts.values()) else ""


def _named(outline: Outline, name: ast.Name) -> ast.expr | None:
    """What the one assignment to a name of a function gives it."""
    function = outline.function_of(name)
    if function is None or name.id in {parameter.arg for parameter in parameters_of(function)}:
        return None
    stores = [
        node
        for node in own_nodes(function.body)
        if isinstance(node, ast.Name) and node.id == name.id and not isinstance(node.ctx, ast.Load)
    ]
    return _assigned(outline, stores)


def _given(call: ast.Call, last: str) -> list[tuple[str, str]]:
    """What a distribution is made of: how each parameter is passed, and its name; nothing where it takes more."""
    plain = not any(isinstance(arg, ast.Starred) for arg in call.args)
    keywords = {keyword.arg for keyword in call.keywords}
    if last in _PARAMETERS:
        names = _PARAMETERS[last]
        complete = len(call.args) + len(call.keywords) == len(names) and keywords <= set(names)
        return [("", name) for name in names] if plain and complete else []
    names, always, instead = _ONE_OF.get(last, ((), 0, ""))
    told = {*names[: len(call.args)], *keywords}
    chosen = [name for name in names[always:] if name in told]
    if not plain or len(chosen) != 1 or len(call.args) > always + 1:
        return []
    if told != {*names[:always], *chosen} or len(told) != len(call.args) + len(call.keywords):
        return []
    name = instead or chosen[0]
    return [*(("", each) for each in names[:always]), (f"{name}=", name)]


def written(call: ast.Call) -> list[tuple[str, ast.expr]]:
    """The parameters of a distribution, each with what it is given where it is made; nothing where it takes more.

    A covariance is none: each distribution that is made of it computes its factor.
    """
    last = ast.unparse(call.func).rpartition(".")[2]
    names, _, instead = (_PARAMETERS[last], 0, "") if last in _PARAMETERS else _ONE_OF.get(last, ((), 0, ""))
    told = {*names[: len(call.args)], *(each.arg for each in call.keywords)}
    if not _given(call, last) or (instead and instead not in told):
        return []
    named = [(each.arg or "", each.value) for each in call.keywords]
    return [*zip(names, call.args, strict=False), *named]


def only_value(outline: Outline, attribute: ast.Attribute) -> ast.expr | None:
    """What the one assignment to an attribute of this name, in the whole file, gives it."""
    stores = [
        node
        for node in in_rows(outline.source.tree)
        if isinstance(node, ast.Attribute) and node.attr == attribute.attr and isinstance(node.ctx, ast.Store)
    ]
    return _assigned(outline, stores)


def _assigned(outline: Outline, stores: Sequence[ast.expr]) -> ast.expr | None:
    """What a statement assigns to nothing but the one target there is."""
    statement = outline.statement_of(stores[0]) if len(stores) == 1 else None
    single = isinstance(statement, ast.Assign) and statement.targets == stores
    return statement.value if single and isinstance(statement, ast.Assign) else None


def is_imported(outline: Outline, called: str) -> bool:
    """Whether the file knows the class, by this name, from ``torch.distributions`` itself."""
    root, _, rest = called.partition(".")
    return f"{outline.imported.get(root)}.{rest}".startswith("torch.distributions.")
