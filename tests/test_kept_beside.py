"""A call that leaves the device out names that of what the object keeps there, though the fault has that on the CPU as well."""

from __future__ import annotations

from text_program import files, fix_texts

from devfix.findings import Applicability

SUMS = """
    import torch

    class Sums:
        def __init__(self, size, device=None):
            self.size = size
            self.reset(device=device)

        def reset(self, device=None):
            self.count = 0
            self.total = torch.zeros(self.size, device=device)

        def push(self, x):
            self.count += 1
            self.total += x
"""
METRIC = """
    import torch
    from sums import Sums

    class Metric:
        def __init__(self, size, device):
            self.scale = torch.ones(size, device={first})
            self.sums = Sums(size, device=device)

        def observe(self, x):
            self.sums.push(x)
            return x * self.scale{use}

        def close(self):
            self.scale = {scale}
            self.sums.reset()
"""
MAIN = """
    import torch
    from metric import Metric

    def main():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        metric = Metric(3, device)
        for epoch in range(3):
            for step in range(2):
                print(metric.observe(torch.rand(3).to(device)).sum())
            metric.close()

    main()
"""
SCALE = "self.sums.total / self.sums.count"


def repaired(scale: str = SCALE, first: str = "device", use: str = "") -> dict[str, str]:
    """The lines that the repair adds, by file."""
    texts = files(MAIN, sums=SUMS, metric=METRIC.format(scale=scale, first=first, use=use))
    after = fix_texts(texts, Applicability.UNSAFE)[0]
    found = {
        path: [line.strip() for line in after[path].splitlines() if line not in texts[path].splitlines()]
        for path in texts
    }
    return {path: "\n".join(lines) for path, lines in found.items() if lines}


def test_one_call_is_told_the_device() -> None:
    assert repaired() == {"metric.py": "self.sums.reset(device=self.scale.device)"}


def test_what_is_taken_to_the_host_says_nothing() -> None:
    after = repaired(scale=f"({SCALE}).cpu()", use=".to(x.device)")
    assert after
    assert "self.scale.device" not in "".join(after.values())


def test_what_begins_on_the_host_says_nothing() -> None:
    after = repaired(first='"cpu"', use=".to(x.device)")
    assert after
    assert "self.scale.device" not in "".join(after.values())
