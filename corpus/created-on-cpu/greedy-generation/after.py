"""Bigram-of-hidden-state language model with a generate method (training is fine, sampling is not)."""
import argparse

import torch
import torch.nn as nn

RULES = {0: 3, 1: 4, 2: 0, 3: 5, 4: 2, 5: 1}


class TinyLM(nn.Module):
    def __init__(self, vocab=6, dim=20):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.lm_head = nn.Linear(dim, vocab)

    def forward(self, tokens):
        hidden, _ = self.rnn(self.embedding(tokens))
        return self.lm_head(hidden)


def chains(n, length, gen):
    tokens = torch.randint(0, 6, (n, 1), generator=gen)
    table = torch.tensor([RULES[k] for k in range(6)])
    for _ in range(length):
        tokens = torch.cat([tokens, table[tokens[:, -1:]]], dim=1)
    return tokens


@torch.no_grad()
def generate(model, first_token, steps, device):
    model.eval()
    tokens = torch.tensor([[first_token]], device=device)
    for _ in range(steps):
        logits = model(tokens)[:, -1]
        tokens = torch.cat([tokens, logits.argmax(dim=-1, keepdim=True)], dim=1)
    return tokens[0].tolist()


def main(args):
    torch.manual_seed(args.seed)
    gen = torch.Generator().manual_seed(args.seed)
    device = torch.device(args.device)
    model = TinyLM().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    loss_fn = nn.CrossEntropyLoss()
    for step in range(args.steps):
        tokens = chains(16, 8, gen).to(device)
        loss = loss_fn(model(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("loss", round(loss.item(), 4))
    sequence = generate(model, 2, 6, device)
    correct = sum(RULES[a] == b for a, b in zip(sequence, sequence[1:]))
    print("generated", sequence)
    print("RESULT", float(correct))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--device", type=str, default="cuda" if torch.cuda.is_available() else "cpu")
    main(parser.parse_args())
