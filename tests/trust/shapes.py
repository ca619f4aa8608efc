"""Shapes of programs that grow with a number: what an analysis may take too long over."""

from __future__ import annotations

from collections.abc import Callable

HEAD = """\
import torch
from torch import nn
device = torch.device("cuda")
net = nn.Linear(3, 3).to(device)
x = torch.rand(3, 3)
y = torch.rand(3, 3, device=device)
flag = bool(x.sum() > 0)
"""
SHAPES: dict[str, Callable[[int], str]] = {}


def shape(make: Callable[[int], str]) -> Callable[[int], str]:
    """Register a shape under the name of its function."""
    SHAPES[make.__name__] = make
    return make


def _nested(header: str, n: int, body: str) -> str:
    lines = [" " * depth + header.format(depth) for depth in range(n)]
    return "\n".join([*lines, " " * n + body])


@shape
def straight(n: int) -> str:
    return "z = net(x) + y\n" * n


@shape
def assignments(n: int) -> str:
    return "\n".join(f"v{i} = torch.rand(3) + {i}" for i in range(n))


@shape
def branches(n: int) -> str:
    return "\n".join(f"if flag:\n    v{i} = x + {i}\nelse:\n    v{i} = y" for i in range(n))


@shape
def branches_of_one(n: int) -> str:
    return "z = x\n" + "\n".join("if flag:\n    z = z + x\nelse:\n    z = z.cuda()" for _ in range(n))


@shape
def elif_chain(n: int) -> str:
    return "if flag:\n    z = x\n" + "".join(f"elif x.sum() > {i}:\n    z = y\n" for i in range(n))


@shape
def match_cases(n: int) -> str:
    return "match n:\n" + "".join(f"    case {i}:\n        z{i % 9} = y\n" for i in range(n))


@shape
def chain_of_functions(n: int) -> str:
    defs = [f"def f{i}(t):\n    return f{i + 1}(t) + 1" for i in range(n)]
    return "\n".join([*defs, f"def f{n}(t):\n    return net(t)", "f0(x)"])


@shape
def functions_calling_two(n: int) -> str:
    defs = [f"def f{i}(t):\n    a = f{i + 1}(t)\n    return a + f{i + 1}(a)" for i in range(n)]
    return "\n".join([*defs, f"def f{n}(t):\n    return net(t)", "f0(x)"])


@shape
def lambdas_calling_two(n: int) -> str:
    defs = [f"f{i} = lambda t: f{i + 1}(t) + f{i + 1}(t)" for i in range(n)]
    return "\n".join([*defs, f"f{n} = lambda t: net(t)", "f0(x)"])


@shape
def properties_reading_two(n: int) -> str:
    defs = [
        f"    @property\n    def p{i}(self):\n        return self.p{i + 1} + self.p{i + 1}" for i in range(n)
    ]
    return "\n".join(
        ["class A:", *defs, f"    @property\n    def p{n}(self):\n        return x", "net(A().p0)"]
    )


@shape
def mutual_recursion(n: int) -> str:
    calls = " + ".join(f"f{i}(t)" for i in range(n))
    return "\n".join([*(f"def f{i}(t):\n    return {calls}" for i in range(n)), "f0(x)"])


@shape
def uncalled_functions(n: int) -> str:
    return "\n".join(
        f"def g{i}(a, b):\n    for k in a:\n        b = b + net(k)\n    return b" for i in range(n)
    )


@shape
def uncalled_loops(n: int) -> str:
    body = _nested("for i{} in a:", 6, "b = b + net(b)")
    body = "\n".join("    " + line for line in body.splitlines())
    return "\n".join(f"def g{i}(a, b):\n{body}\n    return b" for i in range(n))


@shape
def classes(n: int) -> str:
    return "\n".join(
        f"class N{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.a = nn.Linear(3, 3)\n    def forward(self, t):\n        return self.a(t) + torch.ones(3)"
        for i in range(n)
    )


@shape
def chain_of_classes(n: int) -> str:
    first = "class N0(nn.Module):\n    def forward(self, t):\n        return t + torch.ones(3)"
    rest = [
        f"class N{i}(N{i - 1}):\n    def m{i}(self, t):\n        return self.forward(t)" for i in range(1, n)
    ]
    return "\n".join([first, *rest, f"N{n - 1}().cuda()(y)"])


