"""host-only-argument-on-device: an argument that must be on the CPU was moved to the accelerator."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, Rule, copied_to_host


class HostOnlyArgumentOnDevice(Rule):
    """An argument that PyTorch reads on the CPU was moved to the accelerator.

    The lengths of ``pack_padded_sequence`` and the indices of ``tensor_split`` steer what is done
    on the host, so they must be there whatever the data is: "'lengths' argument should be a 1D CPU
    int64 tensor". They often get moved along with the rest of the batch. ``torch.histogram`` has no
    kernel for an accelerator at all.

    The fix copies the argument to the CPU at the call; on a machine without an accelerator that
    does nothing.

    Before::

        import torch
        from torch.nn.utils.rnn import pack_padded_sequence

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        x, lengths = torch.ones(2, 3, 4).to(device), torch.tensor([3, 2]).to(device)
        packed = pack_padded_sequence(x, lengths, batch_first=True)

    After::

        import torch
        from torch.nn.utils.rnn import pack_padded_sequence

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        x, lengths = torch.ones(2, 3, 4).to(device), torch.tensor([3, 2]).to(device)
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True)
    """

    code, name = "DF402", "host-only-argument-on-device"

    def check(self, facts: Facts) -> Iterator[Finding]:
        for mismatch in self.caused(facts):
            operand = mismatch.operands[0]
            message = f"`{operand.text}` must be on the CPU and lives on the accelerator"
            yield self.finding(mismatch, message, copied_to_host(facts, mismatch, operand))
