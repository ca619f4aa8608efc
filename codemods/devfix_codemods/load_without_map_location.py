"""load-without-map-location: a checkpoint is loaded to whatever device it was saved from."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, MapLocation, Rule


class LoadWithoutMapLocation(Rule):
    """``torch.load`` without ``map_location`` puts tensors where they were when they were saved.

    A checkpoint of a GPU run cannot be loaded where there is no GPU: "Attempting to deserialize
    object on a CUDA device but torch.cuda.is_available() is False". And tensors that were saved on
    the CPU stay there, so that statistics kept in a file meet a batch on the accelerator. Programs
    that never ask whether there is an accelerator are left alone.

    The fix loads to the program's device where it is in scope, else to the CPU, from where
    ``load_state_dict`` copies to wherever the model is.

    Before::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(4, 2).to(device)
        model.load_state_dict(torch.load("model.pt"))

    After::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(4, 2).to(device)
        model.load_state_dict(torch.load("model.pt", map_location=device))
    """

    code, name = "DF203", "load-without-map-location"

    def check(self, facts: Facts) -> Iterator[Finding]:
        for found in MapLocation.each(facts, self.caused(facts)):
            message = "the checkpoint is loaded to the device it was saved from, whatever there is here"
            yield self.finding(found.mismatch, message, found.fixes(), at=found.load)
