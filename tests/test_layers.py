"""Layers that take more than one input, or are made of a tensor."""

from __future__ import annotations

from text_program import clashes


def test_offsets_of_a_bag_meet_its_weight() -> None:
    text = """
    import torch

    bag = torch.nn.EmbeddingBag(5, 2).to("cuda")
    tokens = torch.tensor([1, 2, 3], device="cuda")
    bag(tokens, torch.tensor([0, 1], device="cuda"))
    bag(tokens, torch.tensor([0, 1]))
    """
    assert clashes(text) == ["7: device"]


def test_a_table_made_of_vectors_is_where_they_are() -> None:
    text = """
    import torch

    ids = torch.tensor([1, 2], device="cuda")
    vectors = torch.ones(5, 2)
    torch.nn.Embedding.from_pretrained(vectors.to("cuda"))(ids)
    torch.nn.Embedding.from_pretrained(vectors).to("cuda")(ids)
    torch.nn.Embedding.from_pretrained(vectors)(ids)
    """
    assert clashes(text) == ["8: device"]
