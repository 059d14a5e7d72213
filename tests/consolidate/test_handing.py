"""An agent that reads in a model's place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import ForbiddenError, InputError
from tests.clock import Clock
from tests.consolidate.test_asking import CLOCK, GOOD, HANDLES, PLAIN, ZEPHYR, claim
from tests.models.labelled import FULL, shown


def waiting(memory: Memory) -> tuple[str, list[tuple[str, str]]]:
    """What is handed out: the ticket, and the lines."""
    found = memory.hand_out()
    return found.ticket, shown({"messages": ["", {"content": found.data}]})


def told(memory: Memory, *texts: str) -> None:
    memory.add([{"role": "user", "content": text, "id": text[:9]} for text in texts], session="s")
    memory.consolidate()


def answer(lines: list[tuple[str, str]], **known: list[dict[str, Any]]) -> str:
    return json.dumps(
        {
            label.split()[0]: [
                {"words": text, **one}
                for word, claims in known.items()
                for one in claims
                if word in text
            ]
            for label, text in lines
            if label[0].isdigit()
        }
    )


def test_what_waits_is_handed_out_and_its_reading_taken(memory: Memory) -> None:
    told(memory, PLAIN, ZEPHYR)
    ticket, lines = waiting(memory)
    assert ("1 2026-02-04 user", ZEPHYR) in lines
    assert [text for label, text in lines if label.startswith("m")] == ["The user lives in Leeds"]
    done = memory.take_answer(ticket, f"Here it is: {answer(lines, Zephyr=GOOD['Zephyr'])}")
    assert done.model
    assert done.model.did == {"add": 1}
    assert HANDLES in [one.content for one in memory.list()]
    assert memory.status().waiting == 0
    assert memory.hand_out().ticket == ""
    assert memory.validate() == []


SKIING = "I have been skiing every winter since my uncle gave me his old boots"


def test_own_words_that_it_drops_are_taken_back(memory: Memory) -> None:
    told(memory, SKIING)
    (own,) = memory.list()
    ticket, lines = waiting(memory)
    assert (f"h{1}", own.content) in lines
    memory.take_answer(ticket, json.dumps({"1": [{"do": "drop", "id": "h1"}]}))
    assert memory.list() == []
    assert memory.get(own.id).state == "archived"


def test_own_words_that_it_tells_anew_are_taken_back(memory: Memory) -> None:
    told(memory, SKIING)
    ticket, _ = waiting(memory)
    skis = {
        "do": "add",
        "words": "I have been skiing every winter",
        "content": "The user has been skiing every winter",
    }
    done = memory.take_answer(ticket, json.dumps({"1": [skis]}))
    assert done.model
    assert done.model.did == {"add": 1, "drop": 1}
    assert [one.content for one in memory.list()] == [skis["content"]]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing there",
        "{}",
        "[]",
        json.dumps({"1": [claim("The user is an astronaut")]}),
        json.dumps({"1": [{**FULL, "do": "end", "id": "m7", "words": "Zephyr"}]}),
    ],
)
def test_an_answer_that_cannot_be_believed_can_be_mended(memory: Memory, text: str) -> None:
    told(memory, ZEPHYR)
    ticket, lines = waiting(memory)
    with pytest.raises(InputError, match="cannot be used"):
        memory.take_answer(ticket, text)
    assert memory.status().waiting == 1
    memory.take_answer(ticket, answer(lines, Zephyr=GOOD["Zephyr"]))
    assert HANDLES in [one.content for one in memory.list()]


@pytest.mark.parametrize("ticket", ["x", "", "😀"])
def test_a_ticket_that_is_none(memory: Memory, ticket: str) -> None:
    told(memory, ZEPHYR)
    with pytest.raises(InputError, match="ticket is not valid"):
        memory.take_answer(ticket, "{}")


def test_an_answer_that_comes_too_late_is_refused(memory: Memory) -> None:
    told(memory, ZEPHYR)
    ticket, lines = waiting(memory)
    memory.take_answer(ticket, answer(lines))
    with pytest.raises(InputError, match="has changed since"):
        memory.take_answer(ticket, answer(lines, Zephyr=GOOD["Zephyr"]))


def test_what_is_not_believed_comes_back_with_its_number(memory: Memory) -> None:
    told(memory, ZEPHYR, CLOCK)
    ticket, lines = waiting(memory)
    good = json.loads(answer(lines, Zephyr=GOOD["Zephyr"]))
    (other,) = [key for key, items in good.items() if not items]
    good[other] = [claim("The user is an astronaut")]
    done = memory.take_answer(ticket, json.dumps(good))
    assert done.model
    (why,) = done.model.refused
    assert why.startswith(f"{other}: ")
    assert done.counts["waiting"] == 1


def test_an_agent_can_be_handed_every_message(tmp_path: Path, clock: Clock) -> None:
    config = {"model.extraction": "full"}
    with Memory.open(tmp_path / "home", config=config, clock=clock) as memory:
        told(memory, PLAIN)
        ticket, lines = waiting(memory)
        assert ("1 2026-02-04 user", PLAIN) in lines
        memory.take_answer(ticket, '{"1": [{"do": "drop", "id": "h1"}]}')
        assert memory.list() == []


def test_it_is_the_owners(memory: Memory) -> None:
    told(memory, ZEPHYR)
    with pytest.raises(ForbiddenError):
        memory.within(agent="helper").hand_out()
