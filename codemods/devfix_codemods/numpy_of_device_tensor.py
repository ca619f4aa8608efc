"""numpy-of-device-tensor: NumPy is handed a tensor that lives on the accelerator."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, Rule, copied_to_host


class NumpyOfDeviceTensor(Rule):
    """NumPy (or a library that works with arrays) gets a tensor that lives on the accelerator.

    An array is a view of the CPU's memory, which an accelerator's tensor is not in: ``x.numpy()``,
    ``np.asarray(x)``, ``np.mean(list_of_tensors)`` and the functions of scikit-learn, SciPy and
    matplotlib raise "can't convert cuda:0 device type tensor to numpy".

    The fix copies the tensor to the CPU first, and detaches it where it still requires grad. On a
    machine without an accelerator ``.cpu()`` does nothing.

    Before::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(4, 2).to(device)
        with torch.no_grad():
            print(model(torch.ones(1, 4).to(device)).numpy())

    After::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(4, 2).to(device)
        with torch.no_grad():
            print(model(torch.ones(1, 4).to(device)).cpu().numpy())
    """

    code, name = "DF401", "numpy-of-device-tensor"

    def check(self, facts: Facts) -> Iterator[Finding]:
        for mismatch in self.caused(facts):
            operand = mismatch.operands[0]
            message = f"NumPy cannot read `{operand.text}`, which lives on the accelerator"
            if mismatch.get("inside"):
                message = f"NumPy cannot read the tensors in `{operand.text}`, which live on the accelerator"
            yield self.finding(mismatch, message, copied_to_host(facts, mismatch, operand))