@shape
def methods(n: int) -> str:
    defs = [f"    def m{i}(self, t):\n        return self.m{i + 1}(t) + self.a" for i in range(n)]
    return "\n".join(["class N(nn.Module):", *defs, f"    def m{n}(self, t):\n        return t"])


@shape
def modules_in_modules(n: int) -> str:
    first = "class N0(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = nn.Linear(3, 3)"
    rest = [
        f"class N{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.a = N{i - 1}()\n        self.b = N{i - 1}()\n"
        f"    def forward(self, t):\n        return self.b(self.a(t))"
        for i in range(1, n)
    ]
    return "\n".join([first, *rest, f"N{n - 1}().cuda()(x)"])


@shape
def list_literal(n: int) -> str:
    return "z = [" + ", ".join(f"x + {i}" for i in range(n)) + "]\nnet(z[0])"


@shape
def number_table(n: int) -> str:
    return "z = [" + ", ".join(str(i) for i in range(n)) + "]\ntorch.tensor(z).cuda() + x"


@shape
def dict_literal(n: int) -> str:
    return "z = {" + ", ".join(f"'k{i}': x + {i}" for i in range(n)) + "}\nnet(z['k0'])"


@shape
def dict_filled(n: int) -> str:
    return "z = {}\n" + "\n".join(f"z['k{i}'] = x + {i}" for i in range(n)) + "\nnet(z['k0'])"


@shape
def list_filled(n: int) -> str:
    return "z = []\n" + "z.append(x)\n" * n + "net(z[0])"


@shape
def attributes_filled(n: int) -> str:
    return "class A: pass\na = A()\n" + "\n".join(f"a.k{i} = x + {i}" for i in range(n)) + "\nnet(a.k0)"


@shape
def attributes_branched(n: int) -> str:
    lines = "\n".join(f"if flag:\n    a.k{i} = x\nelse:\n    a.k{i} = y" for i in range(n))
    return f"class A: pass\na = A()\n{lines}\nnet(a.k0)"


@shape
def sequential(n: int) -> str:
    return "m = nn.Sequential(" + ", ".join("nn.Linear(3, 3)" for _ in range(n)) + ").cuda()\nm(x)"


@shape
def module_list_grown(n: int) -> str:
    return "m = nn.ModuleList()\n" + "m.append(nn.Linear(3, 3))\n" * n + "m.cuda()\nfor k in m:\n    k(x)"


@shape
def nested_for(n: int) -> str:
    return _nested("for i{} in range(3):", min(n, 95), "x = net(x)")


@shape
def nested_for_data(n: int) -> str:
    return _nested("for i{} in x:", min(n, 95), "x = x + y")


@shape
def nested_while(n: int) -> str:
    return _nested("while x.sum() > {}:", min(n, 95), "x = x.cuda() if flag else x + 1")


@shape
def nested_if(n: int) -> str:
    return _nested("if x.sum() > {}:", min(n, 95), "x = net(x)")


@shape
def nested_try(n: int) -> str:
    n = min(n, 95)
    tries = _nested("try:", n, "x = net(x)")
    return tries + "\n" + "\n".join(f"{' ' * d}except E:\n{' ' * d} x = y" for d in reversed(range(n)))


@shape
def nested_try_in_handlers(n: int) -> str:
    n = min(n, 95)
    return (
        "\n".join(f"{' ' * d}try:\n{' ' * d} x = net(x)\n{' ' * d}except E:" for d in range(n))
        + f"\n{' ' * n}x = y"
    )


@shape
def nested_finally(n: int) -> str:
    n = min(n, 95)
    return (
        "\n".join(f"{' ' * d}try:\n{' ' * d} x = net(x)\n{' ' * d}finally:" for d in range(n))
        + f"\n{' ' * n}x = y"
    )


@shape
def nested_functions(n: int) -> str:
    n = min(n, 95)
    ends = "\n".join(f"{' ' * d}return f{d}(t)" for d in range(n - 1, 0, -1))
    return _nested("def f{}(t):", n, "return net(t)") + "\n" + ends + "\nf0(x)"


