"""The commands that make knowledge of what was said and show it, as a user would type them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loxodon.serve.cli import main
from tests.serve.shell import NOW, Shell

ZH = {"LANG": "zh_CN.UTF-8"}
LATER = "2026-02-06T18:00:00+08:00"
TALK = {
    "zh": ["我住在北京", "我对花生过敏", "我妹妹小美在大阪读书", "我可能住在上海"],
    "en": [
        "I live in Leeds",
        "I'm allergic to peanuts",
        "My sister Mei likes tea",
        "I think I live in York",
    ],
}

Run = Callable[..., str]


def talk(folder: Path, lines: list[str], day: int = 4, name: str = "talk") -> str:
    """A file of things said, a minute apart."""
    path = folder / f"{name}.jsonl"
    turns = [
        {"role": "user", "content": text, "at": f"2026-02-{day:02}T10:{n:02}:00+08:00"}
        for n, text in enumerate(lines)
    ]
    path.write_text("\n".join(json.dumps(turn, ensure_ascii=False) for turn in turns))
    return str(path)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process, which is fast, and returns what it printed."""
    for name in [one for one in os.environ if one.startswith("LOXODON")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LOXODON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOXODON_NOW", NOW)
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)

    def one(*words: str, code: int = 0, lang: str = "C.UTF-8", now: str = NOW) -> str:
        monkeypatch.setenv("LANG", lang)
        monkeypatch.setenv("LOXODON_NOW", now)
        capsys.readouterr()
        assert main(list(words)) == code
        said = capsys.readouterr()
        return said.out if code == 0 or "--json" in words else said.err

    one("config", "timezone", "Asia/Shanghai")
    return one


@pytest.fixture(params=["zh", "en"])
def told(request: pytest.FixtureRequest, run: Run, tmp_path: Path) -> Run:
    """A home in which somebody has talked, in either language, and that was consolidated."""
    run("add", talk(tmp_path, TALK[request.param]))
    run("consolidate")
    return run


def parsed(run: Run, *words: str, **more: Any) -> Any:
    return json.loads(run(*words, "--json", **more))


# In a process of its own


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


def test_from_talk_to_knowledge(shell: Shell, tmp_path: Path) -> None:
    shell("add", talk(tmp_path, TALK["zh"]))
    said = shell.text("consolidate")
    assert "4 turns consolidated in" in said
    assert "learned" in said
    assert "to review" in said
    assert "用户对花生过敏" in shell.text("list")
    assert "用户可能住在上海" in shell.text("review")
    assert "小美" in shell.text("entities")
    assert "妹妹" in shell.text("entities", "小美")
    assert shell.text("profile").startswith("# Profile")
    assert "用户对花生过敏" in shell.text("snapshot")
    assert "no new messages" in shell.text("consolidate")
    assert shell.json("validate")["ok"]


def test_the_commands_are_told_of_in_both_languages(shell: Shell) -> None:
    for command in ("consolidate", "review", "entities", "profile", "snapshot", "status", "stats"):
        english, chinese = shell.text(command, "--help"), shell.text(command, "--help", **ZH)
        assert english.startswith(f"usage: loxodon {command}")
        assert english != chinese
        assert any("\u4e00" <= c <= "\u9fff" for c in chinese)
    assert "--phase" in shell.text("consolidate", "--help")


# consolidate


def test_consolidate_as_json(run: Run, tmp_path: Path) -> None:
    run("add", talk(tmp_path, TALK["zh"]))
    found = parsed(run, "consolidate")
    assert list(found) == [
        "ran",
        "reason",
        "turns",
        "counts",
        "seconds",
        "tokens",
        "problem",
        "views",
        "held",
        "model",
    ]
    assert (found["ran"], found["reason"], found["turns"]) == (True, "daily", 4)
    assert found["counts"]["added"] >= 4
    assert list(found["seconds"]) == ["1", "2", "3", "4", "5", "6", "7"]
    again = parsed(run, "consolidate")
    assert (again["ran"], again["reason"], again["turns"]) == (False, "nothing is pending", 0)
    assert parsed(run, "consolidate", "--force")["ran"]
    assert parsed(run, "consolidate", "--force")["counts"] == {"waiting": 1}


