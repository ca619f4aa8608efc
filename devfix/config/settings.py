"""Settings: everything that changes what a run does, as plain data."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from devfix.config.globs import Glob
from devfix.usage import CommandError

#: How a rewritten program names its device.
DEVICE_POLICIES = ("cuda", "mps-aware", "accelerator")


class ConfigError(CommandError):
    """A setting that devfix does not understand; the message says which and where.

    ``files`` are the settings files that were being read.
    """

    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """What one place says of the rules: which there are at all (None: those before), more, and fewer."""

    select: tuple[str, ...] | None = None
    extend: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for a file, for its program, and, of the folder that a run begins at, for the run.

    ``select``, ``extend_select`` and ``ignore`` hold codes, code prefixes or names, as do all other lists
    of rules; None selects the default rules. ``inherited`` is what files said that these settings
    extend, the first one first. ``root`` is the folder of the settings file. Settings can be hashed
    and compared; equal ones do the same.
    """

    # Of a file.
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    inherited: tuple[RuleChoice, ...] = ()
    per_file_ignores: tuple[tuple[Glob, tuple[str, ...]], ...] = ()
    exclude: tuple[Glob, ...] = ()
    respect_gitignore: bool = True
    fixable: tuple[str, ...] | None = None
    extend_fixable: tuple[str, ...] = ()
    unfixable: tuple[str, ...] = ()
    extend_safe_fixes: tuple[str, ...] = ()
    extend_unsafe_fixes: tuple[str, ...] = ()
    # Of a program.
    device_policy: str = "cuda"
    # Of a run.
    adopt: bool = False
    force_exclude: bool = False
    output_format: str = "text"
    baseline: str | None = None
    cache_dir: str | None = None
    src: tuple[str, ...] = ()
    root: str = "."

    @property
    def choices(self) -> tuple[RuleChoice, ...]:
        """What is said of the rules, the last word last."""
        return (*self.inherited, RuleChoice(self.select, self.extend_select, self.ignore))

    @property
    def of_findings(self) -> Settings:
        """These without what changes nothing of what is found, but how that is shown or remembered."""
        return replace(self, output_format="", baseline=None, cache_dir=None)

    def of(self, path: str | os.PathLike[str]) -> Settings:  # noqa: ARG002 - as a configuration's
        """The settings of a file: these, for all files."""
        return self

    def naming(self, selector: str) -> str:  # noqa: ARG002 - as a configuration's
        """Where a rule is named: nobody knows, as these are of no file."""
        return ""

    def is_told(self, key: str) -> bool:  # noqa: ARG002 - as a configuration's
        """Whether a setting was told for the run: all of these were."""
        return True
