"""What is said to coding agents is journalled once, and nothing else in their files is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import NotFoundError
from loxodon.journal.follow import Followed
from tests.agents.agent_files import SESSION, ClaudeCode, Codex, Gemini, appended
from tests.cli.shell import typed
from tests.journal.added import add


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def memory(root: Path) -> Iterator[Memory]:
    with Memory.open(root / "home") as memory:
        yield memory


def follow(memory: Memory, agent: str) -> Followed:
    return memory.workspace.follow_agent(agent)


def said(memory: Memory) -> list[tuple[str, str]]:
    return [(turn.role, turn.content) for turn in memory.journal()]


def test_claude_code(memory: Memory, root: Path) -> None:
    talk = ClaudeCode(root / ".claude")
    talk.user("My sister Mei lives in Osaka")
    talk.agent("Noted.")
    found = follow(memory, "claude-code")
    assert (found.added, found.read, found.sessions) == (2, 1, (SESSION,))
    assert said(memory) == [("user", "My sister Mei lives in Osaka"), ("assistant", "Noted.")]
    turn = memory.journal()[0]
    assert (turn.session, turn.origin) == (SESSION, "relayed")
    assert turn.at.isoformat() > "2026-02-03"
    assert follow(memory, "claude-code").unchanged == 1
    talk.user([{"type": "text", "text": "She paints"}, {"type": "image", "source": {}}])
    assert follow(memory, "claude-code").added == 1
    assert said(memory)[-1] == ("user", "She paints")


FOLDERS = {"claude-code": ".claude", "codex": ".codex", "gemini-cli": ".gemini"}
NOT_SAID: list[dict[str, Any]] = [
    {"isMeta": True},
    {"isSidechain": True},
    {"isCompactSummary": True},
    {"entrypoint": "sdk-cli"},
    {"origin": {"kind": "task-notification"}},
]
NOBODYS_WORDS = [
    "<command-name>/clear</command-name>\n<command-message>clear</command-message>",
    "<local-command-stdout>It works</local-command-stdout>",
    "<bash-input>ls</bash-input>",
    "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>",
    "<system-reminder>never ends",
    "[Request interrupted by user]",
    "[Related memories] (recalled by Loxodon)\n- Mei\n[End of related memories]",
]


def test_what_programs_put_into_claude_code_is_nobodys_word(memory: Memory, root: Path) -> None:
    talk = ClaudeCode(root / ".claude")
    for flags in NOT_SAID:
        talk.user("I live in Rome", **flags)
        talk.agent("Rome it is", **flags)
    for text in NOBODYS_WORDS:
        talk.user(text)
    talk.user([{"type": "tool_result", "tool_use_id": "x", "content": "I live in Rome"}])
    talk.agent("API Error", isApiErrorMessage=True)
    talk.user("I live <system-reminder>in Rome</system-reminder>by the sea")
    appended(talk.path, {"type": "summary", "summary": "Rome", "leafUuid": "u1"})
    found = follow(memory, "claude-code")
    assert said(memory) == [("user", "I live by the sea")]
    assert found.problems == ()


@pytest.mark.parametrize("older", [False, True])
def test_codex(memory: Memory, root: Path, older: bool) -> None:
    talk = Codex(root / ".codex", older=older)
    talk.started("user")
    talk.item("user", "<environment_context>Rome</environment_context>")
    talk.user("I moved to York")
    talk.line("event_msg", {"type": "agent_reasoning", "text": "hm"})
    talk.line("response_item", {"type": "function_call_output", "output": "Rome"})
    talk.completed("ContextCompaction", {"type": "text", "text": "Rome"})
    talk.agent("Good for you")
    assert follow(memory, "codex").added == 2
    assert said(memory) == [("user", "I moved to York"), ("assistant", "Good for you")]
    assert memory.journal()[0].session == SESSION
    talk.user("# Context from my IDE setup:\n- Rome\n## My request for Codex:\nand I like it")
    talk.line(
        "event_msg", {"type": "user_message", "message": "Rome", "kind": "environment_context"}
    )
    assert follow(memory, "codex").added == 1
    turn = memory.journal()[-1]
    assert (turn.content, turn.session) == ("and I like it", SESSION)


@pytest.mark.parametrize("older", [False, True])
def test_what_programs_ask_codex_is_not_journalled(memory: Memory, root: Path, older: bool) -> None:
    sources = ["exec", {"subagent": "review"}]
    talks = [
        Codex(root / ".codex", source, f"s{n}", older=older) for n, source in enumerate(sources)
    ]
    talks[0].started("exec")
    talks[1].started("user")
    for talk in talks:
        talk.user("I moved to York")
    assert follow(memory, "codex").skipped == 2
    talks[0].user("and to Leeds")  # what the first line said holds for what comes later
    assert follow(memory, "codex").skipped == 1
    assert said(memory) == []


def test_a_codex_session_that_people_and_programs_go_on_with(memory: Memory, root: Path) -> None:
    begun_by_a_program, begun_by_me = Codex(root / ".codex", "exec", "a"), Codex(root / ".codex")
    for talk in (begun_by_a_program, begun_by_me):
        talk.started("exec")
        talk.user("I live in Rome")
        talk.agent("Rome it is")
    follow(memory, "codex")
    assert said(memory) == []
    for talk in (begun_by_a_program, begun_by_me):
        talk.user("in Rome still")  # a turn that was begun before
        talk.started("user")
        talk.user("I live in York")
        talk.started("user", parent_turn_id="t0")
        talk.user("Rome, says an agent")
    follow(memory, "codex")
    assert said(memory) == [("user", "I live in York")] * 2


def test_gemini(memory: Memory, root: Path) -> None:
    talk = Gemini(root / ".gemini")
    talk.user([{"text": "@a.md what is it?\n--- Content from referenced files ---\nRome"}])
    talk.agent("A note")
    talk.user("long", displayContent=[{"text": "short"}])
    appended(talk.path, {"$set": {"messages": [talk.message("user", "<state_snapshot>Rome")]}})
    appended(talk.path, talk.message("info", "Rome"), talk.message("user", [{"functionCall": {}}]))
    found = follow(memory, "gemini-cli")
    assert (found.added, found.known, found.problems) == (3, 0, ())
    assert said(memory) == [
        ("user", "@a.md what is it?"),
        ("assistant", "A note"),
        ("user", "short"),
    ]
    talk.agent("And more")
    assert follow(memory, "gemini-cli").added == 1
    Gemini(root / ".gemini", "subagent", "other").user("Rome")
    assert follow(memory, "gemini-cli").skipped == 1


def test_what_gemini_cli_says_in_the_users_name(memory: Memory, root: Path) -> None:
    talk = Gemini(root / ".gemini")
    hook = "<hook_context># Memory snapshot\n&gt; Rome</hook_context>"
    talk.user([{"text": f"{hook}\n\nI live in York"}])
    talk.user([{"text": "I like it"}, {"text": hook}], displayContent=[{"text": "I like it"}])
    for text in ("System: Potential loop detected. Rome", "Please continue."):
        talk.user([{"text": text}], displayContent=[{"text": "I like it"}])
    talk.user("I ran the following shell command:\n```sh\nls\n```\n\nRome")
    talk.user("Please continue.")
    follow(memory, "gemini-cli")
    said_here = ["I live in York", "I like it", "Please continue."]
    assert said(memory) == [("user", text) for text in said_here]


@pytest.mark.parametrize(
    ("agent", "maker", "event"),
    [
        ("claude-code", ClaudeCode, "UserPromptSubmit"),
        ("codex", Codex, "UserPromptSubmit"),
        ("gemini-cli", Gemini, "BeforeAgent"),
    ],
)
def test_what_an_agent_still_has_before_it_is_not_recalled(
    memory: Memory, root: Path, agent: str, maker: Any, event: str
) -> None:
    def recalled() -> str:
        """What the hook of the agent puts before a prompt."""
        asked = {"prompt": "What colour is my bicycle?", "transcript_path": str(talk.path)}
        env = {"HOME": str(root), "LOXODON_HOME": str(root / "home"), "LANG": "C.UTF-8"}
        given = json.dumps({"session_id": "x", **asked}).encode()
        done = typed("hook", agent, event, env=env, given=given)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    memory.add([{"role": "user", "content": "My bicycle is green"}], session="before")
    talk = maker(root / FOLDERS[agent])
    assert "green" in recalled()
    talk.user("My bicycle is green")
    talk.agent("A nice colour")
    assert "green" not in recalled()
    if agent == "claude-code":
        appended(talk.path, {"type": "system", "subtype": "compact_boundary", "uuid": "x"})
    elif agent == "codex":
        talk.line("compacted", {"message": "a summary"})
    else:
        kept = talk.message("user", "<state_snapshot>bicycle</state_snapshot>")
        appended(talk.path, {"$set": {"messages": [kept]}})
    talk.user("just now")
    assert "green" in recalled()


def test_a_line_that_is_being_written_is_left_for_the_next_time(memory: Memory, root: Path) -> None:
    talk = ClaudeCode(root / ".claude")
    talk.user("one")
    line = json.dumps(talk.line("user", "two"))
    with talk.path.open("a") as file:
        file.write(line[:40])
    assert follow(memory, "claude-code").added == 1
    with talk.path.open("a") as file:
        file.write(line[40:] + "\nbroken\n")
    found = follow(memory, "claude-code")
    assert found.added == 1
    assert [one.line for one in found.problems] == [4]
    talk.user("three")
    assert follow(memory, "claude-code").problems == ()  # what was told is not told again


def test_copies_of_a_session_add_nothing(memory: Memory, root: Path) -> None:
    talk = ClaudeCode(root / ".claude", "z")  # the older one, whatever it is called
    talk.user("one")
    talk.agent("two")
    os.utime(talk.path, (1, 1))
    lines = [json.loads(line) for line in talk.path.read_text().splitlines()][1:]
    resumed = ClaudeCode(root / ".claude", "b")  # with the same ids and times
    appended(resumed.path, *({**line, "sessionId": "b"} for line in lines))
    resumed.count = 2
    resumed.user("three")
    forked = ClaudeCode(root / ".claude", "c")  # with ids of their own
    for line in lines:
        origin = {"sessionId": "z", "messageUuid": line["uuid"]}
        copy = {"uuid": "c" + line["uuid"], "sessionId": "c", "forkedFrom": origin}
        appended(forked.path, line | copy)
    forked.count = 3
    forked.user("four")
    found = follow(memory, "claude-code")
    assert (found.added, found.known) == (4, 4)
    assert [turn.content for turn in memory.journal()] == ["one", "two", "three", "four"]
    assert [turn.session for turn in memory.journal()] == ["z", "z", "b", "c"]
    talk.path.unlink()
    with resumed.path.open("a") as file:
        file.write("\n")
    assert follow(memory, "claude-code").added == 0


def test_a_fork_of_codex_adds_what_is_new(memory: Memory, root: Path) -> None:
    first = Codex(root / ".codex", session="a")
    first.user("one")
    first.agent("two")
    first.user("elsewhere")
    fork = Codex(root / ".codex", session="b", forked_from_id="a")
    fork.line("session_meta", {"id": "a"})
    fork.user("one")
    fork.agent("two")
    fork.user("three")
    found = follow(memory, "codex")
    assert (found.added, found.known) == (4, 2)
    assert [turn.content for turn in memory.journal(session="b")] == ["three"]


def test_a_link_out_of_the_folder_is_not_followed(memory: Memory, root: Path) -> None:
    talk = ClaudeCode(root / "elsewhere")
    talk.user("not mine")
    folder = root / ".claude" / "projects" / "p"
    folder.mkdir(parents=True)
    (folder / "x.jsonl").symlink_to(talk.path)
    found = follow(memory, "claude-code")
    assert found.added == 0
    assert "link" in found.problems[0].what


def test_folders_that_the_environment_names(
    memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotFoundError, match="Codex was not found"):
        follow(memory, "codex")
    monkeypatch.setenv("GEMINI_CLI_HOME", str(root / "g"))
    monkeypatch.setenv("CODEX_HOME", str(root / "c"))
    Gemini(root / "g" / ".gemini").user("one")
    Codex(root / "c").user("two")
    memory.pause()
    assert follow(memory, "codex") == Followed()  # nothing is taken in a pause
    memory.resume()
    assert follow(memory, "gemini-cli").added == 1
    assert follow(memory, "codex").added == 1


def test_add_tells_them_apart(root: Path) -> None:
    for maker in (ClaudeCode, Codex, Gemini):
        talk = maker(root / maker.__name__)
        talk.user("one")
        talk.agent("two")
        assert add(talk.path.read_bytes(), name="x.jsonl").texts == ["one", "two"], maker
