"""What an agent's hooks are told, and what becomes of what was said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.connect.agents import AGENTS
from loxodon.connect.hook import LOG, answer, note, noted
from loxodon.errors import UsageError
from loxodon.workspace.agents import AGENTS as FOLLOWED
from tests.workspace.agent_files import SESSION, ClaudeCode, Codex, Gemini

MAKERS = {"claude-code": ClaudeCode, "codex": Codex, "gemini-cli": Gemini}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for agent in FOLLOWED.values():
        monkeypatch.delenv(agent.variable, raising=False)
    return tmp_path


@pytest.fixture
def memory(root: Path) -> Iterator[Memory]:
    with Memory.open(root / "home") as memory:
        memory.capture("The user's sister Mei lives in Osaka", entities=["Mei"])
        yield memory


def told(memory: Memory, agent: str, event: str, **request: object) -> str:
    found, problems = answer(memory, agent, event, {"session_id": SESSION, **request})
    assert problems == []
    output = found.get("hookSpecificOutput", {})
    assert isinstance(output, dict)
    assert output.get("hookEventName", event) == event
    return str(output.get("additionalContext", ""))


def event_of(agent: str, action: str) -> str:
    return next(one.event for one in AGENTS[agent].hooks if one.action == action)


@pytest.mark.parametrize("agent", MAKERS)
def test_from_prompt_to_journal(memory: Memory, root: Path, agent: str) -> None:
    talk = MAKERS[agent](root / Path(FOLLOWED[agent].usual).name)
    path = str(talk.path)
    asked = "Where does my sister Mei live?"
    prompt, turn = event_of(agent, "prompt"), event_of(agent, "turn")
    assert "Osaka" in told(memory, agent, prompt, prompt=asked, transcript_path=path)
    assert told(memory, agent, prompt, prompt="ok", transcript_path=path) == ""
    talk.user("Mei's birthday is on May 3")
    talk.agent("Noted.")
    assert told(memory, agent, turn, transcript_path=path) == ""
    assert [one.content for one in memory.journal(session=SESSION)][-1] == "Noted."
    assert memory.workspace.follow_agent(agent).added == 0  # following adds nothing twice
    talk.user("She likes tea")
    assert memory.workspace.follow_agent(agent).added == 1
    assert told(memory, agent, turn, transcript_path=path) == ""
    assert [one.content for one in memory.journal()].count("She likes tea") == 1


def test_what_the_agent_has_before_it_is_not_told_again(memory: Memory, root: Path) -> None:
    talk = ClaudeCode(root / ".claude")
    talk.user("My dentist is called Dr Adeyemi")
    path = str(talk.path)
    told(memory, "claude-code", "Stop", transcript_path=path)
    asked = {"prompt": "What is my dentist called?", "transcript_path": path}
    assert "Adeyemi" not in told(memory, "claude-code", "UserPromptSubmit", **asked)
    other = asked | {"transcript_path": str(ClaudeCode(root / ".claude", "other").path)}
    assert "Adeyemi" in told(memory, "claude-code", "UserPromptSubmit", **other)


def test_a_session_starts_with_the_snapshot(memory: Memory) -> None:
    assert "Mei" in told(memory, "claude-code", "SessionStart", source="startup")
    assert told(memory, "claude-code", "SessionStart", source="resume") == ""


def test_an_empty_memory_has_nothing_to_say(root: Path) -> None:
    with Memory.open(root / "empty") as memory:
        assert told(memory, "codex", "SessionStart", source="startup") == ""
        assert told(memory, "codex", "UserPromptSubmit", prompt="Where is Mei?") == ""


def test_only_the_agents_own_transcripts_are_read(memory: Memory, root: Path) -> None:
    talk = ClaudeCode(root / "elsewhere")
    talk.user("I live in Rome")
    for path in (str(talk.path), "", None, 7):
        told(memory, "claude-code", "Stop", transcript_path=path)
        told(memory, "claude-code", "UserPromptSubmit", transcript_path=path, prompt=7)
    assert {turn.session for turn in memory.journal()} == {"capture"}


def test_lines_that_cannot_be_read_are_told(memory: Memory, root: Path) -> None:
    talk = ClaudeCode(root / ".claude")
    with talk.path.open("a") as file:
        file.write("broken\n")
    _, problems = answer(memory, "claude-code", "Stop", {"transcript_path": str(talk.path)})
    assert problems[0].startswith(f"{talk.path}:2: ")


def test_hooks_that_there_are_not(memory: Memory) -> None:
    for agent, event in (("claude-code", "PreToolUse"), ("cursor", "Stop"), ("x", "Stop")):
        with pytest.raises(UsageError):
            answer(memory, agent, event, {})


def test_the_log_stays_small(root: Path) -> None:
    home = root / "new"
    for n in range(1_200):
        note(str(home), f"{n} " + "x" * 100 + "\nmore")
    lines = noted(str(home))
    assert lines[-1].startswith("1199 ")
    assert (home / LOG).stat().st_size < 80_000
    assert json.dumps(lines).count("\\n") == 0


def test_memories_are_recalled_by_what_the_person_wrote(memory: Memory, root: Path) -> None:
    path = str(Gemini(root / ".gemini").path)
    hook = "<hook_context># Memory snapshot\n- The user's sister Mei</hook_context>"
    asked = {"transcript_path": path, "prompt": f"{hook}\n\n小美住在哪里？Mei住在哪里？"}
    assert told(memory, "gemini-cli", "BeforeAgent", **asked).startswith("[相关记忆]")
    assert told(memory, "gemini-cli", "BeforeAgent", transcript_path=path, prompt=hook) == ""


def test_a_session_that_was_killed_is_read_when_another_ends(memory: Memory, root: Path) -> None:
    talks = [ClaudeCode(root / ".claude", name) for name in ("killed", "mine", "earlier")]
    for talk in talks:
        talk.user("one")
    for talk in talks[:2]:
        told(memory, "claude-code", "Stop", transcript_path=str(talk.path))
    talks[0].user("two")
    told(memory, "claude-code", "Stop", transcript_path=str(talks[1].path))
    assert len(memory.journal(session="killed")) == 1
    told(memory, "claude-code", "SessionEnd", transcript_path=str(talks[1].path))
    assert [one.content for one in memory.journal(session="killed")] == ["one", "two"]
    assert memory.journal(session="earlier") == []  # `loxodon follow` reads those, when asked to
