"""An answer as it goes out: documents, errors with their status, and nothing half."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from loxodon.errors import (
    BusyModelError,
    BusyStoreError,
    ConfigError,
    ConsolidationError,
    CursorError,
    ForbiddenError,
    FullStoreError,
    InputError,
    KeyProblemError,
    LoxodonError,
    ModelError,
    NotFoundError,
    PausedError,
    StaleEditError,
    StoreError,
    TokenReusedError,
    UsageError,
)
from loxodon.serve.http.guard import RefusedError
from loxodon.serve.http.requests import Send

JSON = "application/json"

_STATUS: tuple[tuple[type[LoxodonError], int], ...] = (
    (ForbiddenError, 403),
    (NotFoundError, 404),
    (CursorError, 422),
    (InputError, 400),
    (UsageError, 400),
    (StaleEditError, 409),
    (PausedError, 409),
    (TokenReusedError, 409),
    (ConsolidationError, 409),
    (BusyStoreError, 503),
    (FullStoreError, 507),
    (BusyModelError, 503),
    (ModelError, 502),
    (StoreError, 503),
    (KeyProblemError, 503),
    (ConfigError, 503),
)
"""The first that fits; any other error of ours is 500."""


class Reply(NamedTuple):
    """A whole answer."""

    status: int
    body: bytes
    kind: str = JSON
    headers: Mapping[str, str] = {}


def encoded(data: object) -> str:
    """A document as JSON, on one line."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def bytes_of(text: str) -> bytes:
    """Text as it goes over the wire; half a character, which UTF-8 has no bytes for, as `?`."""
    return text.encode("utf-8", "replace")


def document(data: object, status: int = 200) -> Reply:
    """A JSON document."""
    return Reply(status, bytes_of(encoded(data)))


def failed(error: LoxodonError, language: str) -> Reply:
    """An error of ours as a document."""
    busy = isinstance(error, BusyStoreError | BusyModelError)
    reply = document(error_of(error, language), status_of(error))
    return reply._replace(headers={"retry-after": "1"}) if busy else reply


def refused(refusal: RefusedError, language: str) -> Reply:
    """A request that was not let in."""
    found = error_of(refusal.error, language, refusal.code)
    return document(found, refusal.status)._replace(headers=refusal.headers)


def status_of(error: LoxodonError) -> int:
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def error_of(error: LoxodonError, language: str, code: str = "") -> dict[str, object]:
    """What went wrong, in `language`; of the same shape as `loxodon --json` prints it."""
    message, hint = error.localized(language)
    problems = []
    for line, one in error.problems if isinstance(error, InputError) else ():
        said, help = one.localized(language)
        problems.append({"line": line, "message": said, "hint": help})
    found = {"code": code or error.code, "message": message, "hint": hint, "problems": problems}
    return {"error": found}


async def send_reply(send: Send, reply: Reply) -> None:
    """Send a whole answer."""
    await send(
        start_of(
            reply.status, reply.kind, {"content-length": str(len(reply.body)), **reply.headers}
        )
    )
    await send({"type": "http.response.body", "body": reply.body})


def start_of(status: int, kind: str, headers: Mapping[str, str]) -> dict[str, object]:
    """The head of an answer. What memory answers is nobody's to keep or to guess the type of."""
    every = {
        "content-type": kind,
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        **headers,
    }
    encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in every.items()]
    return {"type": "http.response.start", "status": status, "headers": encoded}
