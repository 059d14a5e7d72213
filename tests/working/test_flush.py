"""When what matters is saved, what a model's notes become, and silence."""

from __future__ import annotations

from collections.abc import Sequence
from email.message import Message as Headers
from urllib.error import HTTPError

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon import Memory
from loxodon.config import PromptsConfig
from loxodon.errors import RejectedModelError
from loxodon.working import SILENCE, Hush, Message, Shown, flush_due, is_silent
from loxodon.working.flush import notes_in, save, silent_turn
from loxodon.working.model import careful
from tests.clock import NOW
from tests.each import each
from tests.models.server import Stage
from tests.working.talk import asking, assistant, user


def test_it_is_due_near_the_limit_once_a_cycle() -> None:
    assert not flush_due(175_999, 176_000, 0, None)
    assert flush_due(176_000, 176_000, 0, None)
    assert not flush_due(180_000, 176_000, 0, 0)
    assert flush_due(180_000, 176_000, 1, 0)
    assert not flush_due(180_000, 176_000, 1, 1)


@each(
    "text",
    [
        "NO_REPLY",
        " no_reply\n",
        "`NO_REPLY`",
        "**NO_REPLY**.",
        "“NO_REPLY”",
        "No reply",
        "",
        " \n",
        "<think>hm, well</think>\nNO_REPLY",
    ],
)
def test_silence(text: str) -> None:
    assert is_silent(text)
    hush = Hush()
    shown = "".join(hush.feed(letter) for letter in text) + hush.end()
    assert hush.silent or "<think>" in text
    assert shown in ("", text)


@pytest.mark.parametrize("text", ["NO", "NO_REPLY_YET", "I say NO_REPLY", "没有", "NO_REPLY 好的"])
def test_words_that_are_no_silence(text: str) -> None:
    assert not is_silent(text)


@given(st.text(), st.lists(st.integers(1, 5), max_size=30))
def test_a_stream_loses_nothing_but_silence(text: str, cuts: list[int]) -> None:
    hush = Hush()
    shown, rest = "", text
    for size in cuts:
        piece, rest = rest[:size], rest[size:]
        shown += hush.feed(piece)
        assert text.startswith(shown)
    shown += hush.feed(rest) + hush.end()
    assert shown == text or (shown == "" and is_silent(text))


def test_words_come_as_they_arrive() -> None:
    hush = Hush()
    assert [hush.feed(piece) for piece in ("N", "O", "t", " at all")] == ["", "", "NOt", " at all"]
    assert hush.end() == ""


@each(
    ("reply", "notes"),
    [
        ("NO_REPLY", []),
        (
            "- The user lives in Leeds.\n* 用户对花生过敏。\n",
            ["The user lives in Leeds.", "用户对花生过敏。"],
        ),
        ("Here are my notes:\n1. One fact here.\n2) Two facts.", ["One fact here.", "Two facts."]),
        ("The user lives in Leeds.", ["The user lives in Leeds."]),
        ("## Notes\n- **The user lives in Leeds.**\n- NO_REPLY", ["The user lives in Leeds."]),
        ("<think>- not this</think>- The user ran.\n- The user ran.", ["The user ran."]),
        ("- " + "x" * 900, []),
    ],
)
def test_notes_in_an_answer(reply: str, notes: list[str]) -> None:
    assert notes_in(reply) == notes


def test_there_is_an_end_to_notes() -> None:
    assert len(notes_in("\n".join(f"- note number {n}" for n in range(900)))) == 40


def test_the_words_of_the_silent_turn_can_be_ones_own(server: Stage) -> None:
    server.play("NO_REPLY")
    own = PromptsConfig(flush_system="Be a clerk.", flush="Note it, {today}, or say {silence}.")
    assert silent_turn(asking(server), [user("I live in Leeds.")], NOW, "en", own) == []
    sent = [message["content"] for message in server.requests[0].body["messages"]]
    assert sent[1:] == ["Be a clerk.", f"Note it, 2026-02-04, or say {SILENCE}."]


def test_the_silent_turn_comes_after_the_conversation(server: Stage) -> None:
    server.play("- The user lives in Leeds.")
    talk = [{"role": "system", "content": "be kind"}, user("I live in Leeds.")]
    assert silent_turn(asking(server), talk, NOW, "en") == ["The user lives in Leeds."]
    sent = server.requests[0].body["messages"]
    assert sent[:2] == talk
    assert [message["role"] for message in sent[2:]] == ["system", "user"]
    assert "2026-02-04" in sent[-1]["content"]
    assert SILENCE in sent[-1]["content"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_notes_become_memories_once(memory: Memory, language: str) -> None:
    said, note = {
        "en": ("I moved to Leeds in March. I work at Acme.", "The user moved to Leeds in March."),
        "zh": ("我三月搬到了杭州，在阿里上班。", "用户三月搬到了杭州"),
    }[language]
    shown = [Shown("a", user(said)), Shown("b", assistant("OK"))]
    (id,) = save(memory, [note], shown)
    record = memory.get(id)
    assert (record.kind, record.trust, record.content) == ("fact", "assistant", note)
    assert save(memory, [note], shown) == []


def test_what_was_not_said_is_no_fact(memory: Memory) -> None:
    shown = [Shown("a", user("I moved to Leeds in March, and I work at Acme."))]
    unsure, made_up = "The user moved to Leeds in 2019.", "Kubernetes pods restart hourly."
    (id,) = save(memory, [unsure, made_up], shown)
    assert (memory.get(id).kind, memory.get(id).content) == ("belief", unsure)


def refused_by_httpx(status: int) -> Exception:
    request = httpx.Request("POST", "http://127.0.0.1/v1/chat/completions")
    answer = httpx.Response(status, request=request)
    return httpx.HTTPStatusError("no", request=request, response=answer)


@pytest.mark.parametrize(
    "refusal",
    [
        RejectedModelError("the model's server rejected the request (HTTP {status})"),
        refused_by_httpx(400),
        refused_by_httpx(500),
        HTTPError("http://127.0.0.1/", 422, "no", Headers(), None),
    ],
    ids=["ours", "httpx", "llama.cpp", "urllib"],
)
def test_a_server_that_refuses_a_late_system_message_gets_another(
    server: Stage, refusal: Exception
) -> None:
    ask = asking(server)

    def strict(messages: Sequence[Message]) -> str:
        if any(message["role"] == "system" for message in messages[1:]):
            raise refusal
        return ask(messages)

    server.play("NO_REPLY")
    assert silent_turn(careful(strict), [user("hi")], NOW, "zh") == []
    assert [m["role"] for m in server.requests[0].body["messages"]] == ["user"]
