"""Runs: programs on the simulated accelerator; what ended once is remembered by its text and the simulator's."""

from __future__ import annotations

import hashlib
import json
import math
import re
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from repair.working_program import WorkingProgram
from zygote import SIMULATOR, Zygote

_RESULT = re.compile(r"^RESULT\s+(\S+)\s*$", re.MULTILINE)
#: What an error says that stems from a device or a dtype.
_MISMATCH = re.compile(
    r"device|dtype|cuda|cpu\b|scalar type|data ?type|\bHalf\b|\bLong|\bFloat|\bDouble|\bInt\b|same type|numpy\b",
    re.IGNORECASE,
)


#: Errors of a program that a mutation left without a name or a part, which is no mistake with devices.
_OTHERWISE = re.compile(
    r"(Name|UnboundLocal|Attribute|Import|ModuleNotFound|Syntax|Key|File\w*)Error\b|TypeError: .* missing (\d+ )?required"
)


@dataclass(frozen=True)
class Ran:
    """How a program ended: its result, or its error; and where that was which it trained."""

    result: float | None
    error: str
    trained_on: tuple[str, ...]
    stopped: bool = False

    @property
    def mismatched(self) -> bool:
        """Whether it died of a device or a dtype."""
        if self.result is not None or _OTHERWISE.match(self.error):
            return False
        return bool(_MISMATCH.search(self.error))

    @property
    def adopted(self) -> bool:
        """Whether everything it trained lay on the accelerator."""
        return self.result is not None and self.trained_on == ("cuda",)

    def equals(self, other: Ran) -> bool:
        """Whether both ended with the same number."""
        if self.result is None or other.result is None:
            return False
        return math.isclose(self.result, other.result, rel_tol=1e-4, abs_tol=1e-6)


class Runs:
    """Runs programs one after the other, and remembers them in a file of JSON lines; to be closed."""

    def __init__(self, memory: Path | None = None) -> None:
        self._zygote: Zygote | None = None
        self._memory = memory
        self._simulator = _fingerprint(SIMULATOR)
        self._known: dict[str, Ran] = {}
        if memory is not None and memory.is_file():
            self._known.update(map(_remembered, memory.read_text(encoding="utf-8").splitlines()))

    def run(self, program: WorkingProgram, texts: Mapping[str, str], *, time: int = 1) -> Ran:
        """How the program ends with these texts for its files, when it runs for the first time, or the second."""
        key = _key(self._simulator, program, texts) + ("" if time == 1 else f"-{time}")
        if key not in self._known:
            self._known[key] = ran = self._run(program, texts)
            # What ran out of its time on a busy machine may end on another day.
            if self._memory is not None and not ran.stopped:
                with self._memory.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"key": key, **asdict(ran)}) + "\n")
        return self._known[key]

    def close(self) -> None:
        """End the process that runs them."""
        if self._zygote is not None:
            self._zygote.close()

    def _run(self, program: WorkingProgram, texts: Mapping[str, str]) -> Ran:
        self._zygote = self._zygote or Zygote()
        with tempfile.TemporaryDirectory() as folder:
            work, report = Path(folder).resolve() / "work", Path(folder) / "report.json"
            program.write(texts, work)
            printed = self._zygote.run(work, [program.entry, *program.args], report, "strict", "cuda")
            told = json.loads(report.read_text(encoding="utf-8")) if report.is_file() else {}
        stopped = (told.get("outcome") or {}).get("how") == "stopped"
        error = "it ran out of its time" if stopped else _error(told, printed)
        return Ran(result_of(printed), error, trained_on(told), stopped)


def trained_on(report: Mapping[str, Any]) -> tuple[str, ...]:
    """The kinds of devices of what a program trained: what its optimizers stepped, or else what it has gradients of."""
    parameters = report.get("parameters")
    return tuple(parameters["device_types"] if parameters else report.get("gradients_on", ()))


def result_of(printed: str) -> float | None:
    """The finite number that a program ended with."""
    found = _RESULT.findall(printed)
    try:
        value = float(found[-1]) if found else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _error(told: Mapping[str, Any], printed: str) -> str:
    error = (told.get("outcome") or {}).get("error")
    if error:
        return f"{error['type']}: {error['message']}"[:600]
    lines = printed.strip().splitlines()
    return lines[-1][:600] if lines else "nothing was printed"


def _key(simulator: str, program: WorkingProgram, texts: Mapping[str, str]) -> str:
    data = sorted((name, file.stat().st_size) for name, file in (program.data or {}).items())
    content = [simulator, program.entry, list(program.args), sorted(texts.items()), data]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:20]


def _fingerprint(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _remembered(line: str) -> tuple[str, Ran]:
    known = json.loads(line)
    return known["key"], Ran(known["result"], known["error"], tuple(known["trained_on"]))
