"""The guard in a memory: what is kept, what is shown, and what a mask stands for."""

from __future__ import annotations

import base64
import json
import re
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon import Memory
from loxodon.errors import ConfigError
from loxodon.working import Session
from tests.cases import cases
from tests.cli.shell import Shell
from tests.clock import Clock
from tests.each import each
from tests.growth import level, linear
from tests.guard.text_rules import kept, kept_turns, kinds, sensitivity, shown, unmasked
from tests.long import count

CARD, PHONE, MAIL = "4111 1111 1111 1111", "13912345678", "ada@example.org"
TOKEN = "ghp_Zq81LmXw92KcVb37RtYu64PoNj05HsGfDa4E"
HERE = Path(__file__)


def said(memory: Memory, *texts: str, session: str = "s") -> list[str]:
    """What is journalled of messages that come one by one."""
    for text in texts:
        memory.add([{"role": "user", "content": text}], session=session)
    return [turn.content for turn in memory.journal(session=session)]


# What is kept


def test_secret_is_removed_and_the_place_marked(memory: Memory) -> None:
    record = memory.capture(f"the token is {TOKEN}", tags=[TOKEN])
    assert (record.tags, record.sensitivity) == (("[secret: github token]",), "high")
    assert record.content == memory.journal()[0].content == "the token is [secret: github token]"
    memory.add([{"role": "user", "content": "我工作室的网站密码是 Niangao#2024，帮我记一下。"}])
    memory.consolidate(force=True)
    assert len(memory.list()) == 1  # without its value a password tells nothing
    memory.documents.put(("a",), "k", {"password": "sunflower", "password_hint": "x", "n": [1]})
    found = memory.documents.get(("a",), "k")
    assert found is not None
    assert found.value == {"password": "[secret: password]", "password_hint": "x", "n": [1]}


def test_plain_statements_lose_their_secret_and_talk_of_passwords_stays(memory: Memory) -> None:
    for n, case in enumerate(cases(str(HERE), "removed")):
        text, secret = case["text"], case["secret"]
        (left,) = said(memory, text, session=f"r{n}")
        assert secret not in left
        assert left.startswith(text.partition(secret)[0] + "[secret: ")
        assert not memory.recall(secret).items
    for n, case in enumerate(cases(str(HERE), "stays")):
        assert said(memory, case["text"], session=f"s{n}") == [case["text"]]


@each("text", cases(str(HERE.with_name("statements.py")), "value_is_cut"))
def test_value_in_a_plain_statement_is_cut_and_nothing_else(text: str) -> None:
    left = kept(text.replace("{{", "").replace("}}", ""))
    assert re.sub(r"\[secret: [a-z -]+\]", "…", left) == re.sub(r"\{\{.+?\}\}", "…", text)


@each("text", cases(str(HERE.with_name("statements.py")), "predicate_stays"))
def test_what_is_said_about_passwords_stays(text: str) -> None:
    assert kept(text) == text


@each(("text", "secret"), cases(str(HERE.with_name("commands.py")), "it_is_not_kept"))
def test_secrets_in_commands_are_not_kept(text: str, secret: str) -> None:
    assert secret not in kept(text)


@each("text", cases(str(HERE.with_name("commands.py")), "what_only_looks_like_it_stays"))
def test_commands_without_a_secret_stay(text: str) -> None:
    assert shown(kept(text), private=True) == text


@each(("before", "answer"), cases(str(HERE.with_name("answers.py")), "an_answer_is_held_back"))
def test_answer_to_a_question_for_a_secret_is_removed(before: list[str], answer: str) -> None:
    (secret,) = re.findall(r"\{\{(.+?)\}\}", answer)
    left = kept_turns((*before, answer.replace("{{", "").replace("}}", "")))[-1]
    assert secret not in left
    assert "[secret: " in left


