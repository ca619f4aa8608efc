"""device-move-in-dataset: a Dataset hands out samples that are on the accelerator already."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, Rule, Unloading


class DeviceMoveInDataset(Rule):
    """A Dataset moves its samples to the accelerator, and worker processes load them.

    A worker is a forked process, and CUDA cannot be used in one: the first sample raises "Cannot
    re-initialize CUDA in forked subprocess". Without workers (and without pinning) such a Dataset
    runs, only slowly, one small copy a sample; that is reported as advice.

    The fix takes the moves out of the Dataset and moves the batch in the loops that use it. Where
    the Dataset holds tensors that live on the accelerator, or has a model there make its samples,
    the fix loads in the main process; a seeded run may then draw other random numbers, so that is
    unsafe.

    Before::

        import torch
        from torch.utils.data import DataLoader, Dataset

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        class Squares(Dataset):
            def __len__(self):
                return 8

            def __getitem__(self, i):
                return torch.full((2,), float(i)).to(device)


        for x in DataLoader(Squares(), batch_size=4, num_workers=2):
            print(x.sum())

    After::

        import torch
        from torch.utils.data import DataLoader, Dataset

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        class Squares(Dataset):
            def __len__(self):
                return 8

            def __getitem__(self, i):
                return torch.full((2,), float(i))


        for x in DataLoader(Squares(), batch_size=4, num_workers=2):
            x = x.to(device)
            print(x.sum())
    """

    code, name = "DF301", "device-move-in-dataset"

    def check(self, facts: Facts) -> Iterator[Finding]:
        for unloading in Unloading.each(facts, list(self.caused(facts))):
            message = "the Dataset hands out tensors of the accelerator, which worker processes cannot use"
            if unloading.mismatch.get("where") == "inside":
                message = "making a sample uses the accelerator, which worker processes cannot do"
            elif unloading.is_legal:
                message = "the Dataset moves one sample at a time; with workers or pinning this would fail"
            yield self.finding(unloading.mismatch, message, unloading.fixes(), at=unloading.first)
