"""no-device-chosen: the program never chooses a device, so an accelerator stays idle."""

from collections.abc import Iterator

from devfix.rules import Applicability, Facts, Finding, Fix, Rule, adoption_edits


class NoDeviceChosen(Rule):
    """Nothing in the program is ever put on an accelerator.

    Such a program is right, and slow where an accelerator is present: everything runs on the CPU.
    This rule runs only with ``--adopt``, since where code runs is the author's decision.

    The fix gives the program one ``device`` (the accelerator where there is one, else the CPU) and
    moves its models there as they are made, or where the script has them from another file. An
    object that makes its own models keeps the device as ``self.device``. Tensors that are trained
    without a model are made there. Inputs, targets and whatever else meets them are moved by the other
    rules, preferably where they are made rather than what is computed from them. The setting
    ``device-policy`` says how the device is chosen.

    There is no fix where a model is written to a file as a whole and some script reads a file of unknown content and
    does not say where to (it would get the model on the accelerator), where a process that the script starts is given a
    model, or code that has or makes one (a fork cannot use the accelerator of its parent), where a model is quantized for
    the CPU, or where an operator takes a tensor and a NumPy array.

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
        lives, parameters = facts.unadopted_models(), facts.unadopted_parameters()
        made = [*(life[0] for life in lives), *parameters]
        if not made:
            return
        first = min(made, key=lambda origin: (origin.path, origin.span))
        message = f"`{first.text}` and whatever meets it stay on the CPU: no device is ever chosen"
        edits = adoption_edits(facts, lives, parameters)
        title = "choose one device and move the models there"
        fix = Fix(title, edits, self.applicability) if edits else None
        yield Finding(first.path, first.span, self.code, self.name, message, fix=fix)
