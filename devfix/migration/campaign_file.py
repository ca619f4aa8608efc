"""Campaign file: from TOML to a campaign; what makes no sense is told with its line and key."""

from __future__ import annotations

import difflib
import fnmatch
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devfix.migration.campaign import Campaign, CampaignError, Limits, Repository
from devfix.migration.key_lines import Path as KeyPath
from devfix.migration.key_lines import key_lines, line_of
from devfix.migration.key_readers import CAMPAIGN, LIMITS, REPOSITORY, Reader, ValueFaultError
from devfix.migration.scrubbing import scrub_url
from devfix.migration.source_name import Source, SourceError, parse_source, short_names

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_TOP = ("campaign", "repository")
_REQUIRED = ("name", "branch")
#: Keys that have another name in a Campaign, or become repositories.
_LISTING = ("repositories", "repositories-file", "exclude")
_FOR_EACH = ("revision", "verify", "prove", "exclude-files")


def load_campaign(path: Path) -> Campaign:
    """The campaign in a file; raises CampaignError."""
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise CampaignError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CampaignError(f"{path}: is not UTF-8") from error
    return parse_campaign(text, path)


def parse_campaign(text: str, path: Path) -> Campaign:
    """The campaign in a text that stands for the file ``path``; raises CampaignError."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CampaignError(f"{path}: {error}") from error
    return _File(path, document, key_lines(text.replace("\r\n", "\n"))).campaign()


@dataclass(frozen=True)
class _Listed:
    """A repository as it was listed, and where."""

    source: Source
    place: str
    values: Mapping[str, Any]


class _File:
    def __init__(self, path: Path, document: dict[str, Any], lines: dict[KeyPath, int]) -> None:
        self.path = path
        self.folder = Path(os.path.abspath(path)).parent
        self.document = document
        self.lines = lines

    def campaign(self) -> Campaign:
        for key, value in self.document.items():
            if key not in _TOP:
                raise self.error((key,), _unknown(key, _TOP, "this file"))
            if key == "campaign" and not isinstance(value, dict):
                raise self.error((key,), "must be a table: [campaign]")
        values = self.read_table(("campaign",), self.document.get("campaign", {}), CAMPAIGN)
        for key in _REQUIRED:
            if key not in values:
                raise self.error(("campaign",), f"`{key}` is missing", key=f"campaign.{key}")
        limits = self.read_table(("campaign", "limits"), values.pop("limits", {}), LIMITS)
        repositories, left_out = self.repositories(values)
        plain = {
            key.replace("-", "_"): value
            for key, value in values.items()
            if key not in _LISTING and key not in _FOR_EACH
        }
        places = tuple((key, self.place(("campaign", key))) for key in values)
        return Campaign(
            **plain,
            place=self.folder / values["name"],
            repositories=repositories,
            left_out=left_out,
            limits=Limits(**limits),
            lines=places,
        )

    def read_table(self, path: KeyPath, table: object, readers: Mapping[str, Reader]) -> dict[str, Any]:
        if not isinstance(table, dict):
            raise self.error(path, "must be a table")
        values = {}
        for key, value in table.items():
            if key not in readers:
                raise self.error((*path, key), _unknown(key, tuple(readers), f"[{_dotted(path)}]"))
            try:
                values[key] = readers[key](value)
            except ValueFaultError as fault:
                raise self.error((*path, key), str(fault)) from None
        return values

    def repositories(self, values: Mapping[str, Any]) -> tuple[tuple[Repository, ...], tuple[str, ...]]:
        listed = self.without_repeats(self.all_listed(values))
        if not listed:
            raise self.error(("campaign",), "there are no repositories", key="campaign.repositories")
        names = short_names(each.source for each in listed)
        defaults = {key.replace("-", "_"): values[key] for key in _FOR_EACH if key in values}
        every = [
            Repository(each.source, names[each.source], **{**defaults, **each.values}) for each in listed
        ]
        excluded = values.get("exclude", ())
        kept = tuple(each for each in every if not _matches(each, excluded))
        return kept, tuple(each.name for each in every if _matches(each, excluded))

    def all_listed(self, values: Mapping[str, Any]) -> Iterator[_Listed]:
        place = self.place(("campaign", "repositories"))
        for text in values.get("repositories", ()):
            yield self.listed(text, f"{place}: `campaign.repositories`", {})
        if "repositories-file" in values:
            yield from self.from_list(values["repositories-file"])
        tables = self.document.get("repository", [])
        if not isinstance(tables, list):
            raise self.error(("repository",), "must be an array of tables: [[repository]]")
        for number, table in enumerate(tables):
            path = ("repository", str(number))
            own = self.read_table(path, table, REPOSITORY)
            if "source" not in own:
                raise self.error(path, "`source` is missing", key="repository.source")
            source = own.pop("source")
            own = {key.replace("-", "_"): value for key, value in own.items()}
            yield self.listed(source, f"{self.place((*path, 'source'))}: `repository.source`", own)

    def from_list(self, name: str) -> Iterator[_Listed]:
        path = self.folder / name
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "is not UTF-8"
            raise self.error(("campaign", "repositories-file"), f"{path}: {reason}") from error
        for number, line in enumerate(lines, 1):
            text = line.partition(" #")[0].strip()
            if text and not text.startswith("#"):
                yield self.listed(text, f"{path}:{number}", {}, path.parent)

    def listed(self, text: str, place: str, values: Mapping[str, Any], folder: Path | None = None) -> _Listed:
        try:
            return _Listed(parse_source(text, folder or self.folder), place, values)
        except SourceError as error:
            raise CampaignError(f"{place}: `{scrub_url(text.strip())}` {error}") from None

    def without_repeats(self, listed: Iterator[_Listed]) -> list[_Listed]:
        found: dict[str, _Listed] = {}
        for each in listed:
            earlier = found.setdefault(each.source.key, each)
            if earlier.values != each.values:
                shown = each.source.shown
                raise CampaignError(
                    f"{each.place}: {shown} is listed twice with different settings, first at {earlier.place}"
                )
        return list(found.values())

    def place(self, path: KeyPath) -> str:
        return f"{self.path}:{line_of(self.lines, path)}"

    def error(self, path: KeyPath, message: str, key: str = "") -> CampaignError:
        named = key or _dotted(path)
        return CampaignError(f"{self.place(path)}: `{named}`: {message}")


def _dotted(path: KeyPath) -> str:
    return ".".join(part for part in path if not part.isdecimal())


def _unknown(key: str, known: tuple[str, ...], where: str) -> str:
    near = difflib.get_close_matches(key.replace("_", "-"), known, n=1, cutoff=0.5)
    hint = f"did you mean `{near[0]}`?" if near else f"the keys are {', '.join(known)}"
    return f"is no key of {where}; {hint}"


def _matches(repository: Repository, globs: tuple[str, ...]) -> bool:
    names = (repository.name, repository.source.shown, "/".join(repository.source.parts[-2:]))
    return any(fnmatch.fnmatchcase(name, glob) for name in names for glob in globs)
