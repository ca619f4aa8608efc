"""Clean lines out of anything that somebody pastes."""

from __future__ import annotations

import pytest
from pastes import errors, plain, recorded

from devfix.tracebacks import paste
from devfix.tracebacks.paste import decode, read_lines

MESSAGE = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
TRACE = plain(MESSAGE, ("train.py", 3, "<module>", "main()"), ("net.py", 7, "main", "return x + self.bias"))
FRAMES = [("train.py", 3, "<module>", "main()"), ("net.py", 7, "main", "return x + self.bias")]


def check(text: str, number: int = 1) -> None:
    found = errors(text)
    assert [raised.headline for raised in found] == [MESSAGE] * number
    for raised in found:
        assert [(frame.path, frame.line, frame.function, frame.code) for frame in raised.frames] == FRAMES


def every_line(prefix: str, text: str = TRACE) -> str:
    return "".join(f"{prefix}{line}\n" for line in text.splitlines())


def test_a_plain_traceback() -> None:
    check(TRACE)


@pytest.mark.parametrize(
    "prefix",
    [
        "> ",
        ">> ",
        ">",
        " > ",
        "[rank0]: ",
        "[rank0]:",
        "[default3]:",
        "[1,0]<stderr>: ",
        "0: ",
        "12: ",
        "(pid=1234) ",
        "(RayTrainWorker pid=1234, ip=10.0.0.3) ",
        "(train_fn pid=77) ",
        "trainer-1  | ",
        "2024-05-01T10:00:00.1234567Z ",
        "2024-05-01 10:00:00,123 ERROR ",
        "[2024-05-01 10:00:00,123] [ERROR] ",
        "2024-05-01 10:00:00 - ERROR - ",
        "E0501 10:00:00.123456 139872 torch/run.py:17] ",
        "worker 7 says (step 12): ",
        "<stderr node-12> ",
    ],
)
def test_what_others_put_before_each_line(prefix: str) -> None:
    check(every_line(prefix))


def test_a_number_that_counts_lines_is_no_code() -> None:
    lines = TRACE.splitlines()
    check("".join(f"job 5 line {number}: {line}\n" for number, line in enumerate(lines, start=100)))


def test_two_processes_that_write_into_one_file() -> None:
    lines = TRACE.splitlines()
    check("".join(f"[rank{rank}]: {line}\n" for line in lines for rank in (0, 1)), 2)


@pytest.mark.parametrize(
    "text",
    [
        TRACE.replace("\n", "\r\n"),
        "epoch 1\n" + TRACE,
        "  5%|#   | 1/20\r 10%|##  | 2/20\r" + TRACE,
        TRACE.replace(" ", "\u00a0"),
        TRACE.replace("File", "F\u200bile"),
        TRACE.replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;"),
        TRACE.replace('"train.py"', "\u201ctrain.py\u201d"),
        TRACE.replace("RuntimeError", "\x1b[31mRuntimeError\x1b[0m"),
        TRACE.replace("  File", "\x1b[0;32m  File\x1b[39;49;00m"),
        TRACE.replace("RuntimeError", "[0;31mRuntimeError[0m"),
        TRACE.replace("RuntimeError", "\\u001b[0;31mRuntimeError\\u001b[0m"),
        TRACE.replace("net.py", "\x1b]8;;file:///net.py\x1b\\net.py\x1b]8;;\x1b\\"),
        '{"level": "error", "exc": "' + TRACE.replace('"', '\\"').replace("\n", "\\n") + '"}',
        "I ran it and got\n```\n" + TRACE + "```\nWhat is wrong?\n",
        "\n\n" + TRACE + "\n\n(base) me@host:~$ \n",
        "INFO train: RuntimeError is no fun\n" + TRACE,
    ],
    ids=lambda text: repr(text[:24]),
)
def test_what_happens_to_text_on_its_way(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    "data",
    [
        TRACE.encode(),
        TRACE.encode("utf-16"),
        b"\xef\xbb\xbf" + TRACE.encode(),
        b"\xff\xfe\n" + TRACE.encode()[:0] + b"",
    ],
    ids=["utf-8", "utf-16", "utf-8-sig", "a lonely mark"],
)
def test_encodings(data: bytes) -> None:
    text = decode(data)
    assert text is not None
    if len(data) > 10:
        check(text)


def test_bytes_that_are_no_text_in_between() -> None:
    text = decode(b"caf\xe9 \xff\n" + TRACE.encode())
    assert text is not None
    check(text)


def test_a_binary_file_is_no_text() -> None:
    assert decode(b"\x7fELF\0\0\0" + TRACE.encode()) is None


def test_only_the_end_of_a_huge_text_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paste, "MAX_CHARACTERS", 1_000)
    lines = read_lines("x\n" * 5_000 + TRACE)
    assert lines[-2].text == MESSAGE
    assert sum(len(line.text) for line in lines) <= 1_000


def test_a_line_that_pytest_marks_is_no_quotation() -> None:
    (found,) = errors(recorded("pytest_long"))
    assert "out = model(batch)" in [frame.code for frame in found.frames]


def test_prose_about_an_error_is_left_alone() -> None:
    assert [line.text for line in read_lines("a > b\nc\n>>> x = 1\n")] == ["a > b", "c", ">>> x = 1", ""]
