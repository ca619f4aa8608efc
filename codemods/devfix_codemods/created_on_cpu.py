"""created-on-cpu: a tensor is made in passing, on the CPU, and meets one on the accelerator."""

from collections.abc import Iterator

from devfix.rules import (
    Facts,
    Fault,
    Finding,
    Mismatch,
    Operand,
    Relocator,
    Rule,
    comes_along,
    misplaced,
    named,
    others,
)


class CreatedOnCpu(Rule):
    """A tensor made without ``device=`` meets one that lives on the accelerator.

    Factory calls such as ``torch.zeros`` put their result on the CPU unless told otherwise. In a
    forward pass, a loss or a helper the other operand usually is on the accelerator, and the
    operation raises "Expected all tensors to be on the same device".

    The fix gives the factory call a ``device=``. Random factories keep drawing on the CPU and are
    moved afterwards, so that a seeded run gives the numbers it gave before.

    Before::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        def masked(x):
            mask = torch.tril(torch.ones(4, 4))
            return x * mask


        print(masked(torch.ones(4, 4).to(device)))

    After::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        def masked(x):
            mask = torch.tril(torch.ones(4, 4, device=x.device))
            return x * mask


        print(masked(torch.ones(4, 4).to(device)))
    """

    code, name = "DF104", "created-on-cpu"

    def check(self, facts: Facts) -> Iterator[Finding]:
        blamed = [(mismatch, misplaced(mismatch)) for mismatch in self.caused(facts)]
        yield from self.merged(
            _fault(facts, found, operand)
            for found, operand in blamed
            if operand is not None and not comes_along(facts, operand)
        )


def _fault(facts: Facts, mismatch: Mismatch, operand: Operand) -> Fault:
    message = f"{named(mismatch, operand)} is made on the CPU and meets {others(mismatch, operand)} on the accelerator"
    return Fault(mismatch, message, tuple(Relocator(facts, mismatch, operand).fixes()))
