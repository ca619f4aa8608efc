"""Scrubbing: taking credentials out of what is shown or stored."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote, urlsplit

_HIDDEN = "***"
_USER = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)([^/@\s'\"]+)@")
_QUERY = re.compile(
    r"([?&](?:[a-z_-]*(?:token|secret|password|key|signature|sig)))=([^&\s'\"#]+)", re.IGNORECASE
)
_HEADER = re.compile(r"(authorization:\s*(?:\w+\s+)?)(\S+)", re.IGNORECASE)
#: Tokens of well-known hosts show what they are by how they begin.
_TOKENS = re.compile(
    r"\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|hf_[A-Za-z0-9]{16,}|sk-[\w-]{20,})"
)
_SECRET_NAME = re.compile(
    r"(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|APIKEY|API_KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS?|PAT|AUTH)(?:$|_)",
    re.IGNORECASE,
)
#: A shorter value would be found in innocent text.
_SHORTEST = 6


def scrub_url(url: str) -> str:
    """A URL without passwords; the user of ssh stays."""
    text = _QUERY.sub(rf"\1={_HIDDEN}", url)
    return _USER.sub(_user, text)


def _user(match: re.Match[str]) -> str:
    scheme, user = match.groups()
    name = user.partition(":")[0]
    if scheme.startswith("ssh") and ":" not in user:
        return match.group()
    # Where there is no password, the name may be the token.
    return f"{scheme}{_HIDDEN}@" if not name or scheme.startswith("http") else f"{scheme}{name}:{_HIDDEN}@"


class Scrubber:
    """Takes known secrets, and what looks like one, out of texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        found = {secret for secret in secrets if len(secret) >= _SHORTEST}
        self._known = sorted(found, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        for secret in self._known:
            text = text.replace(secret, _HIDDEN)
        text = _HEADER.sub(rf"\1{_HIDDEN}", scrub_url(text))
        return _TOKENS.sub(_HIDDEN, text)


def secrets_of(addresses: Iterable[str], environment: Mapping[str, str] | None = None) -> set[str]:
    """The secrets in URLs and in the environment."""
    found: set[str] = set()
    for address in addresses:
        if "://" in address:
            parts = urlsplit(address)
            held = {parts.password or ""}
            if parts.scheme in ("http", "https"):
                held.add(parts.username or "")
            held |= {match.group(2) for match in _QUERY.finditer(address)}
            found |= {each for secret in held for each in (secret, unquote(secret))}
    variables = os.environ if environment is None else environment
    found |= {value for name, value in variables.items() if is_secret(name)}
    return {secret for secret in found if len(secret) >= _SHORTEST}


def is_secret(variable: str) -> bool:
    """Whether an environment variable of this name is likely to hold a credential."""
    return bool(_SECRET_NAME.search(variable))
