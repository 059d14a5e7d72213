"""Who the user is among people who are named: it has to be told.

A chat log names its members, and nothing in it says which of them keeps the memory. Until the owner
says so (`--me NAME`) each of them is somebody else. Said later, for turns that are in the journal
already, it puts right what was made of them: the user's own are read again, what was held of them
is let go, and what was learned from others as if the user had said it is archived.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from loxodon.guard.provenance import speaks_for_user
from loxodon.store import KnownTurn
from loxodon.store.walls import Wall
from loxodon.types import ROLES, Turn

if TYPE_CHECKING:
    from loxodon.store.store import Store

Keyed = tuple[Turn, bytes]


def key_of(name: str) -> str:
    """What two spellings of one name have in common; apps put marks before names."""
    return name.casefold().strip(" *@~")


def is_named(turn: Turn) -> bool:
    """Whether a person who is named says this."""
    return turn.role == "user" and key_of(turn.speaker) not in ("", *ROLES)


def attributed(turns: Iterable[Keyed], me: Collection[str], wall: Wall) -> list[Keyed]:
    """`turns` once it is told by which names the user speaks: what anyone else says is theirs."""
    names = set() if wall.speaks else {key_of(name) for name in me} - {""}
    found = []
    for turn, key in turns:
        if names and is_named(turn):
            if key_of(turn.speaker) in names:
                turn = turn._replace(speaker="", origin="user")
            elif turn.origin == "user":
                turn = turn._replace(origin="group")
        found.append((turn, key))
    return found


def names_given_before(turns: Sequence[Keyed], known: Sequence[KnownTurn | None]) -> set[str]:
    """The names by which the user speaks, as it was told of some of these turns before."""
    return {
        turn.speaker
        for (turn, _), here in zip(turns, known, strict=True)
        if here and here.own and turn.origin == "group" and is_named(turn)
    }


def people(turns: Iterable[Keyed]) -> tuple[str, ...]:
    """Who speaks by name where nobody is known to be the user, in order; none where somebody is."""
    names: dict[str, str] = {}
    for turn, _ in turns:
        if turn.role == "user" and turn.origin == "user":
            return ()
        if turn.origin == "group" and is_named(turn):
            names.setdefault(key_of(turn.speaker), turn.speaker)
    return tuple(names.values())


def reattribute(store: Store, turns: Sequence[Keyed], now: datetime) -> int:
    """Let turns that the journal has be said by whom they say; how many were not."""
    from loxodon.guard import quarantine

    changed = store.attribute(turns)
    rows = {int(new.ref[2:]) for _, new in changed}
    own = [int(new.ref[2:]) for _, new in changed if speaks_for_user(new)]
    for held in store.quarantine.in_turns(own).values():
        for one in held:
            if not quarantine.is_forget_request(one.reason):
                store.execute("decide_quarantine", quarantine.RELEASED, now, one.text, one.no)
    quarantine.screen(store, [new for _, new in changed], now)
    store.vectors.retold(rows)
    _archive(store, {int(old.ref[2:]) for old, _ in changed if speaks_for_user(old)}, now)
    store.worklog.let_go(rows)
    store.worklog.read_again(own)
    return len(changed)


def _archive(store: Store, rows: set[int], now: datetime) -> None:
    """Put away what nothing but these turns tells."""
    drawn = {memory for some in store.drawn_from(rows).values() for memory in some}
    said = {(turn.session, turn.id) for turn in store.turns(list(rows)).values()}
    sources = store.sources(drawn)
    for row, record in store.records(drawn).items():
        alone = all((one.session, one.turn) in said for one in sources[row])
        if alone and record.state == "active":
            store.update(record.id, None, "archived", now, {"state": "archived"})
