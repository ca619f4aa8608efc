"""optimizer-before-move: an optimizer allocates its state in the constructor, then the model moves."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, Reordering, Rule


class OptimizerBeforeMove(Rule):
    """An optimizer that allocates state when it is built is built before the model moves.

    ``Module.to`` keeps the Parameter objects, so most optimizers may be built first. Adagrad (and
    optimizers of one's own that do the same) makes its accumulators in the constructor, on the
    device where the parameters are at that time. After ``model.to(device)`` the first ``step()``
    mixes both devices and raises "Expected all tensors to be on the same device".

    The fix moves the model before the optimizer is built. Where that order cannot be had, the
    model is moved where it is made.

    Before::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(4, 2)
        optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
        model.to(device)
        model(torch.ones(8, 4).to(device)).sum().backward()
        optimizer.step()

    After::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(4, 2)
        model.to(device)
        optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
        model(torch.ones(8, 4).to(device)).sum().backward()
        optimizer.step()
    """

    code, name = "DF201", "optimizer-before-move"

    def check(self, facts: Facts) -> Iterator[Finding]:
        seen = set()
        for mismatch in self.caused(facts):
            built = mismatch.operands[0].trail[0]
            if built in seen:
                continue
            seen.add(built)
            message = "this optimizer allocates its state here, before its model is moved to the accelerator"
            yield self.finding(mismatch, message, Reordering(facts, mismatch).fixes(), at=built)
