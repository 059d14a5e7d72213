"""Who may ask: pure rules, over the address a server listens at, its token and a request's headers.

Without a token a server answers this machine only, and only what did not come from a web page of
elsewhere: a page can send requests to any address, and with a name of its own that resolves to
127.0.0.1 it could read the answers too.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from loxodon.errors import UsageError


class RefusedError(Exception):
    """A request that is not let in, as a status, a code and what is wrong."""

    def __init__(
        self, status: int, code: str, error: UsageError, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(str(error))
        self.status = status
        self.code = code
        self.error = error
        self.headers = dict(headers or {})


class Door(NamedTuple):
    """What a server was told about who may ask."""

    token: str = ""
    local: bool = True
    """Whether it listens on this machine's own address only."""


def door(host: str, token: str) -> Door:
    """The door of a server that listens at `host`; a UsageError where it would be open to all."""
    local = is_loopback(host)
    if not local and not token:
        raise UsageError(
            "{host} can be reached from other machines, and no token is set",
            hint="give --token or LOXODON_TOKEN, or listen on 127.0.0.1",
            host=host,
        )
    if token and not (token.isascii() and token.isprintable() and " " not in token):
        raise UsageError(
            "the token has characters that no header can have",
            hint="use letters and digits, without spaces",
        )
    return Door(token, local)


def check_place(at: Door, headers: Mapping[str, str]) -> None:
    """Refuse what may come from a web page of elsewhere. `headers` has lower-case names."""
    origin = headers.get("origin")
    if not at.token and not is_loopback(host_of(headers.get("host", ""))):
        raise RefusedError(403, "forbidden", UsageError(
            "the request names another host than this machine",
            hint="ask 127.0.0.1 or localhost; for other names set a token",
        ))  # fmt: skip
    if origin is not None and not _same_place(origin, headers.get("host", "")):
        raise RefusedError(403, "forbidden", UsageError(
            "requests from web pages of another place are refused",
            hint="ask from a program, or from a page of this machine",
        ))  # fmt: skip


def admit(at: Door, headers: Mapping[str, str]) -> None:
    """Let a request in, or raise the RefusedError of it."""
    check_place(at, headers)
    if not has_token(at, headers):
        raise RefusedError(401, "unauthorized", UsageError(
            "the request has no valid token", hint="send it as Authorization: Bearer TOKEN",
        ), {"www-authenticate": "Bearer"})  # fmt: skip


def has_token(at: Door, headers: Mapping[str, str]) -> bool:
    """Whether the request carries the server's token; true where there is none to carry."""
    if not at.token:
        return True
    scheme, _, sent = headers.get("authorization", "").partition(" ")
    good = hmac.compare_digest(sent.strip().encode(), at.token.encode())
    return scheme.lower() == "bearer" and good


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine's own address, by number or as localhost."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(header: str) -> str:
    """The host of a Host header, without its port; empty where it is none."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def _same_place(origin: str, host: str) -> bool:
    """Whether a page's origin is this machine, or the very host that was asked."""
    try:
        parts = urlsplit(origin)
        named = parts.hostname or ""
    except ValueError:
        return False
    return is_loopback(named) or (bool(named) and parts.netloc.lower() == host.lower())
