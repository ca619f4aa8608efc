"""Stands in for ``gh``: pull requests in a file. Refuses what it is told to refuse."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def main(words: list[str]) -> int:
    store = Path(os.environ["FAKE_GH"])
    known = json.loads(store.read_text()) if store.exists() else {"requests": [], "calls": []}
    known["calls"].append(words)
    try:
        return _answer(words, known)
    finally:
        store.write_text(json.dumps(known))


def _answer(words: list[str], known: dict[str, list[dict[str, object]]]) -> int:
    if os.environ.get("FAKE_GH_SAYS"):
        sys.stderr.write(os.environ["FAKE_GH_SAYS"] + "\n")
        return 1
    action = words[1]
    given = {word: words[at + 1] for at, word in enumerate(words[:-1]) if word.startswith("--")}
    mine = [each for each in known["requests"] if each["repo"] == given["--repo"]]
    if action == "list":
        found = [each for each in mine if each["head"] == given["--head"] and each["state"] == "OPEN"]
        sys.stdout.write(
            json.dumps([{key: each[key] for key in ("number", "url", "isCrossRepository")} for each in found])
        )
        return 0
    if action == "create":
        number = len(known["requests"]) + 1
        url = f"https://git.example/{given['--repo']}/pull/{number}"
        made = {
            "repo": given["--repo"],
            "head": given["--head"],
            "base": given.get("--base"),
            "number": number,
        }
        made |= {
            "url": url,
            "state": "OPEN",
            "isCrossRepository": False,
            "draft": "--draft" in words,
            "title": given["--title"],
        }
        known["requests"].append({**made, "body": sys.stdin.read()})
        sys.stdout.write(f"{url}\n")
        return 0
    (one,) = (each for each in mine if str(each["number"]) == words[4])
    if action == "view":
        sys.stdout.write(json.dumps({"state": one["state"]}))
    elif action == "edit":
        one |= {"title": given["--title"], "body": sys.stdin.read()}
    else:
        one |= {"state": "CLOSED", "comment": given["--comment"]}
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
