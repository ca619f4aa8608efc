"""Modules: ``nn.Module`` and the layers of PyTorch, and what owns, registers, walks and wraps them."""
