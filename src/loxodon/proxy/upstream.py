"""The model's server behind the proxy: where requests go, and with which headers.

Requests and responses are httpx's; its own transport, which takes three times the processor for a
streamed reply, carries them only through a proxy of the system.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from selectors import EVENT_READ, DefaultSelector
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import quote, unquote_to_bytes, urlsplit
from urllib.request import getproxies, proxy_bypass

import httptools
import httpx

from loxodon.errors import UsageError
from loxodon.http.guard import is_loopback
from loxodon.proxy.requests import OURS

Headers = list[tuple[bytes, bytes]]

TIMEOUT = 600.0  # seconds without a byte from a server that has a request
_CONNECT = 10.0  # seconds to connect in
_KEEP_ALIVE = 4.0  # seconds: servers close their connections after five or more
_HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer "
    b"transfer-encoding upgrade".split()
)
_READABLE = (b"gzip", b"deflate", b"identity")  # encodings that a reply is read in
_KEYS = (b"authorization", b"api-key", b"x-api-key")
_PREFIX = "/v1"
_READ = 1 << 16  # bytes that are read at once


class Upstream:
    """One server; requests are never sent to another, and redirects are the client's to follow."""

    def __init__(self, url: str, key: str = "", timeout: float = TIMEOUT) -> None:
        self.base = _base_of(url)
        self._key = key
        name, _, password = urlsplit(url.strip()).netloc.rpartition("@")[0].partition(":")
        secret = unquote_to_bytes(name) + b":" + unquote_to_bytes(password)
        self._login = b"Basic " + b64encode(secret) if name or password else b""
        self._url = httpx.URL(self.base)
        host = self._url.host
        way = None
        if not is_loopback(host) and not proxy_bypass(host):  # which is for servers elsewhere
            way = getproxies().get(self._url.scheme) or getproxies().get("all")
        self._timeout = httpx.Timeout(timeout, connect=_CONNECT, pool=None).as_dict()
        self._transport: httpx.AsyncBaseTransport = Wire(timeout)
        if way:
            limits = httpx.Limits(keepalive_expiry=_KEEP_ALIVE)
            self._transport = httpx.AsyncHTTPTransport(proxy=way, limits=limits)

    def address(self, path: str, query: str) -> httpx.URL | None:
        """Where a request for `path` goes; None where it may go nowhere.

        Clients that were given an address without `/v1` leave it out: that is the same.
        """
        rest = path.removeprefix(_PREFIX) if f"{path}/".startswith(f"{_PREFIX}/") else path
        lowered = rest.lower().replace("%2e", ".").replace("%2f", "/").replace("%5c", "/")
        if ".." in lowered.replace("\\", "/").split("/"):
            return None
        whole = f"{urlsplit(self.base).path}{rest}" + (f"?{query}" if query else "")
        target = quote(whole.encode("latin-1", "replace"), safe="%/?:@!$&'()*+,;=-._~[]|")
        return self._url.copy_with(raw_path=target.encode())

    async def send(
        self,
        method: str,
        url: httpx.URL,
        headers: Headers,
        body: bytes | AsyncIterator[bytes],
        *,
        size: str | None = None,
        read: bool = False,
    ) -> httpx.Response:
        """Forward a request; an httpx.TransportError where there is no answer.

        `size` is the length of a body that is handed on as it comes, where it is known. `read` is
        for replies that will be read: no encoding is accepted that cannot be.
        """
        sent = self._headers(headers, read=read)
        if size is not None:
            sent.append((b"content-length", size.encode("latin-1")))
        more = {"timeout": self._timeout}
        request = httpx.Request(method, url, headers=sent, content=body, extensions=more)
        return await self._transport.handle_async_request(request)

    def _headers(self, given: Headers, *, read: bool) -> Headers:
        """The client's own headers; its key too, unless the proxy has one.

        A request of Anthropic's API, which names its version, has the key in another header.
        """
        found: Headers = []
        anthropics = False
        dropped = _HOP_BY_HOP | {b"host", b"content-length"} | _named_by_connection(given)
        for name, value in given:
            lower = name.lower()
            if lower in dropped or lower.startswith(OURS.encode()):
                continue
            if (self._key and lower in _KEYS) or (self._login and lower == b"authorization"):
                continue
            if read and lower == b"accept-encoding":
                kept = (one.strip() for one in value.split(b","))
                kept = (one for one in kept if one.partition(b";")[0].strip().lower() in _READABLE)
                value = b", ".join(kept) or b"identity"
            anthropics = anthropics or lower == b"anthropic-version"
            found.append((name, value))
        if self._key and anthropics:
            found.append((b"x-api-key", self._key.encode()))
        elif self._key and not self._login:
            found.append((b"authorization", b"Bearer " + self._key.encode()))
        if self._login:
            found.append((b"authorization", self._login))
        return found


def _base_of(url: str) -> str:
    """The address that stands for `/v1`, without name and password; UsageError for no address."""
    try:
        parts = urlsplit(url.strip())
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        base = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        httpx.URL(base)
    except (ValueError, httpx.InvalidURL):
        good = False
    if not good or parts.query or parts.fragment:
        # Not repeated: a key or a password may have been pasted here, or into the address.
        raise UsageError(
            "{name} is not a valid base URL",
            name="--upstream",
            hint="use the base URL, such as https://api.openai.com/v1",
        )
    return base + (parts.path.rstrip("/") or _PREFIX)


def decoded(data: bytes, headers: httpx.Headers) -> bytes:
    """The body of a reply unpacked; empty where it cannot be."""
    try:
        return httpx.Response(200, headers=headers, content=data).content
    except httpx.DecodingError:
        return b""


