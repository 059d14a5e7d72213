"""What the proxy adds to a stream; the part `proxy` of `live.py`.

Clients that stream replies through the proxy, beside the same clients at the upstream itself, in
one run. The memory has lived with 10,000 memories, and every request is a new conversation whose
question it recalls for: the worst case, since most messages need no recall.

    alone           one client at an upstream that answers at once, one request after the other:
                    milliseconds to the first word that the proxy adds with memory off, where the
                    gate says no, and with a recall; and beside what the same recall and the same
                    durable write of the message take in this process. All of them in turn, each
                    question several times: the best of each is compared, for a busy machine adds to
                    any of them
    direct, proxy   50 streams at once: milliseconds to the first word and to the last
    bare            the same through the proxy, without memory (`X-Loxodon-Memory: off`)
    overhead        what the proxy adds to the upstream itself
    clients         24 and 200 at once: every error counts, and every request without memory
    flat            megabytes of the process while they run, in the first third and in the last
    cpu             milliseconds that the proxy's processor spends on a request
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from time import perf_counter
from typing import Any, NamedTuple

from live import NOW, at, cpu_of, lived_home, resident, served
from loxodon import Memory

STREAMS, FEW, CLIENTS = 50, 24, 200
_ASKED, _TIMES = 25, 8
"""Questions that one client asks, and how often each."""
_IN_PROCESS = ("recalled", "written")
WORDS, PAUSE = 80, 0.05
"""A reply takes four seconds, as one of a small model does."""
_HEAD = (
    b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer sk-bench"
    b"\r\ncontent-type: application/json\r\n"
)
_OFF = b"x-loxodon-memory: off\r\n"


class Took(NamedTuple):
    first: float
    """Milliseconds to the first word, and to the end."""
    last: float


class Load:
    """Clients at one address, each with one connection, one question after the other."""

    def __init__(self, port: int, questions: Sequence[str], extra: bytes = b"") -> None:
        self._port = port
        self._head = _HEAD + extra
        self._questions = questions
        self._asked = 0
        self.took: list[Took] = []
        self.outcomes: Counter[str] = Counter()
        """What came of asking the memory."""
        self.errors: list[str] = []

    async def run(self, clients: int, seconds: float) -> None:
        until = perf_counter() + seconds
        await asyncio.gather(*(self._client(n, clients, until) for n in range(clients)))

    async def _client(self, n: int, clients: int, until: float) -> None:
        await asyncio.sleep(WORDS * PAUSE * n / clients)  # people do not speak in step
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            while perf_counter() < until:
                self._asked += 1
                question = self._questions[self._asked % len(self._questions)]
                self.took.append(await self._ask(reader, writer, f"{question} {self._asked}?"))
        except (ValueError, OSError, EOFError) as error:
            self.errors.append(repr(error))
        finally:
            writer.close()

    async def _ask(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, question: str
    ) -> Took:
        body = json.dumps(
            {
                "model": "bench",
                "stream": True,
                "messages": [
                    {"role": "system", "content": "You are helpful."},
                    {"role": "user", "content": question},
                ],
            }
        ).encode()
        started = perf_counter()
        writer.write(self._head + b"content-length: %d\r\n\r\n" % len(body) + body)
        status = await reader.readline()
        if b" 200 " not in status:
            raise ValueError(status)
        head = await reader.readuntil(b"data: ")
        first = perf_counter()
        if told := re.search(rb"x-loxodon-memory: ([a-z-]+)", head):
            self.outcomes[told[1].decode()] += 1
        await reader.readuntil(b"[DONE]\n\n\r\n0\r\n\r\n")
        last = perf_counter()
        return Took((first - started) * 1e3, (last - started) * 1e3)

    async def line(self) -> Callable[[str], Awaitable[float]]:
        """A connection: milliseconds to the first word of what is asked on it."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)

        async def ask(question: str) -> float:
            return (await self._ask(reader, writer, question)).first

        return ask


