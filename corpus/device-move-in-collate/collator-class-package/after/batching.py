import torch


class Collator:
    """Pads questions and answers to the longest of the batch and builds the attention mask."""

    def __init__(self, pad_id, device):
        self.pad_id = pad_id
        self.device = device

    def __call__(self, rows):
        longest = max(len(row["tokens"]) for row in rows)
        tokens = torch.full((len(rows), longest), self.pad_id)
        for i, row in enumerate(rows):
            tokens[i, : len(row["tokens"])] = torch.tensor(row["tokens"])
        label = torch.tensor([row["label"] for row in rows])
        return {
            "tokens": tokens,
            "mask": tokens.ne(self.pad_id),
            "label": label,
        }
