"""word2vec with negative sampling on a toy grammar."""
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

GRAMMAR = {"the": ["cat", "dog"], "cat": ["sits", "runs"], "dog": ["barks", "runs"], "sits": ["the"], "runs": ["the"], "barks": ["the"]}
WORDS = sorted(GRAMMAR)
ID = {w: i for i, w in enumerate(WORDS)}


class SkipGram(nn.Module):
    def __init__(self, vocab, dim=10):
        super().__init__()
        self.centre = nn.Embedding(vocab, dim)
        self.context = nn.Embedding(vocab, dim)

    def forward(self, centre, context):
        return (self.centre(centre) * self.context(context)).sum(dim=1)


def walk(steps, rng):
    word, pairs = "the", []
    for _ in range(steps):
        follower = rng.choice(GRAMMAR[word])
        pairs.append((ID[word], ID[follower]))
        word = follower
    return pairs


def make_batch(pairs, rng):
    centre, context, label = [], [], []
    for c, o in pairs:
        centre += [c, c]
        context += [o, rng.randrange(len(WORDS))]
        label += [1.0, 0.0]
    return torch.LongTensor(centre).to(device), torch.LongTensor(context).to(device), torch.FloatTensor(label).to(device)


def main():
    rng = random.Random(7)
    torch.manual_seed(7)
    model = SkipGram(len(WORDS)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for epoch in range(30):
        centre, context, label = make_batch(walk(60, rng), rng)
        loss = F.binary_cross_entropy_with_logits(model(centre, context), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("loss %.4f" % loss.item())
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
