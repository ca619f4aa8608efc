"""Where storages, copies of modules, and tensors in page-locked memory are."""

from __future__ import annotations

import copy
from typing import Any

import torch
from recorded.questions import Questions
from torch import nn

QUESTIONS = Questions()


class Named(torch.Tensor):
    """A subclass of the user's."""


class Net(nn.Module):
    """A module with parameters, a buffer, a plain tensor, and tied weights."""

    def __init__(self) -> None:
        super().__init__()
        self.one = nn.Linear(2, 2)
        self.two = nn.Linear(2, 2)
        self.two.weight = self.one.weight
        self.register_buffer("scale", torch.ones(2))
        self.plain = torch.ones(2)


def stepped(kind: Any, module: nn.Module, **options: Any) -> torch.optim.Optimizer:
    """An optimizer that has made one step."""
    optimizer: torch.optim.Optimizer = kind(module.parameters(), lr=0.1, **options)
    weight = next(module.parameters())
    module(torch.ones(2, weight.shape[1], device=weight.device)).sum().backward()
    optimizer.step()
    return optimizer


def devices(values: Any) -> list[str]:
    """The devices of the tensors of a dictionary or list."""
    return [str(v.device) for v in (values.values() if isinstance(values, dict) else values)]


def restored(kind: Any, *, before: bool, **options: Any) -> list[str]:
    """The devices of an optimizer's state after it was loaded into a model moved before or after that."""
    state = stepped(kind, nn.Linear(2, 2), **options).state_dict()
    model = nn.Linear(2, 2)
    if before:
        model.cuda()
    optimizer = kind(model.parameters(), lr=0.1, **options)
    optimizer.load_state_dict(state)
    return [
        str(v.device) for s in optimizer.state.values() for v in s.values() if isinstance(v, torch.Tensor)
    ]


def swapping(action: Any) -> Any:
    """What an action comes to where modules exchange their parameters on conversion."""
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        return action()
    finally:
        torch.__future__.set_swap_module_params_on_conversion(False)


def _names() -> dict[str, Any]:
    return {
        "copy": copy, "torch": torch, "nn": nn, "Named": Named, "Net": Net, "Stepped": stepped, "Devices": devices,
        "Restored": restored, "Swapping": swapping, "F": nn.functional,
        "collate": lambda: torch.utils.data.default_collate, "convert": lambda: torch.utils.data.default_convert,
        "g": lambda: torch.tensor([1.0, 2.0], device="cuda"),
        "c": lambda: torch.tensor([1.0, 2.0]),
        "lin": lambda: nn.Linear(2, 2),
        "net": Net,
    }  # fmt: skip


