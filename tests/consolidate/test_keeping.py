"""What is added, makes way, waits and is told again; whom it is about; and what sums it up."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import InputError, NotFoundError
from tests.cases import cases
from tests.clock import Clock
from tests.consolidate.said import contents, one_about, tell


def changes(memory: Memory, id: str) -> list[str]:
    return [step.change for step in memory.history(id)]


def test_history_begins_with_what_was_superseded(memory: Memory, clock: Clock) -> None:
    places = ("北京", "上海", "广州", "深圳")
    tell(memory, clock, *(f"我住在{place}" for place in places))
    assert contents(memory) == ["用户住在深圳"]
    now = one_about(memory, "深圳")
    steps = memory.history(now.id)
    learned = [step.record.value for step in steps if step.change == "learned"]
    assert learned == list(places)
    assert [step.change for step in steps].count("superseded") == 3
    old = one_about(memory, "北京", state="archived")
    assert old.valid_from is not None
    assert old.valid_until is not None
    assert (old.valid_until - old.valid_from).days == 1
    assert memory.get(now.id).replaces == one_about(memory, "广州", state="archived").id
    assert memory.validate() == []


def test_late_arrivals_are_filed_as_past(memory: Memory, clock: Clock) -> None:
    tell(memory, clock, "我住在上海")
    long_ago = (clock.now - timedelta(days=300)).isoformat()
    memory.add(
        [{"role": "user", "content": "我住在北京", "at": long_ago, "id": "l"}], session="old"
    )
    memory.consolidate(force=True)
    assert contents(memory) == ["用户住在上海"]
    assert one_about(memory, "北京", state="archived").valid_until is not None


def test_repeated_statement_is_confirmed_and_not_kept_twice(memory: Memory, clock: Clock) -> None:
    tell(memory, clock, "I live in Leeds")
    before = one_about(memory, "Leeds")
    tell(memory, clock, *["I live in Leeds"] * 25)
    (kept,) = memory.list(state="all")
    assert (kept.id, kept.confirmed_at) == (before.id, clock.now)
    assert kept.importance == pytest.approx(min(1.0, before.importance + 0.2))
    assert kept.valid_from == before.valid_from
    assert before.strength < kept.strength <= 1.0
    assert len(kept.sources) == 20
    assert changes(memory, kept.id)[-1] == "repeated"
    late = (clock.now - timedelta(days=99)).isoformat()
    memory.add([{"role": "user", "content": "I live in Leeds", "at": late, "id": "x"}], session="x")
    memory.consolidate(force=True)
    assert memory.get(kept.id).confirmed_at == clock.now  # which is no later word


def test_richer_words_replace_poorer_ones(memory: Memory, clock: Clock) -> None:
    tell(memory, clock, "I have a cat", "I have a cat named Miso", "I have a cat")
    (kept,) = memory.list(state="all")
    assert kept.content == "The user has a cat named Miso"
    assert changes(memory, kept.id) == ["learned", "updated", "repeated"]


def test_what_is_said_in_a_group_or_imported_is_kept_as_such(memory: Memory, clock: Clock) -> None:
    tell(memory, clock, "I live in Leeds", chat="group")
    assert one_about(memory, "Leeds").audience == "group"
    tell(memory, clock, "I'm allergic to nuts", origin="import", session="chat")
    nuts = one_about(memory, "nuts")
    assert (nuts.trust, nuts.audience, nuts.project) == ("import", "private", "_global")
    (source,) = nuts.sources
    assert memory.turn(f"chat:{source.turn}").content == "I'm allergic to nuts"


# Beliefs


def test_guess_becomes_surer_and_a_fact_takes_its_place(memory: Memory, clock: Clock) -> None:
    tell(memory, clock, "我可能喜欢爵士乐")
    (belief,) = memory.list()
    assert (belief.kind, belief.id[0], belief.confidence) == ("belief", "b", 0.6)
    assert belief.basis
    seen = []
    for _ in range(6):
        tell(memory, clock, "我好像喜欢爵士乐")
        seen.append(memory.get(belief.id).confidence)
    assert seen == pytest.approx([0.7, 0.8, 0.9, 0.95, 0.95, 0.95])
    tell(memory, clock, "我喜欢爵士乐")
    (fact,) = memory.list()
    assert (fact.kind, fact.confidence, fact.derived_from) == ("fact", 1.0, (belief.id,))
    assert changes(memory, belief.id)[-1] == "confirmed"
    tell(memory, clock, "我可能喜欢爵士乐")  # a guess of what is known is nothing
    assert contents(memory, state="active") == ["用户喜欢爵士乐"]


def test_fact_to_the_contrary_takes_the_confidence_of_a_guess(memory: Memory, clock: Clock) -> None:
    tell(memory, clock, "我可能喜欢爵士乐", "我不喜欢爵士乐")
    (belief,) = memory.list(kind="belief", state="all")
    assert belief.confidence < 0.6
    tell(memory, clock, "我不喜欢爵士乐", "我不喜欢爵士乐")
    assert memory.get(belief.id).state == "archived"
    assert changes(memory, belief.id)[-1] == "denied"
    assert contents(memory) == ["用户不喜欢爵士乐"]


def test_guess_against_something_firm_waits_for_the_user(memory: Memory, clock: Clock) -> None:
    for answer in ("confirm", "reject"):
        tell(memory, clock, "我住在北京", "我可能住在上海")
        (review,) = memory.reviews()
        assert (review.belief.kind, review.against.value) == ("belief", "北京")
        assert memory.status().reviews == 1
        done = getattr(memory, answer)(review.belief.id)
        assert memory.reviews() == []
        if answer == "confirm":
            assert (done.kind, done.content, done.confidence) == ("fact", "用户住在上海", 1.0)
            assert done.derived_from == (review.belief.id,)
            assert memory.history(done.id)[0].record.value == "北京"
            assert contents(memory) == ["用户住在上海"]
        else:
            assert (done.state, changes(memory, done.id)[-1]) == ("archived", "rejected")
            assert contents(memory) == ["用户住在北京"]
        with pytest.raises(InputError):
            getattr(memory, answer)(review.belief.id)


def test_only_beliefs_are_confirmed_or_rejected(memory: Memory) -> None:
    fact = memory.capture("The user lives in Leeds")
    for answer in (memory.confirm, memory.reject):
        with pytest.raises(InputError, match="not a belief"):
            answer(fact.id)
        with pytest.raises(NotFoundError):
            answer("b_19990101_001")


@pytest.mark.parametrize("guess", cases(__file__, "guess"), ids=lambda one: str(one["guessed"]))
def test_confirmed_guess_is_said_plainly(memory: Memory, guess: dict[str, str]) -> None:
    fact = memory.confirm(memory.capture(guess["guessed"], "belief", confidence=0.5).id)
    assert (fact.kind, fact.content) == ("fact", guess["known"])
    assert contents(memory) == [guess["known"]]


# What has one value at a time


@pytest.mark.parametrize(
    "says",
    [
        ["I prefer the dark theme", "I prefer the light theme", "I use dark mode"],
        ["I use dark mode in my editor", "I switched to light mode in my editor"],
        ["我喜欢深色主题", "我喜欢浅色主题", "我改用深色主题了", "我又换回浅色主题了"],
    ],
)
def test_dark_and_light_are_never_both(memory: Memory, clock: Clock, says: list[str]) -> None:
    for text in says * 2:
        tell(memory, clock, text)
        assert len(contents(memory)) == 1


def test_each_program_has_a_theme_of_its_own(memory: Memory, clock: Clock) -> None:
    tell(memory, clock, "I use dark mode in my editor", "I use light mode in my browser")
    assert sorted(one.value for one in memory.list()) == ["browser: light", "editor: dark"]


# Entities


@pytest.mark.parametrize("case", cases(__file__, "entity"), ids=lambda one: str(one["name"]))
def test_name_and_relation_lead_to_one_entity(
    memory: Memory, clock: Clock, case: dict[str, Any]
) -> None:
    relation, name, told = case.values()
    tell(memory, clock, told[0])
    first = memory.list()[0]
    assert (first.subject, memory.entity(relation).entity.name) == (relation, relation)
    tell(memory, clock, *told[1:])
    (entity,) = [one for one in memory.entities() if one.name != "user" and one.type != "place"]
    assert (entity.name, entity.aliases, entity.type) == (name, (relation,), "person")
    assert memory.get(first.id).subject == name
    assert "renamed" in changes(memory, first.id)
    card = memory.entity(relation)
    assert card == memory.entity(name.upper())
    assert first.id in card.facts
    assert {"likes"} < card.attributes.keys()
    (summary,) = memory.list(kind="summary")
    assert (summary.value, card.summaries) == (f"subject:{name}", (summary.id,))
    assert memory.validate() == []


def test_two_sisters_are_two_and_the_user_has_a_name(memory: Memory, clock: Clock) -> None:
    tell(memory, clock, "My sister Mei lives in Osaka", "My sister Jun lives in Kyoto")
    known = {one.name: one.aliases for one in memory.entities() if one.type != "place"}
    assert known == {"user": (), "Mei": ("sister",), "Jun": ()}
    assert memory.entity("Mei").attributes["home"].value == "Osaka"
    assert memory.entity("Jun").attributes["home"].value == "Kyoto"
    tell(memory, clock, "My name is Ann Lee", "My sister Mei moved to Nara")
    assert memory.entity("Ann Lee").entity.name == "user"
    assert memory.entity("Mei").attributes["home"].value == "Nara"
    for name in ("nobody", "", "x" * 100_000, "'; DROP TABLE entities; --"):
        with pytest.raises(NotFoundError):
            memory.entity(name)


# Summaries


@pytest.mark.parametrize("case", cases(__file__, "summary"), ids=["zh", "en"])
def test_three_facts_of_a_theme_give_a_summary(
    memory: Memory, clock: Clock, case: dict[str, Any]
) -> None:
    first, second, third = case["told"]
    tell(memory, clock, first, second)
    assert memory.list(kind="summary") == []
    tell(memory, clock, third)
    (summary,) = memory.list(kind="summary")
    facts = memory.list(kind="fact")
    assert (summary.value, sorted(summary.content)) == ("user/health", sorted(case["summed"]))
    assert {*summary.derived_from} == {one.id for one in facts}
    tell(memory, clock, case["more"])
    (renewed,) = memory.list(kind="summary")
    assert (renewed.id, len(renewed.derived_from)) == (summary.id, 4)
    assert changes(memory, renewed.id) == ["learned", "renewed"]
    for fact in facts[:2]:
        memory.archive(fact.id)
    tell(memory, clock, "I like tea")
    shown = [one.content for one in memory.list(kind="summary")]
    assert not any(fact.value in one for one in shown for fact in facts[:2])


def test_summary_is_private_where_one_of_its_facts_is(memory: Memory, clock: Clock) -> None:
    tell(memory, clock, "我对花生过敏", "我对芒果过敏", "我有哮喘", chat="group")
    assert memory.list(kind="summary")[0].audience == "group"
    tell(memory, clock, "我对虾过敏")
    assert memory.list(kind="summary")[0].audience == "private"
