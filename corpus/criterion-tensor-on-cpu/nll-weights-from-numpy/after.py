import argparse

import numpy as np
import torch
import torch.nn as nn

p = argparse.ArgumentParser("Dialogue act tagger")
p.add_argument("--hidden-dim", type=int, default=24)
p.add_argument("--max-epoch", type=int, default=4)
p.add_argument("--gpu", type=int, default=0)
args = p.parse_args()

ACTS = ["statement", "question", "backchannel"]
device = torch.device(f"cuda:{args.gpu}" if torch.cuda.is_available() else "cpu")


class ActTagger(nn.Module):
    def __init__(self, vocab_size, hidden_dim, n_acts):
        super().__init__()
        self.words = nn.EmbeddingBag(vocab_size, hidden_dim, mode="mean")
        self.decision = nn.Linear(hidden_dim, n_acts)

    def forward(self, utterances):
        return torch.log_softmax(self.decision(torch.tanh(self.words(utterances))), dim=-1)


def dialogues(n, rng):
    acts = rng.choice(3, size=n, p=[0.75, 0.18, 0.07])
    words = rng.integers(0, 30, size=(n, 7)) + 10 * acts[:, None]
    return words, acts


def main():
    torch.manual_seed(0)
    words, acts = dialogues(450, np.random.default_rng(0))
    counts = np.bincount(acts, minlength=len(ACTS))
    class_weights = torch.from_numpy((counts.max() / counts).astype("float32"))

    words, acts = torch.from_numpy(words), torch.from_numpy(acts)
    model = ActTagger(50, args.hidden_dim, len(ACTS)).to(device)
    loss_function = nn.NLLLoss(class_weights.to(device))
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)

    for epoch in range(args.max_epoch):
        order = torch.randperm(len(words))
        for chunk in order.split(45):
            log_probs = model(words[chunk].to(device))
            loss = loss_function(log_probs, acts[chunk].to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} weighted nll {loss.item():.4f}")
    return loss.item()


if __name__ == "__main__":
    print("RESULT", main())
