"""What torch says of a simulated accelerator, name by name, and that it says so no longer afterwards."""

from __future__ import annotations

import contextlib
import gc
import importlib
import inspect
import socket
import sys
import threading
import weakref
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
import torch
import torch.cuda.comm
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

from devfix.simulator import simulated_accelerator
from devfix.simulator.machine import Machine
from devfix.simulator.patches import autocast_rules
from devfix.simulator.patching import Patcher
from devfix.simulator.refusals import NotSimulatedError

F = functional
_PACKAGES = {
    "cuda": [
        torch.cuda,
        torch.cuda.memory,
        torch.cuda.random,
        torch.cuda.nvtx,
        torch.cuda.tunable,
        torch.backends.cudnn,
        torch.accelerator,
    ],
    "xpu": [torch.xpu, torch.xpu.memory, torch.xpu.random, torch.accelerator],
    "mps": [torch.mps, torch.backends.mps, torch.accelerator],
}
#: What a function is called with that wants something; all others are called with nothing.
_ARGUMENTS: dict[str, Any] = {
    "caching_allocator_alloc": (8,),
    "caching_allocator_delete": (1,),
    "caching_allocator_enable": (True,),
    "can_device_access_peer": (0, 1),
    "check_error": (0,),
    "compile_shader": ("",),
    "CudaError": (1,),
    "device": (0,),
    "device_index": (0,),
    "device_of": lambda kind: (torch.ones(1, device=kind),),
    "ExternalStream": (8,),
    "get_stream_from_external": (8,),
    "is_macos_or_newer": (14, 0),
    "load_metallib": ("",),
    "make_graphed_callables": lambda kind: (nn.Linear(1, 1), ()),
    "manual_seed": (1,),
    "manual_seed_all": (1,),
    "mark": ("",),
    "range": ("",),
    "range_end": (1,),
    "range_push": ("",),
    "range_start": ("",),
    "set_device": (0,),
    "set_device_idx": (0,),
    "set_device_index": (0,),
    "set_filename": ("",),
    "set_max_tuning_duration": (1,),
    "set_max_tuning_iterations": (1,),
    "set_numerical_check_tolerances": (False,),
    "set_per_process_memory_fraction": (0.5,),
    "set_rng_state": lambda kind: (getattr(torch, kind).get_rng_state(),),
    "set_rng_state_all": lambda kind: (getattr(torch, kind).get_rng_state_all(),),
    "set_rotating_buffer_size": (1,),
    "set_stream": lambda kind: (torch.accelerator.current_stream(),),
    "set_sync_debug_mode": (0,),
    "stream": (None,),
    "StreamContext": (None,),
    "use_mem_pool": (None,),
}
#: Written for a library, a file or several devices that are not there.
_NEEDS_MORE = {
    "CUDAPluggableAllocator",
    "XPUPluggableAllocator",
    "change_current_allocator",
    "tune_gemm_in_file",
    "mgpu_tune_gemm_in_file",
}


def _functions() -> Iterator[Any]:
    for kind, packages in _PACKAGES.items():
        for package in packages:
            for name in getattr(package, "__all__", None) or [n for n in dir(package) if n[0] != "_"]:
                found = getattr(package, name, None)
                plain = callable(found) and not inspect.ismodule(found) and not name.endswith("Storage")
                mine = getattr(found, "__module__", "").startswith("torch") and not name.endswith("Tensor")
                if plain and mine and name not in _NEEDS_MORE:
                    yield pytest.param(kind, package, name, id=f"{kind}-{package.__name__}.{name}")


@pytest.fixture
def cuda() -> Iterator[Machine]:
    with simulated_accelerator() as machine:
        yield machine


@pytest.fixture
def two() -> Iterator[Machine]:
    with simulated_accelerator(count=2) as machine:
        yield machine


