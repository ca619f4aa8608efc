"""After an edit a program is judged from what was found out before, and as if it had never been seen."""

from __future__ import annotations

import ast
import random
import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
import sweeps
from text_program import program, rules
from training_file import training_file

from devfix.analysis.domain import matching
from devfix.analysis.reuse.traced import TracingInterpreter
from devfix.config import Settings
from devfix.engine import Engine
from devfix.lsp.edited import EditedProgram, may_be_followed
from devfix.project import Program

ENGINE = Engine(rules(), Settings())
CORPUS = Path(__file__).parents[1] / "corpus"
EDITED = random.Random(1).sample(sorted(CORPUS.rglob("before.py")), 50)
PROGRAM = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        noise = torch.randn(3, 3)
        for _ in range(2):
            x = self.layer(x)
        return x + noise


def loss_of(net, batch):
    total = (net(batch) - 1).pow(2)
    return total.mean()


def schedule(warmup):
    start = 1

    def factor(step):
        return start + step / warmup

    return factor


def main():
    net = Net().cuda()
    optimizer = torch.optim.SGD(net.parameters())
    decay = schedule(5)
    for step in range(10):
        loss = loss_of(net, torch.ones(3, 3))
        loss.backward()
        optimizer.step()
        print(decay(step))
    torch.save(net.state_dict(), "net.pt")


main()
"""
TYPED = [
    "value = 1", "x = None", 'print("hello")', "items = [1, 2]", "y = torch.ones(3)", "x = x.to(device)",
    "model = model.cuda()", "return None", "def helper(a):", "if True:", "for i in range(3):",
    "self.extra = torch.zeros(3)", "x = x.cpu()", "pass", "# a comment", '"""text"""', "class A: pass",
    'torch.save(model.state_dict(), "a.pt")', 'model.load_state_dict(torch.load("a.pt"))',
    "with torch.no_grad():", "import torch", "LIMIT = 3", "return 1", "raise ValueError", "x = LIMIT", "del x",
    "for k in range(2): x = x * 2", "print(torch.ones(3).cuda() + torch.ones(3))", "x, y = y, x",
]  # fmt: skip
SWAPPED = [
    ("):", ", extra=None):"),
    ("cuda", "cpu"),
    (".to(device)", ""),
    ("1", "2"),
    ("float", "double"),
    ("x", "y"),
    ("self.", ""),
]


class Typist:
    """Changes lines of a text at places that chance finds."""

    def __init__(self, seed: str) -> None:
        self._chance = random.Random(seed)

    def edited(self, text: str) -> str:
        lines = text.splitlines(keepends=True)
        for _ in range(self._chance.choice([1, 1, 1, 2, 3])):
            if lines:
                self._edit(lines)
        return "".join(lines)

    def _edit(self, lines: list[str]) -> None:
        chance, number = self._chance.random(), self._chance.randrange(len(lines))
        line = lines[number]
        indent = line[: len(line) - len(line.lstrip())]
        if chance < 0.5:
            typed = self._chance.choice(TYPED)
            body = [f"{indent}    pass\n"] if typed.endswith(":") else []
            lines[number:number] = [f"{indent}{typed}\n", *body]
        elif chance < 0.65:
            del lines[number : number + self._chance.choice([1, 1, 3])]
        elif chance < 0.75:
            lines[number] = f"{indent}# {line.lstrip()}"
        elif chance < 0.85:
            lines[number:number] = ["\n"] * self._chance.randint(1, 6)
        else:
            old, new = self._chance.choice(SWAPPED)
            lines[number] = line.replace(old, new)


def parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def followed(before: Program, texts: list[str]) -> Iterator[bool]:
    """Whether each text could be followed; all are judged as by a new engine."""
    edited = EditedProgram(before)
    assert edited.judge(ENGINE, before) == ENGINE.judge(before)
    for text in filter(parses, texts):
        after = before.with_texts({"main.py": text})
        taken = edited.take(after.sources["main.py"])
        if not taken:
            edited = EditedProgram(after)
        assert edited.is_at(after)
        assert edited.judge(ENGINE, after) == ENGINE.judge(after), text
        yield taken


@pytest.mark.parametrize("path", sweeps.some(EDITED[:30], every=3), ids=str)
def test_corpus_programs_are_judged_as_if_they_were_new(path: Path) -> None:
    typist, texts = Typist(path.parent.name), [path.read_text(encoding="utf-8")]
    for _ in range(6):
        texts.append(typist.edited(texts[-1]))
    before = program(texts[0])
    if may_be_followed(before):
        assert list(followed(before, texts[1:])) is not None


def test_most_edits_can_be_followed() -> None:
    typist = Typist("most")
    taken = list(followed(program(PROGRAM), [typist.edited(PROGRAM) for _ in range(60)]))
    assert len(taken) > 30
    assert taken.count(True) > len(taken) * 0.5


def inserted(text: str, before: str, line: str) -> str:
    assert text.count(before) == 1, before
    indent = before[: len(before) - len(before.lstrip())]
    return text.replace(before, f"{indent}{line}\n{before}")


def calls_of(before: str, after: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions that are interpreted again after an edit; the judgement is that of a new engine."""
    first = program(before)
    second = first.with_texts({"main.py": after})
    edited = EditedProgram(first)
    edited.judge(ENGINE, first)
    assert edited.take(second.sources["main.py"])
    called: list[str] = []
    interpreted = TracingInterpreter.interpreted

    def counting(self: TracingInterpreter, function: object, site: object, *, alike: bool) -> object:
        called.append(getattr(function, "scope", ""))
        return interpreted(self, function, site, alike=alike)  # type: ignore[arg-type]

    monkeypatch.setattr(TracingInterpreter, "interpreted", counting)
    judged = edited.judge(ENGINE, second)
    monkeypatch.undo()
    assert judged == ENGINE.judge(second)
    return called


