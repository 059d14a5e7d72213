"""Single memories: capture, look up, edit, archive, confirm and reject."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from loxodon.consolidate.decay import initial_strength
from loxodon.errors import ForbiddenError, InputError, NotFoundError, no_memory, stale_edit
from loxodon.fields import EDITABLE, checked, is_text
from loxodon.guard.provenance import is_own, is_wish, kind_for
from loxodon.opening import OpenSpace
from loxodon.security.idempotency import digest_of, done_once
from loxodon.security.permissions import origin_of
from loxodon.store import KnownTurn
from loxodon.text.words import fold
from loxodon.types import CAPTURED, Kind, Origin, Record, Role, Source, Turn
from loxodon.verbs import Arg, AtVersion, Changes, Labels, Route, Token, verb

if TYPE_CHECKING:
    from loxodon.consolidate.entities import Card
    from loxodon.consolidate.journalling import Journal
    from loxodon.store import Note
    from loxodon.views.plain import PendingEntry

# What a memory has that is captured without saying so; how certain it is depends on its kind
_UNLABELLED = {name: Record._field_defaults[name] for name in Labels.__annotations__}
_UNLABELLED |= {"confidence": None, "origin": None, "source": None, "token": ""}
BELIEF_CONFIDENCE = 0.6
_ALIKE = 20  # Memories among which one that says the same is looked for


def _refuse_past(expires: datetime | None, now: datetime) -> None:
    if expires is not None and expires <= now:
        text = f"expires_at ({expires.isoformat(timespec='minutes')})"
        raise InputError("{text} is in the past", hint="give a time in the future", text=text)


class Knowledge(OpenSpace):
    """The verbs of `Memory` for single memories."""

    @property
    def _journal(self) -> Journal:
        from loxodon.consolidate.journalling import Journal

        return Journal(self)

    @verb(
        "POST /memories",
        access="write",
        audit="writes",
        masked="always",
        status=201,
        makes_space=True,
    )
    def capture(
        self,
        content: Annotated[str, Arg("what to remember", most=10_000)],
        kind: Annotated[Kind, Arg("a fact, or a belief that is not certain")] = "fact",
        *,
        origin: Annotated[
            Origin | None, Arg("where the text came from (the user, or the agent itself)")
        ] = None,
        source: Source | None = None,
        token: Token = "",
        **labels: Unpack[Labels],
    ) -> Record:
        """Save one memory as given.

        It is on disk when this returns.

        `origin` says where the words came from; the default is the user. What an agent captures is
        its own note, as with `remember`; it cannot claim the user's origin (ForbiddenError).

        The text is also journalled (session `capture`), so the memory has a source like any other.
        The owner can name another `source`, such as the line of a file. A fact is certain; a belief
        has a confidence below 1 (default 0.6). A repeated call with the same `token` stores nothing
        and returns the result of the first.
        """
        given = {**labels, "origin": origin, "source": source, "token": token}
        return self._capture(content, kind, given, noted=self.wall.speaks)

    def _capture(
        self,
        content: str,
        kind: Kind,
        more: Mapping[str, Any],
        *,
        noted: bool,
        said_in: Turn | None = None,
    ) -> Record:
        """Store a memory; a `noted` one is believed only as far as the user's words support it, or
        is the user's own word if `said_in` is a message of theirs that says it."""
        wall, now = self.wall, self.now()
        self.refuse_if_paused()
        if unknown := more.keys() - _UNLABELLED:
            raise TypeError(f"a memory has no {min(unknown)}")
        given = {"content": content, "kind": kind, **_UNLABELLED, **more}
        confidence, source, token = (given.pop(name) for name in ("confidence", "source", "token"))
        origin = origin_of(wall, given["origin"])
        if source is not None and wall.stands:
            hint = "omit the source; the note itself is its source"
            raise ForbiddenError("only the owner can set the source of a memory", hint=hint)
        is_text("content", content)
        if noted:
            from loxodon.guard.agent_words import believed

            sure = origin == "assistant" and (said_in is not None or self._is_borne_out(content))
            kind, confidence = believed(kind, confidence, sure)
        if confidence is None:
            confidence = BELIEF_CONFIDENCE if kind == "belief" else 1.0
        given |= {"kind": kind, "confidence": confidence, "origin": origin}
        fields = self.guard.fields(checked(given, kind, self.zone))
        fields["trust"] = fields.pop("origin")
        from loxodon.consolidate.read import meaning_of

        told = meaning_of(fields["content"], now).statement
        if noted:
            _refuse_past(fields["expires_at"], now)
        elif fields["category"] == kind == "fact" and told.category == "health":
            fields |= {"category": "health", "importance": told.importance}
        if told.attribute:  # what is said of it later confirms it or takes its place
            for name in ("subject", "attribute", "value", "positive"):
                fields[name] = getattr(told, name)
            if fields["category"] == "fact":
                fields["category"] = told.category or "fact"
        names = (*fields["entities"], *(one.name for one in told.mentions))
        fields["entities"] = tuple(dict.fromkeys(names))
        if said_in is not None:
            fields["trust"] = "user"
            source = Source(said_in.session, said_in.id)
        role: Role = "assistant" if noted else "user"
        said = Turn(wall.session(CAPTURED), "", role, fields["content"], now, channel=CAPTURED)
        turn = said._replace(chat=self.chat, origin=origin, agent=wall.agent)
        request = self._request(token, "capture", {**fields, "source": source})
        key = request or os.urandom(16)  # repeated without a token: two memories
        return self._once(token, request, lambda: self._keep(turn, key, fields, source, noted))

    @verb(access="write", audit="writes")
    def remember(
        self, content: str, kind: Kind = "fact", *, quote: str = "", **more: Any
    ) -> Record:
        """Store an agent's note, as the assistant's words (see `capture` for the fields).

        It is a fact if something the user said in the last few days supports it. Otherwise it is a
        belief that waits for the user (`reviews`). It appears in no snapshot or profile before the
        user says or confirms it.

        With a `quote`, words of a journalled message of the user, it is the user's own word: the
        sentence must be a plain one in the first person, and say what is remembered. The same
        note twice is one memory.
        """
        wall = self.wall
        self.refuse_if_paused()
        given = {**_UNLABELLED, "origin": wall.voice if wall.speaks else "assistant", **more}
        said = None
        if quote and not wall.speaks:
            from loxodon.guard.agent_words import quoted, recent_user_turns

            said = quoted(content, quote, recent_user_turns(self._store, self.now()))
        known = self._known(content, given["audience"])
        if known is None:
            return self._capture(content, kind, given, noted=True, said_in=said)
        if said is not None and not is_own(known.trust):
            from loxodon.consolidate.keep import confirm

            with self._store.writing():
                now = self.now()
                known = confirm(self._store, known.id, now)
                sources = (*known.sources, Source(said.session, said.id))
                known = self._store.update(known.id, None, "edited", now, {"sources": sources})
        if given["importance"] > known.importance:
            return self._revise(known.id, None, {"importance": given["importance"]})
        return known

    def _known(self, content: str, audience: str) -> Record | None:
        """An active memory that says the same to the same people."""
        from loxodon.consolidate.reconcile import known_like

        words = fold(content).rstrip(".!。").split()
        with self._store.reading():
            for one in known_like(self._store, content, _ALIKE):
                if one.audience == audience and fold(one.content).rstrip(".!。").split() == words:
                    return self.get(one.id)
        return None

    def _is_borne_out(self, content: str) -> bool:
        """Whether something the user said in the last few days supports this."""
        from loxodon.guard.agent_words import is_supported, recent_user_turns

        said = recent_user_turns(self._store, self.now())
        return is_supported(content, [turn.content for turn in said])

    def _request(self, token: str, verb: str, asked: Mapping[str, Any]) -> bytes:
        """A digest of a call with a token; empty without a token."""
        return digest_of(self._store.wall.token(token), verb, asked) if token else b""

    def _once(self, token: str, request: bytes, do: Callable[[], Record]) -> Record:
        own = self._store.wall.token(token)  # agents cannot see each other's calls
        return done_once(self._store, own, request, self.now(), do) if token else do()

    def _keep(
        self,
        said: Turn,
        key: bytes,
        fields: Mapping[str, Any],
        source: Source | None,
        noted: bool = False,
    ) -> Record:
        """Store a memory and journal its text, which is its source."""
        wish = is_wish(fields["category"], fields.get("attribute", ""))
        kind, confidence = kind_for(fields["trust"], fields["kind"], fields["confidence"], wish)
        fields = {**fields, "kind": kind, "confidence": confidence}
        with self._store.writing():
            (kept,), held = self._journal.append([(said, key)], said.at)
            turn = kept.id if isinstance(kept, Turn) else ""
            sources = (Source(session=said.session, turn=turn), *((source,) if source else ()))
            strength = initial_strength(kind, fields["importance"], confidence)
            fields |= {"strength": strength, "agent": said.agent, "sources": sources}
            record = Record("", self.space, created_at=said.at, updated_at=said.at, **fields)
            from loxodon.consolidate.keep import Keeper, wait_for_owner
            from loxodon.guard.quarantine import insert

            if is_own(record.trust):
                return Keeper(self._store, said.at).write(record)

            lacking = [one for some in held.values() for one in some]
            record = insert(self._store, record, "captured", lacking)
            if noted:
                wait_for_owner(self._store, record, said.at)
            return record

    @verb(access="owner", audit="writes")
    def take_entries(self, entries: Sequence[PendingEntry]) -> int:
        """Import what was said and captured while the engine was off; return how many were new.

        All or none are imported. Known entries are skipped.
        """
        batch = [(self.guard.turn(one.turn), one.key) for one in entries]
        taken = 0
        with self._store.writing():
            kept: list[Turn | KnownTurn] = [KnownTurn(changed=False)] * len(batch)
            for n, (one, keyed) in enumerate(zip(entries, batch, strict=True)):
                admitted, *_ = self._journal.admitted([None], [keyed], True)
                if self._store.known([keyed]) != [None] or not admitted:
                    continue
                taken += 1
                if one.fields is None:
                    (kept[n],), _ = self._journal.append([keyed], one.turn.at)
                else:
                    self._keep(*keyed, one.fields, one.source)
        self._journal.obey(batch, kept, self.now())
        return taken

    @verb("GET /memories/{id}", audit="reads", masked="unless revealed")
    def get(self, id: str) -> Record:
        """Return one memory.

        NotFoundError if there is none with this `id`.
        """
        if (record := self._store.get(id)) is not None:
            return record
        raise no_memory(id)

    @verb("GET /notes/{id}", audit="reads", masked="always")
    def note(self, id: str) -> Note:
        """Return one chunk of a note, as found by a recall (n_12).

        NotFoundError if it no longer exists.
        """
        number = id.removeprefix("n_")
        row = int(number) if number.isascii() and number.isdecimal() and len(number) < 18 else 0
        if (note := self._store.workspace_data.notes([row]).get(row)) is not None:
            return note
        hint = "the file was changed or deleted; search again"
        raise NotFoundError("no note with the id {id}", hint=hint, id=repr(id))

    @verb("GET /entities/{name}", audit="reads", masked="always")
    def entity(self, name: str) -> Card:
        """Return what is known about a person, place or thing, by any of its names."""
        from loxodon.consolidate.entities import card

        with self._store.reading():
            found = self._store.entities_named([name])
            if name not in found:
                hint = "list the known entities with `loxodon entities`"
                raise NotFoundError("nothing is known about {name}", hint=hint, name=repr(name))
            return card(self._store, found[name])

    def _at_version(self, id: str, version: int | None) -> Record:
        """The memory, or StaleEditError if it is no longer at the given version."""
        record = self.get(id)
        if version is not None and version != record.version:
            raise stale_edit(id, record.version, version)
        return record

    @verb("PATCH /memories/{id}", access="write", audit="writes", masked="always")
    def edit(
        self, id: str, *, version: AtVersion = None, token: Token = "", **changes: Unpack[Changes]
    ) -> Record:
        """Change a memory; the old version stays in its history.

        An agent can change its own memories, and the wording of the owner's as `revise` allows.
        With `version`, raises StaleEditError if the memory has changed since. An edit that changes
        nothing makes no new version. A repeated call with the same `token` changes nothing and
        returns the result of the first.
        """
        request = self._request(token, "edit", {"id": id, "version": version, **changes})
        return self._once(token, request, lambda: self._revise(id, version, changes, agents=False))

    @verb(access="write", audit="writes")
    def revise(self, id: str, *, version: int | None = None, **changes: Unpack[Changes]) -> Record:
        """Like `edit`, for an agent: it may change the user's own words only to something the user
        said in the last few days. Otherwise raises InputError."""
        return self._revise(id, version, changes)

    def _revise(
        self, id: str, version: int | None, changes: Changes, *, agents: bool = True
    ) -> Record:
        """Change fields of a memory; for `agents`, only as far as the user's words support it."""
        if unknown := sorted(changes.keys() - EDITABLE):
            hint, may = "editable fields: {fields}", ", ".join(sorted(EDITABLE))
            raise InputError("{field} cannot be edited", hint=hint, field=unknown[0], fields=may)
        wall = self.wall
        with self._store.writing():
            record = self._at_version(id, version)
            given = self.guard.fields(checked(changes, record.kind, self.zone), record)
            if agents:
                _refuse_past(given.get("expires_at"), self.now())
            vouched = (agents or not wall.owns(record)) and self._is_vouched(record, given)
            if given.get("content", record.content) != record.content and "value" not in given:
                from loxodon.consolidate.read import revised

                given = {**revised(record, given["content"], self.now()), **given}
            fields = {name: v for name, v in given.items() if v != getattr(record, name)}
            if not fields:
                return record
            if "importance" in fields:  # the decay rate changes: start from the current strength
                fields["strength"] = record.strength
            if (agents or wall.speaks) and not is_own(record.trust) and not vouched:
                from loxodon.guard import agent_words

                wall.check_change(record)  # believed no more than if it were noted now
                words = fields.get("content", record.content)
                sure = record.trust == "assistant" and self._is_borne_out(words)
                return agent_words.edit(self._store, record, fields, sure, self.now())
            return self._store.update(id, version, "edited", self.now(), fields, vouched=vouched)

    def _is_vouched(self, record: Record, given: Mapping[str, Any]) -> bool:
        """Whether only the text changes, to something the user said on the same subject. Raises
        InputError if the user's own words would change to something nobody said."""
        from loxodon.guard import agent_words

        words, now = given.get("content", record.content), self.now()
        noted = self._store.wall.owns(record) and not is_own(record.trust)
        if noted or words == record.content:
            return False
        said = agent_words.recent_user_turns(self._store, now)
        if agent_words.is_correction(record, words, said, now):
            return given.keys() == {"content"}
        if is_own(record.trust):
            raise InputError(
                "{id} is a statement of the user, and no recent message of the user supports "
                "this change",
                hint="save it as a new memory instead; the user will be asked to confirm it",
                id=record.id,
            )
        return False

    @verb("POST /memories/{id}/archive", access="write", audit="writes", masked="always")
    def archive(self, id: str, *, version: AtVersion = None) -> Record:
        """Hide a memory from recall; it is kept."""
        return self._put(id, version, "archived")

    @verb("POST /memories/{id}/unarchive", access="write", audit="writes", masked="always")
    def unarchive(self, id: str, *, version: AtVersion = None) -> Record:
        """Bring back an archived memory.

        It gets strong enough not to fade again at once.
        """
        return self._put(id, version, "unarchived")

    def _put(self, id: str, version: int | None, change: str) -> Record:
        from loxodon.guard.quarantine import UNARCHIVED_STRENGTH

        with self._store.writing():
            record = self._at_version(id, version)
            self._store.wall.check_change(record)
            values: dict[str, Any] = {"state": "archived"}
            if change == "unarchived":
                values = {"state": "active", "strength": max(record.strength, UNARCHIVED_STRENGTH)}
            if record.state == values["state"]:
                return record
            return self._store.update(id, version, change, self.now(), values)

    @verb(
        Route("POST /memories/{id}/confirm", access="write"),
        access="owner",
        audit="writes",
        masked="always",
    )
    def confirm(self, id: str, *, version: AtVersion = None) -> Record:
        """Confirm a belief: it becomes a fact, and what it contradicts ends.

        With `version` (the one that was shown), raises StaleEditError if it has changed since. An
        agent cannot confirm for the user (ForbiddenError).
        """
        from loxodon.consolidate.keep import confirm

        with self._store.writing():
            self._at_version(id, version)
            return confirm(self._store, id, self.now())

    @verb("POST /memories/{id}/reject", access="write", audit="writes", masked="always")
    def reject(self, id: str, *, version: AtVersion = None) -> Record:
        """Reject a belief: it is archived."""
        from loxodon.consolidate.keep import reject

        with self._store.writing():
            self._at_version(id, version)
            return reject(self._store, id, self.now())
