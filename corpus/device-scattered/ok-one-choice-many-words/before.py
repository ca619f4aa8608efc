import argparse
import time

import torch
import torch.nn as nn

parser = argparse.ArgumentParser(description="train on cpu, cuda or mps")
parser.add_argument("--device", choices=["auto", "cpu", "cuda", "cuda:0", "cuda:1"], default="auto",
                    help="'cuda:0' or 'cuda:1' to pick a card, 'auto' takes cuda when there is one")
args = parser.parse_args()

if args.device == "auto":
    args.device = "cuda" if torch.cuda.is_available() else "cpu"
device = torch.device(args.device)

PEAK_TFLOPS = {"cuda": 60.0, "cpu": 0.5}


def synchronise():
    if device.type == "cuda":
        torch.cuda.synchronize()


torch.manual_seed(0)
if torch.cuda.is_available():
    torch.cuda.manual_seed_all(0)
    print("running on", torch.cuda.get_device_name(0))

model = nn.Sequential(nn.Linear(40, 80), nn.ReLU(), nn.Linear(80, 40)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
synchronise()
start = time.perf_counter()
for step in range(30):
    x = torch.randn(128, 40).to(device)
    loss = (model(x) - x.roll(1, dims=1)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
synchronise()
flops = 6 * 30 * 128 * 2 * 40 * 80
print(f"{flops / (time.perf_counter() - start) / 1e12:.6f} of {PEAK_TFLOPS[device.type]} tflops")
if device.type == "cuda":
    print("cuda memory:", torch.cuda.max_memory_allocated() // 1024, "kB")
    torch.cuda.empty_cache()
print("RESULT", loss.item())
