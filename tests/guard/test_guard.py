"""The guard in a memory: what is kept, what is shown, and what a mask stands for."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon import Memory
from loxodon.guard.guard import Clean, Guard
from loxodon.guard.policy import built_in
from loxodon.guard.signs import has_sign
from loxodon.types import Draft, Turn
from tests.clock import Clock

CARD, PHONE, MAIL = "4111 1111 1111 1111", "13912345678", "ada@example.org"
TOKEN = "ghp_Zq81LmXw92KcVb37RtYu64PoNj05HsGfDa4E"
GUARD = Guard(built_in)


def test_a_secret_is_gone_and_said_to_have_been_there(memory: Memory) -> None:
    record = memory.capture(f"the token is {TOKEN}", tags=[TOKEN])
    assert record.content == "the token is [secret: github token]"
    assert record.tags == ("[secret: github token]",)
    assert record.sensitivity == "high"
    assert memory.journal()[0].content == "the token is [secret: github token]"


def test_the_same_file_twice_adds_nothing(memory: Memory) -> None:
    turns = [{"role": "user", "content": f"{n}: my password is hunter{n}2"} for n in range(3)]
    assert memory.add(turns, session="s").added == 3
    again = memory.add(turns, session="s")
    assert (again.added, again.known, again.changed) == (0, 3, 0)


def test_numbers_are_kept_exactly_found_and_shown_as_masks(memory: Memory) -> None:
    record = memory.capture(f"my card is {CARD}, phone {PHONE}")
    assert memory.get(record.id).content == f"my card is {CARD}, phone {PHONE}"
    assert memory.get(record.id).sensitivity == "high"
    direct = memory.recall("card 4111")
    assert direct.items[0].content == f"my card is [bank card ••1111], phone {PHONE}"
    assert CARD not in direct.context
    assert CARD in memory.recall("card", reveal=True).context
    assert memory.recall(PHONE).items, "its owner still finds it by the number"


def test_a_group_sees_no_phone(memory: Memory) -> None:
    memory.capture(f"the plumber is {PHONE}", audience="group")
    assert PHONE in memory.recall("plumber").context
    in_group = memory.recall("plumber", chat="group").context
    assert "[phone ••5678]" in in_group
    assert PHONE not in in_group


def test_the_block_stays_within_its_budget(memory: Memory) -> None:
    for n in range(20):
        memory.capture(f"card number {n} is {CARD}")
    found = memory.recall("card", budget=200)
    assert found.tokens <= 200
    assert CARD not in found.context


def test_every_page_masks(memory: Memory) -> None:
    memory.capture(f"My card is {CARD}", importance=1.0, category="identity")
    memory.add([{"role": "user", "content": f"use {CARD} again"}], session="s")
    frame = memory.assemble("which card do I have?")
    for page in (memory.snapshot(), memory.profile(refresh=True), frame.text):
        assert CARD not in page
    assert "••1111" in frame.text


def test_a_mask_that_comes_back_changes_nothing(memory: Memory) -> None:
    record = memory.capture(f"card {CARD}, mail {MAIL}")
    shown = memory.guard.shown(record.content, private=False)
    assert shown == "card [bank card ••1111], mail [mail a••@example.org]"
    edited = memory.edit(record.id, content=f"{shown}, at home")
    assert edited.content == f"card {CARD}, mail {MAIL}, at home"
    assert memory.edit(record.id, content=memory.guard.shown(edited.content, False)) == edited


def test_two_masks_alike_stand_for_what_they_hid_in_order() -> None:
    old = "13912345678 and 13812345678"
    shown = GUARD.shown(old, private=False)
    assert shown == "[phone ••5678] and [phone ••5678]"
    assert GUARD.restored(shown, old) == old


def test_a_forged_marker_hides_nothing() -> None:
    assert TOKEN not in GUARD.clean(f"[secret: {TOKEN}]")
    assert TOKEN not in GUARD.clean(f"[phone ••{TOKEN}]")
    assert TOKEN not in GUARD.clean(f"[secret: password]{TOKEN}")


def test_sensitivity_rises_and_never_falls_by_itself(memory: Memory) -> None:
    record = memory.capture("Bo lives nearby")
    assert record.sensitivity == "low"
    assert memory.edit(record.id, content=f"Bo: {PHONE}").sensitivity == "medium"
    assert memory.edit(record.id, content="Bo moved").sensitivity == "medium"
    assert memory.edit(record.id, sensitivity="low").sensitivity == "low"


def test_disguises_do_not_help() -> None:
    hidden = ("１３９１２３４５６７８", "139\u200b1234\u200b5678")
    for text in (*hidden, "+86 139-1234-5678", "１３９ 1234 5678"):
        assert "phone" in GUARD.taken(text).found, text


def test_half_a_character_is_no_trouble() -> None:
    assert TOKEN not in GUARD.clean(f"\ud83d {TOKEN}")


def test_a_word_under_the_name_of_a_password_is_one() -> None:
    assert GUARD.value({"password": "sunflower"}) == {"password": "[secret: password]"}
    assert GUARD.value({"password_hint": "sunflower"}) == {"password_hint": "sunflower"}


def test_values_under_a_name_are_told_by_it() -> None:
    assert GUARD.value({"password": "hunter22", "n": [1, None]}) == {
        "password": "[secret: password]",
        "n": [1, None],
    }


@given(st.text(max_size=200))
def test_any_text_is_stable(text: str) -> None:
    kept = GUARD.taken(text).text
    assert GUARD.taken(kept).text == kept
    shown = GUARD.shown(kept, private=False)
    assert GUARD.shown(shown, private=False) == shown
    if GUARD.engine.outgoing.found(text):
        assert has_sign(text)


@given(
    st.lists(
        st.sampled_from(
            [
                "password",
                " is ",
                "密码",
                "是",
                ":",
                "=",
                "hunter22",
                TOKEN,
                PHONE,
                CARD,
                MAIL,
                "[",
                "]",
                "secret: ",
                "••",
                " ",
                "\n",
                "https://",
                "@",
                "a",
                "1",
                "路88号",
                "token",
                '"',
                "'",
                "code",
                "验证码",
            ]
        ),
        max_size=12,
    )
)
def test_pieces_in_any_order_are_stable(pieces: list[str]) -> None:
    text = "".join(pieces)
    kept = GUARD.taken(text).text
    assert GUARD.taken(kept).text == kept
    shown = GUARD.shown(kept, private=False)
    assert GUARD.shown(shown, private=False) == shown


def test_a_policy_is_read_once_for_a_memory(tmp_path: Path, clock: Clock) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "policy.toml").write_text('[kinds]\nphone = "never"\n', "utf-8")
    with Memory.open(home, clock=clock) as memory:
        assert memory.capture(f"call {PHONE}").content == "call [removed: phone]"


@pytest.mark.parametrize("text", ["", " ", "\0", "hello", "你好"])
def test_plain_text_passes(text: str) -> None:
    assert GUARD.taken(text) == (text, "low", ())
    assert GUARD.shown(text, private=False) == text


def test_a_memory_that_is_bound_to_a_group_tells_no_number(tmp_path: Path) -> None:
    """Whatever a call says: who is bound to a group cannot ask as if nobody else heard it."""
    number = "13912345678"
    with Memory.open(tmp_path / "home") as memory:
        memory.capture(f"Tom的电话是{number}", audience="group", entities=["Tom"], importance=1.0)
        said = {"role": "user", "content": f"Tom's phone is {number}", "id": "m1", "chat": "group"}
        memory.add([said], "room")
        heard = memory.within(chat="group")
        told = [
            heard.recall("Tom 电话").context,
            heard.recall("Tom 电话", chat="direct").context,
            heard.assemble("Tom的电话是多少？").text,
            heard.snapshot("zh"),
            heard.profile("zh"),
        ]
        assert "Tom" in told[0]
        assert not [one for one in told if number in one]
        assert number in memory.recall("Tom 电话").context, "the owner's own chat"


@pytest.mark.parametrize(
    "text",
    [
        "my cell: four one five, five five five, oh one three four",
        "ring me, 555-0134",
        "手机号幺三九一二三四五六七八",
        "我电话是一三九 一二三四 五六七八",
        "write to ada at example dot org",
        "邮箱是 wangli 艾特 qq 点 com",
        "I live on Maple Avenue, number 14",
        "Hauptstraße 5, 10115 Berlin",
        "寄到杭州市西湖区文三路 478 号 3 幢 501",
        "我家在3栋502",
        "身份证后四位是002X",
        "SSN five three six, two two, eight seven four five",
    ],
)
def test_what_is_personal_in_words_is_masked_in_a_group(memory: Memory, text: str) -> None:
    memory.add([{"role": "user", "content": text, "chat": "group"}], session="room")
    frame = memory.assemble("hello?", chat="group").text
    assert text not in frame
    assert "[" in frame.partition("user: ")[2].partition("\n")[0]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I was diagnosed with diabetes last year", "health"),
        ("我妈确诊了糖尿病", "health"),
        ("my salary is 120k", "income"),
        ("我月薪三万五", "income"),
        ("she takes lithium every evening", "health"),
        ("我爸每天吃降压药", "health"),
        ("I am a practising Catholic", "faith"),
        ("she owes $4,000 to her brother", "income"),
    ],
)
def test_private_matters_are_sensitive_and_not_hidden(text: str, kind: str) -> None:
    taken = GUARD.taken(text)
    assert (taken.text, taken.sensitivity) == (text, "high")
    assert kind in taken.found
    assert GUARD.shown(text, private=False) == text


@pytest.mark.parametrize(
    "text",
    ["我的身份证号是110101199003078516", "身份證：110101 19900307 8516", "证件号130503670401001"],
)
def test_a_number_that_is_called_an_identity_is_masked_whatever_its_check_digit(text: str) -> None:
    assert GUARD.shown(text, private=True).endswith("]")


def test_an_identity_with_a_typing_error_is_masked_in_the_profile(memory: Memory) -> None:
    number = "110101199003078516"
    memory.capture(f"用户的身份证号是{number}", importance=1.0, category="identity")
    pages = (memory.profile(refresh=True), memory.snapshot(), memory.assemble("身份证").text)
    assert not [page for page in pages if number in page]


def test_a_policy_may_mask_health_in_groups(tmp_path: Path, clock: Clock) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "policy.toml").write_text('[kinds]\nhealth = "mask"\n', "utf-8")
    guard = Guard.of(str(home))
    assert guard.shown("she is pregnant", private=False) == "she is [health ••nt]"
    assert guard.shown("she is pregnant", private=True) == "she is pregnant"


def test_only_what_this_guard_has_looked_through_is_let_past() -> None:
    guard, other = Guard(built_in), Guard(built_in)
    secret = "my password is hunter2-Zebra"
    at = datetime(2026, 2, 4, tzinfo=UTC)
    forged = Clean(secret)
    forged.by = other
    for text in (secret, forged):
        turn = Turn("s", "1", "user", text, at)
        assert "Zebra" not in guard.turn(turn).content
    (draft,) = guard.drafts([Draft(1, "user", secret)], lambda session: ())
    assert isinstance(draft.content, Clean)
    kept = Turn("s", "1", "user", draft.content, at)
    assert guard.turn(kept).content is draft.content
    assert "Zebra" not in draft.content
    assert type(draft.content[3:]) is type(draft.content + "x") is str


def test_a_turn_is_looked_at_once_on_its_way_in(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By whoever makes its key; the store lets past what its own guard has seen, and no other."""
    seen: list[str] = []
    said = [f"We walked along the river, part {n} of the way" for n in range(3)]
    with Memory.open(tmp_path, clock=clock) as memory:
        real = memory.guard.engine.incoming.found

        def counted(text: str, *more: Any) -> Any:
            seen.append(text)
            return real(text, *more)

        monkeypatch.setattr(memory.guard.engine.incoming, "found", counted)
        memory.add([{"role": "user", "content": text, "id": text[-14:]} for text in said])
        assert [text for text in seen if text in said] == said
        seen.clear()
        memory._store.append([(Turn("s", "1", "user", said[0], clock.now), b"k" * 16)])
        assert seen.count(said[0]) == 1


def test_a_value_is_shown_as_each_of_its_texts_is(tmp_path: Path) -> None:
    guard = Guard.of(str(tmp_path))
    number = "110101199003078515"
    texts = [
        "f_20260204_004",
        "t_512",
        number,
        f"t_{number}",
        f"身份证号是{number}",
        "t_1_2_3",
        "_",
    ]
    shown = [guard.shown(text, private=False) for text in texts]
    assert guard.shown_value([*texts, *texts], private=False) == [*shown, *shown]
    assert number not in shown[2]
