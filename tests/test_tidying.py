"""What several passes have written reads as if it had been written at once; what was there stays."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability, Span
from devfix.source import Source
from devfix.tidying import tidied


def tidy(before: str, after: str, *idle: str, others: dict[str, tuple[str, str]] | None = None) -> str:
    """How ``after`` reads when it is tidy; the calls in ``idle`` move nothing."""
    texts = {"main.py": (dedent(before), dedent(after)), **(others or {})}
    first, last = ({path: Source(path, pair[side]) for path, pair in texts.items()} for side in (0, 1))
    text = texts["main.py"][1]
    spans = [("main.py", _span(text, call)) for call in idle]
    return tidied(first, last, spans).get("main.py", text)


def _span(text: str, call: str) -> Span:
    start = text.index(call)
    line, column = text.count("\n", 0, start) + 1, start - (text.rfind("\n", 0, start) + 1)
    return Span(line, column, line, column + len(call))


def test_a_move_that_moves_nothing_is_taken_back() -> None:
    assert tidy("y = f(x)\n", "y = f(x.to(device))\n", "x.to(device)") == "y = f(x)\n"


def test_its_parentheses_go_where_they_mean_nothing() -> None:
    after = "y = (a * b).to(c.device) + c\n"
    assert tidy("y = a * b + c\n", after, "(a * b).to(c.device)") == "y = a * b + c\n"
    assert tidy("y = (a + b) * c\n", "y = (a + b).to(d) * c\n", "(a + b).to(d)") == "y = (a + b) * c\n"


def test_of_two_moves_the_idle_one_goes() -> None:
    after = "y = x.to(a.device).to(b.device)\n"
    assert tidy("y = x\n", after, "x.to(a.device)") == "y = x.to(b.device)\n"
    assert tidy("y = x\n", after, "x.to(a.device).to(b.device)") == "y = x.to(a.device)\n"


def test_the_statement_goes_that_is_nothing_but_the_move() -> None:
    after = "x = f()\nx = x.to(device)\ng(x)\n"
    assert tidy("x = f()\ng(x)\n", after, "x.to(device)") == "x = f()\ng(x)\n"


def test_so_does_the_statement_that_moves_a_model() -> None:
    after = "self.d = d\nmodel.to(self.d)\n"
    assert tidy("self.d = d\n", after, "model.to(self.d)") == "self.d = d\n"
    alone = "if d:\n    model.to(d)\n"
    assert tidy("", alone, "model.to(d)") == "if d:\n    model\n"


@pytest.mark.parametrize("value", ["tuple(part.to(d) for part in h)", "[part.to(d) for part in h]"])
def test_what_moves_each_part_goes_as_a_whole(value: str) -> None:
    assert tidy("y = f(x, h)\n", f"y = f(x, {value})\n", "part.to(d)") == "y = f(x, h)\n"


@pytest.mark.parametrize(
    ("value", "left"),
    [
        ("tuple(part.to(d) for part in h if part)", "tuple(part for part in h if part)"),
        ("max(part.to(d) for part in h)", "max(part for part in h)"),
        ("[part.to(d) for parts in h for part in parts]", "[part for parts in h for part in parts]"),
    ],
)
def test_what_does_more_than_that_stays(value: str, left: str) -> None:
    assert tidy(f"y = f(x, {left})\n", f"y = f(x, {value})\n", "part.to(d)") == f"y = f(x, {left})\n"


def test_what_was_written_for_each_part_stays() -> None:
    before = "y = f(x, [part.to(d) for part in h])\nz = x\n"
    after = "y = f(x, [part.to(d) for part in h])\nz = x.to(d)\n"
    assert tidy(before, after, "part.to(d)") == after


def test_of_several_names_the_idle_ones_go() -> None:
    before = "x, y, z = f()\ng(x)\n"
    after = "x, y, z = f()\nx, y, z = x.to(d), y.to(d), z.to(d)\ng(x)\n"
    moves = {name: f"{name}.to(d)" for name in "xyz"}
    head, tail = "x, y, z = f()\n", "g(x)\n"
    assert tidy(before, after, moves["x"]) == f"{head}y, z = y.to(d), z.to(d)\n{tail}"
    assert tidy(before, after, moves["y"]) == f"{head}x, z = x.to(d), z.to(d)\n{tail}"
    assert tidy(before, after, moves["y"], moves["z"]) == f"{head}x = x.to(d)\n{tail}"
    assert tidy(before, after, moves["x"], moves["z"]) == f"{head}y = y.to(d)\n{tail}"
    assert tidy(before, after, *moves.values()) == before


def test_moves_that_were_there_stay() -> None:
    text = "x = f().to(device)\ny = x.to(device)\n"
    assert tidy(text, text, "x.to(device)") == text
    changed = "x = f().to(device)\ny = h(x.to(device), z.to(device))\n"
    before = "x = f().to(device)\ny = h(x.to(device), z)\n"
    assert tidy(before, changed, "x.to(device)") == changed


def test_new_moves_of_one_unpacking_stand_on_one_line_in_its_order() -> None:
    before = """
        for x, y in loader:
            f(x, y)
    """
    after = """
        for x, y in loader:
            y = y.to(device)
            x = x.to(device)
            f(x, y)
    """
    assert "\n    x, y = x.to(device), y.to(device)\n    f(x, y)" in tidy(before, after)


def test_lines_that_were_there_are_not_joined() -> None:
    before = "x.cuda()\ny.cuda()\nf(x, y)\n"
    after = "x = x.cuda()\ny = y.cuda()\nf(x, y)\n"
    assert tidy(before, after) == after


def test_a_line_that_would_be_too_long_stays_several_in_order() -> None:
    names = [f"a_rather_long_name_{letter}" for letter in "abc"]
    head = f"{', '.join(names)} = f()\n"
    moves = [f"{name} = {name}.to(device)\n" for name in names]
    assert tidy(head, head + "".join(reversed(moves))) == head + "".join(moves)


def test_moves_to_different_devices_stay_apart() -> None:
    head = "x, y = f()\n"
    after = f"{head}x = x.to(a.device)\ny = y.to(b.device)\n"
    assert tidy(head, after) == after


def test_a_move_to_where_its_neighbour_has_just_moved_names_the_same_device() -> None:
    head = "x, y, z = f()\n"
    after = f"{head}x = x.to(device)\ny, z = (t.to(x.device) for t in (y, z))\n"
    assert tidy(head, after) == f"{head}x, y, z = x.to(device), y.to(device), z.to(device)\n"
    other = f"{head}x = x.to(y.device)\nz = z.to(y.device)\n"
    assert tidy(head, other) == f"{head}x, z = x.to(y.device), z.to(y.device)\n"
    renewed = f"{head}x = x.to(y.device)\ny = y.to(x.device)\n"
    assert tidy(head, renewed) == renewed


def test_a_device_that_is_asked_for_again_gets_a_name() -> None:
    before = '''
        def score(model, batch):
            """How good it is."""
            a = zeros(3)
            return model(batch) - a
    '''
    asked = "next(model.parameters()).device"
    after = before.replace("zeros(3)", f"zeros(3, device={asked})").replace(
        "(batch) -", f"(batch.to({asked})) -"
    )
    assert tidy(before, after) == dedent(
        '''
        def score(model, batch):
            """How good it is."""
            device = next(model.parameters()).device
            a = zeros(3, device=device)
            return model(batch.to(device)) - a
    '''
    )


def test_no_name_where_it_is_asked_for_once_or_the_name_is_taken() -> None:
    asked = "next(model.parameters()).device"
    once = f"def f(model, x):\n    return model(x.to({asked}))\n"
    assert tidy("def f(model, x):\n    return model(x)\n", once) == once
    before = "def f(model, x, device):\n    y = g(device)\n    return model(x) + y\n"
    taken = f"def f(model, x, device):\n    y = g(device).to({asked})\n    return model(x.to({asked})) + y\n"
    assert tidy(before, taken) == taken
    again = "def f(model, x):\n    y = x\n    model = wrap(model)\n    return model(x) + y\n"
    bound = f"def f(model, x):\n    y = x.to({asked})\n    model = wrap(model)\n    return model(x.to({asked})) + y\n"
    assert tidy(again, bound) == bound


def test_an_attribute_that_nobody_asks_for_any_more_goes() -> None:
    before = "class A:\n    def __init__(self, net):\n        self.net = net\n"
    after = f"{before}        self.device = next(net.parameters()).device\n"
    assert tidy(before, after) == before
    elsewhere = {"other.py": ("a = f(net)\n", "a = f(net).to(agent.device)\n")}
    assert tidy(before, after, others=elsewhere) == after
    used = f"{after}        self.x = zeros(3, device=self.device)\n"
    assert tidy(before, used) == used


def test_one_move_is_left_of_two_that_one_root_was_given() -> None:
    texts = files(
        """
        import torch


        class Noise:
            def __init__(self, scale):
                self.scale = scale

            def __call__(self, x):
                return x * self.scale


        class Decay:
            def __init__(self, scale):
                self.scale = scale

            def __call__(self, x):
                return x - self.scale


        model = torch.nn.Linear(3, 3)
        scale = torch.linspace(0, 1, 3)
        noise, decay = Noise(scale), Decay(scale)
        x = model(torch.ones(4, 3))
        print(noise(x).sum().item(), decay(x).sum().item(), (x + scale).sum().item())
        """
    )
    after = fix_texts(texts, Applicability.UNSAFE, adopt=True)[0]["main.py"]
    assert "scale = torch.linspace(0, 1, 3, device=device)" in after
    assert "self.scale.to(" not in after


def test_an_argument_of_which_parts_move_again_and_again_moves_at_the_top() -> None:
    before = '''
        def encode(boxes, anchors):
            """Offsets."""
            return cat([boxes[:, :2] - anchors[:, :2], boxes[:, 2:] / anchors[:, 2:]])
    '''
    after = before.replace("anchors[:, :2]", "anchors[:, :2].to(boxes.device)")
    after = after.replace("anchors[:, 2:]", "anchors[:, 2:].to(boxes.device)")
    wanted = before.replace("    return", "    anchors = anchors.to(boxes.device)\n            return")
    assert tidy(before, after) == dedent(wanted)


def test_an_argument_that_one_branch_alone_takes_apart_moves_in_that_branch() -> None:
    before = """
        def score(table, pair, mode):
            if mode == "one":
                found = take(table, pair[:, 0]) + take(table, pair[:, 1])
            else:
                left, right = pair
                found = take(table, left) + take(table, right)
            return found
    """
    moved = before.replace("pair[:, 0]", "pair[:, 0].to(table.device)")
    moved = moved.replace("pair[:, 1]", "pair[:, 1].to(table.device)")
    once = "        pair = pair.to(table.device)\n                found = take(table, pair[:, 0]"
    assert tidy(before, moved) == dedent(before.replace("        found = take(table, pair[:, 0]", once))
    both = moved.replace("left, right = pair", "left, right = pair[:, 2:].to(table.device)")
    at_top = "    pair = pair.to(table.device)\n            if mode"
    wanted = before.replace("= pair\n", "= pair[:, 2:]\n").replace("    if mode", at_top)
    assert tidy(before, both) == dedent(wanted)


def test_an_argument_that_is_something_else_in_a_branch_moves_where_it_is_taken_apart() -> None:
    before = """
        def score(table, pair, mode):
            if mode == "both":
                return take(table, *pair)
            elif mode == "one":
                found = take(table, pair[:, 0])
            else:
                found = take(table, pair[:, 1])
            return found
    """
    moved = before.replace("pair[:, 0]", "pair[:, 0].to(table.device)")
    moved = moved.replace("pair[:, 1]", "pair[:, 1].to(table.device)")
    assert tidy(before, moved) == dedent(moved)


def test_moves_stay_where_the_top_does_not_know_the_device_or_the_argument_is_bound_again() -> None:
    before = "def f(x, net):\n    h = net(x)\n    return h + x[0] - x[1]\n"
    after = before.replace("x[0]", "x[0].to(h.device)").replace("x[1]", "x[1].to(h.device)")
    assert tidy(before, after) == after
    bound = before.replace("    return", "    x = g(x)\n    return")
    moved = bound.replace("x[0]", "x[0].to(net.device)").replace("x[1]", "x[1].to(net.device)")
    assert tidy(bound, moved) == moved
    once = before.replace("x[0]", "x[0].to(net.device)")
    assert tidy(before, once) == once


def test_an_argument_that_stays_on_the_host_for_others_moves_for_each_use() -> None:
    texts = files(
        """
        import numpy as np
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(2, 1).to(device)


        def score(pred, target):
            error = (pred - target[:, :1]).abs() + (pred - target[:, 1:]).abs()
            return error.mean().item() + np.mean(target.numpy())


        x = torch.ones(4, 2)
        print("RESULT", score(model(x.to(device)), torch.zeros(4, 2)))
        """
    )
    after = fix_texts(texts, Applicability.UNSAFE)[0]["main.py"]
    assert "target = target.to(" not in after or "target.cpu().numpy()" in after


def test_parts_of_a_dict_go_on_moving_one_by_one_where_others_do() -> None:
    texts = files(
        """
        import torch
        from torch.utils.data import DataLoader, Dataset


        class Rows(Dataset):
            def __len__(self):
                return 8

            def __getitem__(self, i):
                return {"x": torch.ones(2), "y": torch.zeros(1)}


        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = torch.nn.Linear(2, 1).to(device)
        for row in DataLoader(Rows(), 4):
            x = row["x"].to(device)
            y = row["y"]
            print((model(x) - y).abs().mean().item())
        """
    )
    after = fix_texts(texts, Applicability.UNSAFE)[0]["main.py"]
    assert '    y = row["y"].to(device)\n' in after
    assert "row.items()" not in after


def test_a_second_cuda_of_one_name_is_taken_back() -> None:
    after = "y = y.cuda()\nx = x.cuda()\ny = y.cuda()\nf(x, y)\n"
    second = Span(3, 4, 3, 12)
    sources = [{"main.py": Source("main.py", text)} for text in ("x = x.cuda()\nf(x, y)\n", after)]
    assert tidied(sources[0], sources[1], [("main.py", second)]) == {
        "main.py": "y = y.cuda()\nx = x.cuda()\nf(x, y)\n"
    }


@pytest.mark.parametrize("part", ['x["a"]', "x[0]", "x[key]", "x[0][:, 1]", "x[0, 1]"])
def test_entries_of_what_may_be_a_dict_or_a_list_go_on_moving_one_by_one(part: str) -> None:
    before = f"def f(x, net, key):\n    return net({part}) + g({part})\n"
    after = before.replace(part, f"{part}.to(net.device)")
    assert tidy(before, after) == after


@pytest.mark.parametrize("part", ["x[1:]", "x[..., 0]", "x[None]", "x[:, 0][1]", "x", "x.mT", "x[1:].mT"])
def test_pieces_of_a_tensor_move_as_a_whole(part: str) -> None:
    before = f"def f(x, net):\n    return net({part}) + g({part})\n"
    after = before.replace(f"({part})", f"({part}.to(net.device))")
    moved = before.replace("    return", "    x = x.to(net.device)\n    return")
    assert tidy(before, after) == moved


def test_what_another_object_may_have_as_well_moves_as_a_whole_beside_the_whole() -> None:
    before = "def f(x, net):\n    return net(x.T) + g({})\n"
    after = "def f(x, net):\n    return net(x.T.to(net.device)) + g({}.to(net.device))\n"
    assert tidy(before.format("x.T"), after.format("x.T")) == after.format("x.T")
    moved = before.format("x").replace("    return", "    x = x.to(net.device)\n    return")
    assert tidy(before.format("x"), after.format("x")) == moved


UNPACKED = "a, b = (f(x) for x in batch)\n"


def test_what_a_comprehension_gives_moves_in_it() -> None:
    moves = "a, b = a.to(d), b.to(d)\n"
    assert tidy(UNPACKED, UNPACKED + moves) == "a, b = (f(x).to(d) for x in batch)\n"
    assert tidy("a, b = [x + 1 for x in y]\n", "a, b = [x + 1 for x in y]\na = a.cuda()\nb = b.cuda()\n") == (
        "a, b = [(x + 1).cuda() for x in y]\n"
    )


@pytest.mark.parametrize(
    "moves",
    [
        "a = a.to(d)\n",
        "a, b = a.to(x.device), b.to(x.device)\n",
        "a = a.to(d)\nb = b.to(e)\n",
        "a, c = a.to(d), c.to(d)\n",
    ],
)
def test_it_gives_what_it_gave_where_not_all_move_alike(moves: str) -> None:
    assert tidy(UNPACKED, UNPACKED + moves) == UNPACKED + moves


def test_moves_that_were_there_stay_behind_the_comprehension() -> None:
    text = UNPACKED + "a, b = a.to(d), b.to(d)\n"
    assert tidy(text, text + "c = c.to(d)\n") == text + "c = c.to(d)\n"


def test_many_parts_move_where_they_are_taken_out() -> None:
    names = ["states", "actions", "rewards", "next_states", "dones"]
    moves = "".join(f"    {name} = {name}.to(self.device)\n" for name in names)
    unpacking = f"    {', '.join(names)} = batch\n"
    head = "def learn(self, batch):\n"
    assert tidy(head + unpacking, head + unpacking + moves) == (
        f"{head}    {', '.join(names)} = (t.to(self.device) for t in batch)\n"
    )
    loop = "for s, a, r, s2, d in loader:\n    pass\n"
    moves = "".join(f"    {name} = {name}.to(config.device)\n" for name in ["s", "a", "r", "s2", "d"])
    assert tidy(loop, loop.replace("    pass\n", moves + "    pass\n")) == (
        "for s, a, r, s2, d in loader:\n"
        "    s, a, r, s2, d = (t.to(config.device) for t in (s, a, r, s2, d))\n    pass\n"
    )


_CHOICE = 'device = torch.device("cuda")\n'


def test_a_variable_that_nothing_reads_any_more_goes() -> None:
    before = "import torch\n\nx = f(torch.device)\n"
    after = f"import torch\n\n{_CHOICE}\nx = f(torch.device)\n"
    assert tidy(before, after) == before
    other = {"other.py": ("import torch\nz = 1\n", "import torch\nz = self.x.device\n")}
    assert tidy(before, after, others=other) == before


@pytest.mark.parametrize(
    ("before", "after", "other"),
    [
        ("import torch\n\nx = f()\n", f"import torch\n\n{_CHOICE}\nx = f(device)\n", "z = 2\n"),
        (f"import torch\n{_CHOICE}x = f()\n", f"import torch\n{_CHOICE}x = f(1)\n", "z = 2\n"),
        ('import torch\ndevice = "cuda"\nx = f()\n', f"import torch\n{_CHOICE}x = f()\n", "z = 2\n"),
        ("import torch\n\nx = f()\n", f"import torch\n\n{_CHOICE}\nx = f()\n", "from main import device\n"),
        ("import torch\n\nx = f()\n", f"import torch\n\n{_CHOICE}\nx = f()\n", "from main import *\n"),
        (
            "import torch\n\nx = f()\n",
            f"import torch\n\n{_CHOICE}\nx = f()\n",
            "import main as m\nm.device\n",
        ),
    ],
)
def test_a_variable_that_something_may_read_stays(before: str, after: str, other: str) -> None:
    assert tidy(before, after, others={"other.py": ("z = 1\n", other)}) == after


_LOOP = """
def main():
    for step in range(3):
        x, y = draw(8)
        loss = smoothed(model(x), y)
        print(loss{more})
