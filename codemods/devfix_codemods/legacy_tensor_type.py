"""legacy-tensor-type: ``torch.FloatTensor`` and its kin make CPU tensors that meet others."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, Relocator, Rule, legacy, misplaced


class LegacyTensorType(Rule):
    """A legacy constructor such as ``torch.FloatTensor`` makes a tensor on the CPU.

    The old tensor types name a device along with the dtype. ``torch.FloatTensor(data,
    device=device)`` refuses an accelerator ("legacy constructor expects device type: cpu"), an
    alias ``Tensor = torch.FloatTensor`` keeps every tensor made with it on the CPU, and
    ``x.type(torch.FloatTensor)`` moves ``x`` back there.

    The fix makes the tensor with ``torch.tensor``, lets the alias follow the program's CUDA flag,
    moves the tensor, or casts without moving.

    Before::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        x = torch.FloatTensor([[0.5, 1.5]], device=device)
        print(torch.nn.Linear(2, 1).to(device)(x))

    After::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        x = torch.tensor([[0.5, 1.5]], dtype=torch.float32, device=device)
        print(torch.nn.Linear(2, 1).to(device)(x))
    """

    code, name = "DF504", "legacy-tensor-type"

    def check(self, facts: Facts) -> Iterator[Finding]:
        """One finding for each refused constructor, and for each operand that comes from one."""
        for mismatch in self.caused(facts):
            if mismatch.kind == "legacy-constructor":
                message = f"`{mismatch.operands[0].text}` cannot make a tensor on an accelerator"
                yield self.finding(mismatch, message, legacy.modern_call(facts, mismatch))
                continue
            operand = misplaced(mismatch)
            if operand is None:
                continue
            fixes = [
                fix
                for origin in legacy.origins(operand)
                for fix in (*legacy.without_type(facts, origin), *legacy.alias_that_follows(facts, origin))
            ]
            message = f"`{operand.text}` has a CPU tensor type and meets a tensor on the accelerator"
            fixes += (*legacy.joined(facts, operand), *legacy.at_constructors(facts, operand))
            fixes += Relocator(facts, mismatch, operand).fixes()
            yield self.finding(mismatch, message, fixes)
