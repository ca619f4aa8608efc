"""float64-meets-float32: two dtypes meet in an operation that does not promote."""

from collections.abc import Iterator

from devfix.rules import Applicability, Facts, Finding, Mismatch, Operand, Recaster, Rule, owned, with_targets


class Float64MeetsFloat32(Rule):
    """Operands of two dtypes meet in a layer or matrix product, which promote nothing.

    NumPy computes in float64 and ``torch.from_numpy`` keeps it; parameters are float32 unless
    somebody chose otherwise. The first layer then raises "mat1 and mat2 must have the same dtype",
    on the CPU as well.

    The fix casts to the dtype of the parameters where the data enters torch, or at the use; float64
    targets from NumPy are cast as well, for losses that older versions of PyTorch cannot differentiate.
    It is unsafe, since a cast changes numbers. A program that is double on purpose is left alone.

    Before::

        import numpy as np
        import torch

        x = torch.from_numpy(np.random.rand(8, 4))
        print(torch.nn.Linear(4, 2)(x))

    After::

        import numpy as np
        import torch

        x = torch.from_numpy(np.random.rand(8, 4)).float()
        print(torch.nn.Linear(4, 2)(x))
    """

    code, name, applicability = "DF501", "float64-meets-float32", Applicability.UNSAFE

    def check(self, facts: Facts) -> Iterator[Finding]:
        for mismatch in self.caused(facts):
            operand, wanted = mismatch.operands[0], mismatch.get("wanted") or ""
            other = (
                f"{_is(mismatch, mismatch.operands[1])} {wanted}"
                if len(mismatch.operands) > 1
                else f"meets {wanted}"
            )
            message = f"`{operand.text}` is {operand.dtype} and {other}, which PyTorch does not take together"
            fixes = with_targets(facts, Recaster(facts, mismatch, operand, wanted).at_entry_first())
            yield self.finding(mismatch, message, fixes)


def _is(mismatch: Mismatch, operand: Operand) -> str:
    name = owned(mismatch, operand)
    return f"{name} are" if name.startswith("the parameters of ") else f"{name} is"
