import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

BATCH_SIZE = 25
EPOCHS = 3
LEARNING_RATE = 0.01


def get_device():
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("cpu")


def moving_bars(n=250, frames=5, size=8):
    torch.manual_seed(99)
    direction = torch.randint(0, 2, (n,))
    start = torch.randint(0, size, (n,))
    clips = torch.zeros(n, frames, size, size)
    for i in range(n):
        for f in range(frames):
            col = (start[i] + (f if direction[i] else -f)) % size
            clips[i, f, :, col] = 1.0
    return clips + 0.2 * torch.randn(n, frames, size, size), direction


class ClipClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.frame_encoder = nn.Linear(64, 32)
        self.temporal = nn.Linear(5 * 32, 32)
        self.output = nn.Linear(32, 2)

    def forward(self, clips):
        z = torch.relu(self.frame_encoder(clips.flatten(2)))
        z = torch.relu(self.temporal(z.flatten(1)))
        return self.output(z)


def main():
    device = get_device()
    loader = DataLoader(TensorDataset(*moving_bars()), batch_size=BATCH_SIZE, shuffle=True)
    model = ClipClassifier()
    model.to(device)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE, momentum=0.9)
    for epoch in range(EPOCHS):
        for i, (frames, direction) in enumerate(loader):
            # send everything to the GPU
            frames = frames.to(device)
            direction = direction.to(device)

            loss = loss_fn(model(frames), direction)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"Epoch {epoch + 1}, batch {i + 1}, loss {loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
