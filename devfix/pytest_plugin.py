"""A pytest plugin: device tests on a machine without an accelerator.

``pytest --simulate-accelerator`` runs the whole session on a machine that seems to have one;
the fixture ``simulated_accelerator`` gives a single test such a machine. Without either, torch is
not even imported.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from devfix.simulator import Machine

_SESSION = pytest.StashKey[tuple[ExitStack, "Machine"]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin."""
    group = parser.getgroup("devfix", "simulated accelerator")
    group.addoption(
        "--simulate-accelerator",
        action="store_true",
        help="run all tests as if the machine had an accelerator",
    )
    group.addoption(
        "--simulated-kind",
        choices=["cuda", "mps", "xpu"],
        default="cuda",
        help="which kind of accelerator it is (default: cuda)",
    )
    group.addoption(
        "--simulated-devices",
        type=int,
        default=1,
        metavar="N",
        help="how many accelerators it has (default: 1)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Start the session's simulation before any test module is imported.

    Raises pytest.UsageError for a number of devices that no machine of the kind has.
    """
    kind, count = _wanted(config)
    if count < 1 or (kind == "mps" and count > 1):
        raise pytest.UsageError(f"--simulated-devices: a machine cannot have {count} of kind {kind}")
    if config.getoption("--simulate-accelerator"):
        config.stash[_SESSION] = _start(kind, count)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the session's simulation."""
    if _SESSION in config.stash:
        config.stash[_SESSION][0].close()
        del config.stash[_SESSION]


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say in the header that what follows ran on no real accelerator."""
    if _SESSION not in config.stash:
        return None
    machine = config.stash[_SESSION][1]
    return f"accelerator: {machine.count} x {machine.kind}, simulated by devfix (true numbers, computed on the CPU)"


@pytest.fixture
def simulated_accelerator(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """A machine with a simulated accelerator, for the length of one test.

    With ``--simulate-accelerator`` it is the session's machine. Its log is empty when the test
    begins, so ``machine.log.transfers`` and ``machine.log.mismatches`` are those of the test.
    """
    session = request.config.stash.get(_SESSION, None)
    if session is not None:
        session[1].log.clear()
        yield session[1]
        return
    stack, machine = _start(*_wanted(request.config))
    with stack:
        yield machine


def _wanted(config: pytest.Config) -> tuple[str, int]:
    return config.getoption("--simulated-kind"), config.getoption("--simulated-devices")


def _start(kind: str, count: int) -> tuple[ExitStack, Machine]:
    """Begin a simulation; torch is imported only now."""
    from devfix.simulator.lasting import lasting  # noqa: PLC0415 - a session without an accelerator needs nothing of it

    try:
        # Where tests have run already there may be garbage of theirs.
        with nullcontext() if "torch" in sys.modules else lasting():
            from devfix.simulator import simulated_accelerator as simulation  # noqa: PLC0415 - imports torch
    except ModuleNotFoundError as error:
        raise pytest.UsageError(f"a simulated accelerator needs torch: {error}") from error
    stack = ExitStack()
    machine = stack.enter_context(simulation(kind, count))
    _keep_out_of_tracebacks()
    return stack, machine


def _keep_out_of_tracebacks() -> None:
    """Let what an accelerator refuses end where its own error would end: `--full-trace` shows the rest."""
    for name, module in list(sys.modules.items()):
        if name.startswith("devfix.simulator."):
            vars(module)["__tracebackhide__"] = True
