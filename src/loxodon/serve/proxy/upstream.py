"""The model's server behind the proxy: where requests go, with which headers, and what fails."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from loxodon.errors import ConfigError, UsageError, install_hint
from loxodon.serve.http.guard import is_loopback
from loxodon.serve.proxy.connection import Connection, Headers, basic, login, way_to
from loxodon.serve.proxy.gather import READABLE
from loxodon.serve.proxy.speaking import OURS

if TYPE_CHECKING:
    import h11

TIMEOUT = 600.0
_IDLE = 4.0
"""Seconds for which a connection is kept: servers close theirs after five or more."""
_HOP_BY_HOP = frozenset(
    (
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    )
)
_PREFIX = "/v1"

_BODILESS = ("GET", "HEAD", "OPTIONS", "DELETE")
"""Methods that are sent without a length where they have no body."""


def need_httpx() -> Any:
    """httpx, which the extra `serve` brings."""
    try:
        import httpx
    except ImportError as error:
        raise ConfigError(
            "the server needs {module}, which cannot be imported: {reason}",
            hint=install_hint(),
            extra="serve",
            module="httpx",
            reason=error,
        ) from None
    return httpx


def base_of(url: str) -> str:
    """The address that stands for `/v1`: as one gives it to a client; UsageError for no address.

    Without the name and password that may stand in it (`basic`), so that nothing tells them.
    """
    try:
        parts = urlsplit(url.strip())
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment:
        # Not repeated: a key or a password may have been pasted here, or into the address.
        raise UsageError(
            "{name} is not a valid base URL",
            name="--upstream",
            hint="use the base URL, such as https://api.openai.com/v1",
        )
    path = parts.path.rstrip("/") or _PREFIX
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{path}"


def address(base: str, path: str, query: str) -> str | None:
    """Where a request for `path` goes; None where it may go nowhere.

    Clients that were given an address without `/v1` leave it out: that is the same.
    """
    rest = path.removeprefix(_PREFIX) if f"{path}/".startswith(f"{_PREFIX}/") else path
    lowered = rest.lower().replace("%2e", ".").replace("%2f", "/").replace("%5c", "/")
    if ".." in lowered.replace("\\", "/").split("/"):
        return None
    return f"{base}{rest}" + (f"?{query}" if query else "")


def sent_headers(given: Iterable[tuple[bytes, bytes]], key: str, *, read: bool) -> Headers:
    """The client's own headers for the upstream; its key too, unless the proxy has one.

    A request of Anthropic's API, which names its version, has the key in another header.

    `read` is for replies that will be read: no encoding is accepted that cannot be.
    """
    found: Headers = []
    anthropics = False
    dropped = _HOP_BY_HOP | {b"host", b"content-length"} | _named_by_connection(given)
    for name, value in given:
        lower = name.lower()
        if lower in dropped or lower.startswith(OURS.encode()):
            continue
        if key and lower in (b"authorization", b"api-key", b"x-api-key"):
            continue
        if read and lower == b"accept-encoding":
            value = _accepted(value)
        anthropics = anthropics or lower == b"anthropic-version"
        found.append((name, value))
    if key and anthropics:
        found.append((b"x-api-key", key.encode()))
    elif key:
        found.append((b"authorization", b"Bearer " + key.encode()))
    return found


def _accepted(value: bytes) -> bytes:
    kept = [one.strip() for one in value.decode("latin-1").split(",")]
    kept = [one for one in kept if one.partition(";")[0].strip().lower() in READABLE]
    return ", ".join(kept).encode("latin-1") or b"identity"


def returned_headers(given: Iterable[tuple[bytes, bytes]]) -> Headers:
    """The upstream's headers for the client."""
    given = list(given)
    dropped = _HOP_BY_HOP | _named_by_connection(given)
    return [(name, value) for name, value in given if name.lower() not in dropped]


