"""The dispatch mode: sees every operation, judges the claims of its operands, and gives results theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch._subclasses.functional_tensor import FunctionalTensor
from torch.utils._python_dispatch import TorchDispatchMode

from . import dtype_healing, dtype_rules, generators, metal_dtypes, number_range, operand_rules
from .claims import CPU, MOST_ROOTS, Claim, Made, claim_of, lay, lies_in, types_behind
from .events import Operand
from .formulas import in_formula
from .machine import Machine
from .places import user_spot
from .refusals import Refusal
from .slots import slots_of_operator
from .traits import COMPOSITE, Traits, has_own_dispatch, traits_of
from .transfers import direction, size_of

Tensor = torch.Tensor
#: Parts of the names of operations that draw random numbers.
_RANDOM = ("rand", "normal", "bernoulli", "multinomial", "uniform", "exponential", "poisson")
_storage = torch._C.TensorBase.untyped_storage


class DeviceChecks(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Checks every operation of one thread against the claims of its operands."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.machine = machine
        #: Whether calls that nothing can be wrong with may take the short way.
        self._brief = machine.kind == "cuda" and not machine.origins
        self._plain = {device: Claim(device) for device in machine.devices}

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Keep torch from wrapping the method below, which would import its compiler: that takes seconds."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Judge one call, carry it out on the true data, and lay claims on what comes out."""
        kwargs = kwargs or {}
        if types and has_own_dispatch(types):
            # A subclass with a dispatch of its own goes first; what it calls inside comes here. But the mode of
            # a tracer lies below this one, and would not be asked.
            traced = any(issubclass(kind, (FakeTensor, FunctionalTensor)) for kind in types)
            return func(*args, **kwargs) if traced else NotImplemented
        traits = traits_of(func)
        if traits.is_made_of_others(args):
            with self:
                return func._op_dk(COMPOSITE, *args, **kwargs)
        if self._brief and traits.plain and not self.machine.forked:
            common = _common_device(args)
            if common is not None:
                return self._briefly(func, args, kwargs, common)
        tensors = tensors_of(args, kwargs)
        if kwargs and kwargs.get("pin_memory") and kwargs.get("device") is None and tensors:
            kwargs = {**kwargs, "device": _device(tensors[0]) or CPU}
        if kwargs and kwargs.get("device") is not None:
            return self._placed(func, args, dict(kwargs), tensors)
        if any(tensor.is_meta for tensor in tensors):
            # What has no data is where it truly is, and torch itself says what does not go with it.
            return func(*args, **kwargs)
        device = self._judged(func, args, kwargs, tensors, traits)
        if kwargs and kwargs.get("generator") is not None:
            kwargs = self._with_own_generator(kwargs, device)
        try:
            out = func(*args, **kwargs)
        except dtype_rules.ERRORS as error:
            out = self._recalled(func, args, kwargs, device, error)
        if self.machine.kind == "mps":
            out = metal_dtypes.holding(self.machine, device, out, func._schema.name, tensors)
        self._settle(func, out, device, tensors, traits)
        return out

    def _settle(self, func: Any, out: Any, device: Any, tensors: list[Tensor], traits: Traits) -> None:
        """Lay claims on the results of a call, which are on one ``device`` or each on its own."""
        if type(device) is list:
            for place, result in zip(device, _results(out)):
                self._claim(func, result, place, tensors, traits)
        elif device is not CPU or self.machine.origins:
            self._claim(func, out, device, tensors, traits)

    def _briefly(
        self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any], device: torch.device
    ) -> Any:
        """Carry out a plain call on tensors of one accelerator: what nearly every call of a program is."""
        try:
            out = func(*args, **kwargs)
        except dtype_rules.ERRORS as error:
            out = self._recalled(func, args, kwargs, device, error)
        if claim_of(out) is None:
            lay(out, self._plain[device])
        return out

    def _recalled(
        self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any], device: Any, error: Exception
    ) -> Any:
        """What an operator gives that the CPU refused for its dtypes; ``device`` is where the results would be.

        The accelerator may do it all the same, or says it in its own words; or it is healed.
        """
        placed = isinstance(device, torch.device) and device is not CPU
        wide = dtype_rules.widened(func, args, kwargs, error) if placed else None
        if wide is not None:
            return wide[0]
        said = str(error)
        told = dtype_rules.in_its_words(func, args, device, error) if placed else error
        if self.machine.heal:
            healed = dtype_healing.heal(self.machine, func, args, kwargs, told, said)
            if healed is not None:
                return healed[0]
        raise told from None

    def _judged(
        self,
        func: Any,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        tensors: list[Tensor],
        traits: Traits,
    ) -> Any:
        """The device of the results (None: any), or one for each; raises what the accelerator raises, or writes it down."""
        if not tensors:
            return None
        devices = [_device(tensor) for tensor in tensors]
        first = devices[0]
        # Tensors of one device are the rule, so this comes first; a generator would cost more than the rest.
        if devices.count(first) == len(devices):
            if first is CPU or first is None:
                return first
            verdict: Any = operand_rules.alone(func, args, kwargs, tensors, first)
        else:
            verdict = self._mixed(func, args, kwargs, tensors, devices)
        if isinstance(verdict, Refusal):
            return self._refused(verdict, func, args, kwargs, devices)
        if type(verdict) is list:
            return verdict
        if verdict is not None and verdict is not CPU and (traits.waits or self.machine.forked):
            self._use(func, verdict, tensors)
        return verdict

    def _mixed(
        self,
        func: Any,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        tensors: list[Tensor],
        devices: list[Optional[torch.device]],
    ) -> Any:
        """The verdict on operands of which some claim another device than others, or none in particular."""
        definite = {device for device in devices if device is not None}
        if len(definite) > 1:
            if func._schema.name == "aten::copy_":
                self._use(func, next(device for device in definite if device is not CPU))
                self._count_copy(devices[1], devices[0], tensors[0], "Tensor.copy_")
                self.machine.copied = True
            return operand_rules.judge(func, args, kwargs, tensors, _device)
        [only] = definite
        if only is CPU and all(tensor.dim() == 0 for tensor, d in zip(tensors, devices) if d is CPU):
            # A host scalar fits every device, and settles nothing.
            return None
        for tensor in tensors:
            claim = claim_of(tensor)
            if claim is not None and claim.device is None:
                claim.device = only
        return only if only is CPU else operand_rules.alone(func, args, kwargs, tensors, only)

    def _refused(
        self,
        refusal: Refusal,
        func: Any,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        devices: list[Optional[torch.device]],
    ) -> Any:
        if refusal.kind == "device" and in_formula():
            # The engine itself takes gradients to the device they belong on; C++ formulas know no mistakes.
            return None
        if self.machine.heal and refusal.kind.endswith("dtype"):
            dtype_healing.refused(self.machine, func, args, kwargs, refusal)
        else:
            self.refuse(refusal, func._schema.name, named_operands(func, args, kwargs))
        accelerator = next((device for device in devices if device is not None and device is not CPU), CPU)
        target = CPU if refusal.kind == "host-only" else accelerator
        tensors = tensors_of(args, kwargs)

        def at(tensor: Tensor) -> Optional[torch.device]:
            return target if any(tensor is blamed for blamed in refusal.blamed) else _device(tensor)

        # Where the results are once the operands to blame are where they should be.
        healed = operand_rules.judge(func, args, kwargs, tensors, at)
        return accelerator if isinstance(healed, Refusal) else healed

    def refuse(self, refusal: Refusal, operation: str, operands: Sequence[Operand]) -> None:
        """Raise what the accelerator raises, or write it down where mismatches are healed."""
        self.machine.refuse(refusal, operation, operands)

    def _use(self, func: Any, device: torch.device, tensors: Sequence[Tensor] = ()) -> None:
        """A call runs on an accelerator."""
        traits = traits_of(func)
        if not traits.free_view and self.machine.forked and self.machine.is_accelerator(device):
            self.machine.work()
        masked = traits.indexing and any(t.dtype in (torch.bool, torch.uint8) for t in tensors[1:])
        if masked or traits.synchronising:
            self.machine.log.transfer("synchronisation", 0, func._schema.name)

    def _placed(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any], tensors: list[Tensor]) -> Any:
        """A call that says where its result goes: a factory, ``*_like``, ``new_*`` or a conversion."""
        named = kwargs["device"]
        if named.type == "meta" or (named.type != "cpu" and _is_traced()):
            return func(*args, **kwargs)
        if named.type not in ("cpu", "cuda", "xpu", self.machine.kind):
            # Only a build for that device (macOS for "mps") could do it; the others say so.
            return func(*args, **kwargs)
        if len(tensors) > 1:
            self._judged(func, args, kwargs, tensors, traits_of(func))
        device = self._destination(func, named, kwargs, tensors)
        if kwargs.get("generator") is not None:
            kwargs = self._with_own_generator(kwargs, device)
        pinned = bool(kwargs.get("pin_memory")) and self.machine.count > 0
        if pinned:
            kwargs["pin_memory"] = False
            pinned = self._pins(device)
        kwargs["device"] = CPU
        if not tensors and device is not None and device.type == "cuda":
            refusal = number_range.made(func._schema.name, args, kwargs)
            if refusal is not None:
                self.refuse(refusal, func._schema.name, [])
        if device is not None and tensors:
            self._use(func, device)
        try:
            out = func(*args, **kwargs)
        except dtype_rules.ERRORS as error:
            out = self._recalled(func, args, kwargs, None, error)
        if self.machine.kind == "mps":
            out = metal_dtypes.holding(self.machine, device, out, func._schema.name, tensors)
        if func._schema.name == "aten::_to_copy":
            self._count_copy(_device(tensors[0]), device, out, "Tensor.to")
        if device is not CPU or self.machine.origins or pinned:
            self._claim(func, out, device, tensors, traits_of(func), pinned=pinned)
        return out

    def _destination(
        self, func: Any, named: torch.device, kwargs: Mapping[str, Any], tensors: list[Tensor]
    ) -> Optional[torch.device]:
        if named.type != "cpu":
            device = self.machine.device(named)
            self.machine.touch()
            return device
        if "pin_memory" in kwargs and func._schema.name != "aten::_to_copy":
            # Only the Python bindings say anything of pinning, so the user asked for the CPU.
            return CPU
        # Made inside C++ from the true device of a tensor: it goes where that tensor claims to be.
        return next((device for device in map(_device, tensors) if device is not None), None)

    def _pins(self, device: Optional[torch.device]) -> bool:
        """Whether a factory pins what it makes, as the simulated machine sees it."""
        if self.machine.is_accelerator(device):
            self.refuse(Refusal("Only dense CPU tensors can be pinned", "pin"), "pin_memory", [])
            return False
        self.machine.work()
        return True

    def _with_own_generator(
        self, kwargs: Mapping[str, Any], device: Optional[torch.device]
    ) -> dict[str, Any]:
        """The arguments with a generator that the CPU can draw from; one of another device is refused."""
        generators.check(self.machine, kwargs["generator"], device)
        return {**kwargs, "generator": generators.own(kwargs["generator"])}

    def _count_copy(
        self, source: Optional[torch.device], target: Optional[torch.device], out: Any, by: str
    ) -> None:
        what = direction(source or CPU, target or CPU)
        if what is not None:
            self.machine.log.transfer(what, size_of(out), by)

    def _claim(
        self,
        func: Any,
        out: Any,
        device: Optional[torch.device],
        tensors: list[Tensor],
        traits: Traits,
        *,
        pinned: bool = False,
    ) -> None:
        """Lay claims on the results that have a storage of their own."""
        claim: Optional[Claim] = None
        for result in (out,) if isinstance(out, Tensor) else _results(out):
            if claim_of(result) is not None or (tensors and not traits.fresh and lies_in(result, tensors)):
                continue
            if claim is None or self.machine.origins:
                claim = self._new_claim(func, device, tensors, result.dtype, pinned=pinned)
            # A claim that may yet settle belongs to one storage.
            lay(result, Claim(None) if claim.device is None else claim)

    def _new_claim(
        self,
        func: Any,
        device: Optional[torch.device],
        tensors: list[Tensor],
        dtype: torch.dtype,
        *,
        pinned: bool,
    ) -> Claim:
        if device is None or not self.machine.origins:
            return Claim(device, pinned=pinned)
        made, roots = _made_by(func, tensors, dtype), roots_of(tensors, device)
        return Claim(device, made, roots, pinned=pinned, types=types_behind(tensors, made, dtype))


