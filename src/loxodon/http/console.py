"""The console in a browser: the files of its pages, and how a page gets its token.

The files (`http/web/dist`) are the same for everybody and need no token; what they show comes from
the API like anything else. Nothing in them is inline, and nothing is loaded from elsewhere: the
policy that goes with them says so to the browser.

`loxodon ui` puts a code into the fragment of the address that it opens, which a browser keeps to
itself. The page exchanges it, once, for the token of that server.
"""

from __future__ import annotations

import hmac
import mimetypes
import os
import re
from threading import Lock
from typing import Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from loxodon.errors import UsageError
from loxodon.http.guard import RefusedError

DIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "web", "dist")
# Said by the machine's own tables otherwise, which some programs spoil.
for _kind, _end in (
    ("text/javascript", ".js"),
    ("text/css", ".css"),
    ("image/svg+xml", ".svg"),
    ("font/woff2", ".woff2"),
    ("application/manifest+json", ".webmanifest"),
):
    mimetypes.add_type(_kind, _end)
_POLICY = "; ".join(
    (
        "default-src 'none'",
        *(f"{what}-src 'self'" for what in ("script", "style", "font", "connect", "manifest")),
        "img-src 'self' data:",
        *(f"{what} 'none'" for what in ("frame-ancestors", "base-uri", "form-action")),
        # Not even our own script can make markup of a text.
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
}
# A name that changes with the content; a hash is rarely all small letters, a word is.
_HASHED = re.compile(r"[-.](?=[^.]*[A-Z0-9])[A-Za-z0-9_-]{8,}\.[a-z0-9]+$")


class Console(StaticFiles):
    """The files of the console; none where it was not built."""

    def __init__(self, folder: str = DIST) -> None:
        super().__init__(directory=folder, check_dir=False)
        self._page = os.path.join(folder, "index.html")

    @property
    def built(self) -> bool:
        return os.path.exists(self._page)

    def page(self, scope: Scope) -> Response:
        return self.file_response(self._page, os.stat(self._page), scope)

    def file_response(self, full_path: Any, *args: Any, **more: Any) -> Response:
        reply = super().file_response(full_path, *args, **more)
        for_ever = _HASHED.search(os.path.basename(full_path))
        reply.headers.update(_HEADERS)
        reply.headers["cache-control"] = (
            "public, max-age=31536000, immutable" if for_ever else "no-cache"
        )
        return reply


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
                error = UsageError(
                    "the link was already used, or is from an earlier start",
                    hint="run `loxodon ui` again for a new link",
                )
                raise RefusedError(401, "unauthorized", error)
            self._code = b""
            return self._token
