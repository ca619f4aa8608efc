"""unregistered-tensor: a module keeps a tensor as a plain attribute, and `to` leaves it behind."""

from collections.abc import Iterator

from devfix.rules import (
    Facts,
    Fault,
    Finding,
    Mismatch,
    Operand,
    Origin,
    Relocator,
    Rule,
    buffer_fix,
    misplaced,
    plain_attributes,
)


class UnregisteredTensor(Rule):
    """A module's constructor stores a tensor as a plain attribute.

    ``Module.to`` moves parameters and buffers. A tensor that is a plain attribute of the module
    stays on the CPU, and the forward pass raises "Expected all tensors to be on the same device".

    The fix registers the tensor as a buffer. ``persistent=False`` keeps it out of the
    ``state_dict``, so that checkpoints stay what they are.

    Before::

        import torch


        class Scale(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.factor = torch.tensor([1.0, 2.0])

            def forward(self, x):
                return x * self.factor


        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = Scale().to(device)
        print(model(torch.ones(3, 2).to(device)))

    After::

        import torch


        class Scale(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("factor", torch.tensor([1.0, 2.0]), persistent=False)

            def forward(self, x):
                return x * self.factor


        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = Scale().to(device)
        print(model(torch.ones(3, 2).to(device)))
    """

    code, name = "DF106", "unregistered-tensor"

    def check(self, facts: Facts) -> Iterator[Finding]:
        yield from self.merged(_fault(facts, mismatch) for mismatch in self.caused(facts))


def _fault(facts: Facts, mismatch: Mismatch) -> Fault:
    operand = misplaced(mismatch)
    moves = Relocator(facts, mismatch, operand).fixes() if operand is not None else []
    # A buffer would leave the CPU, where something may read or save the tensor; what it was computed from stays there.
    stays = operand is not None and any(map(facts.is_read_on_host, _kept_lives(operand)))
    attributes = [] if stays else plain_attributes(facts, mismatch)
    if not attributes:
        return Fault(mismatch, "a plain tensor attribute of a module stays on the CPU", tuple(moves))
    first, registered = attributes[0], buffer_fix(facts, attributes)
    message = f"{first.spoken} is a plain attribute of `{first.owner}`, which `Module.to` leaves on the CPU"
    return Fault(mismatch, message, ((registered,) if registered else ()) + tuple(moves), first.site)


def _kept_lives(operand: Operand) -> list[tuple[Origin, ...]]:
    """The lives of an operand, and of what it was computed from, in which a module keeps it."""
    lives = (operand.trail, *operand.roots)
    return [life for life in lives if any(site.kind == "module-attribute" for site in life)]