def _common_device(args: Sequence[Any]) -> Optional[torch.device]:
    """The accelerator that all tensors among the arguments claim; None where there is more to say."""
    common = None
    try:
        for value in args:
            if isinstance(value, Tensor):
                claim = getattr(_storage(value), "_claim", None)
                if claim is None or (common is not None and claim.device is not common):
                    return None
                common = claim.device
                if common is None or common is CPU:
                    return None
    except (NotImplementedError, RuntimeError, ValueError):
        # A tensor without a storage of its own.
        return None
    return common


def tensors_of(args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Tensor]:
    """The tensors among the arguments of an operation, in the order of its schema."""
    found: list[Tensor] = []
    for value in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(value, Tensor):
            found.append(value)
        elif type(value) in (list, tuple):
            found.extend(part for part in value if isinstance(part, Tensor))
    return found


def named_operands(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Operand]:
    """The tensors of a call with the names its schema gives them."""
    return [
        Operand(slot.role, slot.tensor, claim_of(slot.tensor), _device(slot.tensor) or CPU)
        for slot in slots_of_operator(func, args, kwargs)
    ]


def roots_of(tensors: Sequence[Tensor], device: torch.device) -> tuple[Made, ...]:
    """What a result on ``device`` goes back to: the origins of its operands there."""
    found: dict[Made, None] = {}
    for tensor in tensors:
        claim = claim_of(tensor)
        if claim is not None and claim.device is device:
            found.update(dict.fromkeys(claim.roots or ((claim.made,) if claim.made is not None else ())))
    return tuple(found)[:MOST_ROOTS]