@pytest.fixture
def mps() -> Iterator[Machine]:
    with simulated_accelerator("mps") as machine:
        yield machine


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "package", "name"), list(_functions()))
def test_every_public_function_answers_or_says_that_it_is_not_simulated(
    kind: str, package: ModuleType, name: str
) -> None:
    with simulated_accelerator(kind, 1 if kind == "mps" else 2):
        arguments = _ARGUMENTS.get(name, ())
        arguments = arguments(kind) if callable(arguments) else arguments
        with contextlib.suppress(NotSimulatedError):
            getattr(package, name)(*arguments)


def test_a_name_is_replaced_in_every_module_that_took_it(monkeypatch: pytest.MonkeyPatch) -> None:
    package, part, late, apart = map(ModuleType, ("made", "made.part", "made.late", "made_apart"))
    for module in (package, part, late, apart):
        vars(module)["number"] = 1
    patcher = Patcher()
    for module in (package, part, apart):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    patcher.everywhere(package, "number", 1, 2)
    monkeypatch.setitem(sys.modules, "made.late", late)
    patcher.everywhere(package, "number", 1, 3)
    assert [vars(each)["number"] for each in (package, part, late, apart)] == [2, 2, 3, 1]
    patcher.undo()
    assert [vars(each)["number"] for each in (package, part, late, apart)] == [1, 1, 1, 1]


def test_everything_is_put_back() -> None:
    def seen() -> dict[str, Any]:
        watched = [m for n, m in list(sys.modules.items()) if n == "torch" or n.startswith("torch.")]
        found = {f"{m.__name__}.{n}": id(v) for m in watched for n, v in list(vars(m).items())}
        return {**found, **{f"Tensor.{n}": id(v) for n, v in vars(torch.Tensor).items()}}

    def used() -> None:
        with simulated_accelerator(), torch.autocast("cuda"):
            nn.Linear(2, 2).cuda()(torch.ones(1, 2, device=0))
            torch.set_default_device("cuda")

    used()  # what torch imports or keeps at first use is no difference
    before = seen()
    used()
    after = seen()
    assert {name for name in before if after.get(name) != before[name]} == set()
    assert torch.zeros(1).device.type == "cpu"
    with torch.autocast("cpu"):
        assert nn.Linear(2, 2)(torch.ones(1, 2)).dtype is torch.bfloat16


@pytest.mark.parametrize("kind", ["none", "cuda", "xpu", "mps"])
def test_the_machine_has_one_kind_of_accelerator(kind: str) -> None:
    with simulated_accelerator(kind):
        seen = {"cuda": torch.cuda.is_available(), "xpu": torch.xpu.is_available()}
        seen["mps"] = torch.backends.mps.is_available()
        assert seen == {each: each == kind for each in seen}
        assert torch.accelerator.is_available() is (kind != "none")
        assert torch.backends.mps.is_built() is (kind == "mps")
        assert torch.backends.cuda.is_built() is (kind == "cuda")
        assert (torch.version.cuda is not None) is (kind == "cuda")
        for other in {"cuda", "xpu", "mps"} - {kind}:
            with pytest.raises((AssertionError, RuntimeError)):
                torch.ones(1, device=other)
            with pytest.raises((AssertionError, RuntimeError)):
                torch.ones(1).to(other)


def test_without_an_accelerator_nothing_is_seeded_or_queried() -> None:
    with simulated_accelerator("none"):
        torch.manual_seed(1)
        torch.cuda.manual_seed_all(1)
        assert torch.cuda.device_count() == 0
        assert not torch.amp.GradScaler("cuda", enabled=False).is_enabled()
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            torch.cuda.current_device()
        with pytest.raises(TypeError, match=r"type torch.cuda.FloatTensor not available"):
            torch.cuda.FloatTensor([1.0])  # type: ignore[attr-defined]


