"""Data sets of Hugging Face and transformers' collators: their tensors are on the CPU."""

from __future__ import annotations

from text_program import clashes, fix_texts

SETUP = """
import torch
from torch.utils.data import DataLoader
from transformers import (
    AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, default_data_collator
)
from datasets import Dataset, load_dataset
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
tokenizer = AutoTokenizer.from_pretrained("x")
model = AutoModelForSequenceClassification.from_pretrained("x").to(device)
raw = load_dataset("glue", "sst2")
tokens = raw.map(lambda row: tokenizer(row["sentence"]), batched=True).remove_columns(["sentence"])
"""


def test_a_set_in_the_format_torch_gives_rows_of_tensors() -> None:
    program = """
tokens.set_format("torch", columns=["input_ids", "label"])
for batch in DataLoader(tokens["train"], 8):
    model(batch["input_ids"])
for batch in DataLoader(tokens.with_format(type="torch")["test"].shuffle(), 8):
    model(**batch)
"""
    assert clashes(SETUP + program) == ["16: device", "18: device"]


def test_other_formats_and_devices_are_not_known() -> None:
    program = """
plain = DataLoader(tokens["train"], 8)
arrays = DataLoader(tokens["train"].with_format("numpy"), 8)
there = DataLoader(tokens["train"].with_format("torch", device="cuda"), 8)
own = DataLoader(tokens["train"].with_format("torch").with_transform(lambda rows: rows), 8)
for loader in (plain, arrays, there, own):
    for batch in loader:
        model(batch["input_ids"])
"""
    assert clashes(SETUP + program) == []


def test_a_collator_pads_on_the_cpu() -> None:
    program = """
for batch in DataLoader(tokens["train"], 8, collate_fn=DataCollatorWithPadding(tokenizer)):
    loss = model(**batch).loss
for batch in DataLoader(tokens["train"], 8, collate_fn=default_data_collator):
    loss = model(**batch).loss
"""
    assert clashes(SETUP + program) == ["15: device", "17: device"]


def test_moved_batches_are_left_alone() -> None:
    program = """
collator = DataCollatorWithPadding(tokenizer, return_tensors="pt")
for batch in DataLoader(tokens["train"], 8, collate_fn=collator):
    batch = {k: v.to(device) for k, v in batch.items()}
    loss = model(**batch).loss
for batch in DataLoader(tokens["train"], 8, collate_fn=collator):
    batch.to(device)
    loss = model(**batch).loss
for batch in DataLoader(tokens["train"], 8, collate_fn=collator):
    loss = model(**batch.to(device)).loss
for batch in DataLoader(tokens["train"], 8, collate_fn=DataCollatorWithPadding(tokenizer, return_tensors="np")):
    loss = model(**batch).loss
"""
    assert clashes(SETUP + program) == []


def test_a_batch_is_moved_as_the_library_documents_it() -> None:
    program = """
for batch in DataLoader(tokens["train"], 8, collate_fn=DataCollatorWithPadding(tokenizer)):
    loss = model(**batch).loss
"""
    assert (
        "    batch = {k: v.to(device) for k, v in batch.items()}\n"
        in fix_texts({"train.py": SETUP + program})[0]["train.py"]
    )


def test_what_is_generated_from_a_prompt_on_the_cpu_may_be_anywhere() -> None:
    program = """
prompt = tokenizer("x", return_tensors="pt")
model.generate(**prompt).numpy()
model.generate(**prompt.to(device)).numpy()
"""
    assert clashes(SETUP + program) == ["16: numpy"]
