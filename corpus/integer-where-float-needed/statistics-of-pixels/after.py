"""Images of bytes are brought to mean 0 and deviation 1 before an autoencoder sees them."""
import torch
import torch.nn as nn

device = "cuda" if torch.cuda.is_available() else "cpu"


def standardised(images):
    mean = images.float().mean(dim=0)
    spread = images.float().std()
    return (images - mean) / spread


def main():
    torch.manual_seed(97)
    centre = torch.randint(40, 200, (1, 64))
    images = (centre + torch.randint(-20, 21, (200, 64))).to(device)
    data = standardised(images)
    net = nn.Sequential(nn.Linear(64, 16), nn.Tanh(), nn.Linear(16, 64)).to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for step in range(40):
        loss = (net(data) - data).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
