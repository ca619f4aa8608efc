"""Configuration: the settings of a run, and those of each file in it.

For a file those of the nearest settings file at or above it hold, with what that one extends; where there
is none, those of the user's own settings file. The command line has the last word everywhere.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from devfix.config.layer import Layer, merged
from devfix.config.reading import read_layers, settings_file
from devfix.config.settings import Settings


class SettingsOf(Protocol):
    """What tells the settings of a file: a configuration, or settings that hold for all."""

    def of(self, path: str | os.PathLike[str]) -> Settings:
        """The settings of a file, which need not exist."""
        ...

    def naming(self, selector: str) -> str:
        """The place in a settings file that names a rule, or what may be one; "" where none does."""
        ...

    def is_told(self, key: str) -> bool:
        """Whether a setting was told for the run, and not by a file that may have come with what is checked."""
        ...


@dataclass
class Configuration:
    """Where settings come from.

    ``fixed`` layers take the place of all settings files. ``overrides`` are those of the command line. Above
    ``top`` nothing is looked for, and the user's own file is not read where it is given.
    What was read is remembered: a configuration is for one run.
    """

    overrides: tuple[Layer, ...] = ()
    fixed: tuple[Layer, ...] | None = None
    top: str | None = None
    _layers: dict[str, tuple[Layer, ...]] = field(default_factory=dict, repr=False)
    _settings: dict[str, Settings] = field(default_factory=dict, repr=False)
    _files: dict[str, tuple[Layer, ...]] = field(default_factory=dict, repr=False)

    def of(self, path: str | os.PathLike[str]) -> Settings:
        """The settings of a file, which need not exist; raises ConfigError."""
        return self.in_folder(os.path.dirname(os.path.abspath(path)))

    def in_folder(self, folder: str | os.PathLike[str]) -> Settings:
        """The settings of the files in a folder; raises ConfigError."""
        name = os.path.abspath(folder)
        if name not in self._settings:
            layers = self.layers_in(name)
            root = layers[-1].root if layers else self.top or "."
            self._settings[name] = merged((*layers, *self.overrides), root=root)
        return self._settings[name]

    def naming(self, selector: str) -> str:
        """The place in a settings file read so far that names a rule, or what may be one; "" where none does."""
        read = (*(self.fixed or ()), *(layer for layers in self._layers.values() for layer in layers))
        return next(filter(None, (layer.naming(selector) for layer in read if layer.file is not None)), "")

    def is_told(self, key: str) -> bool:
        """Whether a setting was told for the run, and not by a file that may have come with what is checked."""
        return any(key in layer.values for layer in (*self.overrides, *(self.fixed or ())))

    def agrees(self, other: Configuration) -> bool:
        """Whether all that was asked of this one has the same answers in another that was asked before."""
        return all(other._settings.get(folder) == settings for folder, settings in self._settings.items())

    def layers_in(self, folder: str) -> tuple[Layer, ...]:
        """What the settings files say that hold in a folder, the weakest first; raises ConfigError."""
        if self.fixed is not None:
            return self.fixed
        if folder not in self._layers:
            self._layers[folder] = self._found(folder)
        return self._layers[folder]

    def _found(self, folder: str) -> tuple[Layer, ...]:
        found = settings_file(folder)
        if found is not None:
            return self._read(found)
        parent = os.path.dirname(folder)
        if self.top is not None and os.path.realpath(folder) == os.path.realpath(self.top):
            return ()
        return self._of_user() if parent == folder else self.layers_in(parent)

    def _of_user(self) -> tuple[Layer, ...]:
        if self.top is not None:
            return ()
        found = user_file()
        return () if found is None else self._read(found, root=os.getcwd())

    def _read(self, path: str, root: str | None = None) -> tuple[Layer, ...]:
        if path not in self._files:
            self._files[path] = read_layers(path, root=root, within=self.top)
        return self._files[path]


def user_file(environment: Mapping[str, str] | None = None) -> str | None:
    """The user's own settings file, for projects that have none."""
    environment = os.environ if environment is None else environment
    usual = environment.get("APPDATA", "") if sys.platform == "win32" else os.path.expanduser("~/.config")
    base = environment.get("XDG_CONFIG_HOME") or usual
    return settings_file(os.path.join(base, "devfix")) if os.path.isabs(base) else None
