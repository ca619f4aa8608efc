"""in-place-result-type: an integer tensor cannot hold the result of an in-place operation."""

from collections.abc import Iterator

from devfix.rules import Applicability, Facts, Finding, Recaster, Rule


class InPlaceResultType(Rule):
    """An in-place operation on an integer tensor has a floating point result.

    ``counts /= total`` and ``index.clamp_(0, limit)`` write into the tensor they start from, whose
    dtype stays. With a float operand PyTorch raises "result type Float can't be cast to the desired
    output type Long", on every device.

    The fix makes the bounds of ``clamp_`` integers, divides a sum that began as a number with ``total = total / n``,
    and else casts the tensor to float where it gets its name. It is unsafe, as every cast.

    Before::

        import torch

        share = torch.tensor([3, 1]).clone()
        share /= share.sum()
        print(share)

    After::

        import torch

        share = torch.tensor([3, 1]).clone().float()
        share /= share.sum()
        print(share)
    """

    code, name, applicability = "DF506", "in-place-result-type", Applicability.UNSAFE

    def check(self, facts: Facts) -> Iterator[Finding]:
        """One finding for each operand that does not fit."""
        for mismatch in self.caused(facts):
            operand, wanted = mismatch.operands[0], mismatch.get("wanted") or "float32"
            message = f"`{operand.text}` is {operand.dtype} and cannot hold the float that this operation writes to it"
            if mismatch.get("bound") is not None:
                written = mismatch.operands[1]
                message = f"`{operand.text}` is {operand.dtype}, and `{written.text}`, which is bounded by it in place, is {written.dtype}"
            cast = Recaster(facts, mismatch, operand, wanted)
            fixes = cast.at_use_first() if mismatch.get("bound") else cast.of_result()
            yield self.finding(mismatch, message, fixes)