_FLOAT64 = [
    lambda: torch.zeros(1, device="mps", dtype=torch.float64),
    lambda: torch.tensor([1.0], device="mps", dtype=torch.float64),
    lambda: torch.tensor(torch.ones(1).double().numpy(), device="mps"),
    lambda: torch.as_tensor(torch.ones(1).double().numpy(), device="mps"),
    lambda: torch.ones(1).double().to("mps"),
    lambda: torch.ones(1, device="mps").double(),
    lambda: torch.ones(1, device="mps").to(torch.float64),
    lambda: torch.ones(1, device="mps").type(torch.float64),
    lambda: torch.ones(1, device="mps").sum(dtype=torch.float64),
    lambda: torch.arange(3, device="mps", dtype=torch.float64),
    lambda: nn.Linear(1, 1).double().to("mps"),
]


@pytest.mark.parametrize("make", _FLOAT64)
def test_nothing_on_mps_is_float64(mps: Machine, make: Any) -> None:
    text = "Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64"
    with pytest.raises(TypeError, match=text):
        make()


def test_python_floats_and_casts_before_the_move_are_fine_on_mps(mps: Machine) -> None:
    assert torch.tensor([1.5], device="mps").dtype is torch.float32
    assert torch.ones(1).double().to("mps", torch.float32).dtype is torch.float32
    assert (torch.ones(1, device="mps") + torch.tensor(1.0, dtype=torch.float64)).dtype is torch.float32


def test_float64_on_mps_is_healed_to_float32() -> None:
    with simulated_accelerator("mps", heal=True) as machine:
        layer = nn.Linear(2, 2).to("mps")
        out = layer(torch.ones(1, 2).double().to("mps"))
        out.sum().backward()
    assert out.dtype is torch.float32
    assert layer.weight.grad is not None
    assert [found["kind"] for found in machine.log.mismatches] == ["float64-on-mps"]


@pytest.mark.parametrize(
    ("named", "left"), [("", 0), ("-1", 0), ("0", 1), ("3", 1), ("0,1", 2), ("1,-1,0", 1)]
)
def test_a_program_can_hide_devices_from_itself(
    monkeypatch: pytest.MonkeyPatch, named: str, left: int
) -> None:
    with simulated_accelerator(count=2):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", named)
        assert torch.cuda.is_available() is (left > 0)
        assert torch.cuda.device_count() == left
        if not left:
            with pytest.raises(RuntimeError, match="No CUDA GPUs are available"):
                torch.ones(1).to("cuda")


def test_what_the_surroundings_hide_is_about_the_real_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with simulated_accelerator():
        assert torch.cuda.is_available()
        assert torch.ones(1, device="cuda").is_cuda


def test_mistakes_of_old_constructors_and_states_are_written_down() -> None:
    with simulated_accelerator(heal=True) as machine:
        assert torch.FloatTensor([1.0], device="cuda").is_cuda
        assert torch.Tensor(2, device="cuda").is_cuda
        torch.set_rng_state(torch.get_rng_state().cuda())
    assert torch.Tensor(2, 3).shape == (2, 3)
    kinds = [found["kind"] for found in machine.log.mismatches]
    assert kinds == ["legacy-constructor", "legacy-constructor", "host-only"]


def test_tensors_move_between_two_devices_and_do_not_mix(two: Machine) -> None:
    first, second = torch.ones(2, 2, device="cuda:0"), torch.ones(2, 2, device=1)
    assert str(first.to(1).device) == "cuda:1"
    assert str(first.copy_(second).device) == "cuda:0"
    assert [found["what"] for found in machine_transfers(two)][-2:] == ["peer", "peer"]
    with pytest.raises(RuntimeError, match=r"cuda:1 and cuda:0|cuda:0 and cuda:1"):
        first + second
    with pytest.raises(RuntimeError, match="got mat2 is on cuda:1, different from other tensors on cuda:0"):
        first @ second
    with torch.cuda.device(1):
        assert torch.ones(1, device="cuda").device == torch.device("cuda:1")
    assert torch.cuda.current_device() == 0


def test_a_module_moves_to_where_a_tensor_is(cuda: Machine) -> None:
    there = torch.ones(1, 2, dtype=torch.float64, device="cuda")
    module = torch.nn.Linear(2, 2).to(there)
    assert (module.weight.device, module.weight.dtype) == (there.device, torch.float64)
    module(there)


