"""`loxodon bench answers`: a reader and a judge that are programs of their own."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases
from tests.cli.shell import Shell
from tests.cli.talks import garden, harbour, written

# Answers with the note that has most words of the question; a judge looks for the reference in it.
STAND_IN = """
import json, re, sys
prompt = sys.stdin.read()
said = [(one, json.loads(text)) for one, text in re.findall(r'^(\\w+) (".*")$', prompt, re.M)]
told = dict(said)
if "reference" in told:
    right = told["reference"].lower() in told["answer"].lower()
    print(json.dumps({"verdict": "right" if right else "wrong"}))
else:
    asked = set(re.findall(r"\\w+", told["question"].lower()))
    notes = [text for one, text in said if one == "note"]
    best = max(notes, key=lambda text: len(asked & set(re.findall(r"\\w+", text.lower()))))
    print("I looked: " + json.dumps({"answer": best}))
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


@pytest.fixture
def reader(tmp_path: Path) -> str:
    program = tmp_path / "reader.py"
    program.write_text(STAND_IN)
    return f"{sys.executable} {program}"


def answered() -> dict[str, Any]:
    talk = garden()
    for one, answer in zip(talk["questions"], ("Rosalind", "on the moon"), strict=True):
        one["answer"] = answer
    return talk


def test_what_a_reader_answers_is_judged_by_category(
    shell: Shell, tmp_path: Path, reader: str
) -> None:
    path = written(tmp_path, answered(), harbour())  # the harbour's have no answers: not asked
    (file,) = shell.json("bench", "answers", path, "--reader", reader)["files"]
    assert file["overall"] == {"n": 2, "right": 50.0}
    assert (file["categories"]["plain"]["right"], file["judge"]) == (100.0, "lenient")
    assert 0 < file["context_tokens"] <= 2000
    assert file["model_tokens"]["in"] > 0
    assert "50" in shell.text("bench", "answers", path, "--reader", reader, "--limit", "2")


def test_it_goes_on_where_it_stopped(shell: Shell, tmp_path: Path, reader: str) -> None:
    details = tmp_path / "details.jsonl"
    asked = ("bench", "answers", written(tmp_path, answered()), "--details", str(details))
    assert shell.json(*asked, "--reader", reader, "--limit", "1")["files"][0]["overall"]["n"] == 1
    both = shell.json(*asked, "--reader", reader)["files"][0]["overall"]
    assert both == {"n": 2, "right": 50.0}
    rows = [json.loads(line) for line in details.read_text().split("\n") if line]
    assert [row["id"] for row in rows] == ["garden/q1", "garden/q2"]
    assert "Rosalind" in rows[0]["answer"]
    assert "wheelbarrow" in rows[0]["context"]
    assert shell.json(*asked, "--reader", "false")["files"][0]["overall"] == both  # asks nobody
    details.write_text('{"file": "cut' + details.read_text())
    assert shell.json(*asked, "--reader", reader, "--strict")["files"][0]["overall"]["n"] == 2
    assert details.read_text().count('"judge": "strict"') == 2  # no lenient verdict was taken


@pytest.mark.parametrize("published", cases(__file__, "published"))
def test_published_sets_as_they_come(
    shell: Shell, tmp_path: Path, reader: str, published: dict[str, Any]
) -> None:
    path = tmp_path / "published.json"
    path.write_text(json.dumps([published]))
    (file,) = shell.json("bench", "answers", str(path), "--reader", reader)["files"]
    assert file["overall"] == {"n": 1, "right": 100.0}
    (file,) = shell.json("bench", "retrieval", str(path))["files"]
    assert file["overall"]["r@5"] == 100


def test_without_a_reader_it_says_how_to_name_one(shell: Shell, tmp_path: Path) -> None:
    done = shell("bench", "answers", written(tmp_path, answered()), code=2)
    assert b"--reader" in done.stderr
