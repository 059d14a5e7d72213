"""Who may ask, and how often: rules over a server's address and tokens, and a request's headers.

Without a token a server answers this machine only, and only what did not come from a web page of
elsewhere: a page can send requests to any address, and with a name of its own that resolves to
127.0.0.1 it could read the answers too.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from time import monotonic
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from loxodon.errors import ForbiddenError, LoxodonError, UsageError
from loxodon.fields import choice
from loxodon.security.tokens import Grant, Right, grant_of
from loxodon.types import CHATS, Chat

# Headers that say as whom, in whose hearing, and in whose words (`user`) something is asked
AGENT, CHAT, RELAYS = "x-loxodon-agent", "x-loxodon-chat", "x-loxodon-relays"
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\s:/?#@\[\]]+))(?::\d*)?")
GUESSES = 10  # wrong tokens a second that an address may send
# What a token must allow: a right in a space; of the server nothing, any token, the figures, or to
# own all spaces
Need = Right | Literal["", "any", "metrics", "home"]

_CLOSE = {"connection": "close"}
# The status and headers of an answer by its code
_REFUSALS: Mapping[str, tuple[int, Mapping[str, str]]] = {
    "bad_path": (400, {}),
    "unauthorized": (401, {"www-authenticate": "Bearer"}),
    "no_route": (404, {}),
    "no_method": (405, {}),
    "too_slow": (408, _CLOSE),
    "too_large": (413, _CLOSE),
    "unsupported_media_type": (415, {}),
    "too_many": (429, {"retry-after": "1"}),
    "upstream_unreachable": (502, {}),
    "upstream_timeout": (504, {}),
}


class RefusedError(LoxodonError):
    """A request that a server refuses, with the status and headers of its code."""

    def __init__(self, said: str, code: str, **more: Any) -> None:
        super().__init__(said, **more)
        self.code, (self.status, self.headers) = code, _REFUSALS[code]


def not_granted() -> ForbiddenError:
    """For who has a token, but not for this."""
    hint = "use a token with owner permission"
    return ForbiddenError("this token does not have permission for this", hint=hint)


def no_method(allowed: str) -> RefusedError:
    error = RefusedError("this path only accepts {methods}", "no_method", methods=allowed)
    error.headers = {"allow": allowed}
    return error


class Door(NamedTuple):
    """What a server was told about who may ask."""

    token: str = ""  # the owner's
    local: bool = True  # whether it listens on this machine's own address only
    grants: Callable[[], Sequence[Grant]] = tuple  # what others may do who have a token
    own_names: bool = False  # whether it answers to this machine's own names only

    @property
    def guarded(self) -> bool:
        """Whether one must have a token: beyond this machine always, also when all are revoked."""
        return bool(self.token) or not self.local or bool(self.grants())


class Caller(NamedTuple):
    """Who asks, and as whom."""

    grant: Grant = Grant()
    agent: str = ""
    chat: Chat = "direct"
    relays: bool = False  # whether what they hand on as the user's words is what the user said

    @property
    def name(self) -> str:
        """What the audit log calls whoever asks."""
        return f"token:{self.grant.name}" if self.grant.name else ""

    @property
    def owns_all(self) -> bool:
        """Whether somebody asks for all spaces, as nobody in particular."""
        return self.may("owner") and not self.grant.spaces

    def may(self, need: Need) -> bool:
        if need == "home":
            return self.owns_all
        if need == "metrics":
            return self.owns_all or (self.grant.rights == "metrics" and not self.grant.spaces)
        if need == "owner":
            return self.grant.may("owner") and not self.agent and self.chat == "direct"
        return need == "" or need == "any" or self.grant.may(need)


def door(host: str, token: str, grants: Callable[[], Sequence[Grant]] = tuple) -> Door:
    """The door of a server that listens at `host`; a UsageError where it would be open to all."""
    local = is_loopback(host)
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise UsageError("the token contains characters that are not allowed in a header")
    if not local and not token and not grants():
        raise UsageError(
            "{host} can be reached from other machines, but no access token is set",
            hint="set --token or LOXODON_TOKEN, create one with `loxodon token add`, or listen "
            "on 127.0.0.1",
            host=host,
        )
    return Door(token, local, grants)


def let_in(
    at: Door, rates: Rates, peer: str, headers: Mapping[str, str], *, metrics: bool = False
) -> Caller:
    """Who asks from the address `peer`, or an error; tokens may be for `metrics` alone."""
    check_place(at, headers)
    grant = granted(at, headers)
    if grant is None:
        rates.take(f"wrong {peer}", most=GUESSES)
        hint = "send it as Authorization: Bearer TOKEN"
        raise RefusedError("the request has no valid token", "unauthorized", hint=hint)
    if grant.rights == "metrics" and not metrics:
        raise not_granted()
    caller = _caller(grant, headers)
    rates.take(caller.name or peer)
    return caller


def check_place(at: Door, headers: Mapping[str, str]) -> None:
    """Refuse what may come from a web page of elsewhere. `headers` has lower-case names."""
    host, origin = headers.get("host", ""), headers.get("origin")
    named = _HOST.fullmatch(host)
    if (at.own_names or not at.guarded) and not (named and is_loopback(named[1] or named[2])):
        hint = "use 127.0.0.1 or localhost; other host names require a token"
        raise ForbiddenError("the Host header of the request is not this machine", hint=hint)
    if origin is not None and not _same_place(origin, host):
        hint = "send the request from a program, or from a page on this machine"
        raise ForbiddenError("cross-origin requests are refused", hint=hint)


def granted(at: Door, headers: Mapping[str, str]) -> Grant | None:
    """What the token of a request is good for; None where it is no good."""
    if not at.guarded:
        return Grant()
    scheme, _, sent = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        return None
    is_owners = at.token and hmac.compare_digest(sent.strip().encode(), at.token.encode())
    return Grant("owner") if is_owners else grant_of(at.grants(), sent.strip())


def _caller(grant: Grant, headers: Mapping[str, str]) -> Caller:
    """Who asks, by a token and by what the request says: that can only narrow it."""
    # Names that are not Latin come as UTF-8.
    agent = headers.get(AGENT, "").encode("latin-1", "replace").decode("utf-8", "replace").strip()
    chat = headers.get(CHAT, "direct").strip().lower()[:80]
    if grant.agent and agent not in ("", grant.agent):
        hint = "omit the header {header}"
        raise ForbiddenError("the token belongs to another agent", hint=hint, header=AGENT)
    choice(CHAT, chat, CHATS)
    heard: Chat = "direct" if (chat, grant.chat) == ("direct", "direct") else "group"
    owners = not grant.agent and grant.chat == "direct"
    relays = grant.relays or (owners and headers.get(RELAYS, "").strip().lower() == "user")
    return Caller(grant, grant.agent or agent, heard, relays)


@lru_cache(64)
def is_loopback(host: str) -> bool:
    """Whether `host` is this machine's own address, by number or as localhost."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _same_place(origin: str, host: str) -> bool:
    """Whether a page's origin is this machine, or the very host that was asked."""
    try:
        parts = urlsplit(origin)
        named = parts.hostname or ""
    except ValueError:
        return False
    return is_loopback(named) or (bool(named) and parts.netloc.lower() == host.lower())


class Rates:
    """Counts the requests of this second by who asks; `rate` are let in, 0 for any number."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self._second, self._taken = 0, Counter[str]()

    def take(self, name: str, *, most: float | None = None) -> None:
        """Count a request of `name`; a RefusedError 429 for one too many."""
        rate = self.rate if most is None else most
        if (now := int(monotonic())) != self._second:
            self._second, self._taken = now, Counter()
        self._taken[name] += 1
        if rate and self._taken[name] > rate:
            hint = "wait a moment; the limit is in the setting serve.rate"
            raise RefusedError("too many requests", "too_many", hint=hint)