def machine_transfers(machine: Machine) -> list[dict[str, Any]]:
    return machine.log.transfers


def _trained(device: str, *, parallel: bool) -> list[torch.Tensor]:
    torch.manual_seed(0)
    model: nn.Module = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)).to(device)
    model = nn.DataParallel(model) if parallel else model
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(6, 4)).pow(2).mean().backward()
        optimizer.step()
    return [parameter.detach().cpu() for parameter in model.parameters()]


def test_data_parallel_over_two_devices_learns_the_same(two: Machine) -> None:
    for ours, theirs in zip(_trained("cuda", parallel=True), _trained("cpu", parallel=False), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_data_parallel_does_not_replicate_plain_tensors(two: Machine) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 3)
            self.mask = torch.ones(3).cuda()

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.layer(x) * self.mask  # type: ignore[no-any-return]

    with pytest.raises(
        RuntimeError, match=r"(?s)Caught RuntimeError in replica 1 on device 1.*found at least two"
    ):
        nn.DataParallel(Net().cuda())(torch.ones(4, 4))


@contextlib.contextmanager
def process_group() -> Iterator[None]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    torch.distributed.init_process_group("nccl", init_method=address, rank=0, world_size=1)
    try:
        yield
    finally:
        torch.distributed.destroy_process_group()


@pytest.mark.filterwarnings("ignore")
def test_a_process_group_that_asks_for_nccl_works_alone(cuda: Machine) -> None:
    with process_group():
        assert torch.distributed.get_backend() == "nccl"
        value = torch.ones(2, device="cuda")
        torch.distributed.all_reduce(value)
        with pytest.raises(RuntimeError, match="No backend type associated with device type cpu"):
            torch.distributed.all_reduce(torch.ones(2))
        model = nn.parallel.DistributedDataParallel(nn.Linear(2, 1).cuda(), device_ids=[0])
        model(value.unsqueeze(0)).sum().backward()
        assert next(model.parameters()).grad.device == value.device  # type: ignore[union-attr]


@pytest.mark.filterwarnings("ignore")
def test_no_process_group_ends_while_a_thread_of_it_may_wait_for_the_interpreter(cuda: Machine) -> None:
    with process_group():
        groups = [torch.distributed.group.WORLD, torch.distributed.new_group([0])]
        found = [weakref.ref(group) for group in groups]
        del groups
    gc.collect()
    assert all(each() is not None for each in found)


def test_the_autocast_lists_are_those_of_torch() -> None:
    names = {
        name.removeprefix("aten::")
        for name in torch._C._dispatch_get_all_op_names()
        if name.startswith("aten::") and torch._C._dispatch_has_kernel_for_dispatch_key(name, "AutocastCUDA")
    }
    known = {*autocast_rules.LOWER, *autocast_rules.FULL, *autocast_rules.FULL_RESULT, *autocast_rules.WIDEST}
    known |= {*autocast_rules.FULL_RESULT_OVERLOADS, autocast_rules.BANNED}
    # These two are called with tensors that are truly on a GPU alone.
    assert known == names - {"cudnn_convolution", "cudnn_convolution_transpose"}


def test_autocast_reaches_threads_that_turn_it_on(cuda: Machine) -> None:
    layer, seen = nn.Linear(2, 2).cuda(), []

    def work() -> None:
        x = torch.ones(1, 2, device="cuda")
        seen.append(layer(x).dtype)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            seen.append(layer(x).dtype)

    thread = threading.Thread(target=work)
    with torch.autocast("cuda"):
        thread.start()
        thread.join()
    assert seen == [torch.float32, torch.bfloat16]


def test_compiled_code_runs_as_it_is(cuda: Machine) -> None:
    layer, x = nn.Linear(2, 2).cuda(), torch.ones(1, 2, device="cuda")
    compiled = torch.compile(layer, mode="max-autotune")
    assert list(compiled.state_dict()) == ["_orig_mod.weight", "_orig_mod.bias"]  # type: ignore[attr-defined]
    assert torch.equal(compiled(x), layer(x))
    assert torch.compile(lambda value: value * 2)(x).device == x.device
    from torch._dynamo.exc import TorchRuntimeError  # noqa: PLC0415 - takes a second to import

    with pytest.raises(TorchRuntimeError, match="got mat1 is on cpu"):
        compiled(torch.ones(1, 2))


