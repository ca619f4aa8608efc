"""Feature visualisation: find the input that excites one unit the most."""
import torch
import torch.nn as nn


def excite(net, unit, device, steps=40):
    image = (0.1 * torch.randn(1, 1, 14, 14)).to(device).requires_grad_()
    bias = torch.zeros(1, device=device, requires_grad=True)
    optimizer = torch.optim.Adam([image, bias], lr=0.1)
    for _ in range(steps):
        score = net(image + bias)[0, unit]
        smooth = (image[..., 1:] - image[..., :-1]).square().mean()
        loss = smooth + 0.01 * image.square().mean() - 0.1 * score
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return image.detach(), score.item()


def main():
    torch.manual_seed(20)
    use_cuda = torch.cuda.is_available()
    device = torch.device("cuda" if use_cuda else "cpu")
    net = nn.Sequential(
        nn.Conv2d(1, 8, 5, stride=2), nn.Softplus(), nn.Conv2d(8, 8, 3), nn.Softplus(), nn.Flatten(), nn.Linear(72, 10)
    )
    net = net.to(device).eval()
    for p in net.parameters():
        p.requires_grad = False
    image, score = excite(net, unit=4, device=device)
    print("image range", image.min().item(), image.max().item())
    print("RESULT", score)


if __name__ == "__main__":
    main()