@shape
def nested_comprehensions(n: int) -> str:
    inner = "net(x)"
    for i in range(min(n, 60)):
        inner = f"[{inner} for i{i} in x]"
    return f"z = {inner}"


@shape
def comprehension_of_loops(n: int) -> str:
    return "z = [net(x) " + " ".join(f"for i{i} in x" for i in range(n)) + "]"


@shape
def nested_lambdas(n: int) -> str:
    n = min(n, 300)
    return "z = " + "lambda: " * n + "net(x)\n" + "z" + "()" * n


@shape
def nested_ifexp(n: int) -> str:
    return "z = " + "net(x) if flag else " * min(n, 2000) + "x"


@shape
def nested_ifexp_left(n: int) -> str:
    n = min(n, 90)
    return "z = " + "(" * n + "x" + " if flag else net(x))" * n


@shape
def sum_of_terms(n: int) -> str:
    return "z = x" + " + y" * min(n, 2000)


@shape
def method_chain(n: int) -> str:
    return "z = x" + ".cuda().cpu()" * min(n, 1000)


@shape
def nested_calls(n: int) -> str:
    n = min(n, 90)
    return "z = " + "torch.relu(" * n + "x" + ")" * n + " + y"


@shape
def nested_unions(n: int) -> str:
    n = min(n, 90)
    return "m = net if flag else nn.Linear(3, 3)\nz = " + "m(" * n + "x" + ")" * n


@shape
def callee_unions(n: int) -> str:
    defs = [
        f"def a{i}(t):\n    return f{i + 1}(t)\ndef b{i}(t):\n    return f{i + 1}(t)\nf{i} = a{i} if flag else b{i}"
        for i in range(n)
    ]
    return "\n".join([*defs, f"f{n} = net", "f0(x)"])


@shape
def fstring(n: int) -> str:
    return "z = f'" + "{x.cuda()}" * n + "'"


@shape
def long_line(n: int) -> str:
    return "; ".join(["z = net(x)"] * n)


@shape
def long_line_wide(n: int) -> str:
    return "s = 'é'; " + "; ".join(["z = net(x)"] * n)


@shape
def long_string(n: int) -> str:
    return "s = '''" + "torch é\n" * n + "'''\nnet(x)"


@shape
def comments(n: int) -> str:
    return "# devfix: ignore[DF101]\nz = 1\n" * n


@shape
def comments_in_statement(n: int) -> str:
    return "z = [\n" + "    x.cuda(),  # devfix: ignore\n" * n + "]"


@shape
def ignores_on_line(n: int) -> str:
    return "z = net(x)  " + "# devfix: ignore[DF1] " * n


@shape
def ignored_rules(n: int) -> str:
    return "z = net(x)  # devfix: ignore[" + ", ".join(f"DF{i}" for i in range(n)) + "]"


@shape
def blank_lines(n: int) -> str:
    return "\n" * n + "net(x)"


@shape
def imports(n: int) -> str:
    return "\n".join(f"import m{i}.n{i}" for i in range(n))


@shape
def decorators(n: int) -> str:
    return "def deco(f):\n    return f\n" + "@deco\n" * min(n, 2000) + "def f(t):\n    return net(t)\nf(x)"


@shape
def parameters(n: int) -> str:
    names = ", ".join(f"a{i}" for i in range(n))
    return f"def f({names}):\n    return net(a0)\nf({', '.join(['x'] * n)})"


@shape
def unpacking(n: int) -> str:
    return ", ".join(f"a{i}" for i in range(n)) + " = " + ", ".join(["x"] * n) + "\nnet(a0)"


@shape
def with_items(n: int) -> str:
    return "with " + ", ".join(["torch.no_grad()"] * min(n, 2000)) + ":\n    net(x)"


@shape
def closures_in_loop(n: int) -> str:
    return "\n".join(
        f"def f{i}():\n    return x\nhooks = hooks + [f{i}] if {i} else [f{i}]" for i in range(n)
    )


