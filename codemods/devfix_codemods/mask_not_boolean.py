"""mask-not-boolean: numbers stand where an operation wants a mask of bools."""

from collections.abc import Iterator

from devfix.rules import Applicability, Facts, Finding, Recaster, Rule


class MaskNotBoolean(Rule):
    """A mask is made of numbers where only bools will do.

    ``masked_fill``, ``masked_select``, ``where`` and the masks of attention choose by True and
    False, and ``&``, ``|`` and ``~`` combine them. Given ones and zeros they raise "masked_fill_
    only supports boolean masks" or "bitwise_and not implemented for 'Float'", on every device.

    The fix adds ``.bool()`` where the mask is used, so that whoever counts with the same numbers
    still can. It is unsafe, as every cast: any number but 0 becomes True. A mask of numbers that ``~``
    has turned round is left alone for that reason: nothing in it is 0 any more.

    Before::

        import torch

        scores, lengths = torch.randn(2, 4), torch.tensor([3, 2])
        padding = (torch.arange(4)[None] >= lengths[:, None]).long()
        print(scores.masked_fill(padding, -1e9))

    After::

        import torch

        scores, lengths = torch.randn(2, 4), torch.tensor([3, 2])
        padding = (torch.arange(4)[None] >= lengths[:, None]).long()
        print(scores.masked_fill(padding.bool(), -1e9))
    """

    code, name, applicability = "DF507", "mask-not-boolean", Applicability.UNSAFE

    def check(self, facts: Facts) -> Iterator[Finding]:
        """One finding for each mask at each place that uses it."""
        for mismatch in self.caused(facts):
            operand = mismatch.operands[0]
            message = f"`{operand.text}` is {operand.dtype} and is used as a mask, which has to be bool"
            mask = Recaster(facts, mismatch, operand, "bool")
            yield self.finding(mismatch, message, [*mask.as_mask(), *mask.of_truths()])
