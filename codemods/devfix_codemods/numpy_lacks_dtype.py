"""numpy-lacks-dtype: NumPy is handed a bfloat16 tensor, a dtype that it does not have."""

from collections.abc import Iterator

from devfix.rules import Applicability, Facts, Finding, Recaster, Rule


class NumpyLacksDtype(Rule):
    """NumPy (or a library that works with arrays) gets a bfloat16 tensor, a dtype that NumPy does not have.

    ``x.numpy()`` and ``np.asarray(x)`` raise "Got unsupported ScalarType BFloat16", on every device.
    It is a GPU's error all the same where ``torch.autocast`` is switched on for the accelerator
    alone: what the model returns is float32 on the CPU, and bfloat16 there. ``x.tolist()`` and
    ``x.item()`` take any dtype.

    The fix casts to float32, which holds every bfloat16 exactly. It is unsafe, as the array is
    float32 also where other runs have made it float64.

    Before::

        import torch

        model = torch.nn.Linear(4, 2)
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            scores = model(torch.ones(3, 4))
        print(scores.numpy().argmax(1))

    After::

        import torch

        model = torch.nn.Linear(4, 2)
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            scores = model(torch.ones(3, 4))
        print(scores.float().numpy().argmax(1))
    """

    code, name, applicability = "DF510", "numpy-lacks-dtype", Applicability.UNSAFE

    def check(self, facts: Facts) -> Iterator[Finding]:
        """One finding for each tensor that is read."""
        for mismatch in self.caused(facts):
            operand = mismatch.operands[0]
            message = f"`{operand.text}` is bfloat16, a dtype that NumPy does not have"
            yield self.finding(mismatch, message, Recaster(facts, mismatch, operand, "float32").at_use())
