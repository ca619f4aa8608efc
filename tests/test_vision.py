"""torchvision's datasets and transforms: what a program gets of them is on the CPU, and has a dtype."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import clashes

PROGRAM = """
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset
from torchvision import datasets, transforms

device = torch.device("cuda")
model = nn.Conv2d(3, 4, 3).to(device)
convert = transforms.Compose([transforms.Resize(8), transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))])
"""


def faults(text: str) -> list[str]:
    lines = (PROGRAM + dedent(text)).splitlines()
    return [lines[int(found.split(":")[0]) - 1].strip() for found in clashes("\n".join(lines) + "\n")]


def test_samples_of_a_dataset_are_on_the_cpu() -> None:
    assert faults("""
        for x, y in DataLoader(datasets.CIFAR10("data", train=True, transform=convert)):
            model(x)
    """) == ["model(x)"]


def test_so_are_those_of_one_of_several_datasets() -> None:
    assert faults("""
        import sys
        if sys.argv[1] == "cifar":
            data = datasets.CIFAR10("data", transform=convert)
        elif sys.argv[1] == "folder":
            data = datasets.ImageFolder("data", convert)
        else:
            data = datasets.FakeData(transform=transforms.ToTensor())
        for batch in DataLoader(data):
            model(batch[0])
    """) == ["model(batch[0])"]


def test_a_transform_makes_the_tensors_of_a_dataset_of_the_project() -> None:
    assert faults("""
        from PIL import Image
        class Images(Dataset):
            def __init__(self, files, transform):
                self.files, self.transform = files, transform
            def __getitem__(self, i):
                return self.transform(Image.open(self.files[i]))
            def __len__(self):
                return len(self.files)
        for x in DataLoader(Images(["a"], convert)):
            model(x)
    """) == ["model(x)"]


def test_views_that_the_project_makes_of_an_image() -> None:
    assert faults("""
        class Views:
            def __init__(self, transform):
                self.transform = transform
            def __call__(self, x):
                return [self.transform(x) for _ in range(2)]
        for images, _ in DataLoader(datasets.CIFAR10("data", transform=Views(convert))):
            images = torch.cat(images, dim=0)
            model(images)
    """) == ["model(images)"]


def test_a_subclass_has_the_samples_of_its_base() -> None:
    assert faults("""
        class Numbered(datasets.CIFAR10):
            def __getitem__(self, index):
                image, target = super().__getitem__(index)
                return image, target, index
        class Pairs(datasets.CIFAR10):
            def __getitem__(self, index):
                image = self.data[index]
                return self.transform(image), self.transform(image), self.targets[index]
        for x, y, i in DataLoader(Numbered("data", transform=convert)):
            model(x)
        for a, b, y in DataLoader(Pairs(root="data", train=False, transform=convert)):
            model(a.to(device))
            model(b)
    """) == ["model(x)", "model(b)"]


def test_a_transform_of_a_tensor_leaves_it_where_it_is() -> None:
    assert faults("""
        augment = transforms.RandomHorizontalFlip()
        x = torch.ones(1, 3, 8, 8).to(device)
        model(augment(x))
        model(transforms.Normalize((0.5,), (0.5,))(x))
        model(augment(torch.ones(1, 3, 8, 8)))
    """) == ["model(augment(torch.ones(1, 3, 8, 8)))"]


def test_what_a_function_of_the_project_makes_of_an_image_is_what_it_gives() -> None:
    assert (
        faults("""
        send = transforms.Compose([transforms.ToTensor(), transforms.Lambda(lambda x: x.to(device))])
        for x, y in DataLoader(datasets.MNIST("data", transform=send)):
            model(x)
        for x, y in DataLoader(datasets.MNIST("data")):
            model(x)
    """)
        == []
    )


def test_views_of_unknown_number_in_one_of_two_datasets() -> None:
    assert faults("""
        import sys
        class Views:
            def __init__(self, transform, n):
                self.transform, self.n = transform, n
            def __call__(self, x):
                return [self.transform(x) for _ in range(self.n)]
        known = {
            "a": lambda: datasets.CIFAR10("data", transform=Views(convert, int(sys.argv[2]))),
            "b": lambda: datasets.STL10("data", split="train", transform=Views(convert, int(sys.argv[2]))),
        }
        for images, _ in DataLoader(known[sys.argv[1]]()):
            images = torch.cat(images, dim=0)
            model(images)
    """) == ["model(images)"]


def test_a_transform_that_may_be_left_out_is_applied_where_it_is_given() -> None:
    program = """
        from PIL import Image
        def load(path, transform=None):
            image = Image.open(path)
            if transform:
                image = transform(image).unsqueeze(0)
            return image.float()
        model(load("a.png", convert))
        model(load("a.png"))
    """
    assert faults(program) == ['model(load("a.png", convert))']


def test_images_that_torchvision_puts_together_are_where_they_were() -> None:
    assert faults("""
        from torchvision.transforms import functional
        from torchvision.utils import make_grid
        images = functional.resize(torch.ones(4, 3, 8, 8, device="cuda"), 16)
        make_grid(images).numpy()
        make_grid([image for image in images]).numpy()
        make_grid(images).cpu().numpy()
    """) == ["make_grid(images).numpy()", "make_grid([image for image in images]).numpy()"]


def test_an_image_made_a_tensor_by_hand_is_on_the_cpu() -> None:
    assert faults("""
        from PIL import Image
        from torchvision.transforms import functional
        image = functional.to_tensor(Image.open("a.png")).unsqueeze(0)
        model(image)
        model(image.cuda())
    """) == ["model(image)"]


GROWN = """
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="train")
    args = parser.parse_args()

    steps = []
    if args.mode == "train":
        steps.append(transforms.RandomHorizontalFlip())
    steps.append(transforms.CenterCrop(8))
    {step}
    steps.append(transforms.Normalize((0.5,), (0.5,)))
    for x, y in DataLoader(datasets.CIFAR10("data", transform=transforms.Compose(steps))):
        model(x)
