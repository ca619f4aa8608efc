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

def put(queue, done):
    queue.put(torch.ones(2, device="cuda"))
    done.wait(30)

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

PROGRAMS = {
    "fork before use": """
        say("available", torch.cuda.is_available)
        say("fork", lambda: child("fork", use))
        say("worker", lambda: next(iter(DataLoader(Moving(), num_workers=1))).device)
        say("parent", lambda: torch.ones(1).cuda().device)
        say("fork after", lambda: child("fork", use))
    """,
    "spawn": """
        torch.ones(1).cuda()
        say("spawn", lambda: child("spawn", use))
        say("mixed", lambda: child("spawn", meet))
        say("worker", lambda: next(iter(DataLoader(Moving(), num_workers=1, multiprocessing_context="spawn"))).device)
        queue = mp.get_context("spawn").Queue()
        sent = torch.ones(2).cuda()
        queue.put(sent)
        say("taken", lambda: child("spawn", take, queue))
        say("shared", lambda: sent.tolist())
        queue = mp.get_context("fork").Queue()
        queue.put(sent)
        say("forked", lambda: child("fork", take, queue))
        say("subprocess", lambda: __import__("subprocess").run(
            [sys.executable, "-c", "import torch; torch.ones(2).cuda() + torch.ones(2)"],
            capture_output=True, text=True).stderr.splitlines()[-1])
    """,
    "no accelerator": """
        say("cpu", lambda: torch.load(sys.argv[1]))
        say("map", lambda: torch.load(sys.argv[1], map_location="cpu").device)
        say("cuda", lambda: torch.load(sys.argv[2], map_location="cuda"))
        say("index", lambda: torch.load(sys.argv[2], map_location="cuda:0"))
        say("device", lambda: torch.load(sys.argv[2], map_location=torch.device("cuda")))
        say("mapped", lambda: torch.load(sys.argv[2], map_location={"cpu": "cuda:0"}))
        say("legacy", lambda: torch.load(sys.argv[3], weights_only=False))
        say("storage", lambda: torch.load(sys.argv[1], map_location=lambda storage, location: storage).device)
        say("pin", lambda: torch.ones(1).pin_memory())
        say("pinned", lambda: torch.ones(1).is_pinned())
        say("loader", lambda: next(iter(DataLoader([torch.ones(1)], pin_memory=True))).is_pinned())
        say("moved", lambda: torch.ones(1).cuda())
        say("to", lambda: torch.ones(1).to("cuda"))
        say("available", torch.cuda.is_available)
        say("count", torch.cuda.device_count)
    """,
}


def source(name: str) -> str:
    """The text of a program."""
    lines = PROGRAMS[name].strip("\n").splitlines()
    return _BEGIN + "\n".join(line[4:] for line in lines) + "\n"
