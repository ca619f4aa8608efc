"""Distributions made anew from the parameters of one that an object keeps."""

from __future__ import annotations

import ast

from devfix.analysis.text.outline import Outline
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
_WRAPPER = "Independent"
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

    The file must set the attribute just once, to a distribution that takes these parameters alone.
    """
    call = _only_value(outline, attribute)
    if not isinstance(call, ast.Call) or not operand.trail:
        return ""
    if not outline.source.span(call).contains(operand.trail[0].span):
        return ""
    return _made_anew(outline, call, ast.unparse(attribute))


def _made_anew(outline: Outline, call: ast.Call, kept: str) -> str:
    """The call that made a distribution, now of the parameters of the one at ``kept``."""
    called = ast.unparse(call.func)
    last = called.rpartition(".")[2]
    if not _is_imported(outline, called):
        return ""
    if last == _WRAPPER:
        return _wrapped_anew(outline, call, called, kept)
    given = _given(call, last)
    parts = (f"{keyword}{kept}.{name}.to({{}})" for keyword, name in given)
    return f"{called}({', '.join(parts)})" if given else ""


def _wrapped_anew(outline: Outline, call: ast.Call, called: str, kept: str) -> str:
    """``Independent(Normal(...), 1)``, of which the object has how many dimensions belong to an event, too."""
    base, *rest = call.args
    if len(rest) != 1 or call.keywords or not isinstance(base, ast.Call):
        return ""
    inner = _made_anew(outline, base, f"{kept}.base_dist")
    is_plain = isinstance(rest[0], ast.Constant)
    told = ast.unparse(rest[0]) if is_plain else f"{kept}.reinterpreted_batch_ndims"
    return f"{called}({inner}, {told})" if inner else ""


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


def _only_value(outline: Outline, attribute: ast.Attribute) -> ast.expr | None:
    """What the one assignment to an attribute of this name, in the whole file, gives it."""
    stores = [
        node
        for node in ast.walk(outline.source.tree)
        if isinstance(node, ast.Attribute) and node.attr == attribute.attr and isinstance(node.ctx, ast.Store)
    ]
    statement = outline.statement_of(stores[0]) if len(stores) == 1 else None
    single = isinstance(statement, ast.Assign) and statement.targets == stores
    return statement.value if single and isinstance(statement, ast.Assign) else None


def _is_imported(outline: Outline, called: str) -> bool:
    """Whether the file knows the class, by this name, from ``torch.distributions`` itself."""
    root, _, rest = called.partition(".")
    return f"{outline.imported.get(root)}.{rest}".startswith("torch.distributions.")
