import argparse

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def trips(n):
    g = torch.Generator().manual_seed(2)
    rows = []
    for _ in range(n):
        km, stops, rush = torch.rand(3, generator=g).tolist()
        rows.append(([km, stops, round(rush)], 20 * km + 6 * stops + 8 * round(rush)))
    return rows


def collate(rows):
    features = torch.tensor([r[0] for r in rows]).to(device)
    minutes = torch.tensor([r[1] for r in rows]).to(device)
    return features, minutes / 30


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--num-workers", type=int, default=1)
    args = parser.parse_args()

    accelerator = Accelerator()
    set_seed(1)
    model = nn.Sequential(nn.Linear(3, 24), nn.ReLU(), nn.Linear(24, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    loader = DataLoader(trips(240), batch_size=24, shuffle=True, collate_fn=collate, num_workers=args.num_workers)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    for epoch in range(args.epochs):
        for features, minutes in loader:
            loss = nn.functional.l1_loss(model(features).squeeze(1), minutes)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: {loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
