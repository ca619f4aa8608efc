"""State: what was done in a campaign, in one SQLite file that survives being killed at any moment."""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from devfix.migration.campaign import Campaign, CampaignError, Repository
from devfix.migration.scrubbing import scrub_url
from devfix.migration.steps import Outcome, Step, StepResult

#: Raised when the tables change.
SCHEMA_VERSION = 1
_TABLES = """
CREATE TABLE campaign (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE repositories (
    key TEXT PRIMARY KEY, position INTEGER NOT NULL, name TEXT NOT NULL, source TEXT NOT NULL,
    revision TEXT NOT NULL, verify TEXT NOT NULL, prove TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE steps (
    repository TEXT NOT NULL, step TEXT NOT NULL, position INTEGER NOT NULL, input TEXT NOT NULL,
    outcome TEXT NOT NULL, reason TEXT NOT NULL, data TEXT NOT NULL, log TEXT NOT NULL,
    started REAL NOT NULL, seconds REAL NOT NULL, attempts INTEGER NOT NULL,
    PRIMARY KEY (repository, step)
) WITHOUT ROWID;
CREATE TABLE files (
    repository TEXT NOT NULL, step TEXT NOT NULL, name TEXT NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (repository, step, name)
) WITHOUT ROWID;
CREATE TABLE runs (number INTEGER PRIMARY KEY, started REAL NOT NULL, ended REAL, ending TEXT NOT NULL);
"""
#: How long a reader waits while a run writes.
_PATIENCE = 30.0


