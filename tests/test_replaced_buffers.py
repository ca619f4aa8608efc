"""What a method makes in place of a buffer of its module is made where that one is, or the caller's object says where."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

BOOK = """
    import torch
    from torch import nn

    class Book(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.size = size
            self.register_buffer("rows", torch.eye(size))
            {registered}

        def restart(self):
            self.usage = {made}

        def forward(self, x):
            self.usage += (x @ self.rows).sum(0)
            return x * self.usage
"""
MAIN = """
    import torch
    from book import Book

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    book = Book(3).to(device)
    for epoch in range(3):
        book.restart()
        print(book(torch.ones(2, 3).to(device)).sum())
"""
USAGE = 'self.register_buffer("usage", torch.zeros(size))'
ZEROS = "torch.zeros(self.size)"


def restarted(registered: str = USAGE, made: str = ZEROS) -> str:
    texts = files(MAIN, book=BOOK.format(registered=registered, made=made))
    return fix_texts(texts)[0]["book.py"]


@pytest.mark.parametrize(
    ("made", "after"),
    [
        (ZEROS, "torch.zeros(self.size, device=self.usage.device)"),
        ("torch.zeros(self.size).float()", "torch.zeros(self.size, device=self.usage.device).float()"),
        ("torch.rand(self.size)", "torch.rand(self.size).to(self.usage.device)"),
    ],
)
def test_what_replaces_a_buffer_is_made_where_it_was(made: str, after: str) -> None:
    text = restarted(made=made)
    assert f"self.usage = {after}" in text
    assert text == restarted(made=ZEROS).replace("torch.zeros(self.size, device=self.usage.device)", after)


@pytest.mark.parametrize(
    "registered",
    [
        'self.register_buffer("usage", None)',
        "self.usage = None",
        'if size > 2:\n                self.register_buffer("usage", torch.zeros(size))',
        'self.restart()\n            self.register_buffer("others", torch.zeros(size))',
        f"self.restart()\n            {USAGE}",
        f"{USAGE}\n            self.usage = None",
        'self.register_buffer("usage", torch.zeros(size) if size > 2 else None)',
    ],
)
def test_what_may_be_no_buffer_by_then_does_not_say_where(registered: str) -> None:
    assert "device=self.usage.device" not in restarted(registered)


def test_what_need_not_be_given_may_be_missing() -> None:
    book = BOOK.format(registered='self.register_buffer("usage", usage)', made=ZEROS)
    given = MAIN.replace("Book(3)", "Book(3, torch.ones(3))")
    for signature, is_there in (("size, usage", True), ("size, usage=None", False)):
        after = fix_texts(files(given, book=book.replace("(self, size)", f"(self, {signature})")))[0]
        assert ("device=self.usage.device" in after["book.py"]) is is_there


def test_what_is_deleted_before_that_does_not_say_where() -> None:
    book = BOOK.format(registered=USAGE, made=ZEROS)
    texts = files(
        MAIN, book=book.replace("self.usage = torch", "del self.usage\n            self.usage = torch")
    )
    after = fix_texts(texts)[0]["book.py"]
    assert after != texts["book.py"]
    assert "device=self.usage.device" not in after


def test_a_base_may_have_registered_it() -> None:
    book = BOOK.format(registered=USAGE, made=ZEROS)
    base, method = book.split("        def restart(self):")
    derived = f"{base}    class Kept(Book):\n        def restart(self):{method}"
    texts = files(MAIN.replace("import Book", "import Kept as Book"), book=derived)
    assert "device=self.usage.device" in fix_texts(texts)[0]["book.py"]