@shape
def arguments_of_parser(n: int) -> str:
    lines = "\n".join(f"p.add_argument('--o{i}', default={i})" for i in range(n))
    return (
        f"import argparse\np = argparse.ArgumentParser()\n{lines}\na = p.parse_args()\nif a.o1:\n    net(x)"
    )


@shape
def many_mismatches(n: int) -> str:
    return "\n".join(f"w{i} = torch.rand(3, 3)\nnet(w{i})" for i in range(n))


@shape
def one_origin_many_sinks(n: int) -> str:
    return "net(x)\n" * n


@shape
def diamonds(n: int) -> str:
    first = "class A0(nn.Module):\n    def forward(self, t):\n        return t + torch.ones(3)"
    rest = [
        f"class B{i}(A{i - 1}): pass\nclass C{i}(A{i - 1}): pass\nclass A{i}(B{i}, C{i}): pass"
        for i in range(1, n)
    ]
    return "\n".join([first, *rest, f"A{n - 1}().cuda()(y)"])


@shape
def shared_lists(n: int) -> str:
    return "a = [x]\n" + "a = [a, a]\n" * n + "net(a[0])\nb = a + [x]"


@shape
def shared_dicts(n: int) -> str:
    return "a = {'x': x}\n" + "a = {'l': a, 'r': a}\n" * n + "b = dict(a)\nfor k, v in a.items():\n    net(v)"


@shape
def shared_tuples(n: int) -> str:
    return "a = (x, x)\n" + "a = (a, a)\n" * n + "net(a)\nif flag:\n    a = (y, a)\nprint(a)"


@shape
def shared_modules(n: int) -> str:
    return "m = nn.Linear(3, 3)\n" + "m = nn.Sequential(m, m)\n" * n + "m.cuda()\nm(x)"


@shape
def shared_attributes(n: int) -> str:
    return "class A: pass\na = A()\na.x = x\n" + "b = A()\nb.l = a\nb.r = a\na = b\n" * n + "net(a.l)"


@shape
def growing_unions(n: int) -> str:
    return (
        "z = x\n"
        + "\n".join(f"if x.sum() > {i}:\n    z = (z, torch.ones({i}))" for i in range(n))
        + "\nnet(z)"
    )


@shape
def unions_of_objects(n: int) -> str:
    return (
        "\n".join(
            f"class A{i}:\n    def f(self, o):\n        return o.f(self)\nif flag:\n    a = A{i}()\nelse:\n    b = A{i}()"
            for i in range(n)
        )
        + "\na.f(b)"
    )


@shape
def generators(n: int) -> str:
    defs = [
        f"def g{i}():\n    for a in g{i + 1}():\n        yield a\n        yield from g{i + 1}()"
        for i in range(n)
    ]
    return "\n".join([*defs, f"def g{n}():\n    yield x", "for z in g0():\n    net(z)"])


@shape
def wrapping_decorators(n: int) -> str:
    deco = "def deco(f):\n    def inner(*a, **k):\n        f(*a, **k)\n        return f(*a, **k)\n    return inner"
    return f"{deco}\n" + "@deco\n" * n + "def f(t):\n    return net(t)\nf(x)"


@shape
def constructors_making_two(n: int) -> str:
    defs = [
        f"class A{i}:\n    def __init__(self):\n        self.l = A{i + 1}()\n        self.r = A{i + 1}()"
        for i in range(n)
    ]
    return "\n".join([*defs, f"class A{n}:\n    x = x", "net(A0().l)"])


@shape
def defaults_calling_two(n: int) -> str:
    defs = [f"def f{i}(t, k=x):\n    return f{i + 1}(f{i + 1}(t), k=f{i + 1}(k))" for i in range(n)]
    return "\n".join([*defs, f"def f{n}(t, k=x):\n    return net(t) + k", "f0(x)"])


@shape
def comprehensions_calling_two(n: int) -> str:
    defs = [f"def f{i}(t):\n    return [f{i + 1}(k) for k in [f{i + 1}(t)]]" for i in range(n)]
    return "\n".join([*defs, f"def f{n}(t):\n    return net(t)", "f0(x)"])


@shape
def operators_calling_two(n: int) -> str:
    defs = [
        f"class A{i}:\n    def __add__(self, o):\n        return A{i + 1}() + (A{i + 1}() + o)"
        for i in range(n)
    ]
    return "\n".join([*defs, f"class A{n}:\n    def __add__(self, o):\n        return net(o)", "A0() + x"])