class State:
    """The state of one campaign. One process writes; others may read meanwhile."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def register(self, campaign: Campaign, when: int) -> None:
        """Take in the campaign as its file is now; repositories that it lists no more are kept, but not listed."""
        with self._transaction() as run:
            run("INSERT OR IGNORE INTO campaign VALUES ('when', ?)", (str(when),))
            said = {"name": campaign.name, "branch": campaign.branch, "place": str(campaign.place)}
            for key, value in said.items():
                run("INSERT OR REPLACE INTO campaign VALUES (?, ?)", (key, value))
            run("UPDATE repositories SET position = -1", ())
            for position, repository in enumerate(campaign.repositories):
                run(
                    "INSERT OR REPLACE INTO repositories VALUES (?, ?, ?, ?, ?, ?, ?)",
                    _row(position, repository),
                )

    def value(self, key: str) -> str:
        """What the state holds of the campaign itself under a key; "" for a key that it does not have."""
        row = self._connection.execute("SELECT value FROM campaign WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def repositories(self) -> list[tuple[str, str, str]]:
        """Key, name and source of the repositories that are listed, in order."""
        query = "SELECT key, name, source FROM repositories WHERE position >= 0 ORDER BY position"
        return [(str(key), str(name), str(source)) for key, name, source in self._connection.execute(query)]

    def record(self, key: str, result: StepResult) -> None:
        """Write a result; what was made of an earlier one of the same step goes, but for what others saw."""
        step = result.step
        with self._transaction() as run:
            public = [each.position for each in Step if each.is_public]
            later = (key, step.position, min(public))
            run(
                "DELETE FROM files WHERE repository = ?1 AND step IN (SELECT step FROM steps"
                " WHERE repository = ?1 AND (position > ?2 AND position < ?3 OR position = ?2))",
                later,
            )
            run("DELETE FROM steps WHERE repository = ? AND position > ? AND position < ?", later)
            row = (key, step.value, step.position, result.input, result.outcome.value, result.reason)
            data = json.dumps(result.data, sort_keys=True)
            rest = (data, result.log, result.started, result.seconds, result.attempts)
            run("INSERT OR REPLACE INTO steps VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, *rest))
            for name, content in result.files.items():
                run(
                    "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)",
                    (key, step.value, name, zlib.compress(content)),
                )

    def forget(self, key: str, first: Step) -> None:
        """Have the steps from ``first`` on done again, but for what others saw."""
        public = min(each.position for each in Step if each.is_public)
        with self._transaction() as run:
            for table in ("files", "steps"):
                run(
                    f"DELETE FROM {table} WHERE repository = ?1 AND step IN"  # noqa: S608 - two constants
                    " (SELECT step FROM steps WHERE repository = ?1 AND position >= ?2 AND position < ?3)",
                    (key, first.position, public),
                )

    def results(self, key: str) -> dict[Step, StepResult]:
        """What was done to a repository, with the files that came of it."""
        made: dict[str, dict[str, bytes]] = {}
        query = "SELECT step, name, content FROM files WHERE repository = ?"
        for step, name, content in self._connection.execute(query, (key,)):
            made.setdefault(step, {})[name] = zlib.decompress(content)
        query = f"SELECT {_COLUMNS} FROM steps WHERE repository = ? ORDER BY position"  # noqa: S608 - a constant
        return {
            Step(row[0]): _result(row, made.get(row[0], {}))
            for row in self._connection.execute(query, (key,))
        }

    def all_results(self) -> dict[str, dict[Step, StepResult]]:
        """What was done to every repository, without files and logs: these would fill the memory."""
        found: dict[str, dict[Step, StepResult]] = {}
        columns = _COLUMNS.replace("log", "''")
        query = f"SELECT {columns}, repository FROM steps ORDER BY repository, position"  # noqa: S608 - constants
        for row in self._connection.execute(query):
            found.setdefault(row[-1], {})[Step(row[0])] = _result(row, {})
        return found

    def begin_run(self) -> int:
        """Note that a run begins; its number."""
        with self._transaction() as run:
            cursor = run("INSERT INTO runs (started, ending) VALUES (?, 'killed')", (time.time(),))
            return int(cursor.lastrowid or 0)

    def end_run(self, number: int, ending: str) -> None:
        """Note how a run ended; one that could not is "killed"."""
        with self._transaction() as run:
            run("UPDATE runs SET ended = ?, ending = ? WHERE number = ?", (time.time(), ending, number))

    def runs(self) -> list[tuple[int, float, float | None, str]]:
        """The runs so far: number, beginning, end and how it ended."""
        return list(
            self._connection.execute("SELECT number, started, ended, ending FROM runs ORDER BY number")
        )

    @contextmanager
    def _transaction(self) -> Iterator[Callable[..., sqlite3.Cursor]]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield self._connection.execute
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")


_COLUMNS = "step, input, outcome, reason, data, log, started, seconds, attempts"


@contextmanager
def opened(path: Path, *, writes: bool = False) -> Iterator[State]:
    """The state in a file, which is made when one ``writes``; raises CampaignError."""
    if not writes and not path.is_file():
        raise CampaignError(f"there is no state in {path}; `devfix migrate run` makes it")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with closing(sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)) as connection:
            _prepare(connection, path, writes=writes)
            yield State(connection)
    except sqlite3.DatabaseError as error:
        raise CampaignError(f"{path}: {error}") from error


def _prepare(connection: sqlite3.Connection, path: Path, *, writes: bool) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # A killed process loses nothing by it; after a power cut the last steps may have to be done again.
    connection.execute("PRAGMA synchronous = NORMAL")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == 0 and not writes:
        raise CampaignError(f"{path}: nothing was done yet")
    if version == 0:
        connection.executescript(
            f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
        )
    elif version != SCHEMA_VERSION:
        raise CampaignError(
            f"{path}: is of another version of devfix (state {version}, not {SCHEMA_VERSION})"
        )


def _row(position: int, repository: Repository) -> tuple[object, ...]:
    shown = (repository.name, repository.source.shown, repository.revision)
    return (repository.key, position, *shown, scrub_url(repository.verify), scrub_url(repository.prove))


def _result(row: tuple[object, ...], files: dict[str, bytes]) -> StepResult:
    step, given, outcome, reason, data, log, started, seconds, attempts = row[:9]
    return StepResult(
        Step(step),
        str(given),
        Outcome(outcome),
        str(reason),
        json.loads(str(data)),
        files,
        str(log),
        float(str(started)),
        float(str(seconds)),
        int(str(attempts)),
    )
