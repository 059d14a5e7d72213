"""Requests as they come in, within limits, and answers as they go out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from threading import Event
from time import monotonic
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from loxodon import errors
from loxodon.errors import InputError, LoxodonError, UsageError
from loxodon.http.guard import RefusedError

MOST_BYTES = 10_000_000
BODY_SECONDS = 60.0  # how long a client may take to send its body
LINES = "application/x-ndjson"
_MOST_FIELDS = 100
_STEP_SECONDS = 0.1  # between two steps that are told
_STATUS: tuple[tuple[type[LoxodonError], int], ...] = (  # the first that fits; else 500
    (errors.ForbiddenError, 403),
    (errors.NotFoundError, 404),
    (errors.CursorError, 422),
    (errors.InputError, 400),
    (errors.UsageError, 400),
    (errors.StaleEditError, 409),
    (errors.PausedError, 409),
    (errors.TokenReusedError, 409),
    (errors.ConsolidationError, 409),
    (errors.FullStoreError, 507),
    (errors.BusyModelError, 503),
    (errors.ModelError, 502),
    (errors.StoreError, 503),
    (errors.KeyProblemError, 503),
    (errors.ConfigError, 503),
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
        raise InputError(
            "cannot parse the query string", hint="use percent-encoded UTF-8"
        ) from None


async def json_body(request: Request, most: int = MOST_BYTES) -> bytes:
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


def encoded(data: object) -> bytes:
    """A document as JSON, on one line. Half a character, which UTF-8 has no bytes for, is `?`."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def answer(body: bytes, status: int = 200, kind: str = "application/json", **more: str) -> Response:
    return Response(body, status, {"content-type": kind, **PRIVATE, **more})


def failed(error: LoxodonError | RefusedError, language: str) -> Response:
    """An error as a document."""
    if isinstance(error, RefusedError):
        found = error_of(error.error, language, error.code)
        return answer(encoded(found), error.status, **error.headers)
    busy = isinstance(error, errors.BusyStoreError | errors.BusyModelError)
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    wait = {"retry-after": "1"} if busy else {}
    return answer(encoded(error_of(error, language)), status, **wait)


def error_of(error: LoxodonError, language: str, code: str = "") -> dict[str, Any]:
    """What went wrong, in `language`; of the same shape as `loxodon --json` prints it."""
    message, hint = error.localized(language)
    problems = []
    for line, one in error.problems if isinstance(error, InputError) else ():
        said, help = one.localized(language)
        problems.append({"line": line, "message": said, "hint": help})
    found = {"code": code or error.code, "message": message, "hint": hint, "problems": problems}
    return {"error": found}


def cancelled() -> LoxodonError:
    """The error of work that was not brought to its end."""
    return LoxodonError("the operation was cancelled", hint="try again; nothing was lost")


class Steps:
    """The steps of one piece of work, from its thread to the event loop.

    `progress` is called by the work. Once `cut` is set it ends the work with an error.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Mapping[str, Any] | None] = asyncio.Queue()
        self._last = 0.0
        self.cut = Event()

    def progress(self, *numbers: int) -> None:
        """What is done of how much, of which phase where there are phases."""
        if self.cut.is_set():
            raise cancelled()
        now = monotonic()
        *phase, done, total = numbers
        if now - self._last >= _STEP_SECONDS or done >= total:
            self._last = now
            step = {"phase": phase[0]} if phase else {}
            self._put({**step, "done": done, "total": total})

    def end(self) -> None:
        """No step comes after those that were told."""
        self._put(None)

    def _put(self, step: Mapping[str, Any] | None) -> None:
        with suppress(RuntimeError):  # the loop has ended: nobody is there to be told
            self._loop.call_soon_threadsafe(self._queue.put_nowait, step)

    async def __aiter__(self) -> AsyncIterator[Mapping[str, Any]]:
        while (step := await self._queue.get()) is not None:
            yield step
