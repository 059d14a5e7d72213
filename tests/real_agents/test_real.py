"""Loxodon in real agents, from connecting to disconnecting, told in order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loxodon.agents.supported import AGENTS as CONNECTED
from loxodon.journal.follow import transcripts
from loxodon.journal.transcripts import AGENTS as FOLLOWED
from tests.real_agents.conftest import Agent
from tests.real_agents.model import Reply

TALK = [("user", "My sister Mei studies in Osaka"), ("user", "我对花生过敏")]
HOOKED = [name for name, one in CONNECTED.items() if one.hooks]


@pytest.fixture(scope="module")
def before(agent: Agent) -> bytes:
    """The settings of the agent as they were before it was connected."""
    found = agent.settings.read_bytes()
    talk = agent.home / "talk.jsonl"
    talk.write_text(
        "".join(json.dumps({"role": role, "content": text}) + "\n" for role, text in TALK), "utf-8"
    )
    agent.loxodon("add", str(talk))
    agent.loxodon("consolidate")
    agent.loxodon("connect", agent.name, "--yes")
    if agent.name == "claude-code":
        agent.run("claude", "mcp", "add", "loxodon", "--", "loxodon", "mcp", "--no-journal")
    return found


@pytest.mark.usefixtures("before")
def test_memories_are_in_the_prompt(agent: Agent) -> None:
    if agent.name not in HOOKED:
        pytest.skip("it has no hooks")
    assert "[Related memories]" in agent.says("Where does my sister Mei study?")
    assert "Osaka" in agent.model.seen()
    assert "[相关记忆]" in agent.says("花生可以吃吗？")
    assert "对花生过敏" in agent.model.seen()
    assert not (agent.home / ".loxodon" / "hooks.log").exists()


@pytest.mark.usefixtures("before")
def test_the_tools_are_offered_and_called(agent: Agent) -> None:
    agent.model.replies = [Reply(tool="memory_search", arguments={"query": "Mei"}), Reply("There.")]
    assert "studies in Osaka" in agent.says("Look it up")
    offered = {name.removeprefix("mcp_") for name in agent.model.tools() if "loxodon" in name}
    assert len(offered) == (8 if agent.name in HOOKED else 9)
    if agent.name in HOOKED:
        return
    agent.model.replies = [
        Reply(tool="recall_context", arguments={"message": "I keep hens"}),
        Reply(tool="journal", arguments={"user": "I keep hens", "assistant": "How nice."}),
        Reply("How nice."),
    ]
    agent.says("I keep hens")
    assert agent.journalled() == [*TALK, ("user", "I keep hens"), ("assistant", "How nice.")]


@pytest.mark.usefixtures("before")
def test_what_was_said_is_journalled_once(agent: Agent) -> None:
    if agent.name not in HOOKED:
        pytest.skip("it journals by a tool")
    agent.model.replies = [Reply("She lives near."), Reply("好的。")]
    agent.says("My aunt Rosa paints boats")
    agent.says("我姑姑住在利兹")
    if agent.how.person:  # what programs ask is not journalled: let a person have asked
        assert agent.journalled() == TALK
        folder = str(agent.home / Path(FOLLOWED[agent.name].usual).name)
        for path in map(Path, transcripts(agent.name, folder)):
            text = path.read_text("utf-8")
            for by_program, by_person in agent.how.person:
                assert by_program in text
                text = text.replace(by_program, by_person)
            path.write_text(text, "utf-8")
        agent.loxodon("follow", agent.name)
    said = agent.journalled()
    for pair in (
        ("user", "Where does my sister Mei study?"),
        ("user", "花生可以吃吗？"),
        ("user", "My aunt Rosa paints boats"),
        ("assistant", "She lives near."),
        ("user", "我姑姑住在利兹"),
        ("assistant", "好的。"),
    ):
        assert said.count(pair) == 1
    assert {text for _, text in said} <= {text for _, text in TALK} | {
        *("Where does my sister Mei study?", "花生可以吃吗？", "Noted.", "Look it up", "There."),
        *("My aunt Rosa paints boats", "She lives near.", "我姑姑住在利兹", "好的。"),
    }
    assert "turns added: 0" in agent.loxodon("follow", agent.name)


def test_nothing_stays_behind(agent: Agent, before: bytes) -> None:
    agent.loxodon("connect", agent.name, "--remove", "--yes")
    assert agent.settings.read_bytes() == before
    assert not (agent.home / ".codex" / "hooks.json").exists()
    state = json.loads(agent.loxodon("--json", "connect"))["agents"][agent.name]["state"]
    assert state == "not connected"
