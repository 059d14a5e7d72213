"""Tokens for programs: which spaces, as which agent, in which chat, and with which rights.

HOME/tokens.toml has one entry for each, with the SHA-256 of the token and never the token itself;
a token is 32 random bytes, which no list of words helps to guess. Where there is any entry, whoever
asks a server must have one, or the token that the server was started with, which is the owner's.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from threading import Lock
from time import monotonic
from typing import Literal, NamedTuple, get_args

from loxodon import files
from loxodon.errors import ConfigError, InputError, NotFoundError, disk_errors
from loxodon.spaces import folder_name
from loxodon.store.walls import checked_agent
from loxodon.types import CHATS, Chat

FILE = "tokens.toml"
PREFIX = "lox_"
MAX_NAME = 64
Right = Literal["metrics", "read", "write", "owner"]
# Only the figures of a server; to look; also to journal, remember and change; also to do what is
# about a space as a whole
RIGHTS: tuple[Right, ...] = get_args(Right)
_changing = Lock()  # two requests must not write over each other's change
_HEAD = "# Tokens for programs; `loxodon token` adds, lists and revokes them.\n"


class Grant(NamedTuple):
    """What whoever has a token may do. As it is: everything."""

    name: str = ""
    spaces: tuple[str, ...] = ()  # empty for all
    agent: str = ""  # empty for the owner, who may name one
    chat: Chat = "direct"
    rights: Right = "owner"
    made: str = ""  # the day
    sha256: str = ""  # of the token, as hex
    relays: bool = False  # whether the agent hands on the user's own words
    expires: str = ""  # ISO 8601 with an offset; empty for never

    @property
    def expired(self) -> bool:
        return bool(self.expires) and datetime.fromisoformat(self.expires) <= datetime.now(UTC)

    def reaches(self, space: str) -> bool:
        return not self.spaces or space in self.spaces

    def may(self, right: Right) -> bool:
        return RIGHTS.index(right) <= RIGHTS.index(self.rights)


def read(home: str) -> tuple[Grant, ...]:
    """The grants of a home, in the order of the file; a ConfigError for one that makes no sense."""
    import tomllib

    path = os.path.join(home, FILE)
    try:
        return tuple(
            Grant(
                checked_name(one["name"]),
                tuple(map(str, [*one.get("spaces", [])])),
                checked_agent(one.get("agent", "")),
                CHATS[CHATS.index(one.get("chat", "direct"))],
                RIGHTS[RIGHTS.index(one.get("rights", "read"))],
                str(one.get("made", "")),
                bytes.fromhex(one["sha256"]).hex(),
                one.get("relays", False) is True,
                # Without an offset it is the machine's own time.
                datetime.fromisoformat(end).astimezone().isoformat()
                if (end := one.get("expires", ""))
                else "",
            )
            for one in tomllib.loads(files.read(path).decode("utf-8")).get("token", [])
        )
    except FileNotFoundError:
        return ()
    except (OSError, InputError, TypeError, KeyError, ValueError, AttributeError) as error:
        raise ConfigError(
            "cannot read {path}: {reason}",
            hint="fix the file, or delete it and create the tokens again with `loxodon token add`",
            path=path,
            reason=getattr(error, "strerror", None) or str(error),
        ) from None


def grant_of(grants: Sequence[Grant], token: str) -> Grant | None:
    """The grant of a token that has not expired."""
    # All are compared, so that time tells nothing of which comes close.
    digest = sha256(token.encode("utf-8", "replace")).hexdigest()
    found = [one for one in grants if hmac.compare_digest(one.sha256, digest) and not one.expired]
    return found[-1] if found else None


def add(home: str, grant: Grant, now: datetime) -> tuple[Grant, str]:
    """Keep a new grant; it, and its token, which is told this once."""
    checked_name(grant.name)
    checked_agent(grant.agent)
    for space in grant.spaces:
        folder_name(space)  # an InputError for what no space can be called
    token = PREFIX + secrets.token_urlsafe(32)
    grant = grant._replace(made=f"{now:%Y-%m-%d}", sha256=sha256(token.encode()).hexdigest())
    with _changing:
        grants = read(home)
        if any(one.name == grant.name for one in grants):
            raise InputError(
                "a token named {name} already exists",
                hint="choose another name, or revoke the existing token first",
                name=repr(grant.name),
            )
        write(home, (*grants, grant))
    return grant, token


def revoke(home: str, name: str) -> Grant:
    """Take a grant away; whoever has its token is refused from the next request on."""
    with _changing:
        grants = read(home)
        gone = [one for one in grants if one.name == name]
        if not gone:
            raise NotFoundError(
                "no token named {name}",
                hint="list the tokens with `loxodon token list`",
                name=repr(name),
            )
        write(home, [one for one in grants if one not in gone])
    return gone[0]


def without_space(home: str, space: str) -> list[Grant]:
    """The grants of a home as they are without a space; those for nothing else are gone."""
    return [
        one._replace(spaces=tuple(name for name in one.spaces if name != space))
        for one in read(home)
        if one.spaces != (space,)
    ]


def checked_name(name: object) -> str:
    """The name of a token: what logs and the audit log call it by."""
    if isinstance(name, str) and 0 < len(name) <= MAX_NAME and name.isprintable():
        return name
    raise InputError(
        "{name} is not a valid token name",
        hint="use 1 to {most} printable characters",
        name=repr(name)[:80],
        most=MAX_NAME,
    )


def in_toml(grants: Sequence[Grant]) -> bytes:
    import tomlkit

    rows = [one._asdict() for one in grants]
    return (_HEAD + tomlkit.dumps({"token": rows} if rows else {})).encode()


def write(home: str, grants: Sequence[Grant]) -> None:
    path = os.path.join(home, FILE)
    with disk_errors(path):
        files.make_folder(home)
        files.replace(path, in_toml(grants))


_NOBODY = Grant("nobody", rights="read", sha256="-")  # whose token nobody can have
_FRESH = 1.0  # seconds after which grants in a database are looked at again


class Grants:
    """The grants of a home, read anew whenever they have changed."""

    def __init__(self, home: str) -> None:
        self._home, self._looked_at = home, float("-inf")
        self._stamp: files.Stamp | None = None
        self._grants: tuple[Grant, ...] = ()

    def renew(self) -> None:
        """Look again with the next request: they were changed here."""
        self._looked_at = float("-inf")

    def __call__(self) -> tuple[Grant, ...]:
        """StoreError where they are in a database that is away."""
        if monotonic() - self._looked_at <= _FRESH and files.shared(self._home):
            return self._grants
        stamp = files.stamp(os.path.join(self._home, FILE))
        if stamp != self._stamp:
            try:
                grants = read(self._home)
            except ConfigError:  # a file that was spoilt: better nobody than too many
                grants = (_NOBODY,)
            # Who takes the last token away does not mean to let everybody in.
            self._stamp, self._grants = stamp, grants or ((_NOBODY,) if self._grants else ())
        self._looked_at = monotonic()
        return self._grants