@each(("before", "answer"), cases(str(HERE.with_name("answers.py")), "what_answers_nothing_stays"))
def test_what_answers_no_such_question_stays(before: list[str], answer: str) -> None:
    assert kept_turns((*before, answer))[-1] == answer


def test_answers_over_several_calls(memory: Memory) -> None:
    asked = "what's the wifi password?"
    assert said(memory, asked, "tulip-42") == [asked, "[secret: password]"]
    assert said(memory, "tulip-42", session="other") == ["tulip-42"]
    assert said(memory, asked, "no idea", "tulip-42", session="third")[-1] == "tulip-42"
    turns = [
        {"role": "assistant", "content": "the door code?"},
        {"role": "user", "content": "4471"},
    ]
    assert memory.add(turns, session="same").added == 2
    assert memory.add(turns, session="same").known == 2
    session = Session.open(memory, "main")
    session.add({"role": "user", "content": asked})
    session.add({"role": "assistant", "content": "tulip-77"})
    assert "tulip-77" not in session.transcript()
    assert memory.journal()[-1].content == "[secret: password]"


def test_disguises_and_forged_marks_do_not_help() -> None:
    hidden = ("１３９１２３４５６７８", "139\u200b1234\u200b5678")
    for text in (*hidden, "+86 139-1234-5678", "１３９ 1234 5678"):
        assert "phone" in kinds(text), text
    for text in ("[secret: {}]", "[phone ••{}]", "[secret: password]{}", "\ud83d {}"):
        assert TOKEN not in kept(text.format(TOKEN))


@each("text", cases(str(HERE), "wrapped"))
def test_password_in_json_within_json_escapes_or_tags_is_removed(text: str) -> None:
    left = text.replace("SECRET", "[secret: password]")
    assert kept(text.replace("SECRET", "hunter2moon")) == left


# What is shown


@each(("text", "mask"), cases(str(HERE), "masked"))
def test_numbers_of_other_countries_and_dotted_cards_are_masked(text: str, mask: str) -> None:
    assert shown(text, private=True) == mask


def test_numbers_are_kept_exactly_found_and_shown_as_masks(memory: Memory) -> None:
    record = memory.capture(f"my card is {CARD}, phone {PHONE}", importance=1.0)
    assert memory.get(record.id).content == f"my card is {CARD}, phone {PHONE}"
    assert memory.get(record.id).sensitivity == "high"
    direct = memory.recall("card 4111")
    assert direct.items[0].content == f"my card is [bank card ••1111], phone {PHONE}"
    assert CARD not in direct.context
    assert CARD in memory.recall("card", reveal=True).context
    assert memory.recall(PHONE).items, "its owner still finds it by the number"
    frame = memory.assemble("which card do I have?")
    for page in (memory.snapshot(), memory.profile(refresh=True), frame.text):
        assert CARD not in page
    assert "••1111" in frame.text
    for n in range(20):
        memory.capture(f"card number {n} is {CARD}")
    found = memory.recall("card", budget=200)
    assert found.tokens <= 200
    assert CARD not in found.context


def test_number_of_a_person_is_no_tag(memory: Memory) -> None:
    memory.add([{"role": "user", "content": "My passport number is E12345678"}])
    memory.consolidate(force=True)
    assert memory.list()
    assert "12345678" not in f"{memory.labels()} {[one.tags for one in memory.list()]}"


def test_group_is_told_no_personal_number_whatever_it_asks(memory: Memory) -> None:
    memory.capture(f"Tom的电话是{PHONE}", audience="group", entities=["Tom"], importance=1.0)
    turn = {"role": "user", "content": f"Tom's phone is {PHONE}", "id": "m1", "chat": "group"}
    memory.add([turn], "room")
    heard = memory.within(chat="group")
    told = [
        memory.recall("Tom 电话", chat="group").context,
        heard.recall("Tom 电话", chat="direct").context,
        heard.assemble("Tom的电话是多少？").text,
        heard.snapshot("zh"),
        heard.profile("zh"),
    ]
    assert "[phone ••5678]" in told[0]
    assert not [one for one in told if PHONE in one]
    assert PHONE in memory.recall("Tom 电话").context, "the owner's own chat"


