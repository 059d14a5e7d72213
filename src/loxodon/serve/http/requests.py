"""A request as it comes in: its path, its language, its body, each within limits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, NamedTuple, NoReturn
from urllib.parse import parse_qsl, unquote_to_bytes

from loxodon.errors import InputError, UsageError
from loxodon.serve.http.guard import RefusedError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Scope = MutableMapping[str, Any]

MOST_BYTES = 10_000_000
BODY_SECONDS = 60.0
"""How long a client may take to send its body."""
_MOST_FIELDS = 100
GONE = 499
"""The status that is counted where nobody is there to get one."""


class ClientGoneError(Exception):
    """Whoever asked has hung up."""


class Request(NamedTuple):
    """What was asked, apart from its body."""

    method: str
    parts: tuple[str, ...]
    """The path, cut at its slashes; a part may have a slash in it that was sent as %2F."""
    query: str
    headers: Mapping[str, str]
    """By lower-case name; the last where one is given twice."""
    peer: str = ""
    """The address that it came from."""

    @property
    def language(self) -> str:
        return language_of(self.headers.get("accept-language", ""))

    def pairs(self) -> list[tuple[str, str]]:
        """The query parameters."""
        try:
            return parse_qsl(
                self.query, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
            )
        except ValueError:  # which a UnicodeDecodeError is too
            raise InputError(
                "cannot parse the query string", hint="use percent-encoded UTF-8"
            ) from None


def request_of(scope: Scope) -> Request:
    """The request that an ASGI server hands in."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    try:
        parts = tuple(unquote_to_bytes(part).decode() for part in raw.split(b"/") if part)
        query = scope["query_string"].decode("ascii")
    except UnicodeDecodeError:
        raise InputError("the URL is not UTF-8", hint="use percent-encoded UTF-8") from None
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    return Request(scope["method"], parts, query, headers, peer_of(scope))


def peer_of(scope: Scope) -> str:
    """The address that a request came from; empty where nobody knows."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def language_of(accepted: str) -> str:
    """`zh` or `en`, whichever an Accept-Language header would rather have."""
    best, weight = "en", 0.0
    for part in accepted[:200].split(","):
        name, _, rest = part.strip().partition(";")
        try:
            given = float(rest.strip().removeprefix("q=")) if rest else 1.0
        except ValueError:
            given = 0.0
        tag = name.strip().lower().partition("-")[0]
        if tag in ("en", "zh") and given > weight:
            best, weight = tag, given
    return best


async def body_of(receive: Receive, headers: Mapping[str, str], most: int) -> bytes:
    """The whole body, at most `most` bytes; one that is announced as longer is not read at all."""
    announced = headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > most:
        _too_large(most)
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGoneError
                chunk: bytes = message.get("body", b"")
                size += len(chunk)
                if size > most:
                    _too_large(most)
                chunks.append(chunk)
                if not message.get("more_body"):
                    return b"".join(chunks)
    except TimeoutError:
        raise RefusedError(
            408,
            "too_slow",
            UsageError("timed out waiting for the request body"),
            {"connection": "close"},
        ) from None


def _too_large(most: int) -> NoReturn:
    raise RefusedError(
        413,
        "too_large",
        UsageError(
            "the body is larger than {most} bytes", hint="split it into several requests", most=most
        ),
        {"connection": "close"},
    )


def json_of(body: bytes, headers: Mapping[str, str]) -> object:
    """The document in a body; an empty body is an empty object."""
    if not body:
        return {}
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":  # which a form of a web page cannot send
        raise RefusedError(
            415,
            "unsupported_media_type",
            UsageError("the body must be JSON", hint="send it with Content-Type: application/json"),
        )
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            "the body is not UTF-8: byte {place}", hint="encode it as UTF-8", place=error.start
        ) from None
    return _parsed(text)


def _parsed(text: str) -> object:
    try:
        found: object = json.loads(text, parse_constant=_no_number)
        if "\\ud" in text or "\\uD" in text:  # half a character would fail further in
            json.dumps(found, ensure_ascii=False).encode()
    except RecursionError:
        raise InputError("the body is nested too deeply", hint="use less nesting") from None
    except UnicodeEncodeError:
        raise InputError(
            "the text contains half a character (a lone surrogate)",
            hint="it was cut off or decoded incorrectly; send it as UTF-8",
        ) from None
    except json.JSONDecodeError as error:
        raise InputError(
            "the body is not JSON: {reason}",
            hint="check it at line {line}, column {column}",
            reason=error.msg,
            line=error.lineno,
            column=error.colno,
        ) from None
    except ValueError as error:  # a number with thousands of digits, or none
        raise InputError("the body is not JSON: {reason}", reason=error) from None
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")
