"""Distributions made anew from the parameters of one that an object keeps."""

from __future__ import annotations

import ast

from devfix.analysis.outline import Outline
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
    called = ast.unparse(call.func)
    names = _PARAMETERS.get(called.rpartition(".")[2], ())
    given = len(call.args) + len(call.keywords)
    plain = not any(isinstance(arg, ast.Starred) for arg in call.args)
    if given != len(names) or not plain or not {k.arg for k in call.keywords} <= set(names):
        return ""
    if not _is_imported(outline, called):
        return ""
    kept = ast.unparse(attribute)
    return f"{called}({', '.join(f'{kept}.{name}.to({{}})' for name in names)})"


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
