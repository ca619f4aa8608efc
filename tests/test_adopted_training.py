"""Adoption of programs that write parts of training themselves: optimizers, gradients, leaves."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import check_texts, clashes, files, fix_texts

from devfix.findings import Applicability

OPTIMIZER = """
import torch

class Momentum(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {{"lr": lr}})
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["velocity"] = {state}

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                v = self.state[p]["velocity"]
                v.mul_(0.9).add_(p.grad)
                p.add_(v, alpha=-group["lr"])

model = torch.nn.Linear(3, 1){early}
opt = Momentum(model.parameters(), 0.1)
{late}
model(torch.ones(2, 3, device="cuda")).sum().backward()
opt.step()
"""


@pytest.mark.parametrize("state", ["torch.zeros_like(p)", "torch.zeros(p.shape, device=p.device)"])
def test_state_that_an_optimizer_makes_beside_its_parameters_is_early_or_right(state: str) -> None:
    assert clashes(OPTIMIZER.format(state=state, early=".cuda()", late="")) == []
    assert clashes(OPTIMIZER.format(state=state, early="", late="model.cuda()")) == ["23: optimizer-state"]


def test_state_that_an_optimizer_makes_on_the_cpu_meets_the_gradients() -> None:
    """No order of statements would help."""
    text = OPTIMIZER.format(state="torch.zeros(p.shape)", early=".cuda()", late="")
    assert clashes(text) == ["16: device", "17: device"]
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert after["main.py"] == text.replace("p.shape)", "p.shape, device=p.device)")


SOLVER = """
import torch

class Adjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, field, y, *params):
        ctx.field = field
        ctx.save_for_backward(y, *params)
        with torch.no_grad():
            return y + field(y)

    @staticmethod
    def backward(ctx, grad):
        y, *params = ctx.saved_tensors
        sums = [torch.zeros(p.shape) for p in params]
        with torch.enable_grad():
            y = y.detach().requires_grad_()
            gy, *found = torch.autograd.grad(y + ctx.field(y), [y, *params], grad)
        for total, new in zip(sums, found):
            total += new
        return (None, gy, *sums)

def solved(field, y):
    return Adjoint.apply(field, y, *field.parameters())
