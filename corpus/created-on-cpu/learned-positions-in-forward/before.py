"""Next-character model over a repeated sentence."""
import torch
import torch.nn as nn
import torch.nn.functional as F

TEXT = "she sells sea shells by the sea shore and the shells she sells are sea shells " * 6
CHARS = sorted(set(TEXT))
CONTEXT = 16


class Block(nn.Module):
    def __init__(self, dim, heads=2):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.ln2(x))


class CharModel(nn.Module):
    def __init__(self, vocab, dim=32):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab, dim)
        self.position_embedding = nn.Embedding(CONTEXT, dim)
        self.block = Block(dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, idx):
        positions = torch.arange(idx.shape[1])
        x = self.token_embedding(idx) + self.position_embedding(positions)
        return self.head(self.block(x))


def get_batch(data, batch_size, device):
    starts = torch.randint(len(data) - CONTEXT - 1, (batch_size,)).tolist()
    x = torch.stack([data[s:s + CONTEXT] for s in starts])
    y = torch.stack([data[s + 1:s + CONTEXT + 1] for s in starts])
    return x.to(device), y.to(device)


def main():
    torch.manual_seed(1337)
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    data = torch.tensor([CHARS.index(c) for c in TEXT])
    model = CharModel(len(CHARS)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for it in range(50):
        xb, yb = get_batch(data, 16, device)
        loss = F.cross_entropy(model(xb).flatten(0, 1), yb.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if it % 10 == 0:
            print(f"iter {it}: loss {loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == '__main__':
    main()
