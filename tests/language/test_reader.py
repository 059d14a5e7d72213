"""What a message says: by frames, in its own words, or nothing."""

from __future__ import annotations

import pytest

from loxodon.language.statements import PriorTurn
from tests.clock import NOW
from tests.each import each
from tests.language.told import framed, told


def test_several_things_in_one_message() -> None:
    assert framed("zh", "我叫张三，在北京工作，明天要开会") == ["用户叫张三", "用户在北京工作"]
    assert framed("en", "My name is Tom and I live in Leeds. What's the weather like?") == [
        "The user's name is Tom",
        "The user lives in Leeds",
    ]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("zh", "李伟搬到了杭州"),
        ("zh", "清蒸鲈鱼"),
        ("en", "Kevin moved to Boston"),
        ("en", "She is a nurse in Leeds"),
        ("en", "Having a parrot sounds wonderful"),
    ],
)
def test_a_clause_about_nobody_known_is_read_by_nobody(language: str, text: str) -> None:
    assert told(language, text) == []


def test_what_follows_from_a_fact_does_not_hide_it() -> None:
    assert framed("en", "My daughter is allergic to hazelnuts so no nutella recipes please") == [
        "The user's daughter is allergic to hazelnuts"
    ]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "give me feedback on my answer: my name is Olga, I work in a zoo"),
        ("en", "翻成中文 I have been a vegetarian since 2009 and I live in Portland"),
        ("zh", "捋一下 阿杰：我下个月去迪拜上班 小敏：我怀上了"),
    ],
)
def test_what_is_handed_over_is_not_the_users(language: str, text: str) -> None:
    assert told(language, text) == []


def test_an_appointment_is_no_profession() -> None:
    assert framed("en", "Dentist on Thursday at 3:30pm") == []


def test_people_around_the_user_are_subjects_of_their_own() -> None:
    who, what = told("en", "My sister Mei lives in Osaka")
    assert (who.content, who.attribute, who.value) == ("Mei is the user's sister", "sibling", "Mei")
    assert (what.subject, what.attribute, what.value) == ("Mei", "home", "Osaka")
    (later,) = told("en", "Mei moved to Tokyo", known={"sister": "Mei"})
    assert (later.subject, later.value, later.act) == ("Mei", "Tokyo", "change")


def test_what_is_over_names_what_it_ends() -> None:
    (found,) = told("en", "I no longer work at Tesco")
    assert (found.content, found.act, found.over) == (
        "The user no longer works at Tesco",
        "end",
        ("work at Tesco",),
    )


def test_what_was_hedged_is_a_belief() -> None:
    (found,) = told("en", "I think my boss Ana lives in Porto")[1:]
    assert found.confidence < 1


def test_own_words_are_kept_as_they_were_said() -> None:
    text = "I restore old clocks in my shed and sell them at the Ludlow market"
    (found,) = told("en", text)
    assert found.quoted
    assert found.content == f"The user: “{text}”"
    assert found.importance < 0.5


def test_a_request_at_the_end_is_not_kept() -> None:
    (found,) = told("en", "I coach the under 10s at Ashbourne FC on sundays, can you plan drills")
    assert found.content == "The user: “I coach the under 10s at Ashbourne FC on sundays”"


def test_nothing_is_read_from_a_game() -> None:
    before = [PriorTurn("user", "Let's role-play: you are a knight and I am the king", NOW)]
    assert told("en", "I live in Camelot and my name is Arthur", before=before) == []


@each(
    ("language", "text", "found"),
    [
        ("zh", "张三是我同事。张三住在上海", ["张三是用户的同事", "张三住在上海"]),
        ("zh", "我老公叫阿强，他对海鲜过敏", ["阿强是用户的老公", "用户的老公阿强对海鲜过敏"]),
        ("zh", "我爸和我哥都来了，他有高血压", []),
        ("zh", "我哥哥认识了一个医生，他住在杭州", []),
        ("zh", "张三是我同事的儿子。张三住在上海", []),
        (
            "en",
            "Tom is my manager and he's vegan",
            ["Tom is the user's manager", "The user's manager Tom is vegan"],
        ),
        (
            "en",
            "My grandmother is 84. She has diabetes.",
            ["The user's grandmother is 84 years old", "The user's grandmother has diabetes"],
        ),
        ("en", "My brother met Kevin yesterday. He lives in Leeds.", []),
        ("en", "My brother came with my dad. He lives in Leeds.", []),
        ("en", "My friend lives in Spain", []),
    ],
)
def test_a_pronoun_means_somebody_only_where_nobody_else_can_be_meant(
    language: str, text: str, found: list[str]
) -> None:
    assert framed(language, text) == found


@each(
    ("language", "text", "asks"),
    [
        ("en", "No emojis please", True),
        ("en", "Write me a bio for my page. No emojis please.", False),
        ("en", "Write me a bio for my page. From now on no emojis please.", True),
        ("en", "Use metric for this recipe", False),
        ("zh", "别用表格", True),
        ("zh", "帮我比较这两款手机，别用表格", False),
        ("zh", "用表格列出来", False),
        ("zh", "这次用英文回答就行", False),
    ],
)
def test_a_wish_within_a_task_is_none(language: str, text: str, asks: bool) -> None:
    assert [one.attribute for one in told(language, text)] == ["reply_style"] * asks


def test_a_wish_after_a_task_is_about_the_task() -> None:
    before = [PriorTurn("user", "Write me a bio for my page", NOW)]
    assert told("en", "no emojis please", before=before) == []
    assert len(told("en", "never use emojis", before=before)) == 1


