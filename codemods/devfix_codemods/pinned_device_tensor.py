"""pinned-device-tensor: a loader pins tensors that are on the accelerator already."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, Rule, Unloading


class PinnedDeviceTensor(Rule):
    """A loader with ``pin_memory=True`` gets tensors that are on the accelerator.

    Only memory of the CPU can be pinned: "cannot pin 'torch.cuda.FloatTensor' only dense CPU
    tensors can be pinned".

    Where the Dataset or the collate function moves the samples, the fix takes those moves out and
    moves the batch in the loops that use it. Where the data lives on the accelerator for good,
    pinning has no use and the fix turns it off.

    Before::

        import torch
        from torch.utils.data import DataLoader, TensorDataset

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        data = TensorDataset(torch.ones(8, 2).to(device))
        for (x,) in DataLoader(data, batch_size=4, pin_memory=True):
            print(x.sum())

    After::

        import torch
        from torch.utils.data import DataLoader, TensorDataset

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        data = TensorDataset(torch.ones(8, 2).to(device))
        for (x,) in DataLoader(data, batch_size=4, pin_memory=False):
            print(x.sum())
    """

    code, name = "DF303", "pinned-device-tensor"

    def check(self, facts: Facts) -> Iterator[Finding]:
        for unloading in Unloading.each(facts, list(self.caused(facts))):
            message = "the loader pins its batches, but they are on the accelerator already"
            yield self.finding(unloading.mismatch, message, unloading.fixes(), at=unloading.first)
