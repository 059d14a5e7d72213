"""What OpenClaw's plugin is answered: the owner gets all, a group nothing private."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from tests.agents.openclaw.made import OpenClaw, talk
from tests.cases import cases
from tests.cli.shell import typed
from tests.clock import NOW
from tests.each import each

OWNER = "agent:main:main"
GROUP = "agent:main:telegram:group:-100"
BY_OWNER = {"channel": "telegram", "sender": "42", "owners": ["telegram:42"]}
BY_STRANGER = {**BY_OWNER, "sender": "666"}
OWNERS = ["telegram:42", "U1"]  # one by a name on one channel, one by a name that counts on all


@pytest.fixture
def asked(memory: Memory) -> Memory:
    memory.capture("用户对花生过敏", importance=1.0)
    memory.capture("The user lives in Hangzhou")
    memory.add(
        [{"role": "user", "content": "Our team meets on Tuesdays", "chat": "group", "id": "g1"}],
        session="team",
    )
    os.makedirs(os.path.join(memory.workspace.path, "memory"))
    _write(memory, "MEMORY.md", "# Mine\nthe safe is behind the clock\nlast line")
    return memory


def _write(memory: Memory, name: str, text: str) -> None:
    with open(os.path.join(memory.workspace.path, name), "w", encoding="utf-8") as file:
        file.write(text)


def _answered(memory: Memory, request: bytes, code: int = 0) -> Any:
    """What `loxodon openclaw answer` says to a request on its standard input."""
    env = {"LOXODON_HOME": memory.home, "LOXODON_NOW": NOW.isoformat(), "LANG": "C.UTF-8"}
    done = typed("openclaw", "answer", "--json", env=env, given=request)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def _ask(memory: Memory, want: str, session: str = OWNER, /, **more: object) -> Any:
    return _answered(memory, json.dumps({"want": want, "session": session, **more}).encode())


def test_a_prompt_has_the_snapshot_and_what_belongs_to_the_message(asked: Memory) -> None:
    found = _ask(asked, "prompt", message="我对什么过敏？")
    assert "花生" in found["system"]
    assert "花生" not in found["context"]  # which the snapshot tells
    assert "快照" in found["system"]


def test_a_session_begins_with_what_was_just_said(asked: Memory) -> None:
    asked.add([{"role": "user", "content": "I am a nurse in Porto", "id": "m1"}], session="s")
    found = _ask(asked, "prompt", message="good morning", history=["hi"])
    assert "nurse" not in found["system"]
    assert "nurse" in _ask(asked, "prompt", message="good morning")["system"]


def test_what_the_agent_has_before_it_is_not_told_again(asked: Memory) -> None:
    asked.add([{"role": "user", "content": "My bicycle is green", "id": "m1"}], session="s")
    said = "What colour is my bicycle?"
    assert "green" in _ask(asked, "prompt", message=said, history=["hi"])["context"]
    found = _ask(asked, "prompt", message=said, history=["My bicycle is green", 7, None])
    assert "green" not in found["context"]


def test_what_openclaw_puts_around_a_message_is_not_looked_up(asked: Memory) -> None:
    asked.add([{"role": "user", "content": "My bicycle is green", "id": "m1"}], session="s")
    block = _ask(asked, "prompt", message="What colour is my bicycle?")["context"]
    said = f"{block}\n\n谢谢"
    assert _ask(asked, "prompt", message=said)["context"] == ""
    poll = "[OpenClaw heartbeat poll] anything about the bicycle or the peanuts?"
    assert _ask(asked, "prompt", message=poll)["context"] == ""


def test_a_group_gets_no_snapshot_and_nothing_private(asked: Memory) -> None:
    for message in ("我对什么过敏？", "Where does the user live?", "the safe behind the clock?"):
        assert _ask(asked, "prompt", GROUP, message=message) == {"system": "", "context": ""}
    assert "Tuesdays" in _ask(asked, "prompt", GROUP, message="When does our team meet?")["context"]


def test_a_private_chat_of_somebody_else_is_no_private_chat_of_the_owner(asked: Memory) -> None:
    """Whatever sessions they are put into: one for each, or one for all."""
    nothing = {"system": "", "context": ""}
    for session in ("agent:main:telegram:direct:666", OWNER):
        assert _ask(asked, "prompt", session, message="我对什么过敏？", **BY_STRANGER) == nothing
        assert _ask(asked, "search", session, query="花生", **BY_STRANGER)["results"] == []
        assert _ask(asked, "get", session, path="MEMORY.md", **BY_STRANGER)["text"] == ""
        assert (
            "花生" in _ask(asked, "prompt", session, message="我对什么过敏？", **BY_OWNER)["system"]
        )


def test_a_message_that_says_it_is_of_a_group_is_believed(asked: Memory) -> None:
    said = (
        "Conversation info (untrusted metadata):\n```json\n"
        '{"sender": "小梅", "is_group_chat": true}\n```\n\n我对什么过敏？'
    )
    assert _ask(asked, "prompt", message=said) == {"system": "", "context": ""}


def test_a_search_gives_what_openclaw_expects(asked: Memory) -> None:
    found = _ask(asked, "search", query="花生", maxResults=1)["results"]
    assert len(found) == 1
    assert found[0]["snippet"] == "用户对花生过敏"
    assert found[0]["score"] == 1.0
    assert found[0]["id"] == found[0]["path"]
    got = _ask(asked, "get", path=found[0]["path"])
    assert got["text"] == "用户对花生过敏"


def test_a_corpus_narrows_a_search(asked: Memory) -> None:
    def kinds(corpus: str) -> set[str]:
        found = _ask(asked, "search", query="team Hangzhou", corpus=corpus)
        return {one["kind"] for one in found["results"]}

    assert kinds("wiki") == set()
    assert kinds("sessions") == {"turn"}
    assert kinds("memory") == {"fact"}
    assert kinds("all") == {"fact", "turn"}


def test_a_group_finds_nothing_private(asked: Memory) -> None:
    assert _ask(asked, "search", GROUP, query="花生 Hangzhou safe clock")["results"] == []
    fact = asked.list(limit=1)[0]
    turn = asked.journal()[0]
    for wanted in (
        {"id": fact.id},
        {"path": fact.id},
        {"id": turn.ref},
        {"path": "MEMORY.md"},
        {"path": "USER.md"},
        {"path": "memory/insights.md"},
    ):
        assert _ask(asked, "get", GROUP, **wanted)["status"] == "not_found"
    group = next(turn for turn in asked.journal() if turn.chat == "group")
    assert _ask(asked, "get", GROUP, id=group.ref)["text"] == "Our team meets on Tuesdays"


def test_lines_of_a_file(asked: Memory) -> None:
    found = _ask(asked, "get", path="MEMORY.md", **{"from": 2, "lines": 1})
    assert found["text"] == "the safe is behind the clock"
    assert found["totalLines"] == 3
    assert _ask(asked, "get", path="./memory/../MEMORY.md")["lines"] == 3
    assert _ask(asked, "get", path="MEMORY.md", **{"from": 99})["text"] == ""


def test_no_file_outside_the_workspace_is_read(asked: Memory, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("s3cret")
    root = Path(asked.workspace.path)
    (root / "link.md").symlink_to(secret)
    (root / "up").symlink_to(tmp_path)
    (root / ".hidden").mkdir()
    (root / ".hidden" / "x.md").write_text("s3cret")
    (root / "key.pem").write_text("s3cret")
    os.mkfifo(root / "pipe.md")
    odd = ("pipe.md", "memory", "", ".", "nul\0.md", "x" * 5_000 + ".md", "nothing.md")
    outside = ("link.md", "up/secret.md", "../secret.md", str(secret), ".hidden/x.md", "key.pem")
    for path in outside + odd:
        found = _ask(asked, "get", path=path)
        assert found["status"] == "not_found", path
        assert found["text"] == ""


def test_notes_are_found_as_they_are_written(asked: Memory, tmp_path: Path) -> None:
    def found(query: str) -> list[str]:
        return [one["path"] for one in _ask(asked, "search", query=query)["results"]]

    _write(asked, "memory/2026-05-10.md", "The boiler was serviced by Mr Okafor")
    assert found("boiler Okafor") == ["memory/2026-05-10.md"]
    _write(asked, "memory/2026-05-11.md", "The roof was mended by Ms Lindqvist")
    claw = OpenClaw(tmp_path / "claw")
    claw.file("s1", talk("Hello"), "agent:main:main")
    _ask(asked, "turn", state=str(claw.root))
    assert "2026-05-11.md" in {os.path.basename(one.file) for one in asked.workspace.sources()}
    _write(asked, "memory/2026-05-12.md", "The fence was painted by Mr Haddad")
    asked.consolidate(force=True)
    assert "2026-05-12.md" in {os.path.basename(one.file) for one in asked.workspace.sources()}
    assert found("fence Haddad")[0] == "memory/2026-05-12.md"


def test_what_openclaw_loads_by_itself_is_not_put_before_a_message_again(asked: Memory) -> None:
    _write(asked, "memory/2026-05-10.md", "the spare safe is behind the mirror")
    said = "Where is the safe?"
    assert "clock" in json.dumps(_ask(asked, "search", query=said))
    context = _ask(asked, "prompt", message=said)["context"]
    assert "mirror" in context
    assert "clock" not in context
    _write(asked, "MEMORY.md", "# Mine\nthe safe is behind the clock\n" + "\n\nMore of it." * 2_000)
    asked.workspace.index()
    assert "clock" in _ask(asked, "prompt", message=said)["context"]  # OpenClaw cuts it


def test_an_agent_reads_its_own_workspace(asked: Memory, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "MEMORY.md").write_text("the boat is called Ondine")
    assert "safe" in _ask(asked, "get", path="MEMORY.md", workspace=str(other))["text"]
    config = os.path.join(asked.home, "config.toml")
    with open(config, "w", encoding="utf-8") as file:
        file.write(f'[workspace]\nothers = "{other}"\n')
    got = _ask(asked, "get", path="MEMORY.md", workspace=str(other))
    assert got["text"] == "the boat is called Ondine"
    assert "Ondine" in json.dumps(_ask(asked, "search", query="boat"))
    assert "safe" in _ask(asked, "get", path="MEMORY.md")["text"]


# What is remembered


def test_what_the_user_just_said_can_be_remembered_as_a_fact(asked: Memory, tmp_path: Path) -> None:
    claw = OpenClaw(tmp_path / "claw")
    claw.file("s1", talk("My cat is called Momo, remember that"), "agent:main:main")
    more = {"state": str(claw.root), "agent": "main"}
    kept = _ask(asked, "remember", text="The user's cat is called Momo", importance=0.9, **more)
    assert (kept["status"], kept["kind"]) == ("ok", "fact")
    assert asked.get(kept["id"]).importance == 0.9
    supposed = _ask(asked, "remember", text="The user owns a yacht", importance="much", **more)
    assert supposed["kind"] == "belief"


def test_nobody_else_has_something_remembered(asked: Memory, tmp_path: Path) -> None:
    claw = OpenClaw(tmp_path / "claw")
    claw.file("s1", talk("Hello"), "agent:main:main")
    before = len(asked.list())
    for session, who in ((GROUP, BY_OWNER), (OWNER, BY_STRANGER)):
        more = {"state": str(claw.root), **who}
        assert _ask(asked, "remember", session, text="I own a yacht", **more)["status"] == "refused"
    assert len(asked.list()) == before


def test_commands_of_a_person(asked: Memory) -> None:
    def say(name: str, args: str = "", session: str = OWNER, /, **who: object) -> str:
        return str(_ask(asked, "command", session, name=name, args=args, **who)["text"])

    fact = next(one for one in asked.list() if "花生" in one.content)
    assert f"用户对花生过敏 ({fact.created_at:%Y-%m-%d}, {fact.id})" in say("recall", "花生")
    assert "花生" not in say("recall", "花生", GROUP)
    assert "花生" not in say("recall", "花生", OWNER, **BY_STRANGER)
    assert "food" in say("tag", f"{fact.id} +food")
    assert asked.get(fact.id).tags[-1] == "food"
    assert "花生" in say("refresh")
    for name in ("tag", "refresh"):
        assert "private" in say(name, f"{fact.id} -food", GROUP)
    assert asked.get(fact.id).tags[-1] == "food"
    for name, args in (
        ("recall", ""),
        ("tag", fact.id),
        ("tag", "f_1 +a"),
        ("tag", f"{fact.id} x"),
    ):
        assert say(name, args)
    with pytest.raises(AssertionError, match="unknown request"):
        say("forget", fact.id)


@each(("key", "channel", "sender", "chat"), cases(__file__, "chat"))
def test_only_chats_that_are_plainly_private_are(
    asked: Memory, key: str, channel: str, sender: str, chat: str
) -> None:
    who = {"channel": channel, "sender": sender, "owners": OWNERS}
    assert _ask(asked, "chat", key, **who) == {"chat": chat}


@each(("given", "chat"), cases(__file__, "who_is_the_owner"))
def test_who_is_the_owner(asked: Memory, given: dict[str, object], chat: str) -> None:
    who = {"channel": "telegram", "sender": "42"}
    assert _ask(asked, "chat", OWNER, **who, **given) == {"chat": chat}
    home = {**who, **given, "main": "home"}  # as the main session may be called
    assert _ask(asked, "chat", "agent:main:home", **home) == {"chat": chat}


def test_requests_that_make_no_sense_are_refused(memory: Memory) -> None:
    assert _answered(memory, b'{"want": "chat"}') == {"chat": "group"}
    for want in ("", "forget", None, 7):
        _answered(memory, json.dumps({"want": want, "session": OWNER}).encode(), code=4)
    for nonsense in (b"", b"[]", b"{", b"\xff", b"[" * 100_000):
        _answered(memory, nonsense, code=4)
