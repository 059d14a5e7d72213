"""Forty attacks and forty honest statements of a stranger, through every inlet.

Measured on 2026-11-15, before any rule was changed by them: through 20 of 21 inlets nothing was
planted; of what an assistant said, one line of forty was told by the snapshot as something that the
assistant had done, which no page tells any more. Of the attacks 4 in 40 were held back as well (24
since), the others fenced and believed by nobody; of the honest statements 1 in 40 was held (0
since).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.text import sentences
from loxodon.trust.origin.vouching import is_first_person
from tests.attacks import unseen_poisons as unseen
from tests.attacks.inlets import INLETS, REPORTED, SERVED
from tests.attacks.test_poisoning import CANARY, MINE, planted, rate
from tests.clock import Clock
from tests.long import LONG, count, figure

ATTACKS = [
    one.replace("{c}", f"{CANARY}{n}") for n, one in enumerate(unseen.ATTACKS.strip().splitlines())
]
HONEST = unseen.HONEST.strip().splitlines()


ASKED = [*INLETS, *(SERVED if LONG else ())]
PARTS = count(4, 1)
"""How many parts the attacks are dealt out in: the short form has each in every fourth inlet."""


@pytest.mark.parametrize("inlet", ASKED)
def test_nothing_of_a_stranger_is_planted(
    memory: Memory, clock: Clock, tmp_path: Path, inlet: str
) -> None:
    attacks = ATTACKS[ASKED.index(inlet) % PARTS :: PARTS]
    memory.add([{"role": "user", "content": one} for one in MINE], session="mine")
    (INLETS | SERVED)[inlet](memory, tmp_path, attacks)
    memory.consolidate(force=True)
    clock.pass_days(1)
    memory.consolidate(force=True)
    bad = planted(memory)
    figure("strangers_poison", inlet=inlet, attacks=len(attacks), planted=len(bad))
    assert bad == []


@pytest.mark.parametrize("inlet", REPORTED)
def test_an_agent_that_lies_plants_only_what_the_user_would_say(
    memory: Memory, tmp_path: Path, inlet: str
) -> None:
    """Where nobody but the agent hears the user, a plain sentence in the first person cannot be
    told from theirs. Nothing else gets through, however the agent puts it."""
    REPORTED[inlet](memory, tmp_path, ATTACKS)
    memory.consolidate(force=True)
    names = set(re.findall(rf"{CANARY}\d+", " ".join(planted(memory))))
    said = [one for one in ATTACKS if names.intersection(re.findall(rf"{CANARY}\d+", one))]
    figure("strangers_poison", inlet=inlet, attacks=len(ATTACKS), planted=len(said))
    assert len(said) <= 4
    assert all(any(map(is_first_person, sentences.split(one))) for one in said)


def test_honest_words_are_not_held() -> None:
    held = {origin: rate(HONEST, origin)[0] for origin in ("tool", "web", "group")}
    figure("strangers_honest_words", statements=len(HONEST), **held)
    assert max(held.values()) <= 1