def _device(tensor: Tensor) -> Optional[torch.device]:
    """Where a tensor claims to be; None for any device."""
    try:
        claim = getattr(_storage(tensor), "_claim", None)
    except (NotImplementedError, RuntimeError, ValueError):
        claim = claim_of(tensor)
    return CPU if claim is None else claim.device


def _results(out: Any) -> Iterator[Tensor]:
    if isinstance(out, Tensor):
        yield out
    elif isinstance(out, (list, tuple)):
        for part in out:
            if isinstance(part, Tensor):
                yield part
            elif isinstance(part, (list, tuple)):
                yield from _results(part)


def _made_by(func: Any, tensors: Sequence[Tensor], dtype: torch.dtype) -> Made:
    name = func._schema.name.replace("aten::", "")
    spot = user_spot(4)
    if name == "_to_copy" and tensors[0].dtype != dtype:
        return Made("cast", "Tensor.to", spot)
    if tensors and name != "lift_fresh" and not name.startswith("new_") and not name.endswith("_like"):
        return Made("result", f"torch.{name}", spot)
    by = "torch.tensor" if name == "lift_fresh" else f"torch.{name}"
    return Made("random-factory" if any(word in name for word in _RANDOM) else "factory", by, spot)


def _is_traced() -> bool:
    """Whether tensors have no data at the moment, as in a tracer."""
    return torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE) is not None