def returned_headers(received: httpx.Response) -> Headers:
    """The headers of a reply for the client."""
    given = received.headers.raw
    dropped = _HOP_BY_HOP | _named_by_connection(given)
    return [(name, value) for name, value in given if name.lower() not in dropped]


def _named_by_connection(given: Iterable[tuple[bytes, bytes]]) -> frozenset[bytes]:
    """Headers that a Connection header says are for this connection only."""
    values = (value for name, value in given if name.lower() == b"connection")
    return frozenset(one.strip().lower() for value in values for one in value.split(b","))


class Wire(httpx.AsyncBaseTransport):
    """Connections to one server, each for one request at a time, kept for the next."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._idle: dict[Connection, asyncio.TimerHandle] = {}  # and what closes it
        self._ssl: Any = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        connection = await self._connection(request.url)
        reply = _Reply(connection, self._timeout, self._release)
        try:
            await reply.ask(request)
        except BaseException:
            connection.writer.transport.abort()
            raise
        return httpx.Response(reply.status, headers=reply.headers, stream=reply)

    async def _connection(self, url: httpx.URL) -> Connection:
        while self._idle:
            connection, timer = self._idle.popitem()
            timer.cancel()
            if not connection.is_stale:
                return connection
            connection.writer.transport.abort()
        secure = url.scheme == "https"
        if secure and self._ssl is None:
            self._ssl = httpx.create_ssl_context()
        port = url.port or (443 if secure else 80)
        try:
            async with asyncio.timeout(_CONNECT):
                return Connection(
                    *await asyncio.open_connection(
                        url.host, port, ssl=self._ssl if secure else None, happy_eyeballs_delay=0.25
                    )
                )
        except TimeoutError as error:
            raise httpx.ConnectTimeout("no connection in time") from error
        except OSError as error:  # of TLS too
            raise httpx.ConnectError(str(error)) from error

    def _release(self, connection: Connection, *, reusable: bool) -> None:
        if reusable:
            later = asyncio.get_running_loop().call_later
            self._idle[connection] = later(_KEEP_ALIVE, self._close, connection)
        else:
            connection.writer.transport.abort()

    def _close(self, connection: Connection) -> None:
        del self._idle[connection]
        connection.writer.close()


class Connection(NamedTuple):
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def is_stale(self) -> bool:
        """Whether the server has hung up, also where the event loop has not heard of it yet."""
        if self.reader.at_eof() or self.writer.is_closing():
            return True
        with DefaultSelector() as selector:
            selector.register(self.writer.get_extra_info("socket"), EVENT_READ)
            return bool(selector.select(0))


class _Reply(httpx.AsyncByteStream):
    """What comes back on a connection for a request."""

    def __init__(
        self, connection: Connection, timeout: float, release: Callable[..., None]
    ) -> None:
        self._connection = connection
        self._timeout = timeout
        self._release = release
        self._parser = httptools.HttpResponseParser(self)
        self._body: list[bytes] = []
        self._complete = self._keeps_alive = self._has_length = self._closed = False
        self._written_at = monotonic()
        self.status = 0
        self.headers: Headers = []

    async def ask(self, request: httpx.Request) -> None:
        """Send the request, and wait for the head of the reply."""
        self._is_head = request.method == "HEAD"
        sending = asyncio.create_task(self._send(request))
        try:
            while not self.status:
                await self._read()
        finally:
            self._sent = sending.done()
            sending.cancel()  # a server that will not have a request answers early

    async def _send(self, request: httpx.Request) -> None:
        writer = self._connection.writer
        first = b"%b %b HTTP/1.1" % (request.method.encode(), request.url.raw_path)
        lines = (b"%b: %b" % one for one in request.headers.raw)
        data = b"\r\n".join((first, *lines, b"", b""))
        chunked = "transfer-encoding" in request.headers
        stream: Any = request.stream
        with suppress(OSError):  # which the reader sees too
            async for chunk in stream:
                if chunk:
                    framed = b"%x\r\n%b\r\n" % (len(chunk), chunk) if chunked else chunk
                    writer.write(data + framed)
                    data = b""
                    await writer.drain()
                self._written_at = monotonic()
            writer.write(data + (b"0\r\n\r\n" if chunked else b""))

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            if self._body:
                data = b"".join(self._body)
                self._body.clear()
                yield data
            if self._complete:
                return
            await self._read()

    async def aclose(self) -> None:
        if not self._closed:
            self._closed = True
            done = self._sent and self._complete and self._keeps_alive
            self._release(self._connection, reusable=done)

    async def _read(self) -> None:
        try:
            async with asyncio.timeout(self._timeout):
                data = await self._connection.reader.read(_READ)
        except TimeoutError:
            if monotonic() - self._written_at < self._timeout:
                return
            raise httpx.ReadTimeout(f"{self._timeout:g} s") from None
        except OSError as error:
            raise httpx.ReadError(str(error)) from error
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            raise httpx.RemoteProtocolError(str(error)) from error
        if not data and not self._complete:  # a reply without a length ends with the connection
            if not self.status or self._has_length:
                raise httpx.RemoteProtocolError("the connection was closed")
            self._complete = True

    # What the parser calls

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name, value))
        self._has_length |= name.lower() in (b"content-length", b"transfer-encoding")

    def on_headers_complete(self) -> None:
        if (status := self._parser.get_status_code()) < 200:  # the reply is yet to come
            self.headers.clear()
            return
        self.status = status
        self._keeps_alive = self._parser.should_keep_alive() and not self._is_head
        self._complete = self._is_head

    def on_body(self, body: bytes) -> None:
        self._body.append(body)

    def on_message_complete(self) -> None:
        self._complete = self.status > 0
