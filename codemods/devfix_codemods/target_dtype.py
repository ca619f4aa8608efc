"""target-dtype: a loss gets targets of a dtype that it refuses."""

from collections.abc import Iterator

from devfix.rules import Applicability, Facts, Finding, Recaster, Rule


class TargetDtype(Rule):
    """A loss gets targets of a dtype that it does not take.

    ``cross_entropy`` and ``nll_loss`` want class numbers as int64 ("expected scalar type Long"),
    not as int32 and not as floats; the binary cross entropies want floats like their input
    ("result type Float can't be cast to the desired output type Long").

    The fix casts the targets where the loss is called. It is unsafe, as every cast.

    Before::

        import torch

        logits, target = torch.randn(4, 3), torch.tensor([0, 2, 1, 1], dtype=torch.int32)
        print(torch.nn.functional.cross_entropy(logits, target))

    After::

        import torch

        logits, target = torch.randn(4, 3), torch.tensor([0, 2, 1, 1], dtype=torch.int32)
        print(torch.nn.functional.cross_entropy(logits, target.long()))
    """

    code, name, applicability = "DF503", "target-dtype", Applicability.UNSAFE

    def check(self, facts: Facts) -> Iterator[Finding]:
        for mismatch in self.caused(facts):
            operand, wanted = mismatch.operands[0], mismatch.get("wanted") or "int64"
            recaster = Recaster(facts, mismatch, operand, wanted)
            message = f"the loss takes {wanted} targets; `{recaster.name}` is {operand.dtype}"
            yield self.finding(mismatch, message, recaster.at_use_first())
