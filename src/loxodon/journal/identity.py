"""What makes two turns the same turn, so that the same file added twice adds nothing.

A turn with an id is known by its session and that id. One without is known by its session, its
place in what was handed in, and what was said by whom (and when, where that is given). The place
is the line of the file: a line that could not be read and is mended later moves no other.

A live turn with neither id nor time has no place: who says `yes` again says it again
(`said_again`). Only a list that repeats its session from the beginning is one that has grown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from hashlib import blake2b

from loxodon.types import ORIGIN_OF_ROLE, Draft, Turn

Keyed = tuple[Turn, bytes]

MAX_SESSION = 512  # Characters that the name of a session may have
SAMPLE = 200  # Turns at its beginning by which a file is recognised as one that was added before
_ALIKE = 0.75


def with_keys(drafts: Sequence[Draft], session: str, now: datetime) -> list[Keyed]:
    """Drafts as turns, each with its key; what a draft does not say is filled in."""
    times: dict[str, datetime] = {}
    for draft in drafts:
        if draft.at:
            times.setdefault(draft.session or session, draft.at)
    found = []
    for draft in drafts:
        name = draft.session or session
        at = times[name] = draft.at or times.get(name, now)
        origin = draft.origin or ORIGIN_OF_ROLE[draft.role]
        kept = draft._replace(session=name, at=at, origin=origin)._asdict()
        del kept["line"]
        found.append((Turn(**kept), _key(draft, name)))
    return found


def unmarked(drafts: Sequence[Draft], keyed: Sequence[Keyed]) -> frozenset[bytes]:
    pairs = zip(drafts, keyed, strict=True)
    return frozenset(key for draft, (_, key) in pairs if not draft.id and draft.at is None)


def said_again(
    keyed: list[Keyed],
    unmarked: Collection[bytes],
    known: Callable[[Sequence[Keyed]], Sequence[object]],
    size: Callable[[str], int],
) -> list[Keyed]:
    """The turns of a live call, where those that are `unmarked` are new however often they were
    said; but not where a session begins with them, nor in a list that repeats its session from
    the beginning. `known` says which turns the journal has, `size` how many a session has."""
    anew: set[str] = set()
    for session in dict.fromkeys(turn.session for turn, key in keyed if key in unmarked):
        before = size(session)
        turns = [one for one in keyed if one[0].session == session]
        has = [one is not None for one in known(turns)] if before and len(turns) > 1 else [False]
        run = has.index(False) if False in has else len(has)
        if before and run < min(len(turns), before):
            anew.add(session)
    return [
        (turn, os.urandom(16) if key in unmarked and turn.session in anew else key)
        for turn, key in keyed
    ]


def key_of(session: str, id: str) -> bytes:
    return digest("id", session, id)


def _key(draft: Draft, session: str) -> bytes:
    if draft.id:
        return key_of(session, draft.id)
    # The time on the wall: another time zone in the settings does not make another turn.
    at = draft.at.replace(tzinfo=None).isoformat() if draft.at else ""
    return digest("at", session, str(draft.line), draft.role, draft.speaker, at, draft.content)


def digest(*parts: str) -> bytes:
    """What tells texts apart, in this order."""
    # Lengths keep ("ab", "c") and ("a", "bc") apart.
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def session_for(
    names: Sequence[str], drafts: Sequence[Draft], known: Callable[[str], tuple[int, int]]
) -> str:
    """The first of `names` that is free or has the file: two files of one name are two
    conversations, unless most of one stands in the other. `known` tells how many of these
    drafts a session has, and how many turns in all."""
    for name in names:
        has, size = known(name)
        if has >= _ALIKE * min(size, len(drafts)):
            return name
    return names[-1]
