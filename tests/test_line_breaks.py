"""New lines that are longer than those of their file may be are broken, and mean what they meant."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import fix_texts

from devfix.findings import Applicability
from devfix.source import Source
from devfix.tidying.line_breaks import broken
from devfix.tidying.written import Written


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are broken as soon as they are longer than formatters leave them: that reads better here."""
    monkeypatch.setattr("devfix.tidying.written.WIDEST", 88)


def breaks(new: str, before: str = "x = 1\n") -> str:
    """What becomes of new lines in a text."""
    before, after = dedent(before), dedent(new)
    return broken(Written(Source("main.py", before), Source("main.py", before + after))).removeprefix(before)


BROKEN = {
    "the_arguments_on_one_line": (
        "spec = torch.stft(wave, n_fft, hop_length, window=window.to(wave.device), return_complex=True)\n",
        """\
        spec = torch.stft(
            wave, n_fft, hop_length, window=window.to(wave.device), return_complex=True
        )
        """,
    ),
    "or_each_on_its_own": (
        'r("future", torch.triu(torch.ones(block, block, dtype=torch.bool), 1), persistent=False, tensor=None)\n',
        """\
        r(
            "future",
            torch.triu(torch.ones(block, block, dtype=torch.bool), 1),
            persistent=False,
            tensor=None,
        )
        """,
    ),
    "what_follows_a_call": (
        "return torch.multinomial(logits.softmax(-1).cpu(), 1, generator=self.generator).to(logits.device)\n",
        """\
        return torch.multinomial(
            logits.softmax(-1).cpu(), 1, generator=self.generator
        ).to(logits.device)
        """,
    ),
    "a_chain_of_short_calls": (
        "self.shadow_of_the_model = copy.deepcopy(runner.net).to(runner.where).requires_grad_(False)\n",
        """\
        self.shadow_of_the_model = (
            copy.deepcopy(runner.net).to(runner.where).requires_grad_(False)
        )
        """,
    ),
    "a_sum": (
        "loss = policy.to(device) + 0.5 * value.to(device) - 0.001 * entropy_of_the_policy.mean().to(device)\n",
        """\
        loss = (
            policy.to(device)
            + 0.5 * value.to(device)
            - 0.001 * entropy_of_the_policy.mean().to(device)
        )
        """,
    ),
    "several_values": (
        'mean, var, count = state["mean"].to(self.mean.device), -state["var"].to(self.var.device), state["count"]\n',
        """\
        mean, var, count = (
            state["mean"].to(self.mean.device),
            -state["var"].to(self.var.device),
            state["count"],
        )
        """,
    ),
    "a_comprehension": (
        "parts = {field.name: move(getattr(data, field.name), device) for field, _ in fields(data) if field}\n",
        """\
        parts = {
            field.name: move(getattr(data, field.name), device)
            for field, _ in fields(data)
            if field
        }
        """,
    ),
    "a_list_that_is_all_that_is_given": (
        "targets = torch.cat([torch.arange(n, 2 * n, device=similarity.device), torch.arange(n, device=targets.device)])\n",
        """\
        targets = torch.cat([
            torch.arange(n, 2 * n, device=similarity.device),
            torch.arange(n, device=targets.device),
        ])
        """,
    ),
    "a_choice": (
        "values = [x.to(device) for x in everything_there_is] if everything else [y.to(device) for y in nothing]\n",
        """\
        values = (
            [x.to(device) for x in everything_there_is]
            if everything
            else [y.to(device) for y in nothing]
        )
        """,
    ),
    "the_head_of_a_block": (
        'with torch.autocast(device_type=device.type, dtype=torch.float16, enabled=device.type == "cuda") as amp:\n    f()\n',
        """\
        with torch.autocast(
            device_type=device.type, dtype=torch.float16, enabled=device.type == "cuda"
        ) as amp:
            f()
        """,
    ),
    "a_formatted_string_as_a_whole": (
        'x = g(f"{a} {b[0]} {torch.stft(x, n_fft, hop_length, window=window.to(x.device))}", x.to(device), y)\n',
        """\
        x = g(
            f"{a} {b[0]} {torch.stft(x, n_fft, hop_length, window=window.to(x.device))}",
            x.to(device),
            y,
        )
        """,
    ),
    "a_line_of_a_bracket_that_goes_on": (
        """\
        h = self.decoder(self.pos(self.emb(tgt) * self.scale), memory, tgt_mask=causal(n).to(memory.device),
                         memory_key_padding_mask=src == PAD)
        """,
        """\
        h = self.decoder(self.pos(self.emb(tgt) * self.scale), memory,
                         tgt_mask=causal(n).to(memory.device),
                         memory_key_padding_mask=src == PAD)
        """,
    ),
    "a_line_within_a_bracket": (
        """\
        h = self.core(
            tgt_mask=causal(tgt.size(1)).to(tgt.device), src_key_padding_mask=pad, memory_mask=pad,
            last=tgt == PAD,
        )
        """,
        """\
        h = self.core(
            tgt_mask=causal(tgt.size(1)).to(tgt.device), src_key_padding_mask=pad,
            memory_mask=pad,
            last=tgt == PAD,
        )
        """,
    ),
    "more_of_a_bracket_than_two_lines_hold": (
        """\
        h = self.core(
            queries.to(memory.device), causal(tgt.size(1)).to(memory.device), last.to(memory.device), first.to(memory.device), mask.to(memory.device), tgt.to(memory.device),  # all
            tgt)
        """,
        """\
        h = self.core(
            queries.to(memory.device), causal(tgt.size(1)).to(memory.device),
            last.to(memory.device), first.to(memory.device), mask.to(memory.device),
            tgt.to(memory.device),  # all
            tgt)
        """,
    ),
    "a_loop_that_waits": (
        "f([transformed(batch).to(device) async for batch in batches_of_a_loader(loader, size) if batch is not None])\n",
        """\
        f([
            transformed(batch).to(device)
            async for batch in batches_of_a_loader(loader, size)
            if batch is not None
        ])
        """,
    ),
    "a_comment_stays_behind_the_code": (
        "offsets = torch.stack((rows.repeat(len(rows)), columns.to(device).repeat_interleave(len(rows))), 0)  # x, y\n",
        """\
        offsets = torch.stack(
            (rows.repeat(len(rows)), columns.to(device).repeat_interleave(len(rows))), 0
        )  # x, y
        """,
    ),
}


