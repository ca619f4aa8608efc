"""model-not-moved: a module stays on the CPU while its inputs are on the accelerator."""

from collections.abc import Iterator

from devfix.rules import (
    Facts,
    Fault,
    Finding,
    Mismatch,
    ModuleMover,
    Operand,
    Origin,
    Relocator,
    Rule,
    copied_after_move,
    given_average,
    misplaced,
    moved_like_twin,
    others,
    spoken,
    spoken_name,
    with_doubt,
)


class ModelNotMoved(Rule):
    """A module was never moved to the accelerator, and its inputs were.

    ``Module.to`` moves a module's parameters; without it they stay on the CPU where they were
    made. The first layer that meets an input on the accelerator raises "Expected all tensors to be
    on the same device" or "Input type (torch.cuda.FloatTensor) and weight type
    (torch.FloatTensor) should be the same". A copy that was taken before the move stays behind
    too, and so does a layer that replaces another one after the move.

    The fix adds ``.to(device)`` where the module is made, or else where it passes a place that
    knows the device: a binding, an attribute of a trainer, the top of a function. Where an option
    decides whether the inputs move, and nothing there tells it, the fix is unsafe.

    Before::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(4, 2)
        x = torch.ones(8, 4).to(device)
        print(model(x))

    After::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(4, 2).to(device)
        x = torch.ones(8, 4).to(device)
        print(model(x))
    """

    code, name = "DF101", "model-not-moved"

    def check(self, facts: Facts) -> Iterator[Finding]:
        blamed = [(mismatch, misplaced(mismatch)) for mismatch in self.caused(facts)]
        movers = [
            (mismatch, operand, ModuleMover(facts, operand))
            for mismatch, operand in blamed
            if operand is not None
        ]
        shared: dict[Origin | None, list[Operand]] = {}
        for mismatch, operand, mover in movers:
            mover.inputs = shared.setdefault(mover.made, mover.inputs)
            mover.inputs += _others(mismatch, operand)
        yield from self.merged(_fault(facts, *each) for each in movers)


def _others(mismatch: Mismatch, operand: Operand) -> list[Operand]:
    return [other for other in mismatch.operands if other is not operand]


def _fault(facts: Facts, mismatch: Mismatch, operand: Operand, mover: ModuleMover) -> Fault:
    name = spoken_name(operand)
    message = f"`{name}` stays on the CPU: it is never moved, and what it meets is on the accelerator"
    if operand.trail and operand.trail[0].kind != "module":
        met = others(mismatch, operand)
        message = (
            f"`{spoken(operand)}` was made of weights before they moved, and meets {met} on the accelerator"
        )
    elif mismatch.get("late"):
        message = f"`{name}` stays on the CPU: it joins a model that was moved before"
    fixes = [*moved_like_twin(facts, operand), *given_average(facts, operand)]
    fixes += copied_after_move(facts, operand, _others(mismatch, operand))
    fixes += mover.fixes()
    instead = not fixes or mover.moves_later()
    if instead and (mismatch.get("module") is None or operand.role != "weight"):
        fixes += Relocator(facts, mismatch, operand).fixes()
    doubted = with_doubt(facts, fixes or mover.by_own_choice(), _others(mismatch, operand))
    return Fault(mismatch, message, tuple(doubted), mover.made)
