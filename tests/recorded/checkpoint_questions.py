"""Where what ``torch.load`` reads ends up, and what is written."""

from __future__ import annotations

import io
import os
import tempfile
import zipfile
from typing import Any

import torch
from recorded.questions import Questions
from torch import nn

QUESTIONS = Questions()


def checkpoint(content: Any, *, index: int | None = None, legacy: bool = False) -> str:
    """A file with some content; ``index`` renames the device that its tensors say they were saved from."""
    handle, path = tempfile.mkstemp(suffix=".pt")
    os.close(handle)
    torch.save(content, path, _use_new_zipfile_serialization=not legacy)
    if index is not None:
        _rename(path, b"cuda:0", b"cuda:%d" % index)
    return path


def _rename(path: str, old: bytes, new: bytes) -> None:
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data.replace(old, new))


def loaded(content: Any, *, index: int | None = None, legacy: bool = False, **options: Any) -> Any:
    """What comes back of some content."""
    path = checkpoint(content, index=index, legacy=legacy)
    try:
        return torch.load(path, **options)
    finally:
        os.remove(path)


def again(content: Any, **options: Any) -> Any:
    """What comes back of some content by way of memory."""
    held = io.BytesIO()
    torch.save(content, held)
    held.seek(0)
    return torch.load(held, **options)


def tags(content: Any, *, legacy: bool = False) -> str:
    """Which of the known locations a file with some content names."""
    path = checkpoint(content, legacy=legacy)
    try:
        with open(path, "rb") as file:
            data = file.read()
        return " ".join(tag for tag in ("cuda:0", "cpu", "mps") if f"\0\0\0{tag}".encode() in data)
    finally:
        os.remove(path)


def trained() -> dict[str, Any]:
    """The states of a model and its optimizer after one step on the accelerator."""
    model = nn.Linear(2, 2).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(1, 2, device="cuda")).sum().backward()
    optimizer.step()
    return {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}


def resumed(map_location: Any, *, moved_first: bool) -> str:
    """What happens when a training run is taken up again."""
    state = again(trained(), map_location=map_location)
    model = nn.Linear(2, 2)
    if moved_first:
        model.cuda()
    optimizer = torch.optim.Adam(model.parameters())
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    model.cuda()
    model(torch.ones(1, 2, device="cuda")).sum().backward()
    optimizer.step()
    return " ".join(sorted({str(v.device) for s in optimizer.state.values() for v in s.values()}))


def _names() -> dict[str, Any]:
    return {
        "torch": torch, "nn": nn, "Load": loaded, "Again": again, "Tags": tags, "Trained": trained, "Resumed": resumed,
        "g": lambda: torch.tensor([1.0, 2.0], device="cuda"),
        "c": lambda: torch.tensor([1.0, 2.0]),
        "lin": lambda: nn.Linear(2, 2).cuda(),
    }  # fmt: skip


QUESTIONS.lines(
    _names(),
    """
    Tags(g)
    Tags(c)
    Tags({"a": g, "b": c})
    Tags(g, legacy=True)
    Tags(lin.state_dict())
    Tags(g.cpu())
    Load(g).device
    Load(c).device
    Load(g).tolist()
    Load(g[1:]).tolist(), Load(g[1:]).untyped_storage().nbytes()
    [str(x.device) for x in Load([g, c])]
    Load(g, map_location=None).device
    Load(g, map_location="cpu").device
    Load(g, map_location=torch.device("cpu")).device
    Load(g, map_location="cuda").device
    Load(g, map_location="cuda:0").device
    Load(g, map_location=torch.device("cuda")).device
    Load(g, map_location=torch.device("cuda", 0)).device
    Load(c, map_location="cuda").device
    Load(c, map_location=torch.device("cuda:0")).device
    Load(g, map_location={"cuda:0": "cpu"}).device
    Load(g, map_location={"cpu": "cuda:0"}).device
    Load(c, map_location={"cpu": "cuda:0"}).device
    Load(g, map_location={"cuda:1": "cuda:0"}).device
    Load(g, map_location={"cuda:0": "cuda:1"}).device
    Load(g, map_location=lambda storage, location: storage).device
    Load(g, map_location=lambda storage, location: storage.cuda(0)).device
    Load(g, map_location=lambda storage, location: storage.cuda()).device
    Load(c, map_location=lambda storage, location: storage.cuda(0)).device
    Load(g, map_location=lambda storage, location: None).device
    Load(g, map_location=lambda storage, location: location)
    Load(g, map_location="cuda:1")
    Load(c, map_location="cuda:1")
    Load(g, map_location=torch.device("cuda", 1))
    Load(g, index=1)
    Load(g, index=3)
    Load(g, index=1, map_location="cuda:0").device
    Load(g, index=1, map_location={"cuda:1": "cuda:0"}).device
    Load(g, index=1, map_location="cpu").device
    Load(g, map_location="gpu")
    Load(g, map_location=0)
    Load(g, map_location="meta").device
    Load(g, weights_only=False).device
    Load(g, weights_only=True).device
    Load(g, legacy=True).device
    Load(g, legacy=True).tolist()
    Load(g, legacy=True, map_location="cpu").device
    Load(c, legacy=True, map_location="cuda").tolist()
    Load(g, legacy=True, weights_only=False).device
    Load(g, legacy=True, map_location=lambda storage, location: storage).device
    Load(g, mmap=True).device
    Load(g, mmap=True).tolist()
    Load(g, mmap=True, map_location="cpu").device
    Load(c, mmap=True).device
    Load(c, mmap=True, map_location="cuda").device
    Load(g.requires_grad_()).requires_grad
    Load(nn.Parameter(g)).device, type(Load(nn.Parameter(g))).__name__
    Load(nn.Parameter(g), map_location="cpu").device
    Load(lin, weights_only=False).weight.device
    Load(lin, weights_only=False, map_location="cpu").weight.device
    Load(lin)
    Load(lin.state_dict())["weight"].device
    Load(g.to_sparse()).device
    Load(g.to_sparse(), map_location="cpu").device
    Load(torch.eye(2, device="cuda").to_sparse_csr()).device
    Load(g.half()).dtype, Load(g.bfloat16()).device
    Load(torch.ones(2, dtype=torch.uint16, device="cuda")).device
    Load(torch.empty(0, device="cuda")).device
    Load(g.untyped_storage(), weights_only=False).device
    Load({"x": g}, map_location="cpu")["x"].device
    a, b = Load([g, g.view(2, 1)]); a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()
    Load(g)._is_view()
    Again(g).device
    Again(g, map_location="cpu").numpy().tolist()
    Again(g).numpy()
    Again(Trained())["optimizer"]["state"][0]["exp_avg"].device
    Again(Trained())["optimizer"]["state"][0]["step"].device
    Again(Trained(), map_location="cpu")["optimizer"]["state"][0]["exp_avg"].device
    Again(Trained(), map_location="cuda")["optimizer"]["state"][0]["step"].device
    Again(Trained(), map_location="cpu")["model"]["weight"] + g
    Resumed(None, moved_first=True)
    Resumed("cpu", moved_first=True)
    Resumed("cuda", moved_first=True)
    Resumed(None, moved_first=False)
    Resumed("cpu", moved_first=False)
    Again({"rng": torch.get_rng_state()}, map_location="cuda")["rng"].device
    torch.set_rng_state(Again(torch.get_rng_state(), map_location="cuda"))
    torch.set_rng_state(Again(torch.get_rng_state(), map_location="cpu"))
    """,
)