"""


@pytest.mark.parametrize(
    "step",
    [
        "steps.append(transforms.ToTensor())",
        "steps += [transforms.PILToTensor(), transforms.ConvertImageDtype(torch.float)]",
    ],
)
def test_a_list_of_transforms_that_grows_in_some_runs_makes_tensors_in_all(step: str) -> None:
    assert faults(GROWN.format(step=step)) == ["model(x)"]


@pytest.mark.parametrize(
    "step",
    [
        "steps.append(transforms.ToTensor()); steps.append(transforms.Lambda(lambda x: x.to(device)))",
        "steps.append(transforms.ToTensor()); steps.append(lambda x: x.to(device))",
        "steps.append(transforms.ToTensor()); steps.append(transforms.ToPILImage())",
        "pass",
    ],
)
def test_what_such_a_list_comes_to_is_unknown_where_a_step_of_it_is(step: str) -> None:
    assert faults(GROWN.format(step=step)) == []


HOLES = """
class Holes:
    def __call__(self, image):
        mask = torch.ones(image.size(1), image.size(2)){place}
        return image * mask.expand_as(image)
"""


def test_a_chain_grows_by_what_is_appended_to_its_list() -> None:
    chain = """
        grown = transforms.Compose([])
        if torch.rand(1) > 0.5:
            grown.transforms.append(transforms.RandomHorizontalFlip())
        grown.transforms.append(transforms.ToTensor())
        if torch.rand(1) > 0.5:
            grown.transforms.append(Holes())
        for x, y in DataLoader(datasets.CIFAR10("data", transform=grown)):
            model(x)
    """
    assert faults(HOLES.format(place="") + dedent(chain)) == ["model(x)"]
    assert faults(HOLES.format(place=".to(device)") + dedent(chain)) == []


def test_a_step_of_the_project_that_makes_who_knows_what_leaves_it_unknown() -> None:
    step = "steps.append(transforms.ToTensor()); steps.append(make())"
    assert faults("from elsewhere import make\n" + dedent(GROWN.format(step=step))) == []
    assert faults(HOLES.format(place="") + dedent(GROWN.format(step=step.replace("make", "Holes")))) == [
        "model(x)"
    ]


def test_the_dtype_of_an_image_is_that_of_its_last_cast() -> None:
    assert faults("""
        from torchvision.transforms import v2
        small = nn.Conv2d(3, 4, 3)
        cast = transforms.Compose([transforms.PILToTensor(), transforms.ConvertImageDtype(torch.float32)])
        kept = transforms.Compose([transforms.PILToTensor(), transforms.Resize(8)])
        wide = v2.Compose([v2.ToImage(), v2.ToDtype(dtype=torch.float64, scale=True)])
        images = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])
        small(datasets.CIFAR10("data", transform=cast)[0][0])
        small(datasets.CIFAR10("data", transform=images)[0][0])
        small(datasets.CIFAR10("data", transform=v2.ToImage())[0][0])
        small(datasets.CIFAR10("data", transform=kept)[0][0])
        small(datasets.CIFAR10("data", transform=wide)[0][0])
        model(datasets.CIFAR10("data", transform=images)[0][0])
    """) == [
        'small(datasets.CIFAR10("data", transform=kept)[0][0])',
        'small(datasets.CIFAR10("data", transform=wide)[0][0])',
        'model(datasets.CIFAR10("data", transform=images)[0][0])',
    ]


OF_ARRAY = """
    import numpy as np
    from torchvision.transforms import functional
    array = {array}
    nn.Embedding(3, 4).to(device)({made}.to(device))
