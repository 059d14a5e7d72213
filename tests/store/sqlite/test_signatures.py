"""Sensitive memories are signed: each version, through all that may happen to them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import apsw

from loxodon import Memory
from loxodon.store.sqlite import seals

PHONE = "my number is 13800138000"


def signed(memory: Memory) -> int:
    found = memory.audit.verify()
    assert found.sound, found
    return found.signed


def kinds(home: Path, *statements: str) -> set[str]:
    connection = apsw.Connection(str(home / "spaces/main/loxodon.db"))
    seals.register(connection)
    for statement in statements:
        connection.execute(statement)
    connection.close()
    with Memory.open(home) as memory:
        return {one.kind for one in memory.audit.verify().findings}


def test_only_what_is_sensitive_is_signed(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.capture("likes tea")
        assert signed(memory) == 0
        record = memory.capture(PHONE)
        assert record.sensitivity != "low"
        assert signed(memory) == 1
        memory.edit(record.id, importance=0.9)
        memory.archive(record.id)
        assert signed(memory) == 3


def test_what_becomes_sensitive_is_signed_from_then_on_and_once_more_when_it_ends(
    tmp_path: Path,
) -> None:
    with Memory.open(tmp_path) as memory:
        record = memory.capture("likes tea")
        memory.edit(record.id, sensitivity="high")
        assert signed(memory) == 1
        memory.edit(record.id, sensitivity="low")
        assert signed(memory) == 2
        memory.edit(record.id, content="likes coffee")
        assert signed(memory) == 2


def test_a_version_that_is_undone_leaves_no_signature(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        record = memory.capture(PHONE)
        store = memory._store
        with suppress(RuntimeError), store.writing():
            store.update(record.id, None, "edited", memory.now(), {"importance": 0.9})
            raise RuntimeError
        with store.writing():
            with suppress(RuntimeError), store.writing():  # a part of one that is kept
                store.update(record.id, None, "edited", memory.now(), {"importance": 0.8})
                raise RuntimeError
            store.update(record.id, None, "edited", memory.now(), {"importance": 0.7})
        assert signed(memory) == 2


def test_forgetting_takes_the_signatures_along(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        one, other = memory.capture(PHONE), memory.capture("my card is 4111 1111 1111 1111")
        memory.edit(one.id, importance=0.9)
        assert signed(memory) == 3
        memory.forget(one.id)
        assert signed(memory) == 1
        memory.forget(other.id)
        assert signed(memory) == 0


def test_an_edit_behind_our_back_shows(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.edit(memory.capture(PHONE).id, content="my number is 13900139000")
    change = "UPDATE memories SET content = replace(content, '139', '137')"
    assert kinds(tmp_path, change) == {"signature"}
    assert kinds(tmp_path, change.replace("'139', '137'", "'137', '139'")) == set()
    history = "UPDATE memory_changes SET before = replace(before, '138', '137')"
    assert kinds(tmp_path, history) == {"signature"}


def test_signatures_that_are_taken_away_show_even_after_more_was_written(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.capture(PHONE)
    assert kinds(tmp_path, "DELETE FROM signatures") == {"signature"}
    with Memory.open(tmp_path) as memory:
        memory.capture("my other number is 13900139000")
        assert {one.kind for one in memory.audit.verify().findings} == {"signature"}
        memory.audit.accept()
        assert signed(memory) == 2


def test_with_the_record_off_they_are_signed_all_the_same(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.capture(PHONE)
    with Memory.open(tmp_path, config={"audit.enabled": False}) as memory:
        memory.capture("my other number is 13900139000")
        assert memory._store.signatures().good == 2