def test_consolidate_only_if_due(told: Run, tmp_path: Path) -> None:
    told("add", talk(tmp_path, ["I live in Rome"], 5, "more"))
    found = parsed(told, "consolidate", "--if-due")
    assert (found["ran"], found["reason"]) == (False, "not due")
    assert "not due yet" in told("consolidate", "--if-due")
    assert parsed(told, "consolidate", "--if-due", now=LATER)["ran"]


def test_consolidate_phase_by_phase(run: Run, tmp_path: Path) -> None:
    run("add", talk(tmp_path, TALK["en"]))
    assert "phase 1 is next" in run("consolidate", "--phase", "3", code=2)
    for phase in "1234567":
        found = parsed(run, "consolidate", "--phase", phase)
        assert list(found["seconds"]) == [phase]
    assert "peanuts" in run("list")
    assert parsed(run, "status")["pending"] == 0
    assert "unknown phase 9" in run("consolidate", "--phase", "9", code=2)
    assert "unknown phase 0" in run("consolidate", "--phase", "0", code=2)
    run("consolidate", "--phase", "x", code=2)


def test_a_memory_that_is_not_there_is_not_made(run: Run, tmp_path: Path) -> None:
    for words in (
        ["consolidate"],
        ["review"],
        ["entities"],
        ["profile"],
        ["review", "--confirm", "b_20260204_001"],
    ):
        assert "init`" in run(*words, code=3)
        assert parsed(run, *words, code=3)["error"]["code"]
    assert not (tmp_path / "home" / "spaces").exists()


def test_an_empty_memory_has_nothing_to_say(run: Run) -> None:
    run("init")
    assert "no new messages" in run("consolidate")
    assert "nothing to review" in run("review")
    assert "no entities yet" in run("entities")
    assert run("profile") == "# Profile\n"
    assert parsed(run, "review") == parsed(run, "entities") == []
    for command in ("consolidate", "review", "entities", "profile", "status", "stats"):
        assert any("\u4e00" <= c <= "\u9fff" for c in run(command, lang="zh_CN.UTF-8"))


# review


def test_review_shows_what_waits_and_why(told: Run) -> None:
    (one,) = parsed(told, "review")
    assert list(one) == ["belief", "against", "asked_at"]
    assert one["belief"]["kind"] == "belief"
    assert one["belief"]["sources"]
    assert one["against"]["kind"] == "fact"
    text = told("review")
    assert one["belief"]["content"] in text
    assert one["against"]["id"] in text
    assert "--confirm ID" in text
    assert parsed(told, "status")["reviews"] == 1
    assert "1 " in told("status")


def test_review_confirm(told: Run) -> None:
    (one,) = parsed(told, "review")
    fact = parsed(told, "review", "--confirm", one["belief"]["id"])
    assert (fact["kind"], fact["state"]) == ("fact", "active")
    assert "nothing to review" in told("review")
    past = parsed(told, "history", fact["id"])
    assert past[0]["record"]["id"] == one["against"]["id"]
    assert past[1]["record"]["valid_until"] is not None
    assert "superseded" in told("history", fact["id"])
    assert "not a belief" in told("review", "--confirm", one["belief"]["id"], code=4)


def test_review_reject(told: Run) -> None:
    (one,) = parsed(told, "review")
    assert "rejected" in told("review", "--reject", one["belief"]["id"])
    assert parsed(told, "get", one["belief"]["id"])["state"] == "archived"
    assert parsed(told, "get", one["against"]["id"])["state"] == "active"
    assert parsed(told, "review") == []


def test_review_refuses_what_cannot_be(told: Run) -> None:
    told("review", "--confirm", "nothing", code=3)
    told("review", "--reject", "", code=3)
    told("review", "--confirm", "a", "--reject", "b", code=2)
    error = parsed(told, "review", "--confirm", "nothing", code=3)["error"]
    assert set(error) == {"code", "message", "hint", "problems"}


