"""``devfix new-rule``: a rule of one's own, with its case and test, in a new pack or one that is there."""

from devfix.new_rule.pack import PackError, make

__all__ = ["PackError", "make"]
