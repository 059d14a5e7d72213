"""The functions of `loxodon.working` that decide."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.config import Config
from loxodon.errors import ModelError
from loxodon.tokens import estimate
from loxodon.working import Message, is_overflow, is_silent
from loxodon.working.accounting import Gauge, limits, tokens_of, usage_of
from loxodon.working.compaction import Cut, place_to_cut
from loxodon.working.context import Shown, joined, paired
from loxodon.working.flush import flush_due
from loxodon.working.overflow import window_in
from loxodon.working.pruning import applied, pruned
from tests.cases import cases
from tests.each import each
from tests.working.talk import assistant, calls, result, user, well_paired

WORKING = Config().working
LONG = {
    "en": "\n".join(f"line {n}: something happened here" for n in range(600)),
    "zh": "\n".join(f"第 {n} 行：这里发生了一些事情" for n in range(600)),
    "emoji": "\U0001f600" * 4_000,
}


def size(message: Message) -> int:
    return tokens_of(message, estimate)


def shown(*messages: dict[str, Any]) -> list[Shown]:
    return [Shown(str(n), message) for n, message in enumerate(messages)]


def words(number: int) -> str:
    return "word " * number


# -- tokens --------------------------------------------------------------------------------------


@given(st.integers(1_000, 3_000_000))
def test_any_window_has_room_for_all(window: int) -> None:
    found = limits(WORKING, window)
    assert 0 < found.flush_at < found.most < window
    assert found.keep + found.summary < found.most


def test_the_limits_are_those_of_the_settings() -> None:
    found = limits(WORKING, 200_000)
    assert (found.flush_at, found.most, found.keep) == (176_000, 200_000 - 16_384, 20_000)


def test_everything_in_a_message_counts() -> None:
    image: dict[str, Any] = {"role": "user", "content": [{"type": "image_url", "image_url": {}}]}
    assert size(user("我对花生过敏")) > estimate("我对花生过敏")
    assert size(image) > 500
    assert size(calls("a", "b")) > size(calls("a")) > 10


@each(("reported", "usage"), cases(__file__, "usage"))
def test_usage_in_the_words_of_each_provider(reported: object, usage: list[int] | None) -> None:
    assert usage_of(reported) == (None if usage is None else tuple(usage))


def test_gauge_learns_from_what_the_provider_reports() -> None:
    small = Gauge().learned(100, 3_100)  # a small request tells what stands beside the messages
    assert small == Gauge(3_000, 1.0)
    large = Gauge(3_000).learned(50_000, 68_000)  # a large one how the provider counts
    assert large == Gauge(3_000, 1.3)


@given(st.integers(0, 10**6), st.integers(0, 10**9))
def test_no_report_makes_the_gauge_absurd(counted: int, reported: int) -> None:
    gauge = Gauge(100, 1.2).learned(counted, reported)
    assert 0.5 <= gauge.rate <= 2.5
    assert 0 <= gauge.beside <= max(100, reported)


# -- what is due, and where to cut ---------------------------------------------------------------


def test_flush_is_due_near_the_limit_once_a_cycle() -> None:
    for given_, due in (
        ((175_999, 176_000, 0, None), False),
        ((176_000, 176_000, 0, None), True),
        ((180_000, 176_000, 0, 0), False),
        ((180_000, 176_000, 1, 0), True),
        ((180_000, 176_000, 1, 1), False),
    ):
        assert flush_due(*given_) is due


def test_cut_is_at_a_turn_or_before_the_assistant_speaks() -> None:
    context = shown(*(m for n in range(9) for m in (user(words(50)), assistant(words(50)))))
    assert place_to_cut(context, size, 220) == Cut(14, False)
    steps = [m for n in range(9) for m in (calls(str(n)), result(str(n), words(100)))]
    context = shown(user("go"), *steps)
    cut = place_to_cut(context, size, 400)
    assert cut
    assert cut.within_turn
    assert context[cut.place].role == "assistant"
    assert sum(size(one.message) for one in context[cut.place :]) <= 400


def test_nothing_can_go_where_there_is_nothing_before() -> None:
    assert place_to_cut([], size, 100) is None
    assert place_to_cut(shown(user(words(500))), size, 100) is None
    summary = Shown("s", user("sum"), "summary")
    assert place_to_cut([summary, *shown(user(words(500)))], size, 100) is None
    context = shown(user("a"), assistant("b"), user(words(900)))
    assert place_to_cut(context, size, 100) == Cut(2, False)  # too long, and stays all the same


TURNS = st.lists(
    st.tuples(st.integers(0, 200), st.lists(st.integers(0, 300), max_size=3), st.booleans()),
    max_size=8,
)


@given(TURNS, st.integers(0, 2_000))
def test_a_cut_leaves_whole_pairs(turns: list[Any], keep: int) -> None:
    messages: list[dict[str, Any]] = []
    for n, (asked, results, together) in enumerate(turns):
        messages.append(user(words(asked)))
        ids = [f"{n}.{m}" for m in range(len(results))]
        groups = [ids] if together else [[id] for id in ids]
        for group in groups:
            messages.append(calls(*group))
            messages += [result(id, words(results[ids.index(id)])) for id in group]
        messages.append(assistant(words(asked // 2)))
    context = shown(*messages)
    cut = place_to_cut(context, size, keep)
    if cut is None:
        assert not messages
        return
    assert 0 < cut.place < len(context)
    assert well_paired(messages[: cut.place])
    assert well_paired(messages[cut.place :])
    last = [n for n, one in enumerate(context) if one.role in ("user", "assistant")][-1]
    least = sum(size(one.message) for one in context[last:])
    assert sum(size(one.message) for one in context[cut.place :]) <= 1.5 * max(keep, least)


# -- pairs ---------------------------------------------------------------------------------------

MESSAGES = st.one_of(
    st.builds(user, st.text(max_size=4)),
    st.builds(assistant, st.text(max_size=4)),
    st.builds(lambda ids: calls(*ids), st.lists(st.sampled_from("123"), unique=True)),
    st.builds(result, st.sampled_from("123"), st.text(max_size=4)),
)


@given(st.lists(MESSAGES, max_size=12))
def test_calls_and_results_are_always_together(messages: list[dict[str, Any]]) -> None:
    shown = paired(Shown(str(n), message) for n, message in enumerate(messages))
    assert well_paired([one.message for one in shown])
    spoken = [m for m in messages if m["role"] != "tool"]
    assert [one.message for one in shown if one.role != "tool"] == spoken


@given(st.lists(MESSAGES, max_size=12))
def test_messages_of_the_user_in_a_row_become_one(messages: list[dict[str, Any]]) -> None:
    together = joined(messages)
    for one, two in pairwise(together):
        assert not one["role"] == two["role"] == "user"
    words = "\n\n".join(m["content"] for m in messages if m["role"] == "user")
    assert "\n\n".join(m["content"] for m in together if m["role"] == "user") == words


def test_parts_are_joined_too() -> None:
    image = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}
    (one,) = joined([user("look"), image])
    assert [part["type"] for part in one["content"]] == ["text", "image_url"]
    assert len(joined([{**user("a"), "name": "bob"}, {**user("b"), "name": "eve"}])) == 2


# -- silence -------------------------------------------------------------------------------------


@each("text", cases(__file__, "silence"))
def test_silence(text: str) -> None:
    assert is_silent(text)


@pytest.mark.parametrize("text", ["NO", "NO_REPLY_YET", "I say NO_REPLY", "没有", "NO_REPLY 好的"])
def test_words_that_are_no_silence(text: str) -> None:
    assert not is_silent(text)


# -- too long, as each provider says it ------------------------------------------------------------


@each(("text", "window"), cases(__file__, "too_long"))
def test_it_is_recognised(text: str, window: int | None) -> None:
    for error in (text, text.encode(), {"error": {"message": text}}, OSError(text)):
        assert is_overflow(error)
    assert is_overflow(text, 400)
    if window is not None:
        assert window_in(text) == window


@each("text", cases(__file__, "not_too_long"))
def test_what_only_sounds_alike_is_not(text: str) -> None:
    assert not is_overflow(text)
    assert not is_overflow(text, 429)


def test_the_status_counts() -> None:
    assert is_overflow("Payload Too Large", 413)
    assert not is_overflow("maximum context length is 8192", 200)
    assert not is_overflow("maximum context length is 8192", 401)
    assert is_overflow(ModelError("the server rejected the request", status=413))


@pytest.mark.parametrize("status", [400, 429])
def test_the_answer_that_httpx_keeps_is_looked_into(status: int) -> None:
    request = httpx.Request("POST", "http://127.0.0.1/v1/chat/completions")
    text = "maximum context length is 8192 tokens" if status == 400 else "too many requests"
    answer = httpx.Response(status, text=text, request=request)
    error = httpx.HTTPStatusError(f"error '{status}'", request=request, response=answer)
    assert is_overflow(error) is (status == 400)
    assert window_in(error) == (8192 if status == 400 else None)
    unread = httpx.Response(status, stream=httpx.ByteStream(b"x"), request=request)
    assert not is_overflow(httpx.HTTPStatusError("error", request=request, response=unread))


def test_huge_and_broken_answers_are_looked_at_in_a_moment() -> None:
    assert not is_overflow(b"\xff\xfe" * 10**6)
    assert not is_overflow("exceeds " * 200_000)
    assert window_in("limit of 7") is window_in("> 99999999999999") is None


# -- pruning -------------------------------------------------------------------------------------


def talk(*outputs: str) -> list[Shown]:
    """A turn with a tool for each of these results, then three turns of words."""
    messages = [user("go")]
    for n, output in enumerate(outputs):
        messages += [calls(str(n)), result(str(n), output)]
    for n in range(3):
        messages += [assistant(f"done {n}"), user(f"and {n}?")]
    return shown(*messages)


def prune(
    context: list[Shown],
    window: int = 10_000,
    most: int = 9_000,
    cold: bool = True,
    protect: int = 3,
) -> list[Message]:
    bounds = limits(WORKING, window)._replace(most=most)
    return applied(context, pruned(context, {}, size, 0, bounds, cold, protect))


def test_a_long_result_keeps_its_head_and_its_tail() -> None:
    for long, first, last in (
        (LONG["en"], "line 0:", "line 599:"),
        (LONG["zh"], "第 0 行", "第 599 行"),
    ):
        after = prune(talk(long), window=12_000)
        cut = str(after[2]["content"])
        assert cut.startswith(first)
        assert last in cut
        assert len(cut) < len(long) / 2


def test_where_that_is_not_enough_the_oldest_are_cleared() -> None:
    outputs = [LONG["en"][:9_000]] * 10
    after = prune(talk(*outputs), window=10_000)
    cleared = [len(m["content"]) < 100 for m in after if m["role"] == "tool"]
    assert cleared[0]
    assert not cleared[-1]
    assert cleared == sorted(cleared, reverse=True)


def test_while_the_cache_is_warm_nothing_is_touched_that_fits() -> None:
    context = talk(LONG["en"])
    assert prune(context, cold=False, most=9_500) == applied(context, {})
    assert prune(context, cold=False, most=2_000) != applied(context, {})
    assert prune(context, cold=True) != applied(context, {})


def test_small_contexts_and_the_latest_turns_are_left_alone() -> None:
    context = talk(LONG["en"])
    assert prune(context, window=100_000) == applied(context, {})
    context = shown(user("go"), calls("1"), result("1", LONG["en"]), assistant("so"))
    assert prune(context, protect=3) == applied(context, {})
    for protect in (0, 1):
        assert prune(context, protect=protect) != applied(context, {})


def test_images_in_a_result_go_with_it() -> None:
    parts = [{"type": "text", "text": LONG["en"]}, {"type": "image_url", "image_url": {"url": "x"}}]
    context = talk("x")
    context[2] = Shown("2", {"role": "tool", "tool_call_id": "0", "content": parts})
    after = prune(context)
    assert "[images left out: 1]" in str(after[2]["content"])


SIZES = st.lists(st.integers(0, 4_000), min_size=1, max_size=8)


@given(SIZES, st.integers(100, 12_000), st.booleans())
def test_nobodys_words_change(sizes: list[int], window: int, cold: bool) -> None:
    context = talk(*(LONG["en"][:n] for n in sizes))
    bounds = limits(WORKING, window)._replace(most=window * 3 // 4)
    kept = pruned(context, {}, size, 0, bounds, cold, 3)
    for before, after in zip(context, applied(context, kept), strict=True):
        if before.role == "tool":
            assert after["tool_call_id"] == before.message["tool_call_id"]
            assert size(after) <= max(size(before.message), 20)
        else:
            assert after == before.message
