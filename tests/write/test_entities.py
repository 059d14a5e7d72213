"""Whom and what the memories are about: one name each, and other names that lead to it."""

from __future__ import annotations

import pytest

from loxodon import Memory
from loxodon.errors import NotFoundError
from loxodon.language.statements import Mention
from loxodon.write.extract import Candidate
from tests.clock import Clock
from tests.write.said import one_about, said, store_of, tell

MEI = (Mention("小美", "person", ("妹妹",)),)
SISTER_MEI = (Mention("Mei", "person", ("sister",)),)


def about(
    subject: str,
    content: str,
    attribute: str = "",
    value: str = "",
    mentions: tuple[Mention, ...] = (),
) -> Candidate:
    return said(content, attribute, value, subject=subject, mentions=mentions)


def names(memory: Memory) -> dict[str, tuple[str, ...]]:
    return {one.name: one.aliases for one in memory.entities()}


def test_a_name_and_what_else_it_goes_by(memory: Memory) -> None:
    tell(
        memory,
        about("小美", "用户的妹妹小美在大阪读书", "school", "大阪", MEI),
        about("妹妹", "用户的妹妹喜欢画画", "likes", "画画"),
    )
    assert names(memory) == {"小美": ("妹妹",)}
    assert {one.subject for one in memory.list()} == {"小美"}
    card = memory.entity("妹妹")
    assert card == memory.entity("小美")
    assert card.entity.type == "person"
    assert card.entity.id == "e_001"
    assert {name: one.value for name, one in card.attributes.items()} == {
        "school": "大阪",
        "likes": "画画",
    }
    assert set(card.facts) == {one.id for one in memory.list()}


def test_a_short_name_and_the_full_one(memory: Memory) -> None:
    short, full = Mention("小李", "person"), Mention("李雷", "person", ("小李",))
    tell(
        memory,
        about("小李", "小李在腾讯工作", "employer", "腾讯", (short,)),
        about("李雷", "李雷住在深圳", "home", "深圳", (full,)),
    )
    assert names(memory) == {"李雷": ("小李",)}
    assert {one.subject for one in memory.list()} == {"李雷"}
    assert memory.entity("小李").attributes.keys() == {"employer", "home"}


@pytest.mark.parametrize(
    ("relation", "name", "unnamed", "named"),
    [
        ("妹妹", "小美", "用户的妹妹在大阪读书", "用户的妹妹叫小美"),
        ("sister", "Mei", "The user's sister lives in Osaka", "The user's sister is called Mei"),
    ],
)
def test_unnamed_first_and_named_later(
    memory: Memory, relation: str, name: str, unnamed: str, named: str
) -> None:
    tell(memory, about(relation, unnamed, "home", "Osaka"))
    assert names(memory) == {relation: ()}
    first = memory.list()[0]
    assert first.entities == (relation,)
    tell(memory, said(named, "sibling", name, mentions=(Mention(name, "person", (relation,)),)))
    assert names(memory) == {name: (relation,)}
    renamed = memory.get(first.id)
    assert (renamed.subject, renamed.entities) == (name, (name,))
    assert memory.history(first.id)[-1].change == "renamed"
    assert first.id in memory.entity(name).facts
    assert [one.id for one in memory.list(entity=name)] != []
    assert memory.entity(name).entity.type == "person"
    assert memory.validate() == []


def test_a_relation_that_was_someone_and_a_name_that_was_someone_become_one(memory: Memory) -> None:
    tell(
        memory,
        about("sister", "The user's sister lives in Osaka", "home", "Osaka"),
        about("Mei", "Mei likes tea", "likes", "tea"),
    )
    assert names(memory) == {"sister": (), "Mei": ()}
    tell(memory, said("Mei is the user's sister", "sibling", "Mei", mentions=SISTER_MEI))
    assert names(memory) == {"Mei": ("sister",)}
    assert memory.entity("sister").attributes.keys() == {"home", "likes"}
    assert memory.stats().entities == 1


