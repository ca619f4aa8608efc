"""Generators, seeds and the states of random numbers."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import torch
from recorded.questions import Questions
from torch.utils.data import DataLoader, RandomSampler, TensorDataset, random_split

QUESTIONS = Questions()


def with_default(device: Any, action: Any) -> Any:
    """What an action comes to with a default device."""
    torch.set_default_device(device)
    try:
        return action()
    finally:
        torch.set_default_device(None)


def shuffled(**options: Any) -> int:
    """Batches of a loader that shuffles."""
    return len(list(DataLoader(TensorDataset(torch.ones(4, 2)), batch_size=2, shuffle=True, **options)))


def repeated(draw: Any, *, device: str = "cuda") -> bool:
    """Whether a state that is restored gives the same numbers again."""
    state = torch.get_rng_state() if device == "cpu" else torch.cuda.get_rng_state()
    first = draw()
    if device == "cpu":
        torch.set_rng_state(state)
    else:
        torch.cuda.set_rng_state(state)
    return bool(torch.equal(first, draw()))


QUESTIONS.lines(
    {
        "torch": torch,
        "copy": copy,
        "pickle": pickle,
        "Split": random_split,
        "RandomSampler": RandomSampler,
        "With": with_default,
        "Shuffled": shuffled,
        "Repeated": repeated,
        "gen": lambda: torch.Generator("cuda"),
        "own": lambda: torch.Generator(device="cpu"),
        "g": lambda: torch.ones(4, device="cuda"),
        "c": lambda: torch.ones(4),
    },
    """
    gen.device, own.device
    torch.Generator(device=torch.device("cuda", 0)).device
    torch.Generator("cuda:7")
    torch.Generator("nonsense")
    isinstance(gen, torch.Generator), isinstance(torch.default_generator, torch.Generator), isinstance(torch.cuda.default_generators[0], torch.Generator)
    gen.manual_seed(3) is gen, gen.manual_seed(3).initial_seed(), gen.initial_seed() == own.initial_seed()
    type(gen.seed()), gen.get_state().device, gen.get_state().dtype
    s = gen; t = s.get_state(); a = torch.rand(2, device="cuda", generator=s); s.set_state(t); torch.equal(a, torch.rand(2, device="cuda", generator=s))
    s = gen; k = s.clone_state(); k.device, torch.equal(torch.rand(2, device="cuda", generator=s), torch.rand(2, device="cuda", generator=k))
    s = gen; s.set_state(s.get_state().cuda())
    s = gen; s.set_state([1])
    copy.deepcopy(gen).device
    pickle.loads(pickle.dumps(gen)).device
    torch.cuda.default_generators[0].device, len(torch.cuda.default_generators)
    torch.rand(2, device="cuda", generator=gen).device
    torch.rand(2, device="cuda", generator=own)
    torch.rand(2, generator=gen)
    torch.randn(2, device="cuda", generator=torch.default_generator)
    torch.randn(2, device="cuda", generator=torch.cuda.default_generators[0]).device
    torch.randint(3, (2,), device="cuda", generator=own)
    torch.randperm(4, device="cuda", generator=own)
    torch.randperm(4, generator=gen)
    torch.randperm(4, device="cuda", generator=gen).device
    torch.normal(g, 1.0, generator=own)
    torch.normal(g, g, generator=gen).device
    torch.normal(0.0, 1.0, (2,), device="cuda", generator=own)
    torch.bernoulli(g, generator=own)
    torch.bernoulli(c, generator=gen)
    torch.multinomial(g, 1, generator=own)
    torch.multinomial(g, 1, generator=gen).device
    torch.poisson(g, generator=own)
    g.normal_(generator=own)
    g.normal_(generator=gen).device
    c.normal_(generator=gen)
    g.uniform_(generator=own)
    g.random_(generator=own)
    g.bernoulli_(generator=own)
    g.exponential_(generator=own)
    g.cauchy_(generator=own)
    g.geometric_(0.5, generator=own)
    torch.nn.init.normal_(g, generator=own)
    torch.nn.init.xavier_uniform_(torch.ones(2, 2, device="cuda"), generator=own)
    torch.nn.init.trunc_normal_(g, generator=gen).device
    torch.nn.init.orthogonal_(torch.ones(2, 2, device="cuda"), generator=own)
    torch.rand_like(g, generator=own)
    torch.randn_like(g, generator=gen).device
    torch.manual_seed(5).device, torch.initial_seed(), torch.cuda.initial_seed()
    torch.manual_seed(5); torch.cuda.manual_seed(6); torch.cuda.initial_seed(), torch.initial_seed()
    torch.cuda.manual_seed_all(8); torch.cuda.initial_seed()
    torch.cuda.seed(); torch.cuda.seed_all()
    torch.manual_seed(1); a = torch.rand(2); torch.cuda.manual_seed(3); torch.manual_seed(1); torch.cuda.manual_seed(9); torch.equal(a, torch.rand(2))
    torch.cuda.get_rng_state().device, torch.cuda.get_rng_state("cuda:0").dtype, len(torch.cuda.get_rng_state_all())
    Repeated(lambda: torch.rand(3, device="cuda"))
    Repeated(lambda: torch.rand(3), device="cpu")
    Repeated(lambda: torch.nn.functional.dropout(g))
    torch.set_rng_state(torch.get_rng_state().cuda())
    torch.cuda.set_rng_state(torch.cuda.get_rng_state().cuda())
    torch.cuda.set_rng_state_all(torch.cuda.get_rng_state_all())
    torch.cuda.set_rng_state(torch.cuda.get_rng_state(), 0)
    torch.random.fork_rng().__enter__()
    torch.random.fork_rng(devices=[0])(lambda: torch.rand(1, device="cuda").device)()
    torch.random.get_rng_state().device
    Split(range(4), [2, 2], generator=gen)
    len(Split(range(4), [2, 2], generator=own))
    Shuffled()
    Shuffled(generator=own)
    Shuffled(generator=gen)
    With("cuda", lambda: Shuffled())
    With("cuda", lambda: Shuffled(generator=torch.Generator("cuda")))
    With("cuda", lambda: Split(range(4), [2, 2]))
    With("cuda", lambda: len(Split(range(4), [2, 2], generator=torch.Generator("cuda"))))
    With("cuda", lambda: torch.Generator().device)
    With("cuda", lambda: torch.randperm(4).device)
    With("cuda", lambda: torch.randperm(4, generator=torch.Generator()))
    With("cuda", lambda: list(RandomSampler(range(3), generator=torch.Generator())))
    """,
)
