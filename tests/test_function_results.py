"""What a function makes for a module moves where the one method that calls it hands it on."""

from __future__ import annotations

from text_program import files, fix_texts

PROGRAM = """
    import torch
    from functools import lru_cache

    @lru_cache(maxsize=None)
    def grid(size):
        steps = torch.arange(size) + 0.5
        return {made}

    class Detector(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.head = torch.nn.Linear(4, 4)

        @property
        def anchors(self):
            {body}

        def loss(self, x, target):
            shift = self.head(x) * self.anchors{part}
            return (shift - target + self.anchors{part}).pow(2).mean()

        def predict(self, x):
            return {predicted}

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Detector().to(device)
    x = torch.ones(4, 4).to(device)
    print(model.loss(x, x), model.predict(x))
"""
MADE, BODY, PREDICTED = "torch.stack([steps] * 4)", "return grid(4)", "self.head(x) + self.anchors"
MOVED = "return grid(4).to(device)"


def _added(made: str = MADE, body: str = BODY, part: str = "", predicted: str = PREDICTED) -> list[str]:
    texts = files(PROGRAM.format(made=made, body=body, part=part, predicted=predicted))
    after = fix_texts(texts)[0]["main.py"].splitlines()
    return [line.strip() for line in after if line not in texts["main.py"].splitlines()]


def test_it_moves_once_for_all_who_read_it() -> None:
    assert _added() == [MOVED]


def test_a_documented_method_is_treated_alike() -> None:
    assert _added(body='"""The grid of all cells."""\n            return grid(4)') == [MOVED]


def test_what_several_methods_ask_for_moves_elsewhere() -> None:
    assert MOVED not in _added(predicted="self.head(x) + grid(4)")


def test_what_is_more_than_one_tensor_has_no_way_to_move() -> None:
    assert MOVED not in _added(made="torch.stack([steps] * 4), steps", part="[0]", predicted="x")


def test_a_module_that_moves_it_is_left_alone() -> None:
    assert _added(body=MOVED) == []
