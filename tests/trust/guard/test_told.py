"""The rules for secrets in plain statements, each with its own examples and counter-examples."""

from __future__ import annotations

import re

from loxodon.trust.guard.guard import Guard
from loxodon.trust.guard.policy import built_in
from loxodon.trust.guard.told import TOLD, ToldRule
from tests.each import each
from tests.trust.text_rules import kept, kept_turns

_MARKED = re.compile(r"\{(.+?)\}")


@each(("rule", "text"), [(one, text) for one in TOLD for text in one.yes])
def test_rule_alone_removes_its_examples_and_no_more(rule: ToldRule, text: str) -> None:
    alone = Guard(lambda: built_in()._replace(rules=(rule.rule,)))
    said = text.replace("{", "").replace("}", "")
    mark = f"[secret: {rule.rule.kind.replace('-', ' ')}]"
    assert alone.clean(said) == _MARKED.sub(mark, text)


@each("text", [text for one in TOLD for text in one.no])
def test_rules_leave_counter_examples_alone(text: str) -> None:
    assert kept(text) == text


def test_what_is_kept_of_a_turn_does_not_depend_on_honest_turns_before() -> None:
    said = [
        "I changed my bank password yesterday",
        "The meeting is at 1830 in room 4471",
        "Phase 2 needs Neo4j5",
        "wifi password resets are annoying",
        "hunter2 was a funny meme",
    ]
    assert kept_turns(said) == said
    assert kept_turns(said[::-1]) == said[::-1]
