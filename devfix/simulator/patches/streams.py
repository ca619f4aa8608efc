"""Streams and events: the simulated device does everything at once, so nothing is ever waited for."""

from __future__ import annotations

import itertools
import threading
import time
from typing import Any, Optional

import torch
from torch import _streambase

from ..claims import CPU, device_of
from ..machine import DeviceLike, Machine, active
from ..patching import Patcher
from ..refusals import not_simulated

#: Numbers of device types (c10/core/DeviceType.h).
DEVICE_TYPES = {"cuda": 1, "xpu": 12, "mps": 13}
_numbers = itertools.count(1)
_RealStream: Any = torch.Stream
_RealEvent: Any = torch.Event


def _bases(real: Any, name: str) -> tuple[Any, ...]:
    """What a class that stands for ``real`` inherits.

    In torch 2.4 the classes of accelerators have an abstract base besides, which its torch._dynamo insists on.
    """
    base = getattr(_streambase, name, real)
    return (real,) if issubclass(base, real) else (real, base)


_StreamBases: Any = _bases(_RealStream, "_StreamBase")
_EventBases: Any = _bases(_RealEvent, "_EventBase")


class _SeesReal(type):
    """A class that takes the instances of another for its own."""

    real: Any

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.real)

    def __subclasscheck__(cls, subclass: Any) -> bool:
        return issubclass(subclass, cls.real)


class Stream(*_StreamBases):  # type: ignore[misc]
    """A queue of work, which is always done; its number is its identity."""

    def __new__(cls, device: DeviceLike = None, priority: int = 0, **ids: Any) -> Any:
        """Make a stream on a device, or the one that ``stream_id`` names."""
        machine = _machine()
        if "stream_id" not in ids:
            machine.touch()
            numbers = getattr(getattr(torch, machine.kind), "_utils", torch._utils)
            found = machine.device(numbers._get_device_index(device, optional=True))
            ids = {
                "stream_id": next(_numbers),
                "device_index": found.index or 0,
                "device_type": DEVICE_TYPES[found.type],
            }
        made = super().__new__(cls, **ids)
        made.priority = min(priority, 0)
        return made

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        pass

    @property
    def cuda_stream(self) -> int:
        """The address of the driver's stream: zero for the default stream, made up for others."""
        return self.stream_id * 16  # type: ignore[no-any-return]

    sycl_queue = native_handle = cuda_stream

    def query(self) -> bool:
        """Whether all work is done, which it always is."""
        return True

    def synchronize(self) -> None:
        """Count a wait for the work of the stream."""
        _machine().log.transfer("synchronisation", 0, "Stream.synchronize")

    def wait_event(self, event: Any) -> None:
        """Wait for nothing."""

    def wait_stream(self, stream: Any) -> None:
        """Wait for nothing."""

    def record_event(self, event: Optional[Event] = None) -> Event:
        """Record an event, by default a new one."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def is_capturing(self) -> bool:
        """Whether a graph is being captured, which the simulator does not."""
        return False

    def __enter__(self) -> Any:
        streams = _machine_streams()
        self._outer = (_machine().current, streams.current(self.device_index))
        _machine().current = self.device_index
        streams.select(self)
        return self

    def __exit__(self, *_error: object) -> None:
        _machine().current, before = self._outer
        _machine_streams().select(before)

    def __repr__(self) -> str:
        return f"<torch.{self.device.type}.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class ExternalStream(Stream):
    """A stream that another library made."""

    def __new__(cls, stream_ptr: int, _device: DeviceLike = None, **_ids: Any) -> Any:
        """Refuse: no other library has anything on a simulated device."""
        raise not_simulated(f"stream of another library (at {stream_ptr:#x})")


class Event(*_EventBases):  # type: ignore[misc]
    """A moment in the work of a stream; since all work is done at once, the moment it was recorded."""

    def __new__(cls, enable_timing: bool = False, *_args: Any, **_kwargs: Any) -> Any:  # noqa: D102
        made = super().__new__(cls)
        made.timed = bool(enable_timing)
        made.moment = made.named = None
        return made

    timed: bool
    moment: Optional[float]
    named: Optional[torch.device]

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        pass

    @property
    def device(self) -> Any:
        """The device of the machine that is current, once something was recorded."""
        machine = _machine()
        return self.named if self.moment is None else machine.devices[machine.current]

    @property
    def cuda_event(self) -> int:
        """The address of the driver's event."""
        return id(self)

    def record(self, _stream: Any = None) -> None:
        """Note the time."""
        _machine().touch()
        self.moment = time.perf_counter()

    def query(self) -> bool:
        """Whether the moment is past, which it always is."""
        return True

    def wait(self, _stream: Any = None) -> None:
        """Wait for nothing."""

    def synchronize(self) -> None:
        """Count a wait for the moment."""
        _machine().log.transfer("synchronisation", 0, "Event.synchronize")

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds between two moments.

        Raises ValueError, in the words of c10/cuda/CUDAEvent.h, unless both events take the time and were recorded.
        """
        if not (self.timed and end_event.timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self.moment is None or end_event.moment is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event.moment - self.moment) * 1e3

    def ipc_handle(self) -> bytes:
        """Refuse: no other process can share a simulated device."""
        raise not_simulated("event that processes share")

    @classmethod
    def from_ipc_handle(cls, _device: Any, _handle: bytes) -> Any:
        """Refuse, as :meth:`ipc_handle`."""
        raise not_simulated("event that processes share")

    def __repr__(self) -> str:
        state = "uninitialized" if self.moment is None else f"{self.cuda_event:#x}"
        return f"<torch.{_machine().kind}.Event {state}>"


class _AnyStream(metaclass=_SeesReal):
    """``torch.Stream``: makes one of the machine's streams."""

    real = _RealStream

    def __new__(cls, device: DeviceLike = None, *args: Any, **kwargs: Any) -> Any:
        if isinstance(device, (torch.device, str)) and torch.device(device).type == "cpu":
            return _RealStream(device, *args, **kwargs)
        return Stream(device, *args, **kwargs)


