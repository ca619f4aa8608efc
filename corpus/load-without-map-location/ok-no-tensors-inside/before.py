import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F

WORDS = "red green blue small large round square heavy light old new".split()


class Tagger(nn.Module):
    def __init__(self, vocab_size, dim, tags):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, dim)
        self.rnn = nn.LSTM(dim, dim, batch_first=True, bidirectional=True)
        self.tag = nn.Linear(2 * dim, tags)

    def forward(self, ids):
        return self.tag(self.rnn(self.emb(ids))[0])


def save_all(folder, model, vocab, hparams):
    torch.save({"vocab": vocab, "hparams": hparams}, os.path.join(folder, "meta.pt"))
    torch.save(model.state_dict(), os.path.join(folder, "weights.pt"))


def load_all(folder, device):
    meta = torch.load(os.path.join(folder, "meta.pt"))
    model = Tagger(**meta["hparams"])
    weights = torch.load(os.path.join(folder, "weights.pt"), map_location=device)
    model.load_state_dict(weights)
    return model.to(device), meta["vocab"]


def main():
    torch.manual_seed(2)
    device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    vocab = {w: i for i, w in enumerate(WORDS)}
    hparams = {"vocab_size": len(vocab), "dim": 12, "tags": 3}
    model = Tagger(**hparams).to(device)
    ids = torch.randint(0, len(vocab), (64, 9)).to(device)
    gold = (ids + ids.roll(1, dims=1)) % 3
    opt = torch.optim.Adam(model.parameters(), lr=2e-2)
    for _ in range(20):
        loss = F.cross_entropy(model(ids).transpose(1, 2), gold)
        opt.zero_grad()
        loss.backward()
        opt.step()

    with tempfile.TemporaryDirectory() as folder:
        save_all(folder, model, vocab, hparams)
        model, vocab = load_all(folder, device)
    phrase = torch.tensor([[vocab[w] for w in "small red square".split()]], device=device)
    with torch.no_grad():
        print("tags", model(phrase).argmax(-1).tolist())
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
