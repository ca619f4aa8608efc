"""load-without-map-location: a checkpoint is loaded to whatever device it was saved from."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, MapLocation, Relocator, Rule, misplaced


class LoadWithoutMapLocation(Rule):
    """``torch.load`` without ``map_location`` puts tensors where they were when they were saved.

    Tensors that were saved on the CPU stay there, so that statistics kept in a file meet a batch on
    the accelerator: "Expected all tensors to be on the same device". And a checkpoint of a GPU run
    cannot be loaded where there is no GPU: "Attempting to deserialize object on a CUDA device but
    torch.cuda.is_available() is False".

    The fix loads to the program's device where it is in scope; without one, a state goes to the CPU,
    from where ``load_state_dict`` copies it to wherever the model is. The fix is unsafe for a state that a script
    only hands to ``load_state_dict``: that runs on any machine like the one that wrote the file, and the
    fix only lets other machines read it. Left alone are programs that never ask whether there is an
    accelerator, scripts that wrote the file themselves, and functions of libraries.

    Before::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.save(torch.ones(4), "mean.pt")
        x = torch.ones(2, 4).to(device)
        print(x - torch.load("mean.pt"))

    After::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.save(torch.ones(4), "mean.pt")
        x = torch.ones(2, 4).to(device)
        print(x - torch.load("mean.pt", map_location=device))
    """

    code, name = "DF203", "load-without-map-location"

    def check(self, facts: Facts) -> Iterator[Finding]:
        for found in MapLocation.each(facts, self.caused(facts)):
            message = "the checkpoint is loaded to the device it was saved from, whatever there is here"
            if not found.is_certain:
                message = "a checkpoint of another device cannot be loaded here without `map_location`"
            operand = misplaced(found.mismatch)
            moves = Relocator(facts, found.mismatch, operand).fixes() if operand is not None else []
            yield self.finding(found.mismatch, message, [*found.fixes(), *moves], at=found.load)
