"""Requests as they come in, within limits, and answers as they go out."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from loxodon import errors
from loxodon.http.guard import RefusedError

MOST_BYTES = 10_000_000
BODY_SECONDS = 60.0  # how long a client may take to send its body
_MOST_FIELDS = 100
_CONFLICTS = (errors.StaleEditError, errors.PausedError, errors.TokenReusedError)
_STATUS = (  # the first that fits; else 500
    (errors.ForbiddenError, 403),
    (errors.NotFoundError, 404),
    ((errors.InputError, errors.UsageError), 400),
    ((*_CONFLICTS, errors.ConsolidationError), 409),
    (errors.FullStoreError, 507),
    (errors.UnreachableModelError, 503),
    (errors.ModelError, 502),
    ((errors.StoreError, errors.KeyProblemError, errors.ConfigError), 503),
)
# What a memory answers may not be cached, nor its type guessed.
PRIVATE = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


def peer_of(request: Request) -> str:
    """The address that a request came from; empty where nobody knows."""
    return request.client.host if request.client else ""


def language_of(request: Request) -> str:
    """`zh` or `en`, whichever its Accept-Language header names first."""
    accepted = request.headers.get("accept-language", "").lower().split(",")
    tags = [one.strip()[:2] for one in accepted if not one.replace(" ", "").endswith(";q=0")]
    return next((tag for tag in tags if tag in ("en", "zh")), "en")


def query_of(request: Request) -> list[tuple[str, str]]:
    """The query parameters. Starlette would replace what is not UTF-8."""
    try:
        return parse_qsl(
            request.url.query, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError:  # which a UnicodeDecodeError is too
        raise errors.InputError(
            "cannot parse the query string", hint="use percent-encoded UTF-8"
        ) from None


async def json_body(request: Request) -> bytes:
    """The body, JSON or empty; one that is announced as too large is not read at all."""
    announced = request.headers.get("content-length", "")
    size = int(announced) if announced.isdecimal() else 0
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            if size <= MOST_BYTES:
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > MOST_BYTES:
                        break
    except TimeoutError:
        raise RefusedError("timed out waiting for the request body", "too_slow") from None
    if max(size, len(body)) > MOST_BYTES:
        hint = "split it into several requests"
        raise RefusedError(
            "the body is larger than {most} bytes", "too_large", hint=hint, most=MOST_BYTES
        )
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if body and kind != "application/json":  # which a form of a web page cannot send
        hint = "send it with Content-Type: application/json"
        raise RefusedError("the body must be JSON", "unsupported_media_type", hint=hint)
    return bytes(body)


def encoded(data: object) -> bytes:
    """A document as JSON, on one line. Half a character, which UTF-8 has no bytes for, is `?`."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def answer(data: object, status: int = 200, **headers: str) -> Response:
    """A document, or one that is encoded already."""
    body = data if isinstance(data, bytes) else encoded(data)
    return Response(body, status, {"content-type": "application/json", **PRIVATE, **headers})


def status_of(error: errors.LoxodonError) -> int:
    if isinstance(error, RefusedError):
        return error.status
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def failed(error: errors.LoxodonError, language: str) -> Response:
    """An error as a document, in `language`; of the same shape as `loxodon --json` prints it."""

    def told(one: errors.LoxodonError) -> dict[str, Any]:
        return dict(zip(("message", "hint"), one.localized(language), strict=True))

    problems = [{"line": line, **told(one)} for line, one in error.problems]
    found = {"error": {"code": error.code, **told(error), "problems": problems}}
    busy = isinstance(error, errors.BusyStoreError | errors.UnreachableModelError)
    headers = error.headers if isinstance(error, RefusedError) else {}
    return answer(found, status_of(error), **({"retry-after": "1"} if busy else headers))
