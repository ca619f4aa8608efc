"""Vectors of documents, looked up by their angle."""
import numpy as np


class Archive:
    def __init__(self):
        self.blocks = []

    def add(self, vectors):
        block = np.asarray(vectors)
        self.blocks.append(block / np.linalg.norm(block, axis=1, keepdims=True))

    def nearest(self, vectors, count=3):
        every = np.concatenate(self.blocks)
        return np.argsort(-vectors @ every.T, axis=1)[:, :count]
