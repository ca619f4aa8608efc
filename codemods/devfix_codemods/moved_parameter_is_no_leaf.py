"""moved-parameter-is-no-leaf: a leaf that requires grad is moved, and what comes out is no leaf."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, Leafhood, Rule


class MovedParameterIsNoLeaf(Rule):
    """A Parameter, or a tensor made with ``requires_grad=True``, is moved and then used as a leaf.

    ``to(device)`` is an operation like any other: on the accelerator its result is no leaf. A
    Module does not register it as a Parameter, an optimizer refuses it ("can't optimize a non-leaf
    Tensor") and its ``.grad`` stays None. On the CPU the move returns the very same tensor, so
    nobody notices.

    The fix leaves the move of a Module's Parameter to the Module, or makes the tensor on the
    device. It is unsafe for a Module that is not seen to move itself. Where neither can be done, what was moved is detached and made a leaf again; that cuts
    it off from what it was made of and is unsafe.

    Before::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        weight = torch.zeros(3, requires_grad=True).to(device)
        optimizer = torch.optim.SGD([weight], lr=0.1)
        optimizer.step()

    After::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        weight = torch.zeros(3, requires_grad=True, device=device)
        optimizer = torch.optim.SGD([weight], lr=0.1)
        optimizer.step()
    """

    code, name = "DF204", "moved-parameter-is-no-leaf"

    def check(self, facts: Facts) -> Iterator[Finding]:
        seen = set()
        for mismatch in self.caused(facts):
            trail = mismatch.operands[0].trail
            move = trail[0] if trail else None
            if move in seen:
                continue
            seen.add(move)
            message = "on the accelerator the moved tensor is no leaf any more, so it is never trained"
            yield self.finding(mismatch, message, Leafhood(facts, mismatch).fixes(), at=move)
