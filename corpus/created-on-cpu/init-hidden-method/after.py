import torch
import torch.nn as nn

device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')

NOTES = "C D E F G A B C5".split()
MELODY = [0, 0, 4, 4, 5, 5, 4, 3, 3, 2, 2, 1, 1, 0] * 12


class MelodyLSTM(nn.Module):
    def __init__(self, n_notes, embed_size=12, hidden_size=28, num_layers=2):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.embed = nn.Embedding(n_notes, embed_size)
        self.lstm = nn.LSTM(embed_size, hidden_size, num_layers, batch_first=True)
        self.fc = nn.Linear(hidden_size, n_notes)

    def forward(self, notes, state):
        out, state = self.lstm(self.embed(notes), state)
        return self.fc(out), state

    def init_hidden(self, batch_size):
        return (torch.zeros(self.num_layers, batch_size, self.hidden_size, device=device),
                torch.zeros(self.num_layers, batch_size, self.hidden_size, device=device))


def batchify(melody, batch_size):
    steps = len(melody) // batch_size
    return torch.tensor(melody[:steps * batch_size]).view(batch_size, steps)


torch.manual_seed(0)
batch_size, bptt = 4, 10
data = batchify(MELODY, batch_size).to(device)
model = MelodyLSTM(len(NOTES)).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for epoch in range(5):
    state = model.init_hidden(batch_size)
    for i in range(0, data.size(1) - bptt - 1, bptt):
        inputs, targets = data[:, i:i + bptt], data[:, i + 1:i + 1 + bptt]
        state = [s.detach() for s in state]
        outputs, state = model(inputs, state)
        loss = criterion(outputs.reshape(-1, len(NOTES)), targets.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
    print('Epoch [{}/5], Loss: {:.4f}'.format(epoch + 1, loss.item()))

print("RESULT", loss.item())
