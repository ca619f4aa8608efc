"""Short programs that ask a device one question each: facts.txt has named ones, the others one a line.

They run in one namespace: ``g`` and ``c`` make float32 ones on the accelerator and on the CPU, ``gi`` and ``ci``
vectors of what is passed, ``gs`` and ``cs`` tensors without dimensions, ``h`` and ``hs`` the same on a second
accelerator; ``r``, if it is set, is the answer.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch
from fidelity import answers
from fidelity.answers import Answer

HERE = Path(__file__).resolve().parent

_NAMESPACE = """
import copy, io, json, math, os, pickle, subprocess, sys, tempfile
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, TensorDataset

D = torch.device("cuda")
E = torch.device("cuda:1")

def g(*shape): return torch.ones(*shape, device=D)
def c(*shape): return torch.ones(*shape)
def gi(*values): return torch.tensor(values, device=D)
def ci(*values): return torch.tensor(values)
def gs(value): return torch.tensor(value, device=D)
def cs(value): return torch.tensor(value)
def h(*shape): return torch.ones(*shape, device=E)
def hs(value): return torch.tensor(value, device=E)

class OnAccelerator(Dataset):
    def __len__(self): return 4
    def __getitem__(self, index): return torch.ones(4).to(D), 0

def train_t5(kind, **arguments):
    from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, T5Config, T5ForConditionalGeneration
    class Tokens(Dataset):
        def __len__(self): return 4
        def __getitem__(self, index):
            ids = torch.randint(1, 64, (5,))
            ids = ids.to(D) if kind == "dataset" else ids
            return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids}
    def collate(batch): return {key: torch.stack([row[key] for row in batch]).to(D) for key in batch[0]}
    config = T5Config(vocab_size=64, d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2,
                      decoder_start_token_id=0, pad_token_id=0)
    settings = Seq2SeqTrainingArguments(output_dir=tempfile.mkdtemp(), per_device_train_batch_size=2,
        num_train_epochs=1, report_to=[], save_strategy="no", disable_tqdm=True, **arguments)
    Seq2SeqTrainer(model=T5ForConditionalGeneration(config), args=settings, train_dataset=Tokens(),
                   data_collator=collate if kind == "collate" else None).train()

torch.zeros(1, device=D)  # uses the accelerator, so that a process forked later cannot

def optimizer_states(optimizer):
    model = nn.Linear(4, 3).to(D)
    made = optimizer(model.parameters())
    model(g(2, 4)).sum().backward()
    made.step()
    return model.state_dict(), made.state_dict()
"""


class Snippet(NamedTuple):
    """One question; an expression is its own name."""

    name: str
    code: str


def facts() -> list[Snippet]:
    """The named questions."""
    parts = (HERE / "facts.txt").read_text(encoding="utf-8").split("\n## ")[1:]
    return [Snippet(*(half.strip() for half in part.split("\n", 1))) for part in parts]


def expressions() -> list[Snippet]:
    """The questions of one line; a backslash and an n stand for the end of a line."""
    return _lines("expressions.txt")


def two_devices() -> list[Snippet]:
    """The same for a machine with two accelerators."""
    return _lines("two_devices.txt")


def _lines(name: str) -> list[Snippet]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [Snippet(line, line.replace("\\n", "\n")) for line in lines if line and not line.startswith("#")]


def ask(snippet: Snippet) -> Answer:
    """Run one snippet."""
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        space: dict[str, Any] = {"__name__": "snippet"}
        exec(compile(_NAMESPACE, "<namespace>", "exec"), space)
        try:
            with _saying_nothing():
                exec(compile(snippet.code, "<snippet>", "exec"), space)
            return answers.of_result(_shown(space.get("r")))
        except Exception as error:  # noqa: BLE001 - whatever is raised is the answer
            return answers.of_error(error)


@contextlib.contextmanager
def _saying_nothing() -> Iterator[None]:
    with contextlib.redirect_stdout(None), contextlib.redirect_stderr(None):
        yield


def _shown(result: Any) -> Any:
    if isinstance(result, torch.Tensor):
        return f"{result.dtype} on {result.device}"
    return [_shown(part) for part in result] if isinstance(result, (list, tuple)) else result