def test_scripts_are_saved_and_loaded(cuda: Machine, tmp_path: Any) -> None:
    path = str(tmp_path / "model.pt")
    torch.jit.script(nn.Linear(2, 2).cuda()).save(path)
    loaded = torch.jit.load(path, map_location="cuda")
    assert loaded(torch.ones(1, 2, device="cuda")).is_cuda


@pytest.mark.filterwarnings("ignore:`torch.jit.*` is deprecated:DeprecationWarning")
def test_a_scripted_module_of_an_earlier_run_is_checked(tmp_path: Any) -> None:
    path = str(tmp_path / "model.pt")
    torch.jit.script(nn.Linear(2, 2)).save(path)
    with simulated_accelerator():
        loaded = torch.jit.load(path, map_location="cuda")
        assert loaded(torch.ones(1, 2, device="cuda")).is_cuda
        with pytest.raises(RuntimeError, match="operation failed in the TorchScript interpreter"):
            loaded(torch.ones(1, 2))


@pytest.mark.filterwarnings("ignore:`torch.jit.*` is deprecated:DeprecationWarning")
def test_torch_itself_gets_the_graphs_it_asks_for(cuda: Machine) -> None:
    """As ``torch.utils.tensorboard`` does to draw a model."""
    asking = {"__name__": "torch.utils.asking", "torch": torch}
    exec("def graph(module, x): return torch.jit.trace(module, x).graph", asking)
    graph = asking["graph"](nn.Linear(2, 2).cuda(), torch.ones(1, 2, device="cuda"))  # type: ignore[operator]
    assert "aten::linear" in str(graph)


@pytest.mark.filterwarnings("ignore:`torch.jit.*` is deprecated:DeprecationWarning")
def test_what_is_traced_runs_with_its_example(cuda: Machine) -> None:
    model, x = nn.Linear(2, 2).cuda(), torch.ones(1, 2)
    for example in (x, (x,), [x]):
        with pytest.raises(RuntimeError, match="got mat1 is on cpu"):
            torch.jit.trace(model, example)
    with pytest.raises(RuntimeError, match="got mat1 is on cpu"):
        torch.jit.trace(model, example_kwarg_inputs={"input": x})
    with pytest.raises(RuntimeError, match="got mat1 is on cpu"):
        torch.jit.trace_module(model, {"forward": x})
    assert torch.jit.trace(model, x.cuda())(x.cuda()).is_cuda


@pytest.mark.filterwarnings("ignore:`torch.jit.*` is deprecated:DeprecationWarning")
@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")
@pytest.mark.parametrize("check", [True, False])
def test_a_trace_leaves_running_means_and_random_numbers_as_without(check: bool) -> None:
    def after() -> list[torch.Tensor]:
        torch.manual_seed(0)
        norm, drop = nn.BatchNorm1d(2), nn.Dropout()
        torch.jit.trace(norm, torch.randn(4, 2), check_trace=check)
        torch.jit.trace(drop, torch.ones(9), check_trace=check)
        return [*norm.buffers(), torch.rand(2)]

    without = after()
    with simulated_accelerator():
        simulated = after()
    assert all(torch.equal(*pair) for pair in zip(without, simulated, strict=True))


def test_what_only_a_real_accelerator_can_do_is_refused(cuda: Machine) -> None:
    for use in (torch.cuda.CUDAGraph, lambda: torch.cuda.graph(None), torch.cuda.MemPool):  # type: ignore[arg-type]
        with pytest.raises(NotSimulatedError):
            use()
    with pytest.raises(NotSimulatedError, match="tensors without data"):
        torch.export.export(nn.Linear(2, 2).cuda(), (torch.ones(1, 2, device="cuda"),))


