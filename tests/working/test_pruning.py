"""Pruning shortens results of tools, and nothing else."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loxodon.tokens import estimate
from loxodon.working import Message, Shown, applied, pruned, squeezed, tokens_of
from loxodon.working.pruning import CLEARED, SOFT, name_of
from tests.working.talk import assistant, calls, result, user

LONG = "\n".join(f"line {n}: something happened here" for n in range(600))
LONG_ZH = "\n".join(f"第 {n} 行：这里发生了一些事情" for n in range(600))

TEXTS = {"en": LONG, "zh": LONG_ZH, "emoji": "\U0001f600" * 4_000}


def size(message: Message) -> int:
    return tokens_of(message, estimate)


def shown(*messages: dict[str, Any]) -> list[Shown]:
    return [Shown(str(n), message) for n, message in enumerate(messages)]


def talk(*outputs: str) -> list[Shown]:
    """A turn with a tool for each of these results, then three turns of words."""
    messages = [user("go")]
    for n, output in enumerate(outputs):
        messages += [calls(str(n)), result(str(n), output)]
    for n in range(3):
        messages += [assistant(f"done {n}"), user(f"and {n}?")]
    return shown(*messages)


def prune(context: list[Shown], **changes: Any) -> list[Message]:
    given: dict[str, Any] = {
        "beside": 0,
        "window": 10_000,
        "most": 9_000,
        "cold": True,
        "protect": 3,
        **changes,
    }
    return applied(context, pruned(context, given.pop("kept", {}), size, **given))


def test_a_long_result_keeps_its_head_and_its_tail() -> None:
    for long, first, last in ((LONG, "line 0:", "line 599:"), (LONG_ZH, "第 0 行", "第 599 行")):
        after = prune(talk(long), window=12_000)
        cut = str(after[2]["content"])
        assert cut.startswith(first)
        assert last in cut
        assert SOFT / 2 < estimate(cut) <= SOFT


def test_where_that_is_not_enough_the_oldest_are_cleared() -> None:
    outputs = [LONG[:9_000]] * 10
    after = prune(talk(*outputs), window=10_000)
    cleared = [m["content"] == CLEARED for m in after if m["role"] == "tool"]
    assert cleared[0]
    assert not cleared[-1]
    assert cleared == sorted(cleared, reverse=True)


def test_while_the_cache_is_warm_nothing_is_touched_that_fits() -> None:
    context = talk(LONG)
    assert prune(context, cold=False, most=9_500) == applied(context, {})
    assert prune(context, cold=False, most=2_000) != applied(context, {})
    assert prune(context, cold=True) != applied(context, {})


def test_a_small_context_is_left_alone() -> None:
    context = talk(LONG)
    assert prune(context, window=100_000) == applied(context, {})


def test_the_latest_turns_are_left_alone() -> None:
    context = shown(user("go"), calls("1"), result("1", LONG), assistant("so"))
    assert prune(context, protect=3) == applied(context, {})
    assert prune(context, protect=1) != applied(context, {})
    assert prune(context, protect=0) != applied(context, {})


def test_what_was_pruned_stays_so() -> None:
    context = talk(LONG, "short")
    kept = pruned(context, {}, size, beside=0, window=10_000, most=9_000, cold=True, protect=3)
    longer = [*context, *shown(assistant("more"), user("x"))]
    again = pruned(longer, kept, size, beside=0, window=10_000, most=9_000, cold=False, protect=3)
    assert applied(longer, again)[:4] == applied(context, kept)[:4]


def test_images_in_a_result_go_with_it() -> None:
    parts = [{"type": "text", "text": LONG}, {"type": "image_url", "image_url": {"url": "x"}}]
    context = talk("x")
    context[2] = Shown("2", {"role": "tool", "tool_call_id": "0", "content": parts})
    after = prune(context)
    assert "[images left out: 1]" in str(after[2]["content"])


SIZES = st.lists(st.integers(0, 4_000), min_size=1, max_size=8)


@given(SIZES, st.integers(100, 12_000), st.booleans())
def test_nobodys_words_change(sizes: list[int], window: int, cold: bool) -> None:
    context = talk(*(LONG[:n] for n in sizes))
    kept = pruned(
        context, {}, size, beside=0, window=window, most=window * 3 // 4, cold=cold, protect=3
    )
    for before, after in zip(context, applied(context, kept), strict=True):
        if before.role == "tool":
            assert after["tool_call_id"] == before.message["tool_call_id"]
            assert size(after) <= max(size(before.message), 20)
        else:
            assert after == before.message


@given(SIZES, st.integers(0, 3_000), st.sampled_from(list(TEXTS)))
def test_squeezed_it_fits(sizes: list[int], room: int, kind: str) -> None:
    context = talk(*(TEXTS[kind][:n] for n in sizes))
    words = sum(size(one.message) for one in context if one.role != "tool")
    cleared = {name_of(one): 0 for one in context}
    least = sum(map(size, applied(context, cleared)))
    kept = squeezed(context, {}, size, beside=0, most=words + room)
    assert sum(map(size, applied(context, kept))) <= max(words + room, least)
