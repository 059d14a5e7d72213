"""The owner's hand on the memory, as it is typed: forget, pause, resume, inspect, export."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.serve.http import health
from loxodon.serve.http.health import Look, gauges, reasons
from loxodon.serve.http.operations import OPERATIONS
from tests.serve.shell import Shell
from tests.serve.test_knowledge import TALK, ZH, Run, parsed, run, talk, told
from tests.trust.looking import files_with

__all__ = ["run", "told"]


def test_forgetting_asks_first(told: Run, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (fact,) = [
        one
        for one in parsed(told, "list")
        if "花生" in one["content"] or "peanut" in one["content"]
    ]
    words = ["花生", "peanuts"]
    assert "would delete" in told("forget", fact["id"], "--dry-run")
    assert "no terminal to confirm" in told("forget", fact["id"], code=2)
    assert "say what to forget" in told("forget", code=4)
    assert "请指定要忘记什么" in told("forget", code=4, lang=ZH["LANG"])
    assert files_with(words, home)
    done = parsed(told, "forget", fact["id"], "--yes")
    assert done["done"]
    assert done["receipt"]["erased"]["memories"] == 1
    assert not files_with(words, home)
    (receipt,) = parsed(told, "forget", "--receipts")
    assert receipt == done["receipt"]
    assert receipt["by"].startswith("cli")
    assert receipt["id"] in told("forget", "--receipts")
    assert parsed(told, "validate")["ok"]


def test_what_may_be_about_somebody_is_listed_and_stays(run: Run, tmp_path: Path) -> None:
    talk = tmp_path / "talk.txt"
    talk.write_text(
        "Me: My friend Elisabeth sails, we call her Lizzy.\nMe: My friend called.\n"
        "Me: I met Lizzy in York.\n"
    )
    run("add", str(talk))
    run("consolidate")
    said = run("forget", "--entity", "Elisabeth", "--yes")
    assert "may be about it, kept:\n  My friend called." in said
    assert "Lizzy (1)" in said
    assert [one["content"] for one in parsed(run, "journal")] == [
        "My friend called.",
        "I met Lizzy in York.",
    ]
    run("forget", "--entity", "Lizzy", "--doubtful", "--yes")
    assert [one["content"] for one in parsed(run, "journal")] == ["My friend called."]


def test_other_ways_to_name_it(told: Run, tmp_path: Path) -> None:
    for words, code in (
        ([], 4),
        (["--all", "--session", "x"], 4),
        (["--last", "soon"], 4),
        (["--last", "0d"], 4),
        (["--session", "none"], 3),
        (["f_1"], 3),
        (["--entity", "Nobody"], 3),
    ):
        told("forget", *words, "--yes", code=code)
    said = told("forget", "--session", "talk", "--yes", lang=ZH["LANG"])
    assert "已删除" in said
    assert "回执" in said
    assert parsed(told, "journal") == []
    assert parsed(told, "add", talk(tmp_path, TALK["zh"] + TALK["en"]))["added"] >= 0
    told("forget", "--last", "52w", "--yes")
    told("forget", "--all", "--yes")
    assert parsed(told, "stats")["turns"] == 0
    assert not files_with(["大阪", "Leeds"], tmp_path / "home")


def test_the_same_file_does_not_bring_it_back(told: Run, tmp_path: Path) -> None:
    turns = parsed(told, "journal")
    told("forget", *(f"t_{n + 1}" for n in range(len(turns))), "--yes")
    zh = "北京" in json.dumps(turns, ensure_ascii=False)
    again = parsed(told, "add", talk(tmp_path, TALK["zh" if zh else "en"]))
    assert (again["added"], again["forgotten"]) == (0, len(turns))
    assert "were forgotten" in told("add", talk(tmp_path, TALK["zh" if zh else "en"]))


def test_pause_and_resume(run: Run, tmp_path: Path) -> None:
    run("init")
    assert "paused until 2026-02-04 20:00" in run("pause", "--for", "2h")
    assert "paused until" in run("status")
    assert parsed(run, "add", talk(tmp_path, TALK["en"]))["paused"] == 4
    assert "recording is paused until" in run("capture", "I like tea", code=5)
    assert "recording is paused, or was paused" in run("add", talk(tmp_path, TALK["en"]))
    assert parsed(run, "resume") == {"resumed": True}
    assert "not paused" in run("resume")
    assert "until `loxodon resume`" in run("pause")
    run("resume")
    run("pause", "--for", "never", code=4)
    run("capture", "I like tea")


def test_inspect(told: Run) -> None:
    (fact,) = [
        one
        for one in parsed(told, "list")
        if "花生" in one["content"] or "peanut" in one["content"]
    ]
    found = parsed(told, "inspect", fact["id"])
    assert found["what"] == "memory"
    assert "花生" in found["sources"][0]["content"] or "peanut" in found["sources"][0]["content"]
    assert found["history"]
    assert found["found_by"]
    assert found["seen"]
    text = told("inspect", fact["id"])
    assert "sources" in text
    assert "seen by" in text
    turn = parsed(told, "inspect", "t_2")
    assert [one["id"] for one in turn["made"]] == [fact["id"]]
    name = parsed(told, "entities")[-1]["name"]
    entity = parsed(told, "inspect", name)
    assert entity["what"] == "entity"
    told("inspect", "Nobody at all", code=3)


@pytest.mark.parametrize("name", ["about.md", "about.json"])
def test_all_that_is_known_about_someone(told: Run, tmp_path: Path, name: str) -> None:
    who = "小美" if "小美" in told("journal") else "Mei"
    file = tmp_path / name
    assert str(file) in told("export", str(file), "--about", who)
    text = file.read_text("utf-8")
    assert who in text
    assert "大阪" in text or "tea" in text
    found = parsed(told, "export", "--about", who)
    assert found["memories"][0]["history"]
    assert found["turns"]
    told("export", "--about", "Nobody", code=3)
    told("export", str(tmp_path / "no" / "such.md"), "--about", who, code=4)


def test_they_are_told_of_in_both_languages(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    for command in ("forget", "pause", "resume", "inspect"):
        english, chinese = shell.text(command, "--help"), shell.text(command, "--help", **ZH)
        assert english.startswith(f"usage: loxodon {command}")
        assert english != chinese


def test_numbers_of_people_are_masked_unless_they_are_asked_for(run: Run, tmp_path: Path) -> None:
    card = "4111 1111 1111 1111"
    run("add", talk(tmp_path, [f"My friend Zorinda pays with {card}."]))
    for command in (["export", "--about", "Zorinda"], ["inspect", "t_1"]):
        assert "1111 1111" not in run(*command)
        assert card in run(*command, "--reveal")
    file = tmp_path / "about.md"
    run("export", "--about", "Zorinda", str(file))
    assert "1111 1111" not in file.read_text()
    with Memory.open(tmp_path / "home") as memory:
        for name, given in (("subject", "Zorinda"), ("inspect", "t_1")):
            operation = next(one for one in OPERATIONS if one.name == name)
            assert "1111 1111" not in str(operation.run(memory, {"name": given}))
            assert card in str(operation.run(memory, {"name": given, "reveal": True}))


def test_an_encrypted_memory_is_written_in_plain_only_if_asked(run: Run, tmp_path: Path) -> None:
    run("add", talk(tmp_path, ["My friend Zorinda lives in Leeds."]))
    run("encrypt", "--key-file", str(tmp_path / "key"), "--make-key")
    file = tmp_path / "about.md"
    assert "encrypted" in run("export", "--about", "Zorinda", str(file), code=4)
    assert not file.exists()
    run("export", "--about", "Zorinda", str(file), "--plain")
    assert "Zorinda" in file.read_text()


def test_a_pause_is_no_fault_and_is_told(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.pause()
        look = Look({"main": memory.status()}, {}, {}, {"main": 1e6})
        assert health.paused(look) == ["main"]
        assert reasons(look) == []
        (gauge,) = [one for one in gauges(look, 0) if one.name == "paused"]
        assert [f"{value!r}" for *_, value in gauge.samples] == ["1"]
        memory.resume()
        assert health.paused(Look({"main": memory.status()}, {}, {}, {})) == []
