"""Canonical names: one dotted name for each thing, however it is imported."""

from __future__ import annotations

import builtins
import math
import sys
from functools import lru_cache

from devfix.analysis.domain.lattice import DTYPE_ALIASES, NAMED_DTYPES
from devfix.analysis.domain.values import Const, DTypeValue, External, Scalar, Value, option
from devfix.analysis.torch_model.python import python_version

#: Longer spellings of canonical prefixes, longest match wins.
SPELLINGS = {
    "pytorch_lightning": "lightning",
    "lightning.pytorch": "lightning",
    "lightning.fabric": "lightning",
    "lightning_fabric": "lightning",
    "torch._C._nn": "torch.nn.functional",
    "torch.nn.modules.module": "torch.nn",
    "torch.nn.modules": "torch.nn",
    "torch.nn.parameter": "torch.nn",
    "torch.functional": "torch",
    "torch.tensor.Tensor": "torch.Tensor",
    "torch.autograd.variable": "torch.autograd",
    "torch.utils.data.dataloader": "torch.utils.data",
    "torch.utils.data.dataset": "torch.utils.data",
    "torch.utils.data.sampler": "torch.utils.data",
    "torch.cuda.amp.autocast_mode": "torch.cuda.amp",
    "torch.cpu.amp.autocast_mode": "torch.cpu.amp",
    "torch.amp.autocast": "torch.autocast",
    "torch.amp.autocast_mode.autocast": "torch.autocast",
    "torch.cuda.amp.GradScaler": "torch.amp.GradScaler",
    "torch.optim.optimizer.Optimizer": "torch.optim.Optimizer",
    "transformers.tokenization_utils": "transformers",
    # what NumPy had of Python's own classes under its name
    **{f"numpy.{name}": f"builtins.{name}" for name in ("int", "float", "complex", "object", "str")},
    **{
        f"torch.distributions.{file}": "torch.distributions"
        for file in (
            "bernoulli beta binomial categorical cauchy dirichlet distribution exponential gamma gumbel half_normal "
            "independent kl laplace log_normal mixture_same_family multivariate_normal normal one_hot_categorical "
            "poisson relaxed_bernoulli relaxed_categorical studentT transformed_distribution uniform"
        ).split()
    },
}
_MODULES = frozenset(
    "torch.nn.functional torch.nn.utils torch.nn.parallel torch.nn.init torch.optim.lr_scheduler "
    "torch.optim.swa_utils".split()
)


@lru_cache(maxsize=8192)
def canonical(name: str) -> str:
    """The one name of a thing: ``torch.nn.modules.linear.Linear`` is ``torch.nn.Linear``."""
    if name.startswith("np."):
        name = "numpy" + name[2:]
    head = name
    while head:
        target = SPELLINGS.get(head)
        if target is not None:
            return _without_defining_module(target + name[len(head) :])
        head = head.rpartition(".")[0]
    return _without_defining_module(name)


def _without_defining_module(name: str) -> str:
    """``torch.nn.modules.linear.Linear`` and ``torch.optim.adam.Adam`` lose the defining file."""
    package, _, last = name.rpartition(".")
    parent, _, module = package.rpartition(".")
    if parent in ("torch.optim", "torch.nn", "torch.utils.data") and last.lstrip("_")[:1].isupper():
        if f"{parent}.{module}" not in _MODULES and module.islower():
            return f"{parent}.{last}"
    return name


@lru_cache(maxsize=8192)
def external(name: str) -> Value:
    """The value of something imported from outside the project."""
    name = canonical(name)
    package, _, last = name.rpartition(".")
    if package == "torch" and (last in NAMED_DTYPES or last in DTYPE_ALIASES):
        return DTypeValue(DTYPE_ALIASES.get(last, last), of_torch=True)
    if package == "math" and isinstance(getattr(math, last, None), float):
        return Const(getattr(math, last))
    if package in ("numpy", "torch") and last in ("pi", "e", "inf", "nan"):
        return Const(float(getattr(math, last)))
    if package.startswith("torch.backends.") and last in _SWITCHES:
        return Scalar("bool")
    if name in python_version.NAMES:
        return python_version.NAMES[name]
    if package == "sys.float_info" or name == "sys.maxsize":
        return Scalar("int" if last in _WHOLE_LIMITS else "float")
    return External(name)


