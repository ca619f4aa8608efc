"""Legacy tensor types, default types, and optimizers' choices."""

from __future__ import annotations

from typing import Any

import torch
from recorded.questions import Questions
from torch import nn

QUESTIONS = Questions()


def with_default_type(kind: Any, action: Any) -> Any:
    """What an action comes to with a default tensor type."""
    torch.set_default_tensor_type(kind)
    try:
        return action()
    finally:
        torch.set_default_tensor_type(torch.FloatTensor)


def shuffled() -> int:
    """Batches of a loader that shuffles."""
    data = torch.utils.data.TensorDataset(torch.ones(4, 2))
    return len(list(torch.utils.data.DataLoader(data, batch_size=2, shuffle=True)))


def stepped(kind: Any, where: str = "cuda", **options: Any) -> Any:
    """The devices of an optimizer's state after a step."""
    weight = nn.Parameter(torch.ones(2, device=where))
    optimizer = kind([weight], **options)
    weight.sum().backward()
    optimizer.step()
    return {key: str(v.device) for key, v in optimizer.state[weight].items() if isinstance(v, torch.Tensor)}


def mixed(kind: Any, **options: Any) -> Any:
    """One step for a parameter on each device."""
    weights = [nn.Parameter(torch.ones(2, device=where)) for where in ("cuda", "cpu")]
    optimizer = kind(weights, **options)
    (weights[0].sum().cpu() + weights[1].sum()).backward()
    optimizer.step()
    return [str(weight.device) for weight in weights]


def clipped(function: Any, *args: Any) -> Any:
    """What clipping gives for gradients on both devices."""
    weights = [nn.Parameter(torch.ones(2, device=where)) for where in ("cuda", "cpu")]
    (weights[0].sum().cpu() + weights[1].sum()).backward()
    return function(weights, *args)


