"""no-device-chosen: the program never chooses a device, so an accelerator stays idle."""

from collections.abc import Iterator

from devfix.rules import (
    Applicability,
    Facts,
    FileEdit,
    Finding,
    Fix,
    Origin,
    Place,
    Rule,
    WrapExpression,
    device_expression,
)


class NoDeviceChosen(Rule):
    """Nothing in the program is ever put on an accelerator.

    Such a program is right, and slow where an accelerator is present: everything runs on the CPU.
    This rule only runs with ``--adopt``, since where code runs is the author's decision.

    The fix gives the program one ``device`` (the accelerator where there is one, else the CPU) and
    moves its models there as they are made. Their inputs, targets and whatever else meets them
    follow by the other rules. The choice is written as the setting ``device-policy`` says.

    Before::

        import torch

        model = torch.nn.Linear(3, 1)
        x = torch.ones(5, 3)
        print(model(x).sum().item())

    After::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        model = torch.nn.Linear(3, 1).to(device)
        x = torch.ones(5, 3, device=device)
        print(model(x).sum().item())
    """

    code, name, applicability = "DF109", "no-device-chosen", Applicability.UNSAFE

    def check(self, facts: Facts) -> Iterator[Finding]:
        models = facts.unadopted_models()
        if not models:
            return
        first = min(models, key=lambda origin: (origin.path, origin.span))
        message = f"`{first.text}` and whatever meets it stay on the CPU: no device is ever chosen"
        fix = self._fix(facts, models)
        yield Finding(first.path, first.span, self.code, self.name, message, fix=fix)

    def _fix(self, facts: Facts, models: list[Origin]) -> Fix | None:
        edits: list[FileEdit] = []
        for model in models:
            outline = facts.outline(model.path)
            node = outline.expression_at(model.span)
            if node is None:
                return None
            found = device_expression.find_or_introduce(facts, Place(model.path, outline, node), [])
            if found is None:
                return None
            edits.extend(edit for edit in found.edits if edit not in edits)
            edits.append(FileEdit(model.path, WrapExpression(model.span, "", f".to({found.code})")))
        return Fix("choose one device and move the models there", tuple(edits), self.applicability)
