"""The model's server behind the proxy: where requests go, and with which headers."""

from __future__ import annotations

from urllib.parse import quote, urlsplit
from urllib.request import getproxies, proxy_bypass

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


class Upstream:
    """One server; requests are never sent to another, and redirects are the client's to follow."""

    def __init__(self, url: str, key: str = "", timeout: float = TIMEOUT) -> None:
        self.base = _base_of(url)
        self._key = key.encode()
        self._url = httpx.URL(self.base)
        way = None
        if not is_loopback(self._url.host) and not proxy_bypass(self._url.host):
            way = getproxies().get(self._url.scheme) or getproxies().get("all")
        self._timeout = httpx.Timeout(timeout, connect=_CONNECT, pool=None).as_dict()
        # Without a client around them, which would follow, decode and add headers.
        pooled = httpx.Limits(keepalive_expiry=_KEEP_ALIVE)
        fresh = httpx.Limits(max_keepalive_connections=0)
        self._transport = httpx.AsyncHTTPTransport(proxy=way, limits=pooled)
        self._unpooled = httpx.AsyncHTTPTransport(proxy=way, limits=fresh)

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
        self, method: str, url: httpx.URL, headers: Headers, body: bytes, *, read: bool = False
    ) -> httpx.Response:
        """Forward a request; an httpx.TransportError where there is no answer.

        `read` is for replies that will be read: no encoding is accepted that cannot be.
        """
        sent = self._headers(headers, read=read)
        if not body and any(name.lower() == b"content-length" for name, _ in headers):
            sent.append((b"content-length", b"0"))  # which httpx leaves out
        connected = False

        async def trace(event: str, info: object) -> None:
            nonlocal connected
            connected = connected or event.startswith("connection.connect")

        more = {"timeout": self._timeout, "trace": trace}
        request = httpx.Request(method, url, headers=sent, content=body, extensions=more)
        try:
            return await self._transport.handle_async_request(request)
        except (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError):
            if connected:
                raise
        # The other side had closed a connection that was kept open, before it read the request.
        return await self._unpooled.handle_async_request(request)

    def _headers(self, given: Headers, *, read: bool) -> Headers:
        """The client's own headers; its key too, unless the proxy has one.

        A request of Anthropic's API, which names its version, has the key in another header.
        """
        found: Headers = []
        dropped = (b"host", b"content-length", *(_KEYS if self._key else ()))
        for name, value in end_to_end(given):
            lower = name.lower()
            if lower in dropped or lower.startswith(OURS.encode()):
                continue
            if read and lower == b"accept-encoding":
                kept = (one.strip() for one in value.split(b","))
                kept = (one for one in kept if one.partition(b";")[0].strip().lower() in _READABLE)
                value = b", ".join(kept) or b"identity"
            found.append((name, value))
        if self._key:
            anthropic = any(name.lower() == b"anthropic-version" for name, _ in given)
            bearer = (b"authorization", b"Bearer " + self._key)
            found.append((b"x-api-key", self._key) if anthropic else bearer)
        return found


def _base_of(url: str) -> str:
    """The address that stands for `/v1`; UsageError for what is none."""
    try:
        parts = urlsplit(url.strip())
        httpx.URL(f"{parts.scheme}://{parts.netloc}")
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except (ValueError, httpx.InvalidURL):
        good = False
    if not good or parts.username or parts.password or parts.query or parts.fragment:
        # Not repeated: a key or a password may have been pasted here, or into the address.
        hint = "use the base URL, such as https://api.openai.com/v1"
        raise UsageError("{name} is not a valid base URL", name="--upstream", hint=hint)
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/') or _PREFIX}"


def decoded(data: bytes, headers: httpx.Headers) -> bytes:
    """The body of a reply unpacked; empty where it cannot be."""
    try:
        return httpx.Response(200, headers=headers, content=data).content
    except httpx.DecodingError:
        return b""


def end_to_end(given: Headers) -> Headers:
    """Headers without those for one connection only, of which a Connection header names some."""
    values = (value for name, value in given if name.lower() == b"connection")
    dropped = _HOP_BY_HOP | {one.strip().lower() for value in values for one in value.split(b",")}
    return [(name, value) for name, value in given if name.lower() not in dropped]
