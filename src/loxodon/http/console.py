"""The console in a browser: the files of its pages, and how a page gets its token.

The files (`http/web/dist`) are the same for everybody and need no token; what they show comes from
the API. `loxodon ui` puts a code into the fragment of the address that it opens, which a browser
keeps to itself. The page exchanges it, once, for the token of that server.
"""

from __future__ import annotations

import hmac
import os
from typing import Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from loxodon.http.guard import RefusedError

DIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "web", "dist")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; "
    # Not even our own script can make markup of a text.
    "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",
}


class Console(StaticFiles):
    """The files of the console."""

    def file_response(self, *args: Any, **more: Any) -> Response:
        reply = super().file_response(*args, **more)
        reply.headers.update(_HEADERS)
        return reply


class Exchange:
    """A code that is good for a token, once."""

    def __init__(self, code: str, token: str) -> None:
        self._code, self._token = code.encode(), token

    def take(self, code: str) -> str:
        """The token; a RefusedError for another code, or one that was used."""
        if not self._code or not hmac.compare_digest(code.encode("utf-8", "replace"), self._code):
            hint = "run `loxodon ui` again for a new link"
            raise RefusedError(
                "the link was already used, or is from an earlier start", "unauthorized", hint=hint
            )
        self._code = b""
        return self._token
