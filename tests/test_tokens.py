"""The estimate against the tokenizer it stands in for, on passages written for this test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from splintr import Tokenizer

from loxodon.tokens import Counter, cut, estimate
from tests.cases import cases
from tests.each import each

ENGLISH = {one["genre"]: one["text"] for one in cases(__file__, "english")}

CHINESE = {one["genre"]: one["text"] for one in cases(__file__, "chinese")}

SHORT = [one["text"] for one in cases(__file__, "short")]


_ENCODE = Tokenizer.from_pretrained("o200k_base").encode_ordinary


def real(text: str) -> int:
    # Half a surrogate pair, as cut JSON escapes leave it, is no UTF-8.
    return len(_ENCODE(text.encode(errors="replace").decode()))


def joined(passages: dict[str, str]) -> Iterator[str]:
    """Each four neighbouring passages in one: 200 tokens and more."""
    texts = list(passages.values())
    for start in range(len(texts)):
        yield "\n\n".join((texts + texts)[start : start + 4])


@pytest.mark.parametrize("passages", [ENGLISH, CHINESE], ids=["english", "chinese"])
def test_long_texts_are_estimated_within_ten_percent_and_seldom_too_low(
    passages: dict[str, str],
) -> None:
    errors = [estimate(text) / real(text) - 1 for text in joined(passages)]
    assert all(real(text) >= 200 for text in joined(passages))
    assert max(map(abs, errors)) <= 0.10
    assert sum(error < 0 for error in errors) <= 0.05 * len(errors)
    assert 0.02 <= sum(errors) / len(errors) <= 0.06


@each(
    ("language", "genre"),
    [(language, genre) for language in (ENGLISH, CHINESE) for genre in language],
)
def test_each_passage_is_estimated_within_ten_percent(language: dict[str, str], genre: str) -> None:
    counted = real(language[genre])
    assert 0.97 * counted <= estimate(language[genre]) <= 1.1 * counted + 1


@each("text", SHORT)
def test_short_texts_are_never_two_tokens_too_low(text: str) -> None:
    assert real(text) - 2 <= estimate(text) <= 1.5 * real(text) + 3


@pytest.mark.parametrize("passages", [ENGLISH, CHINESE], ids=["english", "chinese"])
def test_lines_add_up_to_what_their_text_takes(passages: dict[str, str]) -> None:
    for text in joined(passages):
        added = sum(map(estimate, text.splitlines()))
        assert real(text) <= added <= 1.15 * real(text)


anything = st.text(st.characters(), max_size=200)
written = st.text(
    st.sampled_from(
        "abcd EIO'’-_./012\n\t，。！“”的一是我们今天天气不错饕餮かな한ж😀👍\u200d\ufe0f"
    ),
    max_size=200,
)


@given(anything | written)
def test_any_text_can_be_counted(text: str) -> None:
    assert estimate(text) >= bool(text)


@given(anything | written, st.integers(-2, 60), st.sampled_from([estimate, real]))
def test_a_cut_text_is_never_over_its_budget(text: str, budget: int, count: Counter) -> None:
    kept = cut(text, budget, count)
    assert count(kept) <= max(budget, 0)
    if count(text) <= budget:
        assert kept == text
    elif kept:
        assert kept.endswith("…")
        assert text.startswith(kept[:-1].rstrip())


@each(("text", "budget", "kept"), cases(__file__, "cut"))
def test_a_text_is_cut_where_it_hurts_least(text: str, budget: int, kept: str | None) -> None:
    found = cut(text, budget)
    assert found == kept if kept is not None else found.startswith("https://")


def test_a_character_is_not_cut_in_two() -> None:
    family = "👨\u200d👩\u200d👧"
    for budget in range(40):
        kept = cut(family * 3, budget).removesuffix("…")
        assert kept == family * (len(kept) // len(family))
