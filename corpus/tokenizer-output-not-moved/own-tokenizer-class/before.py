import torch
import torch.nn as nn


class Encoding(dict):
    """What the tokenizer returns: a dict of tensors that can be moved as a whole."""

    def to(self, device):
        return Encoding({name: value.to(device) for name, value in self.items()})


class CharTokenizer:
    pad = 0

    def __init__(self, alphabet="abcdefghijklmnopqrstuvwxyz "):
        self.ids = {c: i + 1 for i, c in enumerate(alphabet)}

    def __call__(self, texts, return_tensors="pt"):
        rows = [[self.ids[c] for c in text.lower() if c in self.ids] for text in texts]
        if return_tensors is None:
            return {"input_ids": rows}
        width = max(map(len, rows))
        padded = torch.tensor([row + [self.pad] * (width - len(row)) for row in rows])
        return Encoding(input_ids=padded, attention_mask=(padded != self.pad))


class Encoder(nn.Module):
    def __init__(self, vocab=28, dim=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.mix = nn.Conv1d(dim, dim, 3, padding=1)

    def forward(self, input_ids, attention_mask):
        x = self.mix(self.embed(input_ids).transpose(1, 2)).relu().transpose(1, 2)
        mask = attention_mask.unsqueeze(-1).float()
        return (x * mask).sum(1) / mask.sum(1)


class Search:
    def __init__(self, documents):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.tokenizer = CharTokenizer()
        self.model = Encoder().to(self.device).eval()
        self.documents = documents
        self.index = self.encode(documents)

    @torch.no_grad()
    def encode(self, texts):
        inputs = self.tokenizer(texts, return_tensors="pt")
        return nn.functional.normalize(self.model(**inputs), dim=1)

    def query(self, text):
        scores = self.encode([text]) @ self.index.t()
        best = scores[0].argmax().item()
        return self.documents[best], scores[0, best].item()


if __name__ == "__main__":
    torch.manual_seed(0)
    search = Search(["how to bake bread", "train a network on images", "history of the bicycle", "growing tomatoes"])
    found, score = search.query("baking breads")
    print("found:", found)
    print("RESULT", score)
