"""Template strings, which Python 3.14 has: what stands in them runs, and is judged like anything else that does."""

from __future__ import annotations

import sys

import pytest
from text_program import clashes, fix_texts

pytestmark = pytest.mark.skipif(sys.version_info < (3, 14), reason="Python 3.14 has template strings")

HEAD = """\
import torch

layer = torch.nn.Linear(2, 2).cuda()
x = torch.ones(1, 2)
"""


def test_a_call_in_a_template_is_judged() -> None:
    assert clashes(HEAD + 'shown = t"{layer(x)}"\n') == ["5: device"]


def test_a_fix_in_a_template_keeps_the_rest() -> None:
    text = HEAD.replace("x = torch.ones(1, 2)\n", "") + 'shown = t"{layer(torch.ones(1, 2))!r:>{9}} of"\n'
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert not clashes(fixed)
    assert fixed.endswith('!r:>{9}} of"\n')


def test_a_name_that_a_template_binds_is_what_it_was_bound_to() -> None:
    assert not clashes(HEAD + 'shown = t"{(x := x.cuda()).shape}"\nlayer(x)\n')


def test_handlers_without_parentheses_stay_as_they_are() -> None:
    text = HEAD + "try:\n    layer(x)\nexcept ValueError, TypeError:\n    pass\n"
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert "except ValueError, TypeError:" in fixed
    assert not clashes(fixed)
