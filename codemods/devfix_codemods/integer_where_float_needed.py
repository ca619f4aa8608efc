"""integer-where-float-needed: an operation that takes floats alone gets other numbers."""

from collections.abc import Iterator

from devfix.rules import Applicability, Facts, Finding, Rule, cast_together


class IntegerWhereFloatNeeded(Rule):
    """Integers or bools are averaged, normed or put through a softmax.

    ``mean``, ``std``, ``norm`` and ``softmax`` have a float result, and PyTorch does not choose
    its width for integers: "mean(): could not infer output dtype", on every device. Matrices of
    integers are multiplied on the CPU alone: on CUDA "addmm_cuda" is not implemented for 'Long'. Bools are subtracted
    nowhere: "Subtraction, the `-` operator, with a bool tensor is not supported".

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
            operands = mismatch.operands
            names = " and ".join(f"`{operand.text}`" for operand in operands)
            verb = "are" if len(operands) > 1 else "is"
            where = " on an accelerator" if mismatch.get("there") else ""
            takes = f"which {mismatch.operation} does not take"
            if not mismatch.get("numbers"):
                takes = f"and {mismatch.operation} takes floats alone"
            message = f"{names} {verb} {operands[0].dtype}, {takes}{where}"
            yield self.finding(mismatch, message, cast_together(facts, mismatch, "float32"))
