"""Interruptions of `devfix run`: the program hears of each one once, whoever was interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from devfix.running.interruptions import Interruptions, taken_along

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are handed on where there are such")

_PROGRAM = """
import os, signal, sys, time
os.set_blocking(int(sys.argv[1]), False)
signal.set_wakeup_fd(int(sys.argv[1]), warn_on_full_buffer=False)
heard = []
def hear(*_):
    heard.append(1)
    print("heard", flush=True)
signal.signal(signal.SIGINT, hear)
print("ready", flush=True)
sys.stdin.readline()
print(len(heard))
"""


def _program(interruptions: Interruptions) -> subprocess.Popen[str]:
    assert interruptions.ear is not None
    child = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(interruptions.ear)],
        pass_fds=(interruptions.ear,),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    _await(child, "ready")
    return child


def _await(child: subprocess.Popen[str], word: str) -> None:
    assert child.stdout is not None
    assert child.stdout.readline() == f"{word}\n"


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("to_all", [True, False], ids=["the group", "devfix alone"])
def test_the_program_hears_of_an_interruption_once(to_all: bool, times: int) -> None:
    with taken_along() as interruptions, _program(interruptions) as child:
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGINT)
            if to_all:
                child.send_signal(signal.SIGINT)
            interruptions.hand_on(child)
            _await(child, "heard")
        interruptions.hand_on(child)
        assert child.communicate("\n")[0] == f"{times}\n"
        assert not interruptions.enough


def test_what_the_group_heard_more_often_is_not_owed_later() -> None:
    with taken_along() as interruptions, _program(interruptions) as child:
        os.kill(os.getpid(), signal.SIGINT)
        assert interruptions.ear is not None
        # The program's own workers hear of it, too.
        os.write(interruptions.ear, bytes([signal.SIGINT] * 4))
        interruptions.hand_on(child)
        os.kill(os.getpid(), signal.SIGINT)
        interruptions.hand_on(child)
        _await(child, "heard")
        assert child.communicate("\n")[0] == "1\n"


def test_the_third_interruption_ends_the_program_whatever_it_makes_of_them() -> None:
    before = signal.getsignal(signal.SIGINT)
    with taken_along() as interruptions:
        for _ in range(3):
            assert not interruptions.enough
            os.kill(os.getpid(), signal.SIGINT)
        assert interruptions.enough
    assert signal.getsignal(signal.SIGINT) is before


def test_who_ignores_interruptions_goes_on_to() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with taken_along() as interruptions:
            os.kill(os.getpid(), signal.SIGINT)
            assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
            assert not interruptions.enough
    finally:
        signal.signal(signal.SIGINT, before)
