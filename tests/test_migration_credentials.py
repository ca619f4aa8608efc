"""What opens a repository is used and never seen: not in files, not in output, not in the words of a command."""

from __future__ import annotations

import base64
import http.server
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from fleet import FIXABLE, git, make_repository
from test_migration_fleet import asked, migrate

from devfix.migration.scrubbing import Scrubber, is_secret, scrub_url, secrets_of

PASSWORD, TOKEN = "hunter2-and-more", "t0p-s3cret-value"
WANTED = "Basic " + base64.b64encode(f"user:{PASSWORD}".encode()).decode()


class _Guarded(http.server.SimpleHTTPRequestHandler):
    """Files for those who know the password."""

    def do_GET(self) -> None:
        if self.headers.get("Authorization") == WANTED:
            super().do_GET()
            return
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="a"')
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is Python's
        """Quiet."""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A server with one repository, ``o/one.git``."""
    make_repository(tmp_path / "one", {"train.py": FIXABLE})
    served = tmp_path / "served"
    git(tmp_path, "clone", "--quiet", "--bare", str(tmp_path / "one"), str(served / "o" / "one.git"))
    git(served / "o" / "one.git", "update-server-info")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Guarded, directory=str(served)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_address[1]}/o/one.git"
    server.shutdown()
    server.server_close()


@pytest.mark.skipif(os.name != "posix", reason="the stand-in for git is a shell script")
def test_credentials_are_used_and_not_seen(tmp_path: Path, address: str) -> None:
    here = tmp_path / "here"
    here.mkdir()
    shown, real = tmp_path / "words", shutil.which("git")
    (tmp_path / "bin").mkdir()
    wrapper = tmp_path / "bin" / "git"
    wrapper.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {shown}\nexec {real} "$@"\n')
    wrapper.chmod(0o755)
    wrong = f"http://user:wrong-{PASSWORD}@{address}"
    (here / "gpu.toml").write_text(
        f"""
[campaign]
name = "gpu"
branch = "devfix/gpu"
depth = 0
verify = "env; echo $MY_API_TOKEN; echo http://user:{PASSWORD}@example.org/; exit 1"
repositories = ["http://user:{PASSWORD}@{address}", "{wrong.replace("one.git", "two.git")}"]
"""
    )
    path = f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}"
    variables = {"PATH": path, "MY_API_TOKEN": TOKEN, "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"}
    ended = migrate("run", "gpu.toml", "--push", here=here, **variables)
    # The server takes no pushes, and the second password is wrong.
    assert ended.returncode == 2, ended.stderr
    assert "1 changed, 1 failed" in ended.stdout
    told = [asked(word, str(here / "gpu.toml"))[1] for word in ("status", "export", "plan")]
    assert "http://***@127.0.0.1" in told[1]
    kept = {path: path.read_bytes() for path in (here / "gpu").rglob("*") if path.is_file()}
    assert kept
    with sqlite3.connect(here / "gpu" / "state.db") as connection:
        logs = "".join(row[0] for row in connection.execute("SELECT log FROM steps"))
    connection.close()
    assert "HOME=" in logs
    for secret in (PASSWORD, TOKEN):
        assert all(secret.encode() not in content for content in kept.values())
        assert secret not in "".join([ended.stdout, ended.stderr, logs, *told, shown.read_text()])


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:pass@host/o/r.git", "https://***@host/o/r.git"),
        ("https://ghp_abcdefghijklmnopqrst@host/o/r.git", "https://***@host/o/r.git"),
        ("https://host/o/r.git?private_token=abc&x=1", "https://host/o/r.git?private_token=***&x=1"),
        ("ssh://git@host/o/r.git", "ssh://git@host/o/r.git"),
        ("ssh://git:pass@host/o/r.git", "ssh://git:***@host/o/r.git"),
        ("git@host:o/r.git", "git@host:o/r.git"),
        ("https://host/o/r@2.git", "https://host/o/r@2.git"),
    ],
)
def test_urls_are_shown_without_credentials(url: str, shown: str) -> None:
    assert scrub_url(url) == shown


def test_known_secrets_are_taken_out_in_every_spelling() -> None:
    secrets = secrets_of(["https://user:p%40ssword@host/r"], {"CI_JOB_TOKEN": "klmnopqr", "HOME": "/home/me"})
    scrub = Scrubber(secrets)
    text = "p%40ssword p@ssword klmnopqr /home/me Authorization: Bearer xyz123 ghp_0123456789abcdefghij"
    assert scrub(text) == "*** *** *** /home/me Authorization: Bearer *** ***"


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("GITHUB_TOKEN", True),
        ("AWS_SECRET_ACCESS_KEY", True),
        ("PGPASSWORD", False),
        ("DB_PASSWORD", True),
        ("TOKENIZERS_PARALLELISM", False),
        ("PATH", False),
        ("KEYBOARD", False),
    ],
)
def test_variables_that_hold_secrets_are_known_by_name(name: str, secret: bool) -> None:
    assert is_secret(name) is secret