def test_two_sisters_are_two(memory: Memory) -> None:
    jun = (Mention("Jun", "person", ("sister",)),)
    tell(
        memory,
        about("Mei", "The user's sister Mei lives in Osaka", "home", "Osaka", SISTER_MEI),
        about("Jun", "The user's sister Jun lives in Kyoto", "home", "Kyoto", jun),
    )
    assert names(memory) == {"Mei": ("sister",), "Jun": ()}
    assert memory.entity("Mei").attributes["home"].value == "Osaka"
    assert memory.entity("Jun").attributes["home"].value == "Kyoto"
    tell(memory, about("Jun", "Jun likes tea", "likes", "tea", jun))
    assert names(memory) == {"Mei": ("sister",), "Jun": ()}
    assert len(memory.list()) == 3


def test_whatever_the_case_or_width_of_a_name(memory: Memory) -> None:
    tell(
        memory,
        about("Mei", "Mei lives in Osaka", "home", "Osaka"),
        about("mei", "mei likes tea", "likes", "tea"),
        about("ＭＥＩ", "Mei plays go", "plays", "go"),
    )
    assert names(memory) == {"Mei": ()}
    assert len(memory.entity("MEI").facts) == 3


def test_a_type_is_learned_when_it_is_told(memory: Memory) -> None:
    tell(memory, about("Osaka", "Osaka is humid"))
    assert memory.entity("Osaka").entity.type == "other"
    tell(memory, said("The user was in Osaka", mentions=(Mention("Osaka", "place"),)))
    assert memory.entity("Osaka").entity.type == "place"
    tell(memory, said("The user flew to Osaka", mentions=(Mention("Osaka", "organisation"),)))
    assert memory.entity("Osaka").entity.type == "place"


def test_the_user_is_known_by_name_too(memory: Memory) -> None:
    tell(memory, said("用户叫张三", "name", "张三"), said("用户会游泳", "skill", "游泳"))
    assert names(memory) == {"user": ("张三",)}
    assert len(memory.entity("张三").facts) == 2
    tell(memory, about("张三", "张三住在北京", "home", "北京"))
    assert one_about(memory, "北京", kind="fact").subject == "user"


def test_a_name_of_someone_else_is_not_taken_over(memory: Memory) -> None:
    tell(memory, about("小美", "小美是用户的妹妹", "", "", MEI))
    tell(memory, said("用户叫小美", "name", "小美"))
    assert memory.entity("小美").entity.aliases == ("妹妹",)
    assert one_about(memory, "用户叫小美").subject == "user"
    assert one_about(memory, "小美是用户的妹妹").subject == "小美"
    assert names(memory) == {"小美": ("妹妹",), "user": ()}


def test_a_card_has_only_what_is_so_now(memory: Memory, clock: Clock) -> None:
    tell(memory, about("Mei", "Mei lives in Osaka", "home", "Osaka"))
    clock.pass_days(1)
    moved = about("Mei", "Mei lives in Kyoto", "home", "Kyoto")._replace(said_at=clock.now)
    tell(
        memory,
        moved,
        said("The user visited Mei", mentions=(Mention("Mei", "person"),)),
        said("Mei may like jazz", "likes", "jazz", subject="Mei", confidence=0.5),
        about("Mei", "Mei works at Acme", "employer", "Acme"),
        about("Mei", "Mei plays go", "plays", "go"),
    )
    card = memory.entity("Mei")
    home = card.attributes["home"]
    assert (home.value, home.updated_at) == ("Kyoto", clock.now)
    assert "likes" not in card.attributes
    assert len(card.beliefs) == 1
    assert len(card.summaries) == 1
    assert len(card.facts) == 4
    assert len(set(card.facts)) == 4


def test_nobody_by_that_name(memory: Memory) -> None:
    for name in ("nobody", "", "x" * 100_000, "'; DROP TABLE entities; --"):
        with pytest.raises(NotFoundError):
            memory.entity(name)
    assert memory.entities() == []


def test_a_summary_under_the_old_name_goes(memory: Memory) -> None:
    tell(
        memory,
        about("sister", "The user's sister lives in Osaka", "home", "Osaka"),
        about("sister", "The user's sister likes tea", "likes", "tea"),
        about("sister", "The user's sister plays go", "plays", "go"),
    )
    assert [one.value for one in memory.list(kind="summary")] == ["subject:sister"]
    tell(memory, said("Mei is the user's sister", "sibling", "Mei", mentions=SISTER_MEI))
    assert [one.value for one in memory.list(kind="summary")] == ["subject:Mei"]
    with store_of(memory).reading():
        assert memory.validate() == []
