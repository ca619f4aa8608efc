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


def test_what_is_called_on_several_devices_gets_its_inputs_there() -> None:
    text = """
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(2, 1)

        def forward(self, inputs):
            if isinstance(inputs, dict):
                inputs = inputs["image"], inputs["boxes"]
            images, boxes = inputs
            return self.linear(images) + boxes

    images, boxes = torch.ones(1, 2), torch.ones(1, 1)
    net = torch.nn.DataParallel(Net()).cuda()
    net([images, boxes])
    net((images.cuda(), boxes))
    net({"image": images, "boxes": boxes})
    net.module([images.cuda(), boxes])
    """
    assert clashes(text) == ["13: device"]


def test_an_object_of_a_class_is_handed_to_several_devices_as_it_is() -> None:
    text = """
    import torch

    class Batch:
        def __init__(self, x):
            self.x = x

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(2, 1)

        def forward(self, batch):
            return self.linear(batch.x)

    net = torch.nn.DataParallel(Net()).cuda()
    net(Batch(torch.ones(1, 2)))
    """
    assert clashes(text) == ["14: device"]
