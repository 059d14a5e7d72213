"""What may be supposed from what somebody tells in passing, each rule by its own examples."""

from __future__ import annotations

from typing import Any

import pytest

from loxodon import Memory
from loxodon.language.inference import rules
from loxodon.text.language import language_of
from tests.cases import cases
from tests.each import each
from tests.language.told import told


def supposed(text: str) -> list[str]:
    found = told(language_of(text), text)
    return [one.basis.partition(":")[0] for one in found if one.inferred]


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: str(rule["name"]))
def test_a_rule_supposes_what_its_examples_say_and_no_more(rule: dict[str, Any]) -> None:
    assert [text for text in rule["yes"] if supposed(text) != [rule["name"]]] == []
    assert [text for text in rule["no"] if supposed(text)] == []


@each("text", cases(__file__, "nothing_is_supposed_of_others_or_of_what_is_not_so"))
def test_nothing_is_supposed_of_others_or_of_what_is_not_so(text: str) -> None:
    assert supposed(text) == []


def test_what_is_supposed_says_what_it_rests_on_and_gives_way_to_what_is_known(
    memory: Memory,
) -> None:
    memory.add([{"role": "user", "content": "我在北京工作，经常开会", "id": "1"}], session="a")
    memory.consolidate()
    (belief,) = memory.list(kind="belief")
    assert (belief.content, belief.confidence) == ("用户可能在科技公司工作", 0.6)
    assert belief.basis == "tech_company: 我在北京工作，经常开会"
    answer = memory.recall("科技公司")
    assert belief.basis in [one.why.get("basis") for one in answer.items]
    memory.add([{"role": "user", "content": "我在协和医院上班", "id": "2"}], session="a")
    memory.add([{"role": "user", "content": "昨晚又在改线上bug", "id": "3"}], session="a")
    memory.consolidate()
    (belief,) = memory.list(kind="belief")
    assert belief.confidence < 0.6
