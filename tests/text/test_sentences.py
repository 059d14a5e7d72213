"""Sentences: a table of texts cut by hand, and what holds for any text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loxodon.text.sentences import spans, split
from tests.cases import cases
from tests.each import each
from tests.growth import linear
from tests.long import count

# Each text with ‖ where one sentence ends and the next begins; \\n is a line break.


@each("marked", cases(__file__, "cuts_as_a_person_would"))
def test_cuts_as_a_person_would(marked: str) -> None:
    marked = marked.replace("\\n", "\n")
    assert split(marked.replace("‖", "")) == [piece.strip() for piece in marked.split("‖")]


def test_lines_and_code_are_kept_together_or_apart() -> None:
    assert split("") == split(" \n\t\u3000\n") == []
    assert split("hi\nare you there\nok") == ["hi", "are you there", "ok"]
    wrapped = "This is a paragraph that somebody's editor has wrapped\nat some column, as they do."
    assert split(wrapped) == [wrapped]
    heading = "# A heading that is longer than forty characters, too\nthen some text"
    assert split(heading) == heading.split("\n")
    code = "```sh\necho one. echo two!\n\nls?\n```"
    text = f"Run this. Then wait.\n{code}\nDone. Good."
    assert split(text) == ["Run this.", "Then wait.", code, "Done.", "Good."]


_PIECES = st.sampled_from(
    [
        *"aAbI12 .\n。！？!?…；\"'”“「」（）()*`~～😊👍🏔，,:《》-#>|\t好的说他呀．",
        "U.S.",
        "```",
        "\r\n",
        "1. ",
    ]
)
_TEXTS = st.lists(_PIECES, max_size=40).map("".join) | st.text(max_size=80)


@given(_TEXTS)
@settings(max_examples=count(40, 500))
def test_nothing_is_lost_but_white_space(text: str) -> None:
    position = 0
    for start, end in spans(text):
        assert position <= start < end
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()
    assert split(text) == [text[start:end] for start, end in spans(text)]


@pytest.mark.parametrize("unit", [".", "。", '"', "“", "\n", "…", "😊", "`", "(", " ", "\u2028"])
def test_a_megabyte_of_one_mark_takes_no_longer_than_its_length(unit: str) -> None:
    linear(split, lambda n: unit * n, 1_000_000)


@each("unit", cases(__file__, "time_grows_with_length_only"))
def test_time_grows_with_length_only(unit: str) -> None:
    linear(split, lambda n: unit * n, count(48_000, 150_000) // len(unit))
