"""``devfix explain --error`` from the outside: streams, formats and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pastes import DATA, plain, recorded
from typer.testing import CliRunner

from devfix.cli import app

DEVICE = "RuntimeError: Expected all tensors to be on the same device, but got mat1 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_addmm)"
TEXT = plain(DEVICE, ("train.py", 6, "<module>", "y = model(x)"))
PROGRAM = (
    "import torch\n\n"
    'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
    "model = torch.nn.Linear(4, 2).to(device)\n"
    "x = torch.randn(8, 4)\n"
    "y = model(x)\n"
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["explain", *arguments], input=stdin, catch_exceptions=False)
    return result.exit_code, result.stdout_bytes.decode(), result.stderr


def as_json(text: str) -> dict[str, Any]:
    code, out, _ = run("--error", "-", "--output-format", "json", stdin=text.encode())
    assert code == 0
    found = json.loads(out)
    assert isinstance(found, dict)
    return found


def test_an_explanation_with_a_fix() -> None:
    Path("train.py").write_text(PROGRAM)
    Path("error.txt").write_text(TEXT)
    code, out, err = run("--error", "error.txt")
    assert (code, err) == (0, "")
    assert (
        out
        == f"""\
{DEVICE}
(the wording of PyTorch since about 2.8)

What is wrong
  A matrix product (usually a Linear layer) got tensors on two devices, the CPU and cuda:0.

Where, and what is to blame
  train.py:6
    |
  6 | y = model(x)
    |     ^^^^^^^^
    |
  `x` is on the CPU and meets the parameters of `model` on the accelerator.

What to do
  Move `x` to the device of what it meets: the fix below does it.
  devfix explain DF102  (operand-not-moved)
  devfix explain DF104  (created-on-cpu)

The fix (safe: without an accelerator the program does exactly what it did)
--- a/train.py
+++ b/train.py
@@ -2,5 +2,5 @@
\x20
 device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
 model = torch.nn.Linear(4, 2).to(device)
-x = torch.randn(8, 4)
+x = torch.randn(8, 4).to(device)
 y = model(x)

"""
    )


def test_nothing_is_written() -> None:
    Path("train.py").write_text(PROGRAM)
    run("--error", "-", stdin=TEXT.encode())
    assert Path("train.py").read_text() == PROGRAM
    assert [path.name for path in Path().iterdir()] == ["train.py"]


def test_json_holds_the_same() -> None:
    Path("train.py").write_text(PROGRAM)
    found = as_json(TEXT)
    assert found["recognised"] is True
    assert (found["family"], found["kind"], found["argument"]) == ("named-argument", "device", "mat1")
    assert found["devices"] == ["cpu", "cuda:0"]
    assert found["place"] == {"path": "train.py", "line": 6, "at_hand": True, "stale": None}
    assert found["rules"][0] == {"code": "DF102", "name": "operand-not-moved"}
    assert found["fix"]["witness"] == "analysis"
    assert found["fix"]["applicability"] == "safe"
    assert "+x = torch.randn(8, 4).to(device)\n" in found["fix"]["diff"]
    assert found["fix"]["findings"][0]["code"] == "DF102"
    assert found["error"]["frames"][0]["code"] == "y = model(x)"


def test_json_of_what_is_not_known() -> None:
    code, out, err = run("--error", "-", "--output-format", "json", stdin=plain("KeyError: 'x'").encode())
    assert code == 1
    assert json.loads(out)["recognised"] is False
    assert "KeyError: 'x'" in err


def test_colours_on_request() -> None:
    assert "\x1b[" in run("--error", "-", "--color", "always", stdin=TEXT.encode())[1]
    assert "\x1b[" not in run("--error", "-", stdin=TEXT.encode())[1]


def test_control_codes_of_the_paste_do_not_reach_the_terminal() -> None:
    _, out, _ = run("--error", "-", stdin=TEXT.replace("model(x)", "mod\x1b[31mel(x)\x07").encode())
    assert "\x1b" not in out
    assert "\x07" not in out


def test_an_unknown_error_is_1() -> None:
    code, out, err = run("--error", "-", stdin=plain("KeyError: 'x'", ("a.py", 1, "f", "d['x']")).encode())
    assert (code, out) == (1, "")
    assert (
        err
        == "not recognised: none of these is a mismatch of devices or dtypes that devfix knows\n  line 1: KeyError: 'x'\n"
    )


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "holds no text"),
        (b"  \n\t\n", "holds no text"),
        (b"all is well\nepoch 1\n", "there is no error in standard input"),
        (b"\x7fELF\0\1\2" + TEXT.encode(), "is no text"),
    ],
)
def test_what_is_no_error_at_all_is_2(data: bytes, reason: str) -> None:
    code, out, err = run("--error", "-", stdin=data)
    assert (code, out) == (2, "")
    assert reason in err


@pytest.mark.parametrize(
    "data",
    [TEXT.replace("\n", "\r\n").encode(), b"\xff\xfe caf\xe9\n" + TEXT.encode(), TEXT.encode("utf-16")],
)
def test_other_encodings_and_newlines(data: bytes) -> None:
    data = data if not data.startswith(b"\xff\xfe caf") else data[2:]
    assert run("--error", "-", stdin=data)[0] == 0


def test_a_file_that_cannot_be_read_is_2() -> None:
    assert run("--error", "missing.txt")[::2] == (
        2,
        "error: missing.txt cannot be read: No such file or directory\n",
    )
    assert run("--error", ".")[0] == 2


def test_a_folder_that_is_none_is_2() -> None:
    assert run("--error", "-", "--source", "nowhere", stdin=TEXT.encode())[::2] == (
        2,
        "error: nowhere is no folder\n",
    )


@pytest.mark.parametrize("arguments", [(), ("DF102", "--error", "-")])
def test_a_rule_and_an_error_exclude_each_other(arguments: tuple[str, ...]) -> None:
    code, out, err = run(*arguments, stdin=TEXT.encode())
    assert (code, out) == (2, "")
    assert "--error" in err


def test_the_page_of_a_rule_is_still_there() -> None:
    code, out, _ = run("DF102")
    assert code == 0
    assert out.startswith("DF102 operand-not-moved")


@pytest.mark.parametrize("name", sorted(path.stem for path in (DATA / "pastes").glob("*.txt")))
def test_every_recorded_text_is_explained(name: str) -> None:
    found = as_json(recorded(name))
    assert found["explanation"]["what"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("assert_index", "This is no mismatch of devices or dtypes: a check inside of a GPU kernel failed."),
        ("bnb", "`generate` got `input_ids` on another device than the model."),
        ("worker_tensors", "A loader's worker process used the GPU."),
        ("compile_inductor", "A Linear layer got tensors on two devices"),
    ],
)
def test_what_is_said_of_recorded_texts(name: str, says: str) -> None:
    assert as_json(recorded(name))["explanation"]["what"].startswith(says)


def test_other_errors_of_the_text_are_named() -> None:
    _, out, _ = run("--error", "-", stdin=recorded("chained").encode())
    assert "Also in this text\n  line 1: KeyError: 'x'\n  line 28: ValueError: training failed\n" in out
