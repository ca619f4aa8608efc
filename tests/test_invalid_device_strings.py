"""Texts that are no devices: PyTorch says which those are, and where it is asked."""

from __future__ import annotations

import io

import pytest
from text_program import check_texts, files, fix_texts

from devfix.analysis.domain import device_texts
from devfix.analysis.domain.lattice import parse_device

torch = pytest.importorskip("torch")

TEXTS = (
    "cpu cuda cuda:0 cuda:12 mps mps:0 xpu meta hpu cuda: cuda0 cuda-0 cuda_0 cuda.0 cuda:-1 cuda:+1 cuda:01 "
    "cuda:00 cuda:0:1 cuda:0,1 cuda:a cuda:{} CUDA CUDA:0 Cuda Cpu gpu GPU gpu:0 gpu0 /gpu:0 /device:GPU:0 0 mps:01 npu0"
).split()
SPACED = ["cuda: 0", "cuda :0", "cuda:0 ", " cuda", "cuda\n", "cpu ", "cuda 0", "cuda\t0", "", " "]


def is_taken(text: str) -> bool:
    try:
        torch.device(text)
    except RuntimeError:
        return False
    return True


@pytest.mark.parametrize("text", [*TEXTS, *SPACED])
def test_what_is_refused_pytorch_refuses(text: str) -> None:
    assert device_texts.is_refused(text) is not is_taken(text)


@pytest.mark.parametrize("text", [*TEXTS, *SPACED])
def test_what_is_meant_is_a_device(text: str) -> None:
    found = device_texts.meant(text)
    assert found is None or is_taken(found)
    if is_taken(text):
        assert device_texts.as_meant(text) == text


@pytest.mark.parametrize("text", ["npu", "npu:1", "tpu", "auto", "none", "foo"])
def test_what_an_extension_may_be_called_is_not_refused(text: str) -> None:
    assert not is_taken(text)
    assert not device_texts.is_refused(text)


def test_the_types_are_those_that_pytorch_names() -> None:
    with pytest.raises(RuntimeError) as raised:
        torch.device("nonsense")
    named = str(raised.value).partition("Expected one of ")[2].partition(" device type")[0]
    assert set(named.split(", ")) == device_texts.TYPES


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        *(
            (each, "cuda:0")
            for each in ("cuda: 0", "cuda0", "cuda 0", "cuda:00", "CUDA:0", "/gpu:0", "cuda_0")
        ),
        *((each, "cuda") for each in ("cuda:", "gpu", "GPU", "CUDA", " cuda")),
        ("cpu ", "cpu"),
        ("cuda:01", "cuda:1"),
        *(
            (each, None)
            for each in ("cuda:-1", "cuda -1", "cuda:0,1", "cuda:a", "0", "", "cuda:0:1", "gpu:300")
        ),
    ],
)
def test_what_was_meant(text: str, meant: str | None) -> None:
    assert device_texts.meant(text) == meant


@pytest.mark.parametrize(
    ("text", "known"), [("cuda: 1", True), ("cuda0", True), ("gpu", False), ("CUDA", False)]
)
def test_what_may_be_another_word_is_no_device_by_itself(text: str, known: bool) -> None:
    assert parse_device(text).is_known == known


CALLS = (
    "torch.device({})",
    "torch.device(type={})",
    "torch.ones(2).to({})",
    "torch.ones(2).to(device={})",
    "torch.ones(2).cuda({})",
    "torch.nn.Linear(2, 1).to({})",
    "torch.zeros(2, device={})",
    "torch.tensor([1.0], device={})",
    "torch.as_tensor(torch.ones(2), device={})",
    "torch.zeros_like(torch.ones(2), device={})",
    "torch.ones(2).new_zeros(2, device={})",
    "torch.nn.Linear(2, 1, device={})",
    "torch.Generator({})",
    "torch.set_default_device({})",
    "torch.load(FILE, map_location={})",
)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("text", ["cuda: 0", "gpu"])
def test_a_call_that_pytorch_refuses_is_mended(call: str, text: str) -> None:
    saved = io.BytesIO()
    torch.save(torch.ones(2), saved)
    saved.seek(0)
    with pytest.raises(RuntimeError, match=r"device string|tagged with"):
        exec(call.format(repr(text)), {"torch": torch, "FILE": saved})
    program = f"import torch\nFILE = 'saved.pt'\n{call.format(repr(text))}\n"
    assert [finding.rule for finding in check_texts({"main.py": program})][:1] == ["invalid-device-string"]
    fixed = fix_texts({"main.py": program})[0]["main.py"]
    assert f"'{device_texts.meant(text)}'" in fixed
    assert repr(text) not in fixed


