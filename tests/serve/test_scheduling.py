"""`loxodon schedule` and the switch, as a user would type them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loxodon.filelock import FileLock
from loxodon.layout import SCHEDULE_LOCK
from loxodon.serve.cli import main
from tests.serve.test_knowledge import LATER, ZH, Run, run, talk

__all__ = ["run"]


@pytest.fixture
def home(run: Run, tmp_path: Path) -> Path:
    run("init")
    run("add", talk(tmp_path, ["I live in Leeds", "I'm moving to York tomorrow"]))
    return tmp_path / "home"


def test_it_shows_what_is_next_and_what_ran(run: Run, home: Path) -> None:
    before = run("schedule")
    assert "0 3 * * *" in before
    assert "never" in before
    said = run("schedule", "--run", "daily")
    assert "daily ran in" in said
    assert "learned" in said
    found = json.loads(run("schedule", "--json"))
    assert [job["name"] for job in found["jobs"]] == [
        "flush",
        "daily",
        "weekly",
        "profile",
        "heartbeat",
        "backup",
    ]
    daily = found["jobs"][1]
    assert (daily["runs"], daily["failures"], daily["error"]) == (1, 0, "")
    assert daily["next_at"] == "2026-02-05T03:00:00+08:00"


def test_it_tells_of_plans_past_due(run: Run, home: Path) -> None:
    run("consolidate")
    later = run("schedule", now=LATER)
    assert "overdue:" in later
    assert "moving to York" in later
    assert "1 plan past due" in run("status", now=LATER)
    (plan,) = json.loads(run("schedule", "--json", now=LATER))["reminders"]
    run("edit", plan["id"], "--done", "yes", now=LATER)
    assert "past due" not in run("schedule", now=LATER)


def test_it_speaks_chinese(run: Run, home: Path) -> None:
    run("consolidate", lang=ZH["LANG"])
    found = run("schedule", lang=ZH["LANG"], now=LATER)
    for text in ("任务", "下次", "已过期未完成"):
        assert text in found


def test_a_job_that_is_not_there(run: Run, home: Path) -> None:
    assert "unknown job 'nightly'" in run("schedule", "--run", "nightly", code=2)


def test_what_the_heartbeat_asks_is_answered_in_review(run: Run, home: Path) -> None:
    made = json.loads(
        run(
            "capture",
            "The user is allergic to peanuts",
            "--category",
            "health",
            "--importance",
            "0.9",
            "--json",
        )
    )
    later = "2026-06-04T18:00:00+08:00"
    run("clock", "--right", now=later)
    assert "asked about 1" in run("schedule", "--run", "heartbeat", now=later)
    asked = run("review", now=later)
    assert "is that still true?" in asked
    assert made["id"] in asked
    assert "no problems found" in run("validate", now=later)  # a question is no damage
    run("review", "--confirm", made["id"], now=later)
    assert "nothing to review" in run("review", now=later)


def test_the_switch(run: Run, home: Path, tmp_path: Path) -> None:
    workspace = home / "spaces" / "main" / "workspace"
    workspace.mkdir()
    (workspace / "MEMORY.md").write_text("- likes green tea\n")
    run("config", "enabled", "false")
    assert run("config", "enabled").strip() == "false"
    assert "green tea" in run("recall", "what do I like?")
    assert "green tea" in run("context", "what do I like?")
    run("add", talk(tmp_path, ["I have a cat"], name="more"))
    run("capture", "The user plays chess")
    assert "2 entries" in run("status")
    assert "turned off" in run("consolidate")
    assert "turned off" in run("list", code=6)
    run("config", "enabled", "true")
    assert "I have a cat" in run("journal")
    assert "plays chess" in run("list")
    assert run("journal").count("I have a cat") == 1


def test_what_shows_memories_says_what_was_not_learned_yet(
    run: Run, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(*words: str) -> str:
        assert main(["--home", str(home), *words]) == 0
        return capsys.readouterr().err

    assert told("list") == "hint: messages not learned from yet: 2; run `loxodon consolidate`\n"
    for words in (["list", "--json"], ["recall", "Leeds"], ["capture", "likes tea"]):
        assert told(*words) == ""
    lock = FileLock(str(home / SCHEDULE_LOCK))
    assert lock.acquire(0)
    assert told("profile") == ""  # somebody is there who will learn from them
    lock.close()
    assert "2" in told("profile")
    run("consolidate")
    assert told("list") == ""
