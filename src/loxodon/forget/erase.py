"""Takes out of a store whatever meets a mark: turns, memories, and all that was made of them.

It is one transaction, and can be done again at any time: what is gone meets no mark again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable
from datetime import datetime

from loxodon.clock import to_stored
from loxodon.consolidate import themes
from loxodon.consolidate.segment import events_of, number, segments
from loxodon.forget.marks import Marks
from loxodon.forget.select import is_about, says
from loxodon.guard.quarantine import read
from loxodon.journal.identity import key_of
from loxodon.language.statements import USER
from loxodon.store.rows import loaded
from loxodon.store.store import Store
from loxodon.tokens import estimate
from loxodon.types import Entity, Record, Turn
from loxodon.working.shapes import text_of
from loxodon.working.transcript import line_of

REDACTED = "[forgotten]"  # in a history, where the words were
_BATCH = 2_000
_BLANK = dict.fromkeys(("subject", "attribute", "value", "basis", "project", "category"), "")
_BLANK |= {"content": REDACTED, "topic": "_general", "tags": "[]", "entities": "[]"}


class Sweep:
    """One sweep through one store. Call `run` inside `Store.writing`."""

    def __init__(self, store: Store, marks: Marks, now: datetime) -> None:
        self._store, self._erasure, self._marks, self._now = store, store.erasure, marks, now
        self._erased: list[str] = []  # all texts that are gone, to find names in
        self._losing: dict[int, bool] = {}  # memories that lost a source; whether others say it
        self._told: set[int] = set()  # memories that were drawn from a turn that is gone
        self._counts: Counter[str] = Counter()

    def run(self, *, only: bool = True) -> Counter[str]:
        """Take out what meets a mark; how much. Unless `only` that, also memories with a name that
        no message says any more: what else they tell is learned again."""
        self._turns()
        if not only:
            self._mark_borrowed()
        records = self._memories()
        self._sessions()  # before the histories, which name sessions too
        self._histories()
        self._texts([one.id for one in records])
        self._entities(records)
        self._transcripts()
        self._counts = +self._counts
        if self._counts:
            len(self._store.query("drop_pages"))
            themes.renew(self._store, records, self._now)
            for theme in {one.value for one in records if one.kind == "summary"}:
                if ":" in theme or "/" in theme:
                    themes.renew_theme(self._store, theme, self._now)
        return self._counts

    def _turns(self) -> None:
        cut: dict[int, tuple[str, bytes]] = {}
        forgotten, gone = set[int](), set[int]()
        for turn in self._erasure.turns():
            seq, content = turn.seq, turn.content
            left = self._marks.left_of(turn.key, turn.session, turn.speaker, content, turn.at)
            if left is None:
                forgotten.add(seq)
            elif left[0] == content:
                continue
            elif left[0].strip():
                cut[seq] = left
            else:
                gone.add(seq)
            self._erased.append(content)
        gone |= forgotten
        self._erasure.redact(cut)
        self._erasure.drop_work(gone, {row: content for row, (content, _) in cut.items()})
        self._counts += rebuild(self._store, {*gone, *cut}, gone=gone)
        for one in self._erasure.memories(self._store.column("memories_of_turns", forgotten)):
            said = self._store.turns(set(one.turns) - gone).values()
            self._losing[one.row] = any(says(turn.content, one.record) for turn in said)
        self._told |= {*self._store.column("memories_of_turns", gone)}
        self._erasure.drop_turns(gone)
        self._counts += Counter({"turns": len(gone), "parts of turns": len(cut)})

    def _mark_borrowed(self) -> None:
        said, erased = self._store.scalar, "\n".join(self._erased)
        names = [
            it for it in self._marks.known_names if it in erased and not said("times_said", it)
        ]
        for one in self._erasure.memories() if names else ():
            is_drawn = one.turns or one.row in self._told
            if is_drawn and any(name in one.record.content for name in names):
                self._marks.put("memory", one.record.id)
                self._store.worklog.read_again(one.turns)

    def _memories(self) -> list[Record]:
        """Take out memories, and summaries of them; what they were."""
        store, marks, found = self._store, self._marks, dict[int, Record]()
        for one in self._erasure.memories():
            record, at = one.record, to_stored(one.record.created_at)[0]
            if (
                marks.has("memory", 0, record.id)
                or (not one.turns and one.row not in self._losing and marks.in_period(at))
                or marks.cut(record.content, at) != record.content
                or is_about(record, marks)
                or not self._losing.get(one.row, True)
            ):
                found[one.row] = record
        # A summary of what is gone is written anew without it, or not at all.
        made = set(store.column("summaries_of", [record.id for record in found.values()]))
        found |= {one.row: one.record for one in self._erasure.memories(made - found.keys())}
        for record in found.values():
            self._counts["summaries" if record.kind == "summary" else "memories"] += 1
        for key in self._erasure.drop_memories(found):  # of imports, which bring it no more
            marks.put("import", key)
        return list(found.values())

    def _sessions(self) -> None:
        """Sessions and channels that are called after what was forgotten."""
        for name, at in self._store.query("session_starts"):
            if (new := self._marks.session_name(name, at)) != name:
                self._erasure.rename_session(name, new)
                self._counts["sessions"] += 1
        for name, at in self._store.query("channels"):
            if self._marks.cut(name, at) != name:
                self._store.execute("drop_channel_of_turns", name)
                self._store.execute("drop_channel_of_events", name)

    def _histories(self) -> None:
        """Earlier versions that meet a mark, and those of what was known from what is gone too."""
        for memory, version, before in self._store.stream("histories", key=2):
            found = loaded(before)
            cut = self._marks.cut_json(found, found.get("created_at", 0))
            new = cut | _BLANK
            if new != found and (cut != found or memory in self._losing):
                text = json.dumps(new, ensure_ascii=False)
                self._store.execute("set_history", text, memory, version)
                self._counts["versions"] += 1

    def _texts(self, ids: Collection[str]) -> None:
        """Documents, and texts in other tables."""
        dropped = {no for key in ids for no in self._store.column("documents_by_key", key)}
        for one in list(self._erasure.texts()):
            if one.table == "documents" and self._marks.in_period(one.at):
                dropped.add(int(one.key[0]))
                continue
            is_json = (one.table, one.column) == ("documents", "value")
            said = loaded(one.text) if is_json else one.text
            if (left := self._marks.cut_json(said, one.at)) != said:
                text = json.dumps(left, ensure_ascii=False) if is_json else left
                self._erasure.set_text(one, text)
                self._counts[one.table] += 1
        self._store.documents.drop(dropped)
        self._counts["documents"] += len(dropped)

    def _entities(self, records: Iterable[Record]) -> None:
        """Names that nothing has any more, of those that stood in what is gone."""
        told = (text for one in records for text in (one.content, one.subject, *one.entities))
        erased = "\n".join((*self._erased, *told))
        worklog = self._store.worklog
        for entity in self._store.query_as(Entity, "entities"):
            names = [entity.name, *entity.aliases]
            at = to_stored(entity.created_at)[0]
            left = [one for one in names if one == USER or not self._marks.has_name(one, at)]
            if any(name in erased for name in names):
                left = [one for one in left if one == USER or self._store.scalar("occurs", one)]
            if left == names:
                continue
            # Someone who is still spoken of is called what they are still called.
            new = "".join(left[:1])
            if new != entity.name and not (self._erasure.rename(entity.name, new) and new):
                worklog.drop_entity(entity.no)
                self._counts["entities"] += 1
            else:
                worklog.put_entity(entity._replace(name=new, aliases=tuple(left[1:])))
        while any(self._counts.values()) and worklog.index(_BATCH):
            pass

    def _transcripts(self) -> None:
        """Entries of working sessions, each in its place; a summary of what is gone goes whole."""
        rows, marks = self._store.working_sessions, self._marks
        for id, owner in self._store.query("transcripts"):
            changed: dict[int, str] = {}
            session = ""
            for n, line in rows.lines(id):
                entry = loaded(line)
                type, message = entry.get("type"), entry.get("message") or {}
                said = entry.get("timestamp")
                at = to_stored(datetime.fromisoformat(said))[0] if said else 0
                new = marks.cut_json(entry, at)
                if type == "session":
                    key = str(entry.get("key", ""))
                    session = f"{key}/{id[:8]}{f'@{owner}' if owner else ''}"
                    new = {**entry, "key": marks.session_name(key, at)}
                    if new != entry:
                        self._store.execute("drop_working_session", owner, key)
                elif type == "message" and marks.has_turn(
                    key_of(session, str(entry.get("id"))), session, text_of(message), at
                ):
                    new["message"] = {"role": message.get("role"), "content": ""}
                elif type == "compaction" and changed:
                    new["summary"] = ""
                if new != entry:
                    changed[n] = line_of(new)
            if changed:
                rows.rewrite(id, changed)
                self._counts["transcripts"] += 1


def rebuild(store: Store, rows: Collection[int], *, gone: Collection[int] = ()) -> Counter[str]:
    """Make the segments and event lines of turns anew, of what may be told of them now."""
    counts, done_to = Counter[str](), store.worklog.work().done_to
    stretches, days = _told_in(store, rows)
    for no, turns in stretches:
        left = read(store, [one for one in turns if number(one) not in gone])
        store.worklog.put_segments([one.kept for one in segments(left)], [no])
        counts["segments"] += 1
    for (session, date), turns in days.items():
        if dropped := store.query("drop_events", session, [date]):
            counts["events"] += len(dropped)
            left = [one for one in turns if number(one) <= done_to and number(one) not in gone]
            for event in events_of(segments(read(store, left)), estimate):
                store.execute("put_event", *event._replace(compressed=bool(dropped[-1][1])))
    return counts


def judge_ahead(store: Store, rows: Collection[int]) -> None:
    """Have the encoder judge what `rebuild` will read, which it remembers. Call this before the
    transaction: others who write should not wait for it."""
    stretches, days = _told_in(store, rows)
    for turns in (*(turns for _, turns in stretches), *days.values()):
        segments(read(store, turns))


def _told_in(
    store: Store, rows: Collection[int]
) -> tuple[list[tuple[int, list[Turn]]], dict[tuple[str, str], list[Turn]]]:
    """The segments, and the days of a session, that some turns are of; each with all its turns."""
    found, days = store.query("segments_with", [*rows]), dict[tuple[str, str], list[Turn]]()
    stretches = [(no, store.query_turns("turns_from", *stretch)) for no, *stretch in found]
    for turn in store.query_turns("turns_of_days", [*rows]):
        days.setdefault((turn.session, f"{turn.at:%Y-%m-%d}"), []).append(turn)
    return stretches, days