"""


@pytest.mark.parametrize("made", ["transforms.ToTensor()(array)", "functional.to_tensor(array)"])
@pytest.mark.parametrize(
    ("array", "expected"),
    [
        ("np.zeros(3, dtype=np.int64)", False),
        ("np.digitize(np.zeros(3), np.arange(2)) - 1", False),
        ("np.asarray(open('a.png'))", False),
        ("np.zeros(3, dtype=np.uint8)", True),
        ("np.zeros(3)", True),
    ],
)
def test_what_an_array_holds_stays_as_it_is_but_for_bytes(array: str, made: str, *, expected: bool) -> None:
    assert bool(faults(OF_ARRAY.format(array=array, made=made))) == expected


def test_a_dataset_is_the_same_from_the_module_that_defines_it() -> None:
    assert faults("""
        from torchvision.datasets.cifar import CIFAR10
        from torchvision.datasets.mnist import MNIST as Digits
        from torchvision.datasets.mnist import CIFAR10 as Nothing
        model(CIFAR10("data", transform=transforms.ToTensor())[0][0])
        model(Digits("data", transform=transforms.ToTensor())[0][0])
        model(Digits("data", transform=lambda image: image)[0][0])
        model(Nothing("data", transform=transforms.ToTensor())[0][0])
    """) == [
        'model(CIFAR10("data", transform=transforms.ToTensor())[0][0])',
        'model(Digits("data", transform=transforms.ToTensor())[0][0])',
    ]


OWN_TRANSFORM = """
import torch
from torchvision import tv_tensors
from torchvision.transforms import v2

class Own(v2.Transform):
    {kinds}
    def {drawing}(self, flat_inputs):
        return {{"chosen": torch.rand(len(flat_inputs[0]), 1, 1, 1{made}) < 0.5}}

    def {changing}(self, inpt, params):
        return {changed}

images = torch.rand(2, 3, 8, 8){move}
masks = torch.zeros(2, 1, 8, 8, dtype=torch.int64){move}
{used}
"""
_WHERE = 'torch.where(params["chosen"], inpt.flip(-1), inpt)'
_OWN_USES = [
    "Own()(images)",
    "Own()(tv_tensors.Image(images), tv_tensors.Mask(masks))",
    "v2.Compose([v2.Normalize([0.0], [1.0]), Own()])(images)",
    "v2.Compose([Own()])(tv_tensors.Image(images), tv_tensors.Mask(masks))",
]


def _own(
    used: str,
    move: str = ".cuda()",
    made: str = "",
    changed: str = _WHERE,
    names: tuple[str, str] = ("make_params", "transform"),
    kinds: str = "",
) -> list[str]:
    drawing, changing = names
    return clashes(
        OWN_TRANSFORM.format(
            used=used, move=move, made=made, changed=changed, drawing=drawing, changing=changing, kinds=kinds
        )
    )


@pytest.mark.parametrize("names", [("make_params", "transform"), ("_get_params", "_transform")])
@pytest.mark.parametrize("used", _OWN_USES)
def test_an_own_transform_meets_what_it_drew(used: str, names: tuple[str, str]) -> None:
    assert _own(used, names=names)
    assert _own(used, move="", names=names) == []
    assert _own(used, made=", device=flat_inputs[0].device", names=names) == []


@pytest.mark.parametrize("used", _OWN_USES)
def test_an_own_transform_may_pass_over_what_comes_with_a_picture(used: str) -> None:
    kinds, changed = "_transformed_types = (tv_tensors.Image,)\n", "inpt @ torch.rand(8, 8).to(inpt.device)"
    assert _own(used, kinds=kinds, changed=changed) == []


def test_what_it_is_given_may_be_in_several_places() -> None:
    assert _own("Own()(images, masks.cpu())") == []
    assert _own("Own()({'images': images})") == []
