"""What a client has seen is on disk: the proxy is killed the moment after, and the journal read."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from loxodon import Memory
from loxodon.serve.host import Host
from loxodon.serve.proxy.keeping import Keeping
from loxodon.serve.proxy.remember import Remembering
from loxodon.serve.proxy.requests import read
from loxodon.serve.proxy.speaking import Who
from tests.serve.proxy.conftest import Proxy, started
from tests.serve.proxy.upstream import Handler, Stage, deltas, message_events, says, streams, waits

QUESTION = "My sister Mei studies in Osaka"
CHAT = {"model": "test", "messages": [{"role": "user", "content": QUESTION}]}
RESPONSE = {"model": "test", "input": QUESTION}
MESSAGE = {**CHAT, "max_tokens": 99}


def journalled(home: Path) -> list[tuple[str, str]]:
    with Memory.open(home) as memory:
        return [(turn.role, turn.content) for turn in memory.journal()]


def killed_after(
    home: Path, upstream: Stage, path: str, sent: dict[str, Any], enough: Callable[[bytes], bool]
) -> bytes:
    """Ask a proxy, and kill it as soon as what came back is enough; what came back."""
    body = json.dumps(sent).encode()
    with started(home, upstream.url) as proxy:
        at = urlsplit(proxy.url)
        with socket.create_connection((at.hostname or "", at.port or 0), 60) as line:
            line.sendall(
                b"POST /v1/%b HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
                b"content-length: %d\r\n\r\n%b" % (path.encode(), len(body), body)
            )
            came = b""
            while not enough(came):
                more = line.recv(1)
                assert more, came
                came += more
            proxy.process.kill()
            proxy.process.wait()
    return came


@pytest.mark.parametrize(
    ("path", "events"),
    [
        ("chat/completions", deltas("late")),
        ("messages", message_events([{"type": "text", "text": "late"}])),
    ],
)
def test_what_was_said_is_on_disk_with_the_first_byte_of_the_reply(
    tmp_path: Path, upstream: Stage, path: str, events: list[bytes]
) -> None:
    upstream.play(streams([events[0], waits, *events[1:]]))
    killed_after(tmp_path / "home", upstream, path, {**MESSAGE, "stream": True}, bool)
    assert journalled(tmp_path / "home") == [("user", QUESTION)]


def test_what_goes_on_with_a_conversation_is_on_disk_while_the_upstream_works(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    first, second = QUESTION, "And her dog is called Biscuit"
    messages = [
        {"role": "user", "content": first},
        {"role": "assistant", "content": "ok"},
        {"role": "user", "content": second},
    ]
    client.post("/chat/completions", json={"messages": messages[:1]})

    def asks(handler: Handler) -> None:
        assert [turn.content for turn in proxy.journal(space, 3)] == [first, "ok", second]
        says("ok, noted")(handler)

    upstream.play(asks)
    assert client.post("/chat/completions", json={"messages": messages}).status_code == 200


@pytest.mark.parametrize(
    ("path", "sent", "last"),
    [
        ("chat/completions", {**CHAT, "stream": True}, b"data: [DONE]"),
        ("chat/completions", CHAT, b'"finish_reason": "stop"}]}'),
        ("responses", {**RESPONSE, "stream": True}, b'"response.completed"'),
        ("responses", RESPONSE, b'"tools": []}'),
        ("messages", {**MESSAGE, "stream": True}, b"event: message_stop"),
        ("messages", MESSAGE, b'"output_tokens": 3}}'),
    ],
)
def test_the_reply_is_on_disk_with_its_last_byte(
    tmp_path: Path, upstream: Stage, path: str, sent: dict[str, Any], last: bytes
) -> None:
    upstream.play(says("She |has told me."))
    killed_after(tmp_path / "home", upstream, path, sent, lambda came: last in came)
    said = "She has told me." if sent.get("stream") and path[0] == "c" else "She |has told me."
    assert journalled(tmp_path / "home") == [("user", QUESTION), ("assistant", said)]


def test_a_journal_that_hangs_keeps_nobody_waiting_for_long(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home") as memory:
        memory.capture("The user's dog is called Biscuit")

    async def run() -> list[tuple[str, str]]:
        with Host(tmp_path / "home") as recalling, Host(tmp_path / "home", threads=1) as journal:
            began, release = Event(), Event()

            def hang(memory: Memory) -> None:
                began.set()
                release.wait(60)

            stuck = asyncio.create_task(journal.call("main", hang))
            await asyncio.to_thread(began.wait, 60)
            remembering = Remembering(recalling, journal, limit=0.02)
            asked = read("chat", json.dumps(CHAT).encode())
            assert asked is not None
            exchange = await remembering.prepared(asked, Who("main"))
            assert exchange is not None
            keeping: Keeping = remembering.keeping(exchange)
            await keeping.heard()
            keeping.take(b'{"choices": [{"message": {"content": "Noted"}}]}')
            await keeping.replied({})
            assert "added" not in exchange.about  # both came back while nothing could be written
            release.set()
            await stuck
            await keeping.ended({})
        return [one for one in journalled(tmp_path / "home") if "Biscuit" not in one[1]]

    assert asyncio.run(run()) == [("user", QUESTION), ("assistant", "Noted")]