def test_personal_data_in_words_is_masked_in_a_group(memory: Memory) -> None:
    for n, case in enumerate(cases(str(HERE), "masked_in_group")):
        turn = {"role": "user", "content": case["text"], "chat": "group"}
        memory.add([turn], session=f"room {n}")
        seen = memory.within(chat="group").journal(session=f"room {n}")[-1]
        assert seen
        assert shown(kept(case["text"])) != case["text"]


def test_mask_that_comes_back_changes_nothing(memory: Memory) -> None:
    record = memory.capture(f"card {CARD}, mail {MAIL}")
    masked = shown(record.content)
    assert masked == "card [bank card ••1111], mail [mail a••@example.org]"
    edited = memory.edit(record.id, content=f"{masked}, at home")
    assert edited.content == f"card {CARD}, mail {MAIL}, at home"
    assert memory.edit(record.id, content=shown(edited.content)) == edited
    old = "13912345678 and 13812345678"
    assert shown(old) == "[phone ••5678] and [phone ••5678]"
    assert unmasked(shown(old), old) == old


def test_sensitivity_rises_and_never_falls_by_itself(memory: Memory) -> None:
    record = memory.capture("Bo lives nearby")
    assert record.sensitivity == "low"
    assert memory.edit(record.id, content=f"Bo: {PHONE}").sensitivity == "medium"
    assert memory.edit(record.id, content="Bo moved").sensitivity == "medium"
    assert memory.edit(record.id, sensitivity="low").sensitivity == "low"
    for text in ("I was diagnosed with diabetes last year", "我妈确诊了糖尿病", "我月薪三万五"):
        assert (kept(text), sensitivity(text), shown(text)) == (text, "high", text)


PIECES = (
    *("password", " is ", "密码", "是", ":", "=", "hunter22", TOKEN, PHONE, CARD, MAIL, "[", "]"),
    *("secret: ", "••", " ", "\n", "https://", "@", "a", "1", "路88号", "token", '"', "'", "code"),
)


