"""Takes out of a store whatever meets a mark: turns, memories, and all that was made of them.

It is one transaction, and can be done again at any time: what is gone meets no mark again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from loxodon.clock import to_stored
from loxodon.consolidate import themes
from loxodon.consolidate.segment import events_of, segments
from loxodon.forget.marks import Marks
from loxodon.forget.select import is_about
from loxodon.guard.quarantine import read
from loxodon.journal.identity import key_of
from loxodon.language.statements import USER
from loxodon.store import Filter, MemoryRow
from loxodon.store.rows import loaded
from loxodon.store.store import Store
from loxodon.text.similarity import covers
from loxodon.text.words import fold
from loxodon.tokens import Counter as TokenCounter
from loxodon.types import Record
from loxodon.working.shapes import text_of
from loxodon.working.transcript import line_of

REDACTED = "[forgotten]"  # in a history, where the words were
_BATCH = 2_000
# What an entry of a transcript keeps that says nothing any more
_PLACE = ("type", "id", "parentId", "timestamp", "firstKeptEntryId", "tokensBefore")
_STILL_SAID = 0.75  # how much of a memory must be left in its sources for it to stay


class Eraser:
    """One sweep through one store. Call `run` inside `Store.writing`."""

    def __init__(self, store: Store, marks: Marks, now: datetime, count: TokenCounter) -> None:
        self._store = store
        self._erasure = store.erasure
        self._marks = marks
        self._now = now
        self._count = count
        self._gone: set[int] = set()  # turns
        self._forgotten: set[int] = set()  # of these, those that were forgotten as such
        self._erased = ""  # all texts that are gone, to find names in
        self.counts: Counter[str] = Counter()
        self.imports: list[bytes] = []  # the keys of imports whose memories went

    def run(self) -> None:
        losing = self._turns()
        records, kept = self._memories(losing)
        self._sessions()  # before the histories, which name sessions too
        self._histories(kept)
        self._texts([one.id for one in records])
        self._entities(records)
        self._transcripts()
        if any(self.counts.values()):
            self.counts["pages"] += len(self._store.query("drop_pages"))
            themes.renew(self._store, records, self._now)
            for theme in {one.value for one in records if one.kind == "summary"}:
                if ":" in theme or "/" in theme:
                    themes.renew_theme(self._store, theme, self._now)
        self.counts = Counter({name: n for name, n in self.counts.items() if n})

    def _turns(self) -> list[MemoryRow]:
        """Take out turns and parts of turns; the memories that lose a source, as they were."""
        left: dict[int, tuple[str, bytes]] = {}
        erased: list[str] = []
        marks = self._marks
        for turn in self._erasure.turns():
            if marks.has_name(turn.speaker, turn.at) or marks.has_turn(
                turn.key, turn.session, turn.content, turn.at
            ):
                self._forgotten.add(turn.seq)
                erased.append(turn.content)
                continue
            content, key = marks.left_of_turn(turn.key, turn.content, turn.at)
            if not content.strip():
                self._gone.add(turn.seq)
            elif content != turn.content:
                left[turn.seq] = content, key
            if content != turn.content:
                erased.append(turn.content)
        self._erased = "\n".join(erased)
        self._gone |= self._forgotten
        if left:
            self._erasure.redact(left)
        touched = {*self._gone, *left}
        self.counts["work in hand"] += self._erasure.drop_work(
            self._gone, {row: content for row, (content, _) in left.items()}
        )
        self.counts += rebuild(self._store, touched, self._count, gone=self._gone)
        losing = list(self._erasure.memories(self._erasure.drawn_from(self._forgotten)))
        self._erasure.drop_turns(self._gone)
        self.counts["turns"] += len(self._gone)
        self.counts["parts of turns"] += len(left)
        return losing

    def _memories(self, losing: list[MemoryRow]) -> tuple[list[Record], dict[int, str]]:
        """Take out memories; what they were. And for those that only lost a source, what is left
        of the words that they were drawn from."""
        was = {one.row: one for one in losing}
        rest = {
            one.row: [
                turn.content for turn in self._store.turns(set(one.turns) - self._gone).values()
            ]
            for one in losing
        }
        entities = self._store.worklog.entities() if self._forgotten else ()
        unsaid = [  # names that only turns that went had said
            name
            for one in entities
            for name in (one.name, *one.aliases)
            if name != USER and name in self._erased and not self._store.scalar("is_said", name)
        ]
        found: dict[int, Record] = {}
        marks = self._marks
        for one in self._erasure.memories():
            one, texts = was.get(one.row, one), rest.get(one.row)
            record = one.record
            at = to_stored(record.created_at)[0]
            if (
                marks.has("memory", 0, record.id)
                or (not one.turns and marks.in_period(at))
                or marks.cut(record.content, at) != record.content
                or is_about(record, marks)
                or (texts is not None and not any(_still_says(text, record) for text in texts))
                or (one.turns and any(name in record.content for name in unsaid))
            ):
                found[one.row] = record
        # A summary of what is gone is written anew without it, or not at all.
        made = self._erasure.made_of([record.id for record in found.values()])
        found |= {one.row: one.record for one in self._erasure.memories(made - found.keys())}
        for record in found.values():
            self.counts["summaries" if record.kind == "summary" else "memories"] += 1
        self.imports = self._erasure.drop_memories(found)
        kept = {
            row: " ".join([was[row].record.content, *texts])
            for row, texts in rest.items()
            if row not in found
        }
        return list(found.values()), kept

    def _sessions(self) -> None:
        """Sessions and channels that are called after what was forgotten."""
        for name, at in self._store.query("session_starts") if self._marks.cuts else ():
            if (new := self._marks.session_name(name, at)) != name:
                self._erasure.rename_session(name, new)
                self.counts["sessions"] += 1
        for name, at in self._store.query("channels") if self._marks.cuts else ():
            if self._marks.cut(name, at) != name:
                self._store.execute("drop_channel_of_turns", name)
                self._store.execute("drop_channel_of_events", name)
                self.counts["channels"] += 1

    def _histories(self, kept: dict[int, str]) -> None:
        """Earlier versions, of which only what is gone had said something, or that meet a mark."""
        for memory, version, before in self._erasure.histories():
            if not self._marks.cuts and memory not in kept:
                continue
            found = loaded(before)
            cut = self._marks.cut_json(found, found.get("created_at", 0))
            text = kept.get(memory)
            if cut != found or (text is not None and covers(text, found["content"]) < _STILL_SAID):
                empty = dict.fromkeys(("subject", "attribute", "project", "category"), "")
                blank = {"content": REDACTED, "value": "", "tags": "[]", "entities": "[]"}
                new = empty | cut | blank | {"basis": "", "topic": "_general"}
                if new != found:
                    self._store.execute(
                        "set_history", json.dumps(new, ensure_ascii=False), memory, version
                    )
                    self.counts["versions"] += 1

    def _texts(self, ids: Collection[str]) -> None:
        """Documents, and texts in other tables."""
        dropped = {no for key in ids for no in self._store.column("documents_by_key", key)}
        for one in list(self._erasure.texts()):
            if one.table == "documents" and self._marks.in_period(one.at):
                dropped.add(int(one.key[0]))
                continue
            if (one.table, one.column) == ("documents", "value"):
                value = loaded(one.text)
                left = self._marks.cut_json(value, one.at)
                text = one.text if left == value else json.dumps(left, ensure_ascii=False)
            else:
                text = self._marks.cut(one.text, one.at)
            if text != one.text:
                self._erasure.set_text(one, text)
                self.counts[one.table] += 1
        self._store.documents.drop(dropped)
        self.counts["documents"] += len(dropped)

    def _entities(self, records: Iterable[Record]) -> None:
        """Names that nothing has any more, of those that stood in what is gone."""
        told = (text for one in records for text in (one.content, one.subject, *one.entities))
        erased = "\n".join((self._erased, *told))
        worklog = self._store.worklog
        for entity in worklog.entities():
            names = [entity.name, *entity.aliases]
            at = to_stored(entity.created_at)[0]
            is_touched = any(name in erased for name in names)
            left = [
                name
                for name in names
                if name == USER
                or (
                    not self._marks.has_name(name, at)
                    and (not is_touched or bool(self._store.scalar("occurs", name)))
                )
            ]
            if left == names:
                continue
            # Someone who is still spoken of is called what they are still called.
            if entity.name not in left and not (
                self._erasure.rename(entity.name, left[0] if left else "") and left
            ):
                worklog.drop_entity(entity.no)
                self.counts["entities"] += 1
                continue
            worklog.put_entity(entity._replace(name=left[0], aliases=tuple(left[1:])))
            self.counts["names"] += 1
        while any(self.counts.values()) and worklog.index(_BATCH):
            pass

    def _transcripts(self) -> None:
        """Entries of working sessions, each in its place; a summary of what is gone goes whole."""
        rows, marks = self._store.working_sessions, self._marks
        sessions = {(one.owner, one.key): one for one in rows.all()}
        for id, owner, lines in rows.transcripts():
            changed: dict[int, dict[str, Any]] = {}
            session = ""
            for n, line in lines:
                entry = loaded(line)
                said = entry.get("timestamp")
                at = to_stored(datetime.fromisoformat(said))[0] if said else 0
                new = marks.cut_json(entry, at)
                if entry.get("type") == "session":
                    key = str(entry.get("key", ""))
                    session = f"{key}/{id[:8]}{f'@{owner}' if owner else ''}"
                    new = {**entry, "key": marks.session_name(key, at)}
                    if new != entry and (owner, key) in sessions:
                        rows.rename(sessions.pop((owner, key)), new["key"])
                elif entry.get("type") == "message":
                    message = entry.get("message") or {}
                    turn_key = key_of(session, str(entry.get("id")))
                    if marks.has_turn(turn_key, session, text_of(message), at):
                        place = {name: entry[name] for name in _PLACE if name in entry}
                        new = {**place, "message": {"role": message.get("role"), "content": ""}}
                elif entry.get("type") == "compaction" and changed:
                    new = {**{name: entry[name] for name in _PLACE if name in entry}, "summary": ""}
                if new != entry:
                    changed[n] = new
            if changed:
                rows.rewrite(id, {n: line_of(entry) for n, entry in changed.items()})
                self.counts["transcripts"] += 1


def _still_says(text: str, record: Record) -> bool:
    """Whether a text says most of what a memory says, and names whom that names."""
    # Characters in another order are the same to `covers`, and another word.
    names = (*record.entities, *((record.value,) if not record.value.isascii() else ()))
    folded = fold(text)
    return covers(text, record.content) >= _STILL_SAID and all(
        fold(name) in folded for name in names if name in record.content
    )


def rebuild(
    store: Store, rows: Collection[int], count: TokenCounter, gone: Collection[int] = ()
) -> Counter[str]:
    """Make the segments and event lines of turns anew, of what may be told of them now."""
    worklog, counts = store.worklog, Counter[str]()
    touched = store.turns(rows).values()
    days: dict[str, set[str]] = {}
    for turn in touched:
        days.setdefault(turn.session, set()).add(f"{turn.at:%Y-%m-%d}")
    for no, session, first, last in store.erasure.segments_with(rows):
        turns = store.query_turns("turns_from", session, first, last)
        told = read(store, [one for one in turns if row_of(one) not in gone])
        worklog.put_segments([one.kept for one in segments(told)] if told else (), [no])
        counts["segments"] += 1
    done_to, moments = worklog.work().done_to, {turn.at for turn in touched}
    for session, dates in days.items():
        deeds = [
            one
            for one in worklog.events(min(dates))
            if one.session == session and one.sender == "assistant" and one.at not in moments
        ]
        was: dict[str, int] = dict(store.query("drop_events", session, sorted(dates)))
        counts["events"] += len(was)
        turns = store.journal(Filter(session=session), 0) if was else []
        told = read(store, [one for one in turns if row_of(one) not in gone])
        for date, compressed in was.items():
            said = [one for one in told if f"{one.at:%Y-%m-%d}" == date and row_of(one) <= done_to]
            for event in (*(events_of(segments(said), count) if said else ()), *deeds):
                if event.date == date:
                    worklog.put_event(event._replace(compressed=bool(compressed)))
    return counts


def row_of(turn: Any) -> int:
    return int(turn.ref[2:])
