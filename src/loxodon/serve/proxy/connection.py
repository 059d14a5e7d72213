"""One connection to a server: a request goes out in one write, the answer comes as it is read.

HTTP/1.1 by h11, on asyncio's own streams. A general client has layers for what a proxy does not do
(redirects, cookies, pools that are shared), and writes a head and its body apart: together that
takes longer than all that the proxy does otherwise.
"""

from __future__ import annotations

import asyncio
import select
import ssl
from base64 import b64encode
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote_to_bytes, urlsplit

import h11

_CONNECT = 10.0
"""Seconds that a server may take to answer the telephone."""
_SECOND_TRY = 0.25
"""Seconds after which the next address of a name is tried as well."""
_LARGEST_HEAD = 100 << 10
_READ = 1 << 16
_PORTS = {"http": 80, "https": 443}

Headers = list[tuple[bytes, bytes]]


class UnansweredError(Exception):
    """A server that cannot be reached, breaks off, or does not speak HTTP; says why."""


class LateError(UnansweredError):
    """A server that took a request, and has said nothing for too long."""


class Way(NamedTuple):
    """How a server is reached."""

    host: str
    port: int
    trusted: ssl.SSLContext | None = None
    """Whose certificates are good; None without encryption."""
    through: str = ""
    """The address of the HTTP proxy in between, where there is one."""