@pytest.mark.parametrize(
    ("before", "line", "expected"),
    [
        ("    return total.mean()\n", "value = 1", {"main", "loss_of"}),
        ("    return total.mean()\n", "# a remark", set()),
        ("        return x + noise\n", "rate = [1, 2]", {"main", "loss_of", "Net.forward"}),
        (
            "        return start + step / warmup\n",
            "half = step / 2",
            {"main", "schedule.factor", "schedule"},
        ),
        ("    return factor\n", "unused = 2", {"main", "schedule"}),
    ],
)
def test_what_an_edit_does_not_reach_is_not_interpreted(
    before: str, line: str, expected: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    called = calls_of(PROGRAM, inserted(PROGRAM, before, line), monkeypatch)
    assert set(called) == expected


def test_what_a_function_returns_elsewhere_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    after = PROGRAM.replace("torch.randn(3, 3)", "torch.randn(3, 3).cuda()")
    called = calls_of(PROGRAM, after, monkeypatch)
    assert {"main", "Net.forward", "loss_of"} == set(called)
    assert ENGINE.judge(program(after)) != ENGINE.judge(program(PROGRAM))


def test_a_new_name_that_an_inner_function_reads_counts() -> None:
    text = PROGRAM.replace("start + step / warmup", "start + step / warmup + torch.ones(3)")
    after = inserted(text, "    return factor\n", "start = torch.ones(3).cuda()")
    assert list(followed(program(text), [after, text])) == [True, True]


def test_what_is_read_behind_a_loop_tells_what_the_loop_is_for() -> None:
    text = PROGRAM.replace(
        "    decay = ",
        "    pair = [torch.ones(3, 3), torch.ones(3, 3)]\n    for each in pair:\n        each = each.cuda()\n"
        "    loss_of(net, pair[0])\n    decay = ",
    )
    after = inserted(text, "    torch.save", "print(each)")
    [report] = ENGINE.check(program(text))
    assert "move-result-discarded" in {finding.rule for finding in report.findings}
    assert list(followed(program(text), [after, text])) == [True, True]


def test_what_a_call_raises_reaches_the_handler_around_it() -> None:
    text = """import torch


class Found(Exception):
    def __init__(self, value):
        self.value = value


def search(x):
    if x.sum() > 2:
        raise Found(x * 2)


def found(x):
    weight = None
    try:
        search(x)
    except Found as end:
        weight = end.value
    return weight


print(found(torch.ones(3)) + torch.ones(3).cuda())
"""
    moved = text.replace("x * 2", "(x * 2).cuda()")
    unheard = text.replace("end.value", "None")
    assert ENGINE.judge(program(text)) != ENGINE.judge(program(moved))
    edits = [inserted(text, "    return weight\n", "value = 1"), moved, text, unheard, text]
    assert all(followed(program(text), edits))


def test_training_files_stay_the_same_program() -> None:
    text = training_file(1)
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    lines = text.splitlines(keepends=True)
    texts = []
    for node in functions:
        number = node.body[-1].lineno - 1
        indent = lines[number][: node.body[-1].col_offset]
        texts.append("".join([*lines[:number], f"{indent}value = len(items)\n", *lines[number:]]))
    assert all(followed(program(text), [*sweeps.some(texts, every=3)]))


def test_changes_beside_one_another() -> None:
    after = PROGRAM.replace("    return factor\n\n\n", "    return factor\n   \n\n")
    assert list(followed(program(PROGRAM), [after, PROGRAM, after])) == [True, True, True]


def test_what_nobody_asks_for_is_no_reason_to_interpret_calls_again(monkeypatch: pytest.MonkeyPatch) -> None:
    before = PROGRAM.replace("torch.randn(3, 3)", "torch.randn(3, 3).cuda()").replace(
        "torch.ones", "torch.rand"
    )
    before = before.replace("rand(3, 3))\n", "rand(3, 3).cuda())\n")
    assert not ENGINE.judge(program(before)).findings
    after = before.replace("class Net", "LIMIT = [1]\n\n\nclass Net")
    assert calls_of(before, after, monkeypatch) == []


def test_what_asks_for_a_new_value_is_interpreted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    before = PROGRAM.replace("class Net", "WARMUP = 5\n\n\nclass Net").replace(
        "schedule(5)", "schedule(WARMUP)"
    )
    after = before.replace("WARMUP = 5", 'WARMUP = "five"')
    assert set(calls_of(before, after, monkeypatch)) == {"main", "schedule", "schedule.factor"}


def test_a_parameter_more_concerns_the_calls_of_its_function(monkeypatch: pytest.MonkeyPatch) -> None:
    after = PROGRAM.replace("def schedule(warmup):", "def schedule(warmup, cool=0):")
    assert set(calls_of(PROGRAM, after, monkeypatch)) == {"main", "schedule"}


def test_what_a_module_tells_reaches_who_imports_it() -> None:
    settings = "import torch\n\nDEVICE = torch.device('cuda')\nNAME = 'a'\n"
    main = (
        "import torch\nimport settings\n\n\ndef made():\n    return torch.ones(3).to(settings.DEVICE)\n\n\n"
    )
    main += "x = made()\nprint(x + torch.ones(3))\n"
    first = program(main, settings=settings)
    edited = EditedProgram(first)
    assert edited.judge(ENGINE, first) == ENGINE.judge(first)
    for text in (settings.replace("'a'", "['a', 'b']"), settings.replace("'cuda'", "'cpu'"), settings):
        after = first.with_texts({"main.py": main, "settings.py": text})
        assert edited.take(after.sources["settings.py"])
        assert edited.judge(ENGINE, after) == ENGINE.judge(after), text


def test_many_lines_typed_at_one_place_are_followed() -> None:
    texts = [PROGRAM]
    for number in range(9):
        texts.append(inserted(texts[-1], "    return factor\n", f"value_{number} = {number}"))
    for number in range(9):
        texts.append(texts[-1].replace("class Net", f"# {number}\nclass Net"))
    assert all(followed(program(PROGRAM), texts[1:]))


def test_an_edit_of_two_places_at_once() -> None:
    after = inserted(PROGRAM, "    return total.mean()\n", "value = 1")
    after = inserted(after, "    return factor\n", "value = 2")
    assert list(followed(program(PROGRAM), [after, PROGRAM])) == [True, True]


def test_where_following_is_broken_off_it_can_be_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = program(PROGRAM)
    second = first.with_texts({"main.py": inserted(PROGRAM, "    return factor\n", "value = 1")})
    edited = EditedProgram(first)
    edited.judge(ENGINE, first)
    assert edited.take(second.sources["main.py"])

    def broken(*_: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(matching.Matching, "is_same", broken)
    with pytest.raises(KeyboardInterrupt):
        edited.judge(ENGINE, second)
    monkeypatch.undo()
    assert edited.is_at(second)
    assert edited.judge(ENGINE, second) == ENGINE.judge(second)


def supposed(edited: EditedProgram, after: Program) -> bool:
    """Whether another text could be supposed; it is judged as by a new engine."""
    found = edited.suppose(ENGINE, after, nullcontext)
    assert found in (None, ENGINE.judge(after)), after.sources["main.py"].text
    return found is not None


@pytest.mark.parametrize("path", sweeps.some(EDITED[30:50], every=3), ids=str)
def test_what_is_supposed_leaves_no_trace(path: Path) -> None:
    typist, text = Typist(path.parent.name), path.read_text(encoding="utf-8")
    now = program(text)
    if not may_be_followed(now):
        return
    edited = EditedProgram(now)
    for _ in range(6):
        assert edited.judge(ENGINE, now) == ENGINE.judge(now)
        for other in filter(parses, [typist.edited(now.sources["main.py"].text) for _ in range(2)]):
            supposed(edited, now.with_texts({"main.py": other}))
            assert edited.is_at(now)
        text = typist.edited(now.sources["main.py"].text)
        if parses(text):
            now = now.with_texts({"main.py": text})
            if not edited.take(now.sources["main.py"]):
                edited = EditedProgram(now)


def test_most_edits_can_be_supposed() -> None:
    typist, first = Typist("most"), program(PROGRAM)
    edited = EditedProgram(first)
    edited.judge(ENGINE, first)
    texts = list(filter(parses, [typist.edited(PROGRAM) for _ in range(40)]))
    taken = [supposed(edited, first.with_texts({"main.py": text})) for text in texts]
    assert taken.count(True) > len(taken) * 0.5


def test_what_is_supposed_between_an_edit_and_its_analysis() -> None:
    first = program(PROGRAM)
    second = first.with_texts({"main.py": inserted(PROGRAM, "    return factor\n", "value = 1")})
    other = first.with_texts({"main.py": PROGRAM.replace("torch.randn(3, 3)", "torch.randn(3, 3).cuda()")})
    edited = EditedProgram(first)
    edited.judge(ENGINE, first)
    assert edited.take(second.sources["main.py"])
    assert supposed(edited, other)
    assert edited.judge(ENGINE, second) == ENGINE.judge(second)


def test_what_is_supposed_may_be_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    first = program(PROGRAM)
    other = first.with_texts({"main.py": PROGRAM.replace("torch.randn(3, 3)", "torch.randn(3, 3).cuda()")})
    edited = EditedProgram(first)
    edited.judge(ENGINE, first)

    def broken(*_: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(matching.Matching, "is_same", broken)
    with pytest.raises(KeyboardInterrupt):
        edited.suppose(ENGINE, other, nullcontext)
    monkeypatch.undo()
    assert edited.is_at(first)
    assert edited.judge(ENGINE, first) == ENGINE.judge(first)
    assert supposed(edited, other)


def test_a_program_that_was_given_its_device_is_another_one() -> None:
    first = program(PROGRAM)
    edited = EditedProgram(first)
    assert edited.suppose(ENGINE, replace(first, adopts=True), nullcontext) is None
    assert not edited.is_at(replace(first, adopts=True))


def test_a_loop_does_not_ask_for_what_nothing_in_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    before = training_file(2)
    last = "        self.out = nn.Linear(dim, dim)\n"
    assert before.count(last) == 2
    after = before.replace(last, f"        return 5\n{last}", 1)
    called = calls_of(before, after, monkeypatch)
    assert "run0" in called
    assert "run1" not in called


def test_methods_that_nobody_calls_are_known_again(monkeypatch: pytest.MonkeyPatch) -> None:
    idle = "class Idle:\n    def __init__(self):\n        self.size = 3\n\n    def told(self):\n        return self.size\n\n\n"
    before = PROGRAM.replace("def loss_of", f"{idle}def loss_of").replace(
        "main()\n", "LIMIT = 3\n\n\nmain()\n"
    )
    called = calls_of(before, before.replace("LIMIT = 3", "LIMIT = [3]"), monkeypatch)
    assert not {"Idle.__init__", "Idle.told"} & set(called)
