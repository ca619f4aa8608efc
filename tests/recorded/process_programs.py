"""Whole programs about processes: what each prints, on a real accelerator and simulated."""

from __future__ import annotations

#: Each is run as a script of its own; ``say`` prints what an expression comes to.
_BEGIN = """
import os, sys, warnings
warnings.simplefilter("ignore")
import torch, torch.multiprocessing as mp
from torch.utils.data import DataLoader, Dataset

def say(name, action):
    try:
        found = action()
    except Exception as error:
        lines = [line for line in str(error).splitlines() if line.strip()] or [""]
        said = [line for line in lines[1:] if "Error: " in line.split(" ")[0] + " "]
        found = f"{type(error).__name__}: {lines[0]}" + (f" ... {said[0]}" if said else "")
    print(f"{name}: {found}", flush=True)

class Moving(Dataset):
    def __len__(self):
        return 2
    def __getitem__(self, index):
        return torch.ones(2).to("cuda")

def take(queue, answers):
    try:
        tensor = queue.get(timeout=30)
        tensor.add_(1)
        answers.put(f"{tensor.device} {tensor.tolist()}")
    except Exception as error:
        answers.put(f"{type(error).__name__}: {str(error).splitlines()[0]}")

def use(answers):
    try:
        answers.put(f"{(torch.ones(2).cuda() + 1).device}")
    except Exception as error:
        answers.put(f"{type(error).__name__}: {str(error).splitlines()[0]}")

def meet(answers):
    try:
        torch.ones(2).cuda() + torch.ones(2)
        answers.put("fine")
    except Exception as error:
        answers.put(f"{type(error).__name__}: {str(error).splitlines()[0]}")

def child(method, target, *given):
    context = mp.get_context(method)
    answers = context.Queue()
    process = context.Process(target=target, args=(*given, answers))
    process.start()
    said = answers.get(timeout=60)
    process.join(30)
    return said

if __name__ == "__main__":
"""

_PROGRAMS = {
    "fork": """
        say("available", torch.cuda.is_available)
        say("fork", lambda: child("fork", use))
        say("worker", lambda: next(iter(DataLoader(Moving(), num_workers=1))).device)
        say("parent", lambda: torch.ones(1).cuda().device)
    """,
    "fork of a process that asked for nothing": """
        say("fork", lambda: child("fork", use))
        say("parent", lambda: torch.ones(1).cuda().device)
        say("fork after", lambda: child("fork", use))
    """,
    "spawn": """
        torch.ones(1).cuda()
        say("mixed", lambda: child("spawn", meet))
        queue = mp.get_context("spawn").Queue()
        sent = torch.ones(2).cuda()
        queue.put(sent)
        say("taken", lambda: child("spawn", take, queue))
        say("shared", lambda: sent.tolist())
        queue = mp.get_context("fork").Queue()
        queue.put(sent)
        say("forked", lambda: child("fork", take, queue))
    """,
}
_FORKED = (
    "RuntimeError: Cannot re-initialize CUDA in forked subprocess. "
    "To use CUDA with multiprocessing, you must use the 'spawn' start method"
)
_MIXED = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
#: What each printed on an H200 (torch 2.11).
RECORDED = {
    "fork": [
        "available: True",
        f"fork: {_FORKED}",
        f"worker: RuntimeError: Caught RuntimeError in DataLoader worker process 0. ... {_FORKED}",
        "parent: cuda:0",
    ],
    "fork of a process that asked for nothing": ["fork: cuda:0", "parent: cuda:0", f"fork after: {_FORKED}"],
    "spawn": [
        f"mixed: {_MIXED}",
        "taken: cuda:0 [2.0, 2.0]",
        "shared: [2.0, 2.0]",
        f"forked: {_FORKED}",
    ],
}


def source(name: str) -> str:
    """The text of a program."""
    lines = _PROGRAMS[name].strip("\n").splitlines()
    return _BEGIN + "\n".join(line[4:] for line in lines) + "\n"
