"""invalid-device-string: a text that is no device is given where PyTorch asks for one."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, Note, Rule, literal_fix, literal_places


class InvalidDeviceString(Rule):
    """A text that is no device is given where PyTorch asks for one.

    A device is its type, in lower case, and perhaps a colon and a number: ``cpu``, ``cuda``, ``cuda:0``, ``mps``.
    "Invalid device string" is said of ``cuda: 0``, ``cuda0``, ``cuda:`` and ``cuda:-1``, "Expected one of cpu,
    cuda, ... device type at start of device string" of ``gpu`` and ``CUDA:0``. A program that takes
    the text only where there is an accelerator runs on every other machine.

    The fix says what was meant: ``cuda:0`` for ``cuda: 0``, ``cuda`` for ``gpu``. Where that is not clear, as with
    ``cuda:-1``, or the text is spelt out at several places, there is none. A text that the program puts
    together, or that an extension of PyTorch may know, is not reported.

    Before::

        import torch

        device = torch.device("cuda: 0" if torch.cuda.is_available() else "cpu")
        print(torch.nn.Linear(2, 1).to(device)(torch.ones(3, 2, device=device)))

    After::

        import torch

        device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
        print(torch.nn.Linear(2, 1).to(device)(torch.ones(3, 2, device=device)))
    """

    code, name = "DF111", "invalid-device-string"

    def check(self, facts: Facts) -> Iterator[Finding]:
        """One finding for each text, where it is spelt out; where that is at several places, at what gets it."""
        told = set()
        for mismatch in self.caused(facts):
            places = literal_places(facts, mismatch)
            if not places or tuple(places) in told:
                continue
            told.add(tuple(places))
            sink = (mismatch.path, mismatch.sink)
            path, span = places[0] if len(places) == 1 else sink
            inside = path == mismatch.path and mismatch.sink.contains(span)
            notes = () if inside else (Note(*sink, "is asked for here"),)
            message = f'"{mismatch.get("text")}" is no device'
            yield Finding(
                path,
                span,
                self.code,
                self.name,
                message,
                notes=notes,
                fix=literal_fix(facts, mismatch, places),
            )
