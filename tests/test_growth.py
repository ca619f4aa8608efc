"""Work grows with a program, whatever it looks like, and not with a power of it."""

from __future__ import annotations

import ast
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import pytest
from text_program import check_texts, fix_texts
from trust.shapes import HEAD, SHAPES

from devfix.analysis.domain.values import Value
from devfix.analysis.interpreter import Interpreter
from devfix.findings import Applicability

#: Twice as much of the same may take this much more work: no power of it, but what sorting takes and first uses.
_MOST = 2.7
#: So many calls of functions are few, whatever they come from.
_FEW = 60_000

#: Seconds of the processor: many times what any shape of a few lines takes with its budget, and nothing beside what it took without.
_END = 100

#: Shapes that would take forever, or in which every step meets all that was there before: they have a budget. Each with
#: how many statements and expressions are interpreted at most, which is less than twice what it takes now.
_BUDGETED = {
    "callee_unions": 34_000,
    "chain_of_classes": 710,
    "closures_in_loop": 680,
    "diamonds": 430,
    "growing_unions": 680,
    "lambdas_calling_two": 24_000,
    "modules_in_modules": 26_000,
    "mutual_recursion": 380_000,
    "nested_for": 190_000,
    "nested_for_data": 2_100,
    "nested_ifexp": 390,
    "nested_unions": 150,
    "nested_while": 3_200,
    "shared_modules": 76_000,
    "unions_of_objects": 1_200,
}  # fmt: skip


def calls(text: str, work: Callable[[dict[str, str]], object] = check_texts) -> int:
    """How many functions are called to check a text, or for other work on it."""
    made = 0

    # A profiler would hear of returns and of built-in functions as well, which takes longer than the rest.
    def count(_frame: FrameType, _event: str, _argument: object) -> None:
        nonlocal made
        made += 1

    sys.settrace(count)
    try:
        with _ended():
            work({"main.py": text})
    finally:
        sys.settrace(None)
    return made


@contextmanager
def _ended() -> Iterator[None]:
    """Breaks off what has no end, where the system has a clock for that."""

    def break_off(_signal: int, _frame: FrameType | None) -> None:
        raise AssertionError("there is no end of it")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGVTALRM, break_off)
    signal.setitimer(signal.ITIMER_VIRTUAL, _END)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("name", sorted(SHAPES.keys() - _BUDGETED))
