from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence


class Recogniser(nn.Module):
    def __init__(self, bands=10, hidden=24, commands=3):
        super().__init__()
        self.rnn = nn.GRU(bands, hidden, batch_first=True)
        self.head = nn.Linear(hidden, commands)

    def forward(self, frames, lengths):
        packed = pack_padded_sequence(frames, lengths, batch_first=True, enforce_sorted=False)
        _, last = self.rnn(packed)
        return self.head(last[0])
