"""What was said: the journal, in and out."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from loxodon.errors import NotFoundError
from loxodon.fields import filter_of, number
from loxodon.layout import FORGOTTEN
from loxodon.store import KnownTurn, Progress
from loxodon.text.check import checked_text
from loxodon.text.words import query_words
from loxodon.trust.access.within import placed
from loxodon.trust.audit.witness import MEMORY, audited
from loxodon.trust.guard.guard import LATELY
from loxodon.trust.origin import claiming
from loxodon.trust.origin.provenance import is_own
from loxodon.types import Added, Draft, Events, Segments, Turn
from loxodon.verbs.base import Opened
from loxodon.write.journal import SAMPLE, session_for, with_keys

if TYPE_CHECKING:
    from loxodon.store import QuarantinedText


BATCH = 2_000
"""Turns written in one transaction: others who write wait no longer than this takes."""
MAX_SESSION = 512
_ALL = 1 << 40


@audited(MEMORY)
class Saying(Opened):
    """The verbs about turns."""

    def add(
        self,
        turns: Iterable[Mapping[str, object]],
        session: str = "",
        progress: Progress | None = None,
        *,
        me: Collection[str] = (),
    ) -> Added:
        """Journal turns, in order. When this returns they are on disk and can be recalled.

        A turn is a mapping with `role` and `content`, and where known `at`, `speaker`, `id`,
        `session`, `channel`, `chat`, `origin`. One that cannot be taken refuses them all, with an
        InputError that names each. A turn the journal already has is not added again: the same by
        its `id` in its session; without an id, by its session, its place among the turns of this
        call, and its words (and `at`, where given). Give live messages an `id` or an `at`, so that
        a message said twice is two.

        `me` are the names (`speaker`) by which the user speaks in these turns: theirs are the
        user's own, and those of others who are named are not. It counts for turns that were added
        before as well.
        """
        from loxodon.workspace.readers.jsonl import drafts_of

        drafts = drafts_of(turns, self._zone)
        return self.add_drafts(drafts, [session or "default"], progress, live=True, me=me)

    def add_drafts(
        self,
        drafts: Sequence[Draft],
        names: Sequence[str],
        progress: Progress | None = None,
        *,
        live: bool = False,
        me: Collection[str] = (),
    ) -> Added:
        """What `add` does, for turns that a reader has checked (`workspace.readers.read`).

        Those that name no session get the first of `names` that is free or begins like them. What
        was said in a pause, and what was forgotten, is not taken; of a turn without a time nobody
        knows when it was said, unless it is `live`.
        """
        if self.paused:
            return Added(0, 0, 0, (), paused=len(drafts))
        names = [self.guard.name(checked_text(name, "session", MAX_SESSION)) for name in names]
        drafts = self.guard.drafts(drafts, lambda name: self._lately(name or names[0]))
        drafts, names = placed(drafts, names, self._store.wall)
        self._note_used()
        now = self.now()
        unnamed = [draft for draft in drafts if not draft.session]
        session = names[0]
        if len(names) > 1:
            sample = unnamed[:SAMPLE]
            session = session_for(names, sample, lambda name: self._has(name, sample, now))
        given = with_keys(drafts, session, now)
        keyed, paused, forgotten = self._admitted(drafts, given, live)
        keyed = claiming.attributed(keyed, me or self._told_before(keyed), self._store.wall)
        added = changed = claimed = asked = 0
        for start in range(0, len(keyed), BATCH):
            batch = keyed[start : start + BATCH]
            with self._store.writing():
                if me and not self._store.wall.stands:
                    claimed += claiming.put_right(self._store, batch, now)
                kept = self._append(batch, now)[0]
                asked += self._obey(kept, now)
            added += sum(isinstance(one, Turn) for one in kept)
            changed += sum(isinstance(one, KnownTurn) and one.changed for one in kept)
            if progress:
                progress(min(start + BATCH, len(keyed)), len(keyed))
        sessions = tuple(dict.fromkeys(turn.session for turn, _ in given))
        return Added(
            added,
            len(keyed) - added,
            changed,
            sessions,
            paused,
            forgotten,
            claiming.people(keyed),
            claimed,
            asked,
        )

    def _told_before(self, keyed: Sequence[tuple[Turn, bytes]]) -> Collection[str]:
        """By which names the user speaks, where these turns are of people who are named."""
        theirs = [one for one in keyed if one[0].origin == "group" and claiming.is_named(one[0])]
        return claiming.told_before(theirs, self._store.known(theirs)) if theirs else ()

    def _lately(self, session: str) -> list[str]:
        """The last texts of a session, oldest first."""
        return self._store.last_texts(self._store.wall.session(self.guard.name(session)), LATELY)

    def _admitted(
        self, drafts: Sequence[Draft | None], keyed: list[tuple[Turn, bytes]], live: bool
    ) -> tuple[list[tuple[Turn, bytes]], int, int]:
        """What may be journalled, how many were said in a pause, and how many were forgotten."""
        pairs = list(zip(drafts, keyed, strict=True))
        open = [pair for pair in pairs if not self._pauses.covers(pair[1][0].at)]
        paused = len(pairs) - len(open)
        if not os.path.exists(os.path.join(self._folder, FORGOTTEN)):
            return [one for _, one in open], paused, 0
        found = self._gate().admitted([one for one, _ in open], [one for _, one in open], live)
        return found.keyed, paused, found.forgotten

    def _append(
        self, batch: Sequence[tuple[Turn, bytes]], now: datetime
    ) -> tuple[Sequence[Turn | KnownTurn], Mapping[str, Sequence[QuarantinedText]]]:
        """Journal turns, and hold back what is an instruction in words that nobody vouches for."""
        kept = self._store.append(batch)
        if all(is_own(turn.origin) for turn, _ in batch):
            return kept, {}
        from loxodon.trust.origin.quarantine import screen

        return kept, screen(self._store, kept, now)

    def _obey(self, kept: Sequence[Turn | KnownTurn], now: datetime) -> int:
        """Put away what turns just journalled ask to have forgotten; how many ask."""
        from loxodon.language.forget import may_ask

        if not any(isinstance(one, Turn) and may_ask(one.content) for one in kept):
            return 0
        from loxodon.trust.forget.asked import obey

        return obey(self._store, kept, now)

    def _has(self, session: str, drafts: Sequence[Draft], now: datetime) -> tuple[int, int]:
        """How many of these drafts a session has, and how many turns it has in all."""
        keyed, _, forgotten = self._admitted(drafts, with_keys(drafts, session, now), False)
        known = self._store.known(keyed)
        return len(known) - known.count(None) + forgotten, self._store.session_size(session)

    def journal(
        self,
        query: str = "",
        *,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 0,
    ) -> list[Turn]:
        """Turns as they were said, oldest first; with a query those that match it, best first.

        `until` is exclusive. `limit` keeps the latest, or the best; 0 keeps all.
        """
        if session and self._store.wall.stands:  # its own of that name; else the shared one
            own = self._store.wall.session(session)
            session = own if self._store.session_size(own) else session
        where = filter_of(self._zone, session=session, since=since, until=until)
        limit = number("limit", limit)
        if not query:
            return self._heard(self._store.journal(where, limit))
        with self._store.reading():
            hits = self._store.search("turns", query_words(query), where, limit or _ALL)
            found = self._store.turns([hit.row for hit in hits])
        return self._heard([found[hit.row] for hit in hits if hit.row in found])

    def _heard(self, turns: Sequence[Turn]) -> list[Turn]:
        """Turns as whoever asks may be told them: of what is held back, the owner alone."""
        if not self._store.wall.stands:
            return [*turns]
        from loxodon.trust.origin.quarantine import heard

        return heard(self._store, turns)

    def turn(self, ref: str) -> Turn:
        """The turn called `ref` (`t_512`, or `monday:m3` as in a source); else NotFoundError."""
        number = ref.removeprefix("t_")
        row: int | None = 0
        if number.isascii() and number.isdecimal() and len(number) < 18:
            row = int(number)
        elif ":" in ref:
            session, _, id = ref.rpartition(":")
            own = self._store.wall.session(session)
            row = self._store.turn_row(own, id) or self._store.turn_row(session, id)
        turn = self._store.turns([row]).get(row) if row else None
        if turn is None:
            raise NotFoundError(
                "no turn with the id {ref}",
                hint="list the messages with `loxodon journal`",
                ref=repr(ref),
            )
        return self._heard([turn])[0]

    def segments(self, since: datetime | None = None) -> Segments:
        """What was said, cut into stretches of one topic, in order of time."""
        return self._store.worklog.segments(since)

    def events(self, since: datetime | None = None) -> Events:
        """What was talked about, a line for each session and day, in order of time."""
        return self._store.worklog.events(f"{since:%Y-%m-%d}" if since else "")
