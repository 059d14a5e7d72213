"""`loxodon bench`, as a user would type it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from loxodon.serve.cli import main
from tests.measure.labelled import cook, mover
from tests.measure.talks import garden, harbour, question, written


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOXODON_HOME", str(tmp_path / "home"))
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")


def test_json_has_the_promised_shape(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, garden(), harbour())
    assert main(["bench", "retrieval", path, "--json", "--set", "recall.top=7"]) == 0
    found = json.loads(capsys.readouterr().out)
    (file,) = found["files"]
    assert file["file"] == path
    wanted = {"n", "r@5", "r@10", "r@20", "r@1k", "ndcg@10", "mrr"}
    assert wanted <= file["overall"].keys()
    assert all(wanted <= one.keys() for one in file["categories"].values())
    assert file["latency_ms"].keys() == {"p50", "p99"}
    assert found["settings"] == {"recall.top": 7}


@pytest.mark.parametrize(("lang", "heading"), [("C.UTF-8", "overall"), ("zh_CN.UTF-8", "总计")])
def test_a_person_sees_a_table(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    lang: str,
    heading: str,
) -> None:
    monkeypatch.setenv("LANG", lang)
    talk = garden()
    talk["questions"].append(question("q3", "wheelbarrow", ["gone"]))
    path = written(tmp_path, talk, harbour())
    words = ["bench", "retrieval", path, "--crossed", "--leave-out", "place"]
    assert main(words) == 0
    said = capsys.readouterr()
    assert heading in said.out
    assert "NDCG@10" in said.out
    assert "talks.jsonl" in said.out
    assert said.err  # evidence that names no turn
    assert not (tmp_path / "home").exists()


def test_details_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, details = written(tmp_path, garden()), tmp_path / "details.jsonl"
    assert main(["bench", "retrieval", path, "--details", str(details)]) == 0
    rows = [json.loads(line) for line in details.read_text("utf-8").splitlines()]
    assert [row["question"] for row in rows] == ["q1", "q2"]


def test_details_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, garden())
    assert main(["bench", "retrieval", path, "--details", str(tmp_path / "no" / "file")]) == 4
    assert "cannot write" in capsys.readouterr().err


def test_bad_lines_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"id": "c"}\n{\n')
    assert main(["bench", "retrieval", str(path)]) == 4
    said = capsys.readouterr().err
    assert "line 1: sessions is missing" in said
    assert "line 2: the line is not JSON" in said


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--set", "recall.top"], 2),
        (["--set", "recall.nothing=1"], 6),
        (["--limit", "-1"], 2),
        (["--jobs", "many"], 2),
    ],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int
) -> None:
    assert main(["bench", "retrieval", written(tmp_path, garden()), *words]) == code
    assert "hint:" in capsys.readouterr().err


# How a memory is written


def test_writing_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, mover(), cook())
    assert main(["bench", "writing", path, "--json", "--failures"]) == 0
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert file["file"] == path
    assert file["additions"] == {"n": 3, "right": 2, "share": 66.67}
    assert file["operations"].keys() == {"overall", "ADD", "UPDATE", "DELETE", "NOOP"}
    assert [one["case"] for one in file["failures"]] == ["mover", "cook"]


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("C.UTF-8", ("must be learned", "operation ADD", "denoising keeps", "failed: add")),
        ("zh_CN.UTF-8", ("该记住的", "操作 ADD", "去噪后保留", "未通过：add")),
    ],
)
def test_writing_as_a_person_sees_it(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    lang: str,
    words: tuple[str, ...],
) -> None:
    monkeypatch.setenv("LANG", lang)
    assert main(["bench", "writing", written(tmp_path, cook()), "--failures"]) == 0
    said = capsys.readouterr().out
    assert [one for one in words if one not in said] == []
    assert not (tmp_path / "home").exists()


def test_writing_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = io.TextIOWrapper(io.BytesIO(json.dumps(mover()).encode()))
    monkeypatch.setattr("sys.stdin", text)
    assert main(["bench", "writing", "-", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"][0]["cases"] == 1


def test_bad_lines_of_cases_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"id": "c", "turns": []}\n{\n')
    assert main(["bench", "writing", str(path)]) == 4
    said = capsys.readouterr().err
    assert "line 1: turns is missing" in said
    assert "line 2: the line is not JSON" in said


@pytest.mark.parametrize(
    "words",
    [
        ["retrieval", "--failures"],
        ["writing", "--crossed"],
        ["writing", "--top", "3"],
        ["writing", "--model"],
    ],
)
def test_options_of_the_other_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    path = written(tmp_path, mover())
    assert main(["bench", words[0], path, *words[1:]]) == 2
    assert "hint:" in capsys.readouterr().err
