"""Reading and writing the journal."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from loxodon.errors import NotFoundError
from loxodon.guard import speakers
from loxodon.guard.guard import LATELY
from loxodon.guard.provenance import is_own
from loxodon.journal.identity import (
    MAX_SESSION,
    SAMPLE,
    Keyed,
    said_again,
    session_for,
    unmarked,
    with_keys,
)
from loxodon.security.permissions import placed
from loxodon.store import Filter, KnownTurn, Progress
from loxodon.text.check import checked_text
from loxodon.text.words import query_words
from loxodon.types import Added, Draft, Turn

if TYPE_CHECKING:
    from loxodon.opening import OpenSpace
    from loxodon.paging import Key, Slice
    from loxodon.store import QuarantinedText
    from loxodon.store.store import Store

BATCH = 2_000
"""Turns per transaction, so that other writers do not wait longer than one takes."""
_ALL = 1 << 40


class Journal:
    """The turns of a space."""

    def __init__(self, space: OpenSpace) -> None:
        self._space = space
        self._store = space.store

    def add(
        self,
        drafts: Sequence[Draft],
        names: Sequence[str],
        progress: Progress | None,
        live: bool,
        me: Collection[str],
    ) -> Added:
        """Add drafts; see `Memory.add_drafts`."""
        if self._space.paused:
            return Added(0, 0, 0, (), paused=len(drafts))
        guard, wall = self._space.guard, self._space.wall
        names = [guard.name(checked_text(name, "session", MAX_SESSION)) for name in names]
        drafts = guard.drafts(drafts, lambda name: self._lately(name or names[0]))
        drafts, names = placed(drafts, names, wall)
        now = self._space.now()
        session = names[0]
        if len(names) > 1:
            sample = [draft for draft in drafts if not draft.session][:SAMPLE]
            session = session_for(names, sample, lambda name: self._has(name, sample, now))
        given = with_keys(drafts, session, now)
        keyed, paused, forgotten = self.admitted(drafts, given, live)
        if live and (anew := unmarked(drafts, given)):
            # A session counts what was forgotten of it too.
            size = self._store.session_size
            keyed = said_again(keyed, anew, self._store.known, lambda name: size(name) - forgotten)
        keyed = speakers.attributed(keyed, me or self._claimed_before(keyed), wall)
        added, changed, claimed, asked, unfound = self._write(keyed, me, now, progress)
        sessions = tuple(dict.fromkeys(turn.session for turn, _ in given))
        known, people = len(keyed) - added, speakers.people(keyed)
        return Added(
            added, known, changed, sessions, paused, forgotten, people, claimed, asked, unfound
        )

    def _write(
        self, keyed: Sequence[Keyed], me: Collection[str], now: datetime, progress: Progress | None
    ) -> tuple[int, int, int, int, tuple[str, ...]]:
        """Append turns; return how many are new, known with other words, claimed, and ask to have
        something forgotten, and what of that nobody ever spoke of."""
        added = changed = claimed = asked = 0
        unfound: tuple[str, ...] = ()
        for start in range(0, len(keyed), BATCH):
            batch = keyed[start : start + BATCH]
            with self._store.writing():
                if me and not self._store.wall.stands:
                    claimed += speakers.reattribute(self._store, batch, now)
                kept = self.append(batch, now)[0]
                taken, missing = obey(self._store, kept, now)
            asked, unfound = asked + taken, unfound + missing
            added += sum(isinstance(one, Turn) for one in kept)
            changed += sum(isinstance(one, KnownTurn) and one.changed for one in kept)
            if progress:
                progress(min(start + BATCH, len(keyed)), len(keyed))
        return added, changed, claimed, asked, unfound

    def _claimed_before(self, keyed: Sequence[Keyed]) -> Collection[str]:
        """The user's speaker names, as given when these turns were added before."""
        theirs = [one for one in keyed if one[0].origin == "group" and speakers.is_named(one[0])]
        return speakers.names_given_before(theirs, self._store.known(theirs)) if theirs else ()

    def _lately(self, session: str) -> list[str]:
        """The last texts of a session, oldest first."""
        name = self._space.guard.name(session)
        return self._store.column("last_texts", self._store.wall.session(name), LATELY)[::-1]

    def admitted(
        self, drafts: Sequence[Draft | None], keyed: list[Keyed], live: bool
    ) -> tuple[list[Keyed], int, int]:
        """The turns that may be added, and how many were paused and forgotten."""
        pairs = list(zip(drafts, keyed, strict=True))
        pauses = self._space.pauses.covering([turn.at for turn, _ in keyed])
        open = [pair for pair, within in zip(pairs, pauses, strict=True) if not within]
        paused = len(pairs) - len(open)
        turns = [one for _, one in open]
        marks = self._space.forgotten()
        if marks is None:
            return turns, paused, 0
        found = marks.admitted([one for one, _ in open], turns, live)
        return found, paused, len(turns) - len(found)

    def append(
        self, batch: Sequence[Keyed], now: datetime
    ) -> tuple[Sequence[Turn | KnownTurn], Mapping[str, Sequence[QuarantinedText]]]:
        """Append turns, and hold back instructions in words that are not the user's.

        Call inside `Store.writing`.
        """
        kept = self._store.append(batch)
        if all(is_own(turn.origin) for turn, _ in batch):
            return kept, {}
        from loxodon.guard.quarantine import screen

        return kept, screen(self._store, kept, now)

    def _has(self, session: str, drafts: Sequence[Draft], now: datetime) -> tuple[int, int]:
        """How many of these drafts a session contains, and how many turns in total."""
        keyed, _, forgotten = self.admitted(drafts, with_keys(drafts, session, now), False)
        known = self._store.known(keyed)
        return len(known) - known.count(None) + forgotten, self._store.session_size(session)

    def own_session(self, session: str | None) -> str | None:
        """The caller's own session of that name, or the shared one if they have none."""
        if session and self._store.wall.stands:
            own = self._store.wall.session(session)
            return own if self._store.session_size(own) else session
        return session

    def find(self, query: str, where: Filter, limit: int) -> list[Turn]:
        """The turns that match a query, as they were said, best first."""
        with self._store.reading():
            hits = self._store.search("turns", query_words(query), where, limit or _ALL)
            found = self._store.turns([hit.row for hit in hits])
        return self.heard([found[hit.row] for hit in hits if hit.row in found])

    def latest(self, where: Filter, limit: int, after: Key | None) -> Slice[Turn]:
        """The turns that match `where`, as they were said, newest first."""
        turns, last = self._store.page("turns", limit, after, where)
        return self.heard(turns), last

    def heard(self, turns: Sequence[Turn]) -> list[Turn]:
        """Turns as the caller may see them: only the owner sees held-back text."""
        if not self._store.wall.stands:
            return [*turns]
        from loxodon.guard.quarantine import heard

        return heard(self._store, turns)

    def turn(self, ref: str) -> Turn:
        """The turn with this `ref`, or NotFoundError."""
        number = ref.removeprefix("t_")
        row: int | None = 0
        if number.isascii() and number.isdecimal() and len(number) < 18:
            row = int(number)
        elif ":" in ref:
            session, _, id = ref.rpartition(":")
            own = self._store.wall.session(session)
            row = self._store.scalar("turn_row", own, id) or self._store.scalar(
                "turn_row", session, id
            )
        turn = self._store.turns([row]).get(row) if row else None
        if turn is None:
            raise NotFoundError(
                "no turn with the id {ref}",
                hint="list the messages with `loxodon journal`",
                ref=repr(ref),
            )
        return self.heard([turn])[0]


def obey(
    store: Store, kept: Sequence[Turn | KnownTurn], now: datetime
) -> tuple[int, tuple[str, ...]]:
    """Put away what turns just added ask to have forgotten; return how many ask, and what they ask
    that nobody ever spoke of.

    Call inside `Store.writing`.
    """
    from loxodon.language.forget import may_ask

    fresh = [one for one in kept if isinstance(one, Turn)]
    answers = [int(one.ref[2:]) - 1 for one in fresh if one.role == "assistant"]
    if not any(may_ask(one.content) for one in fresh) and not store.quarantine.in_turns(answers):
        return 0, ()
    from loxodon.forget.requests import obey

    return obey(store, kept, now)
