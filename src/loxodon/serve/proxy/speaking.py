"""Who is speaking, to whom, and in which conversation: from headers, the request and the key."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Literal, NamedTuple

from loxodon.serve.http.guard import Caller
from loxodon.serve.proxy.requests import Asked
from loxodon.spaces import MAX_NAME
from loxodon.types import CHATS, Chat

By = Literal["user", "key", "fixed"]
OURS = "x-loxodon-"
"""How headers begin that are for the proxy; none of them goes on."""
_MOST_SESSION = 200
_OF_PROGRAMS = ("x-claude-code-agent-id",)
"""Headers by which a client says that an agent of its own asks, in words that no person wrote."""


class Who(NamedTuple):
    """Whose memory a request is about."""

    space: str
    speaker: str = ""
    chat: Chat = "direct"
    session: str = ""
    """The conversation, where the client names it."""
    remembers: bool = True
    agent: str = ""
    """The agent that asks, where agents are kept apart."""
    journals: bool = True
    """Whether what is said may be kept."""
    relays: bool = False
    """Whether an agent hands on the user's own words."""

    @property
    def hearers(self) -> str:
        """Whose conversations are told apart: what is recalled in private is not for a group."""
        return f"{self.chat} {self.agent}@{self.space}"


class Rule(NamedTuple):
    """How the proxy was told to tell people apart."""

    space: str = "main"
    """Whoever is not told apart."""
    by: By = "user"
    """`user`: by header, then the request's field; `key`: then by the key; `fixed`: by header."""


def who_speaks(headers: Mapping[str, str], asked: Asked, rule: Rule) -> Who:
    """Whose memory a request is about. `headers` has lower-case names."""
    named = _header(headers, "space")
    person = _header(headers, "user")
    space = named or person
    if not space and rule.by != "fixed":
        space = asked.user
    if not space and rule.by == "key":
        space = key_name(headers)
    chat = _header(headers, "chat").lower()
    return Who(
        _fitting(space, MAX_NAME) or rule.space,
        _fitting(person, MAX_NAME) if named else "",
        # What is not understood is taken for a group: to say too little there does no harm.
        next((one for one in CHATS if one == (chat or "direct")), "group"),
        _fitting(_header(headers, "session") or asked.session, _MOST_SESSION),
        _header(headers, "memory").lower() not in ("off", "no", "0", "false")
        and not any(name in headers for name in _OF_PROGRAMS),
    )


def bound(who: Who, caller: Caller) -> Who:
    """Whose memory it is about, as far as the token of whoever asks reaches.

    Clients send all sorts of names as `user`: one that a token does not reach is not looked for.
    """
    grant = caller.grant
    return who._replace(
        space=who.space if grant.reaches(who.space) else grant.spaces[0],
        chat=who.chat if caller.chat == "direct" else "group",
        agent=caller.agent,
        journals=grant.may("write"),
        relays=caller.relays,
    )


def key_name(headers: Mapping[str, str]) -> str:
    """A name for whoever has this key, from which the key cannot be told; empty without one."""
    key = headers.get("authorization") or headers.get("api-key") or headers.get("x-api-key") or ""
    return f"key-{_digest(key)}" if key.strip() else ""


def _header(headers: Mapping[str, str], name: str) -> str:
    """A header of ours; names that are not Latin come as UTF-8."""
    value = headers.get(OURS + name, "")
    try:
        return value.encode("latin-1").decode("utf-8").strip()
    except UnicodeError:
        return value.strip()


def _fitting(name: str, most: int) -> str:
    """A name that can be kept, or one that is made of it."""
    if not name or (len(name) <= most and name.isprintable()):
        return name
    return f"user-{_digest(name)}"


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
