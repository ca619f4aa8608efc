"""optimizer-state-before-move: an optimizer gets its state while the model is still on the CPU."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, Reordering, Rule


class OptimizerStateBeforeMove(Rule):
    """An optimizer's state is loaded (or made by a step) before the model moves.

    ``Optimizer.load_state_dict`` casts the state to where the parameters are at that time. When
    ``model.to(device)`` comes later, the state stays behind and the next ``step()`` raises
    "Expected all tensors to be on the same device". Plain SGD keeps no state and does not mind.

    The fix moves the model before the optimizer is built. Where that order cannot be had, the
    model is moved where it is made. Where a step on the CPU made the state, the program was meant
    to begin there: the optimizer loads its own state behind the move, which takes it along.

    Before::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        saved = torch.load("checkpoint.pt", map_location="cpu")
        model = torch.nn.Linear(4, 2)
        optimizer = torch.optim.Adam(model.parameters())
        optimizer.load_state_dict(saved["optimizer"])
        model.to(device)
        model(torch.ones(8, 4).to(device)).sum().backward()
        optimizer.step()

    After::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        saved = torch.load("checkpoint.pt", map_location="cpu")
        model = torch.nn.Linear(4, 2)
        model.to(device)
        optimizer = torch.optim.Adam(model.parameters())
        optimizer.load_state_dict(saved["optimizer"])
        model(torch.ones(8, 4).to(device)).sum().backward()
        optimizer.step()
    """

    code, name = "DF202", "optimizer-state-before-move"

    def check(self, facts: Facts) -> Iterator[Finding]:
        seen = set()
        for mismatch in self.caused(facts):
            state = mismatch.operands[0]
            filled = state.trail[-1] if state.trail else None
            if filled in seen:
                continue
            seen.add(filled)
            message = "the optimizer's state is made where its parameters are now, but they are moved later"
            yield self.finding(mismatch, message, Reordering(facts, mismatch).fixes(), at=filled)
