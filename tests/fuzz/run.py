"""Fuzzes one target with Atheris, guided by coverage.

``python tests/fuzz/run.py TARGET [-max_total_time=300 ...]``; without a fuzzer's options it runs for five minutes.
What breaks a target is written to ``tests/fuzz/found/TARGET``, where ``tests/test_fuzz.py`` finds it.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from pathlib import Path

import atheris

_ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(_ROOT), str(_ROOT / "codemods"), str(_ROOT / "tests")]

with atheris.instrument_imports(include=["devfix"]):
    from fuzz import targets


def main() -> None:
    """Run the fuzzer; it ends the process."""
    name, *options = sys.argv[1:]
    found = targets.FOUND / name
    found.mkdir(parents=True, exist_ok=True)
    start = tempfile.mkdtemp(prefix="devfix-fuzz-")
    for seed in targets.seeds(name):
        Path(start, hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    options = options or ["-max_total_time=300"]
    kept = ["-timeout=30", "-rss_limit_mb=4096", "-max_len=8192", f"-artifact_prefix={found}/"]
    atheris.Setup([sys.argv[0], *kept, *options, start], targets.TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
