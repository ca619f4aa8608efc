"""Prompt tuning: the backbone is frozen, only a few prompt vectors are learned."""
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Backbone(nn.Module):
    def __init__(self, vocab=40, dim=16, classes=3):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        layer = nn.TransformerEncoderLayer(dim, 2, 32, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.classify = nn.Linear(dim, classes)


class PromptTuned(nn.Module):
    def __init__(self, backbone, length=4, dim=16):
        super().__init__()
        self.backbone = backbone
        for p in self.backbone.parameters():
            p.requires_grad_(False)
        self.prompt = nn.Parameter(torch.zeros(length, dim))

    def forward(self, ids):
        words = self.backbone.embed(ids)
        prompt = self.prompt.unsqueeze(0).expand(len(ids), -1, -1)
        hidden = self.backbone.encoder(torch.cat([prompt, words], dim=1))
        return self.backbone.classify(hidden[:, : self.prompt.size(0)].mean(1))


def main():
    torch.manual_seed(0)
    model = PromptTuned(Backbone()).to(device)
    optimizer = torch.optim.Adam([model.prompt], lr=0.05)
    ids = torch.randint(0, 40, (96, 7))
    label = (ids[:, 0] % 3).to(device)
    ids = ids.to(device)
    for step in range(30):
        loss = nn.functional.cross_entropy(model(ids), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step} loss {loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
