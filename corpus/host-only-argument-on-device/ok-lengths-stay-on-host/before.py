import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


class BracketChecker(nn.Module):
    """Is the string of brackets balanced?"""

    def __init__(self, hidden=16):
        super().__init__()
        self.embed = nn.Embedding(3, 8, padding_idx=0)
        self.lstm = nn.LSTM(8, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 2)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.embed(tokens), lengths, batch_first=True, enforce_sorted=False)
        states, _ = self.lstm(packed)
        states, out_lengths = pad_packed_sequence(states, batch_first=True)
        last = states[torch.arange(len(out_lengths)), out_lengths - 1]
        return self.out(last)


def bracket_strings(n, gen):
    strings, labels = [], []
    for _ in range(n):
        length = 2 * int(torch.randint(2, 6, (1,), generator=gen))
        s = torch.randint(1, 3, (length,), generator=gen)
        balance = (s * 2 - 3).cumsum(0)
        strings.append(s)
        labels.append(int(balance[-1] == 0))
    return strings, torch.tensor(labels)


torch.manual_seed(53)
gen = torch.Generator().manual_seed(53)
model = BracketChecker().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(30):
    strings, labels = bracket_strings(32, gen)
    lengths = torch.tensor([len(s) for s in strings])
    tokens = pad_sequence(strings, batch_first=True).to(device)
    loss = nn.functional.cross_entropy(model(tokens, lengths), labels.to(device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(step, loss.item())
print("RESULT", loss.item())
