"""A very long message costs its length when it is written, and nothing when others are read."""

from __future__ import annotations

import base64
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

from loxodon import Memory
from tests.clock import Clock
from tests.growth import level, linear
from tests.long import count

SIZE = count(100_000, 1_000_000)
_RNG = Random(7)
TEXTS = {
    "words": "tea, " * (SIZE // 5),
    "digits": "".join(_RNG.choices("0123456789", k=SIZE)),
    "statements": "password is " * (SIZE // 12),
    "base64": base64.b64encode(_RNG.randbytes(SIZE * 3 // 4)).decode(),
    "chinese": "我们今天去公园散步然后回家吃饭，" * (SIZE // 48),
    "numbers": "call 13912345678 or 4111 1111 1111 1111; " * (SIZE // 42),
}


def counted(memory: Memory, monkeypatch: pytest.MonkeyPatch, finder: str) -> list[int]:
    """The lengths of the texts that a finder of the guard is asked about from now on."""
    asked: list[int] = []
    real = getattr(memory.guard.engine, finder).found

    def found(text: str, *more: Any) -> Any:
        asked.append(len(text))
        return real(text, *more)

    monkeypatch.setattr(getattr(memory.guard.engine, finder), "found", found)
    return asked


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_shown_of_it_is_looked_through_and_no_more(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    said = [TEXTS[name], "my sister Mei lives in Osaka", "and she drinks tea, 13912345678"]
    memory.add([{"role": "user", "content": text, "id": text[:20]} for text in said], session="s")
    incoming = counted(memory, monkeypatch, "incoming")
    outgoing = counted(memory, monkeypatch, "outgoing")
    found = memory.recall("where does Mei live? tea, password 13912345678 公园")
    memory.assemble("and what does Mei drink?")
    assert found.items
    assert not incoming, "secrets were taken out when it was written"
    assert max(outgoing) <= 10_000
    assert sum(outgoing) <= 200_000


@pytest.mark.parametrize("name", TEXTS)
def test_it_is_looked_through_once_when_it_is_written(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    asked = counted(memory, monkeypatch, "incoming")
    memory.add([{"role": "user", "content": TEXTS[name], "id": "m"}], session="s")
    assert sum(asked) < 2 * len(TEXTS[name])


@pytest.mark.parametrize("name", TEXTS)
def test_a_message_is_added_in_time_in_proportion_to_it(
    tmp_path: Path, clock: Clock, name: str
) -> None:
    text = TEXTS[name]
    with Memory.open(tmp_path, clock=clock) as memory:
        numbers = iter(range(1_000_000))
        linear(
            lambda part: memory.add(
                [{"role": "user", "content": part, "id": f"m{next(numbers)}"}], session="s"
            ),
            lambda size: text[:size],
            len(text),
        )


def test_a_word_that_is_said_over_and_over_makes_no_search_slow(
    tmp_path: Path, clock: Clock
) -> None:
    with ExitStack() as open_ones:

        def remembering(times: int) -> Memory:
            home = tmp_path / f"{times}"
            memory = open_ones.enter_context(Memory.open(home, clock=clock))
            said = ["I drink tea, Mei drinks coffee", "tea, " * times, "there is tea in Osaka"]
            memory.add([{"role": "user", "content": text, "id": text[:9]} for text in said], "s")
            return memory

        level(lambda memory: memory.recall("who drinks tea?").items, remembering, SIZE // 5)
