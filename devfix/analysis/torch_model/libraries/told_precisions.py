"""The precision that a framework is told: where an option names it, that which a run without options has."""

from __future__ import annotations

from devfix.analysis.domain.values import Union, Value, usual_value


def told(value: Value) -> Value:
    """What a framework is usually given; what fails then is certain, whatever else a user may ask for."""
    usual = value.usual if isinstance(value, Union) and value.usual is not None else value
    return usual_value(usual) or usual
