"""device-move-in-collate: a collate function moves the batch in a worker process."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, Rule, Unloading


class DeviceMoveInCollate(Rule):
    """A collate function moves the batch to the accelerator, and worker processes run it.

    ``collate_fn`` runs in the workers of a loader. A worker is a forked process, and CUDA cannot
    be used in one: "Cannot re-initialize CUDA in forked subprocess". Without workers (and without
    pinning) it runs in the main process and works; that is reported as advice.

    The fix takes the moves out of the collate function and moves the batch in the loops that use
    it.

    Before::

        import torch
        from torch.utils.data import DataLoader

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        def collate(rows):
            return torch.tensor(rows).to(device)


        for x in DataLoader([1.0, 2.0, 3.0, 4.0], batch_size=2, num_workers=2, collate_fn=collate):
            print(x.sum())

    After::

        import torch
        from torch.utils.data import DataLoader

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        def collate(rows):
            return torch.tensor(rows)


        for x in DataLoader([1.0, 2.0, 3.0, 4.0], batch_size=2, num_workers=2, collate_fn=collate):
            x = x.to(device)
            print(x.sum())
    """

    code, name = "DF302", "device-move-in-collate"

    def check(self, facts: Facts) -> Iterator[Finding]:
        for unloading in Unloading.each(facts, list(self.caused(facts))):
            message = (
                "the collate function moves the batch to the accelerator, which worker processes cannot use"
            )
            if unloading.is_legal:
                message = "the collate function moves the batch; with workers or pinning this would fail"
            yield self.finding(unloading.mismatch, message, unloading.fixes(), at=unloading.first)
