"""Walls inside a space: what an agent, and a chat that others hear, can see of a store.

Agents and audiences share a database, so a store is opened behind a wall, and everything that is
asked of it meets that wall: what is not to be seen is as if it were not there. Views keep it up in
a file, row-level security in PostgreSQL (`sql/postgres/migrations/0005_policies.sql`).

| | sees |
|---|---|
| the owner (no agent) | everything |
| an agent | its own, what is nobody's (agent ''), and memories whose audience is `all` |
| a group | no private memory, no turn of a direct chat nor one that a private memory came from, |
| | no note, document or page |
| anyone behind a wall | of working sessions and transcripts only their own (`mark`) |
| one agent's consolidation (`alone`) | memories and entities that are exactly its own |

What is written through a wall is the agent's, in its own voice. What agents of one space do share:
how common words are, the numbers in ids, and the size of the file.
"""

from __future__ import annotations

from typing import NamedTuple

from loxodon.errors import ForbiddenError, InputError
from loxodon.guard.provenance import OWN
from loxodon.store import Namespace
from loxodon.types import Origin, Record

MAX_AGENT = 64
_MARKS = frozenset("@~/\\")  # no agent's name has them: sessions are told apart with two
# Origins that whoever is behind a wall may give to words; of any other the user's facts are read.
MAY_NAME: frozenset[Origin] = frozenset({"assistant", "tool", "web", "group"})


class Wall(NamedTuple):
    """What a store is bound to; as it is, to nothing."""

    agent: str = ""
    group: bool = False
    alone: bool = False  # only what is exactly this agent's (where that is empty: nobody's)
    relays: bool = False  # whether the owner says that it hands on the user's own words

    @property
    def stands(self) -> bool:
        return bool(self.agent) or self.group or self.alone

    @property
    def speaks(self) -> bool:
        """Whether who is behind it speaks for themselves, and not for the user."""
        return self.stands and not self.alone and not self.relays

    @property
    def voice(self) -> Origin:
        """Whose words it is that come through this wall, where they claim to be the user's."""
        if not self.speaks:
            return "user"
        return "group" if self.group else "assistant"

    def heard(self, origin: Origin) -> Origin:
        """The origin of words that come through this wall and claim to be of `origin`."""
        return origin if origin in MAY_NAME or not self.speaks else self.voice

    def owns(self, record: Record) -> bool:
        """Whether a memory is for whoever is behind this wall to change as they like."""
        if not self.stands or self.alone:
            return True
        if not self.agent:
            return record.trust == "group" and not record.agent
        return record.agent == self.agent and (self.relays or record.trust not in OWN)

    def check_change(self, record: Record, *, vouched: bool = False) -> None:
        """Refuse a change of what is not theirs, unless it is of the owner's words alone and the
        user said them (`vouched`)."""
        may_vouch = vouched and record.agent in ("", self.agent)
        if not may_vouch and not self.owns(record):
            raise ForbiddenError(
                "{id} belongs to someone else: you can read it, but not change it",
                hint="ask whoever it belongs to, or save a memory of your own instead",
                id=record.id,
            )

    @property
    def mark(self) -> str:
        """Whoever is behind this wall, as a short text: empty for the owner, `bob`, `bob~group`."""
        return self.agent + ("~group" if self.group else "")

    def session(self, name: str) -> str:
        """The name of a session: two agents who both call theirs `default` have two."""
        mark = self.mark
        return name if not mark or name.endswith(f"@{mark}") else f"{name}@{mark}"

    def token(self, name: str) -> str:
        """An idempotency token of whoever is behind this wall; nobody else has the same."""
        if self.agent or self.group:
            return self.session(name)
        return f"{name}@" if "@" in name else name  # what an agent's ends with has no @ at its end

    def admits(self, agent: str, audience: str) -> bool:
        """Whether a memory may be seen, by whose it is and who may be told."""
        if self.alone:
            return agent == self.agent
        if self.group and audience == "private":
            return False
        return not self.agent or agent in ("", self.agent) or audience == "all"


def checked_agent(name: object) -> str:
    """The name of an agent, or empty for none; an InputError for what cannot be one."""
    printable = isinstance(name, str) and len(name) <= MAX_AGENT and name.isprintable()
    if isinstance(name, str) and printable and name == name.strip() and not _MARKS & set(name):
        return name
    raise InputError(
        "{agent} is not a valid agent name",
        hint="use 1 to {most} printable characters, without @ ~ / \\",
        agent=repr(name)[:80],
        most=MAX_AGENT,
    )


def owners_only() -> ForbiddenError:
    """The error for what is done to a space as a whole, asked for from behind a wall."""
    return ForbiddenError(
        "only the owner of the memory can do this",
        hint="repeat it without an agent, and not in a group chat; background jobs do it "
        "automatically",
    )


def documents_of(agent: str) -> Namespace:
    return (f"@{agent}",) if agent else ()


def path_of(namespace: Namespace) -> str:
    """A namespace as it is stored: one begins with another where their paths do."""
    return "".join(f"{name.replace('%', '%25').replace('/', '%2F')}/" for name in namespace)


def namespace_at(path: str) -> Namespace:
    names = path.removesuffix("/").split("/")
    return tuple(name.replace("%2F", "/").replace("%25", "%") for name in names)