# entities, profile, snapshot


def test_entities(told: Run) -> None:
    found = parsed(told, "entities")
    assert {"name", "type", "aliases", "created_at", "updated_at"} <= set(found[0])
    sister = next(one for one in found if one["aliases"])
    card = parsed(told, "entities", sister["aliases"][0])
    assert list(card) == ["entity", "attributes", "facts", "beliefs", "summaries"]
    assert card["entity"]["name"] == sister["name"]
    assert card["facts"]
    text = told("entities", sister["name"])
    assert sister["aliases"][0] in text
    assert card["facts"][0] in text
    assert "nothing is known about" in told("entities", "nobody at all", code=3)


def test_profile_and_snapshot(told: Run, tmp_path: Path) -> None:
    for command in ("profile", "snapshot"):
        assert list(parsed(told, command)) == [command]
        english, chinese = told(command), told(command, lang="zh_CN.UTF-8")
        assert english.splitlines()[0] != chinese.splitlines()[0]
        assert "花生" in english or "peanuts" in english
    told("add", talk(tmp_path, ["我对芒果过敏"], 4, "more"))
    told("consolidate")
    assert "芒果" in told("snapshot")
    assert "芒果" not in told("profile")
    assert "芒果" in told("profile", "--refresh")
    assert "芒果" in told("profile", lang="zh_CN.UTF-8")


def test_what_was_said_cannot_drive_the_terminal(run: Run, tmp_path: Path) -> None:
    run("init")
    run("capture", "the user may like \x1b[31mred\x07", "--type", "belief", "--importance", "0.9")
    run("consolidate", "--force")
    belief = parsed(run, "list")[0]["id"]
    for words in (
        ["profile", "--refresh"],
        ["snapshot"],
        ["review"],
        ["entities"],
        ["list"],
        ["review", "--confirm", belief],
    ):
        printed = run(*words)
        assert "\x1b" not in printed
        assert "\x07" not in printed


# status and stats


def test_status_and_stats_tell_where_it_stands(told: Run, tmp_path: Path) -> None:
    status = parsed(told, "status")
    assert status["last_consolidation"] == "2026-02-04T18:00:00+08:00"
    assert (status["pending"], status["phase"], status["attempts"]) == (0, 0, 0)
    assert (status["stopped"], status["error"], status["failed"]) == (False, "", 0)
    told("add", talk(tmp_path, ["I live in Rome"], 5, "more"))
    assert parsed(told, "status")["pending"] == 1
    assert "1 turn" in told("status")
    stats = parsed(told, "stats")
    assert stats["expected"] == {"active": 200, "total": 5000}
    assert stats["ledger"] == []
    assert stats["entities"] >= 1
    assert stats["events"] >= 1
    assert stats["kinds"]["belief"] == 1
    assert stats["total"] == stats["active"] + stats["archived"]
    assert "about 200 active" in told("stats")
    assert "model tokens" in told("stats")


def test_a_request_to_forget_is_shown_and_answered(run: Run, tmp_path: Path) -> None:
    talk = tmp_path / "talk.txt"
    talk.write_text("Me: I keep bees on the roof\nMe: I like tea\n", "utf-8")
    run("add", str(talk))
    run("consolidate")
    asking = tmp_path / "asking.txt"
    asking.write_text("Me: Please forget what I told you about the bees.\n", "utf-8")
    assert "see `loxodon review`" in run("add", str(asking))
    shown = run("review")
    assert "Please forget what I told you about the bees." in shown
    assert "loxodon forget q_1" in shown
    (asked,) = parsed(run, "review")
    assert (asked["id"], asked["state"], asked["turns"]) == ("q_1", "held", ["t_1"])
    assert "q_1" in run("review", lang="zh_CN.UTF-8")
    assert "nothing is in quarantine" in run("quarantine")
    assert "roof" not in run("recall", "bees")
    assert "loxodon forget q_1" in run("review", "--confirm", "q_1", code=2)
    assert "q_1" in run("review", "--reject", "q_1")
    assert "roof" in run("recall", "bees")
    assert "nothing to review" in run("review")
