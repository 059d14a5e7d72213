"""A call that is repeated with the same token is done once."""

from __future__ import annotations

from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.errors import StaleEditError, TokenReusedError
from loxodon.types import Record
from tests.clock import Clock


def kept(memory: Memory) -> list[str]:
    return sorted(one.content for one in memory.list(state=None))


def test_a_capture_that_is_repeated_keeps_one_memory(memory: Memory) -> None:
    first = memory.capture("likes tea", tags=["drinks"], token="a-1")
    assert memory.capture("likes tea", tags=["drinks"], token="a-1") == first
    assert kept(memory) == ["likes tea"]
    assert len(memory.journal()) == 1
    memory.capture("likes tea", tags=["drinks"], token="a-2")  # another call
    memory.capture("likes tea", tags=["drinks"])  # and one without a token, as ever
    assert len(kept(memory)) == 3


def test_an_edit_of_a_version_can_be_repeated(memory: Memory) -> None:
    id = memory.capture("likes tea").id
    edited = memory.edit(id, content="likes coffee", version=1, token="e")
    assert memory.edit(id, content="likes coffee", version=1, token="e") == edited
    assert len(memory.history(id)) == 2
    with pytest.raises(StaleEditError):
        memory.edit(id, content="likes coffee", version=1)


@pytest.mark.parametrize("other", ["likes milk", "likes tea "])
def test_a_token_with_another_call_is_refused(memory: Memory, other: str) -> None:
    first = memory.capture("likes tea", token="t")
    with pytest.raises(TokenReusedError):
        memory.capture(other, tags=["x"], token="t")
    with pytest.raises(TokenReusedError):
        memory.edit(first.id, content="likes milk", token="t")
    assert kept(memory) == ["likes tea"]


def test_a_token_is_known_after_a_restart_and_for_some_days(tmp_path: Path, clock: Clock) -> None:
    def capture() -> Record:
        with Memory.open(tmp_path, clock=clock) as memory:
            return memory.capture("likes tea", token="t")

    first = capture()
    clock.pass_days(6.9)
    assert capture().id == first.id
    clock.pass_days(0.2)
    second = capture()
    assert second.id != first.id
    assert capture().id == second.id
