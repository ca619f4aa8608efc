"""A function that gives back what it is given moves it, where what each of its calls gives has to be on the accelerator."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

MAIN = """
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    from helpers import ready

    net = torch.nn.Linear(3, 3).cuda()
    data = DataLoader(TensorDataset(torch.randn(12, 3), torch.zeros(12).long()), batch_size=4)
    for x, y in data:
        {ready}
        loss = torch.nn.functional.cross_entropy(net(x), y)
        loss.backward()
"""
HELPERS = """
    import torch
    from torch.autograd import Variable

    def ready(value, volatile=False):
        {body}
"""


def repaired(ready: str, body: str) -> tuple[bool, str]:
    """Whether the function changed alone, and how it reads."""
    texts = files(MAIN.format(ready=ready), helpers=HELPERS.format(body=body.replace("\n", "\n        ")))
    after = fix_texts(texts)[0]
    return after["main.py"] == texts["main.py"] and after != texts, after["helpers.py"]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("return value", "return value.to(device)"),
        (
            "if value.dim() > 9:\n    print(value)\nreturn Variable(value, volatile=volatile)",
            "return Variable(value, volatile=volatile).to(device)",
        ),
    ],
)
def test_it_moves_what_all_of_its_calls_give(body: str, line: str) -> None:
    alone, text = repaired("x, y = ready(x), ready(y)", body)
    assert alone
    assert line in text
    assert 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n' in text


@pytest.mark.parametrize(
    ("ready", "body"),
    [
        ("x, y = ready(x), y.cuda()", "return value"),
        ("x, y = ready(x), ready(y)", "if value.dim() > 9:\n    return value\nreturn value"),
        ("x, y = ready(x), ready(y)", "return value.contiguous()"),
        ("x, y = ready(x), ready(y)\n        print(ready(torch.ones(2)).numpy())", "return value"),
        ("x, y = map(ready, (x, y))", "return value"),
    ],
)
def test_what_some_call_may_need_on_the_host_moves_elsewhere(ready: str, body: str) -> None:
    alone, text = repaired(ready, body)
    assert not alone
    assert ".to(" not in text


@pytest.mark.parametrize("body", ["rest.append(value)\nreturn rest", "return rest"])
def test_what_it_gives_back_is_what_the_value_went_in_as(body: str) -> None:
    """``return self`` of a method that keeps a value is no way out for that."""
    text = f"""
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        x = torch.ones(4, device=device)

        def put(rest, value):
            {body.replace(chr(10), chr(10) + " " * 12)}

        kept = put([], torch.ones(4))
        kept = put(kept, torch.ones(4))
        for each in kept:
            x = x * each
    """
    assert "return rest\n" in fix_texts(files(text))[0]["main.py"]
