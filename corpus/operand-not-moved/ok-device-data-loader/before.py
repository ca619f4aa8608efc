import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split


def default_device():
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("cpu")


def to_device(data, device):
    """Move tensor(s) to chosen device"""
    if isinstance(data, (list, tuple)):
        return [to_device(x, device) for x in data]
    return data.to(device, non_blocking=True)


class OnDevice:
    """Wrap a dataloader to move data to a device"""

    def __init__(self, dl, device):
        self.dl = dl
        self.device = device

    def __iter__(self):
        for batch in self.dl:
            yield to_device(batch, self.device)

    def __len__(self):
        return len(self.dl)


class PlantModel(nn.Module):
    def __init__(self, in_size=25, hidden=32, out_size=3):
        super().__init__()
        self.linear1 = nn.Linear(in_size, hidden)
        self.linear2 = nn.Linear(hidden, out_size)

    def forward(self, xb):
        return self.linear2(F.relu(self.linear1(xb.view(xb.size(0), -1))))

    def training_step(self, batch):
        images, labels = batch
        return F.cross_entropy(self(images), labels)

    def validation_step(self, batch):
        images, labels = batch
        out = self(images)
        return {"loss": F.cross_entropy(out, labels), "acc": (out.argmax(1) == labels).float().mean()}


def evaluate(model, val_loader):
    with torch.no_grad():
        outputs = [model.validation_step(batch) for batch in val_loader]
    return {k: torch.stack([o[k] for o in outputs]).mean().item() for k in outputs[0]}


torch.manual_seed(42)
device = default_device()
labels = torch.arange(360) % 3
images = torch.rand(360, 1, 5, 5) * 0.5 + torch.eye(5)[labels + 1].view(360, 1, 1, 5) * 0.6
train_ds, val_ds = random_split(TensorDataset(images, labels), [300, 60])
train_loader = OnDevice(DataLoader(train_ds, 50, shuffle=True), device)
val_loader = OnDevice(DataLoader(val_ds, 60), device)
model = to_device(PlantModel(), device)
optimizer = torch.optim.SGD(model.parameters(), 0.3)
for epoch in range(4):
    for batch in train_loader:
        loss = model.training_step(batch)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    result = evaluate(model, val_loader)
    print("Epoch [{}], {}".format(epoch, result))
print("RESULT", result["loss"])
