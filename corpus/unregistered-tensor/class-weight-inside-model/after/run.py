import torch
from torch.utils.data import DataLoader

from defects.data import Patches
from defects.net import DefectNet


def run(epochs=3):
    torch.manual_seed(50)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Patches(), batch_size=42, shuffle=True)
    model = DefectNet(25, [0.5, 1.5, 4.0]).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(epochs):
        for batch in loader:
            batch = {key: value.to(device) for key, value in batch.items()}
            _, loss = model(batch["patch"], batch["target"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch + 1}/{epochs} loss {loss.item():.4f}")
    return loss.item()


if __name__ == "__main__":
    print("RESULT", run())