def findings(*texts: str, **named: str) -> list[str]:
    found = check_texts(files(*texts, **named))
    return [f"{each.path}:{each.span.line} {each.fix.title if each.fix else 'no fix'}" for each in found]


@pytest.mark.parametrize(
    "text",
    [
        """
        import torch
        NAME = "cuda0"
        print(torch.ones(2, device=NAME), torch.zeros(2, device=NAME))
        """,
        """
        import torch
        name = "cuda0" if torch.cuda.is_available() else "cpu"
        print(torch.ones(2).to(name))
        """,
        """
        import torch
        def made(where="cuda0"):
            return torch.ones(2, device=where)
        made()
        """,
    ],
)
def test_a_text_is_found_once_where_it_is_spelt_out(text: str) -> None:
    assert findings(text) == ["main.py:3 say `cuda:0`"]


def test_a_text_of_another_file_is_mended_there() -> None:
    main = "import torch\nfrom settings import Settings\ntorch.ones(2).to(Settings().device)\n"
    settings = "class Settings:\n    device = 'cuda0'\n"
    assert findings(main, settings=settings) == ["settings.py:2 say `cuda:0`"]


def test_a_name_is_mended_where_it_is_bound() -> None:
    text = """
        import torch
        print("gpu")
        def train(use):
            device = "gpu" if use else "cpu"
            torch.ones(2).to(device)
        train(torch.cuda.is_available())
        """
    assert findings(text) == ["main.py:5 say `cuda`"]


@pytest.mark.parametrize("flag", ["args.gpu", "torch.cuda.is_available()"])
def test_a_choice_within_the_call_is_read_whatever_it_goes_by(flag: str) -> None:
    text = f"""
        import argparse, torch
        parser = argparse.ArgumentParser()
        parser.add_argument("--gpu", action="store_true")
        args = parser.parse_args()
        device = torch.device("cpu" if not {flag} else "gpu")
        """
    assert findings(text) == ["main.py:6 say `cuda`"]


def test_what_is_spelt_out_at_two_places_is_told_where_it_is_asked_for() -> None:
    text = """
        import torch
        KINDS = ["gpu"]
        names = {"fast": "gpu"}
        torch.ones(2).to(names["fast"])
        """
    assert findings(text) == ["main.py:5 no fix"]


def test_which_accelerator_a_gpu_is_may_not_be_clear() -> None:
    text = """
        import torch
        other = torch.device("mps" if torch.backends.mps.is_available() else "cpu")
        torch.ones(2, device="gpu")
        torch.ones(2, device="cuda: 0")
        """
    assert findings(text) == ["main.py:4 no fix", "main.py:5 say `cuda:0`"]


def test_what_the_accelerator_meets_is_found_as_well() -> None:
    text = """
        import torch
        device = torch.device("gpu" if torch.cuda.is_available() else "cpu")
        net = torch.nn.Linear(2, 1).to(device)
        x = torch.ones(3, 2)
        print(net(x))
        """
    fixed = fix_texts(files(text))[0]["main.py"]
    assert 'torch.device("cuda" if' in fixed
    assert "x = torch.ones(3, 2, device=device)" in fixed


def test_within_what_expects_errors_nothing_is_found() -> None:
    text = """
        import contextlib, torch
        with contextlib.suppress(RuntimeError):
            torch.device("gpu")
        try:
            torch.device("cuda0")
        except (ValueError, RuntimeError):
            pass
        try:
            torch.device("cuda: 0")
        except KeyError:
            pass
        """
    assert findings(text) == ["main.py:10 say `cuda:0`"]
