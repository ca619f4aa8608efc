"""Every family of messages: what is read from it, and that it is told in whole sentences."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from pastes import DATA, explained, rules

from devfix.analysis.record import facts
from devfix.tracebacks.advice import RULES
from devfix.tracebacks.readings import device_name, operator_name, recognise
from devfix.tracebacks.texts import FAMILIES

TEXTS: list[dict[str, Any]] = json.loads((DATA / "texts.json").read_text(encoding="utf-8"))
OWN_KINDS = ("", "absent-device")


@pytest.mark.parametrize(
    "expected", TEXTS, ids=lambda expected: f"{expected['family']}: {expected['text'][:50]}"
)
def test_a_text_is_read(expected: dict[str, Any]) -> None:
    found = recognise(expected["text"], FAMILIES)
    assert found is not None
    shown: dict[str, Any] = {
        "text": found.text,
        "family": found.family.name,
        "operator": found.operator,
        "argument": found.argument,
        "on": found.on,
        "others": found.others,
        "devices": dict(found.devices),
        "dtypes": dict(found.dtypes),
        "wanted": found.wanted,
        "found": found.found,
        "first": found.words.get("first", ""),
        "second": found.words.get("second", ""),
    }
    folded = {**expected, "text": " ".join(expected["text"].split())}
    assert {"kind": found.kind, **{key: value for key, value in shown.items() if value}} == folded


@pytest.mark.parametrize(
    "expected", TEXTS, ids=lambda expected: f"{expected['family']}: {expected['text'][:50]}"
)
def test_a_text_is_explained_in_sentences(expected: dict[str, Any]) -> None:
    told = explained(f"RuntimeError: {expected['text']}")
    sentences = [told.what, *told.who, told.todo]
    assert told.what
    assert told.todo
    for sentence in sentences:
        assert sentence[:1] == sentence[:1].upper()
        assert sentence.rstrip().endswith((".", ".)"))
        assert not re.search(r"\{\w*\}|\bNone\b|  |\.\.$|``", sentence), sentence


def test_there_is_a_text_for_every_family() -> None:
    around = {family.name for family in FAMILIES if family.around}
    assert {text["family"] for text in TEXTS} == {family.name for family in FAMILIES} - around


def test_what_a_message_means_may_depend_on_what_wraps_it() -> None:
    text = "CUDA error: initialization error"
    alone = recognise(text, FAMILIES)
    wrapped = recognise(text, FAMILIES, "Caught AcceleratorError in DataLoader worker process 0.")
    assert alone is not None
    assert wrapped is not None
    assert (alone.kind, wrapped.kind) == ("", "worker")


def test_kinds_are_those_of_the_analysis() -> None:
    kinds = {family.kind for family in FAMILIES} - set(OWN_KINDS)
    listed = set(re.findall(r"``([a-z0-9-]+)``", facts.__doc__ or ""))
    assert kinds <= listed
    assert set(RULES) - set(OWN_KINDS) <= listed


def test_rules_exist() -> None:
    named = {name for family in FAMILIES for name in family.rules} | {
        name for names in RULES.values() for name in names
    }
    assert named <= {rule.name for rule in rules()}


def test_names_are_unique() -> None:
    names = [family.name for family in FAMILIES]
    assert len(names) == len(set(names))


def test_no_family_takes_the_text_of_another() -> None:
    """The order of the families decides; each text must find its own first."""
    for text in TEXTS:
        found = recognise(text["text"], FAMILIES)
        assert found is not None
        assert found.family.name == text["family"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "KeyError: 'cuda'",
        "shape mismatch: value tensor of shape [3] cannot be broadcast",
        "the device is busy, please use the same password",
        "dtype of the table",
        "Expected 4-dimensional input for 4-dimensional weight",
    ],
)
def test_other_texts_are_not_recognised(text: str) -> None:
    assert recognise(text, FAMILIES) is None


def test_what_a_gpu_says_of_narrow_floats_is_read_as_that() -> None:
    record = json.loads((DATA.parent / "h200_answers.json").read_text(encoding="utf-8"))["narrow"]
    said = {text.partition(": ")[2] for text in record.values() if not text.startswith("ok")}
    read = {text: recognise(text, FAMILIES) for text in said}
    other = {text for text, found in read.items() if found is None or found.kind != "narrow-float"}
    # Autocast and functions of several steps widen some of what meets halves.
    assert all(re.match("Index put|Found dtype|expected mat1", text) for text in other)


@pytest.mark.parametrize(
    "text",
    [
        "\"lu_factor_cusolver\" not implemented for 'Long'",
        "linalg.pinv(Long{[4, 4]}): expected a tensor with 2 or more dimensions of float, double",
        "linalg.vander supports floating point, complex, and integer tensors, but got Bool",
    ],
)
def test_what_is_no_float_is_none_that_is_narrow(text: str) -> None:
    found = recognise(text, FAMILIES)
    assert found is None or found.kind != "narrow-float"


def test_a_message_may_be_broken_anywhere() -> None:
    text = "Expected all tensors to be on the\n      same device, but found at least\ntwo devices, cuda:0\n and cpu!"
    found = recognise(text, FAMILIES)
    assert found is not None
    assert found.family.name == "two-devices"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("wrapper_CUDA_addmm", "addmm"),
        ("wrapper_addmm", "addmm"),
        ("wrapper__index_select", "index_select"),
        ("wrapper_CUDA___slow_conv2d_forward", "slow_conv2d_forward"),
        ("wrapper_CUDA_Tensor_bucketize", "Tensor_bucketize"),
        ("wrapper_SparseCUDA__addmm", "sparse.addmm"),
        ("wrapper_XPU__native_layer_norm", "native_layer_norm"),
        ("_th_index_select", "index_select"),
        ("_thnn_nll_loss_forward", "nll_loss_forward"),
        ("aten::gather", "gather"),
        ("", ""),
    ],
)
def test_names_of_operators(text: str, name: str) -> None:
    assert operator_name(text) == name


def test_names_of_devices() -> None:
    assert [device_name(text) for text in ("CPU", "cuda:1", "GPU", "1", "mps:0", "")] == [
        "cpu", "cuda:1", "cuda", "cuda:1", "mps:0", "",
    ]  # fmt: skip
