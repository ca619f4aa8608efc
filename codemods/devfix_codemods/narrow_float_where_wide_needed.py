"""narrow-float-where-wide-needed: an operation that takes floats of 32 or 64 bits gets such of 16."""

from collections.abc import Iterator

from devfix.rules import Applicability, Facts, Finding, Rule, cast_together, moved_behind_autocast


class NarrowFloatWhereWideNeeded(Rule):
    """A float16 or bfloat16 tensor is inverted, decomposed, transformed or ranked, which takes wider floats.

    Half precision is made for products. Matrices are inverted, decomposed and solved in 32 or 64 bits alone
    ("linalg.inv: Low precision dtypes not supported. Got Half"), and quantiles are taken of such ("quantile() input
    tensor must be either float or double dtype"), on every device. Fourier transforms have float16 on an accelerator,
    and bfloat16 nowhere ("Unsupported dtype BFloat16"). It is a GPU's error all the same where ``torch.autocast`` is
    switched on for the accelerator alone: what a layer returns is float32 on the CPU, and too narrow there. For the
    accelerator autocast casts down, and widens nothing for these operations.

    The loss of probabilities, ``binary_cross_entropy`` or ``BCELoss``, is refused under autocast on an accelerator ("unsafe
    to autocast"), whatever its probabilities are: it is computed behind the block, of wider floats, or
    where that cannot be done in a block of its own that turns autocast off.

    The fix adds ``.float()`` in front, and casts what comes of it back where it meets narrow floats again. It is unsafe,
    as every cast: what is computed after it is wider than it was.

    Before::

        import torch

        points = torch.rand(8, 3).bfloat16()
        spread = torch.linalg.svdvals(points)
        print(spread / spread.sum())

    After::

        import torch

        points = torch.rand(8, 3).bfloat16()
        spread = torch.linalg.svdvals(points.float())
        print(spread / spread.sum())
    """

    code, name, applicability = "DF511", "narrow-float-where-wide-needed", Applicability.UNSAFE

    def check(self, facts: Facts) -> Iterator[Finding]:
        """One finding for each operation."""
        for mismatch in self.caused(facts):
            operands = mismatch.operands
            names = " and ".join(f"`{operand.text}`" for operand in operands)
            verb = "are" if len(operands) > 1 else "is"
            message = f"{names} {verb} {operands[0].dtype}, and {mismatch.operation} takes wider floats alone"
            fixes = cast_together
            if mismatch.get("refused") == "autocast":
                message = f"{names} {verb} given to {mismatch.operation} under autocast, which refuses it"
                fixes = moved_behind_autocast
            yield self.finding(mismatch, message, fixes(facts, mismatch, "float32"))
