import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset


class Melodies(Dataset):
    def __init__(self, n=160):
        g = torch.Generator().manual_seed(4)
        self.notes = []
        for i in range(n):
            steps = torch.randint(-2, 3, (4 + i % 9,), generator=g)
            self.notes.append(((steps.cumsum(0) + 12).clamp(1, 23), i % 9 > 4))

    def __len__(self):
        return len(self.notes)

    def __getitem__(self, i):
        return self.notes[i]


def collate(batch):
    notes, is_long = zip(*batch)
    lengths = torch.tensor([len(n) for n in notes])
    return pad_sequence(notes, batch_first=True), lengths, torch.tensor(is_long, dtype=torch.float)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(24, 8, padding_idx=0)
        self.lstm = nn.LSTM(8, 16, batch_first=True)
        self.out = nn.Linear(16, 1)

    def forward(self, notes, lengths):
        packed = pack_padded_sequence(self.embed(notes), lengths, batch_first=True, enforce_sorted=False)
        _, (h, _) = self.lstm(packed)
        return self.out(h[-1]).squeeze(1)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Melodies(), batch_size=16, shuffle=True, collate_fn=collate, num_workers=1)
    net = Net().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    for epoch in range(3):
        for notes, lengths, is_long in loader:
            logits = net(notes.to(device), lengths)
            loss = nn.functional.binary_cross_entropy_with_logits(logits, is_long.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
