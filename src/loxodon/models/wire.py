"""One HTTP exchange with a model's server, with the standard library only.

Whatever the server does ends in an `Answer` or in one of two errors: within the time limit, within
a size limit, without following anything to another address, and without the key or the words that
were sent in any message. Proxies of the environment are not used.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Event, Timer
from typing import NamedTuple
from urllib.parse import urlsplit

from loxodon.errors import BadReplyError, UnreachableModelError

MOST_BYTES = 2 * 1024 * 1024
"""More than this is no answer to what we ask."""
_CHUNK = 64 * 1024
_PATH = "/chat/completions"


class Answer(NamedTuple):
    status: int
    body: bytes
    streamed: bool
    """It came as server-sent events, though nobody asked for that."""
    retry_after: float | None
    """Seconds the server asks us to wait."""


def post(
    base_url: str,
    key: str,
    body: Mapping[str, object],
    timeout: float,
    path: str = _PATH,
    most: int = MOST_BYTES,
    section: str = "model",
) -> Answer:
    """Send `body` to the endpoint `path` below `base_url`; its answer, whatever the status.

    An answer has at most `most` bytes. `section` is where the settings of the server are.
    """
    connection, path, headers = line_to(base_url, key, timeout, path)
    late = Event()
    delivered = False
    try:
        connection.connect()
        watch = Timer(timeout, hang_up, (connection.sock, late))
        watch.daemon = True
        watch.start()
        try:
            connection.request("POST", path, json.dumps(body).encode(), headers)
            delivered = True
            answer = _read(connection.getresponse(), most, section)
        finally:
            watch.cancel()
    except (OSError, HTTPException, UnicodeError) as error:  # the last: a host that cannot be one
        if late.is_set() or isinstance(error, TimeoutError):
            raise too_late(timeout, delivered, section) from None
        raise unreached(error, delivered, section) from None
    finally:
        connection.close()
    if late.is_set():  # hung up on, a body without a length looks like a whole one
        raise too_late(timeout, delivered, section)
    return answer


def line_to(
    base_url: str, key: str, timeout: float, path: str = _PATH
) -> tuple[HTTPConnection, str, dict[str, str]]:
    """A connection that is not made yet, the whole path, and the headers of a request."""
    parts = urlsplit(base_url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    whole = parts.path.rstrip("/").removesuffix(path) + path
    return kind(parts.hostname or "", parts.port, timeout=timeout), whole, headers


def hang_up(line: socket.socket, late: Event) -> None:
    """End an exchange whose time is over, however slowly the server drips."""
    late.set()
    try:
        # The plain shutdown, also of an encrypted line: the other thread may be reading it.
        socket.socket.shutdown(line, socket.SHUT_RDWR)
    except OSError:
        return  # the other side was faster


def _read(response: HTTPResponse, most: int, section: str) -> Answer:
    pieces = []
    size = 0
    while piece := response.read1(_CHUNK):
        size += len(piece)
        if size > most:
            raise BadReplyError(
                "the model's answer is longer than {most} bytes",
                hint="check that {section}.base_url points to a model",
                most=most,
                section=section,
            )
        pieces.append(piece)
    streamed = response.headers.get_content_type() == "text/event-stream"
    return Answer(response.status, b"".join(pieces), streamed, retry_after(response))


def retry_after(response: HTTPResponse) -> float | None:
    """Seconds from now, whether given as a number or as a date by the server's own clock."""
    text = (response.headers.get("Retry-After") or "").strip()
    if text.isascii() and text.isdecimal() and len(text) < 10:
        return float(text)
    try:
        then = parsedate_to_datetime(text)
        return max(0.0, (then - parsedate_to_datetime(response.headers["Date"])).total_seconds())
    except (TypeError, ValueError, IndexError, OverflowError):  # none, or nonsense
        return None


def too_late(timeout: float, delivered: bool, section: str) -> UnreachableModelError:
    """The error for a server that took too long."""
    return UnreachableModelError(
        "the model did not answer within {timeout} seconds",
        hint="if it is overloaded, raise the timeout with `loxodon config {section}.timeout`",
        section=section,
        timeout=f"{timeout:g}",
        delivered=delivered,
    )


def unreached(error: Exception, delivered: bool, section: str) -> UnreachableModelError:
    """The error for a server that could not be talked with."""
    # An HTTPException repeats what the server sent; its kind says enough.
    reason = error.strerror if isinstance(error, OSError) else None
    return UnreachableModelError(
        "cannot reach the model: {reason}",
        hint="check that it is running, and that {section}.base_url is correct",
        section=section,
        reason=reason or type(error).__name__,
        delivered=delivered,
    )
