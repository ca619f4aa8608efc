"""devices-disagree: a program chooses its device at two places, and the choices part."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, Rule, device_name, option_fix, same_accelerator


class DevicesDisagree(Rule):
    """Two places of a program choose a device, and what follows the one meets what follows the other.

    A device option is the CPU unless somebody says otherwise, and other code asks
    ``torch.cuda.is_available()`` by itself. On a machine with an accelerator the program fails as
    soon as the two meet ("Expected all tensors to be on the same device"), unless it is started with
    the option. Or data go to ``"cuda:1"`` at one place, and everything else is on the first.

    The fix makes the option's default the accelerator where there is one; the only mention of a
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
            places = " and ".join(
                f"`{operand.text}` on {device_name(operand.device)}" for operand in mismatch.operands[:2]
            )
            if mismatch.kind == "device-option":
                fix = option_fix(facts, mismatch)
                message = f"unless it is given, this option puts {places}, which meet"
                yield self.finding(mismatch, message, [fix] if fix is not None else [])
                continue
            fix = same_accelerator(facts, mismatch)
            # Without a fix the program may well spread over several on purpose; one place needs one.
            if fix is not None and fix.edits not in mended:
                mended.add(fix.edits)
                yield self.finding(mismatch, f"two accelerators: {places}", [fix])
