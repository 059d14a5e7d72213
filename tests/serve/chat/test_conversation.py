"""A conversation: what the model gets, what is kept, and what becomes of a failure."""

from __future__ import annotations

from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from loxodon import Memory
from loxodon.config import ChatConfig
from loxodon.errors import ConfigError, UsageError
from loxodon.models.stream import StreamPiece
from loxodon.serve.chat.conversation import Conversation, Reply
from tests.models.server import KEY, Stage, answers, events, piece, says, streams


def talk(memory: Memory, server: Stage, window: int = 0, **values: Any) -> Conversation:
    config = ChatConfig(f"http://127.0.0.1:{server.port}/v1", "test", KEY, 60.0)
    return Conversation(memory, "chat", window, lambda: config._replace(**values), nullcontext)


def say(chat: Conversation, message: str) -> Reply:
    shown: list[StreamPiece] = []
    reply = chat.say(message, shown.append)
    assert "".join(one.text for one in shown if not one.thought) == reply.text
    return reply


def said(memory: Memory) -> list[tuple[str, str]]:
    return [(turn.role, turn.content) for turn in memory.journal()]


def last(server: Stage) -> str:
    return str(server.requests[-1].body["messages"][-1]["content"])


def test_both_sides_are_journalled(memory: Memory, server: Stage) -> None:
    server.play(streams("记住", "了。"))
    chat = talk(memory, server)
    assert say(chat, "我对花生过敏").text == "记住了。"
    chat.close()
    turns = memory.journal(session=chat.session.name)
    assert [(one.role, one.content) for one in turns] == [
        ("user", "我对花生过敏"),
        ("assistant", "记住了。"),
    ]
    assert all(one.id for one in turns)


def test_the_model_gets_what_is_remembered(memory: Memory, server: Stage) -> None:
    memory.capture("User's cat is called Snowy", importance=0.9)
    server.play(streams("Snowy."))
    chat = talk(memory, server)
    say(chat, "What is my cat called?")
    chat.close()
    system, asked = server.requests[-1].body["messages"]
    assert "long-term memory" in system["content"]
    assert "2026-02-04" in system["content"]
    assert "[Related memories]" in asked["content"]
    assert "Snowy" in asked["content"]
    assert asked["content"].endswith("[User message]\n\nWhat is my cat called?")
    assert chat.frame is not None
    assert chat.frame.gate.recall


def test_memories_stay_in_view_while_a_topic_lasts(memory: Memory, server: Stage) -> None:
    memory.capture("User's cat is called Snowy", importance=0.9)
    server.play(streams("Snowy."))
    chat = talk(memory, server)
    say(chat, "What is my cat called?")
    say(chat, "ok, thanks")
    chat.close()
    assert chat.frame is not None
    assert not chat.frame.gate.recall
    assert "Snowy" in last(server).partition("[User message]")[0]
    assert [item.content for one in chat.carried for item in one.items]


def test_a_soul_says_who_it_is(memory: Memory, server: Stage) -> None:
    (Path(memory.home) / "SOUL.md").write_text("You are Bruno, a sailor.", "utf-8")
    server.play(streams("Ahoy."))
    chat = talk(memory, server)
    say(chat, "Hello there")
    chat.close()
    assert server.requests[0].body["messages"][0]["content"].startswith("You are Bruno")


def test_a_failure_keeps_what_was_said_and_it_is_asked_again(memory: Memory, server: Stage) -> None:
    server.play(answers(503), answers(503), streams("Here."))
    chat = talk(memory, server)
    first = say(chat, "Are you there?")
    assert (first.text, first.error and first.error.code) == ("", "busy_model")
    assert said(memory) == [("user", "Are you there?")]
    assert chat.again(lambda _: None).error is not None
    assert chat.again(lambda _: None).text == "Here."
    chat.close()
    assert said(memory) == [("user", "Are you there?"), ("assistant", "Here.")]
    with pytest.raises(UsageError, match="nothing to retry"):
        chat.again(lambda _: None)


def test_what_came_before_a_cut_is_kept(memory: Memory, server: Stage) -> None:
    server.play(events(piece("Half a")), streams("A whole sentence."))
    chat = talk(memory, server)
    reply = say(chat, "Say something")
    assert (reply.text, reply.error and reply.error.code) == ("Half a", "unreachable_model")
    chat.again(lambda _: None)
    chat.close()
    roles = [one["role"] for one in server.requests[-1].body["messages"]]
    assert roles == ["system", "user"]  # it is asked anew, not to go on
    assert said(memory)[1:] == [("assistant", "Half a"), ("assistant", "A whole sentence.")]


def test_a_model_that_says_nothing(memory: Memory, server: Stage) -> None:
    server.play(streams("<think>hm</think>", " "))
    chat = talk(memory, server)
    reply = chat.say("Well?", lambda _: None)
    assert reply.error is not None
    assert reply.error.code == "bad_reply"
    assert said(memory) == [("user", "Well?")]


