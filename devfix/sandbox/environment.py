"""Environment: the variables of a child, so that it finds what it reads and writes only within its box."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

#: What marks each process of one sandbox, as far as it passes its environment on.
MARK = "DEVFIX_SANDBOX"
#: Folders of the home of which each entry is shown by itself, so that new ones can be made beside them.
_SHARED_FOLDERS = (".cache", ".config")
#: Hubs and trackers have modes that do without a network; left to themselves they wait for it.
_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "WANDB_MODE": "offline",
}
#: Port 9 discards what it gets, where anybody listens at all.
_NOWHERE = "http://127.0.0.1:9"
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@dataclass(frozen=True, slots=True)
class Homes:
    """The user's home, the one that the child gets, its folder for temporary files, and whether it may see the user's."""

    original: Path
    own: Path
    temporary: Path
    shown: bool


def make_home(homes: Homes) -> None:
    """Make the child's home; where nothing but the box can be written it shows what is in the user's."""
    homes.own.mkdir(parents=True)
    if homes.shown:
        _show(homes.original, homes.own)


def _show(original: Path, place: Path) -> None:
    with contextlib.suppress(OSError):
        for name in os.listdir(original):
            entry, target = original / name, place / name
            if name in _SHARED_FOLDERS and os.path.isdir(entry):
                target.mkdir()
                _show(entry, target)
            else:
                target.symlink_to(entry)


def child_environment(
    base: Mapping[str, str], homes: Homes, changes: Mapping[str, str], *, offline: bool
) -> dict[str, str]:
    """The variables of a child: the user's, but for where things are written, and no network."""
    environment = {**base, **_places(homes)}
    environment |= {
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONUNBUFFERED": "1",
        # Packages that the user installed for himself are found from the home.
        "PYTHONUSERBASE": base.get("PYTHONUSERBASE") or str(homes.original / ".local"),
    }
    environment.setdefault("MPLBACKEND", "Agg")
    if offline:
        environment |= {**_OFFLINE, **dict.fromkeys(_PROXIES, _NOWHERE)}
        environment |= dict.fromkeys(("no_proxy", "NO_PROXY"), "localhost,127.0.0.1,::1")
    if not homes.shown:
        environment = {**_caches(homes.original), **environment}
    return {**environment, **changes}


def _places(homes: Homes) -> dict[str, str]:
    own, temporary = homes.own, str(homes.temporary)
    return {
        **dict.fromkeys(("HOME", "USERPROFILE"), str(own)),
        **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), temporary),
        "XDG_CACHE_HOME": str(own / ".cache"),
        "XDG_DATA_HOME": str(own / ".local-data"),
        "MPLCONFIGDIR": str(own / ".matplotlib"),
        "TRITON_CACHE_DIR": str(own / ".triton-cache"),
        "TORCHINDUCTOR_CACHE_DIR": str(own / ".inductor-cache"),
        "TORCH_EXTENSIONS_DIR": str(own / ".torch-extensions"),
        "NUMBA_CACHE_DIR": str(own / ".numba-cache"),
        "CUDA_CACHE_PATH": str(own / ".cuda-cache"),
        "WANDB_DIR": temporary,
    }


def _caches(home: Path) -> dict[str, str]:
    """Where models that were fetched before lie, unless the user says otherwise."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    places = {"TORCH_HOME": cache / "torch", "HF_HOME": cache / "huggingface"}
    return {name: str(place) for name, place in places.items() if os.path.isdir(place)}
