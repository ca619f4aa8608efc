"""What the optimizers of a program trained: the same for the same run, whatever becomes of the optimizers."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim import optimizer as optimizers

from devfix.simulator import simulated_accelerator
from devfix.simulator.differentiated import Differentiated
from devfix.simulator.parameters import MOST_VALUES, Trained


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> Iterator[Trained]:
    monkeypatch.setattr(torch.amp.GradScaler, "step", torch.amp.GradScaler.step)
    hooks: Any = optimizers._global_optimizer_post_hooks
    before = dict(hooks)
    found = Trained()
    found.watch(lambda: None)
    yield found
    for key in set(hooks) - set(before):
        del hooks[key]


def train(net: nn.Module, device: str = "cpu", steps: int = 3) -> torch.optim.Optimizer:
    optimizer = torch.optim.Adam(net.to(device).parameters())
    for _ in range(steps):
        loss: Any = net(torch.ones(2, 4, device=device)).sum()
        loss.backward()
        optimizer.step()
    return optimizer


def layer(seed: int = 0) -> nn.Linear:
    torch.manual_seed(seed)
    return nn.Linear(4, 3)


def test_nothing_trained_is_nothing_reported(trained: Trained) -> None:
    torch.optim.SGD(layer().parameters(), 0.1)
    assert trained.report() is None


def test_every_optimizer_counts_in_the_order_of_first_steps(trained: Trained) -> None:
    one, two = layer(), layer(1)
    kept = [train(two), train(one)]
    report = trained.report()
    assert report is not None
    assert (trained.steps, report["count"], len(kept)) == (6, 4, 2)
    assert report["values"][0] == two.weight.flatten().tolist()
    total = sum(float(p.detach().double().square().sum()) for net in (one, two) for p in net.parameters())
    assert report["norm"] == pytest.approx(total**0.5)


def test_an_optimizer_that_is_gone_leaves_its_parameters_summary_but_no_memory(trained: Trained) -> None:
    net = layer()
    weight = weakref.ref(net.weight)
    train(net)
    alive = trained.report()
    del net
    gc.collect()
    assert weight() is None
    assert trained.report() == alive


def test_the_digest_tells_the_last_bit_apart(trained: Trained) -> None:
    net = layer()
    kept = train(net)
    before = trained.report()
    with torch.no_grad():
        net.weight[0, 0] = torch.nextafter(net.weight[0, 0], torch.tensor(9.0))
    after = trained.report()
    assert kept is not None
    assert before is not None
    assert after is not None
    assert before["sha256"] != after["sha256"]


def test_a_device_is_part_of_the_report_but_not_of_the_digest(trained: Trained) -> None:
    kept = train(layer())
    plain = trained.report()
    del kept
    with simulated_accelerator() as machine:
        again = Trained()
        again.watch(lambda: None)
        kept = train(layer(), "cuda")
        copies = machine.log.transfers
        simulated = again.report()
        assert kept is not None
        assert machine.log.transfers == copies
    assert plain is not None
    assert simulated is not None
    assert (plain["sha256"], plain["values"]) == (simulated["sha256"], simulated["values"])
    assert (plain["device_types"], simulated["device_types"]) == (["cpu"], ["cuda"])


def test_large_parameters_are_sampled(trained: Trained) -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 5000), nn.Linear(5000, 2, dtype=torch.float32))
    kept = train(net, steps=1)
    report = trained.report()
    assert kept is not None
    assert report is not None
    assert sum(len(row) for row in report["values"]) <= MOST_VALUES
    assert min(len(row) for row in report["values"]) == 2


def test_a_scaler_that_skips_a_step_has_made_one(trained: Trained) -> None:
    net = layer()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    with simulated_accelerator():
        net.to("cuda")
        scaler = torch.amp.GradScaler("cuda")
        for factor in (1.0, float("inf")):
            loss: Any = net(torch.ones(2, 4, device="cuda")).sum() * factor
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
    assert trained.steps == 2


@pytest.fixture
def differentiated(monkeypatch: pytest.MonkeyPatch) -> Differentiated:
    for name in ("backward", "grad"):
        monkeypatch.setattr(torch.autograd, name, getattr(torch.autograd, name))
    found = Differentiated(lambda: False)
    found.watch()
    return found


def by_hand(net: nn.Module, x: torch.Tensor) -> None:
    net(x).sum().backward()
    for parameter in net.parameters():
        parameter.data -= 0.1 * parameter.grad  # type: ignore[operator]


def by_asking(net: nn.Module, x: torch.Tensor) -> None:
    torch.autograd.grad(net(x).sum(), list(net.parameters()))


def by_function(net: nn.Module, x: torch.Tensor) -> None:
    theta = {name: parameter.detach() for name, parameter in net.named_parameters()}
    torch.func.grad(lambda held: torch.func.functional_call(net, held, (x,)).sum())(theta)


def by_name(net: nn.Module, x: torch.Tensor) -> None:
    loss: Any = net(x).sum()
    loss.backward(inputs=list(net.parameters()))


def the_leaf_itself(net: nn.Module, x: torch.Tensor) -> None:
    x.sum().detach().requires_grad_().backward()  # type: ignore[no-untyped-call]


def by_asking_one_after_the_other(net: nn.Module, x: torch.Tensor) -> None:
    parameters: Any = net.parameters()
    gradients = torch.autograd.grad(net(x).sum(), parameters)
    assert len(gradients) == len(list(net.parameters()))


def by_keywords(net: nn.Module, x: torch.Tensor) -> None:
    weight: Any = next(net.parameters())
    (gradient,) = torch.autograd.grad(outputs=net(x).sum(), inputs=weight, create_graph=True)
    assert gradient.shape == weight.shape


def backwards_by_keywords(net: nn.Module, x: torch.Tensor) -> None:
    torch.autograd.backward(tensors=net(x).sum())


WAYS = (
    by_hand,
    by_asking,
    by_asking_one_after_the_other,
    by_keywords,
    backwards_by_keywords,
    by_function,
    by_name,
    the_leaf_itself,
)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_gradients_are_seen_without_an_optimizer(
    way: Any, device: str, differentiated: Differentiated
) -> None:
    with simulated_accelerator():
        way(layer().to(device), torch.ones(2, 4, device=device))
        assert differentiated.device_types == [device]


def test_a_leaf_that_stayed_on_the_host_shows(differentiated: Differentiated) -> None:
    with simulated_accelerator():
        scale = torch.ones((), requires_grad=True)
        by_hand(nn.Linear(4, 3, device="cuda"), scale * torch.ones(2, 4, device="cuda"))
        assert differentiated.device_types == ["cpu", "cuda"]


def test_what_is_computed_without_gradients_is_no_training(differentiated: Differentiated) -> None:
    with torch.no_grad():
        layer()(torch.ones(2, 4))
    assert differentiated.device_types == []


def test_what_is_wrong_with_a_call_is_said_by_torch(differentiated: Differentiated) -> None:
    with pytest.raises(TypeError, match=r"grad\(\) missing 1 required positional argument"):
        torch.autograd.grad(torch.ones((), requires_grad=True))  # type: ignore[call-overload]


def test_gradients_are_not_looked_at_any_more_when_that_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("backward", "grad"):
        monkeypatch.setattr(torch.autograd, name, getattr(torch.autograd, name))
    found = Differentiated(lambda: True)
    found.watch()
    by_hand(layer(), torch.ones(2, 4))
    assert found.device_types == []
