import torch
import torch.nn as nn
from accelerate import dispatch_model


class Captioner(nn.Module):
    def __init__(self, pixels=48, hidden=32, words=200):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.GELU(), nn.LayerNorm(hidden))
        self.decoder = nn.Linear(hidden, words)

    def forward(self, image):
        return self.decoder(self.encoder(image))


class CaptionServer:
    def __init__(self):
        self.device = "cuda:0" if torch.cuda.is_available() else "cpu"
        if torch.cuda.is_available():
            device_map = {"encoder": 0, "decoder": "cpu"}
        else:
            device_map = {"encoder": "cpu", "decoder": "cpu"}
        self.model = dispatch_model(Captioner(), device_map=device_map)
        self.model.eval()
        self.served = 0

    @torch.no_grad()
    def caption(self, images):
        self.served += len(images)
        logits = self.model(images.to(self.device))
        return logits.argmax(dim=-1).tolist(), logits.logsumexp(dim=-1).mean().item()


def main():
    torch.manual_seed(44)
    server = CaptionServer()
    energies = []
    for _ in range(3):
        words, energy = server.caption(torch.rand(4, 48))
        print("words", words)
        energies.append(energy)
    print("served", server.served)
    print("RESULT", sum(energies) / len(energies))


if __name__ == "__main__":
    main()