#: What ``torch.backends`` lets one switch on and off.
_SWITCHES = frozenset("enabled deterministic benchmark allow_tf32".split())
#: What ``sys`` tells of numbers in whole ones.
_WHOLE_LIMITS = frozenset("maxsize max_exp max_10_exp min_exp min_10_exp dig mant_dig radix rounds".split())


@lru_cache(maxsize=8192)
def is_missing(owner: str, name: str) -> bool:
    """Whether something built in has no such attribute: ``super.forward`` (of the class ``super``) is none."""
    package, _, last = owner.rpartition(".")
    return package == "builtins" and hasattr(builtins, last) and not hasattr(getattr(builtins, last), name)


#: The flags of absl.
_FLAGS = "absl.flags.FLAGS"


@lru_cache(maxsize=8192)
def external_attribute(owner: str, name: str) -> Value:
    """An attribute of something outside the project; those of absl's ``FLAGS`` are what the command line says."""
    return option(name) if owner == _FLAGS else external(f"{owner}.{name}")


_BUILTINS = {name: External(f"builtins.{name}") for name in dir(builtins)}


def builtin(name: str) -> External | None:
    """What Python itself knows by the name."""
    return _BUILTINS.get(name)


#: What the star imports that people write bring into scope, as far as the analysis cares.
_STAR = {
    "torch.nn": (
        "Module Linear Conv1d Conv2d Conv3d Sequential ReLU Embedding LSTM GRU RNN ModuleList "
        "ModuleDict Parameter Dropout BatchNorm1d BatchNorm2d LayerNorm CrossEntropyLoss MSELoss"
    ).split(),
}


def star_names(module: str) -> list[str]:
    """The names that ``from module import *`` binds for a module outside the project."""
    return list(_STAR.get(canonical(module), ()))


#: Packages whose code takes modules and tensors without moving them.
_HARMLESS = frozenset(
    "torch torchvision torchaudio numpy math random os sys time logging warnings json re copy itertools functools "
    "collections pathlib shutil pprint wandb tensorboard tensorboardX tqdm matplotlib seaborn sklearn scipy pandas "
    "PIL cv2 torchsummary torchinfo yaml argparse pickle typing types abc dataclasses contextlib gc psutil einops "
    "transformers datasets rich click typer loguru absl".split()
)
#: The packages and modules of torch itself; a project may have a package of its own that goes by the same name.
TORCH_PACKAGES = frozenset(
    "accelerator amp ao autograd backends compiler contrib cpu cuda distributed distributions export fft func "
    "functional futures fx hub jit library linalg masked monitor mps mtia multiprocessing nested nn onnx optim "
    "overrides package profiler quantization quasirandom random return_types serialization signal sparse special "
    "storage testing types utils version xpu".split()
)
#: What among them brings the modules that it spreads over several accelerators there.
_SPREADING = tuple(
    f"torch.distributed.{package}." for package in ("fsdp", "tensor", "pipelining", "_composable", "_tensor")
)


def is_harmless(name: str) -> bool:
    """Whether what a canonical name stands for leaves modules where they are."""
    if name.startswith(_SPREADING):
        return False
    head, _, rest = name.partition(".")
    package, _, last = rest.partition(".")
    is_public = package.islower() and not package.startswith("_")
    if head == "torch" and last and is_public and package not in TORCH_PACKAGES:
        return False
    return head in _HARMLESS or head == "builtins" or head in sys.stdlib_module_names


#: Others that the analysis knows, or that place what they are given.
_FAMILIAR = frozenset(
    "accelerate apex attr attrs click datasets deepspeed dgl diffusers easydict fire horovod hydra ignite "
    "intel_extension_for_pytorch jax joblib lightning msgspec networkx omegaconf peft pydantic pydantic_settings "
    "pytest pytorch_lightning ray six timm torch_directml torch_geometric torch_npu torch_xla torchdiffeq "
    "torchmetrics typing_extensions tyro".split()
)


def is_familiar(name: str) -> bool:
    """Whether a canonical name is of a library of which anything is known."""
    return is_harmless(name) or name.partition(".")[0] in _FAMILIAR | {"torch"}


def is_in_place(method: str) -> bool:
    """Whether a method of a tensor writes to it, as ``add_`` does and ``__add__`` does not."""
    return method.endswith("_") and not method.endswith("__")
