"""Small programs whose outcome the analysis has to know exactly."""

from __future__ import annotations

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
    "enumerate from another number": """
        answer = (tuple(enumerate((5, 6), 1)), tuple(enumerate(zip([1, 2], [3, 4]), start=-1)))
    """,
    "a cast of types changes nothing": """
        import typing
        from typing import cast
        answer = (cast("list[int]", (1, 2)), typing.cast(typ=int, val=3))
    """,
    "a name of a class body is not a global": """
        n = 1
        class A:
            n = 2
            def f(self):
                return n
        answer = A().f()
    """,
    "sorted pairs, numbers and names": """
        weights = {"iou": 0.3, "bce": 1.0, "aux": 0.1}
        answer = (
            tuple(sorted(weights.items())), tuple(sorted(weights, reverse=True)), tuple(sorted([3, 1.5, 2])),
            tuple([(k, 2 * v) for k, v in sorted(weights.items(), reverse=True)]),
            tuple(sorted([(1, "b", None), (0, "a", 1)])),
        )
    """,
}
