"""What encryption costs: adding, recalling and opening, with it and without, in turns.

    python bench/encryption.py [TURNS]

The same store is made several times, plain and encrypted, one after the other; what is shown are
medians of the time of the processor. Below that, the ciphers of this build of SQLite on a bare
table: what a scan of it costs.
"""

from __future__ import annotations

import os
import random
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial

import apsw

from loxodon import Memory

ROUNDS = 3
QUESTIONS = 100
CIPHERS = ("", "aegis", "chacha20", "ascon128", "sqlcipher", "aes256cbc")
SYLLABLES = (*"kloamintersuvwe", *"山水人天木火土金")


def processor(work: Callable[[], object]) -> float:
    """Milliseconds of the processor that some work takes."""
    before = time.process_time()
    work()
    return (time.process_time() - before) * 1e3


def said(chance: random.Random, words: int) -> str:
    return " ".join("".join(chance.choices(SYLLABLES, k=3)) for _ in range(words))


def figures(folder: str, turns: int, key: bytes | None) -> dict[str, float]:
    """One store: what each thing that is done with it costs."""
    chance = random.Random(7)
    many = [{"role": "user", "content": said(chance, 18), "id": str(n)} for n in range(turns)]
    questions = [said(chance, 3) for _ in range(QUESTIONS)]

    def opened() -> Memory:
        return Memory.open(folder, config={}, key=key)

    with opened() as memory:
        add = processor(lambda: memory.add(many, session="many"))
        single = [
            processor(partial(memory.add, [{**many[n], "id": f"x{n}"}], session="single"))
            for n in range(QUESTIONS)
        ]
    with opened() as memory:
        recall = sorted(processor(partial(memory.recall, one)) for one in questions)
    opening = [processor(lambda: opened().close()) for _ in range(20)]
    return {
        "add, ms a thousand": add / turns * 1e3,
        "add, one": statistics.median(single),
        "recall, p50": recall[len(recall) // 2],
        "recall, p95": recall[int(len(recall) * 0.95)],
        "open and close": statistics.median(opening),
    }


def scan(folder: str, cipher: str) -> float:
    """Milliseconds of the processor to read 8 MB under a cipher."""
    connection = apsw.Connection(os.path.join(folder, f"{cipher or 'plain'}.db"))
    if cipher:
        for pragma in (f"cipher={cipher}", f"key='raw:{secrets.token_hex(32)}'"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
    connection.execute("CREATE TABLE t (a BLOB)").fetchall()
    with connection:
        rows = ((secrets.token_bytes(400),) for _ in range(20_000))
        connection.executemany("INSERT INTO t VALUES (?)", rows).fetchall()
    connection.execute("PRAGMA cache_size=10").fetchall()
    take = "SELECT sum(length(a)), max(a) FROM t"
    found = [processor(lambda: connection.execute(take).fetchall()) for _ in range(5)]
    connection.close()
    return statistics.median(found)


def main() -> None:
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    key = secrets.token_bytes(32)
    found: dict[str, list[dict[str, float]]] = {"plain": [], "encrypted": []}
    with tempfile.TemporaryDirectory() as folder:
        for n in range(ROUNDS):
            for name, one in (("plain", None), ("encrypted", key)):
                found[name].append(figures(os.path.join(folder, f"{name}{n}"), turns, one))
        print(f"{turns} turns, milliseconds of the processor")
        for what in found["plain"][0]:
            plain, encrypted = (
                statistics.median(one[what] for one in found[name]) for name in found
            )
            print(f"  {what:20} plain {plain:8.2f}   encrypted {encrypted:8.2f}")
        print("a scan of 8 MB")
        for cipher in CIPHERS:
            print(f"  {cipher or 'plain':20} {scan(folder, cipher):8.2f}")


if __name__ == "__main__":
    main()