@pytest.mark.parametrize(("new", "expected"), BROKEN.values(), ids=list(BROKEN))
def test_a_line_that_is_too_long_is_broken(new: str, expected: str) -> None:
    assert breaks(new) == dedent(expected)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(
            "x = g(wave, n_fft, hop_length, window=window.to(wave.device), return_complex=True)\n", id="fits"
        ),
        pytest.param(
            "spec = torch.stft(wave, n_fft, hop_length, window=window.to(wave.device), return_complex=True)  # noqa: E501, in full\n",
            id="a comment that speaks of the line",
        ),
        pytest.param(
            "spec = torch.stft(wave, n_fft, hop_length, window=window.to(wave.device), return_complex=True)  # NOQA\n",
            id="in capitals",
        ),
        pytest.param(
            "x = g(wave, n_fft, hop_length, window=window.to(wave.device))  # the comment alone makes it too long\n",
            id="no more code than fits",
        ),
        pytest.param(f"text = '{'so it goes ' * 9}'\n", id="nothing to break"),
        pytest.param(f"text = '''\nf({', '.join(['x.to(device)'] * 9)})\n'''\n", id="within a string"),
        pytest.param(f"y = \\\n    f({', '.join(['x.to(device)'] * 9)})\n", id="behind a backslash"),
        pytest.param(f"y = f({', '.join(['x.to(device)'] * 9)}); g()\n", id="two statements"),
    ],
)
def test_others_stay_as_they_are(line: str) -> None:
    assert breaks(line) == line


