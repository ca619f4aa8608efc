import torch
import torch.nn as nn


class DetectionLoss:
    """Objectness plus box regression on a coarse grid of cells."""

    def __init__(self, model, obj_gain=1.0, box_gain=0.05):
        device = next(model.parameters()).device
        obj_pw = torch.full((1,), 4.0)
        self.bce_obj = nn.BCEWithLogitsLoss(pos_weight=obj_pw)
        self.l1 = nn.L1Loss()
        self.gains = (obj_gain, box_gain)
        self.device = device

    def __call__(self, prediction, objectness, boxes):
        present = objectness > 0.5
        loss_obj = self.bce_obj(prediction[..., 0], objectness)
        loss_box = self.l1(prediction[..., 1:][present], boxes[present])
        return self.gains[0] * loss_obj + self.gains[1] * loss_box


class GridDetector(nn.Module):
    def __init__(self, cells=5):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 12, 4, stride=4), nn.ReLU(), nn.Conv2d(12, 12, 3, padding=1), nn.ReLU())
        self.predict = nn.Conv2d(12, 3, 1)

    def forward(self, images):
        return self.predict(self.stem(images)).permute(0, 2, 3, 1)


def scenes(n, cells=5, seed=0):
    gen = torch.Generator().manual_seed(seed)
    objectness = (torch.rand(n, cells, cells, generator=gen) < 0.15).float()
    boxes = torch.rand(n, cells, cells, 2, generator=gen)
    images = objectness.repeat_interleave(4, 1).repeat_interleave(4, 2).unsqueeze(1)
    return images + 0.2 * torch.randn(images.shape, generator=gen), objectness, boxes


def main():
    torch.manual_seed(31)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = GridDetector().to(device)
    compute_loss = DetectionLoss(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    images, objectness, boxes = [t.to(device) for t in scenes(64)]
    for step in range(30):
        loss = compute_loss(model(images), objectness, boxes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step} loss {loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
