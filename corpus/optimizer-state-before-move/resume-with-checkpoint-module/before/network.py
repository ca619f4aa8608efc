from torch import nn


class ForecastNet(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.rnn = nn.GRU(3, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 3)

    def forward(self, series):
        out, _ = self.rnn(series)
        return self.head(out[:, -1])
