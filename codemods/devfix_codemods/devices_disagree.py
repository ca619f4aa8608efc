"""devices-disagree: an option's default names the CPU, and the rest asks for an accelerator by itself."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, Rule, device_name, option_fix


class DevicesDisagree(Rule):
    """A device option is the CPU unless somebody says otherwise, and other code does not ask it.

    What follows the option stays on the CPU, and what follows ``torch.cuda.is_available()`` goes to
    the accelerator. On a machine that has one the program fails as soon as the two meet ("Expected
    all tensors to be on the same device"), unless it is started with the option.

    The fix makes the option's default the accelerator where there is one.

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
        for mismatch in self.caused(facts):
            places = " and ".join(
                f"`{operand.text}` on {device_name(operand.device)}" for operand in mismatch.operands[:2]
            )
            fix = option_fix(facts, mismatch)
            message = f"left alone, this option puts {places}, which meet"
            yield self.finding(mismatch, message, [fix] if fix is not None else [])
