"""The console in a browser: the files of its pages, and how a page gets its token.

The files (`serve/web/dist`) are the same for everybody and need no token; what they show comes from
the API like anything else. They are read once. Nothing in them is inline, and nothing is loaded
from elsewhere: the policy that goes with them says so to the browser.

`loxodon ui` puts a code into the fragment of the address that it opens, which a browser keeps to
itself. The page exchanges it, once, for the token of that server.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from threading import Lock
from typing import NamedTuple

from loxodon.errors import UsageError
from loxodon.serve.http.guard import RefusedError
from loxodon.serve.http.replies import Reply
from loxodon.serve.http.requests import Request
from loxodon.text.patterns import lazy

DIST = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "web", "dist")
FOLDER = "console"
"""The first part of the path of every file but the page itself."""
_PAGE = "index.html"
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        # Not even our own script can make markup of a text.
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
_SAFE = {
    "content-security-policy": _POLICY,
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webp": "image/webp",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}
"""By the end of the name, not by what the machine's own tables say of it."""
_HASHED = lazy(r"[-.](?=[^.]*[A-Z0-9])[A-Za-z0-9_-]{8,}\.[a-z0-9]+$")
"""A name that changes with the content; a hash is rarely all small letters, a word is."""
_FOR_EVER = "public, max-age=31536000, immutable"


class _File(NamedTuple):
    body: bytes
    kind: str
    tag: str
    caching: str


class Console:
    """The files of the console; none where it was not built."""

    def __init__(self, folder: str = DIST) -> None:
        self._folder = folder

    def asked(self, request: Request) -> str | None:
        """The name of the file that a request is for; None for a request to the API."""
        if request.method not in ("GET", "HEAD"):
            return None
        if not request.parts:
            wants_page = "text/html" in request.headers.get("accept", "")
            return _PAGE if wants_page and _PAGE in self._files else None
        return "/".join(request.parts[1:]) if request.parts[0] == FOLDER else None

    def reply(self, name: str, headers: Mapping[str, str]) -> Reply:
        """A file; a RefusedError where there is none of that name."""
        file = self._files.get(name)
        if file is None:
            raise RefusedError(404, "no_route", UsageError("not found"))
        own = {**_SAFE, "etag": file.tag, "cache-control": file.caching}
        known = [one.strip() for one in headers.get("if-none-match", "").split(",")]
        if file.tag in known:
            return Reply(304, b"", file.kind, own)
        return Reply(200, file.body, file.kind, own)

    @cached_property
    def _files(self) -> dict[str, _File]:
        """By the path within the folder, with slashes: a path that leads elsewhere is none."""
        found = {}
        for folder, _, names in os.walk(self._folder):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    body = file.read()
                within = os.path.relpath(path, self._folder).replace(os.sep, "/")
                kind = _TYPES.get(os.path.splitext(name)[1], "application/octet-stream")
                caching = _FOR_EVER if _HASHED.search(name) else "no-cache"
                found[within] = _File(body, kind, f'"{sha256(body).hexdigest()[:32]}"', caching)
        return found


class Exchange:
    """A code that is good for a token, once."""

    def __init__(self, code: str, token: str) -> None:
        self._code = code.encode()
        self._token = token
        self._lock = Lock()

    def take(self, code: object) -> str:
        """The token; a RefusedError for another code, or one that was used."""
        with self._lock:
            sent = code.encode("utf-8", "replace") if isinstance(code, str) else b""
            if not self._code or not hmac.compare_digest(sent, self._code):
                raise RefusedError(
                    401,
                    "unauthorized",
                    UsageError(
                        "the link was already used, or is from an earlier start",
                        hint="run `loxodon ui` again for a new link",
                    ),
                )
            self._code = b""
            return self._token
