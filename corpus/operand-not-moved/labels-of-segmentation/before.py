import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

DEVICE = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")


class DiscDataset(Dataset):
    """Grey images with one bright disc; the mask says where it is."""

    def __init__(self, n=160, size=24):
        self.n, self.size = n, size
        axis = torch.arange(size).float()
        self.rows, self.cols = axis[:, None], axis[None, :]

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        gen = torch.Generator().manual_seed(index)
        cy, cx, radius = (torch.rand(3, generator=gen) * torch.tensor([14.0, 14.0, 3.0]) + torch.tensor([5.0, 5.0, 2.0])).tolist()
        mask = ((self.rows - cy) ** 2 + (self.cols - cx) ** 2 < radius ** 2).long()
        image = mask.float() + 0.4 * torch.randn(self.size, self.size, generator=gen)
        return image.unsqueeze(0), mask


class TinyUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(1, 12, 3, padding=1)
        self.mid = nn.Conv2d(12, 12, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.Upsample(scale_factor=2)
        self.out = nn.Conv2d(24, 2, 1)

    def forward(self, x):
        skip = torch.relu(self.down(x))
        deep = self.up(torch.relu(self.mid(self.pool(skip))))
        return self.out(torch.cat([skip, deep], dim=1))


def train():
    torch.manual_seed(0)
    loader = DataLoader(DiscDataset(), batch_size=20, shuffle=True)
    model = TinyUNet().to(DEVICE)
    loss_function = nn.CrossEntropyLoss()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3)
    for epoch in range(2):
        epoch_loss = 0
        for image, mask in loader:
            optimizer.zero_grad()
            output = model(image.to(DEVICE))
            loss = loss_function(output, mask)
            loss.backward()
            optimizer.step()
            epoch_loss += loss.item()
        print("Epoch {}: {:.4f}".format(epoch, epoch_loss / len(loader)))
    return epoch_loss / len(loader)


print("RESULT", train())