@contextmanager
def upstream(words: int = WORDS, pause: float = PAUSE) -> Iterator[int]:
    """A model's server, as a process of its own; its port."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "live_upstream.py")
    command = [sys.executable, path, str(words), str(pause)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        assert server.stdout
        try:
            yield int(server.stdout.readline())
        finally:
            server.terminate()


def bench_proxy(rows: int, seconds: float) -> dict[str, Any]:
    """All of it; the 200 clients for `seconds`, or for 20 where that is less."""
    with lived_home(rows) as (home, questions):
        return {
            "memories": rows,
            "alone": _alone(home, questions),
            **_at_once(home, questions, seconds),
        }


def _at_once(home: str, questions: Sequence[str], seconds: float) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with (
        upstream() as direct,
        served(home, "proxy", "--port", "0", "--upstream", f"http://127.0.0.1:{direct}") as (
            url,
            pid,
        ),
    ):
        port = int(url.rsplit(":", 1)[1].removesuffix("/v1"))
        asyncio.run(Load(port, questions).run(4, 1))  # what is loaded once is loaded now
        loads = {
            "direct": Load(direct, questions),
            "bare": Load(port, questions, _OFF),
            "proxy": Load(port, questions),
        }
        for name, load in loads.items():
            before = cpu_of(pid)
            asyncio.run(load.run(STREAMS, seconds))
            found[name] = _figures(load)
            found[name]["cpu_ms"] = round((cpu_of(pid) - before) / len(load.took) * 1e3, 2)
        found["overhead"] = {
            key: round(found["proxy"][key] - found["direct"][key], 2)
            for key in ("first_p50_ms", "first_p99_ms", "last_p50_ms", "last_p99_ms")
        }
        few, many = Load(port, questions), Load(port, questions)
        asyncio.run(few.run(FEW, seconds))
        sizes = asyncio.run(_watched(many, CLIENTS, max(20.0, seconds), pid))
    found["clients"] = [
        {"at_once": number, **_figures(load), "memory": dict(load.outcomes)}
        for number, load in ((FEW, few), (CLIENTS, many))
    ]
    third = max(1, len(sizes) // 3)
    found["flat"] = {
        "first_third_mb": round(max(sizes[:third]) / 1e3, 1),
        "last_third_mb": round(max(sizes[-third:]) / 1e3, 1),
    }
    return found


def _alone(home: str, questions: Sequence[str]) -> dict[str, Any]:
    with (
        upstream(1, 0.0) as direct,
        served(home, "proxy", "--port", "0", "--upstream", f"http://127.0.0.1:{direct}") as (
            url,
            _,
        ),
        Memory.open(home, clock=lambda: NOW) as memory,
    ):
        port = int(url.rsplit(":", 1)[1].removesuffix("/v1"))
        best = asyncio.run(_best(memory, direct, port, questions))

    def added(name: str, *less: str) -> float:
        """What the middle question takes longer than these."""
        times = zip(best[name], *(best[one] for one in less), strict=True)
        return round(at([one - sum(rest) for one, *rest in times], 0.5), 2)

    return {
        "direct_ms": added("direct"),
        "in_process_ms": {name: added(name) for name in _IN_PROCESS},
        "added_ms": {name: added(name, "direct") for name in ("off", "gate_no", "recall")},
        "beside_the_recall_ms": added("recall", "direct", "recalled"),
        "beside_recall_and_write_ms": {
            "gate_no": added("gate_no", "direct", "written"),
            "recall": added("recall", "direct", *_IN_PROCESS),
        },
    }


async def _best(
    memory: Memory, direct: int, port: int, questions: Sequence[str]
) -> dict[str, list[float]]:
    """The best of several times for each question, in each way of asking it, all in turn."""
    lines = {
        "direct": await Load(direct, ()).line(),
        "off": await Load(port, (), _OFF).line(),
        "gate_no": await Load(port, ()).line(),
        "recall": await Load(port, ()).line(),
    }
    for one in questions[:15]:  # what is loaded once is loaded now
        memory.recall(one)
        await lines["recall"](f"before that, {one}?")
    best = {name: [inf] * _ASKED for name in (*lines, *_IN_PROCESS)}
    for n in range(_TIMES * _ASKED):
        place = n % _ASKED
        question = f"{questions[place]} {n}?"
        turn = {"role": "user", "content": question, "id": "1", "origin": "relayed"}
        started = perf_counter()
        memory.recall(question)
        between = perf_counter()
        memory.add([turn], session=f"chat {n}")
        took = {"recalled": (between - started) * 1e3, "written": (perf_counter() - between) * 1e3}
        for name, ask in lines.items():
            took[name] = await ask(f"thanks, ok {n}" if name == "gate_no" else question)
        for name, ms in took.items():
            best[name][place] = min(best[name][place], ms)
    return best


async def _watched(load: Load, clients: int, seconds: float, pid: int) -> list[int]:
    sizes: list[int] = []
    work = asyncio.ensure_future(load.run(clients, seconds))
    while not work.done():
        sizes.append(resident(pid))
        await asyncio.wait({work}, timeout=0.25)
    await work
    return sizes


def _figures(load: Load) -> dict[str, Any]:
    found: dict[str, Any] = {"requests": len(load.took), "errors": len(load.errors)}
    for name in ("first", "last"):
        times = [getattr(one, name) for one in load.took]
        found[f"{name}_p50_ms"] = round(at(times, 0.5), 2)
        found[f"{name}_p99_ms"] = round(at(times, 0.99), 2)
    return found
