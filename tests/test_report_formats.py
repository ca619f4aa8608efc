"""Reports for other programs: against their schemas, and that what they point at is there."""

from __future__ import annotations

import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
import reported_programs as programs

from devfix.cli.options import OutputFormat
from devfix.findings import Applicability
from devfix.report.formats import FORMATS, renderer
from devfix.report.locations import Root, repository_root
from devfix.report.results import Results

SCHEMAS = Path(__file__).parent / "data" / "schemas"
NOTHING = Results((), {})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    programs.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rendered(name: str, results: Results | None = None) -> str:
    text = renderer(name)(programs.checked() if results is None else results, programs.view())
    text.encode()
    return text


def parsed(name: str, results: Results | None = None) -> Any:
    return json.loads(rendered(name, results))


def validate(document: Any, schema: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    read = json.loads((SCHEMAS / schema).read_text(encoding="utf-8"))
    jsonschema.Draft7Validator(read, format_checker=jsonschema.FormatChecker()).validate(document)


def lines_of(path: str) -> list[str]:
    return list(io.StringIO(Path(path).read_bytes().decode(), newline=""))


def offset(lines: list[str], line: int, column: int) -> int:
    """Lines and columns count from 1."""
    return sum(map(len, lines[: line - 1])) + column - 1


def test_each_format_can_be_asked_for() -> None:
    assert [member.value for member in OutputFormat] == list(FORMATS)


# ---- SARIF


def sarif_run(results: Results | None = None) -> dict[str, Any]:
    log = parsed("sarif", results)
    validate(log, "sarif-2.1.0.json")
    [run] = log["runs"]
    assert isinstance(run, dict)
    return run


def piece(path: str, region: dict[str, int]) -> str:
    lines = lines_of(path)
    start = offset(lines, region["startLine"], region["startColumn"])
    return "".join(lines)[start : offset(lines, region["endLine"], region["endColumn"])]


def located(place: dict[str, Any]) -> tuple[str, str]:
    physical = place["physicalLocation"]
    assert physical["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
    path = unquote(physical["artifactLocation"]["uri"])
    return path, piece(path, physical["region"])


def test_sarif_of_nothing_is_valid() -> None:
    assert sarif_run(NOTHING)["results"] == []


def test_sarif_points_at_the_findings_and_where_operands_come_from() -> None:
    run = sarif_run()
    found = [located(result["locations"][0]) for result in run["results"]]
    assert found == [("nb.ipynb", "model(x)"), (programs.ODD, "modèle(é)"), (programs.ODD, "y * mask")]
    related = {located(place)[1]: place["message"]["text"] for place in run["results"][0]["relatedLocations"]}
    assert related["torch.randn(8, 4)"] == "`torch.randn(8, 4)` is drawn here, on the CPU"
    assert related["x"] == "input: on the CPU"
    [cell] = run["results"][0]["locations"][0]["logicalLocations"]
    assert cell["name"] == "cell 2, line 2"


def test_sarif_uris_are_encoded_and_told_from_the_repository(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder / "sub dir")
    run = sarif_run(programs.checked("."))
    [uri] = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]
    }
    assert uri == "sub%20dir/tr%C3%A4%2Cin%3A50%25%3Cb%3E.py"
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == folder.as_uri() + "/"


def test_sarif_says_what_rules_there_are() -> None:
    run = sarif_run()
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        assert "```python" in rule["help"]["markdown"]
    levels = {rule["id"]: rule["defaultConfiguration"]["level"] for rule in rules}
    assert (levels["DF102"], levels["DF108"], levels["DF901"]) == ("error", "note", "warning")


def test_sarif_fixes_write_what_the_fix_writes() -> None:
    run = sarif_run()
    for result in run["results"]:
        [fix] = result["fixes"]
        [change] = fix["artifactChanges"]
        path = unquote(change["artifactLocation"]["uri"])
        lines = lines_of(path)
        text = "".join(lines)
        for part in reversed(change["replacements"]):
            region = part["deletedRegion"]
            start = offset(lines, region["startLine"], region["startColumn"])
            end = offset(lines, region["endLine"], region["endColumn"])
            text = text[:start] + part["insertedContent"]["text"] + text[end:]
        Path(path).write_bytes(text.encode())
    after = programs.checked()
    assert not after.findings
    assert [report.path for report in after.reports if report.skipped] == ["broken.py", "other.ipynb"]


