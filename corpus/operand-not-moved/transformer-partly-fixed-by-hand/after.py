"""Teach a tiny nn.Transformer to sort digits; evaluation and greedy decoding included."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

BOS, VOCAB, LENGTH = 10, 11, 6

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)


def sorting_pairs(n):
    digits = torch.randint(0, 10, (n, LENGTH))
    start = torch.full((n, 1), BOS)
    return TensorDataset(digits, torch.cat([start, digits.sort(dim=1).values], dim=1))


class Sorter(nn.Module):
    def __init__(self, d_model=32):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, d_model)
        self.pos = nn.Parameter(0.02 * torch.randn(LENGTH + 1, d_model))
        self.transformer = nn.Transformer(d_model, nhead=4, num_encoder_layers=1, num_decoder_layers=1,
                                          dim_feedforward=64, dropout=0.0, batch_first=True)
        self.proj = nn.Linear(d_model, VOCAB)

    def forward(self, src, tgt):
        causal = nn.Transformer.generate_square_subsequent_mask(tgt.size(1)).to(tgt.device)
        src = self.tok(src) + self.pos[:src.size(1)]
        tgt = self.tok(tgt) + self.pos[:tgt.size(1)]
        return self.proj(self.transformer(src, tgt, tgt_mask=causal))


def evaluate(model, loader, criterion):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for src, tgt in loader:
            tgt = tgt.to(device)
            logits = model(src.to(device), tgt[:, :-1].to(device))
            total += criterion(logits.flatten(0, 1), tgt[:, 1:].flatten()).item()
    return total / len(loader)


@torch.no_grad()
def greedy_decode(model, src):
    model.eval()
    ys = torch.full((src.size(0), 1), BOS, device=device)
    for _ in range(LENGTH):
        step = model(src, ys)[:, -1].argmax(dim=-1, keepdim=True)
        ys = torch.cat([ys, step], dim=1)
    return ys[:, 1:]


train_loader = DataLoader(sorting_pairs(512), batch_size=64, shuffle=True)
test_loader = DataLoader(sorting_pairs(64), batch_size=64)
model = Sorter().to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for epoch in range(3):
    model.train()
    for src, tgt in train_loader:
        src, tgt = src.to(device), tgt.to(device)
        logits = model(src, tgt[:, :-1])
        loss = criterion(logits.flatten(0, 1), tgt[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    val_loss = evaluate(model, test_loader, criterion)
    print(f"epoch {epoch}: train {loss.item():.3f} val {val_loss:.3f}")

src, tgt = next(iter(test_loader))
src, tgt = src.to(device), tgt.to(device)
decoded = greedy_decode(model, src)
accuracy = (decoded == tgt[:, 1:]).float().mean().item()
print(f"digits in place: {accuracy:.2%}")
print("RESULT", val_loss)
