"""What one loop or one assignment unpacks moves as its author moved the other parts."""

from __future__ import annotations

from textwrap import dedent

from text_program import fix_texts

HEAD = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.ones(4, 3), torch.zeros(4, dtype=torch.long)), batch_size=2)
loss_of = torch.nn.CrossEntropyLoss()
net = torch.nn.Linear(3, 2)
net.cuda()
"""


def fixed(body: str) -> list[str]:
    """The lines after the head once they are fixed."""
    text = fix_texts({"main.py": HEAD + dedent(body)})[0]["main.py"]
    assert text.startswith(HEAD)
    return [line.strip() for line in text.removeprefix(HEAD).splitlines()]


def test_moves_of_one_assignment_stand_side_by_side() -> None:
    lines = fixed("""
        for x, y in loader:
            x, y = x, y.cuda()
            print(loss_of(net(x), y))
    """)
    assert "x, y = x.cuda(), y.cuda()" in lines


def test_what_is_under_a_guard_is_followed_by_the_sibling() -> None:
    lines = fixed("""
        for batch in loader:
            x, y = batch
            if torch.cuda.is_available():
                y = y.cuda(non_blocking=True)
            print(loss_of(net(x), y))
    """)
    assert lines[3:6] == [
        "if torch.cuda.is_available():",
        "y = y.cuda(non_blocking=True)",
        "x = x.cuda(non_blocking=True)",
    ]


def test_names_that_each_branch_unpacks_move_behind_both() -> None:
    lines = fixed("""
        import sys
        for batch in loader:
            if len(sys.argv) > 1:
                y, x = batch[1], batch[0]
            else:
                x, y = batch
            y = y.cuda()
            print(loss_of(net(x), y))
    """)
    assert lines[7:9] == ["y = y.cuda()", "x = x.cuda()"]


def test_a_batch_behind_both_branches_without_a_sibling() -> None:
    lines = fixed("""
        device = torch.device("cuda")
        import sys
        for batch in loader:
            if len(sys.argv) > 1:
                y, x = batch
            else:
                x, y = batch
            print(net(x))
    """)
    assert lines[8:10] == ["x = x.to(device)", "print(net(x))"]


def test_what_is_moved_stays_as_it_is() -> None:
    body = """
        for x, y in loader:
            x, y = x.cuda(), y.cuda()
            print(loss_of(net(x), y))
    """
    assert fixed(body) == [line.strip() for line in dedent(body).splitlines()]