def way_to(url: str, trusted: ssl.SSLContext | None, *, outside: bool) -> Way:
    """The way to a server; `outside` this machine it may lead through a company's proxy."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = parts.port or _PORTS[parts.scheme]
    return Way(host, port, trusted, _proxy_for(parts, port) if outside else "")


def _proxy_for(parts: SplitResult, port: int) -> str:
    """The proxy that the system has for an address; empty where it is reached directly."""
    from urllib.request import getproxies, proxy_bypass

    known = getproxies()
    found = known.get(parts.scheme) or known.get("all") or ""
    if not found or proxy_bypass(f"{parts.hostname}:{port}"):
        return ""
    return found if "://" in found else f"http://{found}"


class Connection:
    """A connection to one server, for one request at a time."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, patience: float
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._patience = patience
        self._wire = h11.Connection(h11.CLIENT, _LARGEST_HEAD)

    @classmethod
    async def to(cls, way: Way, patience: float) -> Connection:
        """A new connection; it waits for data no longer than `patience` seconds."""
        try:
            async with asyncio.timeout(_CONNECT):
                return cls(*await _opened(way), patience)
        except TimeoutError:  # which is no LateError: nothing was asked yet
            raise UnansweredError("it does not accept the connection") from None
        except (OSError, UnicodeError, h11.ProtocolError) as error:
            raise UnansweredError(str(error) or type(error).__name__) from None

    async def ask(
        self,
        method: str,
        target: str,
        headers: Iterable[tuple[bytes, bytes]],
        body: bytes | AsyncIterator[bytes],
    ) -> h11.Response:
        """Send a request; the head of the answer."""
        asked = h11.Request(method=method, target=_ascii(target), headers=list(headers))
        with _explained():
            head = self._wire.send(asked) or b""
            if isinstance(body, bytes):
                await self._write(head + self._framed(body) + self._framed(None))
            else:
                await self._write(head)
                async for chunk in body:
                    await self._write(self._framed(chunk))
                await self._write(self._framed(None))
            while not isinstance(event := await self._event(), h11.Response):
                pass  # 100, 103: the real one follows
        return event

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body of the answer, as it comes."""
        while True:
            with _explained():
                event = await self._event()
            if isinstance(event, h11.EndOfMessage):
                return
            if isinstance(event, h11.Data):
                yield bytes(event.data)

    def renewed(self) -> bool:
        """Make it ready for another request, or close it where that cannot be."""
        with suppress(h11.ProtocolError):
            self._wire.start_next_cycle()
            if self.alive:
                return True
        self.close()
        return False

    @property
    def alive(self) -> bool:
        """Whether the server has not closed it meanwhile."""
        if self._reader.at_eof() or self._writer.is_closing():
            return False
        if not hasattr(select, "poll"):  # Windows: the event loop comes to know of it in time
            return True
        look = select.poll()  # that it was closed a moment ago has not come to the event loop yet
        look.register(self._writer.get_extra_info("socket"), select.POLLIN)
        return not look.poll(0)

    def close(self) -> None:
        """Let go of it at once, whatever is under way."""
        self._writer.transport.abort()

    def _framed(self, chunk: bytes | None) -> bytes:
        """Bytes of a body as they go over the wire; None for its end."""
        part = h11.EndOfMessage() if chunk is None else h11.Data(data=chunk)
        return self._wire.send(part) or b""

    async def _write(self, data: bytes) -> None:
        self._writer.write(data)
        with suppress(ConnectionError):  # it may have answered before it hung up
            async with asyncio.timeout(self._patience):
                await self._writer.drain()

    async def _event(self) -> object:
        while (event := self._wire.next_event()) is h11.NEED_DATA:
            async with asyncio.timeout(self._patience):
                self._wire.receive_data(await self._reader.read(_READ))
        if isinstance(event, h11.ConnectionClosed):
            raise h11.RemoteProtocolError("the connection was closed without an answer")
        return event


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise LateError("no data came") from None
    except (OSError, h11.ProtocolError) as error:
        raise UnansweredError(str(error) or type(error).__name__) from None


def _ascii(target: str) -> bytes:
    """What stands in a request line, without what cannot stand there."""
    return quote(target.encode("latin-1", "replace"), safe="%/?:@!$&'()*+,;=-._~[]|").encode()


async def _opened(way: Way) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if not way.through:
        name = way.host if way.trusted else None
        return await _streams(way.host, way.port, way.trusted, name)
    parts = urlsplit(way.through)
    if parts.scheme not in _PORTS:
        raise OSError(f"a proxy of the kind {parts.scheme} is not supported")
    port = parts.port or _PORTS[parts.scheme]
    first = way.trusted if parts.scheme == "https" else None
    reader, writer = await _streams(parts.hostname or "", port, first, None)
    if way.trusted:
        try:
            await _tunnel(reader, writer, way)
            await writer.start_tls(way.trusted, server_hostname=way.host)
        except BaseException:
            writer.transport.abort()
            raise
    return reader, writer


async def _streams(
    host: str, port: int, trusted: ssl.SSLContext | None, name: str | None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection(
        host, port, ssl=trusted, server_hostname=name, happy_eyeballs_delay=_SECOND_TRY
    )


async def _tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: Way) -> None:
    """Have a proxy connect us to the server."""
    place = f"{way.host}:{way.port}".encode()
    wire = h11.Connection(h11.CLIENT, _LARGEST_HEAD)
    asked = h11.Request(method="CONNECT", target=place, headers=[(b"host", place), *login(way)])
    writer.write((wire.send(asked) or b"") + (wire.send(h11.EndOfMessage()) or b""))
    while (event := wire.next_event()) is h11.NEED_DATA:
        wire.receive_data(await reader.read(_READ))
    status = event.status_code if isinstance(event, h11.Response) else 0
    if not 200 <= status < 300:
        raise OSError(f"the proxy answered {status} to CONNECT")


def login(way: Way) -> Headers:
    """The header for the name and password of the proxy in between."""
    found = basic(way.through)
    return [(b"proxy-authorization", found)] if found else []


def basic(url: str) -> bytes:
    """The value of a header for the name and password in an address; empty where it has none."""
    name, _, password = urlsplit(url.strip()).netloc.rpartition("@")[0].partition(":")
    if not name and not password:
        return b""
    return b"Basic " + b64encode(unquote_to_bytes(name) + b":" + unquote_to_bytes(password))
