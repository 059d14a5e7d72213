"""What makes two turns the same turn, so that the same file added twice adds nothing.

A turn with an id is known by its session and that id. One without is known by its session, its
place among the turns handed in for that session, and what was said by whom (and when, where that
is given).
"""

from __future__ import annotations

from _blake2 import blake2b  # hashlib would load OpenSSL, 3 ms of a cold command
from collections.abc import Iterable, Iterator
from datetime import datetime

from loxodon.types import ORIGIN_OF_ROLE, Draft, Turn


def with_keys(drafts: Iterable[Draft], session: str, now: datetime) -> Iterator[tuple[Turn, bytes]]:
    """Drafts as turns, each with its key; what a draft does not say is filled in.

    `session` is for drafts that name none; those without a time are said to be of `now`.
    """
    places: dict[str, int] = {}
    for draft in drafts:
        name = draft.session or session
        place = places[name] = places.get(name, -1) + 1
        parts: tuple[str, ...]
        if draft.id:
            parts = ("id", name, draft.id)
        else:
            at = draft.at.isoformat() if draft.at else ""
            parts = ("at", name, str(place), draft.role, draft.speaker, at, draft.content)
        # Lengths keep ("ab", "c") and ("a", "bc") apart.
        text = "".join(f"{len(part)}:{part}" for part in parts)
        turn = Turn(
            name, draft.id, draft.role, draft.content, draft.at or now, draft.speaker,
            draft.channel, draft.chat, draft.origin or ORIGIN_OF_ROLE[draft.role],
        )  # fmt: skip
        yield turn, blake2b(text.encode(), digest_size=16).digest()
