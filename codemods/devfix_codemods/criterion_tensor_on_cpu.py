"""criterion-tensor-on-cpu: the class weights of a loss stay on the CPU."""

from collections.abc import Iterator

from devfix.rules import Facts, Fault, Finding, Mismatch, Operand, Relocator, Rule, misplaced


class CriterionTensorOnCpu(Rule):
    """The ``weight`` or ``pos_weight`` of a loss is on the CPU, what it judges is not.

    Class weights are computed from the labels once, on the CPU, and given to the criterion. The
    model's output is on the accelerator, and the first call of the criterion raises "Expected all
    tensors to be on the same device".

    The fix moves the tensor where it is given to the criterion.

    Before::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        weights = torch.tensor([0.2, 0.8])
        criterion = torch.nn.CrossEntropyLoss(weight=weights)
        model = torch.nn.Linear(4, 2).to(device)
        x, y = torch.ones(8, 4).to(device), torch.ones(8, dtype=torch.long).to(device)
        print(criterion(model(x), y))

    After::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        weights = torch.tensor([0.2, 0.8])
        criterion = torch.nn.CrossEntropyLoss(weight=weights.to(device))
        model = torch.nn.Linear(4, 2).to(device)
        x, y = torch.ones(8, 4).to(device), torch.ones(8, dtype=torch.long).to(device)
        print(criterion(model(x), y))
    """

    code, name = "DF105", "criterion-tensor-on-cpu"

    def check(self, facts: Facts) -> Iterator[Finding]:
        blamed = [(mismatch, misplaced(mismatch)) for mismatch in self.caused(facts)]
        yield from self.merged(
            _fault(facts, found, operand) for found, operand in blamed if operand is not None
        )


def _fault(facts: Facts, mismatch: Mismatch, operand: Operand) -> Fault:
    given = next((site for site in reversed(operand.trail) if site.kind == "argument"), None)
    tensor = given.text if given is not None else operand.text
    message = f"`{tensor}`, the {operand.role} of the loss, stays on the CPU, while the loss is computed on the accelerator"
    return Fault(mismatch, message, tuple(Relocator(facts, mismatch, operand).handed_over()), given)