"""


def test_gradients_by_hand_are_where_their_parameters_are() -> None:
    """What an input becomes on the way has no place of its own, and the file of the solver no choice."""
    main = """
    import torch
    from torch import nn

    from solver import solved

    field = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))
    start = torch.rand(5, 2)
    opt = torch.optim.Adam(field.parameters())
    loss = solved(field, start).pow(2).mean()
    loss.backward()
    opt.step()
    """
    after = adopted(files(main, solver=SOLVER))
    assert after["solver.py"] == SOLVER.replace("p.shape)", "p.shape, device=p.device)")
    assert "nn.Linear(8, 2)).to(device)" in after["main.py"]


def test_a_picture_that_is_trained_is_made_on_the_device() -> None:
    """An optimizer has it: it is no mere step on the way."""
    after = adopted(
        files(
            """
            import torch

            from pictures import picture

            image = picture().clone().requires_grad_()
            optimizer = torch.optim.Adam([image])
            image.pow(2).sum().backward()
            optimizer.step()
            """,
            pictures="""
            import torch


            def picture():
                return torch.rand(3, 4, 4)
            """,
        )
    )
    assert "image = picture().clone().to(device).requires_grad_()" in after["main.py"]


def test_a_gradient_given_by_hand_is_where_its_tensor_is() -> None:
    text = """
    import torch

    p = torch.nn.Parameter(torch.ones(3, device="cuda"))
    q = torch.nn.Parameter(torch.ones(3, device="cuda"))
    p.grad = torch.zeros(3)
    q.grad = None
    q.grad = torch.zeros_like(q)
    """
    assert clashes(text) == ["6: device"]


def test_what_a_parameter_is_given_by_hand_goes_to_the_device_of_an_adopted_model() -> None:
    after = adopted(
        files(
            """
            import numpy as np
            import torch
            from nets import Masked

            net = Masked()
            net(torch.ones(2, 3)).sum().backward()
            net.prune(0.1)
            for p in net.parameters():
                p.grad = torch.from_numpy(np.zeros((1, 3), dtype=np.float32))
            print(net(torch.ones(2, 3)).sum().item())
            """,
            nets="""
            import numpy as np
            import torch


            class Masked(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.weight = torch.nn.Parameter(torch.ones(1, 3))

                def prune(self, limit):
                    weight = self.weight.data.numpy()
                    self.weight.data = torch.from_numpy(np.where(weight < limit, 0, weight))

                def forward(self, x):
                    return x @ self.weight.t()
            """,
        )
    )
    assert "p.grad = torch.from_numpy(np.zeros((1, 3), dtype=np.float32)).to(device)" in after["main.py"]
    assert "np.where(weight < limit, 0, weight)).to(self.weight.device)" in after["nets.py"]


FIT = """
import torch
from keeping import Keeper

def fit(x, y):
    net = torch.nn.Linear(3, 1){moved}
    optimizer = torch.optim.Adam(net.parameters())
    keeper = Keeper(net)
    for _ in range(3):
        loss = (net(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        keeper.offer(loss.item())
    return keeper.net
"""
KEEPING = """
class Keeper:
    def __init__(self, net):
        self.net, self.best = net, None

    def offer(self, loss):
        self.best = loss if self.best is None else min(self.best, loss)
"""
FITTED = """
import torch
from fit import fit

x, y = torch.ones(4, 3), torch.ones(4, 1)
print(fit(x, y)(x).sum().item())
"""


def test_a_model_moves_where_the_function_that_trains_it_makes_it() -> None:
    """An object that is handed the model keeps it, and chooses nothing."""
    after = adopted(files(FITTED, fit=FIT.format(moved=""), keeping=KEEPING))
    assert after["keeping.py"] == KEEPING
    assert "net = torch.nn.Linear(3, 1).to(device)\n" in after["fit.py"]
    assert not check_texts(after)


def test_a_model_moves_where_it_is_made_if_its_own_method_computes_what_trains_it() -> None:
    nets = """
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = torch.nn.GRUCell(3, 1)

        def step(self, x, h):
            return self.cell(x, h)
    """
    fit = (
        FIT.format(moved="").replace("torch.nn.Linear(3, 1)", "Net()").replace("net(x)", "net.step(x, None)")
    )
    fitted = FITTED.replace("fit(x, y)(x)", "fit(x, y).step(x, None)")
    after = adopted(files(fitted, fit=f"from nets import Net\n{fit}", nets=nets, keeping=KEEPING))
    assert "net = Net().to(device)\n" in after["fit.py"]
    assert after["main.py"].endswith("print(fit(x, y).step(x, None).sum().item())\n")
    assert not check_texts(after)


def test_what_stands_in_for_an_entry_is_made_where_the_gradients_of_a_client_are() -> None:
    client = """
    import copy

    class Client:
        def __init__(self, scale):
            self.scale = scale

        def __call__(self, shared):
            net = copy.deepcopy(shared)
            for part in net.parameters():
                part.data.mul_(self.scale)
            return {name: value - shared.state_dict()[name] for name, value in net.state_dict().items()}
    """
    server = """
    import torch

    class Server:
        def __init__(self):
            self.means, self.peaks = {}, {}

        def apply(self, net, step):
            out = {}
            for name, d in step.items():
                self.means[name] = 0.9 * self.means.get(name, torch.zeros(d.shape)) + 0.1 * d
                self.peaks[name] = 0.9 * self.peaks.get(name, torch.ones(())) + 0.1 * d * d
                out[name] = self.means[name] / self.peaks[name].sqrt()
            net.load_state_dict({name: value + out[name] for name, value in net.state_dict().items()})
    """
    main = """
    import torch
    from client import Client
    from server import Server

    net, server = torch.nn.Linear(4, 1), Server()
    clients = [Client(0.9), Client(1.1)]
    for _ in range(3):
        steps = [client(net) for client in clients]
        server.apply(net, {name: torch.stack([step[name] for step in steps]).sum(0) for name in steps[0].keys()})
    print(net(torch.ones(2, 4)).sum().item())
    """
    texts = files(main, client=client, server=server)
    after = adopted(texts)
    assert after["client.py"] == texts["client.py"]
    assert after["server.py"] == texts["server.py"].replace("d.shape)", "d.shape, device=d.device)")
    assert clashes(after["main.py"], client=after["client.py"], server=after["server.py"]) == []
