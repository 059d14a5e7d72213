"""`loxodon bench retrieval`: conversations go through a memory, and what comes back is counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, timedelta
from math import log2
from pathlib import Path
from typing import Any

import pytest

from contexts import of_its_own
from loxodon.cli.bench import as_conversation
from loxodon.errors import ConfigError, InputError
from tests.cli.shell import Shell
from tests.cli.talks import Talk, garden, harbour, question, turn, written


@pytest.fixture
def loxodon(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


def measured(loxodon: Shell, talks: list[Talk], *options: str) -> Any:
    """The report on one file."""
    path = written(loxodon.home.parent, *talks)
    (report,) = loxodon.json("bench", "retrieval", path, *options)["files"]
    return report


def asking(*questions: Talk) -> Talk:
    return garden() | {"questions": list(questions)}


def refused(loxodon: Shell, data: str | bytes) -> str:
    """What is said of a file that cannot be read."""
    path = loxodon.home.parent / "talks.jsonl"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return loxodon("bench", "retrieval", str(path), code=InputError.exit_code).stderr.decode()


# Figures


def test_report_over_all_questions_and_by_category(loxodon: Shell) -> None:
    report = measured(loxodon, [garden(), harbour()])
    overall = report["overall"]
    assert (overall["n"], overall["r@10"], overall["mrr"]) == (3, 100, 100)
    numbers = {name: one["n"] for name, one in report["categories"].items()}
    assert numbers == {"place": 2, "plain": 1}
    assert (report["conversations"], report["ingest"]["turns"]) == (2, 6)
    assert 0 < report["latency_ms"]["p50"] <= report["latency_ms"]["p99"]
    assert 0 < report["tokens"]["mean"] <= report["tokens"]["most"] <= 1000
    again = loxodon.json("bench", "retrieval", report["file"], "--set", "recall.top=7")
    assert again["settings"] == {"recall.top": 7, "embedder.kind": "none"}


def test_scores_worked_out_by_hand(loxodon: Shell) -> None:
    talk = asking(question("q", "wheelbarrow quince trees", ["b1", "a1", "gone", "gone"]))
    report = measured(loxodon, [talk])
    # Two of three turns are found, at the first two ranks.
    assert report["overall"]["r@10"] == 66.67
    best = 1 + 1 / log2(3) + 1 / log2(4)
    assert report["overall"]["ndcg@10"] == round(100 * (1 + 1 / log2(3)) / best, 2)
    assert report["overall"]["mrr"] == 100
    nothing = measured(loxodon, [asking(question("q", "zeppelin", ["a1"]))])
    assert (nothing["overall"]["r@20"], nothing["overall"]["mrr"]) == (0, 0)
    assert nothing["abstention"]["true"] == {"n": 1, "abstains": 100, "empty": 100}


def test_choice_of_questions_and_conversations(loxodon: Shell) -> None:
    left = measured(loxodon, [garden()], "--leave-out", "place")
    assert left["overall"]["n"] == 1
    assert left["categories"]["place"]["n"] == 1
    some = measured(loxodon, [garden(), harbour()], "--category", "place", "--limit", "1")
    assert (some["conversations"], list(some["categories"])) == (1, ["place"])
    named = (question(name, "wheelbarrow", ["b1"], category=name) for name in ("10", "b", "2"))
    assert list(measured(loxodon, [asking(*named)])["categories"]) == ["2", "10", "b"]


def test_questions_asked_of_another_conversation(loxodon: Shell) -> None:
    talks = [garden(), harbour()]
    report = measured(loxodon, talks, "--crossed")
    crossed = report["abstention"]["crossed"]
    assert (crossed["n"], crossed["abstains"]) == (3, 100)
    assert report["abstention"]["true"]["abstains"] == 0
    assert measured(loxodon, [garden()], "--crossed")["abstention"]["crossed"]["n"] == 0
    # Each file has one conversation, which is asked what the other file's can answer.
    files = [written(loxodon.home.parent, one, name=one["id"]) for one in talks]
    found = loxodon.json("bench", "retrieval", *files, "--crossed")["files"]
    assert [one["abstention"]["crossed"]["n"] for one in found] == [1, 2]


def test_turns_and_questions_with_nothing_to_score(loxodon: Shell) -> None:
    talk = garden()
    words = "The quick grey heron stood in the shallow water. " * 40
    talk["sessions"][0]["turns"] += [turn("a3", " \n"), turn("a4", words)]
    talk["sessions"].append({"id": "s3", "at": "2026-01-10T00:00:00", "turns": [turn("c", "")]})
    asked = question("q", "heron in shallow water", ["a4"])
    talk["questions"] = [asked, question("none", "wheelbarrow", [])]
    report = measured(loxodon, [talk])
    assert report["ingest"]["turns"] == 5  # those without words are passed over
    assert (report["overall"]["n"], report["without_evidence"]) == (1, 1)
    assert report["overall"]["r@1k"] == 100
    empty = measured(loxodon, [garden() | {"sessions": []}])
    assert empty["overall"]["r@20"] == 0


def test_kept_memories(loxodon: Shell, tmp_path: Path) -> None:
    keep = str(tmp_path / "kept")
    talks = [garden(), harbour()]
    first = measured(loxodon, talks, "--keep", keep)
    again = measured(loxodon, talks, "--keep", keep)
    assert first["overall"] == again["overall"]
    assert (first["ingest"]["turns"], again["ingest"]["turns"]) == (6, 0)
    assert len(list((tmp_path / "kept").iterdir())) == 2
    embedded = measured(loxodon, talks, "--keep", keep, "--embedder", "auto")
    assert (embedded["not_embedded"], embedded["ingest"]["turns"]) == (0, 0)
    path = written(tmp_path, garden())  # an error, and not a worse figure
    loxodon("bench", "retrieval", path, "--embedder", "openai", code=ConfigError.exit_code)


def test_a_history_of_its_own_for_a_question() -> None:
    talk = as_conversation(garden(), UTC)
    first = talk["sessions"][0]["turns"][0]
    for days in (9, 3, 2, 1):  # of which the first is after the question
        said = {**first, "id": str(days), "at": first["at"] + timedelta(days)}
        talk["sessions"].append({"id": str(days), "turns": [said]})
    few, again, all_before = (of_its_own(talk, talk["questions"][0], n, 1) for n in (3, 3, 48))
    assert few == again
    assert {"s2"} < {one["id"] for one in few["sessions"]} < {"s1", "s2", "1", "2", "3"}
    assert [one["id"] for one in all_before["sessions"]] == ["s1", "1", "2", "3", "s2"]


# Reading the file


def test_times_names_and_blank_lines_of_a_file(loxodon: Shell, tmp_path: Path) -> None:
    talk = garden()
    talk["id"], talk["questions"][0]["category"] = 12, 5
    talk["sessions"][0]["turns"][1]["at"] = "2026-02-01T00:00:00+08:00"
    path = tmp_path / "talks.jsonl"
    for text in (f"{json.dumps(talk)}\n  \r\n", json.dumps([talk], indent=2)):
        path.write_text(text, "utf-8-sig")
        (report,) = loxodon.json("bench", "retrieval", str(path))["files"]
        assert list(report["categories"]) == ["5", "place"]


Spoil = Callable[[Talk], object]


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda t: t.pop("id"), "'id'"),
        (lambda t: t.update(questions=["?"]), "wrong type"),
        (lambda t: t["sessions"][1].pop("turns"), "'turns'"),
        (lambda t: t["sessions"][1].pop("at"), "'at'"),
        (lambda t: t["sessions"][0].update(at="soon"), "soon"),
        (lambda t: t["sessions"][1]["turns"].append(turn("a1", "again")), "'a1' appears twice"),
        (lambda t: t["questions"][1].pop("text"), "'text'"),
    ],
)
def test_wrong_field_is_named_with_its_line(loxodon: Shell, spoil: Spoil, told: str) -> None:
    talk = garden()
    spoil(talk)
    said = refused(loxodon, f"{json.dumps(harbour())}\n{json.dumps(talk)}\n")
    assert "2" in said
    assert told in said


def test_lines_that_are_no_objects_are_refused(loxodon: Shell) -> None:
    lines = {b"{": "not JSON", b"[1]": "JSON object", b"\n": "", b"\xff": "UTF-8"}
    for line, told in lines.items():
        assert told in refused(loxodon, line)
