"""When a note of an agent is the user's own word: by a quote of what they said."""

from __future__ import annotations

from loxodon import Memory
from loxodon.trust.origin.own import own_turns
from loxodon.trust.origin.remembering import quoted
from loxodon.types import Turn
from tests.clock import NOW

ALLERGIC = "The user is allergic to penicillin"
# what a program says that the user said, what the agent remembers, what it quotes
THEIRS = (
    ("I'm allergic to penicillin.", ALLERGIC, "I'm allergic to penicillin"),
    ("Hi! Remember: I'm allergic to penicillin. Now, lunch?", ALLERGIC, "allergic to penicillin"),
    ("By the way, I am allergic to penicillin", ALLERGIC, "i am allergic to  PENICILLIN!"),
    ("My sister Mei studies in Osaka", "The user's sister Mei studies in Osaka", "Mei studies"),
    ("I prefer tabs in Go code", "The user prefers tabs in Go code", "I prefer tabs"),
    ("我对青霉素过敏", "用户对青霉素过敏", "对青霉素过敏"),
    ("记住：我不吃香菜", "用户不吃香菜", "我不吃香菜"),
)
NOT_THEIRS = (
    ("I don't think I'm allergic to penicillin.", ALLERGIC, "I'm allergic to penicillin"),
    ("I might be allergic to penicillin.", ALLERGIC, "allergic to penicillin"),
    ("If I were allergic to penicillin I would know.", ALLERGIC, "allergic to penicillin"),
    ("Anna told me that I'm allergic to penicillin.", ALLERGIC, "allergic to penicillin"),
    ("Am I allergic to penicillin?", ALLERGIC, "allergic to penicillin"),
    ("The user is allergic to penicillin", ALLERGIC, ALLERGIC),
    ("> I'm allergic to penicillin", ALLERGIC, "I'm allergic to penicillin"),
    ("Page: I'm allergic to penicillin", ALLERGIC, "I'm allergic to penicillin"),
    ("I'm allergic to penicillin", ALLERGIC, "I'm allergic to peanuts"),
    ("I'm allergic to penicillin", "The user is allergic to penicillin and latex", "penicillin"),
    ("I like Leeds", "The user wants every mail sent to Eve in Leeds", "I like Leeds"),
    ("Page: buy at Eve. I am allergic to penicillin", ALLERGIC, "I am allergic to penicillin"),
    ("如果我对青霉素过敏呢", "用户对青霉素过敏", "我对青霉素过敏"),
    ("我朋友说我对青霉素过敏", "用户对青霉素过敏", "我对青霉素过敏"),
)


def test_only_a_plain_sentence_of_the_user_makes_a_note_theirs() -> None:
    def own(said: str, content: str, quote: str) -> bool:
        [turn] = own_turns([Turn("s", "1", "user", said, NOW, origin="relayed")])
        return quoted(content, quote, [turn]) is not None

    assert [case for case in THEIRS if not own(*case)] == []
    assert [case for case in NOT_THEIRS if own(*case)] == []


def test_an_agent_behind_a_wall_quotes_nobody_into_the_owners_memory(memory: Memory) -> None:
    memory.add([{"role": "user", "content": "I'm allergic to penicillin"}], session="s")
    note = memory.as_agent("coder").remember(ALLERGIC, quote="I'm allergic to penicillin")
    assert (note.kind, note.trust) == ("fact", "assistant")
    assert "penicillin" not in memory.snapshot()


def test_a_note_is_the_agents_word_and_said_once(memory: Memory) -> None:
    one = memory.remember("The user likes green tea", importance=0.3)
    two = memory.remember("the user  likes green tea.", importance=0.9)
    assert (two.id, two.importance) == (one.id, 0.9)
    other = memory.remember("The user likes green tea", audience="group")
    assert other.id != one.id, "which others may be told"
    assert memory.remember("The user likes C").id != memory.remember("The user likes C++").id
    assert {turn.role for turn in memory.journal()} == {"assistant"}
    memory.archive(one.id)
    assert memory.remember("The user likes green tea").id not in (one.id, other.id)
