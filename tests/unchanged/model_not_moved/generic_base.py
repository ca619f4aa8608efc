"""The base is a generic class with its parameters, and the constructor moves the module by itself."""

from typing import Generic, TypeVar

import torch
from torch import nn

T = TypeVar("T")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Embeddings(nn.Module, Generic[T]):
    def embed(self, points: list[T]):
        return self.lookup(torch.zeros(len(points), dtype=torch.long, device=device))


class TokenEmbeddings(Embeddings[str]):
    pass


class CharacterEmbeddings(TokenEmbeddings):
    def __init__(self, size=3):
        super().__init__()
        self.table = nn.Embedding(size, 4)
        self.to(device)

    def lookup(self, index):
        return self.table(index)


print("RESULT", len([CharacterEmbeddings]))
