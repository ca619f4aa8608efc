"""Python's own values are worked out as far as that is cheap; what Python refuses is no crash."""

from __future__ import annotations

import pytest
from text_program import check_texts

HEAD = """\
import torch
x = torch.rand(3).cuda()
y = torch.rand(3)
"""

EXPRESSIONS = [
    "int(1e999)",
    "int(float('nan'))",
    "float('9' * 200)",
    "range(10 ** 30)",
    "range(123456789123456789123456789123456789)",
    "f'{0x" + "f" * 9_000 + "}'",
    "str(0x" + "f" * 9_000 + ")",
    "'%c' % 12345678",
    "'%*d' % (999999999999, 3)",
    "'%999999999999d' % 3",
    "'%.999999999999f' % 0.1",
    "'{:>999999999999}'.format(3)",
    "'{:{}}'.format(3, 999999999999)",
    "'{.x}'.format(3)",
    "'{0[x]}'.format(3)",
    "'{'.format(3)",
    "'7'.zfill(999999999999)",
    "'7'.zfill('x')",
    "f'{3:999999999999}'",
    "'a' * 999999999999",
    "[x] * 999999999999",
    "(x,) * 999999999999",
    "list(range(999999999999))",
    "1 << 999999999999",
    "10 ** 999999999999",
    "1 / 0, 1 // 0, 1 % 0, 1.0 % 0, 0 ** -1",
    "1e308 * 10 // 3",
    "torch.zeros(10 ** 30, device='cuda:' + '9' * 5000)",
    "x[10 ** 30], x[1e999], x['a'], x[None, ..., ::0]",
    "'\\ud800'.encode(), '\\ud800' + f'{x}\\udfff'",
    "''.split(''), ''.join([]), 'a'.partition('')",
]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=lambda text: text[:40])
def test_what_python_refuses_or_would_take_all_memory_for_is_no_crash(expression: str) -> None:
    assert [f.code for f in check_texts({"main.py": f"{HEAD}a = {expression}\nb = a, a\nx + y\n"})] == [
        "DF102"
    ]


def test_texts_and_numbers_do_not_grow_for_ever() -> None:
    lines = "s = s + s\nk = k * k\nu = f'{u}{u}'\nt = (t, t)\nl = l + l\nd = {'a': d, 'b': d}\n" * 200
    program = f"{HEAD}s, k, u, t, l, d = 'cuda', 12, 'cpu', (x, y), [x], {{}}\n{lines}x + y\n"
    assert [finding.code for finding in check_texts({"main.py": program})] == ["DF102"]