"""


def _late(more: str = "", suffix: str = ".to(device)") -> str:
    text = _LOOP.format(more=more)
    moved = text.replace("draw(8)\n", "draw(8)\n        x = x.to(device)\n")
    return moved.replace("model(x), y)", f"model(x), y{suffix})")


def test_what_moves_where_it_is_used_once_moves_with_what_it_was_unpacked_with() -> None:
    text = _LOOP.format(more="")
    together = text.replace("draw(8)\n", "draw(8)\n        x, y = x.to(device), y.to(device)\n")
    assert tidy(text, _late()) == together
    loop = "for x, y in loader:\n    f(g(x), y)\n"
    moved = "for x, y in loader:\n    x = x.to(d)\n    f(g(x), y.to(d))\n"
    assert tidy(loop, moved) == "for x, y in loader:\n    x, y = x.to(d), y.to(d)\n    f(g(x), y)\n"


@pytest.mark.parametrize(("more", "suffix"), [(", y.sum()", ".to(device)"), ("", ".to(other)")])
def test_what_is_used_otherwise_or_moves_elsewhere_moves_there(more: str, suffix: str) -> None:
    after = _late(more, suffix)
    assert tidy(_LOOP.format(more=more), after) == after


def test_what_moves_in_some_cases_alone_moves_there() -> None:
    before = "for x, y in loader:\n    f(x)\n    if train:\n        g(y)\n"
    after = before.replace("    f(x)", "    x = x.to(d)\n    f(x)").replace("g(y)", "g(y.to(d))")
    assert tidy(before, after) == after


def test_a_move_that_somebody_wrote_stays() -> None:
    before = "for x, y in loader:\n    f(x, y.to(d))\n"
    after = before.replace("    f(", "    x = x.to(d)\n    f(")
    assert tidy(before, after) == after


def test_new_lines_are_as_long_as_those_of_the_file() -> None:
    names = "observations, actions, rewards, following"
    before = f"{names} = self.memory.sample(batch)\n"
    moves = "".join(f"{name} = {name}.to(device)\n" for name in names.split(", "))
    line = f"{names} = (t.to(device) for t in ({names}))\n"
    assert tidy(before + "f()\n", before + moves + "f()\n") == before + moves + "f()\n"
    long = f"# {'-' * len(line)}\n"
    assert tidy(long + before + "f()\n", long + before + moves + "f()\n") == long + before + line + "f()\n"


def test_moves_side_by_side_name_one_device() -> None:
    before = "for x, y in loader:\n    f(g(x), y)\n"
    moves = "    x = x.to({})\n    y = y.to({})\n"
    asked, told = "next(g.parameters()).device", 'args["device"]'
    for order in ((asked, told), (told, asked)):
        after = before.replace("    f(", moves.format(*order) + "    f(")
        line = f"    x, y = x.to({told}), y.to({told})\n"
        assert tidy(before, after) == before.replace("    f(", line + "    f(")
    own = before.replace("    f(", moves.format(asked, "x.device") + "    f(")
    assert tidy(before, own) == own


_FORWARD = """
    class Net:
        def forward(self, x):
            h = zeros(3{one})
            c = zeros(3{two})
            y = self.cell(x, (h, c))
            z = ones(4{three})
            return y + z, self.last(y.to(z.device){four})
