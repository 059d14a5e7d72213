from __future__ import annotations

import pytest

from loxodon.write.en.clean import bare, plain, spelled
from loxodon.write.en.verbs import forms_of, is_finite, participle_of, third_person


@pytest.mark.parametrize(
    ("word", "third"),
    [
        ("work", "works"), ("study", "studies"), ("watch", "watches"), ("have", "has"),
        ("don't", "doesn't"), ("am", "is"), ("moved", "moved"), ("can", "can"), ("quit", "quit"),
        ("go", "goes"), ("play", "plays"),
    ],
)  # fmt: skip
def test_the_third_person(word: str, third: str) -> None:
    assert third_person(word) == third


def test_forms_lead_to_their_base() -> None:
    assert forms_of("planned")["past"] == "plan"
    assert forms_of("written")["participle"] == "write"
    assert forms_of("running")["ing"] == "run"
    assert participle_of("sell") == "sold"
    assert forms_of("teapot") == {}


def test_a_noun_is_no_sign_of_a_verb() -> None:
    assert is_finite("lives")
    assert not is_finite("shops")


def test_chat_spelling_is_written_out_and_fillers_go() -> None:
    assert bare(spelled(plain("ok so um im gonna move tho lol 😂"))) == "i'm going to move"
    assert spelled("teh gilrfriend") == "the girlfriend"
    assert spelled("three") == "three"
