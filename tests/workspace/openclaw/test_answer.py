"""What OpenClaw's plugin is answered: the owner gets all, a group nothing private."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import InputError
from loxodon.workspace.openclaw.answer import answer

OWNER = "agent:main:main"
GROUP = "agent:main:telegram:group:-100"


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


def _ask(memory: Memory, want: str, session: str = OWNER, /, **more: object) -> Any:
    return answer(memory.workspace, {"want": want, "session": session, **more})


def test_a_prompt_has_the_snapshot_and_what_belongs_to_the_message(asked: Memory) -> None:
    found = _ask(asked, "prompt", message="我对什么过敏？")
    assert "花生" in found["system"]
    assert "花生" in found["context"]
    assert "快照" in found["system"]
    assert "Hangzhou" in _ask(asked, "prompt", message="Where does the user live?")["context"]


def test_thanks_recall_nothing(asked: Memory) -> None:
    assert _ask(asked, "prompt", message="谢谢")["context"] == ""


def test_what_the_agent_has_before_it_is_not_told_again(asked: Memory) -> None:
    asked.add([{"role": "user", "content": "My bicycle is green", "id": "m1"}], session="s")
    said = "What colour is my bicycle?"
    assert "green" in _ask(asked, "prompt", message=said)["context"]
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


def test_a_message_that_says_it_is_of_a_group_is_believed(asked: Memory) -> None:
    said = (
        "Conversation info (untrusted metadata):\n```json\n"
        '{"sender": "小梅", "is_group_chat": true}\n```\n\n我对什么过敏？'
    )
    assert _ask(asked, "prompt", message=said) == {"system": "", "context": ""}


def test_odd_messages_do_no_harm(asked: Memory) -> None:
    for message in ("", "\0", "🐘" * 50_000, "\u202e abc", "a\r\nb", None, 7, ["x"]):
        assert "context" in _ask(asked, "prompt", message=message, history=message)


def test_an_empty_memory_has_nothing_to_say(memory: Memory) -> None:
    assert _ask(memory, "prompt", message="What do you know?") == {"system": "", "context": ""}


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


@pytest.mark.parametrize("odd", [None, "x", -1, 0, 10**9, float("nan"), float("inf"), [], True])
def test_odd_numbers_do_no_harm(asked: Memory, odd: object) -> None:
    found = _ask(asked, "search", query="花生", maxResults=odd, minScore=odd)
    assert isinstance(found["results"], list)
    assert _ask(asked, "get", path="MEMORY.md", **{"from": odd, "lines": odd})["status"] == "ok"


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


def test_an_odd_file_is_read_as_it_is(asked: Memory) -> None:
    path = os.path.join(asked.workspace.path, "odd.md")
    with open(path, "wb") as file:
        file.write(b"\xef\xbb\xbffirst\r\n\xff\xfe second\x00\n")
    assert _ask(asked, "get", path="odd.md")["text"].startswith("first\n")


def test_who_hears_it(asked: Memory) -> None:
    assert _ask(asked, "chat") == {"chat": "direct"}
    assert _ask(asked, "chat", GROUP) == {"chat": "group"}
    assert answer(asked.workspace, {"want": "chat"}) == {"chat": "group"}


def test_what_nobody_knows_is_refused(memory: Memory) -> None:
    for want in ("", "forget", None, 7):
        with pytest.raises(InputError):
            answer(memory.workspace, {"want": want, "session": OWNER})