"""
_ASK = ", device=next(self.parameters()).device"


def test_where_a_module_is_asked_again_and_again_new_moves_follow_no_tensor() -> None:
    """What the author had follow one stays."""
    before = _FORWARD.format(one="", two="", three="", four="")
    after = _FORWARD.format(one=_ASK, two=_ASK, three=", device=y.device", four=".to(h.device)")
    named = _FORWARD.format(
        one=", device=device", two=", device=device", three=", device=device", four=".to(device)"
    ).replace("h = ", "device = next(self.parameters()).device\n            h = ")
    assert tidy(before, after) == dedent(named)


def test_where_it_is_asked_once_they_do() -> None:
    before = _FORWARD.format(one="", two="", three="", four="")
    after = _FORWARD.format(one=_ASK, two="", three=", device=y.device", four="")
    assert tidy(before, after) == dedent(after)


def test_a_device_goes_that_something_is_made_on_anyway() -> None:
    after = "y = torch.zeros_like(x, device=z.device)\n"
    assert tidy("y = torch.zeros_like(x)\n", after, after[4:-1]) == "y = torch.zeros_like(x)\n"
    after = "y = torch.zeros_like(x, device=z.device, dtype=d)\n"
    assert (
        tidy("y = torch.zeros_like(x, dtype=d)\n", after, after[4:-1]) == "y = torch.zeros_like(x, dtype=d)\n"
    )


def test_a_device_that_was_there_stays() -> None:
    after = "y = torch.zeros_like(x, device=z.device) + 1\n"
    assert tidy("y = torch.zeros_like(x, device=z.device)\n", after, after[4:-5]) == after


def test_an_import_goes_with_its_last_use() -> None:
    before = "from typing import Dict, List\nx: List[int] = f()\ny: Dict[int, int] = g()\n"
    after = "from typing import Dict, List\nx = M(f())\ny: Dict[int, int] = g()\n"
    assert tidy(before, after) == after.replace("Dict, List", "Dict")
    alone = before.replace("Dict, List", "List").replace("y: Dict[int, int]", "y")
    assert tidy(alone, "from typing import List\nx = M(f())\ny = g()\n") == "x = M(f())\ny = g()\n"
    between = "import torch\n\nfrom typing import List\n\nx{} = f()\n"
    assert tidy(between.format(": List"), between.format("")) == "import torch\n\nx = f()\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "from typing import Dict, List\nx: List[int] = f()\n",
            "from typing import Dict, List\nx: List[str] = f()\n",
            id="still used, or never used",
        ),
        pytest.param(
            "from typing import List\n__all__ = ['List']\nx: List[int] = f()\n",
            "from typing import List\n__all__ = ['List']\nx = f()\n",
            id="said in a text",
        ),
        pytest.param(
            "from settings import DEVICE\nx = f(DEVICE)\n",
            "from settings import DEVICE\nx = f()\n",
            id="all that is imported from a module that may do something",
        ),
    ],
)
def test_other_imports_stay(before: str, after: str) -> None:
    assert tidy(before, after) == after


@pytest.mark.parametrize(
    "other", ["from main import *\n", "from main import List\n", "import main\nmain.List\n"]
)
def test_an_import_stays_that_another_file_may_have_from_there(other: str) -> None:
    before, after = "from typing import List\nx: List[int] = f()\n", "from typing import List\nx = M(f())\n"
    assert tidy(before, after, others={"other.py": (other, other)}) == after
    own = "from typing import List\nimport typing\ntyping.List\n"
    assert tidy(before, after, others={"other.py": (own, own)}) == "x = M(f())\n"


def test_what_moves_in_both_branches_of_a_choice_moves_as_a_whole() -> None:
    before = "net = Net(4) if deep else Flat()\n"
    after = "net = Net(4).to(device) if deep else Flat().to(device)\n"
    assert tidy(before, after) == "net = (Net(4) if deep else Flat()).to(device)\n"
    assert tidy("f((A() if b else B()))\n", "f((A().to(d) if b else B().to(d)))\n") == (
        "f((A() if b else B()).to(d))\n"
    )
    assert tidy("f(A() if b else B())\n", "f(A().to(d) if b else B().to(d))\n") == (
        "f((A() if b else B()).to(d))\n"
    )
    assert tidy("f (A() if b else B())\n", "f (A().to(d) if b else B().to(d))\n") == (
        "f ((A() if b else B()).to(d))\n"
    )
    assert tidy(
        "n = (\n    A()\n    if b else B()\n)\n", "n = (\n    A().to(d)\n    if b else B().to(d)\n)\n"
    ) == ("n = (\n    A()\n    if b else B()\n).to(d)\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("n = A() if b else B()\n", "n = A().to(d) if b else B().to(e)\n"),
        ("n = A() if b else B()\n", "n = A().to(d) if b else B()\n"),
        ("n = A().to(d) if b else B()\n", "n = A().to(d) if b else B().to(d)\n"),
    ],
    ids=["elsewhere", "one of them", "one that somebody wrote"],
)
def test_other_choices_stay(before: str, after: str) -> None:
    assert tidy(before, after) == after


def test_what_is_unpacked_again_and_again_moves_with_its_siblings_each_time() -> None:
    before = """\
    def main():
        for step in range(3):
            s, v = market(9)
            f(g(s, v), s)
        s, v = market(20)
        f(g(s, v), s, v)
    """
    after = """\
    def main():
        for step in range(3):
            s, v = market(9)
            s = s.to(device)
            f(g(s, v.to(device)), s)
        s, v = market(20)
        s = s.to(device)
        f(g(s, v.to(device)), s, v.to(device))
    """
    assert tidy(before, after) == dedent(
        """\
        def main():
            for step in range(3):
                s, v = market(9)
                s, v = s.to(device), v.to(device)
                f(g(s, v), s)
            s, v = market(20)
            s, v = s.to(device), v.to(device)
            f(g(s, v), s, v)
        """
    )


def test_what_one_round_of_a_loop_leaves_to_the_next_moves_where_it_is_used() -> None:
    before = "def f():\n    s, v = g()\n    for _ in r:\n        h(s, v)\n        s, v = g()\n"
    after = before.replace("g()\n    for", "g()\n    s = s.to(d)\n    for").replace(
        "h(s, v)", "h(s, v.to(d))"
    )
    assert tidy(before, after) == after


def test_what_a_script_makes_moves_where_it_gets_its_name() -> None:
    before = (
        "device = d\nfor it in range(9):\n    pts = draw(it)\n    f(pts)\n    g(pts)\npts = grid()\nf(pts)\n"
    )
    after = before.replace("f(pts)\n    g(pts)", "f(pts.to(device))\n    g(pts.to(device))")
    once = before.replace("draw(it)", "draw(it).to(device)")
    assert tidy(before, after) == once
    read = "def show():\n    return pts\n"
    assert tidy(read + before, read + after) == read + after
    for other in (
        "def show(pts=pts):\n    return pts\n",
        "@shown(pts)\ndef show(pts):\n    return pts\n",
        "def show():\n    global pts\n    pts = 1\n",
        "class Shown(shown(pts)):\n    pass\n",
    ):
        assert tidy(before + other, after + other) == after + other
    own = "def show(pts):\n    return pts\n"
    assert tidy(own + before, own + after) == own + once
    late = before.replace("device = d\n", "") + "device = d\n"
    moved = after.replace("device = d\n", "") + "device = d\n"
    assert tidy(late, moved) == moved


_KIN = """\
def f(x, y):
    h = self.lin(x).view(-1)
    e = F.relu(h) + 1
    e = e * 2
    a = torch.zeros(3{})
    b = torch.ones(3{})
    return e + a + b
