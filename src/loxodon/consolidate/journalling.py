"""Reading and writing the journal."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from loxodon.errors import FullStoreError, NotFoundError
from loxodon.guard import speakers
from loxodon.guard.guard import LATELY
from loxodon.guard.provenance import is_own
from loxodon.journal import identity
from loxodon.security.permissions import placed
from loxodon.store import Filter, KnownTurn, Progress
from loxodon.text.check import checked_text
from loxodon.text.words import query_words
from loxodon.types import Added, Draft, Turn

if TYPE_CHECKING:
    from loxodon.opening import OpenSpace
    from loxodon.paging import Key, Slice
    from loxodon.store import QuarantinedText

BATCH = 2_000  # Turns per transaction, so that other writers do not wait longer than one takes
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
        if self._space.paused:
            return Added(0, 0, 0, (), paused=len(drafts))
        store, guard, now = self._store, self._space.guard, self._space.now()
        names = [guard.name(checked_text(name, "session", identity.MAX_SESSION)) for name in names]

        def lately(name: str) -> list[str]:
            session = store.wall.session(guard.name(name or names[0]))
            return store.column("last_texts", session, LATELY)[::-1]

        drafts, names = placed(guard.drafts(drafts, lately), names, self._space.wall)
        given = identity.with_keys(drafts, self._session(drafts, names), now)
        keyed, paused, forgotten = self.admitted(drafts, given, live)
        if live and (anew := identity.unmarked(drafts, given)):

            def size(session: str) -> int:  # counts what was forgotten of it too
                return int(store.scalar("session_size", session)) - forgotten

            keyed = identity.said_again(keyed, anew, store.known, size)
        theirs = [one for one in keyed if one[0].origin == "group" and speakers.is_named(one[0])]
        known = () if me or not theirs else speakers.names_given_before(theirs, store.known(theirs))
        keyed = speakers.attributed(keyed, me or known, self._space.wall)
        kept: list[Turn | KnownTurn] = []
        claimed = asked = 0
        unfound: tuple[str, ...] = ()
        for start in range(0, len(keyed), BATCH):
            batch = keyed[start : start + BATCH]
            with store.writing():
                if me and not store.wall.stands:
                    claimed += speakers.reattribute(store, batch, now)
                done = self.append(batch, now)[0]
            taken, missing = self.obey(batch, done, now)
            kept += done
            asked, unfound = asked + taken, unfound + missing
            if progress:
                progress(min(start + BATCH, len(keyed)), len(keyed))
        old = [one for one in kept if isinstance(one, KnownTurn)]
        changed = sum(one.changed for one in old)
        sessions = tuple(dict.fromkeys(turn.session for turn, _ in given))
        counts = len(kept) - len(old), len(old), changed, sessions, paused, forgotten
        return Added(*counts, speakers.people(keyed), claimed, asked, unfound)

    def _session(self, drafts: Sequence[Draft], names: Sequence[str]) -> str:
        """The session for drafts that name none: of several names the one that has them."""
        if len(names) == 1:
            return names[0]
        sample = [draft for draft in drafts if not draft.session][: identity.SAMPLE]

        def has(name: str) -> tuple[int, int]:
            """How many of the sample a session contains, and how many turns in total."""
            given = identity.with_keys(sample, name, self._space.now())
            keyed, _, forgotten = self.admitted(sample, given, False)
            known = self._store.known(keyed)
            size = self._store.scalar("session_size", name)
            return len(known) - known.count(None) + forgotten, size

        return identity.session_for(names, sample, has)

    def admitted(
        self, drafts: Sequence[Draft | None], keyed: list[identity.Keyed], live: bool
    ) -> tuple[list[identity.Keyed], int, int]:
        """The turns that may be added, and how many were paused and forgotten."""
        pauses = self._space.pauses.covering([turn.at for turn, _ in keyed])
        pairs = zip(drafts, keyed, pauses, strict=True)
        open = [(draft, one) for draft, one, within in pairs if not within]
        turns = [one for _, one in open]
        paused, marks = len(keyed) - len(turns), self._space.forgotten()
        found = marks.admitted([draft for draft, _ in open], turns, live) if marks else turns
        return found, paused, len(turns) - len(found)

    def append(
        self, batch: Sequence[identity.Keyed], now: datetime
    ) -> tuple[Sequence[Turn | KnownTurn], Mapping[str, Sequence[QuarantinedText]]]:
        """Append turns, and hold back instructions in words that are not the user's."""
        kept, most = self._store.append(batch), self._space.config.store.max_turns
        if 0 < most < self._store.scalar("turns_held") and Turn in map(type, kept):
            hint = "raise store.max_turns in config.toml, or `loxodon forget` what may go"
            raise FullStoreError("the memory is full: it may hold {n} messages", hint=hint, n=most)
        if all(is_own(turn.origin) for turn, _ in batch):
            return kept, {}
        from loxodon.guard.quarantine import screen

        return kept, screen(self._store, kept, now)

    def own_session(self, session: str | None) -> str | None:
        """The caller's own session of that name, or the shared one if they have none."""
        if session and self._store.wall.stands:
            own = self._store.wall.session(session)
            return own if self._store.scalar("session_size", own) else session
        return session

    def find(self, query: str, where: Filter, limit: int) -> list[Turn]:
        with self._store.reading():
            hits = self._store.search("turns", query_words(query), where, limit or _ALL)
            found = self._store.turns([hit.row for hit in hits])
        return self.heard([found[hit.row] for hit in hits if hit.row in found])

    def latest(self, where: Filter, limit: int, after: Key | None) -> Slice[Turn]:
        turns, last = self._store.page("turns", limit, after, where)
        return self.heard(turns), last

    def heard(self, turns: Sequence[Turn]) -> list[Turn]:
        """Turns as the caller may see them: only the owner sees held-back text."""
        if not self._store.wall.stands:
            return [*turns]
        from loxodon.guard.quarantine import heard

        return heard(self._store, turns)

    def turn(self, ref: str) -> Turn:
        """The turn with this `ref` (t_512, or session and id), or NotFoundError."""
        number, (session, _, id) = ref.removeprefix("t_"), ref.rpartition(":")
        row: int | None = 0
        if number.isascii() and number.isdecimal() and len(number) < 18:
            row = int(number)
        elif ":" in ref:
            own, scalar = self._store.wall.session(session), self._store.scalar
            row = scalar("turn_row", own, id) or scalar("turn_row", session, id)
        turn = self._store.turns([row]).get(row) if row else None
        if turn is None:
            hint = "list the messages with `loxodon journal`"
            raise NotFoundError("no turn with the id {ref}", hint=hint, ref=repr(ref))
        return self.heard([turn])[0]

    def obey(
        self, batch: Sequence[identity.Keyed], kept: Sequence[Turn | KnownTurn], now: datetime
    ) -> tuple[int, tuple[str, ...]]:
        """Put away what turns just journalled ask to have forgotten, each once: how many ask, and
        what nobody spoke of."""
        from loxodon.language.forget import may_ask

        answers = [one for one in kept if isinstance(one, Turn) and one.role == "assistant"]
        before = (int(one.ref[2:]) - 1 for one in answers)
        asks = any(may_ask(turn.content) for turn, _ in batch)
        if not asks and not self._store.quarantine.in_turns(before):
            return 0, ()
        from loxodon.forget import requests

        return requests.obey(self._store, [key for _, key in batch], now)
