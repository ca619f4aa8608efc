"""Tensors: what makes them, what operations demand of them, and what comes out."""
