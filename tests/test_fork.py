"""A forked process has its own connection and locks, and leaves its parent's alone."""

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
from tests.long import count
from tests.models.toys import Toy
from tests.store.contracts import contents
from tests.waiting import PATIENCE

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="there is no fork"),
    pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning"),
]


def in_child(work: Callable[[], object]) -> None:
    """Do something in a forked process, which must not fail nor hang."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(int(PATIENCE))  # which ends it where it would hang
        code = 1
        try:
            work()
            code = 0
        except BaseException as error:
            os.write(2, f"in the child: {error!r}\n".encode())
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def refused(work: Callable[[], object]) -> None:
    with pytest.raises(StoreError, match="forked while"):
        work()


def is_free(path: Path) -> bool:
    with path.open("a+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def is_sound(memory: Memory) -> bool:
    return memory.audit.verify().sound and memory.validate() == []


def test_children_write_beside_their_parent(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.capture("I live in Leeds")

        def work() -> None:
            assert "I live in Leeds" in contents(memory.list())
            for n in range(count(6, 20)):
                memory.capture(f"the child said {n}")
            memory.close()

        children = [multiprocessing.get_context("fork").Process(target=work) for _ in range(3)]
        for child in children:
            child.start()
        for n in range(count(6, 20)):
            memory.capture(f"the parent said {n}")
        for child in children:
            child.join(PATIENCE)
            assert child.exitcode == 0
        assert len(memory.list(limit=0)) == 1 + 4 * count(6, 20)
        assert is_sound(memory)


def test_everything_that_is_open_works_in_a_child(tmp_path: Path) -> None:
    """An agent's memory, documents, the embedder; and what was recalled is counted once."""
    with Memory.open(tmp_path, embedder=Toy()) as memory:
        behind = memory.within("tom")
        behind.capture("Tom's own")
        kept = memory.capture("I live in Leeds")
        memory.embed()
        memory.recall("where do I live? Leeds?")

        def work() -> None:
            assert contents(behind.list()) == ["I live in Leeds", "Tom's own"]
            behind.capture("another of Tom's")
            memory.documents.put(("a",), "b", {"c": 1})
            memory.capture("I like tea")
            assert memory.embed().embedded > 0
            assert memory.recall("tea").items
            memory.close()

        in_child(work)
        assert len(memory.list()) == 4
        assert memory.documents.get(("a",), "b") is not None
        assert is_sound(memory)
    with Memory.open(tmp_path) as memory:
        memory.consolidate(force=True)
        assert memory.get(kept.id).access_count == 1


@pytest.mark.parametrize("anew", [False, True])
def test_child_that_outlives_its_parents_memory_loses_nothing(tmp_path: Path, anew: bool) -> None:
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
        assert is_sound(memory)


def test_fork_within_a_transaction(tmp_path: Path) -> None:
    """The child does not go on with it, and its end does not let go of the parent's lock."""
    lock = tmp_path / "spaces" / "main" / "loxodon.lock"
    with Memory.open(tmp_path) as memory:
        with memory.workspace.store.writing():
            memory.capture("half of it")
            in_child(lambda: refused(lambda: memory.capture("by the child")))
            in_child(memory.close)
            assert not is_free(lock)
        assert is_free(lock)
        assert contents(memory.list()) == ["half of it"]
        assert is_sound(memory)


def test_fork_while_another_thread_reads(tmp_path: Path) -> None:
    """SQLite itself may be in any state then: such a child is told so, however it opens it."""
    with Memory.open(tmp_path) as memory:
        memory.capture("I live in Leeds")
        store, within, go_on = memory.workspace.store, Event(), Event()

        def hold() -> None:
            with store.reading():
                store.counts()
                within.set()
                go_on.wait(PATIENCE)

        thread = Thread(target=hold)
        thread.start()
        assert within.wait(PATIENCE)
        in_child(lambda: refused(lambda: memory.list()))
        in_child(lambda: refused(lambda: Memory.open(tmp_path)))
        go_on.set()
        thread.join()
        in_child(lambda: memory.capture("I like tea"))
        assert len(memory.list()) == 2
