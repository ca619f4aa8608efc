"""How tightly an expression binds, and how tightly it has to where it stands."""

from __future__ import annotations

import enum

import libcst as cst


class Level(enum.IntEnum):
    """The binding strength of an expression, loosest first."""

    BARE = 0
    """A tuple without parentheses, or a yield."""
    GENERATOR = 1
    """A generator expression that borrows the parentheses of a call."""
    NAMED = 2
    EXPRESSION = 3
    OR = 4
    AND = 5
    NOT = 6
    COMPARISON = 7
    BIT_OR = 8
    BIT_XOR = 9
    BIT_AND = 10
    SHIFT = 11
    SUM = 12
    PRODUCT = 13
    UNARY = 14
    POWER = 15
    AWAIT = 16
    NUMBER = 17
    """An atom, but for the dot of an attribute, which would be its decimal point."""
    ATOM = 18


_BINARY: dict[type[cst.CSTNode], Level] = {
    cst.BitOr: Level.BIT_OR,
    cst.BitXor: Level.BIT_XOR,
    cst.BitAnd: Level.BIT_AND,
    cst.LeftShift: Level.SHIFT,
    cst.RightShift: Level.SHIFT,
    cst.Add: Level.SUM,
    cst.Subtract: Level.SUM,
    cst.Power: Level.POWER,
}

_LEVELS: dict[type[cst.CSTNode], Level] = {
    cst.Tuple: Level.BARE,
    cst.Yield: Level.BARE,
    cst.GeneratorExp: Level.GENERATOR,
    cst.NamedExpr: Level.NAMED,
    cst.Lambda: Level.EXPRESSION,
    cst.IfExp: Level.EXPRESSION,
    cst.Comparison: Level.COMPARISON,
    cst.Await: Level.AWAIT,
    cst.Integer: Level.NUMBER,
    cst.Float: Level.NUMBER,
    cst.Imaginary: Level.NUMBER,
}

#: Slots, as (type of the parent, field of the parent), that take any expression.
_OPEN = frozenset(
    {
        (cst.AnnAssign, "value"),
        (cst.Annotation, "annotation"),
        (cst.Assert, "msg"),
        (cst.Assert, "test"),
        (cst.DictComp, "key"),
        (cst.DictComp, "value"),
        (cst.DictElement, "key"),
        (cst.DictElement, "value"),
        (cst.IfExp, "orelse"),
        (cst.Lambda, "body"),
        (cst.NamedExpr, "value"),
        (cst.Param, "default"),
        (cst.Raise, "exc"),
        (cst.From, "item"),
        (cst.Slice, "lower"),
        (cst.Slice, "step"),
        (cst.Slice, "upper"),
        (cst.WithItem, "item"),
    }
)

#: Slots that take a named expression as well.
_OPEN_TO_NAMED = frozenset(
    {
        (cst.Decorator, "decorator"),
        (cst.Element, "value"),
        (cst.GeneratorExp, "elt"),
        (cst.If, "test"),
        (cst.Index, "value"),
        (cst.ListComp, "elt"),
        (cst.Match, "subject"),
        (cst.MatchCase, "guard"),
        (cst.SetComp, "elt"),
        (cst.While, "test"),
    }
)

#: Slots that take a tuple without parentheses, or a yield, as well.
_OPEN_TO_ALL = frozenset(
    {
        (cst.Assign, "value"),
        (cst.AssignTarget, "target"),
        (cst.AugAssign, "value"),
        (cst.Expr, "value"),
        (cst.For, "iter"),
        (cst.For, "target"),
        (cst.Return, "value"),
        (cst.Yield, "value"),
    }
)


def level(node: cst.BaseExpression) -> Level:
    """How tightly ``node`` binds, its own parentheses included."""
    return Level.ATOM if node.lpar else bare_level(node)


def bare_level(node: cst.BaseExpression) -> Level:
    """How tightly ``node`` would bind without its parentheses."""
    if isinstance(node, cst.BinaryOperation):
        return _BINARY.get(type(node.operator), Level.PRODUCT)
    if isinstance(node, cst.BooleanOperation):
        return Level.AND if isinstance(node.operator, cst.And) else Level.OR
    if isinstance(node, cst.UnaryOperation):
        return Level.NOT if isinstance(node.operator, cst.Not) else Level.UNARY
    return _LEVELS.get(type(node), Level.ATOM)


def required(parent: cst.CSTNode, field: str, *, alone: bool = False) -> Level:
    """The loosest level that a field of ``parent`` takes without parentheses.

    ``alone`` says that the expression is the only argument of a call.
    """
    slot = (type(parent), field)
    if slot in _OPEN_TO_ALL:
        return Level.BARE
    if slot in _OPEN_TO_NAMED:
        return Level.NAMED
    if slot in _OPEN:
        return Level.EXPRESSION
    if isinstance(parent, cst.Arg):
        return _required_in_argument(parent, alone=alone)
    if isinstance(parent, (cst.BinaryOperation, cst.BooleanOperation)):
        return _required_in_operation(parent, field)
    return _required_otherwise(parent, field)


def _required_in_argument(argument: cst.Arg, *, alone: bool) -> Level:
    if argument.star or argument.keyword:
        return Level.EXPRESSION
    return Level.GENERATOR if alone else Level.NAMED


def _required_in_operation(parent: cst.BinaryOperation | cst.BooleanOperation, field: str) -> Level:
    """Operators take their own level on the left and a tighter one on the right; `**` differs."""
    bare = bare_level(parent)
    if bare is Level.POWER:
        return Level.AWAIT if field == "left" else Level.UNARY
    return bare if field == "left" else Level(bare + 1)


def _required_otherwise(parent: cst.CSTNode, field: str) -> Level:
    match parent:
        case cst.UnaryOperation():
            return Level.NOT if isinstance(parent.operator, cst.Not) else Level.UNARY
        case cst.Comparison() | cst.ComparisonTarget() | cst.StarredElement():
            return Level.BIT_OR
        case cst.StarredDictElement():
            return Level.BIT_OR
        case cst.IfExp() | cst.CompFor() | cst.CompIf():
            return Level.OR
        case cst.FormattedStringExpression():
            return Level.OR  # the colon of a lambda would start the format
        case cst.AsName() | cst.AssignTarget() | cst.Del():
            return Level.NUMBER
        case cst.Attribute() if field == "value":
            return Level.ATOM
        case cst.Await() | cst.Call() | cst.Subscript():
            return Level.NUMBER
    return Level.NUMBER
