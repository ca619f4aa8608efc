"""unregistered-module: modules or parameters in a plain list, tuple or dict are no part of the module that holds it."""

from collections.abc import Iterator

from devfix.rules import (
    Applicability,
    Facts,
    Fault,
    Finding,
    Mismatch,
    ModuleMover,
    Operand,
    Rule,
    container_fix,
    container_site,
    misplaced,
    parts_fix,
    unregistered,
)


class UnregisteredModule(Rule):
    """A module keeps modules or parameters in a plain Python list, tuple or dict, or in an object that is no module.

    Only what is an attribute itself, or is held by a ``ModuleList``, ``ModuleDict``,
    ``ParameterList`` or ``ParameterDict``, belongs to its owner. ``Module.to`` does not reach the others: they stay on
    the CPU and raise "Expected all tensors to be on the same device". Nor do they show up in
    ``parameters()`` and ``state_dict()``, so they are neither trained nor saved.

    The fix puts them into a registered container, and so it does with the lists and dicts within; a dict whose keys are no
    texts gets a ``ModuleList`` beside it. It is unsafe: from then on an optimizer trains
    the modules, and checkpoints hold them.

    Before::

        import torch


        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = [torch.nn.Linear(2, 2) for _ in range(3)]

            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x


        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = Net().to(device)
        print(model(torch.ones(3, 2).to(device)))

    After::

        import torch


        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = torch.nn.ModuleList([torch.nn.Linear(2, 2) for _ in range(3)])

            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x


        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = Net().to(device)
        print(model(torch.ones(3, 2).to(device)))
    """

    code, name, applicability = "DF107", "unregistered-module", Applicability.UNSAFE

    def check(self, facts: Facts) -> Iterator[Finding]:
        blamed = [(mismatch, misplaced(mismatch)) for mismatch in self.caused(facts)]
        yield from self.merged(
            _fault(facts, found, operand) for found, operand in blamed if operand is not None
        )


def _fault(facts: Facts, mismatch: Mismatch, operand: Operand) -> Fault:
    site = container_site(operand)
    held = f"`{site.text}`" if site is not None else "a plain container"
    kept = unregistered(mismatch, operand)
    message = f"the {kept} in {held} are not registered, so `Module.to` leaves them on the CPU"
    if mismatch.get("parts") is None:
        fixes = [container_fix(facts, mismatch, operand, kept)]
    else:
        fixes = [*ModuleMover(facts, operand).fixes(), parts_fix(facts, mismatch, operand)]
    return Fault(mismatch, message, tuple(fix for fix in fixes if fix is not None), site)
