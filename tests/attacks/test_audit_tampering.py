"""Whatever someone without the key does to rows of the audit log or to its head is found; and what
nobody tampered with is sound, whatever kills it went through."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import apsw
import pytest

from loxodon import Memory
from loxodon.security.audit import chained, signed_head
from loxodon.security.audit_log import Verified
from tests.long import count, figure


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
    return apsw.Connection(str(home / "spaces" / space / "loxodon.db"))


HEAD = "UPDATE meta SET value = {} WHERE name = 'audit'"
ENTRY = "UPDATE audit SET entry = {} WHERE n = :n"
# What someone does to the file: `n` is an entry in the middle
SQL = (
    "DELETE FROM audit WHERE n = :n",
    "DELETE FROM audit WHERE n BETWEEN :n AND :n + 2",
    "DELETE FROM audit WHERE n < :n",
    "DELETE FROM audit WHERE n >= :n",
    "DELETE FROM audit",
    "INSERT INTO audit SELECT -5, entry, mac FROM audit WHERE n = :n",
    ENTRY.format("replace(entry, '\"op\"', '\"ok\"')"),
    *(ENTRY.format(one) for one in ("entry || ' '", "'{}'", "'null'")),
    "UPDATE audit SET mac = :bytes WHERE n = :n",
    # Two are swapped; one is removed and the gap closed.
    "UPDATE audit SET n = -n WHERE n IN (:n, :n - 1);"
    "UPDATE audit SET n = CASE n WHEN -:n THEN :n - 1 ELSE :n END WHERE n < 0",
    "DELETE FROM audit WHERE n = :n; UPDATE audit SET n = -n WHERE n > :n;"
    "UPDATE audit SET n = -n - 1 WHERE n < 0",
    # The log of another space, without its head and with it; and one entry of it.
    "DELETE FROM audit; INSERT INTO audit SELECT * FROM other.audit",
    "DELETE FROM audit; INSERT INTO audit SELECT * FROM other.audit;"
    + HEAD.format("(SELECT value FROM other.meta WHERE name = 'audit')"),
    "UPDATE audit SET (entry, mac) = (SELECT entry, mac FROM other.audit ORDER BY n DESC LIMIT 1) "
    "WHERE n = :n",
    # The head, with keys that somebody guesses.
    *(HEAD.format(f"'{one}'") for one in ("", "x", "3:00", "100000:ff:00", "3:00:00")),
    "DELETE FROM meta WHERE name = 'audit'",
    "DELETE FROM audit WHERE n >= :n;" + HEAD.format("forged(:n - 1, :bytes)"),
    "INSERT INTO audit (n, entry, mac) SELECT max(n) + 1, '{}', "
    "appended(mac, max(n) + 1, '{}') FROM audit;"
    + HEAD.format("(SELECT forged(max(n), mac) FROM audit)"),
)


def tamper(home: Path, rng: random.Random, sql: str) -> None:
    db, key = connected(home), rng.choice((b"", b"loxodon"))

    def forged(*given: Any) -> str:
        return signed_head(key, *given)

    def appended(*given: Any) -> Any:
        mac, n, entry = given
        return chained(key, mac, n, entry)

    db.create_scalar_function("forged", forged)
    db.create_scalar_function("appended", appended)
    db.execute("ATTACH ? AS other", (str(home / "spaces" / "other" / "loxodon.db"),))
    ((last,),) = db.execute("SELECT max(n) FROM audit")
    given = {"n": rng.randrange(2, int(str(last))), "bytes": rng.randbytes(32)}
    for one in sql.split(";"):
        db.execute(one, given)
    assert db.total_changes(), sql
    db.close()


def test_untouched_log_is_sound(home: Path) -> None:
    found = verified(home)
    assert found.sound, found
    assert found.entries > 40


def test_every_tampering_is_found(home: Path, tmp_path: Path) -> None:
    missed, number = [], count(len(SQL), 920)
    for case in range(number):
        rng, sql = random.Random(case), SQL[case % len(SQL)]
        here = tmp_path / "spoilt"
        shutil.copytree(home, here)
        tamper(here, rng, sql)
        if rng.random() < 0.4:  # the owner notices nothing, and goes on
            with Memory.open(here) as memory:
                memory.capture(f"said later {case}")
                memory.recall("tea")
        if verified(here).sound:
            missed.append((case, sql))
        shutil.rmtree(here)
    figure("audit_tamperings", cases=number, found=number - len(missed), kinds=len(SQL))
    assert not missed
