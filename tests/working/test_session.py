"""A session as an agent's loop uses it: real files, a real memory, a real server as its model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loxodon import Memory
from loxodon.errors import InputError, LoxodonError
from loxodon.working import Message, Session
from loxodon.working.pruning import CLEARED
from tests.clock import Clock
from tests.long import count
from tests.models.server import Stage, answers, says
from tests.working.talk import asking, calls, on_disk, result, user, well_paired

TALK = [
    "我对花生过敏，点菜的时候请注意。",
    "数据库我们决定用 PostgreSQL，因为需要事务。",
    "My sister Anna moved to Leeds in March.",
    "部署脚本在 /opt/acme/deploy.sh，端口是 8443。",
    "What do you think about the plan for Friday, shall we go ahead with it?",
]


def chatter(session: Session, turns: int, more: str = "", **given: Any) -> None:
    for n in range(turns):
        session.prepare(f"{TALK[n % len(TALK)]} ({n})", **given)
        session.finish(f"OK, noted, number {n}. " + TALK[(n + 2) % len(TALK)] + more)


def until_compacted(session: Session) -> None:
    while session.compacted is None:
        chatter(session, len(TALK), more=" It is as we said before." * 6)


def of_type(session: Session, type: str) -> list[dict[str, Any]]:
    return [entry for entry in on_disk(session) if entry["type"] == type]


# --- What is sent and kept ------------------------------------------------------------------------


def test_a_conversation_goes_on(memory: Memory) -> None:
    session = Session.open(memory)
    first = session.prepare("我叫小明", system="你是助手。")
    assert first == [{"role": "system", "content": "你是助手。"}, user("我叫小明")]
    session.finish("你好，小明。", {"prompt_tokens": 30, "completion_tokens": 6})
    again = Session.open(memory)
    sent = again.prepare("我叫什么？", before="[相关记忆]\n用户叫小明")
    assert sent[:2] == [user("我叫小明"), {"role": "assistant", "content": "你好，小明。"}]
    assert sent[2] == user("[相关记忆]\n用户叫小明\n\n我叫什么？")
    entry = again.about
    assert (entry["inputTokens"], entry["outputTokens"]) == (30, 6)
    assert entry["contextTokens"] > 10
    assert "[相关记忆]" not in json.dumps(on_disk(again), ensure_ascii=False)


def test_a_tool_is_called_and_answers(memory: Memory) -> None:
    session = Session.open(memory)
    session.prepare("what is the time?", system="be brief", before="[recalled]")
    session.finish(calls("1", name="clock"))
    session.add(result("1", "10:30"))
    sent = session.prepare()
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool"]
    assert sent[1]["content"] == "[recalled]\n\nwhat is the time?"
    session.finish("10:30")
    assert well_paired(sent)


def test_both_sides_are_journalled_once(memory: Memory) -> None:
    session = Session.open(memory, "telegram")
    session.prepare("I live in Leeds.")
    session.finish(calls("1"))
    session.add(result("1", "a tool's words"))
    session.prepare()
    session.finish("Lovely.")
    session.prepare("Good night.")
    session.finish("NO_REPLY")
    turns = memory.journal(session=session.name)
    assert [turn.content for turn in turns] == ["I live in Leeds.", "Lovely.", "Good night."]
    again = Session.open(memory, "telegram")
    again.prepare("Hello.")
    assert len(memory.journal(session=again.name)) == 4


def test_what_was_not_journalled_because_of_a_kill_is_later(memory: Memory) -> None:
    session = Session.open(memory, journal=False)
    session.prepare("I live in Leeds.")
    again = Session.open(memory)
    again.prepare("And you?")
    turns = [turn.content for turn in memory.journal(session=again.name)]
    assert turns == ["I live in Leeds.", "And you?"]


def test_a_group_is_told_apart(memory: Memory) -> None:
    session = Session.open(memory, "room", chat="group")
    session.prepare({"role": "user", "name": "bob", "content": "I live in Leeds."})
    (turn,) = memory.journal(session=session.name)
    assert (turn.chat, turn.origin, turn.speaker) == ("group", "group", "bob")


def test_begun_anew_nothing_of_before_is_seen(memory: Memory) -> None:
    session = Session.open(memory)
    chatter(session, 2)
    old = session.id
    session.new()
    assert session.prepare("hi") == [user("hi")]
    rows = memory.store.working_sessions
    assert rows is not None
    assert len(rows.lines(old)) == 5
    assert Session.open(memory).id == session.id


def test_notes_of_programs(memory: Memory) -> None:
    session = Session.open(memory)
    session.note("ui", {"colour": "red"})
    session.note("clock", "It is 10:30.", shown=True)
    assert session.prepare("hi") == [user("It is 10:30.\n\nhi")]
    with pytest.raises(InputError):
        session.note("clock", {"not": "text"}, shown=True)


@pytest.mark.parametrize("bad", [{"role": "alien"}, {"role": "user", "content": {1}}, 7])
def test_bad_messages_are_refused_and_leave_nothing(memory: Memory, bad: Any) -> None:
    session = Session.open(memory)
    with pytest.raises(InputError):
        session.prepare(bad)
    assert len(on_disk(session)) == 1
    assert session.prepare("hi") == [user("hi")]


def test_words_that_the_journal_cannot_take_stop_nothing(memory: Memory) -> None:
    session = Session.open(memory)
    for text in ("half \ud83d", "nul \0", "   ", "\x85\u2028", "x" * 5_000_000, "fine"):
        assert session.prepare(text)
        session.finish("ok")
    assert "fine" in [turn.content for turn in memory.journal(session=session.name)]


def test_a_memory_that_fails_is_not_in_the_way(memory: Memory) -> None:
    session = Session.open(memory)
    memory.close()
    assert session.prepare("hi") == [user("hi")]
    session.finish("hello")
    assert session.problem


def test_a_clock_that_jumps_does_no_harm(memory: Memory, clock: Clock) -> None:
    session = Session.open(memory, window=4_000)
    for days in (365, -730, 365):
        chatter(session, 8)
        clock.pass_days(days)
    assert well_paired(session.prepare("hi"))


# --- Flush and compaction -------------------------------------------------------------------------


def test_what_matters_is_saved_before_it_is_summed_up(memory: Memory) -> None:
    session = Session.open(memory, window=3_000)
    until_compacted(session)
    assert session.flushed
    assert session.flushed.learned > 0
    assert _most_flushes(on_disk(session)) == 1
    assert memory.recall("花生", kind="fact").items[0].content == "用户对花生过敏"
    (entry,) = of_type(session, "compaction")
    assert entry["tokensBefore"] > 2_000
    assert "花生" in entry["summary"]
    kept = [one["id"] for one in on_disk(session)]
    assert entry["firstKeptEntryId"] in kept
    about = Session.open(memory).about
    assert (about["compactionCount"], about["memoryFlushCompactionCount"]) == (1, 0)
    assert about["memoryFlushAt"]


def test_the_agents_own_model_saves_and_sums_up(memory: Memory, server: Stage) -> None:
    server.play(
        "- The user lives on the moon.\n- The plan for Friday may go ahead.",
        "Goal: a plan for Friday.",
    )
    session = Session.open(memory, window=3_000, ask=asking(server))
    until_compacted(session)
    assert session.flushed
    (noted,) = [memory.get(id) for id in session.flushed.noted]
    assert (noted.content, noted.trust) == ("The plan for Friday may go ahead.", "assistant")
    assert session.compacted
    assert session.compacted.by_model
    assert "Goal: a plan for Friday." in session.shown[0].message["content"]
    turn, summary = (request.body["messages"] for request in server.requests)
    assert turn[0]["role"] == "user"  # the conversation, and the request at its end
    assert "NO_REPLY" in turn[-1]["content"]
    assert [message["role"] for message in summary] == ["system", "user"]
    assert "花生" in summary[1]["content"]


@pytest.mark.parametrize("status", [401, 429, 500])
def test_a_model_that_fails_costs_nothing_but_its_notes(
    memory: Memory, server: Stage, status: int
) -> None:
    server.play(answers(status, b"no"))
    session = Session.open(memory, window=3_000, ask=asking(server))
    until_compacted(session)
    assert session.compacted
    assert not session.compacted.by_model
    assert session.problem
    assert memory.recall("花生", kind="fact").items[0].content == "用户对花生过敏"


def test_the_memorys_model_sums_up_where_it_may_read_all(tmp_path: Path, server: Stage) -> None:
    for mode, by_model in (("full", True), ("residue", False)):
        server.play(says({"summary": "Goal: a plan."}))
        config = {
            "model.base_url": f"http://127.0.0.1:{server.port}/v1",
            "model.name": "m",
            "model.extraction": mode,
            "model.retries": 0,
        }
        with Memory.open(tmp_path / mode, config=config) as memory:
            session = Session.open(memory, window=3_000)
            chatter(session, 4)
            compacted = session.compact()
            assert compacted
            assert compacted.by_model == by_model


def test_repeated_compactions_fold_the_summary_in(memory: Memory) -> None:
    session = Session.open(memory, window=3_000)
    session.prepare("Remember: my boat is called Ondine.")
    session.finish("A fine name.")
    for _ in range(3):
        chatter(session, 6)
        assert session.compact()
    assert len(of_type(session, "compaction")) >= 3
    assert "Ondine" in session.shown[0].message["content"]
    assert len([one for one in session.shown if one.kind == "summary"]) == 1


def test_a_session_is_not_compacted_where_that_is_switched_off(tmp_path: Path) -> None:
    with Memory.open(tmp_path, config={"working": {"compact": False}}) as memory:
        session = Session.open(memory, window=3_000)
        chatter(session, 40)
        assert session.compacted is None
        assert of_type(session, "compaction") == []
        assert session.compact()  # asked for, it is


def test_the_model_is_not_asked_what_to_save_where_that_is_switched_off(
    tmp_path: Path, server: Stage
) -> None:
    server.play("- The user sails.")
    with Memory.open(tmp_path, config={"working": {"flush": False}}) as memory:
        session = Session.open(memory, window=3_000, ask=asking(server))
        chatter(session, 4)
        flushed = session.flush()
        assert (flushed.noted, server.requests) == ((), [])
        assert memory.recall("花生", kind="fact").items


def test_nothing_to_sum_up(memory: Memory) -> None:
    session = Session.open(memory)
    assert session.compact() is None
    session.prepare("hi")
    assert session.compact() is None


def test_old_results_are_pruned_once_the_cache_is_cold(memory: Memory, clock: Clock) -> None:
    session = Session.open(memory, window=8_000)
    session.prepare("go")
    session.finish(calls("1"))
    session.add(result("1", "\n".join(f"line {n} of the log" for n in range(600))))
    whole = session.prepare()
    session.finish("done")
    for n in range(4):
        warm = session.prepare(f"and {n}?")
        session.finish("yes")
    assert whole[2] == warm[2]
    clock.pass_days(301 / 86_400)
    cold = session.prepare("still there?")
    assert len(cold[2]["content"]) < len(warm[2]["content"])
    session.finish("yes")
    assert session.prepare("sure?")[2] == cold[2]
    assert "line 300" in json.dumps(on_disk(session))


def test_a_result_that_is_too_long_for_any_window_is_cut(memory: Memory) -> None:
    session = Session.open(memory, window=2_000)
    session.prepare("go")
    session.finish(calls("1", "2"))
    session.add(result("1", "log " * 10_000))
    session.add(result("2", "short"))
    sent = session.prepare()
    assert session.tokens <= session.limits.most
    assert sent[-1]["content"] == "short"
    assert sent[-2]["content"] not in ("", CLEARED)


def test_what_the_provider_counts_is_believed(memory: Memory) -> None:
    session = Session.open(memory, window=20_000)
    text = "word " * 4_000
    session.prepare(text)
    before = session.tokens
    session.finish("ok", {"input_tokens": 2 * before, "output_tokens": 1})
    assert session.tokens > 1.8 * before
    assert Session.open(memory, window=20_000).tokens > 1.8 * before


# --- Too long for the provider --------------------------------------------------------------------

TOO_LONG = "This model's maximum context length is 2000 tokens."


def test_an_overflow_is_compacted_and_tried_once_more(memory: Memory) -> None:
    session = Session.open(memory)
    chatter(session, 40)
    sent: list[Sequence[Message]] = []

    def send(messages: Sequence[Message]) -> tuple[str, object]:
        sent.append(messages)
        if len(sent) == 1:
            raise OSError(TOO_LONG)
        return "fine", None

    assert session.turn("go on", send) == "fine"
    assert len(sent) == 2
    assert session.limits.window == 2_000
    assert session.tokens <= session.limits.most
    assert sent[1][-1]["content"].endswith("go on")


def test_an_overflow_that_stays_is_told(memory: Memory) -> None:
    session = Session.open(memory)
    chatter(session, 10)

    def send(messages: Sequence[Message]) -> tuple[str, object]:
        raise OSError(TOO_LONG)

    with pytest.raises(OSError, match="maximum context"):
        session.turn("go on", send)
    assert session.recover(TOO_LONG) is None  # once a message
    session.prepare("again")
    assert session.recover("invalid api key", 401) is None


def test_a_provider_that_names_no_window_is_sent_less(memory: Memory) -> None:
    session = Session.open(memory, window=8_000)
    chatter(session, 30)
    before = session.prepare("go on")
    after = session.recover({"error": {"code": "context_length_exceeded"}}, 400)
    assert after
    assert len(json.dumps(after)) < len(json.dumps(before))


# --- Any conversation, any window, several processes ----------------------------------------------

TEXTS = st.sampled_from(["好的。", *TALK, "word " * 60, "我们明天再说，" * 12])
RESULTS = st.sampled_from(["", "42", "log line\n" * 30, "日志" * 900, "x y z " * 4_000])
STEPS = st.lists(
    st.tuples(
        TEXTS,
        st.lists(st.lists(RESULTS, min_size=1, max_size=3), max_size=3),
        st.sampled_from([None, 0.7, 1.6]),
    ),
    min_size=1,
    max_size=14,
)


@settings(
    max_examples=count(4, 25),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(STEPS, st.sampled_from([1_500, 2_500, 6_000]), st.booleans())
def test_any_conversation_fits_and_is_kept(
    memory: Memory, steps: list[Any], window: int, forgetful: bool
) -> None:
    session = Session.open(memory, f"p{os.urandom(4).hex()}", window=window, journal=False)
    said: list[str] = []

    def check(sent: list[dict[str, Any]]) -> list[dict[str, Any]]:
        assert well_paired(sent)
        assert session.tokens <= session.limits.most
        return sent

    for number, (text, rounds, rate) in enumerate(steps):
        if forgetful and number % 3 == 2:
            session = Session.open(memory, session.key, window=window, journal=False)
        sent = check(session.prepare(text, system="be kind"))
        said.append(text)
        for n, outputs in enumerate(rounds):
            ids = [f"{number}.{n}.{m}" for m in range(len(outputs))]
            session.finish(calls(*ids), _reported(session, rate))
            for id, output in zip(ids, outputs, strict=True):
                session.add(result(id, output))
                said.append(output)
            sent = check(session.prepare())
        assert text in str([message["content"] for message in sent]) or session.compacted
        session.finish(f"{text} indeed", _reported(session, rate))
        said.append(f"{text} indeed")
    entries = on_disk(session)
    assert _texts(entries) == said
    assert _most_flushes(entries) <= 1


def _reported(session: Session, rate: float | None) -> dict[str, int] | None:
    return {"prompt_tokens": int(rate * session._sent), "completion_tokens": 9} if rate else None


def _most_flushes(entries: list[dict[str, Any]]) -> int:
    """The most flushes of any cycle."""
    cycles = [0]
    for entry in entries:
        if entry["type"] == "compaction":
            cycles.append(0)
        cycles[-1] += entry.get("customType") == "memory-flush"
    return max(cycles)


def _texts(entries: list[dict[str, Any]]) -> list[str]:
    messages = [entry["message"] for entry in entries if entry["type"] == "message"]
    return [one["content"] for one in messages if isinstance(one["content"], str)]


TALKER = """
import sys
from loxodon import Memory
from loxodon.working import Session
with Memory.open(sys.argv[1], config={"timezone": "UTC"}) as memory:
    for n in range(int(sys.argv[3])):
        session = Session.open(memory, "main", window=2500)
        text = f"I have {n} cats called {sys.argv[2]} and I live in Leeds."
        session.prepare(text)
        session.finish(f"That is a lot of cats, {sys.argv[2]}. " * 12)
        print(text, flush=True)
