"""Source name: where a repository lies, told without the credentials in its URL."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from devfix.migration.scrubbing import scrub_url

#: The transports that git may use; others (``ext::``) are ways to run commands.
_SCHEMES = ("https", "http", "ssh", "git", "file")
_SHORT_SSH = re.compile(r"^(?:[\w.-]+@)?[\w.-]+:(?!/?/)[^:]+$")


class SourceError(ValueError):
    """What was given is no path and no URL that is fetched from."""


@dataclass(frozen=True, slots=True)
class Source:
    """A path or URL. ``address`` may hold credentials; it is neither shown nor stored."""

    address: str = field(repr=False)
    is_path: bool = False

    @property
    def shown(self) -> str:
        """The address as it may be read by anybody."""
        return self.address if self.is_path else scrub_url(self.address)

    @property
    def bare(self) -> str:
        """The address without user and password."""
        if self.is_path or "://" not in self.address:
            return self.address
        parts = urlsplit(self.address)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()

    @property
    def key(self) -> str:
        """A name for files and rows: readable, and one for each repository."""
        digest = hashlib.sha256(os.fsencode(self.bare)).hexdigest()[:10]
        readable = re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(self.parts[-2:])).strip(".-")[-60:]
        return f"{readable or 'repository'}-{digest}"

    @property
    def parts(self) -> list[str]:
        """The parts of the path, the last one without ``.git``."""
        path = self.address if self.is_path else re.sub(r"^[a-z]+://[^/]*", "", self.bare)
        parts = [part for part in re.split(r"[/\\:]", path) if part]
        if len(parts) > 1 and parts[-1] == ".git":
            parts.pop()
        return [*parts[:-1], parts[-1].removesuffix(".git") or parts[-1]] if parts else ["repository"]


def parse_source(text: str, folder: Path) -> Source:
    """The repository that ``text`` names; paths are relative to ``folder``. Raises SourceError."""
    text = text.strip()
    if not text:
        raise SourceError("is empty")
    if text.startswith("-") or "\n" in text or "\0" in text:
        raise SourceError("is no path or URL of a repository")
    scheme, found, _ = text.partition("://")
    if found:
        if scheme not in _SCHEMES:
            raise SourceError(f"uses `{scheme}`, which is not one of {', '.join(_SCHEMES)}")
        return Source(text)
    if "::" in text:
        raise SourceError(f"uses `{text.partition('::')[0]}::`, which may run commands")
    path = Path(os.path.normpath(folder / Path(text).expanduser()))
    if _SHORT_SSH.match(text) and not path.exists():
        return Source(text)
    return Source(str(path), is_path=True)


def short_names(sources: Iterable[Source]) -> dict[Source, str]:
    """A name for each: the last part of its path, and more of it where several share that."""
    names: dict[Source, str] = {}
    pending, count = list(dict.fromkeys(sources)), 1
    while pending:
        proposed = {source: "/".join(source.parts[-count:]) for source in pending}
        taken = list(proposed.values())
        alone = [
            source for source in pending if taken.count(proposed[source]) == 1 or count > len(source.parts)
        ]
        names |= {
            source: proposed[source] if count <= len(source.parts) else source.shown for source in alone
        }
        pending, count = [source for source in pending if source not in names], count + 1
    return names
