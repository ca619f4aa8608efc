"""What becomes of a tensor on the accelerator where NumPy or Python itself wants its values."""

from __future__ import annotations

import copy
import json
import math
import operator
import pickle
from typing import Any

import numpy as np
import torch
from recorded.questions import Questions

QUESTIONS = Questions()


def _names() -> dict[str, Any]:
    return {
        "copy": copy, "json": json, "math": math, "operator": operator, "pickle": pickle, "np": np, "torch": torch,
        "g": lambda: torch.tensor([1.0, 2.0], device="cuda"),
        "g0": lambda: torch.tensor(2.0, device="cuda"),
        "gi": lambda: torch.tensor([1, 0], device="cuda"),
        "i0": lambda: torch.tensor(2, device="cuda"),
        "grad": lambda: torch.ones(2, device="cuda", requires_grad=True),
        "c": lambda: torch.tensor([1.0, 2.0]),
        "a": lambda: np.ones(2),
    }  # fmt: skip


QUESTIONS.lines(
    _names(),
    """
    g.numpy()
    g0.numpy()
    grad.numpy()
    torch.ones(2, requires_grad=True).numpy()
    grad.detach().numpy()
    grad.numpy(force=True)
    g.numpy(force=True).dtype
    g.data.numpy()
    g.cpu().numpy()
    g.bfloat16().numpy()
    g.to_sparse().numpy()
    torch.complex(g, g).conj().numpy()
    np.array(g)
    np.array(grad)
    np.array(g, dtype=np.float64)
    np.asarray(g)
    np.asarray(g, dtype="float32")
    np.asanyarray(g)
    np.ascontiguousarray(g)
    np.array([g0, g0])
    np.array([g, g])
    np.array([[g0, 1.0]])
    np.array((g0, 3))
    np.array([grad[0], 1.0])
    np.array({"a": g}).shape
    np.mean([g0, g0])
    np.sum([g, g], 0)
    np.stack([g, g])
    np.concatenate([g, g])
    np.vstack([g, g])
    np.sin(g)
    np.exp(g0)
    np.isnan(g0)
    np.isfinite(g).all()
    np.float32(g0)
    np.float64(g0)
    np.int64(i0)
    np.bool_(g0)
    np.argmax(g)
    np.sqrt(g0)
    np.add(np.ones(2), g)
    np.clip(g, 0, 1)
    np.allclose(g, c)
    np.array_equal(g, g)
    np.testing.assert_allclose(g, c)
    np.ones(2) * g
    g * np.ones(2)
    g + np.ones(2)
    np.ones(2) + g0
    np.ones(2) == g
    g == np.ones(2)
    np.float64(2.0) * g
    np.float32(2.0) * g
    g * np.float64(2.0)
    g ** np.float64(2.0)
    np.float64(2.0) + g0
    g0 + np.float64(2.0)
    g0 - np.array(1.0)
    np.array(1.0) - g0
    g > np.float32(1.5)
    np.arange(5)[gi]
    np.arange(5)[i0]
    np.arange(5)[[i0, i0]]
    np.arange(9).reshape(3, 3)[gi, 0]
    g[np.array([0])].device
    g[np.array([True, False])].device
    g[np.int64(0)].device
    a.__setitem__(0, g0)
    a.__setitem__(slice(None), g)
    a.__setitem__(0, g0.item())
    a.fill(g0)
    a.dot(g)
    np.dot(g, g)
    a @ g
    g @ a
    np.zeros(i0).shape
    np.zeros((i0, 2)).shape
    np.linspace(0, g0, 3)
    np.arange(i0)
    np.full(2, g0)
    np.random.choice(3, p=torch.ones(3, device="cuda") / 3)
    np.histogram(g)
    np.unique(gi)
    np.percentile(g, 50)
    np.save("/dev/null", g)
    np.where(g > 1, 0, 1)
    np.squeeze(g)
    np.squeeze(c).device
    np.transpose(g).device
    np.reshape(g, (2, 1)).device
    np.shape(g)
    np.size(g)
    np.ndim(g)
    np.from_dlpack(c).shape
    g.__array__()
    g.__array__(np.float64)
    g.__array_wrap__(np.ones(2)).device
    g.__array_interface__
    hasattr(c, "__cuda_array_interface__")
    c.__cuda_array_interface__
    sorted(g.__cuda_array_interface__)
    g.__cuda_array_interface__["typestr"], g.__cuda_array_interface__["shape"]
    grad.__cuda_array_interface__
    [int(n) for n in g.__dlpack_device__()]
    [int(n) for n in c.__dlpack_device__()]
    [int(n) for n in c.pin_memory().__dlpack_device__()]
    torch.from_dlpack(g).device
    torch.from_dlpack(c).device
    torch.from_dlpack(np.ones(2)).device
    torch.from_dlpack(np.ones(2), device="cuda").device
    torch.from_dlpack(g, device="cpu").device
    torch.from_dlpack(torch.utils.dlpack.to_dlpack(g)).device
    torch.utils.dlpack.from_dlpack(g.__dlpack__()).device
    torch.from_dlpack(g).data_ptr() == g.data_ptr()
    b = torch.from_dlpack(g); b.add_(1); g.tolist()
    torch.from_dlpack(grad)
    torch.from_numpy(g)
    torch.from_numpy(np.ones(2)).device
    torch.from_numpy(np.ones(2)).cuda().dtype
    torch.frombuffer(bytearray(8), dtype=torch.float32).device
    torch.tensor([g0, g0]).device
    torch.tensor([g0, g0], device="cuda").device
    torch.tensor([g, g])
    torch.tensor([[g0], [g0]]).device
    torch.tensor(g0).device
    torch.tensor(g, device="cpu").device
    torch.tensor([a, a], device="cuda").device
    torch.as_tensor([g0, 1.0]).device
    torch.as_tensor(g).device
    torch.as_tensor(g, device="cpu").device
    torch.as_tensor(g, device="cuda") is g
    torch.as_tensor(a, device="cuda").device
    torch.as_tensor(a).device
    torch.asarray(g).device
    torch.asarray(a, device="cuda").device
    torch.asarray(a, device="cuda", copy=False)
    torch.asarray(g, device="cpu", copy=False)
    torch.asarray(c, device="cuda", copy=False)
    torch.asarray([g0, g0]).device
    torch.Tensor([g0, g0]).device
    torch.Tensor(a).device
    torch.Tensor(g)
    torch.FloatTensor([g0]).device
    torch.Tensor(a).cuda().device
    g.tolist()
    g0.tolist()
    gi.tolist()
    g0.item()
    g.item()
    float(g0)
    int(g0)
    bool(g0)
    bool(g)
    complex(g0)
    operator.index(i0)
    operator.index(g0)
    len(g)
    len(g0)
    [x.device for x in g]
    next(iter(g)).device
    list(map(float, g))
    f"{g0:.2f}"
    f"{g0}"
    f"{g}"
    f"{g:.2f}"
    "%.1f" % g0
    "%d" % i0
    "{:.1f}".format(g0)
    repr(g)
    repr(g0)
    repr(grad)
    str(grad * 2)
    repr(torch.ones(0, device="cuda"))
    repr(torch.nn.Parameter(torch.ones(1, device="cuda")))
    repr(torch.ones(2, device="cuda", dtype=torch.float64))
    repr(g.to_sparse())
    1.0 in g
    g0 in g
    c[0] in g
    g0 in c
    c[1] in g
    round(g0)
    math.sqrt(g0)
    math.isnan(g0)
    math.floor(g0)
    abs(g0).device
    sum([g0, g0]).device
    sum(g).device
    max(g).item()
    sorted(g)[0].item()
    range(i0)
    [1, 2, 3][i0]
    "ab" * i0
    json.dumps(g)
    json.dumps(g0)
    json.dumps({"loss": g0.item()})
    {g0: 1}[g0] if False else type(hash(g)).__name__
    pickle.loads(pickle.dumps(g)).device
    pickle.loads(pickle.dumps(c)).device
    copy.copy(g).device
    copy.deepcopy(g).device
    copy.deepcopy(grad).device, copy.deepcopy(grad).requires_grad
    bytes(g0)
    torch.dtype(g)
    g.__reversed__().device
    g.type()
    g.bfloat16().type()
    g.to_sparse().type()
    c.type(g.type()).device
    c.type(torch.cuda.DoubleTensor).type()
    g.type(torch.FloatTensor).device
    g.dtype.is_floating_point
    g.numpy(force=True).flags.owndata, c.numpy(force=True).flags.owndata
    """,
)
