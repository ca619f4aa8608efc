"""tokenizer-output-not-moved: the batch of a tokenizer stays on the CPU and meets a moved model."""

from collections.abc import Iterator

from devfix.rules import Facts, Finding, Rule, Tokenized, misplaced


class TokenizerOutputNotMoved(Rule):
    """A tokenizer returns CPU tensors, and the model they are given to is on the accelerator.

    ``return_tensors="pt"`` makes tensors on the CPU, wherever the model is. The embedding raises
    "Expected all tensors to be on the same device ... argument index in method
    wrapper_CUDA__index_select". (``model.generate`` moves its inputs by itself.)

    The fix calls ``.to(...)`` on what the tokenizer returns, which moves every tensor of the batch.

    Before::

        import torch
        from transformers import AutoModel, AutoTokenizer

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        tokenizer = AutoTokenizer.from_pretrained("tiny")
        model = AutoModel.from_pretrained("tiny").to(device)
        inputs = tokenizer("a sentence", return_tensors="pt")
        print(model(**inputs))

    After::

        import torch
        from transformers import AutoModel, AutoTokenizer

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        tokenizer = AutoTokenizer.from_pretrained("tiny")
        model = AutoModel.from_pretrained("tiny").to(device)
        inputs = tokenizer("a sentence", return_tensors="pt").to(device)
        print(model(**inputs))
    """

    code, name = "DF602", "tokenizer-output-not-moved"

    def check(self, facts: Facts) -> Iterator[Finding]:
        pairs = [(mismatch, misplaced(mismatch)) for mismatch in self.caused(facts)]
        found = [(mismatch, operand) for mismatch, operand in pairs if operand is not None]
        for batch in Tokenized.each(facts, found):
            message = "the tokenizer's tensors are on the CPU, the model they meet is on the accelerator"
            yield self.finding(batch.mismatch, message, batch.fixes(), at=batch.made_at)
