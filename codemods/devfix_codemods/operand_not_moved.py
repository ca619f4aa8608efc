"""operand-not-moved: an input, target or other operand stays on the CPU."""

from collections.abc import Iterator

from devfix.rules import Facts, Fault, Finding, Mismatch, Operand, Relocator, Rule, misplaced, named, others


class OperandNotMoved(Rule):
    """An input, target, mask or other operand is still on the CPU when it is used.

    The model (or another operand) was moved to the accelerator and this tensor was not, so the
    operation raises "Expected all tensors to be on the same device".

    The fix moves it where the batch is unpacked, where it is made, or at the use.

    Before::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(4, 2).to(device)
        x = torch.randn(8, 4)
        y = model(x)

    After::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(4, 2).to(device)
        x = torch.randn(8, 4).to(device)
        y = model(x)
    """

    code, name = "DF102", "operand-not-moved"

    def check(self, facts: Facts) -> Iterator[Finding]:
        blamed = [(mismatch, misplaced(mismatch)) for mismatch in self.caused(facts)]
        yield from self.merged(
            _fault(facts, found, operand) for found, operand in blamed if operand is not None
        )


def _fault(facts: Facts, mismatch: Mismatch, operand: Operand) -> Fault:
    message = (
        f"{named(mismatch, operand)} is on the CPU and meets {others(mismatch, operand)} on the accelerator"
    )
    return Fault(mismatch, message, tuple(Relocator(facts, mismatch, operand).fixes()))
