"""devfix finds PyTorch code that dies on an accelerator, and fixes it."""

__version__ = "0.1.0"