QUESTIONS.lines(
    {
        "torch": torch,
        "nn": nn,
        "O": torch.optim,
        "With": with_default_type,
        "Shuffled": shuffled,
        "Stepped": stepped,
        "Mixed": mixed,
        "Clipped": clipped,
        "Cuda": torch.cuda,
        "g": lambda: torch.ones(2, device="cuda"),
        "c": lambda: torch.ones(2),
    },
    """
    torch.cuda.FloatTensor([1.0]).device, torch.cuda.FloatTensor(2, 3).shape, torch.cuda.FloatTensor().device, torch.cuda.LongTensor([1]).dtype, torch.cuda.HalfTensor(2).dtype
    torch.cuda.FloatTensor((1, 2)).tolist(), torch.cuda.ByteTensor([1]).device, torch.cuda.FloatTensor(torch.Size([2])).device
    torch.cuda.FloatTensor(c.numpy()).device
    torch.cuda.FloatTensor(g).device
    torch.FloatTensor(c).device, torch.FloatTensor([1.0]).device, torch.FloatTensor(2, 3).device, torch.Tensor(2, 3).device, torch.Tensor([1]).device
    torch.FloatTensor([1.0], device="cuda")
    torch.FloatTensor(2, device="cuda")
    torch.Tensor([1.0], device="cuda")
    torch.Tensor(2, device="cuda")
    torch.cuda.FloatTensor([1.0], device="cuda").device
    torch.cuda.FloatTensor([1.0], device="cpu")
    torch.FloatTensor([1.0], device="cpu").device
    torch.FloatTensor(2).fill_(1) + torch.cuda.FloatTensor(2).fill_(1)
    torch.Tensor(2).fill_(1) + g
    isinstance(g, torch.cuda.FloatTensor), isinstance(g, torch.FloatTensor), isinstance(c, torch.FloatTensor), isinstance(c, torch.cuda.FloatTensor), isinstance(g, torch.cuda.LongTensor), isinstance(g, torch.Tensor)
    isinstance(nn.Parameter(g), torch.cuda.FloatTensor), isinstance(3, torch.cuda.FloatTensor)
    g.type(), c.type(), g.long().type(), g.half().type(), (g > 0).type(), g.to_sparse().type(), nn.Parameter(g).type()
    c.type(torch.cuda.FloatTensor).device, c.type("torch.cuda.FloatTensor").device, c.type(torch.cuda.LongTensor).type(), g.type(torch.FloatTensor).type(), g.type("torch.DoubleTensor").type()
    g.type(torch.float64).type(), g.type(g.type()).device, g.type(g.type()) is g, c.type(g.dtype).device, g.type(torch.LongTensor).device
    c.type("torch.cuda.NonsenseTensor")
    c.type("nonsense")
    c.type(3)
    c.type_as(g).type(), g.type_as(c).type(), c.type_as(g.long()).type(), g.type_as(g) is g
    torch.cuda.FloatTensor.dtype, torch.cuda.FloatTensor.is_cuda, torch.FloatTensor.is_cuda, repr(torch.cuda.FloatTensor), repr(torch.FloatTensor), torch.cuda.LongTensor.__name__
    c.new([1.0]).device, g.new([1.0]).device, g.new(2).device, g.new().device, g.new_tensor([1.0]).device, g.new_zeros(2).device, g.new_full((2,), 1).device, g.new_ones(1, device="cpu").device
    g.new([1.0], device="cpu")
    c.new([1.0], device="cuda")
    With(torch.cuda.FloatTensor, lambda: [t.type() for t in (torch.zeros(1), torch.Tensor(2), torch.Tensor([1.0]), torch.tensor([1.0]), torch.FloatTensor(2), torch.rand(1), nn.Linear(2, 2).weight, torch.arange(2))])
    With("torch.cuda.FloatTensor", lambda: [t.type() for t in (torch.zeros(1, device="cpu"), torch.from_numpy(c.numpy()), torch.zeros_like(c), torch.ones(1).cpu(), torch.eye(2), torch.randperm(3))])
    With("torch.cuda.HalfTensor", lambda: torch.zeros(1).type())
    With(torch.cuda.DoubleTensor, lambda: (torch.zeros(1).type(), torch.tensor(1.0).type(), torch.get_default_dtype()))
    With(torch.cuda.LongTensor, lambda: 1)
    With(torch.cuda.FloatTensor, lambda: Shuffled())
    With(torch.cuda.FloatTensor, lambda: torch.zeros(2) + c)
    With(torch.DoubleTensor, lambda: torch.zeros(1).type()), torch.zeros(1).type()
    With("torch.NonsenseTensor", lambda: 1)
    nn.Linear(2, 2).type(torch.cuda.FloatTensor).weight.device, nn.Linear(2, 2).cuda().type(torch.float64).weight.device, nn.Linear(2, 2).type("torch.cuda.FloatTensor").bias.device
    Stepped(O.Adam), Stepped(O.Adam, fused=True), Stepped(O.Adam, capturable=True), Stepped(O.Adam, foreach=True), Stepped(O.Adam, foreach=False)
    Stepped(O.AdamW), Stepped(O.NAdam), Stepped(O.RAdam), Stepped(O.Adamax), Stepped(O.Adadelta), Stepped(O.RMSprop), Stepped(O.Rprop), Stepped(O.ASGD), Stepped(O.Adagrad), Stepped(O.Adafactor)
    Stepped(O.SGD, lr=0.1, momentum=0.9), Stepped(O.SGD, lr=0.1, momentum=0.9, fused=True), Stepped(O.NAdam, capturable=True), Stepped(O.ASGD, capturable=True)
    Stepped(O.Adam, "cpu", capturable=True)
    Stepped(O.Adam, "cpu", fused=True)
    Stepped(O.Adam, fused=True, foreach=True)
    Stepped(O.Adam, lr=torch.tensor(0.1)), Stepped(O.Adam, lr=torch.tensor(0.1, device="cuda"))
    Stepped(O.Adam, lr=torch.tensor(0.1), foreach=True)
    Stepped(O.Adam, lr=torch.tensor(0.1, device="cuda"), foreach=True, capturable=True)
    Stepped(O.Adam, lr=torch.tensor(0.1), fused=True), Stepped(O.Adam, lr=torch.tensor(0.1), capturable=True)
    Stepped(O.Adam, lr=torch.tensor([0.1, 0.1]))
    Stepped(O.SGD, lr=torch.tensor(0.1)), Stepped(O.AdamW, lr=torch.tensor(0.1), weight_decay=0.1)
    Mixed(O.SGD, lr=0.1), Mixed(O.Adam), Mixed(O.Adam, foreach=True), Mixed(O.AdamW, fused=True)
    Clipped(nn.utils.clip_grad_norm_, 1.0).device
    Clipped(nn.utils.clip_grad_value_, 1.0)
    Clipped(nn.utils.get_total_norm, 1.0)
    p = nn.Parameter(g); p.sum().backward(); nn.utils.clip_grad_norm_(p, 0.1).device, p.grad.device, nn.utils.clip_grad_norm_([p], 0.1, error_if_nonfinite=True).device
    nn.utils.parameters_to_vector([nn.Parameter(g), nn.Parameter(g)]).device
    nn.utils.parameters_to_vector([nn.Parameter(g), nn.Parameter(c)])
    nn.utils.vector_to_parameters(c, [nn.Parameter(g)])
    O.SGD([g.requires_grad_().to("cpu")], 0.1)
    O.SGD([c.requires_grad_()], 0.1).param_groups[0]["foreach"], O.Adam([nn.Parameter(g)]).param_groups[0]["fused"]
    O.lr_scheduler.StepLR(O.SGD([nn.Parameter(g)], 0.1), 1).get_last_lr()
    O.swa_utils.AveragedModel(nn.Linear(2, 2).cuda()).n_averaged.device, O.swa_utils.AveragedModel(nn.Linear(2, 2), device="cuda").module.weight.device
    """,
)
