"""Arguments that fixes move where they are used, one by one: they move together at the top of their function."""

import pytest
from test_tidying import tidy
from text_program import check_texts, files, fix_texts

BEFORE = """
class Loss:
    def __call__(self, inside, edge, start{more}):
        "What is wrong."
        a = self.model({inside}).mean()
        b = self.model({edge}).mean()
        goal = {goal}
        return a + b + (self.model({start}) - goal).mean()
"""
PLAIN = {"inside": "inside", "edge": "edge", "start": "start", "goal": "start[:, 0]", "more": ""}
MOVED = {name: f"{name}.to(self.device)" for name in ("inside", "edge", "start")}


def text(**parts: str) -> str:
    return BEFORE.format(**{**PLAIN, **parts})


def test_arguments_move_at_the_top_with_what_is_computed_from_them() -> None:
    before = text(goal="2 * start[:, 0]")
    after = text(**MOVED, goal="(2 * start[:, 0]).to(self.device)")
    line = "        inside, edge, start = (t.to(self.device) for t in (inside, edge, start))\n"
    assert tidy(before, after) == text(goal="(2 * start[:, 0]).to(self.device)").replace(
        "        a =", line + "        a ="
    )


def test_arguments_of_which_only_the_size_is_asked_move() -> None:
    before, after = text(goal="len(start)"), text(**MOVED, goal="len(start)")
    assert "        inside, edge, start = (t.to" in tidy(before, after)


def test_what_is_used_where_it_is_as_well_stays() -> None:
    before, after = text(goal="start.sum().item()"), text(**MOVED, goal="start.sum().item()")
    assert tidy(before, after) == after  # two lines are as well changed one by one
    more = "later({}, {}) + after({})"
    before = text(goal=more.format("edge", "inside", "start"))
    after = text(**MOVED, goal=more.format("edge.to(self.device)", "inside.to(self.device)", "start"))
    found = tidy(before, after)
    assert "        edge, inside = edge.to(self.device), inside.to(self.device)\n" in found
    assert "self.model(start.to(self.device))" in found


@pytest.mark.parametrize(
    "goal",
    [
        "inside.to(self.device) if edge is None else 3",
        "[inside.to(self.device) for _ in range(3)]",
        "inside is not None and inside.to(self.device)",
    ],
)
def test_what_moves_in_some_runs_alone_stays(goal: str) -> None:
    before = text(inside="1", goal=goal.replace(".to(self.device)", ""))
    after = text(**{**MOVED, "inside": "1"}, goal=goal)
    assert "inside = " not in tidy(before, after)


def test_moves_that_were_there_or_go_elsewhere_stay() -> None:
    assert tidy(text(**MOVED), text(**MOVED, goal="start[:, 0].to(self.device)")).count("self.device") == 4
    elsewhere = text(**{**MOVED, "edge": "edge.to(other)", "start": "start"})
    assert tidy(text(), elsewhere) == elsewhere


def test_a_device_that_the_function_makes_itself_is_not_known_at_its_top() -> None:
    parts = {name: f"{name}.to(goal.device)" for name in ("inside", "edge", "start")}
    assert tidy(text(), text(**parts)) == text(**parts)


def test_what_then_moves_nothing_is_taken_back() -> None:
    before = files("""
        import torch
        from torch import nn

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

        class Loss:
            def __init__(self, model):
                self.model = model.to(device)

            def __call__(self, inside, edge, start):
                a = self.model(inside).mean()
                b = self.model(edge).mean()
                goal = 2 * start[:, 0]
                return a + b + (self.model(start)[:, 0] - goal).mean()

        def points():
            return [torch.ones(3, 2), torch.ones(3, 2), torch.ones(3, 2)]

        loss = Loss(nn.Linear(2, 1))
        given = points()
        print(loss(*given), [each.numpy() for each in given])
    """)
    texts, _ = fix_texts(before)
    assert "goal = 2 * start[:, 0]\n" in texts["main.py"]
    assert check_texts(texts) == []
