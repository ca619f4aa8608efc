import torch
from torch import nn, optim
from torch.utils.data import DataLoader

from commands import SpokenCommands, pad_batch
from recogniser import Recogniser


def fit(model, loader, device, epochs=3):
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(epochs):
        for frames, lengths, commands in loader:
            frames, commands = frames.to(device), commands.to(device)
            loss = criterion(model(frames, lengths), commands)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.4f}")
    return loss.item()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(SpokenCommands(180, seed=1), batch_size=30, shuffle=True, collate_fn=pad_batch)
    model = Recogniser().to(device)
    print("RESULT", fit(model, loader, device))


if __name__ == "__main__":
    main()
