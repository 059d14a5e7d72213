"""The model's server behind the proxy: where requests go, and with which headers."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncIterator, Iterable
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.parse import quote, unquote_to_bytes, urlsplit

import httpx

from loxodon.errors import UsageError
from loxodon.http.guard import is_loopback
from loxodon.proxy.replies import READABLE
from loxodon.proxy.requests import OURS

Headers = list[tuple[bytes, bytes]]

TIMEOUT = 600.0  # seconds without a byte from a server that has a request
_CONNECT = 10.0  # seconds to connect in
_KEEP_ALIVE = 4.0  # seconds: servers close their connections after five or more
_HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer "
    b"transfer-encoding upgrade".split()
)
_KEYS = (b"authorization", b"api-key", b"x-api-key")
_PREFIX = "/v1"


class Received:
    """The upstream's answer, of which only the head has been read. Whoever has it closes it."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._whole: bytes | None = None
        self.status = response.status_code
        self.headers = response.headers
        self.close = response.aclose

    async def chunks(self) -> AsyncIterator[bytes]:
        """Its body as it is on the wire, as it comes."""
        if self._whole is not None:
            yield self._whole
            return
        async for chunk in self._response.aiter_raw():
            yield chunk

    async def whole(self) -> bytes:
        """All of its body, as it is on the wire; it can still be handed on."""
        self._whole = b"".join([chunk async for chunk in self.chunks()])
        return self._whole

    def returned_headers(self) -> Headers:
        """The headers for the client."""
        given = self.headers.raw
        dropped = _HOP_BY_HOP | _named_by_connection(given)
        return [(name, value) for name, value in given if name.lower() not in dropped]


class Upstream:
    """One server; requests are never sent to another, and redirects are the client's to follow."""

    def __init__(self, url: str, key: str = "", timeout: float = TIMEOUT) -> None:
        self.base = _base_of(url)
        self._key = key
        name, _, password = urlsplit(url.strip()).netloc.rpartition("@")[0].partition(":")
        secret = unquote_to_bytes(name) + b":" + unquote_to_bytes(password)
        self._login = b"Basic " + b64encode(secret) if name or password else b""
        self._url = httpx.URL(self.base)
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(timeout, connect=_CONNECT, pool=None),
            limits=httpx.Limits(keepalive_expiry=_KEEP_ALIVE),
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # none is kept
            # A company's proxy is for servers elsewhere, not for this machine.
            trust_env=not is_loopback(self._url.host),
        )

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
    ) -> Received:
        """Forward a request; an httpx.TransportError where there is no answer.

        `size` is the length of a body that is handed on as it comes, where it is known. `read` is
        for replies that will be read: no encoding is accepted that cannot be.
        """
        sent = self._headers(headers, read=read)
        if size is not None:
            sent.append((b"content-length", size.encode("latin-1")))
        request = httpx.Request(method, url, headers=sent, content=body)
        return Received(await self._client.send(request, stream=True))

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
                value = _readable(value)
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


def _readable(accepted: bytes) -> bytes:
    kept = [one.strip() for one in accepted.decode("latin-1").split(",")]
    kept = [one for one in kept if one.partition(";")[0].strip().lower() in READABLE]
    return ", ".join(kept).encode("latin-1") or b"identity"


def _named_by_connection(given: Iterable[tuple[bytes, bytes]]) -> frozenset[bytes]:
    """Headers that a Connection header says are for this connection only."""
    values = (value for name, value in given if name.lower() == b"connection")
    return frozenset(one.strip().lower() for value in values for one in value.split(b","))
