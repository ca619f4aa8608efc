import torch
from torch import nn
from torch.utils.data import DataLoader

from batching import Collator
from model import AttentionPool
from questions import PAD, Questions


def main():
    torch.manual_seed(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    collate = Collator(PAD, device)
    loader = DataLoader(Questions(240), batch_size=24, shuffle=True, num_workers=1, collate_fn=collate)
    model = AttentionPool(vocab=50).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
    for epoch in range(3):
        for step, batch in enumerate(loader):
            logits = model(batch["tokens"], batch["mask"])
            loss = nn.functional.cross_entropy(logits, batch["label"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} after {step + 1} steps: {loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
