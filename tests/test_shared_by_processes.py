"""Lists, dicts and queues of a manager: what a process puts there is another tensor where it is taken."""

from __future__ import annotations

import pytest
from text_program import clashes

SCRIPT = """
import torch
import torch.multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor
from others import stranger

device = torch.device("cuda")

def work(n, out):
    {work}

def main():
    manager = mp.Manager()
    out = manager.{kind}
    {start}
    net = torch.nn.Linear(4, 2).to(device)
    {use}

if __name__ == "__main__":
    main()
"""
STARTS = [
    "ps = [mp.Process(target={f}, args=(i, out)) for i in range(3)]\n    for p in ps: p.start()\n    for p in ps: p.join()",
    "with mp.Pool(2) as pool: pool.starmap({f}, [(i, out) for i in range(3)])",
    "with mp.Pool(2) as pool: [pool.apply_async({f}, (i, out)).get() for i in range(3)]",
    "mp.spawn({f}, args=(out,), nprocs=2)",
    "with ProcessPoolExecutor() as ex: list(ex.map({f}, range(3), [out] * 3))",
]
#: What is made, what a process does with it, and what is taken out of it.
KINDS = [
    ("dict()", "out[n] = torch.ones(4)", "for x in out.values(): net({x})"),
    ("dict()", "out['x'] = torch.ones(4)", "x = out['x']\n    net({x})"),
    ("list()", "out.append(torch.ones(4))", "for x in out: net({x})"),
    ("list()", "out.append((n, torch.ones(4)))", "x = torch.stack([t for _, t in out])\n    net({x})"),
    ("Queue()", "out.put((n, torch.ones(4)))", "n, x = out.get()\n    net({x})"),
]


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("kind", "work", "use"), KINDS)
def test_what_a_process_puts_is_where_it_was(kind: str, work: str, use: str, start: str) -> None:
    def found(function: str, used: str) -> list[str]:
        told = {"work": work, "kind": kind, "start": start.format(f=function), "use": use.format(x=used)}
        return [each.partition(": ")[2] for each in clashes(SCRIPT.format(**told))]

    assert found("work", "x") == ["device"]
    assert found("work", "x.to(device)") == []
    assert found("stranger", "x") == []


def test_what_a_process_does_to_lists_that_are_not_shared_nobody_sees() -> None:
    text = SCRIPT.format(
        work="out.append(torch.ones(4))", kind="list()", start=STARTS[0].format(f="work"), use="net(out[0])"
    )
    assert clashes(text.replace("manager.list()", "[torch.ones(4, device=device)]")) == []
