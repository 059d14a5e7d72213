"""Words: what a text is found by."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loxodon.text import wordlists
from loxodon.text.words import MAX_QUERY_WORDS, among, index_words, query_words, spoken
from tests.cases import cases
from tests.each import each


def found(query: str, text: str) -> bool:
    """Whether `text` has any word of `query`, as the index would see it."""
    return among(query_words(query), index_words(text)) != []


@each(("query", "text", "is_found"), cases(__file__, "found_by_its_own_words"))
def test_found_by_its_own_words_and_not_by_others(query: str, text: str, is_found: bool) -> None:
    assert found(query, text) == is_found


def test_words_of_texts_and_queries() -> None:
    assert index_words("I was running to the shops, don't you know") == ["run", "shop", "know"]
    assert index_words("花生过敏") == ["花生", "生过", "过敏", "敏"]
    assert query_words("花生过敏") == ["花生", "生过", "过敏"]
    assert query_words("猫") == ["猫*"]
    assert "的是" not in query_words("我的是苹果")  # but where it is alone
    assert query_words("我的")
    assert (index_words("cat cat"), query_words("cat cat")) == (["cat", "cat"], ["cat"])
    query = "Where did my Managers 推荐餐厅，吃🍜 猫？"
    assert spoken(query, query_words(query)) == ["managers", "推荐餐厅", "吃", "🍜", "猫"]
    assert spoken("推荐餐厅注意", ["推荐", "荐餐", "注意"]) == ["推荐餐", "注意"]
    assert spoken("anything", []) == []


def test_a_page_is_not_a_query_of_a_thousand_words() -> None:
    assert len(query_words(" ".join(f"word{n}" for n in range(5_000)))) == MAX_QUERY_WORDS
    assert len(query_words("天地玄黄宇宙洪荒" * 1_000 + "日月盈昃辰宿列张" * 50)) <= MAX_QUERY_WORDS


@given(st.text(max_size=300))
def test_any_text_gives_words_that_sqlite_takes_as_one(text: str) -> None:
    for word in [*index_words(text), *query_words(text)]:
        assert word.strip() == word
        assert not any(c.isascii() and not c.isalnum() for c in word.rstrip("*"))


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=100))
def test_a_text_is_found_by_itself(text: str) -> None:
    if query_words(text):
        assert found(text, text)


def test_hostile_text_takes_linear_time() -> None:
    for text in ("a" * 1_000_000, "aB" * 300_000, "的" * 300_000, "'" * 500_000, "́" * 200_000):
        index_words(text)
        query_words(text)


def test_the_table_of_variants_is_what_opencc_says() -> None:
    import opencc

    assert len(wordlists.TRADITIONAL) == len(wordlists.SIMPLIFIED) > 3_000
    converter = opencc.OpenCC("t2s")
    said = converter.convert("\n".join(wordlists.TRADITIONAL)).split("\n")
    assert "".join(said) == wordlists.SIMPLIFIED


def test_every_form_is_found_by_its_base() -> None:
    for form, base in (wordlists.BASES | wordlists.SPELLINGS).items():
        assert index_words(form) == index_words(base) != [], form
