"""device-scattered: the accelerator is spelt out all over a file."""

from collections.abc import Iterator

from devfix.rules import Applicability, Facts, Finding, Note, Rule, ast, hard_coded_spots, one_device_variable

#: Fewer places than this are no burden.
_MANY = 4
_SHOWN = 3


class DeviceScattered(Rule):
    """Many lines of a file name the same accelerator.

    ``"cuda:0"`` here and ``.cuda()`` there: the program needs exactly that accelerator, it cannot
    run without one, and whoever wants another has to find every place. One variable that is set
    once, such as ``device = torch.device("cuda" if torch.cuda.is_available() else "cpu")``, serves
    them all. Files that have such a variable, or one flag that guards every move, are left alone.

    This is advice and never applied: where code runs is the author's decision.

    Before::

        import torch

        model = torch.nn.Linear(2, 2).cuda()
        x = torch.ones(3, 2, device="cuda:0")
        y = torch.zeros(3, 2).to("cuda")
        scale = torch.ones(2).cuda()
        print(((model(x) - y) * scale).mean())

    After::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        model = torch.nn.Linear(2, 2).to(device)
        x = torch.ones(3, 2, device=device)
        y = torch.zeros(3, 2).to(device)
        scale = torch.ones(2).to(device)
        print(((model(x) - y) * scale).mean())
    """

    code, name, applicability = "DF108", "device-scattered", Applicability.DISPLAY

    def check(self, facts: Facts) -> Iterator[Finding]:
        for path in sorted(facts.program.targets):
            found = hard_coded_spots(facts, path)
            if len(found) >= _MANY:
                yield self._finding(facts, path, found)

    def _finding(self, facts: Facts, path: str, found: list[ast.expr]) -> Finding:
        span = facts.source(path).span
        others = found[1 : _SHOWN + 1]
        notes = tuple(Note(path, span(node), "and here") for node in others)
        message = (
            f"the accelerator is spelt out at {len(found)} places of this file: one variable could name it"
        )
        fix = one_device_variable(facts, path, found)
        return Finding(path, span(found[0]), self.code, self.name, message, notes=notes, fix=fix)