"""


def _kin(one: str, other: str, text: str = _KIN) -> str:
    """What becomes of two devices that are told."""
    return tidy(text.format("", ""), text.format(f", device={one}", f", device={other}"))


def test_what_comes_of_a_tensor_is_where_that_is() -> None:
    assert _kin("e.device", "x.device") == _KIN.format(", device=x.device", ", device=x.device")
    assert _kin("h.device", "e.device") == _KIN.format(", device=h.device", ", device=h.device")
    second = "two = Stage('cuda:1')\n" + _KIN
    assert _kin("e.device", "x.device", second) == second.format(", device=e.device", ", device=x.device")
    again = _KIN.replace("e = F", "x = x.cpu()\n    e = F")
    assert _kin("e.device", "x.device", again) == again.format(", device=e.device", ", device=x.device")
    moved = _KIN.replace("self.lin(x)", "torch.rand(3).to(device)")
    assert _kin("e.device", "device", moved) == moved.format(", device=device", ", device=device")


@pytest.mark.parametrize(
    "bound",
    [
        "h = self.lin(x).cpu()",
        "h = self.lin(x).to(y.device)",
        "h = measured(x)",
        "h = torch.rand(x.size(0), device=y.device)",
        "h = x if flag else y",
        "h: Tensor = self.lin(x)",
    ],
)
def test_what_may_be_elsewhere_is_asked_itself(bound: str) -> None:
    text = _KIN.replace("h = self.lin(x).view(-1)", bound)
    assert _kin("e.device", "x.device", text) == text.format(", device=e.device", ", device=x.device")


def test_new_texts_stand_in_the_quotes_of_the_file() -> None:
    before = "x = ['a', 'b', 'c']\nf(x)\n"
    after = (
        "device = torch.device(\"cuda\" if ok else \"cpu\")\nx = ['a', 'b', 'c']\nf(x)\ng(\"it's\", device)\n"
    )
    mine = after.replace('"cuda"', "'cuda'").replace('"cpu"', "'cpu'")
    assert tidy(before, after) == mine
    documented = '"""What it is."""\n'
    assert tidy(documented + before, documented + after) == documented + mine


@pytest.mark.parametrize(
    "before", ["x = ['a', 'b', \"c\"]\n", "x = ['a', 'b', 1]\n", "x = ['a', 'b', \"it's\"]\n"]
)
def test_a_file_with_both_kinds_or_few_texts_tells_nothing(before: str) -> None:
    after = f'd = torch.device("cuda")\n{before}f(d)\n'
    assert tidy(before, after) == after


def test_a_text_that_was_there_keeps_its_quotes() -> None:
    before = "x = ['a', 'b', 'c']\nf(\"\"\"one\"\"\", y)\n"
    after = "x = ['a', 'b', 'c']\nf(\"\"\"one\"\"\", y.to(d))\n"
    assert tidy(before, after) == after
