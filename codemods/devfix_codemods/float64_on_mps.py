"""float64-on-mps: a float64 tensor goes to a device that may be MPS, which has none."""

from collections.abc import Iterator

from devfix.rules import Applicability, Facts, Finding, Recaster, Rule, cast_before_move


class Float64OnMps(Rule):
    """A float64 tensor is moved to, or made on, a device that may be MPS.

    Apple's accelerator has no float64: "Cannot convert a MPS Tensor to float64 dtype as the MPS
    framework doesn't support float64". Arrays of NumPy are float64 unless told otherwise.

    The fix casts to float32 before the move, or makes the tensor float32. That is unsafe, unless
    the cast stands right behind the move already: then the two only change places.

    Before::

        import numpy as np
        import torch

        device = torch.device("mps" if torch.backends.mps.is_available() else "cpu")
        x = torch.from_numpy(np.ones(3)).to(device)

    After::

        import numpy as np
        import torch

        device = torch.device("mps" if torch.backends.mps.is_available() else "cpu")
        x = torch.from_numpy(np.ones(3)).float().to(device)
    """

    code, name, applicability = "DF505", "float64-on-mps", Applicability.UNSAFE

    def check(self, facts: Facts) -> Iterator[Finding]:
        """One finding for each move, and for each factory call."""
        for mismatch in self.caused(facts):
            operand = mismatch.operands[0]
            cast = Recaster(facts, mismatch, operand, "float32")
            if mismatch.get("form") == "factory":
                message, fixes = "MPS has no float64, which this call asks for", cast.at_factory()
            else:
                message = f"`{operand.text}` is float64, which MPS does not have"
                fixes = [*cast_before_move(facts, mismatch), *cast.at_use_first()]
            yield self.finding(mismatch, message, fixes)
