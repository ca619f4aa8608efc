"""index-not-integer: ids or indices are floats where integers are wanted."""

from collections.abc import Iterator
from dataclasses import replace

from devfix.rules import Applicability, Facts, Finding, Operand, Recaster, Rule, is_index


class IndexNotInteger(Rule):
    """Ids or indices are floating point where PyTorch looks something up by them.

    ``nn.Embedding``, ``gather``, ``scatter``, ``one_hot`` and ``x[index]`` take integers. Ids that
    come as a column of a float table, or that somebody cast to get rid of another message, raise
    "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int".

    The fix casts them with ``.long()`` at the lookup, and replaces a wrong cast. A float cast of
    another width never helps. Whole numbers that ``/`` made floats of are divided by ``//`` instead. It is unsafe:
    fractions would be cut off. Where floats in ``x[index]`` may as well be
    a mask, which ``.bool()`` makes of them, both are advice.

    Before::

        import torch

        table = torch.tensor([[0.0, 1.5], [1.0, 2.5]])
        print(torch.nn.Embedding(2, 3)(table[:, 0]))

    After::

        import torch

        table = torch.tensor([[0.0, 1.5], [1.0, 2.5]])
        print(torch.nn.Embedding(2, 3)(table[:, 0].long()))
    """

    code, name, applicability = "DF502", "index-not-integer", Applicability.UNSAFE

    def check(self, facts: Facts) -> Iterator[Finding]:
        for mismatch in self.caused(facts):
            operand = mismatch.operands[0]
            wanted = _wanted(operand, maybe_mask=mismatch.get("either") is not None)
            message = f"`{operand.text}` is {operand.dtype} and is used as an index, which has to be {wanted}"
            fixes = Recaster(facts, mismatch, operand, "int64").at_use_first()
            if mismatch.get("either") is not None and not is_index(facts, operand):
                mask = Recaster(facts, mismatch, operand, "bool")
                either = [
                    replace(fix, applicability=Applicability.DISPLAY) for fix in (*fixes, *mask.of_truths())
                ]
                fixes = [*mask.as_mask(), *either]
            yield self.finding(mismatch, message, fixes)


def _wanted(operand: Operand, *, maybe_mask: bool) -> str:
    """What an index has to be: where integers are refused, those of another width are meant."""
    if "float" not in (operand.dtype or ""):
        return "int64 here"
    return "of integers, or of bools" if maybe_mask else "of integers"
