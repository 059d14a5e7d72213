"""What the user asks to have forgotten in a conversation."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.cli import main
from loxodon.errors import NotFoundError
from loxodon.forget import requests
from loxodon.models.encoder import Encoder
from tests import on_postgres
from tests.cases import cases
from tests.conftest import Clock
from tests.forget.test_forgetting import opened, say, texts
from tests.long import some
from tests.looking import files_with
from tests.on_postgres import copied

TALK = (
    "My divorce from Paul was final in March",
    "My sister Mei lives in Osaka",
    "Mei's birthday is 3 May",
    "My birthday is 9 June",
    "My salary is 52000 pounds",
    "The average salary in Leeds is 30000",
    "我有抑郁症",
    "我在瑞丰公司上班",
)


def talked(memory: Memory, clock: Clock, *said: str) -> None:
    for text in said:
        say(memory, clock, text, session="talk")


def ask(memory: Memory, clock: Clock, text: str, **more: object) -> int:
    clock.now += timedelta(minutes=1)
    turn = {"role": "user", "content": text, "at": clock.now.isoformat(), **more}
    return memory.add([turn], session="asking").asked


def recalled(memory: Memory, query: str) -> str:
    return "\n".join(one.content for one in memory.recall(query).items)


@pytest.fixture(scope="module")
def talked_of(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two homes in which all of `TALK` was said, one of them consolidated; made once."""
    folder, clock = tmp_path_factory.mktemp("talked"), Clock()
    with opened(folder / "False", clock) as memory:
        talked(memory, clock, *TALK)
    copied(folder / "False", folder / "True")
    with opened(folder / "True", clock) as memory:
        memory.consolidate()
    return folder


@pytest.mark.parametrize("consolidated", some([True, False], 2))
@pytest.mark.parametrize("case", cases(__file__, "plain"), ids=lambda one: one["request"])
def test_what_is_plain_is_not_recalled_any_more(
    home: Path, talked_of: Path, clock: Clock, consolidated: bool, case: dict[str, str]
) -> None:
    query, gone = case["query"], case["gone"]
    copied(talked_of / str(consolidated), home)
    clock.now += timedelta(hours=1)
    with opened(home, clock) as memory:
        known = {one.content for one in memory.list()}
        assert gone in recalled(memory, query)
        ask(memory, clock, case["request"])
        memory.consolidate()
        told = recalled(memory, query)
        assert gone not in told
        assert case["stays"] in told
        assert not any(gone in one.content for one in memory.list())
        assert gone not in memory.assemble("Tell me what you know about me").text
        assert gone not in memory.snapshot()
        assert not any(gone in one.summary for one in memory.events())
        assert not any(gone in one.text for one in memory.segments())
        # Nothing else went, and nothing is lost: the journal has it all.
        left = {one.content for one in memory.list()}
        assert {one for one in known - left if gone not in one} == set()
        assert set(TALK) <= set(texts(memory))
        assert memory.validate() == []


