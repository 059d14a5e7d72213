"""Where a conversation is cut, and what stands in the place of its beginning."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.errors import UnreachableModelError
from loxodon.models.replies import UnfitError
from loxodon.tokens import estimate
from loxodon.working import Cut, Message, Shown, compaction_due, place_to_cut, tokens_of
from loxodon.working.compaction import summed_up
from loxodon.working.summary import SummaryInput, by_model, extracted, lines_of
from tests.working.talk import assistant, calls, result, user, well_paired


def size(message: Message) -> int:
    return tokens_of(message, estimate)


def shown(*messages: dict[str, Any]) -> list[Shown]:
    return [Shown(str(n), message) for n, message in enumerate(messages)]


def words(number: int) -> str:
    return "word " * number


def test_it_is_due_above_the_limit() -> None:
    assert not compaction_due(100, 100)
    assert compaction_due(101, 100)


def test_the_cut_is_at_a_turn() -> None:
    context = shown(*(m for n in range(9) for m in (user(words(50)), assistant(words(50)))))
    cut = place_to_cut(context, size, 220)
    assert cut == Cut(14, False)


def test_a_long_turn_is_cut_before_the_assistant_speaks() -> None:
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


def test_a_last_message_that_is_too_long_stays_all_the_same() -> None:
    context = shown(user("a"), assistant("b"), user(words(900)))
    assert place_to_cut(context, size, 100) == Cut(2, False)


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


# --- The summary ----------------------------------------------------------------------------------

ZH = [
    user("你好！"),
    assistant("你好，有什么可以帮你？"),
    user("我对花生过敏，下周三要去上海出差。数据库我们决定用 PostgreSQL，因为需要事务。"),
    calls("1", name="search"),
    result("1", "PostgreSQL 17 已发布"),
    assistant("好的，我会记住。PostgreSQL 17 支持增量备份。"),
    user("部署脚本在 /opt/acme/deploy.sh，端口是 8443。"),
    assistant("明白。"),
]


def test_without_a_model_it_is_in_the_words_that_were_said() -> None:
    summary = extracted(lines_of(shown(*ZH), estimate), 300, estimate)
    for said in ("花生过敏", "PostgreSQL", "8443", "search", "用户"):
        assert said in summary
    assert "你好！" not in summary


@pytest.mark.parametrize("most", [60, 120, 400])
def test_it_keeps_to_its_length(most: int) -> None:
    many = [
        user(f"I met Anna number {n} in Berlin. She likes tea and {n} cats.") for n in range(99)
    ]
    lines = lines_of(shown(*many), estimate)
    summary = extracted(lines, most, estimate)
    assert most / 2 < estimate(summary) <= most


def test_an_earlier_summary_is_folded_in() -> None:
    first = extracted(lines_of(shown(*ZH), estimate), 200, estimate)
    again = [Shown("s", user(f"[…]\n{first}"), "summary"), *shown(user("我搬到了杭州。"))]
    second = extracted(lines_of(again, estimate), 300, estimate)
    assert "花生过敏" in second
    assert "杭州" in second
    assert second.count("话题") == 1


@given(
    st.lists(
        st.builds(
            SummaryInput,
            st.sampled_from(["user", "assistant", "tool", "call", "summary"]),
            st.text(max_size=80),
        ),
        max_size=8,
    ),
    st.integers(0, 200),
)
def test_any_talk_has_a_summary(lines: list[SummaryInput], most: int) -> None:
    assert estimate(extracted(lines, most, estimate)) <= max(most, 1)


def test_a_model_sums_up_piece_by_piece() -> None:
    asked = []

    def tell(system: str, text: str, most: int) -> str:
        asked.append(text)
        return f"<think>…</think>summary {len(asked)}"

    lines = [SummaryInput("user", words(300)) for _ in range(6)]
    assert by_model(tell, lines, 100, 1_500, estimate) == f"summary {len(asked)}"
    assert len(asked) > 1
    assert 'summary "summary 1"' in asked[1]


def test_an_answer_that_is_none_is_refused() -> None:
    with pytest.raises(UnfitError):
        by_model(lambda *_: " ", [SummaryInput("user", "hi")], 100, 1_000, estimate)
    with pytest.raises(UnfitError):
        by_model(lambda *_: "x", [SummaryInput("user", "hi")], 100, 400, estimate)
    with pytest.raises(UnfitError):  # hundreds of questions for one summary
        by_model(lambda *_: "x", [SummaryInput("user", words(99))] * 999, 100, 1_000, estimate)


def test_a_model_that_is_down_leaves_an_extract() -> None:
    def down(system: str, text: str, most: int) -> str:
        raise UnreachableModelError("the model does not answer")

    summary, by_a_model, problem = summed_up(shown(*ZH), Cut(6, False), 300, 9_000, estimate, down)
    assert "花生过敏" in summary
    assert not by_a_model
    assert problem == "the model does not answer"


def test_where_a_turn_is_cut_the_request_stays() -> None:
    context = shown(
        user("Rename every file in /srv/data to lower case."),
        calls("1"),
        result("1", "ok"),
        calls("2"),
        result("2", "ok"),
    )
    summary, _, _ = summed_up(context, Cut(3, True), 200, 9_000, estimate, None)
    assert "Rename every file in /srv/data to lower case." in summary.splitlines()[-1]
