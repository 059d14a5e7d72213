"""A request as it comes in: its language, query and body, within limits."""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qsl

from starlette.requests import Request

from loxodon.errors import InputError, UsageError
from loxodon.http.guard import RefusedError

MOST_BYTES = 10_000_000
BODY_SECONDS = 60.0  # how long a client may take to send its body
_MOST_FIELDS = 100


def peer_of(request: Request) -> str:
    """The address that a request came from; empty where nobody knows."""
    return request.client.host if request.client else ""


def language_of(accepted: str) -> str:
    """`zh` or `en`, whichever an Accept-Language header prefers."""
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


def query_of(request: Request) -> list[tuple[str, str]]:
    """The query parameters. Starlette would replace what is not UTF-8."""
    try:
        return parse_qsl(
            request.url.query, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError:  # which a UnicodeDecodeError is too
        raise InputError(
            "cannot parse the query string", hint="use percent-encoded UTF-8"
        ) from None


async def json_body(request: Request, most: int) -> bytes:
    """The body of a request, which must be JSON unless it is empty; a RefusedError for more than
    `most` bytes, of which one that is announced as longer is not read at all."""
    too_large = RefusedError(
        413,
        "too_large",
        UsageError(
            "the body is larger than {most} bytes", hint="split it into several requests", most=most
        ),
        {"connection": "close"},
    )
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > most:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise too_large
    except TimeoutError:
        error = UsageError("timed out waiting for the request body")
        raise RefusedError(408, "too_slow", error, {"connection": "close"}) from None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if body and kind != "application/json":  # which a form of a web page cannot send
        error = UsageError(
            "the body must be JSON", hint="send it with Content-Type: application/json"
        )
        raise RefusedError(415, "unsupported_media_type", error)
    return bytes(body)
