import torch
from torch import nn


def get_device(prefer_gpu=True):
    if prefer_gpu and torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("cpu")


class BagOfWords(nn.Module):
    def __init__(self, vocab, classes):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, 16, mode="mean")
        self.out = nn.Linear(16, classes)

    def forward(self, tokens):
        return self.out(self.bag(tokens))


def build(vocab, classes, device):
    model = BagOfWords(vocab, classes).to(device)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.3, initial_accumulator_value=0.1)
    return model, optimizer


def corpus(n, vocab, classes, length=20):
    label = torch.randint(0, classes, (n,))
    noise = torch.randint(0, vocab, (n, length))
    topic = label.unsqueeze(1) * 10 + torch.randint(0, 10, (n, length))
    keep = torch.rand(n, length) < 0.35
    return torch.where(keep, topic, noise), label


def main(epochs=5):
    torch.manual_seed(5)
    device = get_device()
    model, optimizer = build(vocab=200, classes=4, device=device)
    tokens, label = corpus(512, 200, 4)
    for epoch in range(epochs):
        order = torch.randperm(len(label))
        for chunk in order.split(64):
            x, y = tokens[chunk].to(device), label[chunk].to(device)
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"[{epoch}] {loss.item():.4f}")
    return loss.item()


if __name__ == "__main__":
    print("RESULT", main())
