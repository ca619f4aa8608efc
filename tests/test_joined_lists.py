"""Lists of tensors that are joined: each of them moves, for a list has no way to."""

from __future__ import annotations

from text_program import fix_texts

from devfix.findings import Applicability

MIXED = """\
import torch

net = torch.nn.Linear(3, 3).cuda()
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(4, 3), torch.rand(4, 3)))
images = []
for low, high in loader:
    made = net(low.cuda())
    images.extend([high.cuda().squeeze(0), made.data.cpu().squeeze(0)])
images = torch.stack(images)
"""


def test_a_list_of_tensors_that_are_on_two_sides_has_no_device_of_its_own() -> None:
    fixed = fix_texts({"main.py": MIXED}, Applicability.UNSAFE)[0]["main.py"]
    changed = set(fixed.splitlines()) - set(MIXED.splitlines())
    assert changed == {"images = torch.stack([part.to(next(net.parameters()).device) for part in images])"}
