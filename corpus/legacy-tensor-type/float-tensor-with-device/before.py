import torch
import torch.nn as nn
import torch.optim as optim

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)

# truth table of a full adder: a, b, carry in -> sum, carry out
ROWS = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
inputs = torch.FloatTensor(ROWS, device=device)
outputs = torch.FloatTensor([[(a + b + c) % 2, (a + b + c) // 2] for a, b, c in ROWS], device=device)


class Adder(nn.Module):
    def __init__(self, hidden=12):
        super(Adder, self).__init__()
        self.layer1 = nn.Linear(3, hidden)
        self.layer2 = nn.Linear(hidden, 2)

    def forward(self, bits):
        return torch.sigmoid(self.layer2(torch.tanh(self.layer1(bits))))


adder = Adder().to(device)
criterion = nn.BCELoss()
optimizer = optim.Adam(adder.parameters(), lr=0.05)

for epoch in range(200):
    optimizer.zero_grad()
    loss = criterion(adder(inputs), outputs)
    loss.backward()
    optimizer.step()
    if epoch % 50 == 0:
        print("epoch:", epoch, "loss:", loss.item())

rounded = adder(inputs).round()
print("correct rows:", int((rounded == outputs).all(dim=1).sum()), "of", len(ROWS))
print("RESULT", loss.item())
