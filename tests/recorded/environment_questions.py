"""What torch says of the accelerator: devices, streams, events, memory, settings, and devices given by number."""

from __future__ import annotations

import pickle
from typing import Any

import torch
from recorded.questions import Questions
from torch import nn

QUESTIONS = Questions()


def within(context: Any, action: Any) -> Any:
    """What an action comes to inside a context."""
    with context:
        return action()


def with_default(device: Any, action: Any) -> Any:
    """What an action comes to with a default device."""
    torch.set_default_device(device)
    try:
        return action()
    finally:
        torch.set_default_device(None)


QUESTIONS.lines(
    {
        "torch": torch,
        "nn": nn,
        "pickle": pickle,
        "Comm": torch.nn.parallel.comm,
        "Within": within,
        "With": with_default,
        "stream": lambda: torch.cuda.Stream(device=None),
        "event": lambda: torch.cuda.Event(enable_timing=False),
        "timed": lambda: torch.cuda.Event(enable_timing=True),
        "g": lambda: torch.ones(2, device="cuda"),
        "c": lambda: torch.ones(2),
    },
    """
    torch.cuda.is_available(), torch.cuda.is_initialized(), torch.cuda.device_count(), torch.cuda.current_device()
    torch.backends.cuda.is_built(), torch.backends.cudnn.is_available(), torch.backends.mps.is_available(), torch.backends.mps.is_built(), torch.xpu.is_available()
    type(torch.version.cuda).__name__, torch.version.hip, type(torch.backends.cudnn.version()).__name__
    type(torch.cuda.get_device_name()).__name__, type(torch.cuda.get_device_name(0)).__name__, torch.cuda.get_device_name("cuda:0") == torch.cuda.get_device_name()
    torch.cuda.get_device_name(3)
    torch.cuda.get_device_properties("cuda:3")
    torch.cuda.get_device_properties("cpu")
    torch.cuda.get_device_capability()[0] >= 8, torch.cuda.get_device_properties(0).major >= 8
    p = torch.cuda.get_device_properties(0); p.total_memory > 0, p.multi_processor_count > 0, p.warp_size, type(p.name).__name__
    torch.cuda.set_device(0), torch.cuda.set_device(torch.device("cuda:0")), torch.cuda.set_device(-1)
    torch.cuda.set_device("cuda")
    torch.cuda.set_device(1)
    torch.cuda.set_device("cpu")
    torch.cuda.synchronize("cuda:0"), torch.cuda.synchronize(0), torch.cuda.synchronize()
    torch.cuda.synchronize("cpu")
    Within(torch.cuda.device(0), torch.cuda.current_device), Within(torch.cuda.device("cuda"), torch.cuda.current_device), Within(torch.cuda.device(None), torch.cuda.current_device), Within(torch.cuda.device(-1), torch.cuda.current_device)
    Within(torch.cuda.device(1), torch.cuda.current_device)
    Within(torch.cuda.device("cpu"), torch.cuda.current_device)
    Within(torch.cuda.device_of(g), torch.cuda.current_device), Within(torch.cuda.device_of(c), torch.cuda.current_device)
    torch.cuda.can_device_access_peer(0, 1)
    torch.cuda.is_bf16_supported(), torch.cuda.has_half, len(torch.cuda.get_arch_list()) > 0
    torch.cuda.empty_cache(), torch.cuda.ipc_collect(), torch.cuda.reset_peak_memory_stats(), torch.cuda.reset_max_memory_allocated(), torch.cuda.init()
    type(torch.cuda.memory_allocated()).__name__, type(torch.cuda.max_memory_allocated(0)).__name__, type(torch.cuda.memory_reserved("cuda")).__name__, len(torch.cuda.mem_get_info())
    torch.cuda.memory_allocated("cpu")
    sorted(torch.cuda.memory_stats())[:3], "allocated_bytes.all.peak" in torch.cuda.memory_stats()
    torch.cuda.memory_summary().splitlines()[1], type(torch.cuda.memory_snapshot()).__name__
    torch.cuda.set_per_process_memory_fraction(1.5)
    torch.cuda.set_per_process_memory_fraction(0.9)
    torch.cuda.get_allocator_backend(), torch.cuda.is_current_stream_capturing()
    torch.cuda.set_sync_debug_mode("nonsense")
    torch.cuda.get_sync_debug_mode()
    stream.device, stream.query(), stream.synchronize(), stream.priority, stream.device_index, stream.device_type
    isinstance(stream, torch.Stream), isinstance(stream, torch.cuda.Stream), stream == stream, stream == 3
    torch.cuda.current_stream() == torch.cuda.default_stream(), torch.cuda.current_stream().device, torch.cuda.current_stream(0).cuda_stream, torch.cuda.default_stream().stream_id
    s = stream; s == torch.cuda.current_stream(), Within(torch.cuda.stream(s), torch.cuda.current_stream) == s, torch.cuda.current_stream() == s
    s = stream; Within(s, torch.cuda.current_stream) == s
    Within(torch.cuda.stream(None), torch.cuda.current_stream) == torch.cuda.default_stream()
    s = stream; s.wait_stream(torch.cuda.current_stream()), torch.cuda.current_stream().wait_stream(s)
    s = stream; e = s.record_event(); type(e).__name__, s.wait_event(e), e.query(), e.synchronize()
    stream != stream, len({stream, stream})
    torch.cuda.Stream(device="cuda:0").device, torch.cuda.Stream(0).device, torch.cuda.Stream(priority=-1).priority, torch.cuda.Stream(priority=5).priority
    torch.cuda.Stream(device=1)
    torch.cuda.Stream(device="cpu")
    torch.Stream(device="cuda").device, torch.Stream("cuda:0").device, torch.Stream().device
    g.record_stream(stream)
    c.record_stream(stream)
    torch.cuda.current_stream("cpu")
    repr(torch.cuda.default_stream())
    a = timed; b = timed; a.record(); b.record(); torch.cuda.synchronize(); a.elapsed_time(b) >= 0
    a = event; b = event; a.record(); b.record(); a.elapsed_time(b)
    a = timed; b = timed; a.elapsed_time(b)
    a = timed; b = timed; a.record(); a.elapsed_time(b)
    event.query(), event.wait(), event.synchronize()
    event.record(stream), event.wait(stream)
    event.device, isinstance(event, torch.Event)
    e = event; e.record(); e.device
    repr(event)
    torch.Event("cuda").device, torch.Event(device="cuda", enable_timing=True).query()
    torch.accelerator.current_accelerator(), torch.accelerator.is_available(), torch.accelerator.device_count(), torch.accelerator.current_device_index()
    torch.accelerator.set_device_index(0), torch.accelerator.synchronize(), torch.accelerator.current_stream().device
    torch.accelerator.set_device_index(1)
    torch.accelerator.set_device_index("cpu")
    torch.accelerator.synchronize("cuda:0"), Within(torch.accelerator.device_index(0), torch.accelerator.current_device_index)
    torch.get_device_module().__name__, torch.get_device_module("cuda").__name__, torch.get_device_module(torch.device("cpu")).__name__
    torch.get_device_module("nonsense")
    torch.device(0), torch.device("cuda"), torch.device("cuda", 0), torch.device(type="cuda", index=0), torch.device("cuda:0") == torch.device(0), torch.device("cuda") == torch.device(0)
    torch.device(-1)
    torch.device("cuda", -1)
    torch.device("cuda:x")
    torch.device("gpu")
    torch.device(1.5)
    isinstance(torch.device(0), torch.device), isinstance("cuda", torch.device), type(torch.device("cpu")) == torch.device, torch.device.__name__
    pickle.loads(pickle.dumps(torch.device("cuda", 0))), hash(torch.device(0)) == hash(torch.device("cuda:0")), repr(torch.device(0)), str(torch.device(0)), torch.device(0).type, torch.device("cuda").index
    torch.zeros(1, device=0).device, torch.rand(1, device=0).device, torch.tensor([1], device=0).device, torch.zeros_like(c, device=0).device, c.new_zeros(1, device=0).device, torch.empty(2, device=0).device
    c.to(0).device, c.cuda(0).device, c.cuda("cuda").device, nn.Linear(2, 2, device=0).weight.device, nn.Linear(2, 2).to(0).weight.device, nn.Linear(2, 2).cuda(0).weight.device
    torch.zeros(1, device=1)
    c.to(1)
    c.to("cuda:1")
    c.cuda(1)
    c.cuda("cpu")
    c.to("cuda", torch.float64).dtype, c.to(torch.float64, device="cuda")
    c.to(device="cuda", dtype=torch.half).dtype, c.to(g).device, c.to("cuda", non_blocking=True).device, c.to(torch.device("cuda"), copy=True).device
    g.to("cuda") is g, g.to("cuda:0") is g, g.cuda() is g, g.cpu() is g, c.cpu() is c, g.to("cuda", copy=True) is g, g.to(torch.float32) is g
    c.to("mps")
    c.to("xpu")
    torch.zeros(1, device="mps")
    torch.zeros(1, device="xpu")
    c.xpu()
    torch.mps.synchronize()
    torch.xpu.synchronize()
    torch.mps.manual_seed(1), torch.xpu.device_count()
    g.device, g.is_cuda, g.is_cpu, g.is_mps, g.is_xpu, g.get_device(), c.get_device(), torch.get_device(g)
    repr(g), str(g.sum()), f"{g[0]}", f"{g[0]:.2f}", repr(nn.Parameter(g)).splitlines()[1]
    repr(g.to_sparse()).splitlines()[-1]
    repr(torch.zeros(0, device="cuda")), repr(g > 0), repr(g.half())
    With("cuda", lambda: [t.device for t in (torch.zeros(1), torch.tensor(1), torch.arange(2), torch.randn(1), torch.Tensor([1]), torch.as_tensor([1]), torch.empty(1), nn.Linear(1, 1).weight)])
    With("cuda", lambda: (torch.get_default_device(), torch.zeros(1, device="cpu").device, torch.zeros_like(c).device, torch.from_numpy(c.numpy()).device, torch.as_tensor(c.numpy()).device, torch.asarray([1.0]).device))
    With("cuda:0", torch.get_default_device), With(torch.device("cuda"), torch.get_default_device), torch.get_default_device()
    With("cuda", lambda: torch.ones(2) + c)
    With("cuda", lambda: torch.load.__name__), With("cuda", lambda: torch.eye(2).device), With("cuda", lambda: torch.linspace(0, 1, 2).device)
    Within(torch.device("cuda"), lambda: [t.device for t in (torch.zeros(1), torch.tensor(1.0), torch.Tensor([1]), nn.Linear(1, 1).weight, nn.LayerNorm(2).weight, torch.as_tensor([1]))])
    Within(torch.device(0), lambda: torch.rand(1).device), Within(torch.device("cpu"), lambda: torch.rand(1).device)
    Within(torch.device("cuda"), lambda: Within(torch.device("cpu"), lambda: torch.tensor([1]).device))
    Within(torch.device("cuda"), lambda: torch.randperm(3).device)
    torch.cuda.nvtx.range_push("a"), torch.cuda.nvtx.mark("b"), torch.cuda.nvtx.range_pop()
    torch.backends.cudnn.benchmark, torch.backends.cudnn.deterministic, torch.backends.cudnn.enabled, torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    torch.backends.cuda.flash_sdp_enabled(), torch.backends.cuda.math_sdp_enabled(), torch.get_float32_matmul_precision()
    Comm.broadcast(g, [0])[0].device, Comm.scatter(c, [0])[0].device, Comm.gather([g, g], 0).shape, Comm.reduce_add([g]).device
    Comm.gather([g, g], destination="cpu").device
    Comm.gather([c, c])
    Comm.broadcast(g, [0, 1])
    nn.DataParallel(nn.Linear(2, 2))(c[None]).device, nn.DataParallel(nn.Linear(2, 2), device_ids=[0])(g[None]).device, nn.DataParallel(nn.Linear(2, 2)).module.weight.device
    nn.DataParallel(nn.Linear(2, 2), device_ids=[0, 1])
    nn.DataParallel(nn.Linear(2, 2), device_ids=[1])
    m = nn.DataParallel(nn.Linear(2, 2)).cpu(); m(c[None])
    nn.DataParallel(nn.Linear(2, 2)).device_ids, nn.DataParallel(nn.Linear(2, 2)).output_device, nn.DataParallel(nn.Linear(2, 2)).src_device_obj
    torch.distributed.is_nccl_available(), torch.distributed.is_initialized()
    torch.jit.script(nn.Linear(2, 2).cuda())(g[None]).device, torch.jit.trace(nn.Linear(2, 2).cuda(), g[None])(g[None]).device
    torch.func.vmap(lambda a: a + torch.ones(2, device=a.device))(g[None]).device, torch.func.grad(lambda a: (a * torch.ones(2, device=a.device)).sum())(g).device
    torch.func.vmap(lambda a: a + torch.ones(2))(g[None])
    torch.func.jacrev(lambda a: a * 2)(g).device, torch.func.hessian(lambda a: (a * a).sum())(g).device, torch.func.jvp(lambda a: a * 2, (g,), (g,))[1].device
    nn.LazyLinear(2).cuda()(g[None]).device, nn.LazyLinear(2, device="cuda")(g[None]).device, nn.LazyBatchNorm1d().cuda().weight.device
    nn.LazyLinear(2)(g[None])
    nn.Linear(2, 2, device="meta").to_empty(device="cuda").weight.device
    nn.Linear(2, 2, device="meta").to("cuda")
    nn.Linear(2, 2).half().cuda().weight.dtype, nn.Linear(2, 2).cuda().double().weight.device, nn.Linear(2, 2).type(torch.cuda.DoubleTensor).weight.type()
    torch.sparse_coo_tensor([[0], [1]], [1.0], (2, 2), device="cuda").device, torch.eye(2).to_sparse().cuda().device, torch.eye(2, device="cuda").to_sparse_csr().device, torch.eye(2).to_sparse().is_cuda
    torch.sparse_coo_tensor(torch.tensor([[0], [1]]), g[:1], (2, 2)).device
    torch.sparse.mm(torch.eye(2).to_sparse().cuda(), torch.ones(2, 2, device="cuda")).device
    torch.nested.nested_tensor([g, g]).device, torch.nested.nested_tensor([c], device="cuda").device
    torch.utils.checkpoint.checkpoint(nn.Linear(2, 2).cuda(), g.requires_grad_(), use_reentrant=False).device, torch.utils.checkpoint.checkpoint(nn.Linear(2, 2).cuda(), g.requires_grad_(), use_reentrant=True).device
    torch.utils.checkpoint.checkpoint(nn.Linear(2, 2).cuda(), c.requires_grad_(), use_reentrant=False)
    torch.compile(nn.Linear(2, 2).cuda(), backend="eager")(g[None]).device, list(torch.compile(nn.Linear(2, 2)).state_dict()), torch.compile(lambda a: a + 1, backend="eager")(g).device
    torch.compiler.is_compiling(), torch.jit.is_scripting(), torch.jit.is_tracing()
    torch.cuda.make_graphed_callables.__name__, torch.cuda.graph_pool_handle.__name__
    torch.distributions.Normal(g, g).sample().device, torch.distributions.Normal(c, g)
    torch.distributions.Normal(g, 1.0).log_prob(c)
    torch.distributions.Categorical(logits=g).sample().device, torch.distributions.Bernoulli(probs=0.5).sample().device, torch.distributions.Dirichlet(g).sample().device
    torch.distributions.MultivariateNormal(g, torch.eye(2)).sample()
    nn.utils.parametrizations.weight_norm(nn.Linear(2, 2)).cuda()(g[None]).device, nn.utils.parametrizations.spectral_norm(nn.Linear(2, 2).cuda())(g[None]).device
    torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.EFFICIENT_ATTENTION)(lambda: torch.nn.functional.scaled_dot_product_attention(torch.ones(1, 1, 8, 8, device="cuda"), torch.ones(1, 1, 8, 8, device="cuda"), torch.ones(1, 1, 8, 8, device="cuda")).device)()
    nn.SyncBatchNorm(2).cuda()(torch.ones(2, 2, 2, device="cuda")).device
    Within(torch.autograd.graph.save_on_cpu(), lambda: (g.requires_grad_() * 2).sum().backward())
    torch.autograd.gradcheck(lambda a: a * a, (g.double().requires_grad_(),))
    x = g.requires_grad_(); x.sum().backward(c[0])
    x = g.requires_grad_(); (x * 2).backward(c)
    x = g.requires_grad_(); x.grad = c
    x = g.requires_grad_(); x.register_hook(lambda grad: grad.cpu()); x.sum().backward(); x.grad.device
    x = g.requires_grad_(); (x * 2).register_hook(lambda grad: print(end="") or grad.cpu()); x.sum().backward(); x.grad.device
    torch.cuda.amp.autocast.__name__, torch.cuda.amp.custom_fwd.__name__, torch.cuda.amp.common.amp_definitely_not_available()
    nn.utils.rnn.pad_sequence([g, g]).device, nn.utils.rnn.pack_sequence([g[:, None]]).data.device, nn.utils.rnn.pack_sequence([c[:, None]]).to("cuda").is_cuda
    nn.utils.rnn.pack_padded_sequence(torch.ones(2, 2, 1, device="cuda"), torch.tensor([2, 1])).batch_sizes.device
    nn.utils.rnn.pack_padded_sequence(torch.ones(2, 2, 1, device="cuda"), torch.tensor([2, 1], device="cuda"))
    """,
)
