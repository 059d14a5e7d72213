"""Loxodon in real agents, from connecting to disconnecting, told in order."""

from __future__ import annotations

import json

import pytest

from loxodon.agents.supported import AGENTS as CONNECTED
from tests.real_agents.conftest import Agent
from tests.real_agents.model import Reply

TALK = [
    ("user", "My sister Mei studies in Osaka"),
    ("user", "我对花生过敏"),
    ("assistant", "The kettle for the boat is in the blue crate."),
    ("assistant", "船上的水壶在蓝色的箱子里。"),
]
FACTS = "My brother Tom works at Siemens. I am allergic to walnuts. 我住在上海"
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
    told = agent.says("Where does my sister Mei study?")
    assert "sister Mei studies in Osaka" in told
    assert "对花生过敏" in told
    assert "[Related memories]" not in told  # the snapshot has told it
    assert "[Related memories]" in agent.says("Which crate is the kettle for the boat in?")
    assert "in the blue crate" in agent.model.seen()
    assert "[相关记忆]" in agent.says("船上的水壶在哪个箱子里？")
    assert "在蓝色的箱子里" in agent.model.seen()
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
        agent.was_asked_by_a_person()
    said = agent.journalled()
    for pair in (
        ("user", "Where does my sister Mei study?"),
        ("user", "船上的水壶在哪个箱子里？"),
        ("user", "My aunt Rosa paints boats"),
        ("assistant", "She lives near."),
        ("user", "我姑姑住在利兹"),
        ("assistant", "好的。"),
    ):
        assert said.count(pair) == 1
    assert {text for _, text in said} <= {text for _, text in TALK} | {
        *("Where does my sister Mei study?", "Which crate is the kettle for the boat in?"),
        *("船上的水壶在哪个箱子里？", "Noted.", "Look it up", "There."),
        *("My aunt Rosa paints boats", "She lives near.", "我姑姑住在利兹", "好的。"),
    }
    agent.loxodon("follow", agent.name)
    assert agent.journalled() == said


@pytest.mark.usefixtures("before")
def test_what_was_said_is_known_in_the_next_session(agent: Agent) -> None:
    if agent.name in HOOKED:
        agent.says(FACTS)
        agent.was_asked_by_a_person()
    else:
        agent.model.replies = [Reply(tool="recall_context", arguments={"message": FACTS})]
        agent.says(FACTS)
        asked = {"message": "Where do I live, what am I allergic to, and where does Tom work?"}
        agent.model.replies = [Reply(tool="recall_context", arguments=asked)]
    known = agent.says("Good morning!")
    assert [one for one in ("Siemens", "walnuts", "上海") if one not in known] == []


def test_nothing_stays_behind(agent: Agent, before: bytes) -> None:
    agent.loxodon("connect", agent.name, "--remove", "--yes")
    assert agent.settings.read_bytes() == before
    assert not (agent.home / ".codex" / "hooks.json").exists()
    state = json.loads(agent.loxodon("--json", "connect"))["agents"][agent.name]["state"]
    assert state == "not connected"
