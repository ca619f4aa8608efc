"""Forks: a process that a script forks after it has used the accelerator cannot use it, and is spawned."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

HEAD = """\
import functools
import multiprocessing
import sys
import torch.multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Pool, Process, get_context

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
scale = 2.0
rows = [1.0, 2.0]


def cost(x, y=1.0):
    return torch.full((4,), float(x) * scale, device=device).sum().item()


def moved(x):
    return helper(x).sum().item()


def helper(x):
    return torch.nn.Linear(2, 1).to(device)(torch.ones(1, 2, device=device) * x)


def on_host(x):
    return torch.full((4,), float(x)).sum().item()


def perhaps(x):
    if x > 3:
        return torch.ones(2).to(device).sum().item()
    return x


def careful(x):
    try:
        return torch.ones(2).to(device).sum().item()
    except RuntimeError:
        return 2.0


def chosen(x):
    there = torch.ones(2).to(device) if x > 3 else torch.ones(2)
    return there.shape[0]


def of_rows(x):
    return torch.tensor(rows, device=device).sum().item() * x


class Worker(mp.Process):
    def run(self):
        print(cost(1))


"""
GUARD = 'if __name__ == "__main__":\n'
USED = "net = torch.nn.Linear(2, 1).to(device)"


def _script(*lines: str, used: str = USED) -> str:
    return HEAD + GUARD + "".join(f"    {line}\n" for line in (used, *lines))


def _fixed(*lines: str, used: str = USED) -> list[str]:
    """The lines of the guard with all fixes, the ones that are new alone."""
    texts = files(_script(*lines, used=used))
    after = fix_texts(texts, Applicability.UNSAFE)[0]["main.py"]
    assert clashes(after) == [] or after == texts["main.py"]
    before = texts["main.py"].splitlines()
    return [line.strip() for line in after.splitlines() if line not in before]


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("print(multiprocessing.Pool(2).map(cost, [1, 2]))", 'print(multiprocessing.get_context("spawn").Pool(2).map(cost, [1, 2]))'),
        ("print(mp.Pool(2).map(cost, [1, 2], 4))", 'print(mp.get_context("spawn").Pool(2).map(cost, [1, 2], 4))'),
        ("print(Pool(2).starmap(cost, [(1, 2)]))", 'print(multiprocessing.get_context("spawn").Pool(2).starmap(cost, [(1, 2)]))'),
        ("print(list(mp.Pool(2).imap(moved, range(3))))", 'print(list(mp.get_context("spawn").Pool(2).imap(moved, range(3))))'),
        ("print(mp.Pool(2).apply_async(cost, (1,)).get())", 'print(mp.get_context("spawn").Pool(2).apply_async(cost, (1,)).get())'),
        ("print(get_context('fork').Pool(2).map(cost, [1]))", 'print(get_context("spawn").Pool(2).map(cost, [1]))'),
        ("print(mp.Pool(2).map(functools.partial(cost, y=2), [1]))", 'print(mp.get_context("spawn").Pool(2).map(functools.partial(cost, y=2), [1]))'),
        ("mp.Process(target=cost, args=(1,)).start()", 'mp.get_context("spawn").Process(target=cost, args=(1,)).start()'),
        ("Process(target=moved, args=(1,)).start()", 'multiprocessing.get_context("spawn").Process(target=moved, args=(1,)).start()'),
        (
            "print(ProcessPoolExecutor(2).submit(cost, 1).result())",
            'print(ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")).submit(cost, 1).result())',
        ),
        (
            "print(list(ProcessPoolExecutor(mp_context=get_context('fork')).map(cost, [1])))",
            'print(list(ProcessPoolExecutor(mp_context=get_context("spawn")).map(cost, [1])))',
        ),
    ],
)  # fmt: skip
def test_forked_processes_are_spawned(line: str, after: str) -> None:
    assert [found.partition(": ")[2] for found in clashes(_script(line))] == ["fork"]
    assert _fixed(line) == [after]


def test_a_context_under_a_name_is_asked_for_the_other_method() -> None:
    lines = ("context = mp.get_context('fork')", "with context.Pool(2) as pool:", "    pool.map(cost, [1])")
    assert _fixed(*lines) == ['context = mp.get_context("spawn")']
    assert _fixed(*lines, "context.Process(target=print).start()") == []


def test_an_executor_starts_its_processes_when_it_has_work() -> None:
    lines = ("executor = ProcessPoolExecutor(2)", USED, "print(executor.submit(cost, 1).result())")
    assert clashes(_script(*lines, used="pass")) == [f"{_first() + 4}: fork"]


def _first() -> int:
    return len((HEAD + GUARD).splitlines())


def test_an_explicit_fork_for_all() -> None:
    lines = ("mp.set_start_method('fork')", "print(mp.Pool(2).map(cost, [1]))")
    assert _fixed(*lines) == ['print(mp.get_context("spawn").Pool(2).map(cost, [1]))']


@pytest.mark.parametrize(
    "lines",
    [
        ("print(mp.get_context('spawn').Pool(2).map(cost, [1]))",),
        ("print(mp.get_context('forkserver').Pool(2).map(cost, [1]))",),
        ("print(get_context(sys.argv[1]).Pool(2).map(cost, [1]))",),
        ("mp.set_start_method('spawn')", "print(mp.Pool(2).map(cost, [1]))"),
        ("mp.set_start_method(sys.argv[1], force=True)", "print(Pool(2).map(cost, [1]))"),
        ("print(ProcessPoolExecutor(2, mp_context=get_context('spawn')).submit(cost, 1).result())",),
        ("print(ProcessPoolExecutor(2, get_context(sys.argv[1])).submit(cost, 1).result())",),
        ("get_context('spawn').Process(target=cost, args=(1,)).start()",),
    ],
)
def test_other_ways_to_start_are_left_alone(lines: tuple[str, ...]) -> None:
    assert clashes(_script(*lines)) == []


@pytest.mark.parametrize(
    "used",
    [
        "print(torch.cuda.is_available())",
        "net = torch.nn.Linear(2, 1)",
        "net = torch.nn.ReLU().to(device)",
        "net = torch.ones(2).to(device) if len(sys.argv) > 2 else None",
        "print(careful(1))",
        "if len(sys.argv) > 2: net = torch.ones(2).to(device)",
    ],
)
def test_a_script_that_may_not_have_used_the_accelerator(used: str) -> None:
    assert clashes(_script("print(mp.Pool(2).map(cost, [1]))", used=used)) == []


def test_a_pool_is_forked_where_it_is_made() -> None:
    lines = ("pool = mp.Pool(2)", USED, "print(pool.map(cost, [1]))")
    assert clashes(_script(*lines, used="pass")) == []


@pytest.mark.parametrize("child", ["on_host", "perhaps", "careful", "chosen", "print", "sys.argv[0].join"])
def test_processes_that_may_do_without_the_accelerator(child: str) -> None:
    assert clashes(_script(f"print(mp.Pool(2).map({child}, [1, 2, int(sys.argv[1])]))")) == []
    assert clashes(_script(f"mp.Process(target={child}, args=(int(sys.argv[1]),)).start()")) == []


def test_threads_and_calls_use_the_accelerator_of_their_process() -> None:
    lines = (
        "from multiprocessing.pool import ThreadPool",
        "print(ThreadPool(2).map(cost, [1]))",
        "print(list(map(cost, [1])))",
    )
    assert clashes(_script(*lines)) == []


@pytest.mark.parametrize(
    "lines",
    [
        ("scale = 3.0", "print(mp.Pool(2).map(cost, [1]))"),
        ("print(mp.Pool(2).map(of_rows, [1]))",),
        ("def inner(x):", "    return cost(x)", "print(mp.Pool(2).map(inner, [1]))"),
        ("mp.Process(target=lambda: cost(1)).start()",),
        ("mp.Process(target=cost, args=(torch.ones(1),)).start()",),
        ("print(mp.Pool(2, print).map(cost, [1]))",),
        ("torch.set_default_dtype(torch.float64)", "print(mp.Pool(2).map(cost, [1]))"),
        ("Worker().start()",),
    ],
)
def test_no_fix_where_a_spawned_process_would_find_something_else(lines: tuple[str, ...]) -> None:
    assert [found.partition(": ")[2] for found in clashes(_script(*lines))] == ["fork"]
    assert _fixed(*lines) == []


def test_no_fix_without_a_guard() -> None:
    text = HEAD + USED + "\nprint(mp.Pool(2).map(cost, [1]))\n"
    assert [found.partition(": ")[2] for found in clashes(text)] == ["fork"]
    assert fix_texts(files(text), Applicability.UNSAFE)[0] == files(text)


@pytest.mark.parametrize(("change", "is_fixed"), [("pass", True), ("settings.width = 3", False)])
def test_what_a_module_holds_is_as_it_was_imported(change: str, is_fixed: bool) -> None:
    settings = "width = 2\nshapes = [(1, 2), (2,)]\n"
    work = "import torch\nimport settings\nfrom settings import shapes\n\n\ndef run(x):\n    return torch.ones(settings.width, device='cuda').sum().item() * len(shapes)\n"
    main = f"import multiprocessing as mp\nimport settings\nfrom work import run\n\n{GUARD}    {change}\n    run(1)\n    mp.Pool(2).map(run, [1])\n"
    after = fix_texts(files(main, settings=settings, work=work), Applicability.UNSAFE)[0]["main.py"]
    assert ('get_context("spawn")' in after) == is_fixed