@pytest.mark.filterwarnings("ignore:`torch.jit.*` is deprecated:DeprecationWarning")
def test_a_class_that_torch_scripts_finds_the_names_around_it(cuda: Machine) -> None:
    """As those of ``torch.distributed.optim`` are when that is imported."""
    optimizers = "torch.distributed.optim.functional_rprop"
    sys.modules.pop(optimizers, None)
    imported = importlib.import_module(optimizers)
    assert isinstance(imported._FunctionalRprop, type)


def test_profiles_show_the_host(cuda: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    kinds = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=kinds) as profile:
        nn.Linear(2, 2).cuda()(torch.ones(1, 2, device="cuda"))
    assert "aten::addmm" in {event.key for event in profile.key_averages()}
    assert "Failed to record CUDA event" not in capfd.readouterr().err


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
def test_derivatives_know_where_their_arguments_are(cuda: Machine) -> None:
    x = torch.ones(3, 2, device="cuda")

    def twice(row: torch.Tensor) -> torch.Tensor:
        return row * torch.full((2,), 2.0, device=row.device)

    assert torch.func.vmap(twice)(x).is_cuda
    assert torch.func.hessian(lambda row: twice(row).pow(2).sum())(x[0]).is_cuda
    with pytest.raises(RuntimeError, match="found at least two devices"):
        torch.func.vmap(lambda row: row * torch.ones(2))(x)


def test_operators_with_a_kernel_of_their_own_go_through_it(cuda: Machine) -> None:
    """Taken apart, the derivative of SiLU has other last digits."""
    torch.manual_seed(0)
    values = torch.randn(1000)
    with_claim, without = values.cuda().requires_grad_(), values.clone().requires_grad_()
    F.silu(with_claim).sum().backward()
    torch._C._nn.silu(without).sum().backward()
    direct = torch.ops.aten.silu_backward(torch.ones(1000), values)
    assert with_claim.grad is not None
    assert torch.equal(with_claim.grad.cpu(), direct)


def test_a_loader_that_shuffles_under_a_default_device_needs_its_generator(cuda: Machine) -> None:
    data = TensorDataset(torch.ones(4, 2))
    torch.set_default_device("cuda")
    with pytest.raises(RuntimeError, match="Expected a 'cuda' device type for generator but found 'cpu'"):
        next(iter(DataLoader(data, shuffle=True)))
    assert len(list(DataLoader(data, shuffle=True, generator=torch.Generator("cuda")))) == 4


def test_a_generator_of_the_wrong_device_is_written_down() -> None:
    with simulated_accelerator(heal=True) as machine:
        drawn = torch.randn(2, device="cuda", generator=torch.Generator())
    assert drawn.shape == (2,)
    assert [found["kind"] for found in machine.log.mismatches] == ["generator"]


@pytest.mark.filterwarnings("ignore:torch.set_default_tensor_type:UserWarning")
def test_a_default_tensor_type_ends_with_the_simulation() -> None:
    with simulated_accelerator():
        torch.set_default_tensor_type(torch.cuda.DoubleTensor)  # type: ignore[attr-defined]
        assert torch.zeros(1).type() == "torch.cuda.DoubleTensor"
        assert torch.Tensor(1).is_cuda
    assert torch.zeros(1).type() == "torch.FloatTensor"
    assert torch.Tensor(1).device.type == "cpu"


@pytest.mark.filterwarnings("ignore:torch.set_default_tensor_type:UserWarning")
def test_a_default_tensor_type_is_no_default_device() -> None:
    with simulated_accelerator():
        torch.set_default_tensor_type(torch.cuda.FloatTensor)  # type: ignore[attr-defined]
        assert torch.zeros(1).is_cuda
        assert torch.get_default_device() == torch.device("cpu")
        with torch.device("cuda"):
            assert torch.get_default_device().type == "cuda"
        torch.set_default_device("cuda")
        assert torch.get_default_device().type == "cuda"
    assert torch.get_default_device() == torch.device("cpu")