def _named_by_connection(given: Iterable[tuple[bytes, bytes]]) -> frozenset[bytes]:
    """Headers that a Connection header says are for this connection only."""
    values = (value for name, value in given if name.lower() == b"connection")
    return frozenset(one.strip().lower() for value in values for one in value.split(b","))


class Received:
    """The upstream's answer, of which only the head has been read. Whoever has it closes it."""

    def __init__(
        self, response: h11.Response, connection: Connection, done: Callable[[Connection], None]
    ) -> None:
        self.status = response.status_code
        self.raw: Headers = response.headers.raw_items()
        self.headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in response.headers
        }
        """By lower-case name; the last where one is given twice."""
        self._connection = connection
        self._done = done
        self._whole: bytes | None = None

    async def chunks(self) -> AsyncIterator[bytes]:
        """Its body as it is on the wire, as it comes."""
        if self._whole is not None:
            yield self._whole
            return
        async for chunk in self._connection.chunks():
            yield chunk

    async def whole(self) -> bytes:
        """All of its body, as it is on the wire; it can still be handed on."""
        self._whole = b"".join([chunk async for chunk in self.chunks()])
        return self._whole

    def close(self) -> None:
        """Let go of it; what has not come yet will not."""
        self._done(self._connection)


class Upstream:
    """Connections to one server, each taken by one request at a time."""

    def __init__(self, url: str, key: str = "", timeout: float = TIMEOUT) -> None:
        self.base = base_of(url)
        self._key = key
        self._login = basic(url)
        self._timeout = timeout
        parts = urlsplit(self.base)
        self._host = parts.netloc.encode("idna" if not parts.netloc.isascii() else "ascii")
        trusted = need_httpx().create_ssl_context() if parts.scheme == "https" else None
        # The way through a company's proxy is for servers elsewhere, not for this machine.
        self._way = way_to(self.base, trusted, outside=not is_loopback(parts.hostname or ""))
        self._idle: deque[tuple[float, Connection]] = deque()

    def address(self, path: str, query: str) -> str | None:
        """Where a request goes; None where it may go nowhere."""
        return address(self.base, path, query)

    async def send(
        self,
        method: str,
        url: str,
        headers: Iterable[tuple[bytes, bytes]],
        body: bytes | AsyncIterator[bytes],
        *,
        size: bytes | None = None,
        read: bool = False,
    ) -> Received:
        """Forward a request.

        `size` is the length of a body that is handed on as it comes, where it is known. An
        UnansweredError where there is no answer.
        """
        sent = [(b"host", self._host), *sent_headers(list(headers), self._key, read=read)]
        if self._login:
            sent = [one for one in sent if one[0].lower() != b"authorization"]
            sent.append((b"authorization", self._login))
        if isinstance(body, bytes) and (body or method not in _BODILESS):
            size = str(len(body)).encode()
        if size is not None:
            sent.append((b"content-length", size))
        elif not isinstance(body, bytes):
            sent.append((b"transfer-encoding", b"chunked"))
        target = url
        if self._way.trusted or not self._way.through:
            parts = urlsplit(url)
            target = parts.path + (f"?{parts.query}" if parts.query else "")
        else:  # a proxy that is not tunnelled through is told where to
            sent += login(self._way)
        connection = self._kept() or await Connection.to(self._way, self._timeout)
        try:
            response = await connection.ask(method, target, sent, body)
        except BaseException:  # also when the client hangs up
            connection.close()
            raise
        return Received(response, connection, self._keep)

    def _kept(self) -> Connection | None:
        """A connection that is open still; those that nobody has needed are closed."""
        now = monotonic()
        while self._idle and now - self._idle[0][0] > _IDLE:
            self._idle.popleft()[1].close()
        while self._idle:
            found = self._idle.pop()[1]
            if found.alive:
                return found
            found.close()
        return None

    def _keep(self, connection: Connection) -> None:
        """Keep a connection for the next request, where all of the answer was read."""
        if connection.renewed():
            self._idle.append((monotonic(), connection))
