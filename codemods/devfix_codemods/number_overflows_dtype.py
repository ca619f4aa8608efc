"""number-overflows-dtype: a number is written into a tensor whose dtype cannot hold it."""

from collections.abc import Iterator

from devfix.rules import Applicability, Facts, Finding, Rule, limit_fixes


class NumberOverflowsDtype(Rule):
    """A number is written into a tensor whose dtype cannot hold it.

    The largest float16 is 65504. A score that is half, as those that ``torch.autocast`` computes on
    a GPU, refuses ``masked_fill(mask, -1e9)``: "value cannot be converted to type ... without overflow".
    So do ``full_like``, ``new_full``, ``fill_``, ``index_fill``, ``scatter``, ``F.pad``,
    ``F.threshold``, and on a GPU alone ``torch.where(mask, x, -1e9)``. bfloat16 holds -1e9, and so
    a program may run on the CPU (where autocast computes in bfloat16) and fail on a GPU; it does
    not hold ``torch.finfo(torch.float32).min``. A 0-dim tensor is refused as the number in it is, unless
    it is half itself, and integer dtypes refuse what they do not hold. Arithmetic and ``x[mask] = -1e9`` make an infinity
    of the number, and ``clamp`` compares with it, which is no error.

    The fix uses the limit of the tensor's dtype, and keeps a number that has a name where it fits:
    ``max(fill, torch.finfo(x.dtype).min)``. It is unsafe, as the number is another one in float32
    too: a softmax gives both no weight, a sum need not.

    Before::

        import torch

        scores = torch.randn(2, 4).half()
        padding = torch.arange(4) >= torch.tensor([[3], [2]])
        print(scores.masked_fill(padding, -1e9).softmax(-1))

    After::

        import torch

        scores = torch.randn(2, 4).half()
        padding = torch.arange(4) >= torch.tensor([[3], [2]])
        print(scores.masked_fill(padding, torch.finfo(scores.dtype).min).softmax(-1))
    """

    code, name, applicability = "DF509", "number-overflows-dtype", Applicability.UNSAFE

    def check(self, facts: Facts) -> Iterator[Finding]:
        """One finding for each number at each place that writes it."""
        told = set()
        for mismatch in self.caused(facts):
            tensor, number = mismatch.operands
            if (number.path, number.span) in told:
                continue  # of another dtype that cannot hold it either
            told.add((number.path, number.span))
            holder = "what is made here" if tensor.role == "result" else f"`{tensor.text}`"
            message = f"{holder} is {tensor.dtype}, which cannot hold `{number.text}`"
            yield self.finding(mismatch, message, limit_fixes(facts, mismatch))
