"""Same order of batches in every run: the loader gets its own generator."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def seeded_loader(dataset, seed, batch_size):
    generator = torch.Generator()
    generator.manual_seed(seed)
    return DataLoader(dataset, batch_size=batch_size, shuffle=True, generator=generator)


def concrete(n=360):
    """Strength of concrete from its mixture."""
    g = torch.Generator().manual_seed(1)
    mix = torch.rand(n, 8, generator=g)
    strength = 40 * mix[:, 0] - 15 * mix[:, 3] + 10 * (1 + 20 * mix[:, 7]).log()
    return TensorDataset(mix, strength / 20)


def train(seed):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)).to(DEVICE)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3)
    for _ in range(3):
        for mix, strength in seeded_loader(concrete(), seed, 40):
            mix, strength = mix.to(DEVICE), strength.to(DEVICE)
            loss = nn.functional.mse_loss(model(mix).squeeze(1), strength)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return loss.item()


if __name__ == "__main__":
    losses = [train(seed) for seed in (0, 1)]
    print("losses", losses)
    print("RESULT", sum(losses) / 2)
