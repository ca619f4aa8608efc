"""integer-where-float-needed: an operation that takes floats alone, or wide ones alone, gets other numbers."""

from collections.abc import Iterator

from devfix.rules import Applicability, Facts, Finding, Fix, Mismatch, Recaster, Rule


class IntegerWhereFloatNeeded(Rule):
    """Integers or bools are averaged, normed or put through a softmax.

    ``mean``, ``std``, ``norm`` and ``softmax`` have a float result, and PyTorch does not choose
    its width for integers: "mean(): could not infer output dtype", on every device. Matrices of
    integers are multiplied on the CPU alone: on CUDA "addmm_cuda" is not implemented for 'Long'.
    And not every float is wide enough. Matrices are inverted and decomposed in 32 or 64 bits ("Low
    precision dtypes not supported"), and Fourier transforms take no bfloat16, such as autocast makes.

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
            taken = _taken(operands[0].dtype, several=len(operands) > 1)
            message = f"{names} {verb} {operands[0].dtype}, and {mismatch.operation} takes {taken}"
            yield self.finding(mismatch, message, _casts(facts, mismatch, names))


def _taken(dtype: str | None, *, several: bool) -> str:
    """What an operation takes that takes no such numbers."""
    if dtype in ("float16", "bfloat16"):
        return "wider floats alone"
    return f"floats alone{' on an accelerator' if several else ''}"


def _casts(facts: Facts, mismatch: Mismatch, names: str) -> list[Fix]:
    """Casts of all operands, which are of one dtype before and after."""
    ways = [Recaster(facts, mismatch, operand, "float32").at_use() for operand in mismatch.operands]
    if len(ways) == 1:
        return ways[0]
    if not all(ways):
        return []
    edits = [edit for fixes in ways for edit in fixes[0].edits]
    return [Fix(f"cast {names} to float32", tuple(dict.fromkeys(edits)), ways[0][0].applicability)]