QUESTIONS.lines(
    _names(),
    """
    g.untyped_storage().device
    c.untyped_storage().device
    g.untyped_storage().is_cuda
    g.untyped_storage().get_device()
    g.storage().device
    g.storage().type()
    g.storage().is_cuda
    g.storage_type().__module__
    g.untyped_storage().type()
    g.untyped_storage().cpu().device
    c.untyped_storage().cuda().device
    c.untyped_storage().cuda(0).device
    c.untyped_storage().to(device="cuda").device
    c.untyped_storage().to(device="cuda:9").device
    g.untyped_storage().cuda() is g.untyped_storage()
    c.untyped_storage().cpu() is c.untyped_storage()
    g.untyped_storage().clone().device
    g.untyped_storage().tolist()
    c.storage().cuda().tolist()
    g.storage()[0]
    g.storage().tolist()
    repr(torch.UntypedStorage(1, device="cuda").fill_(3))
    repr(torch.ones(1, device="cuda").storage())
    torch.UntypedStorage(4, device="cuda").device
    torch.UntypedStorage(4, device="cuda:0").nbytes()
    torch.UntypedStorage(device="cuda").device
    torch.UntypedStorage([1, 2], device="cuda").device
    torch.UntypedStorage(4, device="cuda:7").device
    torch.UntypedStorage(4).device
    torch.TypedStorage([1.0], device="cuda", dtype=torch.float).device
    torch.TypedStorage(4, device="cuda", dtype=torch.float).device
    torch.UntypedStorage(8).copy_(g.untyped_storage()).device
    g.untyped_storage().copy_(c.untyped_storage()).device
    g.untyped_storage().share_memory_().device
    g.untyped_storage().is_shared(), c.untyped_storage().is_shared()
    g.untyped_storage().pin_memory()
    c.untyped_storage().pin_memory().is_pinned()
    g.untyped_storage().is_pinned()
    g.untyped_storage()[0:4].device
    g.untyped_storage().new().device
    copy.copy(g.untyped_storage()).device
    copy.deepcopy(g.untyped_storage()).device
    copy.deepcopy(g.storage()).device
    g.view(2, 1).untyped_storage().device
    g.to_sparse()._values().untyped_storage().device
    torch.empty(0, device="cuda").set_(g.untyped_storage()).device
    torch.empty(0, device="cuda").set_(c.untyped_storage())
    torch.empty(0).set_(g.untyped_storage())
    torch.empty(0, device="cuda").set_(c)
    torch.empty(0).set_(g)
    torch.empty(0, device="cuda").set_(g).device
    torch.empty(0).set_(c.storage()).device
    torch.tensor([], device="cuda").set_(g.untyped_storage(), 0, (2,)).device
    g.resize_(4).device
    g.untyped_storage().resize_(16).device
    c.resize_as_(g).device
    g.share_memory_().device, g.is_shared()
    c.is_shared(), c.share_memory_().is_shared()
    lin.cuda().share_memory().weight.is_shared()
    lin.share_memory().weight.is_shared()
    c.data = g; c.device
    g.data = c; g.device
    g.data = c.cuda(); g.device
    g.data = g.double(); g.dtype
    p = nn.Parameter(c); p.data = p.data.cuda(); p.device, p.is_leaf, type(p).__name__
    p = nn.Parameter(c); p.grad = torch.ones(2); p.data = p.data.cuda(); p.grad.device
    p = nn.Parameter(c); p.grad = torch.ones(2); p.data = p.data.cuda(); torch.optim.SGD([p], 0.1).step()
    p = nn.Parameter(c); p.grad = torch.ones(2); p.data = p.data.cuda(); p.grad = p.grad.cuda(); torch.optim.SGD([p], 0.1).step()
    p = nn.Parameter(c); p.sum().backward(); p.data = p.data.cuda(); p.sum().backward(); p.grad.device
    p = nn.Parameter(c); p.data = p.data.cuda(); (p * 2).sum().backward(); p.grad.device
    p = nn.Parameter(c); p.grad = torch.ones(2, device="cuda")
    p = nn.Parameter(g); p.grad = torch.ones(2)
    p = nn.Parameter(g); p.data.copy_(c); p.device
    g.copy_(c).device
    g.copy_(c, non_blocking=True).tolist()
    c.copy_(g).device
    g.set_data(c)
    torch.utils.swap_tensors(c, g); c.device, g.device
    copy.deepcopy(g).device
    copy.deepcopy(g.view(2, 1)).device
    a, b = copy.deepcopy([g, g.view(2, 1)]); a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr(), a.device
    copy.deepcopy(nn.Parameter(g)).device, type(copy.deepcopy(nn.Parameter(g))).__name__
    copy.deepcopy(g.to_sparse()).device
    copy.deepcopy(g.as_subclass(Named)).device, type(copy.deepcopy(g.as_subclass(Named))).__name__
    Devices(copy.deepcopy(net.cuda()).state_dict())
    m = copy.deepcopy(net.cuda()); m.one.weight is m.two.weight, m.plain.device
    copy.deepcopy(lin.cuda())(g).device
    m = lin.cuda(); m(g).sum().backward(); copy.deepcopy(m).weight.grad.device
    m = lin.cuda(); o = copy.deepcopy(Stepped(torch.optim.Adam, m)); sorted({str(v.device) for s in o.state.values() for v in s.values()})
    copy.deepcopy(g.requires_grad_() * 2)
    c.as_subclass(Named).cuda().device, type(c.as_subclass(Named).cuda()).__name__
    c.as_subclass(Named).to("cuda").device, type(c.as_subclass(Named).to("cuda")).__name__
    (g.as_subclass(Named) + 1).device
    g.as_subclass(Named).cpu().numpy().tolist()
    g.as_subclass(Named).numpy()
    g.as_subclass(Named) + c
    net.cuda().scale.device, net.cuda().plain.device
    net.cuda(); net.one.weight is net.two.weight, net.one.weight.device
    Devices(net.cuda().state_dict())
    list(net.cuda().state_dict())
    net.cuda().load_state_dict(Net().state_dict()); Devices(net.state_dict())
    net.load_state_dict(Net().cuda().state_dict()); Devices(net.state_dict())
    net.load_state_dict(Net().cuda().state_dict(), assign=True); Devices(net.state_dict())
    net.cuda().load_state_dict(Net().state_dict(), assign=True); Devices(net.state_dict())
    net.cuda().load_state_dict(Net().state_dict(), assign=True); net.one(g)
    torch.nn.Linear(2, 2, device="meta").to("cuda")
    torch.nn.Linear(2, 2, device="meta").to_empty(device="cuda").weight.device
    net.to_empty(device="cuda").scale.device
    m = nn.Linear(2, 2, device="meta"); m.load_state_dict(lin.cuda().state_dict(), assign=True); m.weight.device
    m = nn.Linear(2, 2, device="meta"); m.load_state_dict(lin.cuda().state_dict()); m.weight.device
    torch.empty_like(torch.ones(2, device="meta"), device="cuda").device
    torch.ones(2, device="meta").to("cuda")
    torch.ones(2, device="meta").cuda()
    torch.ones(2, device="meta").device, g.to("meta").device
    Swapping(lambda: nn.Linear(2, 2).to("cuda").weight.device)
    Swapping(lambda: nn.Linear(2, 2).cuda()(torch.ones(2, device="cuda")).device)
    Swapping(lambda: Devices(Net().cuda().state_dict()))
    Swapping(lambda: Stepped(torch.optim.Adam, nn.Linear(2, 2).cuda()).state_dict()["state"][0]["exp_avg"].device)
    nn.Linear(2, 2, device="cuda").weight.device
    nn.LazyLinear(2).cuda().weight.device
    nn.LazyLinear(2).cuda()(g).device
    nn.LazyLinear(2).to("cuda")(g).device
    nn.LazyLinear(2)(g)
    nn.LazyLinear(2, device="cuda")(g).device
    nn.LazyLinear(2, device="cuda")(c)
    m = nn.LazyLinear(2); m(c); m.cuda()(g).device
    m = nn.LazyBatchNorm1d().cuda(); m(torch.ones(2, 3, device="cuda")).device, m.running_mean.device
    m = nn.LazyLinear(2).cuda(); copy.deepcopy(m)(g).device
    m = nn.LazyLinear(2); m.load_state_dict(lin.cuda().state_dict()); m.weight.device
    nn.parameter.UninitializedParameter(device="cuda").device
    p = nn.parameter.UninitializedParameter(device="cuda"); p.materialize((2,)); p.device, type(p).__name__
    p = nn.parameter.UninitializedParameter(); p.materialize((2,), device="cuda"); p.device
    p = nn.parameter.UninitializedBuffer(device="cuda"); p.materialize((2,)); p.device
    Stepped(torch.optim.Adam, lin.cuda()).state_dict()["state"][0]["step"].device
    Stepped(torch.optim.Adam, lin.cuda()).state_dict()["state"][0]["exp_avg"].device
    Stepped(torch.optim.Adam, lin.cuda(), capturable=True).state_dict()["state"][0]["step"].device
    Stepped(torch.optim.Adam, lin.cuda(), fused=True).state_dict()["state"][0]["step"].device
    Stepped(torch.optim.Adagrad, lin.cuda()).state_dict()["state"][0]["sum"].device
    Restored(torch.optim.Adam, before=True)
    Restored(torch.optim.Adam, before=False)
    Restored(torch.optim.Adam, before=True, fused=True)
    Restored(torch.optim.SGD, before=True, momentum=0.9)
    Restored(torch.optim.Adagrad, before=True)
    Restored(torch.optim.LBFGS, before=True) if False else None
    collate([g, g]).device
    collate([g, c])
    collate([(g, 1), (g, 2)])[1].device
    collate([{"x": g}, {"x": g}])["x"].device
    collate([1.0, 2.0]).device
    collate([torch.ones(2).numpy(), torch.ones(2).numpy()]).device
    convert(torch.ones(2).numpy()).device
    convert([g])[0].device
    g.pin_memory()
    g.half().pin_memory()
    g.bfloat16().pin_memory()
    g.long().pin_memory()
    g.bool().pin_memory()
    torch.complex(g, g).pin_memory()
    g.to_sparse().pin_memory()
    g.is_pinned(), c.is_pinned()
    c.pin_memory().is_pinned()
    c.pin_memory().device, c.pin_memory().untyped_storage().device
    p = c.pin_memory(); p.pin_memory() is p
    p = c.pin_memory(); p.view(2, 1).is_pinned(), p[0:1].is_pinned(), p[0].is_pinned()
    p = c.pin_memory(); (p + 1).is_pinned(), p.clone().is_pinned()
    p = c.pin_memory(); torch.empty_like(p).is_pinned(), torch.zeros_like(p).is_pinned()
    p = c.pin_memory(); p.add_(1).is_pinned(), c.tolist()
    p = c.pin_memory(); p.cuda(non_blocking=True).device, p.cuda().cpu().is_pinned()
    p = c.pin_memory(); p.to("cuda", non_blocking=True).tolist()
    p = c.pin_memory(); p.untyped_storage().is_pinned(), p.numpy().tolist()
    p = c.pin_memory(); p + g
    p = c.pin_memory(); copy.deepcopy(p).is_pinned()
    p = c.pin_memory(); p.share_memory_().is_pinned()
    c.pin_memory("cuda").is_pinned("cuda")
    c.requires_grad_().pin_memory().requires_grad, c.requires_grad_().pin_memory().is_leaf
    x = c.requires_grad_(); x.pin_memory().sum().backward(); x.grad.tolist()
    type(nn.Parameter(c).pin_memory()).__name__
    torch.empty(0).pin_memory().is_pinned()
    torch.ones(3).expand(2, 3).pin_memory().stride()
    torch.ones(3, 2).t().pin_memory().stride()
    torch.ones(4)[::2].pin_memory().stride(), torch.ones(4)[::2].pin_memory().is_pinned()
    c.to_sparse().pin_memory().is_pinned()
    torch.zeros(2, pin_memory=True).is_pinned()
    torch.empty(2, pin_memory=True).is_pinned()
    torch.empty(2, 2).pin_memory().is_pinned()
    torch.tensor([1.0], pin_memory=True).is_pinned()
    torch.ones(2, device="cuda", pin_memory=True)
    torch.tensor([1.0], device="cuda", pin_memory=True)
    torch.empty_like(c, pin_memory=True).is_pinned()
    torch.randn(2, pin_memory=True).is_pinned()
    torch.full((2,), 1.0, pin_memory=True).is_pinned()
    torch.arange(2, pin_memory=True).is_pinned()
    torch.empty_strided((2,), (1,), pin_memory=True).is_pinned()
    c.new_zeros(2, pin_memory=True).is_pinned()
    g.new_zeros(2, pin_memory=True)
    g.new_zeros(2, device="cpu", pin_memory=True).is_pinned()
    g.new_tensor([1.0], pin_memory=True)
    nn.utils.rnn.pack_padded_sequence(torch.ones(2, 2, 1), [2, 1]).pin_memory().is_pinned()
    nn.utils.rnn.pack_padded_sequence(torch.ones(2, 2, 1), [2, 1]).cuda().is_cuda
    nn.utils.rnn.pack_padded_sequence(torch.ones(2, 2, 1), [2, 1]).cuda().pin_memory()
    c.is_pinned(), c.cuda().cpu().is_pinned(), c.to("cpu", non_blocking=True).is_pinned()
    """,
)
