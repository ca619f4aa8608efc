"""What has to hold of every program, whatever is in it."""

from __future__ import annotations

import ast
import io
import sysconfig
import tokenize
from collections import Counter
from pathlib import Path

import pytest
import sweeps
from generated_programs import HEAD, PROGRAMS
from hypothesis import HealthCheck, assume, example, given, settings
from text_program import check_texts, fix_texts

from devfix.findings import Applicability, Finding


def parses(text: str) -> bool:
    try:
        compile(text, "main.py", "exec", ast.PyCF_ONLY_AST)
    except SyntaxError:
        return False
    return True


def own_comments(text: str) -> Counter[str]:
    """The comments that stand on lines of their own."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return Counter(
        token.string
        for token in tokens
        if token.type == tokenize.COMMENT and token.line.lstrip().startswith("#")
    )


#: Freely fixed it ends worse than it began, and with care only once one fix has made another harmless.
IN_TWO_STEPS = (
    HEAD
    + """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, a, b=None):
        d['k'] = a  # kept
        return self.layer(a)
net = Net().to(device)
if flag:
    assert net(a).device == a.device
else:
    a = a.cuda()
a += (a).detach().cpu().numpy() + 2
def f(a, b=None):
    x, y = nn.CrossEntropyLoss(weight=torch.tensor([1., 2., 3.]))(net(a), c), a
    return a
"""
)


@pytest.mark.parametrize("adopt", [False, True])
@given(text=PROGRAMS)
@example(text=IN_TWO_STEPS)
@settings(
    max_examples=sweeps.number(20, all_of=60),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_fixing_ends_and_leaves_a_program(adopt: bool, text: str) -> None:
    """Nothing crashes, the result is Python, a second run changes nothing, no comment is lost."""
    assume(parses(text))
    once, reports = fix_texts({"main.py": text}, Applicability.UNSAFE, adopt=adopt)
    assert not [report.skipped for report in reports if report.skipped]
    fixed = once["main.py"]
    assert parses(fixed)
    assert not own_comments(text) - own_comments(fixed)
    assert fix_texts(once, Applicability.UNSAFE, adopt=adopt)[0] == once


@given(text=PROGRAMS)
@settings(
    max_examples=sweeps.number(20, all_of=60),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_findings_lie_in_the_text_and_fixes_add_none(text: str) -> None:
    """What the unsafe run finds wrong in the end is no more than what the safe run leaves."""
    assume(parses(text))
    texts = {"main.py": text}
    for finding in check_texts(texts):
        lies_in(text.splitlines(), finding)
    safe, unsafe = (fix_texts(texts, wanted)[1][0] for wanted in (Applicability.SAFE, Applicability.UNSAFE))
    assert len(unsafe.findings) <= len(safe.findings)


def lies_in(lines: list[str], finding: Finding) -> None:
    span = finding.span
    assert span.start < span.end
    assert 1 <= span.line <= span.end_line <= len(lines)
    assert span.column <= len(lines[span.line - 1])
    assert span.end_column <= len(lines[span.end_line - 1])
    assert finding.message.strip() == finding.message != ""


LIBRARY = Path(sysconfig.get_path("stdlib"))
#: Every so manieth file of the standard library: enough to meet every construct of the language.
_STEP = 12


def library_files() -> list[Path]:
    apart = {"site-packages", "test", "tests", "lib2to3", "idlelib", "encodings", "__pycache__"}
    files = [
        path for path in sorted(LIBRARY.rglob("*.py")) if not apart & set(path.relative_to(LIBRARY).parts)
    ]
    return files[::_STEP]


@pytest.mark.parametrize(
    "path", sweeps.some(library_files(), every=3), ids=lambda path: path.relative_to(LIBRARY).as_posix()
)
def test_the_standard_library_is_left_alone(path: Path) -> None:
    """Code without tensors is analysed (it says torch once, so that it is not skipped), and nothing is found."""
    text = path.read_text(encoding="utf-8") + "\nimport torch\n"
    texts = {path.name: text}
    fixed, reports = fix_texts(texts, Applicability.UNSAFE)
    assert [finding for report in reports for finding in report.findings] == []
    assert fixed == texts
