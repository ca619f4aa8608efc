"""Python as the analysis runs it: what it claims of small programs is what Python makes of them."""

from __future__ import annotations

from textwrap import dedent

import pytest
from reality import lies
from text_program import Ending, analyse_text, clashes

from devfix.analysis import interpreter, values
from devfix.analysis.lattice import ACCELERATOR
from devfix.analysis.values import Const, Tensor

#: Programs whose ``answer`` has to be known exactly, with that answer.
PROGRAMS: dict[str, str] = {
    "a call": """
        def double(x):
            return 2 * x
        answer = double(21)
    """,
    "keywords and defaults": """
        def f(a, b=2, *, c=3, **rest):
            return (a, b, c, rest["d"])
        answer = f(1, c=30, d=4)
    """,
    "star arguments": """
        def f(*args, **kwargs):
            return args[1] + kwargs["k"]
        answer = f(*[1, 2], **{"k": 40})
    """,
    "a default is evaluated once, at the definition": """
        n = 1
        def f(x=n):
            return x
        n = 2
        answer = f()
    """,
    "closures see the variable, not its value": """
        def outer():
            n = 1
            def inner():
                return n
            n = 2
            return inner
        answer = outer()()
    """,
    "nonlocal and global": """
        total = 0
        def count():
            n = 0
            def step():
                nonlocal n
                global total
                n += 1
                total = n
            step()
            step()
            return n
        answer = (count(), total)
    """,
    "a lambda": "answer = (lambda a, b=2: a + b)(1)",
    "a decorator that wraps": """
        def twice(f):
            def wrapped(x):
                return f(f(x))
            return wrapped
        @twice
        def add(x):
            return x + 1
        answer = add(1)
    """,
    "methods and attributes": """
        class A:
            k = 10
            def __init__(self, n):
                self.n = n
            def total(self):
                return self.n + self.k
        answer = A(1).total()
    """,
    "inheritance and super": """
        class A:
            def __init__(self, n):
                self.n = n
            def f(self):
                return 1
        class B(A):
            def __init__(self):
                super().__init__(5)
            def f(self):
                return super().f() + self.n
        answer = B().f()
    """,
    "super with arguments": """
        class A:
            def f(self):
                return 1
        class B(A):
            def f(self):
                return super(B, self).f() + 1
        answer = B().f()
    """,
    "the order of several bases": """
        class Base:
            def f(self):
                return "base"
        class A(Base):
            pass
        class B(Base):
            def f(self):
                return "b"
        class C(A, B):
            pass
        answer = C().f()
    """,
    "a property": """
        class A:
            @property
            def n(self):
                return 7
        answer = A().n
    """,
    "static and class methods": """
        class A:
            n = 3
            @staticmethod
            def f(x):
                return x
            @classmethod
            def g(cls, x):
                return cls.n + x
        answer = (A.f(1), A().f(2), A.g(3), A().g(4))
    """,
    "a dataclass": """
        from dataclasses import dataclass, field
        @dataclass
        class Config:
            size: int
            name: str = "x"
            items: list = field(default_factory=list)
        c = Config(3)
        answer = (c.size, c.name)
    """,
    "call and getitem of an instance": """
        class A:
            def __call__(self, x):
                return x + 1
            def __getitem__(self, i):
                return i * 2
        a = A()
        answer = (a(1), a[4])
    """,
    "an attribute set from outside": """
        class A:
            pass
        a = A()
        a.n = 1
        b = a
        b.n = 2
        answer = a.n
    """,
    "setattr and getattr": """
        class A:
            pass
        a = A()
        setattr(a, "n", 5)
        answer = (getattr(a, "n"), getattr(a, "m", 6))
    """,
    "aliases of a list": """
        a = [1]
        b = a
        b.append(2)
        answer = a[1]
    """,
    "tuples are unpacked": """
        (a, b), *rest = (1, 2), 3, 4
        answer = (a, b, rest[1])
    """,
    "values are swapped": """
        a, b = 1, 2
        a, b = b, a
        answer = (a, b)
    """,
    "dicts": """
        d = {"a": 1, **{"b": 2}}
        d["c"] = 3
        d.update(e=5)
        answer = (d["a"], d["b"], d["c"], d["e"], d.get("z", 9))
    """,
    "a short loop is followed": """
        total = 0
        for x in [1, 2, 3]:
            total += x
        answer = total
    """,
    "zip and enumerate": """
        answer = 0
        for i, (a, b) in enumerate(zip([1, 2], [10, 20])):
            answer = answer + i * a * b
    """,
    "break and else": """
        answer = 0
        for x in (1, 2):
            if x == 2:
                answer = x
                break
        else:
            answer = 9
    """,
    "the else of a loop": """
        answer = 0
        for x in (1, 2):
            pass
        else:
            answer = 9
    """,
    "a comprehension": "answer = [x * 2 for x in [1, 2]][1]",
    "a dict comprehension": "answer = {k: v for k, v in [('a', 1), ('b', 2)]}['b']",
    "a conditional expression": "answer = 1 if not [] else 2",
    "a walrus": """
        if (n := 5) > 3:
            answer = n
    """,
    "decided branches": """
        flag = None
        if flag is None and "a" in {"a": 1} and 3 > 2:
            answer = 1
        else:
            answer = 2
    """,
    "finally runs": """
        answer = 0
        try:
            answer = 1
        finally:
            answer = answer + 10
    """,
    "with an own context manager": """
        class M:
            def __enter__(self):
                return 5
            def __exit__(self, *args):
                pass
        with M() as answer:
            pass
    """,
    "functools.partial": """
        from functools import partial
        def f(a, b):
            return a - b
        answer = partial(f, b=1)(5)
    """,
    "string formatting of known values": """
        name = "cuda"
        answer = f"{name}:{1}"
    """,
    "chained comparison": "answer = 1 < 2 < 3",
    "isinstance": """
        class A: pass
        class B(A): pass
        answer = (isinstance(B(), A), isinstance(A(), B), isinstance([], list), isinstance(1, str))
    """,
    "early return": """
        def f(x):
            if x > 0:
                return "positive"
            return "other"
        answer = (f(1), f(-1))
    """,
    "a name of a class body is not a global": """
        n = 1
        class A:
            n = 2
            def f(self):
                return n
        answer = A().f()
    """,
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_the_answer_is_known_and_right(text: str) -> None:
    text = dedent(text)
    assert lies(text) == []
    assert is_exact(Ending(text)["answer"])


def is_exact(value: values.Value) -> bool:
    if isinstance(value, values.TupleValue):
        return all(map(is_exact, value.items))
    return isinstance(value, Const)


#: Programs of which little can be known; nothing false may be said.
UNCERTAIN: dict[str, str] = {
    "a named tuple": """
        from collections import namedtuple
        Pair = namedtuple("Pair", "a b")
        p = Pair(1, b=2)
        answer = (p.a, p[1])
    """,
    "match": """
        match 2:
            case 1:
                answer = "one"
            case 2:
                answer = "two"
            case _:
                answer = "many"
    """,
    "a long loop": """
        total, last = 0, None
        for i in range(100):
            total += i
            last = i
    """,
    "a while loop": """
        n, seen = 10, []
        while n > 0:
            n -= 3
            seen.append(n)
    """,
    "a counter in a nested loop": """
        n = 0
        for i in range(10):
            for j in range(10):
                n += 1
    """,
    "continue": """
        kept = []
        for i in range(10):
            if i % 2:
                continue
            kept.append(i)
        count = len(kept)
    """,
    "recursion": """
        def fact(n):
            return 1 if n <= 1 else n * fact(n - 1)
        answer = fact(10)
    """,
    "mutual recursion": """
        def even(n):
            return True if n == 0 else odd(n - 1)
        def odd(n):
            return False if n == 0 else even(n - 1)
        answer = even(11)
    """,
    "generators": """
        def squares(n):
            for i in range(n):
                yield i * i
        answer = list(squares(5))
        total = sum(squares(4))
    """,
    "an exception that is caught": """
        x = 1
        try:
            x = 2
            raise ValueError
            x = 3
        except ValueError as error:
            z = 4
        else:
            z = 5
    """,
    "an exception deep down": """
        def f(n):
            if n > 0:
                raise KeyError(n)
            return n
        answer = 0
        try:
            answer = f(1)
        except KeyError:
            answer = "caught"
    """,
    "data-dependent branches": """
        import random
        random.seed(0)
        x = 1 if random.random() > 2 else "a"
        if random.random() > 2:
            x, y = 5, 1
        else:
            y = "b"
    """,
    "a list that grows in a branch": """
        import random
        random.seed(0)
        a = []
        if random.random() > 2:
            a.append(1)
        n = len(a)
        e = bool(a)
    """,
    "an attribute changed in a branch": """
        import random
        random.seed(0)
        class A:
            def __init__(self):
                self.n = 1
            def maybe(self):
                if random.random() > 2:
                    self.n = 2
                    self.m = 3
        a = A()
        a.maybe()
        n = a.n
    """,
    "containers in containers": """
        d = {}
        for key in ("a", "b", "c", "d", "e", "f"):
            d.setdefault(key, []).append(len(d))
        first = d["a"]
        keys, items = list(d), list(d.items())
    """,
    "deleted and popped": """
        d = {"a": 1, "b": 2}
        x = d.pop("a")
        del d["b"]
        n = len(d)
        e = "a" in d
        l = [1, 2, 3]
        y = l.pop()
        m = len(l)
        l.insert(0, "z")
        z = l[0]
        l.remove(1)
        l.reverse()
        w = l[0]
        l.clear()
        k = len(l)
    """,
    "sorting": """
        l = [3, 1, 2]
        s = sorted(l)
        first = s[0]
        l.sort()
        second = l[0]
        r = list(reversed([1, 2]))[0]
        m = max(l)
    """,
    "strings": """
        parts = "a:b".split(":")
        head = parts[0]
        text = "-".join(parts)
        up = "abc".upper()
        n = len("abc")
        c = "abc"[1]
        e = "abc".startswith("a")
        f = "%s:%d" % ("cuda", 0)
        g = "{}:{}".format("cuda", 1)
    """,
    "numbers": """
        a = 7 // 2
        b = 7 / 2
        c = 7 % 3
        d = 2 ** 10
        e = -7 // 2
        f = round(2.5)
        g = int(3.9)
        h = abs(-3)
        i = min(3, 4)
        j = 1 if 0.1 + 0.2 == 0.3 else 2
        k = True + 1
        l = 5 & 3
        m = divmod(7, 3)
        n = 10_000 ** 2
        o = float("1.5")
        p = 3 * "ab"
        q = [0] * 3
        r = (1, 2) + (3,)
        s = not 0
        t = 0 or "x"
        u = 1 and ""
        v = None or 0
    """,
    "slices": """
        t = (1, 2, 3, 4)
        a, b, c, d = t[1:], t[:-1], t[::2], t[-1]
        l = [1, 2, 3]
        e, f = l[1:], l[-1]
        l[0] = 9
        g = l[0]
        l += [4]
        h = l[3]
        l[:] = []
        i = len(l)
    """,
    "class attributes are shared": """
        class A:
            seen = []
            n = 0
        A.seen.append(1)
        A.n = 5
        x, y = len(A().seen), A().n
    """,
    "iterating an own class": """
        class Numbers:
            def __init__(self, n):
                self.n = n
            def __iter__(self):
                for i in range(self.n):
                    yield i * 1.5
        found = [x for x in Numbers(3)]
        for last in Numbers(2):
            pass
    """,
    "try in a loop": """
        done = []
        for k in ("1", "x", "3"):
            try:
                done.append(int(k))
            except ValueError:
                bad = k
                continue
            finally:
                tried = k
    """,
    "argparse": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--epochs", type=int, default=3)
        parser.add_argument("--lr", type=float, default=0.1)
        parser.add_argument("--name", default="run")
        parser.add_argument("--fast", action="store_true")
        args = parser.parse_args([])
        epochs, lr, name, fast = args.epochs, args.lr, args.name, args.fast
    """,
    "copies": """
        import copy
        a = [1, [2]]
        b = copy.deepcopy(a)
        b[1].append(3)
        n = len(a[1])
        c = list(a)
        c.append(4)
        m = len(a)
        d = dict(x=1)
        e = d.copy()
        e["x"] = 2
        o = d["x"]
    """,
    "a shadowed builtin": """
        def len(x):
            return "mine"
        n = len([])
    """,
    "a variable bound on one path": """
        for i in []:
            x = 1
        y = "x" in globals()
    """,
    "while True": """
        n = 0
        while True:
            n += 1
            if n >= 50:
                break
    """,
    "functions in containers": """
        table = {"a": lambda x: x + 1, "b": lambda x: "s"}
        y = table["a"](1)
        z = [f(2) for f in table.values()]
    """,
    "enum": """
        from enum import Enum
        class Mode(Enum):
            A = "cpu"
            B = "cuda"
        v = Mode.B.value
        w = Mode.A is Mode.B
    """,
    "map, filter and any": """
        a = list(map(lambda x: x * 2, [1, 2, 3]))
        b = list(filter(None, [0, 1]))
        c = any(x > 2 for x in [1, 2, 3])
        d = all([])
        e = sum([1, 2, 3])
        f = tuple(x for x in (1, 2))
    """,
}


@pytest.mark.parametrize("text", UNCERTAIN.values(), ids=UNCERTAIN)
def test_nothing_false_is_said(text: str) -> None:
    assert lies(dedent(text)) == []


HEAD = """
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weight = torch.ones(4, device=device)
"""


def faults(text: str) -> list[str]:
    """The text of the lines (after the head) on which something is wrong."""
    lines = (HEAD + dedent(text)).splitlines()
    return [lines[int(found.split(":")[0]) - 1].strip() for found in clashes("\n".join(lines) + "\n")]


def test_a_fault_deep_in_calls_is_found() -> None:
    assert faults("""
        def inner(x):
            return x * weight
        def outer(x):
            return inner(x)
        outer(torch.zeros(4))
        outer(torch.zeros(4).to(device))
    """) == ["return x * weight"]


def test_a_fault_in_each_place_is_found() -> None:
    assert faults("""
        class Thing:
            @property
            def area(self):
                return weight + torch.ones(4)
            def __enter__(self):
                return weight - torch.ones(4)
            def __exit__(self, *args):
                weight / torch.ones(4)
        with Thing() as thing:
            thing = Thing()
        thing.area
        list(weight * x for x in torch.ones(3, 4))
        try:
            pass
        finally:
            weight ** torch.ones(4)
        while weight.sum() < 3:
            weight @ torch.ones(4)
    """) == [
        "return weight + torch.ones(4)",
        "return weight - torch.ones(4)",
        "weight / torch.ones(4)",
        "list(weight * x for x in torch.ones(3, 4))",
        "weight ** torch.ones(4)",
        "weight @ torch.ones(4)",
    ]


def test_a_path_that_ends_does_not_count() -> None:
    assert (
        faults("""
        import sys
        def f(x):
            if x is None:
                raise ValueError
                weight * torch.ones(4)
            return x
        f(weight)
        sys.exit()
        weight * torch.ones(4)
    """)
        == []
    )


def test_what_is_tried_is_judged_and_its_rescue_is_not() -> None:
    """The program under analysis is the one that runs through."""
    assert faults("""
        try:
            x = weight * torch.ones(4)
        except RuntimeError:
            x = weight / torch.ones(4)
    """) == ["x = weight * torch.ones(4)"]


def test_two_paths_to_one_use_make_it_unknown() -> None:
    assert (
        faults("""
        import os
        if os.environ.get("FAST"):
            x = torch.ones(4)
        else:
            x = torch.ones(4, device=device)
        weight * x
    """)
        == []
    )


def test_the_second_round_of_a_loop_sees_the_first() -> None:
    assert faults("""
        state = None
        for step in range(100):
            if state is not None:
                weight * state
            state = torch.zeros(4)
    """) == ["weight * state"]


def test_a_loop_that_heals_itself_is_right() -> None:
    assert (
        faults("""
        hidden = torch.zeros(4)
        for step in range(100):
            hidden = hidden.to(device)
            hidden = hidden * weight
    """)
        == []
    )


def test_flags_choose_the_accelerator() -> None:
    assert faults("""
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--no-cuda", action="store_true")
        args = parser.parse_args()
        args.cuda = not args.no_cuda and torch.cuda.is_available()
        x = torch.zeros(4)
        if args.cuda:
            x = x.cuda()
        weight * x
        y = torch.zeros(4)
        weight * y
    """) == ["weight * y"]


def test_modules_of_the_project_are_followed() -> None:
    main = """
        from helper import shifted, DEVICE
        import torch
        x = torch.ones(3).to(DEVICE)
        shifted(x)
    """
    helper = """
        import torch
        DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
        def shifted(x):
            return x + torch.zeros(3)
    """
    assert clashes(main, helper=helper) == ["helper.py:5: device"]


def test_a_module_is_run_once_and_shared() -> None:
    main = """
        import counter
        import other
        answer = counter.n
    """
    other = """
        import counter
        counter.n = counter.n + 1
    """
    assert Ending(main, other=other, counter="n = 1")["answer"] == Const(2)
    assert lies(main, other=other, counter="n = 1") == []


def test_modules_that_import_each_other_end() -> None:
    assert clashes("import a\n", a="import b\nx = 1\n", b="import a\ny = 2\n") == []


def test_functions_that_nobody_calls_are_judged() -> None:
    assert faults("""
        def never_called(n):
            return weight * torch.ones(4)
    """) == ["return weight * torch.ones(4)"]


def test_forward_of_a_module_that_nobody_builds_is_judged() -> None:
    assert clashes("""
        import torch
        from torch import nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(3, 3)
            def forward(self, x):
                x = self.layer(x)
                return x + torch.zeros(3)
    """) == ["10: device"]


def test_an_unknown_argument_makes_no_fault() -> None:
    assert (
        faults("""
        def never_called(x, y):
            return x * y + weight * x
    """)
        == []
    )


def test_too_much_code_ends_the_run_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
        def f0(): return [f1() for _ in range(3)]
        def f1(): return f2() or f2() or f2()
        def f2():
            for i in range(3):
                for j in range(3):
                    pass
        for k in range(9):
            f0()
        weight * torch.ones(4)
    """
    assert faults(text) == ["weight * torch.ones(4)"]
    monkeypatch.setattr(interpreter, "STEP_LIMIT", 20)
    assert faults(text) == []


@pytest.mark.parametrize("depth", [10, 300])
def test_deep_chains_of_calls_end(depth: int) -> None:
    chain = [f"def f{n}(x): return f{n + 1}(x)" for n in range(depth)]
    text = "\n".join([*chain, f"def f{depth}(x): return x", "y = f0(1)", "z = 1"])
    assert Ending(text)["z"] == Const(1)
    assert lies(text) == []


def test_endless_recursion_ends() -> None:
    text = """
        def f(x):
            return f(x + 1)
        def g(*args):
            return g(*args, args)
        try:
            f(0)
            g()
        except RecursionError:
            pass
        z = 1
    """
    assert Ending(text)["z"] == Const(1)


def test_the_life_of_a_value_is_told() -> None:
    facts = analyse_text(HEAD + "\ndef f(y):\n    return y * weight\nx = torch.ones(4)\nz = x\nf(z)\n")
    (mismatch,) = facts.mismatches()
    host = next(operand for operand in mismatch.operands if operand.device == "cpu")
    assert [site.kind for site in host.trail] == ["factory", "name", "name", "argument"]
    assert [site.span.line for site in host.trail] == [8, 8, 9, 6]
    assert (host.text, host.trail[0].text) == ("y", "torch.ones(4)")


def test_a_move_to_the_device_is_followed() -> None:
    end = Ending(HEAD + "x = torch.ones(4)\ny = x.to(device)\nz = x.cuda()\n")
    claims = [end[name] for name in "xyz"]
    assert all(isinstance(claim, Tensor) for claim in claims)
    assert [claim.device == ACCELERATOR for claim in claims if isinstance(claim, Tensor)] == [
        False,
        True,
        True,
    ]
