import argparse

import torch
import torch.nn as nn

from encoder import VoiceEncoder
from speakers import FEATURES, SpeakerBank


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--triplets", type=int, default=64)
    parser.add_argument("--margin", type=float, default=0.3)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def main():
    args = parse()
    torch.manual_seed(4)
    bank = SpeakerBank()
    encoder = VoiceEncoder(FEATURES).to(args.device)
    criterion = nn.TripletMarginLoss(margin=args.margin)
    optimizer = torch.optim.Adam(encoder.parameters(), lr=2e-3)

    for step in range(args.steps):
        anchor, positive, negative = bank.sample_triplets(args.triplets)
        loss = criterion(encoder(anchor), encoder(positive), encoder(negative))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step} triplet loss {loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
