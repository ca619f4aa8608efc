import torch
import torch.nn as nn
from torch.utils.data import DataLoader


class Fusion(nn.Module):
    def __init__(self):
        super().__init__()
        self.lidar = nn.Linear(12, 16)
        self.camera = nn.Linear(20, 16)
        self.steer = nn.Linear(32, 1)

    def forward(self, lidar, camera):
        both = torch.cat([self.lidar(lidar), self.camera(camera)], dim=-1)
        return self.steer(both.relu()).squeeze(-1)


class Driver:
    """Learns steering from two sensors."""

    def __init__(self, frames, batch_size=25):
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.model = Fusion().to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-2)
        self.loader = DataLoader(
            frames,
            batch_size=batch_size,
            shuffle=True,
            collate_fn=self.collate,
            pin_memory=torch.cuda.is_available(),
        )

    def collate(self, frames):
        lidar = torch.stack([f["lidar"] for f in frames])
        camera = torch.stack([f["camera"] for f in frames])
        steer = torch.tensor([f["steer"] for f in frames])
        return {"lidar": lidar, "camera": camera, "steer": steer}

    def learn(self, epochs):
        for epoch in range(epochs):
            for batch in self.loader:
                batch = {k: v.to(self.device) if hasattr(v, "to") else v for k, v in batch.items()}
                guess = self.model(batch["lidar"], batch["camera"])
                loss = (guess - batch["steer"]).abs().mean()
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print("epoch", epoch, "error", loss.item())
        return loss.item()


def record(n):
    frames = []
    for _ in range(n):
        lidar, camera = torch.rand(12), torch.randn(20)
        frames.append({"lidar": lidar, "camera": camera, "steer": (lidar[:6].sum() - lidar[6:].sum() + camera[0]).item()})
    return frames


if __name__ == "__main__":
    torch.manual_seed(15)
    driver = Driver(record(300))
    print("RESULT", driver.learn(4))
