"""Whether PyTorch takes a text is tried out."""

import contextlib
import unittest

import torch


def is_device(name):
    try:
        torch.device(name)
    except RuntimeError:
        return False
    return True


def first_that_is_one(names):
    for name in names:
        with contextlib.suppress(RuntimeError):
            return torch.device(name)
    return torch.device("cpu")


class Refused(unittest.TestCase):
    def test_a_space(self):
        with self.assertRaises(RuntimeError):
            torch.zeros(2, device="cuda: 0")
        with self.assertRaisesRegex(RuntimeError, "Invalid device string"):
            torch.device("cuda0")


try:
    device = torch.device("gpu")
except (RuntimeError, ValueError):
    device = torch.device("cpu")
print(is_device("cuda: 0"), first_that_is_one(["GPU:0", "cpu"]), torch.ones(2, device=device))
