"""Copy-and-shift with an encoder-decoder."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

dev = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
SOS, EOS, VOCAB = 0, 1, 14


class Shifter(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim)
        self.place = nn.Embedding(12, dim)
        self.core = nn.Transformer(dim, 3, 1, 1, 48, dropout=0.0, batch_first=True)
        self.out = nn.Linear(dim, VOCAB)

    def mask(self, n):
        return nn.Transformer.generate_square_subsequent_mask(n, device=self.out.weight.device)

    def add_place(self, ids):
        return self.embed(ids) + self.place(torch.arange(ids.size(1)).type_as(ids))

    def forward(self, src, tgt):
        return self.out(self.core(self.add_place(src), self.add_place(tgt), tgt_mask=self.mask(tgt.size(1))))


def pairs(n):
    body = torch.randint(2, VOCAB, (n, 5))
    target = (body - 2 + 1) % (VOCAB - 2) + 2
    return TensorDataset(body, torch.cat([torch.full((n, 1), SOS), target, torch.full((n, 1), EOS)], 1))


def loss_of(model, src, tgt):
    logits = model(src, tgt[:, :-1])
    return nn.functional.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten())


def train(model, loader, optimizer):
    for batch in loader:
        src, tgt = (item.to(dev) for item in batch)
        loss = loss_of(model, src, tgt)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model, loader):
    return sum(loss_of(model, src.to(dev), tgt.to(dev)).item() for src, tgt in loader) / len(loader)


@torch.no_grad()
def decode(model, src):
    ys = src.new_full((len(src), 1), SOS)
    for _ in range(5):
        ys = torch.cat([ys, model(src, ys)[:, -1:].argmax(-1)], dim=1)
    return ys[:, 1:].tolist()


torch.manual_seed(89)
model = Shifter().to(dev)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
train_loader, test_loader = DataLoader(pairs(256), batch_size=32), DataLoader(pairs(32), batch_size=16)
for epoch in range(2):
    model.train()
    train(model, train_loader, optimizer)
    model.eval()
    value = evaluate(model, test_loader)
    print("epoch", epoch, "val", value)
src, tgt = [t.cuda() if dev.type == "cuda" else t for t in next(iter(test_loader))]
print(src[0].tolist(), "->", decode(model, src)[0])
print("RESULT", value)
