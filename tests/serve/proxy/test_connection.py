"""A connection to servers that answer well, oddly, late or not at all, on the loopback."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest

from loxodon.serve.proxy.connection import (
    Connection,
    LateError,
    UnansweredError,
    Way,
    login,
    way_to,
)
from loxodon.serve.proxy.upstream import Upstream

Answering = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


@asynccontextmanager
async def server(answer: Answering, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server on the loopback; its port."""

    async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(reader, writer)
        finally:
            writer.close()

    running = await asyncio.start_server(answered, "127.0.0.1", 0, ssl=tls)
    async with running:
        yield running.sockets[0].getsockname()[1]


def says(answer: bytes) -> Answering:
    async def scene(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1 << 16)
        writer.write(answer)

    return scene


async def asked(way: Way, patience: float = 60) -> bytes:
    connection = await Connection.to(way, patience)
    try:
        await connection.ask("POST", "/v1", [(b"host", b"a"), (b"content-length", b"2")], b"hi")
        return b"".join([chunk async for chunk in connection.chunks()])
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (OK, b"ok"),
        (b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" + OK, b"ok"),
        (
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n",
            b"ok",
        ),
        (b"HTTP/1.0 200 OK\r\n\r\nuntil the end", b"until the end"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
    ],
)
def test_answers_in_every_form(answer: bytes, body: bytes) -> None:
    async def run() -> bytes:
        async with server(says(answer)) as port:
            return await asked(Way("127.0.0.1", port))

    assert asyncio.run(run()) == body


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        b"HTTP/1.1 200 OK\r\nx: " + b"x" * 200_000,
    ],
)
def test_what_is_no_whole_answer_is_none(answer: bytes) -> None:
    async def run() -> None:
        async with server(says(answer)) as port:
            await asked(Way("127.0.0.1", port))

    with pytest.raises(UnansweredError):
        asyncio.run(run())


def test_silence_is_late_and_a_closed_door_is_not() -> None:
    async def run() -> None:
        hushed = asyncio.Event()

        async def hush(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await hushed.wait()

        async with server(hush) as port:
            with pytest.raises(LateError):
                await asked(Way("127.0.0.1", port), 0.01)
            hushed.set()
        with pytest.raises(UnansweredError) as closed:
            await asked(Way("127.0.0.1", port))
        assert not isinstance(closed.value, LateError)

    asyncio.run(run())


def test_a_request_goes_out_in_one_write_and_connections_are_used_again() -> None:
    async def run() -> None:
        got: list[bytes] = []
        lines = 0

        async def keep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal lines
            lines += 1
            while data := await reader.read(1 << 16):
                got.append(data)
                writer.write(OK)

        async with server(keep) as port:
            upstream = Upstream(f"http://127.0.0.1:{port}/v1")
            for _ in range(3):
                url = upstream.address("/v1/chat/completions", "a=1") or ""
                found = await upstream.send("POST", url, [(b"x-a", b"1")], b"{}")
                assert await found.whole() == b"ok"
                found.close()
            unread = await upstream.send("POST", url, [], b"{}")
            unread.close()  # what was not read to its end is not used again
            last = await upstream.send("POST", url, [], b"{}")
            last.close()
        assert lines == 2
        assert got[0].startswith(b"POST /v1/chat/completions?a=1 HTTP/1.1\r\n")
        assert got[0].endswith(b"\r\n\r\n{}")
        assert len(got) == 5

    asyncio.run(run())


def test_a_connection_that_the_server_closed_is_not_used_again() -> None:
    async def run() -> None:
        async with server(says(OK)) as port:  # which closes each without a word
            upstream = Upstream(f"http://127.0.0.1:{port}")
            for _ in range(5):
                found = await upstream.send("GET", upstream.address("/models", "") or "", [], b"")
                assert await found.whole() == b"ok"
                found.close()
                while any(one.alive for _, one in upstream._idle):
                    await asyncio.sleep(0)

    asyncio.run(run())


def test_the_way_outside_is_the_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://me:pass@company:3128")
    monkeypatch.setenv("no_proxy", "inside.example")
    through = way_to("https://api.example/v1", ssl.create_default_context(), outside=True)
    assert (through.host, through.port) == ("api.example", 443)
    assert through.through == "http://me:pass@company:3128"
    assert login(through) == [(b"proxy-authorization", b"Basic bWU6cGFzcw==")]
    assert way_to("https://inside.example/v1", None, outside=True).through == ""
    assert way_to("https://api.example:8443", None, outside=False) == Way("api.example", 8443)


def certificate(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's certificate for 127.0.0.1, and what trusts it."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    pem = made.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / "server.pem"
    path.write_bytes(secret + pem)
    serves = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serves.load_cert_chain(path)
    return serves, ssl.create_default_context(cadata=pem.decode())


def test_a_server_behind_a_proxy_is_reached_through_a_tunnel(tmp_path: Path) -> None:
    serves, trusts = certificate(tmp_path)

    async def run() -> None:
        heads: list[bytes] = []

        async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            heads.append(await reader.readuntil(b"\r\n\r\n"))
            if b"proxy-authorization" not in heads[-1].lower():
                writer.write(b"HTTP/1.1 407 Who are you\r\ncontent-length: 0\r\n\r\n")
                return
            far, away = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            await asyncio.gather(carry(reader, away), carry(far, writer))

        async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while data := await reader.read(1 << 16):
                writer.write(data)
            writer.close()

        async with server(says(OK), serves) as port, server(tunnel) as company:
            way = Way("127.0.0.1", port, trusts, f"http://me:pass@127.0.0.1:{company}")
            assert await asked(way) == b"ok"
            assert heads[0].startswith(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\n" % port)
            with pytest.raises(UnansweredError, match="407"):
                await asked(way._replace(through=f"http://127.0.0.1:{company}"))
            with pytest.raises(UnansweredError):  # a certificate that nobody vouches for
                await asked(Way("127.0.0.1", port, ssl.create_default_context()))

    asyncio.run(run())


def test_a_proxy_that_is_not_tunnelled_through_is_told_where_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def run() -> None:
        got: list[bytes] = []

        async def hears(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            got.append(await reader.read(1 << 16))
            writer.write(OK)

        async with server(hears) as company:
            monkeypatch.setenv("http_proxy", f"http://me:pass@127.0.0.1:{company}")
            upstream = Upstream("http://api.example/v1")
            found = await upstream.send("GET", upstream.address("/models", "") or "", [], b"")
            assert await found.whole() == b"ok"
            found.close()
        assert got[0].startswith(b"GET http://api.example/v1/models HTTP/1.1\r\n")
        assert b"proxy-authorization: basic" in got[0].lower()

    asyncio.run(run())