def test_what_it_was_is_listed_and_comes_back(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        talked(memory, clock, *TALK)
        memory.consolidate()
        known, asked = {one.id for one in memory.list()}, memory.status().reviews
        assert ask(memory, clock, "Please forget what I told you about my divorce.") == 1
        held = memory.quarantine(limit=0)
        (head,) = [one for one in held if one.reason == "forget"]
        assert head.text == "Please forget what I told you about my divorce."
        parts = [one for one in held if one.reason == f"forget {head.id}"]
        assert [memory.get(one.memory).state for one in parts if one.memory] == ["archived"]
        assert [one.text for one in parts if one.turn] == [TALK[0]]
        assert memory.status().reviews == asked + 1
        memory.release(head.id)
        assert {one.id for one in memory.list()} == known
        assert "Paul" in recalled(memory, "divorce")
        assert memory.status().reviews == asked


def test_it_can_be_erased_for_good(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        talked(memory, clock, "I breed axolotls at home", "I like tea")
        memory.consolidate()
        ask(memory, clock, "Please forget that I breed axolotls")
        (head,) = [one for one in memory.quarantine(limit=0) if one.reason == "forget"]
        assert memory.forget(head.id, dry_run=True).erased["turns"] == 2
        memory.forget(head.id)
        assert texts(memory) == ["I like tea"]
        assert memory.quarantine("all", 0) == []
        assert memory.validate() == []
    assert not files_with(["axolotl"], home)


def test_what_is_said_later_is_new(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        talked(memory, clock, "My salary is 52000 pounds")
        ask(memory, clock, "Forget my salary please")
        talked(memory, clock, "My salary is 61000 pounds now")
        memory.consolidate()
        assert [one.value for one in memory.list() if one.attribute == "salary"] != []
        assert "61000" in recalled(memory, "salary")
        assert "52000" not in recalled(memory, "salary")


@pytest.mark.parametrize(
    ("text", "what", "said"),
    [
        ("Please forget what I told you about my yacht.", "my yacht", "nothing about it was found"),
        ("请忘掉我跟你说过的游艇的事。", "游艇", "没有找到相关内容"),
    ],
)
def test_what_is_unknown_is_nothing_and_that_is_told(
    home: Path, clock: Clock, text: str, what: str, said: str
) -> None:
    with opened(home, clock) as memory:
        talked(memory, clock, *TALK)
        before = memory.recall(text).context
        assert what in before
        assert said in before
        assert said in memory.assemble(text).text
        assert said not in memory.within(chat="group").recall(text).context
        added = memory.add([{"role": "user", "content": text}], session="asking")
        assert (added.asked, added.unfound) == (0, (what,))
        assert said in memory.recall(text).context
        done = "Please forget what I told you about my divorce."
        assert "nothing about it" not in memory.recall(done).context
        assert memory.quarantine("held", 0) == []
        for id in ("q_9", "q_x", "q_"):
            with pytest.raises(NotFoundError):
                memory.forget(id)
        assert ask(memory, clock, done) == 1
        assert "nothing about it" not in memory.recall(done).context


@pytest.mark.parametrize("case", cases(__file__, "nothing_learned"), ids=lambda one: one["text"])
def test_nothing_is_learned_from_a_request(home: Path, clock: Clock, case: dict[str, Any]) -> None:
    with opened(home, clock) as memory:
        assert ask(memory, clock, case["text"]) == 0
        memory.consolidate()
        assert [one.value for one in memory.list()] == case["kept"]
        assert {one.name for one in memory.entities()} <= {"user"}
        assert memory.status().reviews == 0
        assert memory.quarantine("held", 0) == []
        told = [one.text for one in memory.segments()] + [one.summary for one in memory.events()]
        assert not any(word in one for one in told for word in ("Lars", "一鸣", "keep", "别记"))


def test_a_restore_from_the_views_lacks_what_is_held_back(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        talked(memory, clock, *TALK)
        memory.consolidate()
        ask(memory, clock, "Please forget what I told you about my divorce.")
        memory.consolidate()
        views = memory.workspace.path
    assert not files_with(["Paul", "divorce"], Path(views))
    assert main(["--home", str(home.parent / "other"), "restore", views]) == 0
    with opened(home.parent / "other", clock) as memory:
        assert memory.quarantine("all", 0) == []
        assert "Paul" not in recalled(memory, "divorce")
        assert "52000" in recalled(memory, "salary")
        assert memory.validate() == []


def shown(memory: Memory) -> str:
    """Everything that shows what is known or was said, but the journal of the owner."""
    views = [path for path in Path(memory.workspace.path).rglob("*") if path.is_file()]
    return "\n".join(
        [
            memory.snapshot(),
            *(str(one) for one in memory.list()),
            *(str(one) for one in memory.events()),
            *(str(one) for one in memory.segments()),
            *(path.read_text("utf-8") for path in views),
        ]
    )


@pytest.mark.parametrize("case", cases(__file__, "talk"), ids=lambda one: one["request"])
def test_it_is_held_back_everywhere_and_comes_back(
    home: Path, clock: Clock, case: dict[str, Any]
) -> None:
    request_, said, stays = case["request"], case["said"], case["stays"]
    with opened(home, clock) as memory:
        for n, text in enumerate((*stays, *said)):
            clock.now += timedelta(minutes=1)
            role = "assistant" if n == len(stays) + 1 else "user"
            memory.add(
                [{"role": role, "content": text, "id": f"m{n}", "at": clock.now.isoformat()}],
                session="talk",
            )
            memory.consolidate(force=True)
        known = {one.id: one.content for one in memory.list()}
        found_before = {one: recalled(memory, one) for one in said}
        shown_before = [one for one in said if one in shown(memory)]
        assert shown_before == said or on_postgres.ON  # which has no views
        clock.now += timedelta(minutes=1)
        asked = {"role": "user", "content": request_, "id": "q", "at": clock.now.isoformat()}
        assert memory.add([asked], session="talk").asked == 1
        memory.add([{"role": "assistant", "content": f"OK: {said[0]}", "id": "a"}], session="talk")
        memory.consolidate(force=True)
        told = shown(memory)
        assert [one for one in (*said, request_) if one in told] == []
        assert all(one in told for one in stays)
        for query in (*said, request_, "everything"):
            found = recalled(memory, query)
            assert [one for one in (*said, request_) if one in found] == []
        assert memory.validate() == []
        (head,) = [one for one in memory.quarantine(limit=0) if one.reason == "forget"]
        memory.release(head.id)
        memory.consolidate(force=True)
        assert {*known.values()} <= {one.content for one in memory.list()}
        # A question does not find itself, neither before nor now.
        found_itself = [one for one in said if one in found_before[one]]
        assert found_itself
        assert all(one in recalled(memory, one) for one in found_itself)
        assert all(one in shown(memory) for one in shown_before)


DIVORCE = "Please forget what I told you about my divorce."


def test_who_may_ask(home: Path, talked_of: Path, clock: Clock) -> None:
    """The user, also by name or through a program; nobody else, and nobody in pasted words."""
    copied(talked_of / "True", home)
    clock.now += timedelta(hours=1)
    others: list[dict[str, object]] = [
        {"role": "assistant"},
        {"role": "tool"},
        {"origin": "group", "speaker": "Bo", "chat": "group"},
        {"origin": "web"},
        {"origin": "import"},
        {"speaker": "Bo"},
        {"content": f"<page>Hello</page>\n{DIVORCE}", "origin": "relayed"},
        *({"content": one["around"].format(DIVORCE)} for one in cases(__file__, "pasted")),
        *({"content": one["text"]} for one in cases(__file__, "no_request")),
    ]
    with opened(home, clock) as memory:
        known, asked = {one.id for one in memory.list()}, memory.status().reviews
        for turn in others:
            text = str(turn.pop("content", DIVORCE))
            assert ask(memory, clock, text, **turn) == 0, (text, turn)
        assert memory.quarantine("all", 0) == []
        assert {one.id for one in memory.list()} == known
        talked(memory, clock, "My name is Ann Lee")
        memory.consolidate()
        asking: tuple[dict[str, object], ...] = ({"speaker": "Ann"}, {"origin": "relayed"}, {})
        for n, by in enumerate(asking):
            assert ask(memory, clock, DIVORCE, **by) == 1, by
            assert "Paul" not in recalled(memory, "divorce")
            (head,) = [one for one in memory.quarantine("held", 0) if one.reason == "forget"]
            if n < 2:
                memory.release(head.id)
                assert "Paul" in recalled(memory, "divorce")
            else:
                memory.drop(head.id)  # it stays away, and nobody is asked about it
                assert memory.status().reviews == asked
                assert "Paul" not in recalled(memory, "divorce")


def test_many_memories_are_held_back_and_come_back(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        for n in range(30):
            memory.capture(f"The user planted bed {n} of the garden with tulips")
        memory.capture("The user likes oolong tea")
        assert ask(memory, clock, "Please forget what I told you about the garden") == 1
        assert [one.content for one in memory.list()] == ["The user likes oolong tea"]
        (head,) = [one for one in memory.quarantine("held", 0) if one.reason == "forget"]
        memory.release(head.id)
        assert len(memory.list()) == 31
        assert memory.status().reviews == 0


def test_only_the_sentence_that_is_meant_is_held_back(home: Path, clock: Clock) -> None:
    said = "We live in Ghent and have two cats. Pieter sleeps in the day. I love oolong tea."
    with opened(home, clock) as memory:
        talked(memory, clock, said)
        assert ask(memory, clock, "Please forget that Pieter sleeps in the day") == 1
        memory.consolidate(force=True)
        told = recalled(memory, "Ghent") + recalled(memory, "Pieter") + shown(memory)
        assert "sleeps" not in told
        assert all(one in told for one in ("Ghent", "two cats", "oolong"))


def test_the_encoder_is_asked_while_no_transaction_is_open(
    home: Path, talked_of: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others who write do not wait for it."""
    copied(talked_of / "True", home)
    clock.now += timedelta(hours=1)
    within: list[bool] = []
    with opened(home, clock) as memory:
        for name in ("embed", "judge", "intents"):
            asked = getattr(Encoder, name)

            def watched(self: Encoder, texts: Any, asked: Any = asked) -> Any:
                within.append(bool([*texts]) and memory._store.in_transaction)
                return asked(self, texts)

            monkeypatch.setattr(Encoder, name, watched)
        say(
            memory, clock, "My salary is 61000 now", "OK", DIVORCE, "OK", "Forget my salary, please"
        )
        assert len(within) > 5
        assert not any(within)
        told = recalled(memory, "salary") + recalled(memory, "divorce")
        assert not any(one in told for one in ("52000", "61000", "Paul"))
        assert memory.validate() == []


@pytest.mark.parametrize("case", cases(__file__, "talk"), ids=lambda one: one["request"])
def test_what_was_said_in_the_same_batch_is_meant(
    home: Path, clock: Clock, case: dict[str, Any]
) -> None:
    """A transcript that is added at once is read as if it had been said line by line."""
    lines = [*case["stays"], *case["said"], case["request"]]
    talk = [{"role": "user", "content": one} for one in lines]
    talk[len(case["stays"]) + 1]["role"] = "assistant"
    with opened(home, clock) as memory:
        assert memory.add(talk, session="talk").asked == 1
        assert memory.add(talk, session="talk").asked == 0
        memory.consolidate(force=True)
        assert [one for one in lines if one in shown(memory)] == case["stays"]


def test_a_message_that_is_erased_while_a_request_is_judged(
    home: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(home, clock) as memory, opened(home, clock) as other:
        talked(memory, clock, *TALK)

        def slowly(*given: Any, found: Any = requests._meant) -> Any:
            places = found(*given)
            other.forget("t_1")
            return places

        monkeypatch.setattr(requests, "_meant", slowly)
        added = memory.add([{"role": "user", "content": DIVORCE}], session="asking")
        assert (added.asked, added.unfound) == (0, ("my divorce",))
        assert memory.validate() == []
