"""Sentiment of digit strings: more high digits than low ones?"""
import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader


class LengthAwareGRU(nn.Module):
    def __init__(self, vocab=11, dim=16, hidden=24):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim, padding_idx=0)
        self.gru = nn.GRU(dim, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, 2)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.embedding(tokens), lengths.cpu(), batch_first=True, enforce_sorted=False)
        _, hidden = self.gru(packed)
        return self.fc(hidden.squeeze(0))


def build(n, seed):
    rng = random.Random(seed)
    samples = []
    for _ in range(n):
        digits = [rng.randrange(10) for _ in range(rng.randint(3, 15))]
        high = sum(d >= 5 for d in digits)
        samples.append((torch.tensor(digits) + 1, int(high > len(digits) - high)))
    return samples


def pad_collate(samples):
    sequences, labels = zip(*samples)
    lengths = torch.tensor([len(s) for s in sequences])
    return pad_sequence(sequences, batch_first=True), lengths, torch.tensor(labels)


def main():
    torch.manual_seed(61)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(build(320, 61), batch_size=32, shuffle=True, collate_fn=pad_collate)
    model = LengthAwareGRU().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(3):
        for batch in loader:
            tokens, lengths, labels = [t.to(device) for t in batch]
            loss = criterion(model(tokens, lengths), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("epoch", epoch, "loss", f"{loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
