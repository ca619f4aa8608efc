"""created-on-cpu: a tensor is made in passing, on the CPU, and meets one on the accelerator."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, Relocator, Rule, misplaced


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
            mask = torch.tril(torch.ones(4, 4, device=device))
            return x * mask


        print(masked(torch.ones(4, 4).to(device)))
    """

    code, name = "DF104", "created-on-cpu"

    def check(self, facts: Facts) -> Iterator[Finding]:
        for mismatch in self.caused(facts):
            operand = misplaced(mismatch)
            if operand is None:
                continue
            message = f"`{operand.text}` is made on the CPU and meets a tensor on the accelerator"
            yield self.finding(mismatch, message, Relocator(facts, mismatch, operand).fixes())
