"""move-result-discarded: `x.to(device)` as a statement of its own moves nothing."""

from collections.abc import Iterator

from devfix.rules import DISCARDED, Facts, Fault, Finding, Mismatch, Rule, binding_fix, sites_of


class MoveResultDiscarded(Rule):
    """A tensor is moved, and the moved copy is thrown away.

    ``Tensor.to`` and ``Tensor.cuda`` return a copy and leave the tensor where it is; only modules
    move in place. The tensor stays on the CPU and the next operation raises "Expected all tensors
    to be on the same device".

    The fix binds the result to the name it was called on. A loop that moves what is in a list or
    tuple, and keeps none of it, becomes ``batch = [part.to(device) for part in batch]``.

    Before::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        weight = torch.ones(3).to(device)
        x = torch.arange(3)
        x.to(device)
        print(weight * x)

    After::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        weight = torch.ones(3).to(device)
        x = torch.arange(3)
        x = x.to(device)
        print(weight * x)
    """

    code, name = "DF103", "move-result-discarded"

    def check(self, facts: Facts) -> Iterator[Finding]:
        yield from self.merged(fault for mismatch in self.caused(facts) for fault in _faults(facts, mismatch))


def _faults(facts: Facts, mismatch: Mismatch) -> Iterator[Fault]:
    moves = [site for operand in mismatch.operands for site in sites_of(operand)]
    for move in dict.fromkeys(site for site in moves if site.kind in DISCARDED):
        fix = binding_fix(facts, move)
        message = f"the result of `{move.text}` is thrown away, and the tensor itself does not move"
        if move.kind == "discarded-copy":
            message = f"a moved copy of `{move.text}` is thrown away, and `{move.text}` itself does not move"
        yield Fault(mismatch, message, (fix,) if fix is not None else (), move)
