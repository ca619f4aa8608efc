"""Puts the questions of ``tests/recorded`` to a real accelerator and writes down what it answers.

    python tests/gpu/record_questions.py FILE [TOPIC ...]

Needs torch with CUDA, not devfix. The file is one JSON object: the machine, then name -> answer by topic.
"""

from __future__ import annotations

import importlib
import json
import signal
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import torch
from recorded.questions import TOPICS, answer

#: Seconds after which a question that hangs is given up.
PATIENCE = 40


def _give_up(_number: int, _frame: object) -> None:
    raise TimeoutError("no answer")


def main(path: str, *topics: str) -> int:
    """Ask everything; exit code 2 without an accelerator."""
    if not torch.cuda.is_available():
        print("no accelerator")
        return 2
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _give_up)
    found: dict[str, object] = {"gpu": torch.cuda.get_device_name(0), "torch": torch.__version__}
    for topic in topics or TOPICS:
        questions = importlib.import_module(f"recorded.{topic}_questions").QUESTIONS
        asked: dict[str, object] = {}
        found[topic] = asked
        for name, question in questions.items():
            signal.alarm(PATIENCE)
            asked[name] = answer(question)
            signal.alarm(0)
        print(topic, len(questions), flush=True)
        Path(path).write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
