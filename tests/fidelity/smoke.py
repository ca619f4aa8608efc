"""Small programs on the simulator in another interpreter than the tests': another Python, another torch.

    python tests/fidelity/smoke.py PYTHON [PYTHON...]

Each interpreter needs torch (2.4 or later, any build) and NumPy. Every program is launched as ``devfix run`` launches it, and
once more with nothing simulated: the simulated accelerator has to give the numbers that the same torch gives
without one, refuse what has to be refused, and report where. Prints a line for each program; exit code 1
when one failed. Takes about a minute for each interpreter.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LAUNCHER = Path(__file__).parents[2] / "devfix" / "simulator" / "launch.py"
HEAD = """
import copy, io, torch, torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
"""
#: Programs that end well, and train something: their parameters are compared.
GOOD = {
    "optimizers": """
for name in "SGD Adam AdamW Adagrad Adadelta Adamax NAdam RAdam RMSprop Rprop ASGD".split():
    model = nn.Linear(4, 3).to(device)
    optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.05)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(5, 4).to(device)).pow(2).mean().backward()
        optimizer.step()
    optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
""",
    "layers": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 8)
        self.lstm = nn.LSTM(8, 8, batch_first=True, bidirectional=True)
        self.encoder = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.norm, self.head = nn.BatchNorm1d(16), nn.Linear(16, 2)
    def forward(self, x):
        return self.head(self.norm(self.encoder(self.lstm(self.embedding(x))[0]).mean(1)))
model = Net().to(device)
optimizer = torch.optim.AdamW(model.parameters())
data = TensorDataset(torch.randint(10, (12, 5)), torch.randint(2, (12,)))
for x, y in DataLoader(data, 4, shuffle=True, num_workers=1, pin_memory=device == "cuda"):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
    optimizer.step()
model.eval()
with torch.inference_mode():
    model(torch.zeros(1, 5, dtype=torch.long, device=device)).cpu().numpy()
    copy.deepcopy(nn.Linear(2, 2))
""",
    "checkpoints": """
model = nn.Linear(2, 2).to(device)
file = io.BytesIO()
torch.save(model.state_dict(), file)
file.seek(0)
model.load_state_dict(torch.load(file, map_location=device))
optimizer = torch.optim.SGD(nn.DataParallel(torch.jit.script(model)).parameters(), lr=0.1)
with torch.autocast(device, dtype=torch.bfloat16):
    loss = model(torch.ones(3, 2, device=device)).float().sum()
loss.backward()
optimizer.step()
""",
    "streams and subclasses": """
class Own(torch.Tensor):
    pass
if device == "cuda":
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda.Event(enable_timing=True).record()
    torch.cuda.FloatTensor([1.0])
    torch.Generator("cuda").manual_seed(1)
import torch._dynamo
weight = nn.Parameter(torch.ones(2, device=device).as_subclass(Own) + Own([1.0]).to(device))
optimizer = torch.optim.SGD([weight], lr=0.1)
weight.sum().backward()
optimizer.step()
""",
}
#: Programs with a mistake at the line that holds "mistake": strictly they raise there, healed they write it down.
FAULTY = {
    "operand": "nn.Linear(2, 2).to(device)(torch.ones(1, 2))  # mistake",
    "index": "torch.ones(3)[torch.tensor([0], device=device)]  # mistake",
    "numpy": "torch.ones(3, device=device).numpy()  # mistake",
    "dtype": "nn.Linear(2, 2).to(device)(torch.ones(1, 2, device=device).double())  # mistake",
    "generator": "torch.randn(2, device=device, generator=torch.Generator())  # mistake",
}


def main(interpreters: list[str]) -> int:
    """Run everything on each interpreter; the exit code."""
    failed = 0
    for interpreter in interpreters:
        for name, text in GOOD.items():
            failed += _said(interpreter, name, _compared(interpreter, text))
        for name, text in FAULTY.items():
            failed += _said(interpreter, name, _refused(interpreter, text))
    return 1 if failed or not interpreters else 0


def _said(interpreter: str, name: str, complaint: str) -> bool:
    print(f"{interpreter}: {name}: {complaint or 'ok'}")
    return bool(complaint)


def _compared(interpreter: str, text: str) -> str:
    """What is wrong with a program that ends well; nothing when all is as it should be."""
    plain = _launched(interpreter, text, "plain", "none")
    for mode in ("strict", "heal"):
        simulated = _launched(interpreter, text, mode, "cuda")
        if simulated["outcome"]["how"] != "finished":
            return f"{mode}: {simulated['outcome']['error']}"
        if simulated["mismatches"]:
            return f"{mode}: {simulated['mismatches'][0]['message']}"
        if simulated["parameters"]["sha256"] != plain["parameters"]["sha256"]:
            return f"{mode}: other numbers than without an accelerator"
        if simulated["parameters"]["device_types"] != ["cuda"]:
            return f"{mode}: parameters on {simulated['parameters']['device_types']}"
    return ""


def _refused(interpreter: str, text: str) -> str:
    """What is wrong with a program that has a mistake."""
    line = (HEAD + text).splitlines().index(text) + 1
    error = _launched(interpreter, text, "strict", "cuda")["outcome"]["error"]
    if error is None or error["frames"][-1]["line"] != line:
        return f"strict: {error}"
    healed = _launched(interpreter, text, "heal", "cuda")
    sinks = [mismatch["sink"]["line"] for mismatch in healed["mismatches"]]
    if healed["outcome"]["how"] != "finished" or sinks != [line]:
        return f"heal: {healed['outcome']}, mismatches at {sinks}"
    return ""


def _launched(interpreter: str, text: str, mode: str, kind: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        script, report = Path(folder, "program.py"), Path(folder, "report.json")
        script.write_text(HEAD + text, encoding="utf-8")
        command = [
            interpreter,
            str(LAUNCHER),
            "--mode",
            mode,
            "--kind",
            kind,
            "--report",
            str(report),
            str(script),
        ]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        subprocess.run(command, env=environment, capture_output=True, check=False, timeout=300)
        found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
