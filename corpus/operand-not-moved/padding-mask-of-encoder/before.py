"""Language identification with a small transformer encoder."""
import random

import torch
import torch.nn as nn
from torch.utils.data import DataLoader

PAD = 0
ALPHABETS = ["abcdefgh", "efghijkl", "ijklmnop"]
VOCAB = {c: i + 1 for i, c in enumerate("abcdefghijklmnop")}


def make_corpus(n, seed=0):
    rng = random.Random(seed)
    corpus = []
    for _ in range(n):
        lang = rng.randrange(3)
        word = [rng.choice(ALPHABETS[lang]) for _ in range(rng.randint(4, 12))]
        corpus.append(([VOCAB[c] for c in word], lang))
    return corpus


def collate(samples):
    longest = max(len(ids) for ids, _ in samples)
    tokens = torch.full((len(samples), longest), PAD)
    for row, (ids, _) in enumerate(samples):
        tokens[row, :len(ids)] = torch.tensor(ids)
    labels = torch.tensor([lang for _, lang in samples])
    return tokens, tokens.eq(PAD), labels


class LangId(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.embed = nn.Embedding(len(VOCAB) + 1, dim, padding_idx=PAD)
        layer = nn.TransformerEncoderLayer(dim, nhead=4, dim_feedforward=64, batch_first=True, dropout=0.0)
        self.encoder = nn.TransformerEncoder(layer, num_layers=1, enable_nested_tensor=False)
        self.classify = nn.Linear(dim, 3)

    def forward(self, tokens, pad_mask):
        h = self.encoder(self.embed(tokens), src_key_padding_mask=pad_mask)
        h = h.masked_fill(pad_mask.unsqueeze(-1), 0.0)
        return self.classify(h.sum(1) / (~pad_mask).sum(1, keepdim=True))


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(make_corpus(240), batch_size=24, collate_fn=collate)
    net = LangId().to(device)
    optim = torch.optim.Adam(net.parameters(), lr=5e-3)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(3):
        for batch in loader:
            tokens, pad_mask, labels = batch
            tokens = tokens.to(device)
            labels = labels.to(device)
            loss = loss_fn(net(tokens, pad_mask), labels)
            optim.zero_grad()
            loss.backward()
            optim.step()
        print("epoch", epoch, "loss", f"{loss.item():.4f}")
    print("RESULT", loss.item())