def test_twice_as_much_takes_about_twice_the_work(name: str) -> None:
    make = SHAPES[name]
    check_texts({"main.py": HEAD + make(2)})  # what is done once
    large = calls(HEAD + make(80))
    assert large <= _FEW or large <= _MOST * calls(HEAD + make(40))


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many statements and expressions are interpreted from here on: the first are what the analysis counts itself."""
    counted: Counter[str] = Counter()
    evaluate, finish = Interpreter.eval, Interpreter.finish

    def counting_expressions(interp: Interpreter, node: ast.expr) -> Value:
        counted["expressions"] += 1
        return evaluate(interp, node)

    def counting_statements(interp: Interpreter) -> None:
        counted["statements"] += interp.steps
        finish(interp)

    monkeypatch.setattr(Interpreter, "eval", counting_expressions)
    monkeypatch.setattr(Interpreter, "finish", counting_statements)
    return counted


@pytest.mark.parametrize(("name", "most"), sorted(_BUDGETED.items()))
def test_the_work_has_an_end(name: str, most: int, interpreted: Counter[str]) -> None:
    with _ended():
        check_texts({"main.py": HEAD + SHAPES[name](24)})
    assert most / 2 < interpreted.total() <= most


#: Statements of a module, one after the other, each of which a rule speaks of.
_LONG = {
    "devices spelt out": 'x{0} = torch.ones(3, device="cuda")',
    "operands of the host": "y{0} = torch.ones(3).cuda() + torch.ones(3)",
    "files by names that vary": 'import os\nimport numpy as np\nname{0} = os.environ["A{0}"]\nnp.save(name{0}, np.ones(3))',
    "devices in functions": 'def f{0}():\n    return torch.ones(3, device="cuda")\n',
}


@pytest.mark.parametrize("statement", _LONG.values(), ids=_LONG)
def test_a_long_module_takes_about_as_much_for_each_statement(statement: str) -> None:
    check_texts({"main.py": HEAD + statement.format(0)})  # what is done once
    small, large = (calls(HEAD + "\n".join(map(statement.format, range(size)))) for size in (200, 400))
    assert large <= 2.2 * small


#: Shapes with one fault for each of many statements, or one that goes back to a function with many uses.
_FAULTS: dict[str, Callable[[int], str]] = {
    "moved before a guard": lambda n: "\n".join(
        ["net = nn.Linear(3, 3).cuda()", "y = torch.ones(3)", "use_gpu = torch.cuda.is_available()"]
        + [f"x{i} = torch.ones(3)" for i in range(n)]
        + ["if use_gpu:", "    y = y.cuda()"]
        + [f"net(x{i}) + y" for i in range(n)]
    ),
    "made by one function": lambda n: "\n".join(
        ["def own():", "    return torch.ones(3)"]
        + [f"z{i} = torch.ones(3).cuda() + own()" for i in range(n)]
    ),
    "used in the other branch": lambda n: "\n".join(
        [
            "net = nn.Linear(3, 3).cuda()",
            "def f(k):",
            "    if k > 3:",
            "        x = torch.ones(3)",
            "    else:",
        ]
        + ["        x = torch.ones(3).cuda()"]
        + [f"        print(x + {i})" for i in range(n)]
        + ["    return net(x)", "f(1)", "f(5)"]
    ),
}


#: One function, class or call with a fault in each of its many statements.
_CROWDED: dict[str, Callable[[int], str]] = {
    "given to one function": lambda n: "\n".join(
        ["net = nn.Linear(3, 3).cuda()", "def f(x):", "    return net(x)"]
        + [f"z{i} = f(torch.ones(3))" for i in range(n)]
    ),
    "in one function": lambda n: "\n".join(
        ["net = nn.Linear(3, 3).cuda()", "def main():"]
        + [f"    if True:\n        a{i} = torch.ones(3)\n        net(a{i})" for i in range(n)]
        + ["main()"]
    ),
    "kept by one module": lambda n: "\n".join(
        ["class M(nn.Module):", "    def __init__(self):", "        super().__init__()"]
        + [f"        self.w{i} = torch.ones(3)" for i in range(n)]
        + ["    def forward(self, x):"]
        + [f"        x = x + self.w{i}" for i in range(n)]
        + ["        return x", "M().cuda()(torch.ones(3).cuda())"]
    ),
    "in the methods of one class": lambda n: "\n".join(
        ["class T:", "    def __init__(self):", "        self.device = torch.device('cuda')"]
        + ["        self.net = nn.Linear(3, 3).to(self.device)"]
        + [f"    def f{i}(self):\n        x = torch.ones(3)\n        return self.net(x)" for i in range(n)]
        + ["t = T()"]
        + [f"t.f{i}()" for i in range(n)]
    ),
    "made by methods of one name": lambda n: "\n".join(
        [f"class C{i}:\n    def own(self):\n        return nn.Linear(3, 3)" for i in range(n)]
        + [f"m{i} = C{i}().own()\nm{i}(torch.ones(3).cuda())" for i in range(n)]
    ),
}


@pytest.mark.parametrize("make", _CROWDED.values(), ids=_CROWDED)
def test_many_faults_side_by_side_take_about_as_much_each(make: Callable[[int], str]) -> None:
    check_texts({"main.py": HEAD + make(2)})  # what is done once
    small, large = (calls(HEAD + make(size)) for size in (40, 80))
    assert large <= _MOST * small


@pytest.mark.parametrize("make", _FAULTS.values(), ids=_FAULTS)
def test_the_place_of_a_repair_is_found_in_one_go(make: Callable[[int], str]) -> None:
    check_texts({"main.py": HEAD + make(2)})  # what is done once
    small, large = (calls(HEAD + make(size)) for size in (80, 160))
    assert large <= 2.2 * small


def test_many_fixes_take_about_as_much_each() -> None:
    def text(number: int) -> str:
        functions = (
            f"def f{k}():\n    net = nn.Linear({k}, 2)\n    return net(torch.ones(4, {k}, device=device))\n"
            for k in range(1, number + 1)
        )
        called = "".join(f"f{k}()\n" for k in range(1, number + 1))
        return f"{HEAD}device = torch.device('cuda')\n\n{''.join(functions)}\n{called}"

    def fix(texts: dict[str, str]) -> None:
        fixed, _ = fix_texts(texts, Applicability.UNSAFE)
        assert fixed["main.py"].count("2).to(device)") == texts["main.py"].count("def ")

    fix({"main.py": text(2)})  # what is done once
    small, large = (calls(text(size), fix) for size in (40, 80))
    assert large <= _MOST * small
