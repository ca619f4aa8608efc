"""The pytest plugin: a session or a single test on a simulated accelerator."""

from __future__ import annotations

import pytest
import torch

# pytester forgets what its own sessions were the first to import. Were that the simulator but for what the tool
# itself uses of it, one session would run on parts of the one before.
import devfix.simulator.simulation  # noqa: F401 - see above
from devfix.simulator.machine import active

_TEST = """
import torch
from torch import nn, randn

def test_it():
    model = nn.Linear(3, 2).to("cuda")
    assert model(randn(1, 3, device="cuda")).is_cuda
"""

_FORGOTTEN_MOVE = """
import torch
from torch import nn

def test_it():
    nn.Linear(3, 2).to("cuda")(torch.ones(1, 3))
"""


def test_a_session_runs_on_the_simulated_accelerator(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(_TEST)
    result = pytester.runpytest_inprocess("--simulate-accelerator")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["accelerator: 1 x cuda, simulated by devfix*"])
    assert torch.cuda.device_count() == 0
    assert active() is None


def test_a_mistake_fails_as_on_a_gpu(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(_FORGOTTEN_MOVE)
    result = pytester.runpytest_inprocess("--simulate-accelerator")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E*RuntimeError: Expected all tensors to be on the same device*"])


def test_a_mistake_is_shown_without_the_simulation_below_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(_FORGOTTEN_MOVE)
    shown = pytester.runpytest_inprocess("--simulate-accelerator").stdout.str()
    assert "linear.py" in shown
    assert "devfix/simulator" not in shown.replace("\\", "/")
    assert "Expected all tensors to be on the same device" in shown
    whole = pytester.runpytest_inprocess("--simulate-accelerator", "--full-trace").stdout.str()
    assert "devfix/simulator" in whole.replace("\\", "/")


def test_without_the_option_nothing_is_simulated(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import torch\n\ndef test_it():\n    assert not torch.cuda.is_available()\n")
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("accelerator: *")


def test_a_fixture_simulates_for_one_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
import torch

def test_with(simulated_accelerator):
    torch.ones(4).cuda().cpu()
    assert [t["what"] for t in simulated_accelerator.log.transfers] == ["host-to-device", "device-to-host"]

def test_without():
    assert not torch.cuda.is_available()
"""
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


def test_the_fixture_begins_with_an_empty_log_in_a_simulated_session(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
import torch

def test_first():
    torch.ones(4).cuda()

def test_second(simulated_accelerator):
    assert simulated_accelerator.log.transfers == []
"""
    )
    pytester.runpytest_inprocess("--simulate-accelerator").assert_outcomes(passed=2)


def test_two_devices_can_be_asked_for(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
import torch

def test_it(simulated_accelerator):
    assert torch.cuda.device_count() == 2
    assert torch.ones(1, device="cuda:1").device.index == 1
"""
    )
    pytester.runpytest_inprocess("--simulated-devices", "2").assert_outcomes(passed=1)


def test_a_machine_that_cannot_be_is_a_usage_error(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("--simulated-kind", "mps", "--simulated-devices", "2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_the_plugin_alone_does_not_import_torch(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import sys\n\ndef test_it():\n    assert 'torch' not in sys.modules\n")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
