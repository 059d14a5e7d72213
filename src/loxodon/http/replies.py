"""An answer as it goes out: documents, and errors with their status."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.responses import Response

from loxodon import errors
from loxodon.errors import InputError, LoxodonError
from loxodon.http.guard import RefusedError

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
    (errors.BusyStoreError, 503),
    (errors.FullStoreError, 507),
    (errors.BusyModelError, 503),
    (errors.ModelError, 502),
    (errors.StoreError, 503),
    (errors.KeyProblemError, 503),
    (errors.ConfigError, 503),
)
# What a memory answers may not be cached, nor its type guessed.
PRIVATE = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


def encoded(data: object) -> str:
    """A document as JSON, on one line."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def text(
    content: str,
    status: int = 200,
    kind: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A whole answer. Half a character, which UTF-8 has no bytes for, becomes `?`."""
    body = content.encode("utf-8", "replace")
    return Response(body, status, {"content-type": kind, **PRIVATE, **(headers or {})})


def document(data: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON document."""
    return text(encoded(data), status, headers=headers)


def failed(error: LoxodonError | RefusedError, language: str) -> Response:
    """An error as a document."""
    if isinstance(error, RefusedError):
        found = error_of(error.error, language, error.code)
        return document(found, error.status, error.headers)
    busy = isinstance(error, errors.BusyStoreError | errors.BusyModelError)
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    return document(error_of(error, language), status, {"retry-after": "1"} if busy else {})


def error_of(error: LoxodonError, language: str, code: str = "") -> dict[str, object]:
    """What went wrong, in `language`; of the same shape as `loxodon --json` prints it."""
    message, hint = error.localized(language)
    problems = []
    for line, one in error.problems if isinstance(error, InputError) else ():
        said, help = one.localized(language)
        problems.append({"line": line, "message": said, "hint": help})
    found = {"code": code or error.code, "message": message, "hint": hint, "problems": problems}
    return {"error": found}
