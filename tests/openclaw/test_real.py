"""Loxodon in a real OpenClaw, from install to uninstall, told in order, while its gateway runs."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from loxodon import Memory
from tests.openclaw.conftest import GROUP, OWNER_TOO, STRANGER, OpenClaw
from tests.waiting import until

NEWCOMER = 777
LONG = "The recipe for the cake is long." + " Stir the batter once more." * 60


@pytest.fixture(scope="module")
def before(openclaw: OpenClaw) -> dict[str, str]:
    """All that the user has, as it was before the install."""
    found = _files(openclaw)
    with openclaw.reloading():
        openclaw.loxodon("openclaw", "install", "--yes")
    return found


def _files(openclaw: OpenClaw) -> dict[str, str]:
    """Files that people and installs write; OpenClaw's own state changes as it runs."""
    roots = [openclaw.workspace, openclaw.state / "extensions", openclaw.config]
    paths = [path for root in roots for path in (root.rglob("*") if root.is_dir() else [root])]
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in paths
        if path.is_file() and ".git" not in path.parts and "workspace-state" not in path.name
    }


@pytest.mark.usefixtures("before")
def test_what_is_told_in_one_conversation_is_in_the_prompt_of_the_next(openclaw: OpenClaw) -> None:
    told = openclaw.says("I am allergic to peanuts, please remember that.")
    assert "skills/loxodon" in told  # the skill is listed
    openclaw.journalled("allergic to peanuts")
    assert "peanuts" in openclaw.says("What am I allergic to?", OWNER_TOO)


@pytest.mark.usefixtures("before")
def test_a_long_message_is_journalled_whole(openclaw: OpenClaw) -> None:
    openclaw.says(LONG)
    openclaw.journalled(LONG)


@pytest.mark.usefixtures("before")
def test_the_snapshot_starts_the_owners_conversation_and_no_other(openclaw: OpenClaw) -> None:
    openclaw.loxodon("consolidate")
    assert "allergic to peanuts" in openclaw.says("Good morning!", OWNER_TOO)
    for text, sender, group in (
        ("Is your owner allergic to something?", STRANGER, 0),
        ("Is the owner allergic to anything?", STRANGER, GROUP),
        ("Am I allergic to anything?", OWNER_TOO, GROUP),
    ):
        assert "peanuts" not in openclaw.says(text, sender, group)


@pytest.mark.usefixtures("before")
def test_the_model_can_search_read_and_remember(openclaw: OpenClaw) -> None:
    (openclaw.workspace / "memory").mkdir(exist_ok=True)
    (openclaw.workspace / "memory" / "2026-05-10.md").write_text("The boiler man is Mr Okafor.\n")
    openclaw.calls("memory_search", query="Who is the boiler man?")
    assert "2026-05-10.md" in openclaw.says("Look up the boiler.")
    openclaw.calls("memory_get", path="memory/insights.md", lines=100)
    assert "allergic to peanuts" in openclaw.says("Read it.", OWNER_TOO)
    openclaw.calls("remember", text="The user's cat is called Momo")
    openclaw.says("Remember that my cat is called Momo.")
    with Memory.open(openclaw.memory) as memory:  # the user's words bear it out
        assert "The user's cat is called Momo" in [one.content for one in memory.list(kind="fact")]


@pytest.mark.usefixtures("before")
def test_the_model_finds_nothing_private_for_others(openclaw: OpenClaw) -> None:
    for tool, given in (
        ("memory_search", {"query": "allergic", "session": "agent:main:main", "sender": "42"}),
        ("memory_get", {"path": "memory/insights.md"}),
    ):
        openclaw.calls(tool, **given)
        assert "peanuts" not in openclaw.says("Look it up for me.", STRANGER)
    openclaw.calls("memory_search", query="allergic")
    assert "peanuts" not in openclaw.says("Look it up for all of us.", OWNER_TOO, GROUP)


@pytest.mark.usefixtures("before")
def test_a_person_can_ask_without_the_agent(openclaw: OpenClaw) -> None:
    asked = len(openclaw.model.answered)
    assert "allergic to peanuts" in openclaw.types("/recall peanuts")
    assert "peanuts" not in openclaw.types("/recall peanuts", STRANGER)
    assert "peanuts" in openclaw.types("/refresh", OWNER_TOO)
    assert len(openclaw.model.answered) == asked
    assert not any("/recall" in one for one in openclaw.journal())


@pytest.mark.usefixtures("before")
def test_what_openclaw_tells_of_itself_is_not_remembered(openclaw: OpenClaw) -> None:
    openclaw.calls("read", path=str(openclaw.workspace / "AGENTS.md"))
    openclaw.says("Read your rules, and mind the harbour.")
    if not openclaw.older:
        openclaw.model.calls("tool_search", query="search the memory")
        openclaw.says("Which tools do you have for the harbour?")
    openclaw.says("That is all about the harbour.")
    openclaw.journalled("That is all about the harbour")
    kept = "\n".join(openclaw.journal())
    assert "Read your rules" in kept
    assert "## Long-term memory (Loxodon)" not in kept
    assert "Search the long-term memory" not in kept
    notes = openclaw.loxodon("recall", "Ming, a directive, a dossier", "--kind", "note")
    assert "Ming" in notes  # which its owner wrote into USER.md
    assert not {"direct", "directive", "dossier,"} & {*notes.split()}


@pytest.mark.usefixtures("before")
def test_the_nightly_run_takes_the_place_of_openclaws_own(openclaw: OpenClaw) -> None:
    jobs = openclaw.jobs()
    assert not _of(jobs, "managed-by=memory-core")
    (ours,) = _of(jobs, "loxodon")
    assert ours["schedule"]["expr"] == "0 3 * * *"
    assert ours["payload"]["argv"][-1] == "consolidate"


def _of(jobs: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [job for job in jobs if name in json.dumps(job)]


def test_uninstalled_it_leaves_nothing(openclaw: OpenClaw, before: dict[str, str]) -> None:
    (openclaw.workspace / "memory" / "2026-05-10.md").unlink()
    with openclaw.reloading():
        openclaw.loxodon("openclaw", "uninstall", "--yes")
    assert _files(openclaw) == before
    assert not (openclaw.workspace / "skills").exists()
    assert not (openclaw.state / "extensions").exists()
    assert "loxodon" not in openclaw.says("Anything left?", NEWCOMER).lower()
    assert not _of(openclaw.jobs(), "loxodon")
    if not openclaw.older:
        until(lambda: _of(openclaw.jobs(), "managed-by=memory-core"))
