import torch
import torch.nn as nn
import torch.nn.functional as F


def train_victim(device):
    x = torch.randn(600, 10)
    y = (x[:, :5].sum(1) > x[:, 5:].sum(1)).long()
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2)).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for i in range(40):
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        opt.zero_grad()
        loss.backward()
        opt.step()
    return model.eval(), x[:100].to(device), y[:100].to(device)


def fgsm(model, x, y, device, eps=0.3):
    """One step of the fast gradient sign method; returns the perturbed inputs."""
    delta = torch.zeros(x.shape, requires_grad=True).to(device)
    loss = F.cross_entropy(model(x + delta), y)
    loss.backward()
    return (x + eps * delta.grad.sign()).detach()


if __name__ == "__main__":
    torch.manual_seed(3)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, x, y = train_victim(device)
    clean = (model(x).argmax(1) == y).float().mean().item()
    attacked = fgsm(model, x, y, device)
    robust = (model(attacked).argmax(1) == y).float().mean().item()
    print(f"clean accuracy {clean:.3f}, under attack {robust:.3f}")
    print("RESULT", robust)
