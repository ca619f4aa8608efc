"""devices-disagree: a program chooses its device at two places, and the choices part."""

from collections.abc import Callable, Iterator

from devfix.rules import (
    Facts,
    Finding,
    Mismatch,
    Rule,
    are_apart,
    brought_together,
    device_name,
    option_fix,
    same_accelerator,
)


class DevicesDisagree(Rule):
    """Two places of a program choose a device, and what follows the one meets what follows the other.

    A device option is the CPU unless somebody says otherwise, and other code asks
    ``torch.cuda.is_available()`` by itself. On a machine with an accelerator the program fails as
    soon as the two meet ("Expected all tensors to be on the same device"), unless it is started with
    the option. Or data go to ``"cuda:1"`` at one place, and everything else is on the first.

    The fix makes the option's default the accelerator where there is one. What moves without saying
    where (``x.cuda()``) goes to the accelerator that the program chose by its number, the input of a
    stage to where the stage is, and a target to its predictions. Otherwise the only mention of a
    second accelerator becomes the first, which is unsafe: where code runs is the author's decision.

    Before::

        import argparse

        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cpu")
        args = parser.parse_args([])
        model = torch.nn.Linear(4, 2).to(args.device)
        x = torch.ones(8, 4)
        if torch.cuda.is_available():
            x = x.cuda()
        print(model(x))

    After::

        import argparse

        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
        args = parser.parse_args([])
        model = torch.nn.Linear(4, 2).to(args.device)
        x = torch.ones(8, 4)
        if torch.cuda.is_available():
            x = x.cuda()
        print(model(x))
    """

    code, name = "DF110", "devices-disagree"

    def check(self, facts: Facts) -> Iterator[Finding]:
        mended = set()
        for mismatch in self.caused(facts):
            if mismatch.kind == "device-option":
                fix = option_fix(facts, mismatch)
                places = _places(mismatch, device_name)
                message = f"unless it is given, this option puts {places}, which meet"
                yield self.finding(mismatch, message, [fix] if fix is not None else [])
            elif are_apart(facts, mismatch):
                fix = brought_together(facts, mismatch) or same_accelerator(facts, mismatch)
                message = f"two accelerators: {_places(mismatch, _numbered)}"
                if fix is None:
                    yield self.finding(mismatch, message, [])
                elif fix.edits not in mended:  # one change may mend several
                    mended.add(fix.edits)
                    yield self.finding(mismatch, message, [fix])


def _places(mismatch: Mismatch, spoken: Callable[[str | None], str]) -> str:
    return " and ".join(f"`{operand.text}` on {spoken(operand.device)}" for operand in mismatch.operands[:2])


def _numbered(device: str | None) -> str:
    """An accelerator by its number, which the first one has as well."""
    return "cuda:0" if device == "cuda" else str(device)