class _AnyEvent(metaclass=_SeesReal):
    """``torch.Event``: makes one of the machine's events."""

    real = _RealEvent

    def __new__(cls, device: DeviceLike = None, *args: Any, **kwargs: Any) -> Any:
        if isinstance(device, (torch.device, str)) and torch.device(device).type == "cpu":
            return _RealEvent(device, *args, **kwargs)
        made = Event(kwargs.pop("enable_timing", False))
        made.named = torch.device(_machine().kind)
        return made


class Streams:
    """Which stream is current on each device, in each thread."""

    def __init__(self, machine: Machine) -> None:
        self._kind = DEVICE_TYPES[machine.kind]
        self._machine = machine
        self._of_thread = threading.local()

    def number(self, index: int) -> tuple[int, int, int]:
        """What the driver says of the current stream: its number, its device and that device's type."""
        index = self._machine.device(self._machine.current if index < 0 else index).index or 0
        return vars(self._of_thread).get(str(index), 0), index, self._kind

    def default(self, index: int) -> tuple[int, int, int]:
        """The same for the default stream."""
        return 0, self.number(index)[1], self._kind

    def set_number(self, stream_id: int, device_index: int, **_type: int) -> None:
        """Make a stream and its device current."""
        self._machine.current = device_index
        setattr(self._of_thread, str(device_index), stream_id)

    def select(self, stream: Any) -> None:
        """Make a stream current on its device."""
        self.set_number(stream.stream_id, stream.device_index)

    def current(self, index: int) -> Stream:
        """The current stream of a device."""
        number, index, kind = self.number(index)
        return Stream(stream_id=number, device_index=index, device_type=kind)


def _recording(original: Any) -> Any:
    """``Tensor.record_stream``, which tells the allocator who uses a tensor; one on the CPU refuses it."""

    def record_stream(self: torch.Tensor, stream: Any) -> None:
        if device_of(self) == CPU:
            original(self, stream)

    return record_stream


_streams: dict[int, Streams] = {}


def _machine() -> Machine:
    machine = active()
    if machine is None:
        raise RuntimeError("the simulated accelerator of this stream or event is gone")
    return machine


def _machine_streams() -> Streams:
    return _streams[id(_machine())]


def install(patcher: Patcher, machine: Machine) -> None:
    """Give the machine's devices streams."""
    if machine.kind not in DEVICE_TYPES:
        return
    _streams.clear()
    streams = _streams[id(machine)] = Streams(machine)
    patcher.set(torch, "Stream", _AnyStream)
    patcher.set(torch, "Event", _AnyEvent)
    patcher.wrap(torch.Tensor, "record_stream", _recording)
    for name in ("getStream", "setStream"):
        if hasattr(torch._C, f"_accelerator_{name}"):
            patcher.set(
                torch._C, f"_accelerator_{name}", streams.current if name == "getStream" else streams.select
            )
    if machine.kind == "mps":
        patcher.set(torch.mps, "Event", Event)
        patcher.set(torch.mps.event, "Event", Event)
        return
    package = getattr(torch, machine.kind)
    prefix = f"_{machine.kind}_"
    patcher.set(torch._C, prefix + "getCurrentStream", streams.number)
    patcher.set(torch._C, prefix + "getDefaultStream", streams.default)
    patcher.set(torch._C, prefix + "getCurrentRawStream", lambda index: streams.number(index)[0] * 16)
    patcher.set(torch._C, prefix + "setStream", streams.set_number)
    for name, replacement in (("Stream", Stream), ("ExternalStream", ExternalStream), ("Event", Event)):
        for module in (package, package.streams):
            if hasattr(module, name):
                patcher.set(module, name, replacement)
    patcher.set(torch._C, prefix + "getStreamFromExternal", lambda pointer, _index: ExternalStream(pointer))
