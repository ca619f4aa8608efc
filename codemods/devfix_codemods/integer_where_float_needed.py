"""integer-where-float-needed: an operation that takes floats alone gets integers."""

from collections.abc import Iterator

from devfix.rules import Applicability, Facts, Finding, Recaster, Rule


class IntegerWhereFloatNeeded(Rule):
    """Integers or bools are averaged, normed or put through a softmax.

    ``mean``, ``std``, ``norm`` and ``softmax`` have a float result, and PyTorch does not choose
    its width for integers: "mean(): could not infer output dtype", on every device.

    The fix adds ``.float()`` in front, or makes the cast that is there one to float. It is unsafe,
    as every cast: integers above 2**24 are rounded.

    Before::

        import torch

        guess, label = torch.tensor([1, 0, 2]), torch.tensor([1, 1, 2])
        print((guess == label).mean())

    After::

        import torch

        guess, label = torch.tensor([1, 0, 2]), torch.tensor([1, 1, 2])
        print((guess == label).float().mean())
    """

    code, name, applicability = "DF508", "integer-where-float-needed", Applicability.UNSAFE

    def check(self, facts: Facts) -> Iterator[Finding]:
        """One finding for each operation and operand."""
        for mismatch in self.caused(facts):
            operand = mismatch.operands[0]
            message = f"`{operand.text}` is {operand.dtype}, and {mismatch.operation} takes floats alone"
            fixes = Recaster(facts, mismatch, operand, "float32").at_use()
            yield self.finding(mismatch, message, fixes)