@given(st.text(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_what_is_kept_or_shown_once_stays_as_it_is(text: str) -> None:
    left = kept(text)
    assert kept(left) == left
    assert shown(shown(left)) == shown(left)


# The policy


WHOLE = """
[kinds]
mail = "allow"
contact = "never"
health = "mask"
password = "allow"

[[rules]]
name = "staff-number"
pattern = 'ST-\\d{6}'
keywords = ["ST-"]
action = "mask"

[[rules]]
name = "project code"
pattern = '代号(?P<it>\\p{Han}{2})'
action = "never"
family = "secret"

[[exceptions]]
pattern = '4111 1111 1111 1111'
"""


def test_policy_file_decides_what_is_kept_and_shown(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "policy.toml").write_text(WHOLE, "utf-8")
    with Memory.open(tmp_path, clock=clock) as memory:
        assert memory.capture("call 13912345678").content == "call [removed: phone]"
        assert memory.capture("代号夜莺开始").content == "代号[secret: project code]开始"
        assert said(memory, "wifi password?", "tulip-42")[-1] == "tulip-42"
        for text in ("I am ST-123456 here", "card 4111 1111 1111 1111", "write to ann@acme.org"):
            memory.capture(text, audience="group", importance=1.0)
        memory.capture("she is pregnant", audience="group", importance=1.0)
        told = memory.within(chat="group").recall("ST card write pregnant", 20, 4_000).context
        assert "[staff number ••56]" in told
        assert "4111 1111 1111 1111" in told
        assert "ann@acme.org" in told
        assert "[health ••nt]" in told


@pytest.mark.parametrize("case", cases(str(HERE), "policy_error"), ids=lambda one: one["text"][:30])
def test_mistake_in_the_policy_is_told_with_its_place_and_lets_nothing_in(
    tmp_path: Path, case: dict[str, str]
) -> None:
    (tmp_path / "policy.toml").write_text(case["text"], "utf-8")
    with (
        pytest.raises(ConfigError, match=re.escape(case["place"])) as caught,
        Memory.open(tmp_path) as memory,
    ):
        memory.capture("hello")
    assert case["what"] in str(caught.value) + caught.value.hint
    assert caught.value.localized("zh")[0] != str(caught.value)


def test_policy_command_says_what_would_be_done(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    found = {one["kind"]: one["action"] for one in shell.json("policy")["kinds"]}
    assert len(found) > 120
    assert (found["github-token"], found["bank-card"], found["phone"]) == ("never", "mask", "mask")
    told = shell.json("policy", "check", "it", "is", TOKEN, "or", "4111111111111111")
    assert TOKEN not in json.dumps(told)
    assert "4111111111111111" not in json.dumps(told)
    assert [one["kind"] for one in told["found"]] == ["github-token", "bank-card"]
    assert told["shown"] == "it is [secret: github token] or [bank card ••1111]"
    shell("policy", "scan", code=2)
    shell.home.mkdir(exist_ok=True)
    (shell.home / "policy.toml").write_text("[kinds", "utf-8")
    assert b"not a valid policy" in shell("policy", code=ConfigError.exit_code).stderr


# Very long messages

SIZE = count(100_000, 1_000_000)
_RNG = Random(7)
LONG_TEXTS = {
    "words": "tea, " * (SIZE // 5),
    "digits": "".join(_RNG.choices("0123456789", k=SIZE)),
    "statements": "password is " * (SIZE // 12),
    "base64": base64.b64encode(_RNG.randbytes(SIZE * 3 // 4)).decode(),
    "chinese": "我们今天去公园散步然后回家吃饭，" * (SIZE // 48),
    "numbers": "call 13912345678 or 4111 1111 1111 1111; " * (SIZE // 42),
}


@pytest.mark.parametrize("name", LONG_TEXTS)
def test_message_is_added_in_time_in_proportion_to_it(memory: Memory, name: str) -> None:
    text, numbers = LONG_TEXTS[name], iter(range(1_000_000))
    linear(
        lambda part: memory.add(
            [{"role": "user", "content": part, "id": f"m{next(numbers)}"}], session="s"
        ),
        lambda size: text[:size],
        len(text),
    )


def test_identity_number_with_a_wrong_check_digit_is_masked_wherever_it_is_shown(
    memory: Memory,
) -> None:
    number = "110105194912310021"
    memory.add([{"role": "user", "content": f"我叫王伟，我的身份证号是{number}，请记住。"}], "s")
    memory.consolidate(force=True)
    record = memory.capture(f"身份证{number}")
    memory.edit(record.id, value=number)
    pages = [memory.snapshot("zh"), memory.profile("zh", refresh=True)]
    pages += [memory.recall("身份证").context, memory.assemble("我的身份证号是多少？").profile]
    assert not [page for page in pages if number in page]
    assert "[chinese id ••0021]" in "".join(pages)


@each("text", cases(str(HERE), "sensitive"))
def test_health_faith_debt_and_income_are_highly_sensitive(text: str) -> None:
    assert sensitivity(text) == "high"


def test_word_said_over_and_over_makes_no_search_slow(tmp_path: Path, clock: Clock) -> None:
    with ExitStack() as open_ones:

        def remembering(times: int) -> Memory:
            memory = open_ones.enter_context(Memory.open(tmp_path / f"{times}", clock=clock))
            texts = ["I drink tea, Mei drinks coffee", "tea, " * times, "there is tea in Osaka"]
            memory.add([{"role": "user", "content": one, "id": one[:9]} for one in texts], "s")
            return memory

        level(lambda memory: memory.recall("who drinks tea?").items, remembering, SIZE // 5)
