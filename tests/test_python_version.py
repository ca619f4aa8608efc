"""What a program asks of Python's version is known where it matters to no program of today."""

from __future__ import annotations

import pytest
from text_program import Ending

from devfix.analysis.domain.values import Const

ASKED = "import sys\nimport six\nfrom sys import version_info\nanswer = {test}\n"


@pytest.mark.parametrize(
    ("test", "answer"),
    [
        ("sys.version_info > (3, 0)", True),
        ("version_info >= (3,)", True),
        ("sys.version_info >= (2, 7)", True),
        ("sys.version_info < (3, 5)", False),
        ("sys.version_info < (4, 0)", True),
        ("sys.version_info[0] < 3", False),
        ("sys.version_info.major == 3", True),
        ("six.PY2", False),
        ("six.PY3", True),
    ],
)
def test_python_is_python_3(test: str, answer: bool) -> None:
    assert Ending(ASKED.format(test=test))["answer"] == Const(answer)


@pytest.mark.parametrize(
    "test",
    [
        "sys.version_info >= (3, 12)",
        "sys.version_info < (3, 13)",
        "sys.version_info == (3, 8)",
        "sys.version_info.minor > 8",
        "sys.version_info > version()",
    ],
)
def test_which_python_3_it_is_nobody_knows(test: str) -> None:
    asked = ASKED.replace("import six", "from elsewhere import version")
    assert not isinstance(Ending(asked.format(test=test))["answer"], Const)