"""


def talker(home: str, name: str, turns: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", TALKER, home, name, str(turns)], stdout=subprocess.PIPE, text=True
    )


def test_two_processes_talk_in_one_session(memory: Memory) -> None:
    both = [talker(memory.home, name, 12) for name in ("Tom", "Ada")]
    said = [line for one in both for line in one.communicate(timeout=300)[0].splitlines()]
    assert [one.returncode for one in both] == [0, 0]
    session = Session.open(memory, window=2_500)
    texts = _texts(on_disk(session))
    assert len(said) == 24
    assert set(said) <= set(texts)
    assert session.about["compactionCount"] == len(of_type(session, "compaction")) > 0
    assert _most_flushes(on_disk(session)) == 1
    sent = session.prepare("and now?")
    assert well_paired(sent)
    journal = [turn.content for turn in memory.journal(session=session.name)]
    assert set(said) <= set(journal)
    assert len(journal) == len(set(journal) - {"and now?"}) + 1 + _repeated(texts)


def _repeated(texts: list[str]) -> int:
    return len(texts) - len(set(texts))


@pytest.mark.parametrize("after", [1, 5, 11])
def test_a_kill_at_any_moment_loses_nothing(memory: Memory, after: int) -> None:
    one = talker(memory.home, "Tom", 10_000)
    assert one.stdout
    said = [one.stdout.readline().strip() for _ in range(after)]
    one.kill()
    said += one.communicate(timeout=300)[0].splitlines()
    session = Session.open(memory, window=2_500)
    sent = session.prepare("and now?")
    assert well_paired(sent)
    assert sent[-1]["content"].endswith("and now?")
    with suppress(LoxodonError):
        session.finish("well")
    assert set(said) <= set(_texts(on_disk(session)))
    assert not session.problem
