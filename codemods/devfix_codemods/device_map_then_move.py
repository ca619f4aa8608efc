"""device-map-then-move: a model that a device map or quantisation placed is moved again."""

from collections.abc import Iterator

from devfix.rules import Applicability, DropCall, Facts, FileEdit, Finding, Fix, Rule


class DeviceMapThenMove(Rule):
    """A model that was placed while it was loaded is moved with ``to`` or ``cuda``.

    With ``device_map="auto"`` (or a map of several entries) the parts of a model may be on several
    devices, some of them offloaded, with hooks that bring the inputs along; moving such a model
    raises "You can't move a model that has some modules offloaded" or warns. A model quantised to
    4 or 8 bits refuses to be moved at all.

    The fix takes the move away: the model is where it should be.

    Before::

        import torch
        from transformers import AutoModelForCausalLM

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = AutoModelForCausalLM.from_pretrained("tiny", device_map="auto")
        model.to(device)
        model.eval()

    After::

        import torch
        from transformers import AutoModelForCausalLM

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = AutoModelForCausalLM.from_pretrained("tiny", device_map="auto")
        model.eval()
    """

    code, name = "DF603", "device-map-then-move"

    def check(self, facts: Facts) -> Iterator[Finding]:
        for mismatch in self.caused(facts):
            how = "quantised" if mismatch.get("how") == "quantized" else "placed by its device map"
            message = f"the model is {how} and must not be moved"
            edit = FileEdit(mismatch.path, DropCall(mismatch.sink))
            yield self.finding(
                mismatch, message, [Fix("leave the model where it is", (edit,), Applicability.SAFE)]
            )
