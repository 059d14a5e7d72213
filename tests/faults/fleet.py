"""Servers that share a database, clients that write through them, and who is at which job.

Each server is on a machine of its own: it has its own home, and knows of the others only what the
database says. A client does as an agent behind a load balancer does: it sends a message to any of
the servers, and again, with the same id, until one of them has acknowledged it.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from threading import Event
from urllib.parse import quote

from loxodon import Memory
from loxodon.client import Client
from loxodon.errors import StoreError
from tests.http.server import Server
from tests.jobs.test_runner import workers_of
from tests.store.postgres import server as postgres
from tests.waiting import until

CONFIG = """
[schedule]
quiet = 0
daily = ""
"""
HOLDER = """
SELECT application_name, pid FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND (classid::bigint << 32 | objid::bigint)
    = hashtextextended('spaces/{space}/consolidation.lock', 0)
"""
SYLLABLES = ("ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu")


def friend(number: int) -> str:
    """A name that nobody else has."""
    return "".join(SYLLABLES[int(digit)] for digit in f"{number:05}").capitalize()


class Fleet(ExitStack):
    """Some servers on one database, and as many clients as one likes."""

    def __init__(self, folder: Path, database: postgres.Server, url: str, seed: int) -> None:
        super().__init__()
        self._folder, self._database, self._url = folder, database, url
        self.servers: dict[str, Server] = {}
        self.random = Random(seed)
        self._numbers = iter(range(10_000_000))
        self.acknowledged = 0
        # How often a client had to send a message again, by the code of the error
        self.refused: Counter[str] = Counter()
        self._memories: dict[str, Memory] = {}
        self.callback(self._kill_all)

    def start(self, name: str, port: int = 0, options: str = "") -> None:
        """Start a server; `port` is where it finds the database, where not at its own, and
        `options` are those of its connections."""
        home = self._folder / name
        home.mkdir(exist_ok=True)
        (home / "config.toml").write_text(CONFIG)
        url = self._url.replace(f":{self._database.port}/", f":{port}/") if port else self._url
        url += f"?application_name={name}&connect_timeout=2&options={quote(options)}"
        self.servers[name] = Server(home, scheduled=True, LOXODON_STORE=url)

    def kill(self, name: str) -> None:
        """Kill a server and its worker, as when a machine is switched off."""
        with self.servers.pop(name) as server:
            workers = workers_of(server.process.pid)
            server.kill()
            _signal(workers, signal.SIGKILL)

    def _kill_all(self) -> None:
        for name in list(self.servers):
            self.kill(name)

    def kill_at_work(self, space: str) -> str:
        """Kill a server whose worker is in the middle of a job in a space; its name."""
        while True:
            name = until(lambda: next(iter(self.holders(space)), ""))
            server = self.servers[name].process.pid
            _signal(pids := [server, *workers_of(server)], signal.SIGSTOP)
            if name in self.holders(space):  # and has not just ended it
                self.kill(name)
                return str(name)
            _signal(pids, signal.SIGCONT)

    def holders(self, space: str) -> dict[str, int]:
        """The server whose worker is at a job in a space, and its process in PostgreSQL."""
        found = self._database.ask(HOLDER.format(space=space))
        return {str(name): int(str(pid)) for name, pid in found}

    # Clients

    @contextmanager
    def writing(self, space: str, clients: int = 6) -> Iterator[list[str]]:
        """Have clients write to a space meanwhile; the names in what was acknowledged to them.

        At the end each has got its last message acknowledged, whatever happened to the servers.
        """
        told: list[str] = []
        ending = Event()
        with ThreadPoolExecutor(clients) as threads:
            running = [
                threads.submit(self._write, space, told, ending, Random(self.random.random()))
                for _ in range(clients)
            ]
            try:
                yield told
            finally:
                ending.set()
            for one in running:
                one.result()
        self.acknowledged += len(told)

    def _write(self, space: str, told: list[str], ending: Event, random: Random) -> None:
        clients: dict[str, Client] = {}
        with ExitStack() as closing:
            while not ending.is_set():
                name = friend(next(self._numbers))
                until(lambda: self._say(space, name, clients, random, closing))  # noqa: B023
                told.append(name)

    def _say(
        self, space: str, name: str, clients: dict[str, Client], random: Random, closing: ExitStack
    ) -> bool:
        url = random.choice([server.url for server in self.servers.values()] or [""])
        if not url:  # all are down just now
            return False
        if url not in clients:
            clients[url] = Client(url, space=space, timeout=2)
            closing.callback(clients[url].close)
        text = f"My friend {name} lives in Leeds."
        try:
            clients[url].add([{"role": "user", "content": text, "id": name}], "talk")
        except StoreError as error:
            self.refused[error.code] += 1
            return False
        return True

    # What became of it

    def apart(self, space: str) -> Memory:
        """A memory as another process would have it."""
        config = {"store.url": self._url, "schedule.quiet": 0}
        return self.enter_context(Memory.open(self._folder / "onlooker", space, config))

    def memory(self, space: str) -> Memory:
        if space not in self._memories:
            self._memories[space] = self.apart(space)
        return self._memories[space]

    def settled(self, space: str) -> None:
        """Wait until the servers, by themselves, have learned from all that was said in a space."""
        memory = self.memory(space)
        until(lambda: not memory.schedule.waiting() and not memory.status().phase)

    def check(self, space: str, told: list[str]) -> None:
        """Nothing acknowledged is lost, nothing is there twice, no job had effect twice."""
        memory = self.memory(space)
        assert memory.validate() == []
        found = memory.audit.verify()
        assert found.sound, found
        said = Counter(turn.id for turn in memory.journal())
        assert said == Counter(told), (said - Counter(told), Counter(told) - said)
        facts = memory.list(kind="fact", limit=0)
        known = {one.content: one for one in facts}
        assert len(known) == len(facts)
        for name in told:
            fact = known[f"The user's friend {name} lives in Leeds"]
            assert (fact.version, len(fact.sources)) == (1, 1), fact


def _signal(processes: list[int], number: signal.Signals) -> None:
    for one in processes:
        with suppress(ProcessLookupError):
            os.kill(one, number)
