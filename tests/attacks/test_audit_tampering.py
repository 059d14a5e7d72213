"""Whatever someone without the key does to rows of the audit log, to its head or to signed memories
is found; and what nobody tampered with is sound, whatever kills it went through."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from loxodon import Memory
from loxodon.store.sqlite import seals
from loxodon.trust.audit.log import Head, chained
from loxodon.trust.audit.verifying import Verified
from tests.long import count, figure

CASES = count(23, 920)
HONEST = count(2, 200)


def live(memory: Memory, rng: random.Random, steps: int) -> None:
    """Do this and that, as an agent would."""
    for step in range(steps):
        known = memory.list(limit=20)
        match rng.randrange(6):
            case 0:
                memory.add([{"role": "user", "content": f"day {step} {rng.random()}"}], "talk")
            case 1:
                memory.capture(f"phone number {step}: 138{rng.randrange(10**8):08d}")
            case 2 if known:
                number = f"139{rng.randrange(10**8):08d}"
                memory.edit(rng.choice(known).id, content=f"new number {step}: {number}")
            case 3 if known:
                memory.archive(rng.choice(known).id)
            case 4 if known:
                memory.get(rng.choice(known).id)
            case _:
                memory.recall(rng.choice(("tea", "number", "面条", "day")))


def verified(home: Path) -> Verified:
    with Memory.open(home) as memory:
        return memory.audit.verify()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home, rng = tmp_path_factory.mktemp("audit") / "home", random.Random(7)
    for space in ("other", "main"):
        with Memory.open(home, space) as memory:
            memory.capture("my number is 13800138000")
            memory.capture("my other number is 13900139000")
            live(memory, rng, count(25, 60))
            memory.archive(memory.list(limit=1)[0].id)
    return home


def connected(home: Path, space: str = "main") -> apsw.Connection:
    """The database as someone opens it who has our code and not the key."""
    connection = apsw.Connection(str(home / "spaces" / space / "loxodon.db"))
    seals.register(connection)
    return connection


Tampering = Callable[[apsw.Connection, random.Random, Path], None]


def some(db: apsw.Connection, rng: random.Random) -> int:
    """The number of an entry in the middle."""
    ((last,),) = db.execute("SELECT max(n) FROM audit")
    return rng.randrange(2, int(str(last)))


def remove_some(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    n = some(db, rng)
    db.execute("DELETE FROM audit WHERE n BETWEEN ? AND ?", (n, n + rng.randrange(3)))


def remove_the_first(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    db.execute("DELETE FROM audit WHERE n < ?", (some(db, rng),))


def cut_the_end(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    db.execute("DELETE FROM audit WHERE n >= ?", (some(db, rng),))


def cut_the_end_and_forge_the_head(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    cut_the_end(db, rng, home)
    ((n, mac),) = db.execute("SELECT n, mac FROM audit ORDER BY n DESC LIMIT 1")
    forged = Head(int(str(n)), bytes(mac)).signed(rng.randbytes(32))
    db.execute("UPDATE meta SET value = ? WHERE name = 'audit'", (forged,))


def delete_all_entries(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    db.execute("DELETE FROM audit")


def change_an_entry(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    how = rng.choice(("replace(entry, '\"op\"', '\"ok\"')", "entry || ' '", "'{}'", "'null'"))
    db.execute(f"UPDATE audit SET entry = {how} WHERE n = ?", (some(db, rng),))


def change_a_mac(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    db.execute("UPDATE audit SET mac = ? WHERE n = ?", (rng.randbytes(32), some(db, rng)))


def swap_two_entries(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    n = some(db, rng)
    db.execute("UPDATE audit SET n = -n WHERE n IN (?, ?)", (n, n - 1))
    db.execute(f"UPDATE audit SET n = CASE n WHEN -{n} THEN {n} - 1 ELSE {n} END WHERE n < 0")


def renumber(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    """Remove an entry and close the gap."""
    n = some(db, rng)
    db.execute("DELETE FROM audit WHERE n = ?", (n,))
    db.execute("UPDATE audit SET n = -n WHERE n > ?", (n,))
    db.execute("UPDATE audit SET n = -n - 1 WHERE n < 0")


def append_with_a_guessed_key(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    ((n, mac),) = db.execute("SELECT n, mac FROM audit ORDER BY n DESC LIMIT 1")
    key, number, entry = rng.choice((b"", b"loxodon")), int(str(n)) + 1, '{"op":"get"}'
    new = chained(key, bytes(mac), number, entry)
    db.execute("INSERT INTO audit (n, entry, mac) VALUES (?, ?, ?)", (number, entry, new))
    db.execute("UPDATE meta SET value = ? WHERE name = 'audit'", (Head(number, new).signed(key),))


def take_the_log_of_another_space(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    with connected(home, "other") as other:
        rows = other.execute("SELECT n, entry, mac FROM audit").fetchall()
        ((head,),) = other.execute("SELECT value FROM meta WHERE name = 'audit'")
    other.close()
    db.execute("DELETE FROM audit")
    db.executemany("INSERT INTO audit (n, entry, mac) VALUES (?, ?, ?)", rows)
    if rng.random() < 0.5:
        db.execute("UPDATE meta SET value = ? WHERE name = 'audit'", (head,))


def splice_an_entry_of_another_space(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    n, other = some(db, rng), connected(home, "other")
    ((entry, mac),) = other.execute("SELECT entry, mac FROM audit ORDER BY n DESC LIMIT 1")
    other.close()
    db.execute("UPDATE audit SET entry = ?, mac = ? WHERE n = ?", (entry, mac, n))


def spoil_the_head(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    value = rng.choice(("", "x", "3:00", "100000:ff:00", "3:00:00"))
    db.execute("UPDATE meta SET value = ? WHERE name = 'audit'", (value,))


def delete_the_head(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    db.execute("DELETE FROM meta WHERE name = 'audit'")


def sensitive(db: apsw.Connection, rng: random.Random) -> list[int]:
    rows = db.execute("SELECT row FROM memories WHERE sensitivity <> 'low' ORDER BY row")
    return rng.sample([int(str(row)) for (row,) in rows], 2)


def edit_a_sensitive_memory(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    column, value = rng.choice(
        [
            ("content", "transfer everything"),
            ("sensitivity", "low"),
            ("audience", "all"),
            ("trust", "web"),
            ("entities", '["x"]'),
            ("valid_until", 5),
            ("agent", "other"),
        ]
    )
    row = sensitive(db, rng)[0]
    db.execute(f"UPDATE memories SET {column} = ? WHERE row = ?", (value, row))


def edit_its_history(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    how = rng.choice(("change = 'imported'", "at = at - 1000"))
    db.execute(f"UPDATE memory_changes SET {how} WHERE memory = ?", (sensitive(db, rng)[0],))


def edit_what_it_was_before(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    db.execute(
        "UPDATE memory_changes SET before = json_set(before, '$.content', 'was never so') "
        "WHERE (memory, version) IN (SELECT c.memory, c.version FROM memory_changes c JOIN "
        "signatures s ON s.memory = c.memory AND s.version = c.version - 1 "
        "WHERE c.before IS NOT NULL ORDER BY random() LIMIT 1)"
    )


def drop_its_signatures(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    db.execute("DELETE FROM signatures WHERE memory = ?", (sensitive(db, rng)[0],))


def take_a_signature_of_another(db: apsw.Connection, rng: random.Random, home: Path) -> None:
    db.execute(
        "UPDATE signatures SET mac = (SELECT mac FROM signatures WHERE memory = ? LIMIT 1) "
        "WHERE memory = ?",
        sensitive(db, rng),
    )


ALL: tuple[Tampering, ...] = (
    remove_some,
    remove_the_first,
    cut_the_end,
    cut_the_end_and_forge_the_head,
    delete_all_entries,
    change_an_entry,
    change_a_mac,
    swap_two_entries,
    renumber,
    append_with_a_guessed_key,
    take_the_log_of_another_space,
    splice_an_entry_of_another_space,
    spoil_the_head,
    delete_the_head,
    edit_a_sensitive_memory,
    edit_its_history,
    edit_what_it_was_before,
    drop_its_signatures,
    take_a_signature_of_another,
)


def test_untouched_log_is_sound(home: Path) -> None:
    found = verified(home)
    assert found.sound, found
    assert not found.notices
    assert found.signed > 3
    assert found.entries > 40


def test_every_tampering_is_found(home: Path, tmp_path: Path) -> None:
    missed = []
    for case in range(CASES):
        rng, tamper = random.Random(case), ALL[case % len(ALL)]
        here = tmp_path / "spoilt"
        shutil.copytree(home, here)
        connection = connected(here)
        tamper(connection, rng, here)
        assert connection.total_changes(), tamper
        connection.close()
        if rng.random() < 0.4:  # the owner notices nothing, and goes on
            with Memory.open(here) as memory:
                memory.capture(f"said later {case}")
                memory.recall("tea")
        if verified(here).sound:
            missed.append((case, tamper.__name__))
        shutil.rmtree(here)
    figure("audit_tamperings", cases=CASES, found=CASES - len(missed), kinds=len(ALL))
    assert not missed


_BUSY = """
import sys, random
from loxodon import Memory
from tests.attacks.test_audit_tampering import live
rng = random.Random(int(sys.argv[2]))
with Memory.open(sys.argv[1]) as memory:
    while True:
        live(memory, rng, 1)
        print("done", flush=True)
"""


def kill_some(home: Path, rng: random.Random) -> None:
    """One or several who write at once are killed in the middle of it."""
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", _BUSY, str(home), str(rng.randrange(1 << 30))],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(rng.choice((1, 1, 2)))
    ]
    for worker in workers:
        assert worker.stdout is not None
        for _ in range(rng.randint(1, count(6, 25))):
            assert worker.stdout.readline()
    for worker in workers:
        worker.send_signal(signal.SIGKILL)
        worker.communicate()


def test_kills_are_no_tampering(home: Path, tmp_path: Path) -> None:
    here, rng = tmp_path / "home", random.Random(11)
    shutil.copytree(home, here)
    for _ in range(HONEST):
        kill_some(here, rng)
        found = verified(here)
        assert found.sound, found
    figure("audit_after_kills", cases=HONEST)
