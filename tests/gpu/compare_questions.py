"""Puts the questions of ``tests/recorded`` to the simulator inside a build of torch for CUDA.

    python tests/gpu/compare_questions.py [TOPIC ...]

Prints what differs from the record, and whether the real accelerator was touched. Exit code 1 when it was.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE.parent), str(_HERE.parent.parent)]

import torch  # noqa: E402 - the folders of the project come first
from recorded.questions import answer  # noqa: E402 - as above

from devfix.simulator import simulated_accelerator  # noqa: E402 - as above

_DATA = _HERE.parent / "data"
_RECORDED = {
    **json.loads((_DATA / "h200_answers.json").read_text()),
    **json.loads((_DATA / "h100_answers.json").read_text()),
}


def main(topics: list[str]) -> int:
    """Ask everything; the real accelerator must not notice."""
    warnings.simplefilter("ignore")
    print("torch", torch.__version__, "accelerator", torch.cuda.is_available())
    asked = differ = 0
    for topic in topics or [key for key, value in _RECORDED.items() if isinstance(value, dict)]:
        for name, question in importlib.import_module(f"recorded.{topic}_questions").QUESTIONS.items():
            with simulated_accelerator() as machine:
                machine.touch()
                found = answer(question)
            asked += 1
            if found != _RECORDED[topic][name]:
                differ += 1
                print(f"{topic}: {name}\n    real      {_RECORDED[topic][name]}\n    simulated {found}")
    touched = torch.cuda.is_initialized()
    print(asked, "asked,", differ, "differ, real accelerator touched:", touched)
    return int(touched)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
