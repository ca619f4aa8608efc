"""Libraries built on PyTorch, as far as they make, move or demand tensors and modules."""
