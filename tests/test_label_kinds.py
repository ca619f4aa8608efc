"""Labels of classifiers of transformers: their configuration says which loss compares them, and some losses take floats alone."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

PROGRAM = """\
import torch
from transformers import AutoConfig, AutoModelForSequenceClassification, BertConfig, BertForSequenceClassification
from transformers import DebertaForSequenceClassification, ViTConfig, ViTForImageClassification

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
ids = torch.randint(0, 9, (2, 4)).to(device)
labels = torch.tensor({labels}).to(device)
{made}
loss = model.to(device)(ids, labels=labels).loss
loss.backward()
"""
MULTI, FLOATS = 'problem_type="multi_label_classification"', 'problem_type="regression"'
AUTO = "model = AutoModelForSequenceClassification.from_pretrained('some/model', {})"


def program(made: str, labels: str = "[[0, 1], [1, 1]]") -> str:
    return PROGRAM.format(made=made, labels=labels)


@pytest.mark.parametrize(
    "made",
    [
        f"model = BertForSequenceClassification(BertConfig(num_labels=2, {MULTI}))",
        f"model = ViTForImageClassification(ViTConfig(num_labels=2, {MULTI}))",
        f"config = BertConfig({MULTI})\nmodel = AutoModelForSequenceClassification.from_config(config)",
        f"config = AutoConfig.from_pretrained('some/model', {MULTI})\nmodel = BertForSequenceClassification(config)",
        f"config = BertConfig(num_labels=2)\nconfig.{MULTI}\nmodel = BertForSequenceClassification(config)",
        f"model = BertForSequenceClassification(BertConfig(num_labels=2))\nmodel.config.{MULTI}",
        f"config = BertConfig(num_labels=2)\nmodel = BertForSequenceClassification(config)\nconfig.{MULTI}",
        f"config = BertConfig(num_labels=2)\nconfig.update(dict({MULTI}))\nmodel = BertForSequenceClassification(config)",
        f"{AUTO.format('num_labels=2')}\nmodel.config.{MULTI}",
        AUTO.format(f"num_labels=2, {MULTI}"),
        AUTO.format(f"num_labels=2, {FLOATS}"),
        AUTO.format("num_labels=1"),
    ],
)
def test_whole_numbers_are_no_labels_for_a_loss_of_floats(made: str) -> None:
    text = program(made)
    assert [each.partition(": ")[2] for each in clashes(text)] == ["target-dtype"]
    after = fix_texts({"main.py": text}, wanted=Applicability.UNSAFE)[0]["main.py"]
    assert after == text.replace("labels=labels", "labels=labels.float()")
    assert clashes(after) == []


@pytest.mark.parametrize(
    ("made", "labels"),
    [
        (AUTO.format(f"num_labels=2, {MULTI}"), "[[0.0, 1.0], [1.0, 1.0]]"),
        (AUTO.format("num_labels=2"), "[0, 1]"),
        (AUTO.format('num_labels=2, problem_type="single_label_classification"'), "[0, 1]"),
        (AUTO.format("num_labels=count"), "[0, 1]"),
        (
            f"{AUTO.format('num_labels=1')}\nmodel.config.problem_type = 'single_label_classification'",
            "[0, 0]",
        ),
        (
            f"config = BertConfig({MULTI})\nconfig.update(options)\nmodel = BertForSequenceClassification(config)",
            "[0, 1]",
        ),
        (f"{AUTO.format(MULTI)}\nmodel.config.problem_type = None", "[0, 1]"),
        (f"{AUTO.format('num_labels=1')}\nmodel.config.id2label = {{0: 'no', 1: 'yes'}}", "[0, 1]"),
        (f"{AUTO.format('num_labels=1')}\nsetattr(model.config, options.key, options.value)", "[0, 1]"),
        (f"model = DebertaForSequenceClassification.from_pretrained('some/model', {MULTI})", "[[0, 1]]"),
        ("model = BertForSequenceClassification(BertConfig(num_labels=2))", "[0, 1]"),
    ],
)
def test_labels_that_the_loss_takes_are_left_alone(made: str, labels: str) -> None:
    text = program(made, labels)
    assert clashes(text) == []
    assert fix_texts({"main.py": text}, wanted=Applicability.UNSAFE)[0]["main.py"] == text


@pytest.mark.parametrize("option", ["config.flag", "isinstance(config.flag, str)", "config.flag is not None"])
def test_what_a_configuration_does_not_say_is_not_known(option: str) -> None:
    text = f"import torch\nfrom transformers import BertConfig\n\nconfig = BertConfig({MULTI})\nx = torch.ones(3)\n"
    assert clashes(f"{text}if not {option}:\n    x = x.cuda()\nx + torch.ones(3).cuda()\n") == []
    assert clashes(f"{text}if {option}:\n    x = x.cuda()\nx + torch.ones(3).cuda()\n") == []


COLLECTED = """\
import torch
from torch.nn.functional import binary_cross_entropy_with_logits as loss

count = len(open("rows.txt").read())
rows = []
for _ in range(count):
    rows.append((count, {made}))
logits = torch.zeros(5, requires_grad=True)
loss(logits, torch.tensor(rows[count][1]))
_, columns = zip(*[rows[count], rows[count]])
loss(logits, torch.tensor(columns))
"""


@pytest.mark.parametrize("made", ["[int(i > count) for i in range(5)]", "[0, 1, 0, 1, 1]"])
def test_lists_that_are_alike_make_tensors_of_one_dtype(made: str) -> None:
    assert clashes(COLLECTED.format(made=made)) == ["9: target-dtype", "11: target-dtype"]


@pytest.mark.parametrize(
    "made",
    ["[i / count for i in range(5)]", "[int(i > count) for i in range(5)] if count > 2 else [0.5] * 5"],
)
def test_lists_of_floats_and_of_either_kind_are_none_of_whole_numbers(made: str) -> None:
    assert clashes(COLLECTED.format(made=made)) == []
