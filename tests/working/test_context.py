"""What the model sees can always be sent."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loxodon.working import Shown, context_of, joined, paired
from loxodon.working.context import NO_RESULT, open_calls
from loxodon.working.shapes import to_kept
from tests.clock import NOW
from tests.working.talk import assistant, calls, result, user, well_paired


def entry(id: str, message: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message", "id": id, "message": to_kept(message, NOW)}


def said(live: list[dict[str, Any]]) -> list[object]:
    return [one.message["content"] for one in context_of(live)]


def test_a_summary_stands_for_what_it_sums_up() -> None:
    live = [
        entry("a", user("old")),
        entry("b", assistant("old too")),
        entry("c", user("kept")),
        {"type": "compaction", "id": "s", "summary": "they spoke", "firstKeptEntryId": "c"},
        entry("d", assistant("new")),
    ]
    summary, *rest = said(live)
    assert str(summary).endswith("\nthey spoke")
    assert rest == ["kept", "new"]


def test_of_several_summaries_the_last_counts() -> None:
    live = [
        entry("a", user("one")),
        {"type": "compaction", "id": "s", "summary": "first", "firstKeptEntryId": "a"},
        entry("b", user("two")),
        {"type": "compaction", "id": "t", "summary": "second", "firstKeptEntryId": "b"},
    ]
    assert [str(text).splitlines()[-1] for text in said(live)] == ["second", "two"]


def test_a_summary_whose_first_kept_entry_is_lost_keeps_the_last_turn() -> None:
    live = [
        entry("a", user("old")),
        entry("b", user("asked")),
        entry("c", assistant("answered")),
        {"type": "compaction", "id": "s", "summary": "sum", "firstKeptEntryId": "gone"},
    ]
    assert said(live)[1:] == ["asked", "answered"]


def test_what_a_program_adds_is_seen_only_where_it_is_meant_to_be() -> None:
    live = [
        entry("a", user("hi")),
        {"type": "custom", "id": "b", "customType": "x", "data": "hidden"},
        {"type": "custom_message", "id": "c", "customType": "x", "content": "the time is 10:30"},
        {"type": "model_change", "id": "d"},
        {"type": "label", "id": "e", "label": "hidden"},
    ]
    assert said(live) == ["hi", "the time is 10:30"]
    assert [one.kind for one in context_of(live)] == ["message", "note"]


def test_after_a_reset_nothing_before_is_seen() -> None:
    assert said(
        [entry("a", user("old")), {"type": "reset", "id": "b"}, entry("c", user("new"))]
    ) == ["new"]


def test_a_call_without_a_result_gets_one() -> None:
    shown = context_of([entry("a", calls("1", "2")), entry("b", result("2", "42"))])
    assert [one.message["content"] for one in shown] == [None, "42", NO_RESULT]
    assert well_paired([one.message for one in shown])
    assert open_calls([entry("a", calls("1", "2")), entry("b", result("2", "42"))]) == {"1"}


def test_a_result_without_a_call_is_not_sent() -> None:
    live = [entry("a", user("hi")), entry("b", result("1", "lost")), entry("c", calls("1"))]
    live += [entry("d", result("1", "42")), entry("e", result("1", "again"))]
    assert said(live) == ["hi", None, "42"]
    assert open_calls(live) == set()


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