def test_an_interrupt_keeps_what_was_said_so_far(memory: Memory, server: Stage) -> None:
    server.play(events(piece("Once"), then=lambda: server.over.wait(60)))

    def show(piece: StreamPiece) -> None:
        raise KeyboardInterrupt

    chat = talk(memory, server)
    reply = chat.say("A story", show)
    chat.close()
    assert reply.stopped
    assert said(memory) == [("user", "A story"), ("assistant", "Once")]


def test_what_nobody_reads_is_kept_all_the_same(memory: Memory, server: Stage) -> None:
    server.play(events(piece("Once"), then=lambda: server.over.wait(60)))

    def show(piece: StreamPiece) -> None:
        raise BrokenPipeError

    chat = talk(memory, server)
    with pytest.raises(BrokenPipeError):
        chat.say("A story", show)
    chat.close()
    assert said(memory) == [("user", "A story"), ("assistant", "Once")]


def test_without_a_model_nothing_is_said(memory: Memory, server: Stage) -> None:
    chat = talk(memory, server, base_url="")
    with pytest.raises(ConfigError, match="no chat model is configured"):
        chat.say("Hello", lambda _: None)
    assert said(memory) == []


def test_a_memory_that_fails_is_not_in_the_way(
    memory: Memory, server: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.play(streams("Hello."))
    chat = talk(memory, server)
    monkeypatch.setattr(memory, "assemble", lambda *_, **__: memory.get("f_20260204_999"))
    assert say(chat, "Hello there").text == "Hello."
    assert chat.problem is not None
    assert said(memory) == [("user", "Hello there"), ("assistant", "Hello.")]
    chat.close()


def test_a_long_conversation_is_summed_up(memory: Memory, server: Stage) -> None:
    server.play(answering)
    chat = talk(memory, server, window=2_000)
    done = []
    for n in range(12):
        say(chat, f"Number {n}: " + "the quick brown fox jumps over the lazy dog. " * 12)
        chat.settle()
        done.append(chat.kept_up())
    chat.close()
    assert any(one.summed_up for one in done)
    assert chat.session.tokens < 2_000
    assert len(memory.journal(session=chat.session.name)) == 24


def test_what_was_in_view_is_recalled_once_it_is_summed_up(memory: Memory, server: Stage) -> None:
    server.play(streams("ok"))
    chat = talk(memory, server)
    say(chat, "My dog is called Rex.")
    say(chat, "What is my dog called?")
    assert chat.frame is not None
    assert not chat.frame.memories  # it is in view
    for n in range(3):
        say(chat, f"Number {n}: " + "the quick brown fox jumps over the lazy dog. " * 12)
    chat.settle()
    assert chat.session.compact()
    assert not any("Rex" in text for text in chat.said)
    say(chat, "What is my dog called?")
    chat.close()
    assert "Rex" in chat.frame.memories + chat.frame.recent


def answering(handler: BaseHTTPRequestHandler) -> None:
    streams("Number ", "noted.")(handler)


def test_a_message_that_is_too_long_for_the_model_is_sent_shorter(
    memory: Memory, server: Stage
) -> None:
    refused = answers(400, b'{"error": {"message": "maximum context length is 1000 tokens"}}')
    chat = talk(memory, server)
    server.play(streams("ok"))
    for n in range(6):
        say(chat, f"Number {n}: " + "the quick brown fox jumps over the lazy dog. " * 12)
    chat.settle()
    server.play(refused, refused, streams("Now it fits."))
    assert say(chat, "And now?").text == "Now it fits."
    chat.close()
    sent = [
        sum(len(one["content"]) for one in request.body["messages"])
        for request in (server.requests[6], server.requests[-1])
    ]
    assert sent[1] < sent[0]


def test_a_new_conversation(memory: Memory, server: Stage) -> None:
    server.play(streams("Yes."))
    chat = talk(memory, server)
    say(chat, "One thing")
    before = chat.session.name
    chat.new()
    assert (chat.said, chat.frame, chat.session.name != before) == ([], None, True)
    say(chat, "Another thing")
    chat.close()
    assert len(server.requests[-1].body["messages"]) == 2
    assert len(said(memory)) == 4


def test_the_end_does_not_wait_for_a_model_that_sums_up(memory: Memory, server: Stage) -> None:
    def scene(handler: BaseHTTPRequestHandler) -> None:
        if "Number" in server.requests[-1].body["messages"][-1]["content"][:8]:
            streams("noted")(handler)
        else:  # the silent turn
            summing.set()
            server.over.wait(60)
            waited.set()

    summing, waited = Event(), Event()
    server.play(scene)
    chat = talk(memory, server, window=8_000, timeout=600.0)
    n = 0
    while not summing.is_set():
        say(chat, f"Number {n}: " + "the quick brown fox jumps over the lazy dog. " * 60)
        n += 1
        if chat.session.tokens >= chat.session.limits.flush_at:
            assert summing.wait(60)
    chat.close()
    assert not waited.is_set()
    assert len(memory.journal(session=chat.session.name)) == 2 * n


def test_a_server_that_answers_all_at_once(memory: Memory, server: Stage) -> None:
    server.play(says("All at once."))
    chat = talk(memory, server)
    assert say(chat, "Hello there").text == "All at once."
    chat.close()
