"""Whatever is pasted, the reader answers; it never raises, and its answer keeps to the text."""

from __future__ import annotations

from functools import cache

import pytest
import sweeps
from hypothesis import given, settings
from hypothesis import strategies as st
from pastes import DATA, TEXTS_OF_MESSAGES, errors, recorded, recordings, rules

from devfix.report.paint import Paint
from devfix.tracebacks.account import account
from devfix.tracebacks.choice import bare, choose
from devfix.tracebacks.paste import decode, read_lines
from devfix.tracebacks.reader import read
from devfix.tracebacks.readings import recognise
from devfix.tracebacks.rendering import render_json, render_text
from devfix.tracebacks.scene import Files
from devfix.tracebacks.texts import FAMILIES


@cache
def lines() -> list[str]:
    """Lines of real tracebacks in all forms."""
    texts = [recorded(path.stem) for path in sorted((DATA / "pastes").glob("*.txt"))]
    texts += list(recordings("operators").values())[:20]
    return sorted({line for text in texts for line in text.splitlines()})


FRAGMENTS = st.sampled_from(
    [
        "Traceback (most recent call last):",
        'File "',
        '", line ',
        ", in f",
        "----> 3 ",
        "E   ",
        ">  ",
        "│ ❱ 3 │ ",
        "╭── Traceback (most recent call last) ──╮",
        "╰──╯",
        "RuntimeError: ",
        "Original ",
        "[rank0]: ",
        "  | ",
        "+-+---- 1 ----",
        "\x1b[31m",
        "\\n",
        "cuda:0",
        "same device",
        "from user code:",
        '"""',
        "```",
        "0: ",
        "^^^^ ~~",
        "\r",
        "\u2028",
        "In[3], line 4",
        "net.py:3: ",
        " is on cpu, different from other tensors on ",
        "(((((",
        "not implemented for '",
    ]
)
SOUP = st.lists(st.one_of(FRAGMENTS, st.text(max_size=20), st.just("\n"))).map("".join)


def shuffled() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(lines()), max_size=40).map("\n".join)


def tell(text: str) -> None:
    found = errors(text)
    total = text.count("\n") + 1
    assert all(1 <= raised.number <= total for raised in found)
    choice = choose(found, FAMILIES) or bare(read_lines(text), FAMILIES)
    if choice is None:
        return
    told = account(choice, Files(), rules())
    assert render_text(told, {}, Paint())
    assert render_json(told, {})


@given(text=SOUP)
@settings(deadline=None, max_examples=sweeps.number(50, all_of=150))
def test_any_soup_of_tracebacks_is_read(text: str) -> None:
    tell(text)


@given(text=shuffled())
@settings(deadline=None, max_examples=sweeps.number(50, all_of=150))
def test_real_lines_in_any_order_are_read(text: str) -> None:
    tell(text)


@given(data=st.binary(max_size=400))
@settings(deadline=None)
def test_any_bytes_are_decoded_or_refused(data: bytes) -> None:
    text = decode(data)
    if text is not None:
        read(read_lines(text))


@given(before=st.text(max_size=30), after=st.text(max_size=30), message=st.sampled_from(TEXTS_OF_MESSAGES))
@settings(deadline=None, max_examples=sweeps.number(40, all_of=100))
def test_a_message_is_recognised_wherever_it_stands(before: str, after: str, message: str) -> None:
    assert recognise(f"{before} {message} {after}", FAMILIES) is not None


@given(cut=st.integers(min_value=0, max_value=60), name=st.sampled_from(sorted(recordings("operators"))))
@settings(deadline=None, max_examples=sweeps.number(20, all_of=60))
def test_a_traceback_whose_first_lines_are_missing_is_still_recognised(cut: int, name: str) -> None:
    text = recordings("operators")[name].splitlines()
    kept = text[min(cut, len(text) - 1) :]
    if any(": " in line and "Error" in line for line in kept):
        assert choose(errors("\n".join(kept)), FAMILIES) is not None


HEADER = "Traceback (most recent call last):\n"
FRAME = '  File "a.py", line 1, in f\n    x\n    '


@pytest.mark.parametrize(
    "text",
    [
        HEADER + FRAME + "^" * 50_000 + "x",
        HEADER + (FRAME + "^ ~" * 2_000 + "!\n") * 50,
        (">" * 8_000 + "\n") * 20,
        "╭─ Traceback (most recent call last) ─╮\n" + ("│" + " " * 7_900 + "x\n") * 50,
        "1" * 190 + HEADER + ("1" * 190 + "x\n") * 500,
        ("a." * 3_900 + "\n") * 50,
        ("\x1b[" * 4_000 + "\n") * 50,
        HEADER + ("a:" * 3_900 + "1: in x\n") * 50,
        HEADER + ('  File "' * 1_000 + "\n") * 50,
        ("RuntimeError: same device " + "got " * 1_500 + "\n") * 20,
        (
            "RuntimeError: "
            + "a b.c_d " * 600
            + " index_copy_(): self and index, A and B same dtype for index\n"
        )
        * 20,
        HEADER * 5_000,
        "\r".join(["5%|x|"] * 20_000),
        "Expected all tensors to be on the same device " * 2_000,
        "(" * 9_000
        + "\n"
        + HEADER
        + '  File "a.py", line 1, in f\n    '
        + "(" * 5_000
        + "\nRuntimeError: same device\n",
    ],
    ids=range(15),
)
def test_hostile_texts_take_no_time_to_speak_of(text: str) -> None:
    """Patterns that go back and forth would need hours here, and the suite would never end."""
    tell(text)
