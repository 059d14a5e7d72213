"""Moving a home: exact, resumable, verified."""

from __future__ import annotations

from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.config import from_mapping, load
from loxodon.errors import BusyStoreError, InputError, KeyProblemError
from loxodon.filelock import FileLock
from loxodon.services.moving import Moved, digest_of, move
from loxodon.working.session import Session
from tests.clock import Clock

TAR = "likes the smell of tar"
CONFIG = {"timezone": "Asia/Shanghai", "workspace.views": "off"}


def told(home: Path, clock: Clock) -> None:
    """Two spaces with everything that is moved."""
    with Memory.open(home, config=CONFIG, clock=clock) as memory:
        memory.add([{"role": "user", "content": "我对花生过敏", "id": "1"}], session="monday")
        memory.add([{"role": "user", "content": "My PIN is a secret of mine", "id": "2"}])
        memory.consolidate()
        gone = memory.capture(TAR)
        memory.edit(memory.capture("lives in Leeds").id, content="lives in York")
        memory.forget(gone.id)
        memory.recall("peanuts")
        Session.open(memory, "chat").add({"role": "user", "content": "hello"})
    with Memory.open(home, "张三", config=CONFIG, clock=clock) as memory:
        memory.add([{"role": "user", "content": "I moved to Osaka"}])
        memory.pause(None)


def moved(home: Path, to: str, clock: Clock) -> Moved:
    config = load(str(home))._replace(
        timezone="Asia/Shanghai", workspace=from_mapping(CONFIG).workspace
    )
    return move(str(home), config, to, ["main", "张三"], clock, lambda done, total: None)


def the_same(old: Path, new: Path, clock: Clock, **store: str) -> None:
    """What is told of the second is told of the first."""
    config = {**CONFIG, **{f"store.{name}": value for name, value in store.items()}}
    for space in ("main", "张三"):
        with (
            Memory.open(old, space, {**CONFIG, "store.url": ""}, clock) as here,
            Memory.open(new, space, config, clock) as there,
        ):
            assert digest_of(here._space) == digest_of(there._space)
            assert [one.content for one in there.list()] == [one.content for one in here.list()]
            assert there.recall("花生").context == here.recall("花生").context
            for memory in (here, there):
                memory._used.clear()  # a use that counts would make them differ
            assert there.audit.verify().sound
            assert there.validate() == []
            assert (there.paused is None) == (space == "main")
            if space == "main":
                there.add([{"role": "user", "content": TAR, "at": clock().isoformat()}])
                assert "tar" not in there.recall(TAR).context


def test_a_home_is_the_same_in_postgresql_and_back(
    tmp_path: Path, clock: Clock, postgres_url: str
) -> None:
    old, back = tmp_path / "old", tmp_path / "back"
    told(old, clock)
    found = moved(old, postgres_url, clock)
    assert (found.spaces, found.known, found.turns) == (("main", "张三"), (), 5)
    assert load(str(old)).store.url == postgres_url
    with Memory.open(old, config={"recall.top": 5}, clock=clock) as memory:
        assert memory.root != memory.home  # settings for one call do not bring the old files back
    assert moved(old, str(back), clock).to == str(back)
    the_same(old, back, clock)
    the_same(old, old, clock, url=postgres_url)
    assert moved(old, str(back), clock).known == ("main", "张三")
    with Memory.open(back, config=CONFIG, clock=clock) as memory:
        memory.capture("has gone its own way since")
    with pytest.raises(InputError, match="other data"):
        moved(old, str(back), clock)


@pytest.mark.parametrize("backend", ["files", "postgres"])
def test_a_move_that_was_cut_short_goes_on(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    backend: str,
) -> None:
    old, config = tmp_path / "old", dict(CONFIG)
    new = str(tmp_path / "new")
    if backend == "postgres":
        config["store.url"] = new = request.getfixturevalue("postgres_url")
    told(old, clock)

    def cut(self: object, *given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("loxodon.services.moving._Steps._bring_state", cut)
    with pytest.raises(KeyboardInterrupt):
        moved(old, new, clock)
    monkeypatch.undo()
    assert load(str(old)).store.url == ""
    with Memory.open(old, config=CONFIG, clock=clock) as memory:
        memory.capture("came meanwhile")
    monkeypatch.setattr("loxodon.services.moving._switch", cut)
    with pytest.raises(KeyboardInterrupt):
        moved(old, new, clock)
    monkeypatch.undo()
    assert moved(old, new, clock).known == ("main", "张三")
    with Memory.open(tmp_path / "new", config=config, clock=clock) as memory:
        assert "came meanwhile" in [one.content for one in memory.list()]


def test_what_is_not_of_a_move_is_not_touched(tmp_path: Path, clock: Clock) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    told(old, clock)
    with Memory.open(new, "张三", config={**CONFIG, "audit.enabled": False}, clock=clock) as memory:
        memory.capture("is somebody else's")
    with pytest.raises((InputError, KeyProblemError)):
        moved(old, str(new), clock)
    with Memory.open(new, "张三", config={**CONFIG, "audit.enabled": False}, clock=clock) as memory:
        assert [one.content for one in memory.list()] == ["is somebody else's"]


def test_a_home_in_use_is_not_moved(tmp_path: Path, clock: Clock) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    told(old, clock)
    lock = FileLock(str(old / "schedule.lock"))
    assert lock.acquire(0)
    with pytest.raises(BusyStoreError, match="server"):
        moved(old, str(new), clock)
    lock.close()

    def write(done: int, total: int) -> None:
        with Memory.open(old, config=CONFIG, clock=clock) as memory:
            memory.capture(f"at {done}")

    config = from_mapping(CONFIG)
    with pytest.raises(BusyStoreError, match="written to"):
        move(str(old), config, str(new), ["main", "张三"], clock, write)
    assert moved(old, str(new), clock).spaces == ("main", "张三")