@shape
def subscripts_calling_two(n: int) -> str:
    defs = [
        f"class A{i}:\n    def __getitem__(self, k):\n        return A{i + 1}()[A{i + 1}()[k]]"
        for i in range(n)
    ]
    return "\n".join([*defs, f"class A{n}:\n    def __getitem__(self, k):\n        return net(k)", "A0()[x]"])


@shape
def loops_of_calls(n: int) -> str:
    defs = [f"def f{i}(t):\n    for k in t:\n        t = f{i + 1}(k)\n    return t" for i in range(n)]
    return "\n".join([*defs, f"def f{n}(t):\n    return net(t)", "for e in range(9):\n    f0(x)"])


@shape
def hooks(n: int) -> str:
    return "def h(m, i, o):\n    return net(o)\n" + "net.register_forward_hook(h)\n" * n + "net(x)"


@shape
def long_names(n: int) -> str:
    return f"{'n' * n} = x\nnet({'n' * n})"


@shape
def long_attribute_paths(n: int) -> str:
    return "z" + ".a" * min(n, 900) + " = x\nnet(z" + ".a" * min(n, 900) + ")"


@shape
def guards(n: int) -> str:
    return "\n".join(f"assert x.device == y.device and {i}" for i in range(n)) + "\nnet(x)"


@shape
def returns(n: int) -> str:
    body = "\n".join(f"    if t.sum() > {i}:\n        return t.cuda()\n    t = t + {i}" for i in range(n))
    return f"def f(t):\n{body}\n    return t\nnet(f(x))\ny + f(x)"


@shape
def breaks(n: int) -> str:
    body = "\n".join(
        f"    if t.sum() > {i}:\n        t = t.cuda()\n        break\n    t = t + {i}" for i in range(n)
    )
    return f"t = x\nfor i in range(9):\n{body}\nnet(t)"


@shape
def continues(n: int) -> str:
    body = "\n".join(
        f"    if t.sum() > {i}:\n        v{i} = t.cuda()\n        continue\n    t = t + {i}" for i in range(n)
    )
    return f"t = x\nfor i in range(9):\n{body}\nnet(t)"


@shape
def module_level_tries(n: int) -> str:
    return "\n".join(f"try:\n    import m{i}\nexcept ImportError:\n    m{i} = x" for i in range(n))


@shape
def string_concatenation(n: int) -> str:
    return "s = ''\n" + "s = s + 'cuda:0' + s\n" * n + "x.to(s)"


@shape
def number_growth(n: int) -> str:
    return "k = 9\n" + "k = k ** k\n" * n + "m = 1 << k\nprint('a' * k, [x] * k, range(k), torch.rand(k))"


@shape
def big_shift(n: int) -> str:
    return f"k = 1 << {10 ** min(n, 12)}\nl = [x] * {10 ** min(n, 12)}\ns = 'a' * {10 ** min(n, 12)}\nt = 10 ** {10 ** min(n, 12)}\nnet(l[0])"


@shape
def big_format(n: int) -> str:
    return f"s = f'{{x:{10 ** min(n, 12)}}}'\ns = '%{10 ** min(n, 12)}d' % 3\ns = '{{:>{10 ** min(n, 12)}}}'.format(3)\nr = list(range({10 ** min(n, 12)}))\nnet(x)"


@shape
def squares(n: int) -> str:
    return "k = 123456789\n" + "k = k * k\n" * n + "s = f'{k}'\nx.to(s)"


@shape
def doubled_lists(n: int) -> str:
    return (
        "a = [x]\nb = (x,)\nc = [x]\n" + "a = a + a\nb = b + b\nc = c * 8\na += a\nb += b\n" * n + "net(a[0])"
    )


@shape
def tuples_through_calls(n: int) -> str:
    defs = [f"def f{i}(t):\n    return f{i + 1}((t, t))" for i in range(n)]
    return "\n".join([*defs, f"def f{n}(t):\n    return t", "a = f0(x)\nif flag:\n    a = f0(y)\nprint(a)"])
