"""Small programs of which little can be known without running them."""

from __future__ import annotations

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
    "sorted by what is not all known": """
        import os
        n, up = len(os.getcwd()), bool(os.getcwd())
        a = tuple(sorted([("b", 2), ("a", 3), ("a", n)]))
        b = tuple(sorted([("a", 3), ("a", 2)]))
        c = tuple(sorted([3, -n]))
        d = tuple(sorted(["a", "b"], reverse=up))
        e = tuple(sorted(["bb", "a"], key=len))
        f = tuple(sorted([("b", 1), ("a", 2)], key=lambda pair: pair[1]))
        g = tuple(sorted([3, 1, 2, 1], reverse=True))
        h = tuple(sorted([True, 0]))
    """,
}
