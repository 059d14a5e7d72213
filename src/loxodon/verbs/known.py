"""What is known: memories, one at a time, and whom they are about."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Unpack

from loxodon.errors import ForbiddenError, InputError, NotFoundError, no_memory, stale_edit
from loxodon.fields import EDITABLE, Changes, checked, choice, filter_of, is_text, moment, number
from loxodon.trust.access.within import origin_of
from loxodon.trust.audit.witness import MEMORY, audited
from loxodon.trust.origin.provenance import is_own, is_wish, kind_for
from loxodon.types import (
    CAPTURED,
    GENERAL_TOPIC,
    GLOBAL_PROJECT,
    Audience,
    Card,
    Changed,
    Entities,
    Held,
    HeldBack,
    Kind,
    Origin,
    Record,
    Records,
    Reviews,
    Source,
    State,
    Turn,
    Versions,
)
from loxodon.verbs.said import Saying
from loxodon.write.decay import initial_strength

if TYPE_CHECKING:
    from loxodon.live.pending import PendingEntry
    from loxodon.store import Note


BELIEF_CONFIDENCE = 0.6
_UNSAID: Mapping[str, Any] = {
    "importance": 0.5,
    "confidence": None,
    "entities": (),
    "tags": (),
    "project": GLOBAL_PROJECT,
    "topic": GENERAL_TOPIC,
    "category": "fact",
    "expires_at": None,
    "audience": "private",
    "source": None,
    "token": "",
}
"""What a memory is where nothing is said of it."""


@audited(MEMORY)
class Knowing(Saying):
    """The verbs about memories."""

    def capture(
        self,
        content: str,
        kind: Kind = "fact",
        *,
        importance: float = 0.5,
        confidence: float | None = None,
        entities: Sequence[str] = (),
        tags: Sequence[str] = (),
        project: str = GLOBAL_PROJECT,
        topic: str = GENERAL_TOPIC,
        category: str = "fact",
        expires_at: datetime | None = None,
        audience: Audience = "private",
        origin: Origin | None = None,
        source: Source | None = None,
        token: str = "",
    ) -> Record:
        """Keep a memory as it is given, on disk when this returns.

        `origin` is where the words came from, the user where it is not given. What an agent keeps
        is its own note, as by `remember`; it cannot call it the user's (ForbiddenError).

        The words also go to the journal (session `capture`), so that the memory has a source like
        any other; `source` is one more, such as the line of a file where it stands, and the
        owner's to say. A fact is certain; a belief has a confidence below 1 (0.6 where none is
        given). The same again with the same `token` keeps nothing more, and gives what the first
        call gave.
        """
        return self._captured(
            content,
            kind,
            confidence,
            origin,
            source,
            token,
            self._store.wall.speaks,
            importance=importance,
            entities=entities,
            tags=tags,
            project=project,
            topic=topic,
            category=category,
            expires_at=expires_at,
            audience=audience,
        )

    def _captured(
        self,
        content: str,
        kind: Kind,
        confidence: float | None,
        origin: Origin | None,
        source: Source | None,
        token: str,
        noted: bool,
        **more: Any,
    ) -> Record:
        """Keep a memory; one that is `noted` is believed as far as the user's words bear it out."""
        self.refuse_if_paused()
        origin = origin_of(self._store.wall, origin)
        if source is not None and self._store.wall.stands:
            raise ForbiddenError(
                "only the owner can set the source of a memory",
                hint="omit the source; the note itself is its source",
            )
        is_text("content", content)
        if noted:
            from loxodon.trust.origin.remembering import believed

            sure = origin == "assistant" and self._is_borne_out(content)
            kind, confidence = believed(kind, confidence, sure)
        if confidence is None:
            confidence = BELIEF_CONFIDENCE if kind == "belief" else 1.0
        given = {"content": content, "kind": kind, "confidence": confidence, "origin": origin}
        fields = self.guard.fields(checked({**given, **more}, kind, self._zone))
        fields["trust"] = fields.pop("origin")
        session = self._store.wall.session(CAPTURED)
        said = Turn(
            session,
            "",
            "user",
            fields["content"],
            self.now(),
            channel=CAPTURED,
            chat=self.chat,
            origin=origin,
            agent=self.agent,
        )
        request = self._request(token, "capture", {**fields, "source": source})
        key = request or os.urandom(16)  # said again is said twice
        return self._once(
            token, request, lambda: self._keep_captured(said, key, fields, source, noted)
        )

    def _is_borne_out(self, content: str) -> bool:
        """Whether the user said in the last days what this says."""
        from loxodon.trust.origin import remembering

        said = remembering.said_lately(self._store, self.now())
        return remembering.is_borne_out(content, [turn.content for turn in said])

    def _request(self, token: str, verb: str, asked: Mapping[str, Any]) -> bytes:
        """What a call with a token asks for, as a digest; empty without one."""
        if not token:
            return b""
        from loxodon.trust.access.once import request_of

        return request_of(self._store.wall.token(token), verb, asked)

    def _once(self, token: str, request: bytes, do: Callable[[], Record]) -> Record:
        if not token:
            return do()
        from loxodon.trust.access.once import once

        token = self._store.wall.token(token)  # nobody learns from one what another did
        return once(self._store, token, request, self.now(), self.config.idempotency.days, do)

    def _keep_captured(
        self,
        said: Turn,
        key: bytes,
        fields: Mapping[str, Any],
        source: Source | None,
        noted: bool = False,
    ) -> Record:
        kind, confidence = kind_for(
            fields["trust"],
            fields["kind"],
            fields["confidence"],
            is_wish(fields["category"], fields.get("attribute", "")),
        )
        fields = {**fields, "kind": kind, "confidence": confidence}
        strength = initial_strength(kind, fields["importance"], confidence)
        with self._store.writing():
            (kept,), held = self._append([(said, key)], said.at)
            turn = kept.id if isinstance(kept, Turn) else ""
            sources = (Source(session=said.session, turn=turn), *((source,) if source else ()))
            record = Record(
                id="",
                space=self.space,
                created_at=said.at,
                updated_at=said.at,
                strength=strength,
                sources=sources,
                agent=said.agent,
                **fields,
            )
            if is_own(record.trust):
                return self._store.insert(record, "captured")
            from loxodon.trust.origin.quarantine import insert
            from loxodon.write.beliefs import wait_for_owner

            lacking = [one for some in held.values() for one in some]
            record = insert(self._store, record, "captured", lacking)
            if noted:
                wait_for_owner(self._store, record, said.at)
            return record

    def remember(self, content: str, kind: Kind = "fact", **more: Any) -> Record:
        """Keep what an agent noted, as the assistant's words (`capture` has the fields).

        It is a fact where what the user said in the last days bears it out, else a belief that
        waits for the user (`reviews`). No page tells it before the user says or confirms it.
        """
        wall = self._store.wall
        origin = more.pop("origin", wall.voice if wall.speaks else "assistant")
        about = {**_UNSAID, **more}
        confidence, source, token = (about.pop(one) for one in ("confidence", "source", "token"))
        unknown = about.keys() - _UNSAID.keys()
        if unknown:
            raise TypeError(f"remember() got an unexpected argument {min(unknown)!r}")
        return self._captured(content, kind, confidence, origin, source, token, True, **about)

    def revise(self, id: str, *, version: int | None = None, **changes: Unpack[Changes]) -> Record:
        """What `edit` does, for an agent: the user's own words it may change only to what the user
        said in the last days; else an InputError says so."""
        return self._edit(id, version, changes, agents=True)

    def take_entries(self, entries: Sequence[PendingEntry]) -> int:
        """Take in what was said and captured while the engine was off; how many were new.

        All of them or none; what is here already is passed over.
        """
        taken = 0
        with self._store.writing():
            for one in (one._replace(turn=self.guard.turn(one.turn)) for one in entries):
                admitted, *_ = self._admitted([None], [(one.turn, one.key)], True)
                (known,) = self._store.known([(one.turn, one.key)])
                if known is not None or not admitted:
                    continue
                taken += 1
                if one.fields is None:
                    self._obey(self._append([(one.turn, one.key)], one.turn.at)[0], one.turn.at)
                else:
                    self._keep_captured(one.turn, one.key, one.fields, one.source)
        return taken

    def get(self, id: str) -> Record:
        """The memory called `id`; NotFoundError if there is none."""
        record = self._store.get(id)
        if record is not None:
            return record
        if id.startswith("t_"):
            raise NotFoundError(
                "{id} is a turn, not a memory",
                hint="turns cannot be changed; see it with `loxodon get {id}`",
                id=id,
            )
        if id.startswith("n_"):
            raise NotFoundError(
                "{id} is a note in a file, not a memory",
                hint="edit the file; `loxodon get {id}` shows where it is",
                id=id,
            )
        raise no_memory(id)

    def note(self, id: str) -> Note:
        """The note of a file that a recall calls `id` (`n_12`); NotFoundError if it is gone."""
        number = id.removeprefix("n_")
        row = int(number) if number.isascii() and number.isdecimal() and len(number) < 18 else 0
        note = self._store.workspace_data.notes([row]).get(row)
        if note is None:
            raise NotFoundError(
                "no note with the id {id}",
                hint="the file was changed or deleted; search again",
                id=repr(id),
            )
        return note

    def list(
        self,
        *,
        kind: Kind | None = None,
        state: State | Literal["all"] | None = "active",
        project: str | None = None,
        topic: str | None = None,
        tag: str | None = None,
        entity: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 0,
        audience: Audience | None = None,
    ) -> Records:
        """Memories, newest first; `state` None or `all` has the archived ones too."""
        where = filter_of(
            self._zone,
            kind=kind,
            state=None if state == "all" else state,
            project=project,
            topic=topic,
            tag=tag,
            entity=entity,
            since=since,
            until=until,
            told=audience,
        )
        return self._store.find(where, number("limit", limit))

    def edit(
        self, id: str, *, version: int | None = None, token: str = "", **changes: Unpack[Changes]
    ) -> Record:
        """Change fields of a memory (see `Changes`); what it was stays in its history.

        Behind a wall one changes one's own; of what is the owner's the words, as `revise` does.
        With `version` the edit is refused with a StaleEditError unless the memory is still at that
        version. An edit that changes nothing makes no new version. The same again with the same
        `token` changes nothing more, and gives what the first call gave.
        """
        request = self._request(token, "edit", {"id": id, "version": version, **changes})
        return self._once(token, request, lambda: self._edit(id, version, changes))

    def _edit(
        self, id: str, version: int | None, changes: Changes, *, agents: bool = False
    ) -> Record:
        unknown = sorted(changes.keys() - EDITABLE)
        if unknown:
            raise InputError(
                "{field} cannot be edited",
                hint="editable fields: {fields}",
                field=unknown[0],
                fields=", ".join(sorted(EDITABLE)),
            )
        with self._store.writing():
            record = self._at_version(id, version)
            given = self.guard.fields(checked(changes, record.kind, self._zone), record)
            wall = self._store.wall
            vouched = (agents or not wall.owns(record)) and self._is_vouched(record, given)
            if given.get("content", record.content) != record.content and "value" not in given:
                from loxodon.write.meaning import revised

                given = {**revised(record, given["content"], self.now()), **given}
            fields = {name: v for name, v in given.items() if v != getattr(record, name)}
            if not fields:
                return record
            if "importance" in fields:  # the rate of decay changes: count on from what is left
                fields["strength"] = record.strength
            if (agents or wall.speaks) and not is_own(record.trust) and not vouched:
                return self._edit_noted(record, fields)
            return self._store.update(id, version, "edited", self.now(), fields, vouched=vouched)

    def _edit_noted(self, record: Record, fields: Mapping[str, Any]) -> Record:
        """Change what an agent noted: believed no further than if it were noted now."""
        from loxodon.trust.origin import remembering

        self._store.wall.check_change(record)
        words = fields.get("content", record.content)
        sure = record.trust == "assistant" and self._is_borne_out(words)
        return remembering.edit(self._store, record, fields, sure, self.now())

    def _is_vouched(self, record: Record, given: Mapping[str, Any]) -> bool:
        """Whether the words alone are changed, to what the user said of the same; an InputError
        where the user's own words would be changed to what nobody said."""
        from loxodon.trust.origin import remembering

        words = given.get("content", record.content)
        noted = self._store.wall.owns(record) and not is_own(record.trust)
        if noted or words == record.content:
            return False
        said = remembering.said_lately(self._store, self.now())
        if remembering.is_put_right(record, words, said, self.now()):
            return given.keys() == {"content"}
        if is_own(record.trust):
            raise InputError(
                "{id} is a statement of the user, and no recent message of the user supports "
                "this change",
                hint="save it as a new memory instead; the user will be asked to confirm it",
                id=record.id,
            )
        return False

    def archive(self, id: str, *, version: int | None = None) -> Record:
        """Take a memory out of ordinary recall; it is kept and can come back."""
        with self._store.writing():
            record = self._own(id, version)
            if record.state == "archived":
                return record
            return self._store.update(id, version, "archived", self.now(), {"state": "archived"})

    def unarchive(self, id: str, *, version: int | None = None) -> Record:
        """Bring an archived memory back, strong enough not to fade again at once."""
        with self._store.writing():
            record = self._own(id, version)
            if record.state == "active":
                return record
            from loxodon.trust.origin.quarantine import UNARCHIVED_STRENGTH

            strength = max(record.strength, UNARCHIVED_STRENGTH)
            values = {"state": "active", "strength": strength}
            return self._store.update(id, version, "unarchived", self.now(), values)

    def _own(self, id: str, version: int | None) -> Record:
        """A memory that is for whoever asks to put away and take out again."""
        record = self._at_version(id, version)
        self._store.wall.check_change(record)
        return record

    def unarchive_run(self, at: datetime) -> Records:
        """Bring back what the run at that moment archived for its age (`timekeeping` has them).

        Each has the strength again that it would have without that run. What was changed since
        stays as it is. NotFoundError where no run archived anything then.
        """
        with self._store.writing():
            when = moment("at", at, self._zone) or at
            ids = self._store.worklog.aged_in(when)
            if not ids:
                raise NotFoundError(
                    "no run at {at} archived anything",
                    hint="list the runs with `loxodon clock`",
                    at=when.isoformat(),
                )
            values, now = {"state": "active"}, self.now()
            return [self._store.update(id, None, "unarchived", now, values) for id in ids]

    def _at_version(self, id: str, version: int | None) -> Record:
        record = self.get(id)
        if version is not None and version != record.version:
            raise stale_edit(id, record.version, version)
        return record

    def history(self, id: str) -> Versions:
        """Every version of a memory, oldest first, the present one last."""
        with self._store.reading():
            self.get(id)
            return self._store.history(id)

    def drawn_from(self, turn: Turn) -> Records:
        """The memories that a turn is a source of."""
        row = int(turn.ref.removeprefix("t_") or 0)
        with self._store.reading():
            rows = self._store.drawn_from([row]).get(row, [])
            return [*self._store.records(rows).values()]

    def changes_since(self, at: datetime) -> Changed:
        """(memory, what was done to it, when) of the last changes since `at`, in order."""
        return self._store.worklog.changes_since(at)

    def quarantine(self, state: str | None = "held", limit: int = 50) -> HeldBack:
        """Instructions that were found in others' words and are held back, newest first; and what
        the user asked to have forgotten (`reason` is `forget`; of what that is, `forget q_12`).

        Behind a wall one is told that something is held, without its words. `state` is `held`,
        `released`, `dropped`, `unclear` (a request to forget that needs an answer) or `all`;
        `limit` 0 gives all.
        """
        from loxodon.trust.origin import quarantine

        choice("state", state or "all", (*quarantine.STATES, "all"))
        which = None if state in (None, "all") else state
        found = quarantine.listed(self._store, which, number("limit", limit))
        return [one._replace(text="") for one in found] if self._store.wall.stands else found

    def release(self, id: str) -> Held:
        """Let what is held as `id` (`q_12`) be told: fenced, with its origin, not believed.

        What the user asked to have forgotten comes back whole, its memories too.
        """
        from loxodon.trust.origin import quarantine

        with self._store.writing():
            held = quarantine.release(self._store, id, self.now())
            if held.reason == quarantine.FORGET:
                from loxodon.trust.forget.asked import tell_again

                tell_again(self._store, held.id)
            return held

    def drop(self, id: str) -> Held:
        """Never tell what is held as `id`; the message stays in the journal as it was said."""
        from loxodon.trust.origin import quarantine

        with self._store.writing():
            return quarantine.drop(self._store, id, self.now())

    def reviews(self) -> Reviews:
        """Beliefs that contradict something firm, waiting for an answer; oldest first."""
        with self._store.reading():
            return [
                one._replace(belief=self.get(one.belief.id), against=self.get(one.against.id))
                for one in self._store.worklog.reviews()
            ]

    def confirm(self, id: str, *, version: int | None = None) -> Record:
        """The belief called `id` is so: it becomes a fact, and what it contradicts is over.

        With `version`, the one that was shown: a StaleEditError where it has changed since. An
        agent cannot confirm in the user's place (ForbiddenError).
        """
        from loxodon.write.keep import confirm

        with self._store.writing():
            self._at_version(id, version)
            return confirm(self._store, id, self.now())

    def reject(self, id: str, *, version: int | None = None) -> Record:
        """The belief called `id` is not so: it is archived. `version` is as for `confirm`."""
        from loxodon.write.keep import reject

        with self._store.writing():
            self._at_version(id, version)
            return reject(self._store, id, self.now())

    def entities(self) -> Entities:
        """Whom and what the memories are about, in the order they were first named."""
        return self._store.worklog.entities()

    def entity(self, name: str) -> Card:
        """All that is known of someone or something, by any of its names; else NotFoundError."""
        from loxodon.write.entities import card

        with self._store.reading():
            found = self._store.worklog.entities_named([name])
            if name not in found:
                raise NotFoundError(
                    "nothing is known about {name}",
                    hint="list the known entities with `loxodon entities`",
                    name=repr(name),
                )
            return card(self._store, found[name])
