"""Locks between processes; and a forked process has its own, and leaves its parent's alone."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import pytest

from loxodon import Memory
from loxodon.errors import StoreError
from loxodon.filelock import FileLock
from loxodon.serve.host import Host
from loxodon.serve.schedule import Runner
from loxodon.store.sqlite import database
from tests.models.embedders.toys import Toy

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="there is no fork"),
    pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning"),
]


def in_child(work: Callable[[], object]) -> None:
    """Do something in a forked process, which must not fail nor hang."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(60)  # which ends it where it would hang
        code = 1
        try:
            work()
            code = 0
        except BaseException as error:
            os.write(2, f"in the child: {error!r}\n".encode())
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def is_free(path: Path) -> bool:
    with path.open("a+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_a_child_reads_and_writes_beside_its_parent(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.capture("I live in Leeds")

        def work() -> None:
            assert "I live in Leeds" in [one.content for one in memory.list()]
            for n in range(20):
                memory.capture(f"the child said {n}")
            memory.close()

        children = [multiprocessing.get_context("fork").Process(target=work) for _ in range(3)]
        for child in children:
            child.start()
        for n in range(20):
            memory.capture(f"the parent said {n}")
        for child in children:
            child.join(60)
            assert child.exitcode == 0
        assert len(memory.list(limit=0)) == 81
        assert not memory.audit.verify().findings
        assert memory.validate() == []


def test_a_memory_behind_a_wall_and_documents_too(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        behind = memory.as_agent("tom")
        behind.capture("Tom's own")

        def work() -> None:
            assert [one.content for one in behind.list()] == ["Tom's own"]
            behind.capture("another of Tom's")
            memory.documents.put(("a",), "b", {"c": 1})

        in_child(work)
        assert len(behind.list()) == 2
        assert memory.documents.get(("a",), "b") is not None
        assert not memory.audit.verify().findings


def test_a_child_that_ends_lets_go_of_nothing(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.capture("I live in Leeds")
        store = memory.workspace.store
        lock = tmp_path / "spaces" / "main" / "loxodon.lock"
        wal = tmp_path / "spaces" / "main" / "loxodon.db-wal"
        with store.writing():
            in_child(memory.close)
            assert not is_free(lock)
        assert is_free(lock)
        assert wal.stat().st_size > 0
        assert memory.validate() == []


ENDING = """
import os, sys
from loxodon import Memory
memory = Memory.open(sys.argv[1])
memory.capture("before")
child = os.fork()
if child:
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    memory.capture("after")
    assert len(memory.list()) == 2 + (sys.argv[2] == "uses"), memory.list()
    assert memory.validate() == []
    assert not memory.audit.verify().findings
    memory.close()
    sys.exit(code)
if sys.argv[2] == "uses":
    memory.capture("in the child")
"""


@pytest.mark.parametrize("how", ["uses", "does not"])
def test_the_end_of_a_childs_interpreter_is_harmless(tmp_path: Path, how: str) -> None:
    import subprocess

    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ENDING, str(tmp_path), how], timeout=60, check=False
    )
    assert ran.returncode == 0


@pytest.mark.parametrize("anew", [False, True])
def test_a_child_that_writes_after_its_parent_has_closed_loses_nothing(
    tmp_path: Path, anew: bool
) -> None:
    """SQLite would think that the child has the parent's locks, and let the parent remove the log
    that the child writes to."""
    (closed, close), (begun, begin) = os.pipe(), os.pipe()
    memory = Memory.open(tmp_path)
    memory.capture("before")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            own = Memory.open(tmp_path) if anew else memory
            own.capture("with the parent")
            os.write(begin, b"!")
            os.read(closed, 1)
            own.capture("without the parent")
            code = 0
        finally:
            os._exit(code)
    os.close(begin)  # so that a child that fails is not waited for
    os.read(begun, 1)
    memory.close()
    os.write(close, b"!")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    for descriptor in (closed, close, begun):
        os.close(descriptor)
    with Memory.open(tmp_path) as memory:
        assert len(memory.list()) == 3
        assert memory.validate() == []
        assert not memory.audit.verify().findings


def refused(work: Callable[[], object]) -> None:
    with pytest.raises(StoreError, match="forked while"):
        work()


def test_a_lock_that_another_thread_holds_does_not_stop_a_child(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        audit = memory.workspace.store.audit
        assert audit is not None
        memory.capture("I live in Leeds")
        within, go_on = Event(), Event()

        def hold() -> None:
            with audit._turn:
                within.set()
                go_on.wait(60)

        thread = Thread(target=hold)
        thread.start()
        assert within.wait(60)
        in_child(lambda: memory.capture("I like tea"))
        go_on.set()
        thread.join()
        assert len(memory.list()) == 2
        assert not memory.audit.verify().findings


def test_a_fork_waits_for_who_reads_but_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite itself may be in any state then: such a child is told so, however it opens it."""
    monkeypatch.setattr(database, "_FORK_SECONDS", 0.1)
    with Memory.open(tmp_path) as memory:
        memory.capture("I live in Leeds")
        store, within, go_on = memory.workspace.store, Event(), Event()

        def hold() -> None:
            with store.reading():
                store.counts()
                within.set()
                go_on.wait(60)

        thread = Thread(target=hold)
        thread.start()
        assert within.wait(60)
        in_child(lambda: refused(lambda: memory.list()))
        in_child(lambda: refused(lambda: Memory.open(tmp_path)))
        go_on.set()
        thread.join()
        in_child(lambda: memory.capture("I like tea"))
        assert len(memory.list()) == 2


def test_a_fork_within_a_transaction_does_not_go_on_with_it(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        lock = tmp_path / "spaces" / "main" / "loxodon.lock"
        with memory.workspace.store.writing():
            memory.capture("half of it")
            in_child(lambda: refused(lambda: memory.capture("by the child")))
            assert not is_free(lock)
        assert [one.content for one in memory.list()] == ["half of it"]
        assert not memory.audit.verify().findings


def test_what_was_recalled_before_is_counted_once(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        kept = memory.capture("I live in Leeds")
        memory.recall("where do I live? Leeds?")
        in_child(memory.close)
        memory.close()
    with Memory.open(tmp_path) as memory:
        memory.consolidate(force=True)
        assert memory.get(kept.id).access_count == 1


def test_a_file_lock_is_not_shared(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    lock = FileLock(str(path))
    assert lock.acquire(0)

    def work() -> None:
        assert not lock.acquire(0)
        lock.release()
        assert not is_free(path)
        lock.close()

    in_child(work)
    assert not is_free(path)
    lock.release()
    assert is_free(path)
    lock.close()


def test_a_child_does_not_keep_a_lock_beyond_its_parent(tmp_path: Path) -> None:
    lock = FileLock(str(tmp_path / "lock"))
    assert lock.acquire(0)
    (ending, end), (begun, begin) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(end)
        os.write(begin, b"!")
        os.read(ending, 1)
        os._exit(0)
    os.read(begun, 1)
    lock.close()
    free = is_free(tmp_path / "lock")
    os.close(end)
    os.waitpid(child, 0)
    for descriptor in (ending, begun, begin):
        os.close(descriptor)
    assert free


def test_a_runner_stays_with_its_parent(tmp_path: Path) -> None:
    with Host(tmp_path) as host, host.using("main") as memory:
        memory.capture("I live in Leeds")
        runner = Runner(host, logs=False)
        runner.start()
        try:
            waited = Event()
            for _ in range(600):
                if runner.standing.active or waited.wait(0.1):
                    break
            assert runner.standing.active

            def work() -> None:
                assert not runner.standing.active
                runner.stop()
                with host.using("main") as own:
                    assert len(own.list()) == 1

            in_child(work)
            assert runner.standing.active
            assert not is_free(tmp_path / "schedule.lock")
        finally:
            runner.stop()
        assert is_free(tmp_path / "schedule.lock")


def test_an_embedder_that_is_set_is_made_anew(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=Toy()) as memory:
        memory.capture("I live in Leeds")
        memory.embed()
        assert memory.recall("Leeds").items

        def work() -> None:
            memory.capture("I like tea")
            assert memory.embed().embedded > 0
            assert memory.recall("tea").items

        in_child(work)
