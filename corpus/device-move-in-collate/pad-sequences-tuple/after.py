import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Names(Dataset):
    """Pseudo words from two made-up languages that differ in their favourite letters."""

    def __init__(self, n=200):
        self.items = []
        g = torch.Generator().manual_seed(6)
        for i in range(n):
            length = int(torch.randint(3, 10, (1,), generator=g))
            letters = torch.randint(1, 14, (length,), generator=g)
            self.items.append((letters * 2 - i % 2, i % 2))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(samples):
    words = pad_sequence([w for w, _ in samples], batch_first=True)
    languages = torch.tensor([lang for _, lang in samples])
    return words, languages


class CharGRU(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(28, 10, padding_idx=0)
        self.gru = nn.GRU(10, 20, batch_first=True)
        self.out = nn.Linear(20, 2)

    def forward(self, words):
        hidden, _ = self.gru(self.embed(words))
        return self.out(hidden.mean(dim=1))


torch.manual_seed(0)
loader = DataLoader(Names(), batch_size=20, shuffle=True, collate_fn=collate, num_workers=2)
model = CharGRU().to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

for epoch in range(3):
    total_loss = 0
    for words, languages in loader:
        words, languages = words.to(device), languages.to(device)
        optimizer.zero_grad()
        output = model(words)
        loss = criterion(output, languages)
        loss.backward()
        optimizer.step()
        total_loss += loss.item()
    print(f"Epoch {epoch + 1}, Loss: {total_loss / len(loader):.4f}")

print("RESULT", total_loss / len(loader))