def test_sarif_tells_faults_from_findings() -> None:
    [invocation] = sarif_run()["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    told = [(note["descriptor"]["id"], note["level"]) for note in invocation["toolExecutionNotifications"]]
    assert told == [("skipped", "error"), ("skipped", "note"), ("crash", "error"), ("rule-pack", "error")]
    broken = invocation["toolExecutionNotifications"][0]["locations"][0]["physicalLocation"]
    assert broken["region"] == {"startLine": 2, "startColumn": 7}


def test_sarif_fingerprints_stay_when_lines_move() -> None:
    def fingerprints() -> list[str]:
        results = sarif_run()["results"]
        return [result["partialFingerprints"]["devfixFinding/v1"] for result in results]

    before = fingerprints()
    assert len(set(before)) == 3
    path = Path(programs.ODD)
    path.write_text("# A comment.\n\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert fingerprints() == before


def test_what_reads_as_a_link_is_none() -> None:
    path = Path(programs.ODD)
    text = path.read_text(encoding="utf-8").replace("y * mask", "[y][0](1) * mask")
    path.write_text(text.replace("modèle(é)", "lambda _: modèle(é)"), encoding="utf-8")
    for result in sarif_run()["results"]:
        assert not re.search(r"(?<!\\)\[[^\]]*\]\(\d", result["message"]["text"])


def test_sarif_of_what_was_fixed_points_into_the_new_text() -> None:
    run = sarif_run(programs.applied(write=True))
    assert run["results"] == []


# ---- GitLab


def test_gitlab_reports_follow_its_format() -> None:
    issues = parsed("gitlab")
    validate(issues, "gitlab-code-quality.json")
    places = [
        (issue["severity"], issue["location"]["path"], issue["location"]["lines"]["begin"])
        for issue in issues
    ]
    assert places[1:] == [
        ("major", programs.ODD, 8),
        ("major", programs.ODD, 8),
        ("critical", "broken.py", 2),
        ("info", "other.ipynb", 1),
        ("blocker", "crashed.py", 1),
    ]
    path, line = places[0][1:]
    assert "model(x)" in lines_of(path)[line - 1]
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    validate(parsed("gitlab", NOTHING), "gitlab-code-quality.json")


# ---- JUnit


def test_junit_reports_follow_their_schema() -> None:
    xmlschema = pytest.importorskip("xmlschema")
    schema = xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd")
    schema.validate(rendered("junit", NOTHING))
    text = rendered("junit")
    schema.validate(text)
    root = ET.fromstring(text)
    assert root.attrib == {"name": "devfix", "tests": "8", "failures": "3", "errors": "3"}
    outcomes = {suite.attrib["name"]: [child.tag for case in suite for child in case] for suite in root}
    assert outcomes == {
        "broken.py": ["error"],
        "clean.py": [],
        "nb.ipynb": ["failure"],
        programs.ODD: ["failure", "failure"],
        "crashed.py": ["error"],
        "other.ipynb": ["skipped"],
        "rule packs": ["error"],
    }


# ---- RDJSON


def test_rdjson_follows_its_format_and_counts_bytes() -> None:
    document = parsed("rdjson")
    validate(document, "rdjson.json")
    validate(parsed("rdjson", NOTHING), "rdjson.json")
    found = document["diagnostics"]
    for diagnostic, text in zip(found, ("model(x)", "modèle(é)", "y * mask"), strict=False):
        place = diagnostic["location"]["range"]
        line = lines_of(diagnostic["location"]["path"])[place["start"]["line"] - 1].encode()
        assert line[place["start"]["column"] - 1 : place["end"]["column"] - 1].decode() == text
    assert [(each["severity"], each["code"]["value"]) for each in found[3:]] == [
        ("ERROR", "skipped"),
        ("INFO", "skipped"),
        ("ERROR", "crash"),
    ]
    start = {"line": 2, "column": 7}
    assert [each["location"].get("range") for each in found[3:]] == [{"start": start}, None, None]


def test_rdjson_suggestions_are_whole_fixes() -> None:
    for diagnostic in parsed("rdjson")["diagnostics"][:3]:
        [suggestion] = diagnostic["suggestions"]
        path = Path(diagnostic["location"]["path"])
        lines = [line.encode() for line in lines_of(str(path))]
        start, end = (
            sum(map(len, lines[: place["line"] - 1])) + place["column"] - 1
            for place in (suggestion["range"]["start"], suggestion["range"]["end"])
        )
        data = b"".join(lines)
        path.write_bytes(data[:start] + suggestion["text"].encode() + data[end:])
    assert not programs.checked().findings


# ---- GitHub


def test_github_commands_are_escaped() -> None:
    lines = rendered("github").splitlines()
    assert lines[6:] == ["::error title=devfix (rule pack)::rule pack theirs: has no rules"]
    name = programs.ODD.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    assert lines[1].startswith(
        f"::error title=devfix (DF102 operand-not-moved),file={name},line=8,endLine=8,col=9,endColumn=17::"
    )
    assert lines[3] == (
        "::error title=devfix (skipped),file=broken.py,line=2,col=7::broken.py has a syntax error in line 2: invalid syntax"
    )
    assert lines[4].startswith("::notice title=devfix (skipped),file=other.ipynb::")
    assert lines[5] == "::error title=devfix (crash),file=crashed.py::crashed.py: ValueError: <no>"


# ---- JSON and JSON lines


def test_json_lines_are_what_json_says() -> None:
    results = programs.applied(write=False)
    records = [json.loads(line) for line in rendered("json-lines", results).splitlines()]
    document = parsed("json", results)
    for kind, key in (("fixed", "fixed"), ("finding", "findings")):
        told = [finding for report in document["files"] for finding in report[key]]
        assert [record for record in records if record["kind"] == kind] == [
            {"kind": kind, **finding} for finding in told
        ]
    assert [len(report["fixed"]) for report in document["files"]] == [0, 0, 1, 2]


def test_json_lines_tell_each_kind_of_outcome() -> None:
    kinds = [json.loads(line)["kind"] for line in rendered("json-lines").splitlines()]
    assert kinds == ["skipped", "finding", "finding", "finding", "crash", "skipped", "rule-pack", "summary"]


# ---- HTML


class _Page(HTMLParser):
    """What a page refers to, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.text = ""
        self.rules: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "href"):
                self.links.append(str(value))
            if name == "data-rule":
                self.rules.append(str(value))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_needs_nothing_else_and_shows_all() -> None:
    page = _Page()
    text = rendered("html")
    page.feed(text)
    page.close()
    assert page.links == []
    assert page.rules == ["DF102"] * 3
    assert "http" not in text
    for told in (
        "cell 2:2:19",
        programs.ODD,
        "crashed.py",
        "ValueError: <no>",
        "rule pack theirs",
        "has a syntax error in line 2",
    ):
        assert told in page.text
    assert "+    é = torch.randn(8, 4).to(device)" in page.text


def test_the_page_tells_what_was_fixed() -> None:
    page = _Page()
    page.feed(rendered("html", programs.applied(write=True)))
    assert "Fixed 3 findings in 2 files." in page.text
    assert page.rules == []


# ---- all of them


@pytest.mark.parametrize("name", FORMATS)
def test_names_that_are_no_text_can_be_told(name: str, folder: Path) -> None:
    path = folder / "na\udcffme.py"
    path.write_text(programs.TRAIN, encoding="utf-8")
    results = programs.checked("na\udcffme.py")
    assert len(results.findings) == 2
    text = renderer(name)(results, programs.view())
    assert text.encode(errors="backslashreplace")


@pytest.mark.parametrize("name", FORMATS)
def test_empty_results_can_be_told(name: str) -> None:
    text = rendered(name, NOTHING)
    if name in ("json", "sarif", "gitlab", "rdjson"):
        json.loads(text)
    assert (not text) == (name == "github")


def test_fixes_can_only_be_told_where_they_have_a_place() -> None:
    results = programs.checked()
    view = programs.view()
    assert all(finding.fix is not None for finding in results.findings)
    assert all(finding.fix.applicability == Applicability.SAFE for finding in results.findings if finding.fix)
    log = json.loads(
        renderer("sarif")(results, type(view)(rules=view.rules, edited=lambda _text, _edits: None))
    )
    validate(log, "sarif-2.1.0.json")
    assert not any("fixes" in result for result in log["runs"][0]["results"])


# ---- the root


def test_the_root_is_the_repository_else_the_checkout_else_the_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = folder / "sub dir"
    monkeypatch.chdir(below)
    assert repository_root({}) == str(folder)
    (folder / ".git").rmdir()
    assert repository_root({}) == str(below)
    assert repository_root({"CI_PROJECT_DIR": str(folder)}) == str(folder)
    assert repository_root({"CI_PROJECT_DIR": "/elsewhere"}) == str(below)
    root = Root(str(below))
    assert root.relative(str(folder / "clean.py")) is None
    assert root.path("a/b.py") == "a/b.py"