@each(
    ("language", "text", "read"),
    [
        ("en", "These days I work at Tesco", "The user works at Tesco"),
        ("en", "Since last year we live in Oslo", "The user lives in Oslo since last year"),
        ("zh", "现在我在腾讯工作", "用户在腾讯工作"),
        ("zh", "目前我儿子在杭州读书", "用户的儿子在杭州读书"),
        (
            "en",
            "My son Leo, who is five, is allergic to milk",
            "The user's son Leo is five years old",
        ),
        ("en", "My niece Zoe, 7, plays the cello", "The user's niece Zoe plays the cello"),
        ("en", "My aunt Ada is 40 and lives in Accra", "The user's aunt Ada lives in Accra"),
        ("zh", "我儿子乐乐五岁，对牛奶过敏", "用户的儿子乐乐五岁"),
        ("zh", "我女儿叫朵朵，对牛奶过敏", "用户的女儿朵朵对牛奶过敏"),
    ],
)
def test_the_order_of_what_is_told_of_somebody_does_not_matter(
    language: str, text: str, read: str
) -> None:
    assert read in framed(language, text)


@each(
    ("language", "text", "read"),
    [
        ("en", "I have a cat, her name is Miso", "The user has a cat called Miso"),
        ("en", "I have two dogs, Rex and Luna", "The user has two dogs, Rex and Luna"),
        ("zh", "我养了一只猫，叫豆包", "用户养了一只猫，叫豆包"),
        ("zh", "我有个妹妹，名字叫小美", "用户有个妹妹，叫小美"),
    ],
)
def test_a_name_belongs_to_what_it_names(language: str, text: str, read: str) -> None:
    (one,) = told(language, text)
    assert one.content == read
    assert one.mentions[0].name in read


@each(
    ("language", "text"),
    [
        ("en", "Is my new manager Priya?"),
        ("en", "Should I name my hamster Nugget?"),
        ("en", "Remind me why I moved to Leeds"),
        ("en", "Is my son allergic to milk?"),
        ("zh", "我儿子对牛奶过敏吗？"),
        ("zh", "要是下雨，提醒我带伞"),
        ("zh", "明天提醒我一下"),
        ("zh", "现在我要去吃饭了，回头聊"),
    ],
)
def test_what_is_only_asked_or_passing_is_not_read(language: str, text: str) -> None:
    assert told(language, text) == []


@each(
    ("language", "text", "name"),
    [
        ("en", "My manager is Tom", "Tom"),
        ("en", "My manager is Susan Lee and she is kind", "Susan Lee"),
        ("en", "My GP is Dr Hanley.", "Dr Hanley"),
        ("en", "My wife is Irish and lives in Leeds.", ""),
        ("en", "My boss is Kenyan.", ""),
        ("en", "My boss is South African", ""),
        ("en", "My boss is now Vegan", ""),
        ("en", "My wife is Autistic", ""),
        ("en", "My wife is Busy", ""),
        ("zh", "我的领导是王磊", "王磊"),
        ("zh", "我的医生换成王医生了", "王医生"),
        ("zh", "我老婆是小气鬼", ""),
        ("zh", "我老板是老外", ""),
        ("zh", "我老婆是大方", ""),
        ("zh", "我老板是高兴了", ""),
        ("zh", "我老公是司机", ""),
    ],
)
def test_what_somebody_is_is_not_their_name(language: str, text: str, name: str) -> None:
    assert _placed(language, text) == [name] * bool(name)


@each(
    ("language", "text"),
    [
        *(("en", f"My {how} manager is Tom") for how in ("former", "old", "late", "other", "ex")),
        ("en", "Tom is my former manager"),
        ("en", "My old boss Tom lives in Leeds"),
        ("en", "Maybe my manager is Tom"),
        ("en", "I thought my manager is Tom"),
        ("en", "I think my landlord is Bob"),
        ("en", "My manager is Tom, I think."),
        ("zh", "可能我的领导是王磊"),
        ("zh", "我以为我的领导是王磊"),
        ("zh", "听说我的领导换成王磊了"),
        ("zh", "我的领导是王磊，可能吧"),
        ("zh", "王磊是我以前的领导"),
    ],
)
def test_a_guess_or_somebody_of_the_past_takes_nobody_s_place(language: str, text: str) -> None:
    found = told(language, text)
    assert all(one.quoted and one.act == "state" and not one.over for one in found), found
    assert not any(mention.aliases for one in found for mention in one.mentions), found


def test_a_name_within_another_is_somebody_else_s() -> None:
    assert framed("en", "I have a son called Benjamin. Ben is my son.") == [
        "The user has a son called Benjamin",
        "Ben is the user's son",
    ]


def test_a_name_that_belongs_to_nobody_clearly_is_kept_in_own_words() -> None:
    text = "I have a son, his name is Leo and a daughter, her name is Mia."
    assert any(one.quoted and "Mia" in one.content for one in told("en", text))


@each(
    ("language", "text", "name"),
    [
        ("en", "So is my manager Tom?", ""),
        ("en", "Hey, is my manager Tom?", ""),
        ("en", "Who is my manager, Tom?", ""),
        ("en", "My manager is Tom, right?", ""),
        ("zh", "我的领导是王磊，对吗？", ""),
        ("en", "Can you write to my manager Tom?", "Tom"),
        ("en", "My manager is Tom, can you write to him?", "Tom"),
    ],
)
def test_who_is_asked_about_is_not_told(language: str, text: str, name: str) -> None:
    assert _placed(language, text) == [name] * bool(name)


def _placed(language: str, text: str) -> list[str]:
    """Who is said to be somebody to the user."""
    places = ("manager", "partner", "doctor", "landlord")
    return [one.value for one in told(language, text) if one.attribute in places]