def test_a_file_may_have_lines_as_long_as_it_has() -> None:
    line = "spec = torch.stft(wave, n_fft, hop_length, window=window.to(wave.device), return_complex=True)\n"
    assert breaks(line, "#" * 95 + "\n") == line
    longer = line.replace("hop_length", "hop_length=hop_length_of_windows")
    assert breaks(longer, "#" * 95 + "\n") != longer
    assert breaks(longer, "#" * 150 + "\n") == longer


def test_a_line_in_place_of_one_that_was_too_long_already_stays_a_line() -> None:
    line = "spec = torch.stft(wave, n_fft, hop_length, window=window, return_complex=True, normalized=normalized)\n"
    moved = line.replace("window=window", "window=window.to(wave.device)")
    made = broken(Written(Source("main.py", "x = 1\n" + line), Source("main.py", "x = 2\n" + moved)))
    assert made == "x = 2\n" + moved
    short = line.replace(", normalized=normalized", "")
    made = broken(Written(Source("main.py", "x = 1\n" + short), Source("main.py", "x = 1\n" + moved)))
    assert made != "x = 1\n" + moved


def test_a_line_that_was_there_stays() -> None:
    before = "x = 1\n" + "f(" + ", ".join(["x.to(device)"] * 9) + ")\n"
    assert (
        broken(Written(Source("main.py", before), Source("main.py", before + "y = 2\n")))
        == before + "y = 2\n"
    )


def test_newlines_stay_what_they_are() -> None:
    line = (
        "spec = torch.stft(wave, n_fft, hop_length, window=window.to(wave.device), return_complex=True)\r\n"
    )
    made = broken(Written(Source("main.py", "x = 1\r\n"), Source("main.py", "x = 1\r\n" + line)))
    assert made.count("\r\n") == made.count("\n") == 4


def test_the_end_of_a_text_stays_what_it_is() -> None:
    line = "spec = torch.stft(wave, n_fft, hop_length, window=window.to(wave.device), return_complex=True)"
    assert breaks(line).splitlines()[-1] == ")"
    assert not breaks(line).endswith("\n")


def test_lines_are_those_of_python() -> None:
    line = "spec = torch.stft(wave, n_fft, hop_length, window=window.to(wave.device), return_complex=True)\n"
    assert breaks(line, "x = 1\n\x0c\ny = '\u2028'\n") == breaks(line)


def test_a_value_that_a_head_names_does_not_keep_others_from_being_broken() -> None:
    line = "spec = torch.stft(wave, n_fft, hop_length, window=window.to(wave.device), return_complex=True)\n"
    head = "while part_of_all_there_is := first_of_the_loader(x).next_of_the_loader(y).rest_of_the_loader(z):\n    f()\n"
    assert breaks(line + head).startswith(breaks(line))


def test_indentation_is_that_of_the_file() -> None:
    line = "spec = torch.stft(wave, n_fft, hop_length, window=window.to(wave.device), return_complex=True)\n"
    assert breaks(line, "if x:\n  y = 1\n").splitlines()[1].startswith("  wave, ")


def test_what_a_fix_makes_too_long_is_broken() -> None:
    text = """
    import torch
    from torch.nn.utils.rnn import pack_padded_sequence

    device = torch.device("cuda")
    lengths = torch.tensor([3, 2], device=device)
    embedded = torch.ones(2, 3, 4, device=device)
    packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
    """
    after = fix_texts({"main.py": dedent(text)}, wanted=Applicability.UNSAFE)[0]["main.py"]
    assert after.endswith(
        "packed = pack_padded_sequence(\n"
        "    embedded, lengths.cpu(), batch_first=True, enforce_sorted=False\n"
        ")\n"
    )
