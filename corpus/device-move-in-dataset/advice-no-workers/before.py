import torch
import torch.nn as nn
import torch.utils.data as data

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Peptides(data.Dataset):
    ALPHABET = "ACDEFGHIKLMNPQRSTVWY"

    def __init__(self, n=200, length=9):
        g = torch.Generator().manual_seed(1)
        self.seqs = torch.randint(0, len(self.ALPHABET), (n, length), generator=g)
        self.binds = ((self.seqs[:, 1] < 7) & (self.seqs[:, 8] > 5)).float()

    def __getitem__(self, item):
        return self.seqs[item].to(DEVICE), self.binds[item].to(DEVICE)

    def __len__(self):
        return len(self.seqs)


class Binder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 6)
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(54, 32), nn.ELU(), nn.Linear(32, 1))

    def forward(self, seq):
        return self.net(self.emb(seq)).squeeze(1)


torch.manual_seed(0)
loader = data.DataLoader(Peptides(), batch_size=25, shuffle=True)
model = Binder().to(DEVICE)
optim = torch.optim.Adam(model.parameters(), lr=1e-2)
lossfn = nn.BCEWithLogitsLoss()
for epoch in range(4):
    for seq, binds in loader:
        loss = lossfn(model(seq), binds)
        optim.zero_grad()
        loss.backward()
        optim.step()
    print("epoch %d loss %.4f" % (epoch, loss.item()))
print("RESULT", loss.item())
