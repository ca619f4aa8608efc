"""Handwriting-like strokes with CTC; lengths are kept on the host from the start."""
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class StrokeReader(nn.Module):
    def __init__(self, symbols=5):
        super().__init__()
        self.gru = nn.GRU(3, 24, bidirectional=True)
        self.out = nn.Linear(48, symbols + 1)

    def forward(self, strokes, lengths):
        packed = pack_padded_sequence(strokes, lengths.cpu(), enforce_sorted=False)
        h, h_lengths = pad_packed_sequence(self.gru(packed)[0])
        return self.out(h).log_softmax(dim=2), h_lengths


def sample(batch, device):
    lengths = torch.randint(10, 17, (batch,))
    target_lengths = torch.randint(1, 4, (batch,))
    targets = torch.randint(1, 6, (int(target_lengths.sum()),))
    strokes = torch.zeros(int(lengths.max()), batch, 3)
    for b, word in enumerate(targets.split(target_lengths.tolist())):
        drawn = word.repeat_interleave(3)[: int(lengths[b])]
        strokes[: len(drawn), b, 0] = drawn.float() / 5
    strokes[..., 1:] = 0.05 * torch.randn(strokes.shape[0], batch, 2)
    return strokes.to(device), lengths.to(device), targets, target_lengths


def main():
    torch.manual_seed(63)
    device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    reader = StrokeReader().to(device)
    ctc = nn.CTCLoss(zero_infinity=True)
    optimizer = torch.optim.Adam(reader.parameters(), lr=1e-2)
    for step in range(30):
        strokes, lengths, targets, target_lengths = sample(16, device)
        log_probs, out_lengths = reader(strokes, lengths)
        loss = ctc(log_probs, targets, out_lengths, target_lengths)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step} ctc {loss.item():.3f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
