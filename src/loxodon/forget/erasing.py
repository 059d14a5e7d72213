"""Taking out of a store whatever meets a tombstone: turns, memories, and all that was made of them.

Everything in the database goes in one transaction, so that it is as it was before or all of it is
gone. It can be done again at any time: what is gone does not meet a tombstone again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from loxodon.forget import transcripts
from loxodon.forget.selecting import is_named, statement_of
from loxodon.forget.tombstones import Marks
from loxodon.language.statements import USER
from loxodon.store import Filter, MemoryRow, TextAt
from loxodon.store.rows import loaded
from loxodon.store.store import Store
from loxodon.text.similarity import covers
from loxodon.text.words import fold
from loxodon.tokens import Counter as TokenCounter
from loxodon.types import Event, Record, Turn

REDACTED = "[forgotten]"
"""What stands in a history where the words were."""
_BATCH = 2_000
_CARRIED = 0.75
"""How much of a memory what is left must have for it to be known still."""


class _Said(NamedTuple):
    """What becomes of the turns."""

    gone: set[int]
    left: dict[int, str]
    """Turns that lose a part of their words, with what they have then."""
    barred: set[int]
    """Those of the ones that go which were forgotten as such: what is known from them alone goes
    too. Of one that only has nothing left to say, a memory that says something else stays."""


class TouchedRows(NamedTuple):
    """By what the text views are known that may have something of what is gone."""

    days: set[str]
    """On which something was said that is gone, or is not as it was."""
    ids: set[str]
    """Of memories that are gone."""

    def views(self, counts: Counter[str]) -> Callable[[str], bool]:
        """Whether a view, by its name, may have something of it."""
        renamed = bool(counts["names"] or counts["sessions"] or counts["channels"])
        days = {one for day in self.days for one in (_after(day, -1), day, _after(day))}
        months = {id.split("_")[1][:-2] for id in self.ids}

        def may_have(view: str) -> bool:
            folder, _, file = view.partition("/")
            if renamed or folder not in ("daily", "segments", "insights"):
                return True
            if folder == "insights":
                return file.removesuffix(".md").replace("-", "") in months
            return file[:10] in days

        return may_have


class Eraser:
    """One sweep through one store. Call `run` inside `Store.writing`."""

    def __init__(self, store: Store, marks: Marks, now: datetime, count: TokenCounter) -> None:
        self._store = store
        self._erasure = store.erasure
        self._marks = marks
        self._now = now
        self._count = count
        self.counts: Counter[str] = Counter()
        self._erased: list[str] = []
        self.imports: list[bytes] = []
        """The keys of imports whose memories went."""
        self.touched = TouchedRows(set(), set())

    def run(self) -> None:
        said = self._turns()
        days = self._days(said)
        self.touched.days.update(day for dates in days.values() for day in dates)
        self._take_out_turns(said)
        rows, records = self._memories(said)
        self.imports = self._erasure.drop_memories(rows)
        self._events(days)
        self._places()  # before the histories, which name sessions too
        self._histories()
        self._texts(records)
        self._entities(records)
        if any(self.counts.values()):
            self.counts["pages"] += self._erasure.drop_pages()
            self._renew(records)
        self.counts["transcripts"] += transcripts.erase(self._store.working_sessions, self._marks)
        self.touched.ids.update(record.id for record in records)
        self.counts = Counter({name: n for name, n in self.counts.items() if n})

    # What was said

    def _turns(self) -> _Said:
        gone, left, barred = set[int](), dict[int, str](), set[int]()
        keys: dict[int, tuple[str, bytes]] = {}
        marks = self._marks
        for turn in self._erasure.turns():
            if (turn.speaker and marks.named(turn.speaker, turn.at)) or marks.bars(
                turn.key, turn.session, turn.content, turn.at
            ):
                gone.add(turn.seq)
                barred.add(turn.seq)
                self._erased.append(turn.content)
                continue
            rest, key = marks.left_of(turn.key, turn.content)
            content = marks.cut(rest, turn.at)
            if content != turn.content:
                self._erased.append(turn.content)
                if content.strip():
                    left[turn.seq] = content
                    keys[turn.seq] = content, key if content == rest else marks.marker.key(key)
                else:
                    gone.add(turn.seq)
        if keys:
            self._erasure.redact(keys)
        self.counts["turns"] += len(gone)
        self.counts["parts of turns"] += len(left)
        return _Said(gone, left, barred)

    def _days(self, said: _Said) -> dict[str, set[str]]:
        """The days of each session that something was said on that goes; before it goes."""
        found: dict[str, set[str]] = {}
        for turn in self._store.turns([*said.gone, *said.left]).values():
            found.setdefault(turn.session, set()).add(f"{turn.at:%Y-%m-%d}")
        return found

    def _take_out_turns(self, said: _Said) -> None:
        from loxodon.write.phases import kept_segment
        from loxodon.write.segment import segments

        touched = [*said.gone, *said.left]
        for no, session, first, last in self._erasure.segments_with(touched):
            turns = self._store.query_turns("turns_from", session, first, last)
            rest = [one for one in turns if int(one.ref[2:]) not in said.gone]
            cuts = segments(rest) if rest else []
            self._store.worklog.put_segments([kept_segment(one) for one in cuts], (no,))
            self.counts["segments"] += 1
        self.counts["work in hand"] += self._erasure.drop_work(said.gone, said.left)
        self._losing = self._losing_sources(said)
        self._erasure.drop_turns(said.gone)

    def _losing_sources(self, said: _Said) -> list[MemoryRow]:
        """The memories that lose a source, as they are before."""
        return list(self._erasure.memories(self._erasure.drawn_from(said.barred)))

    # What is known

    def _memories(self, said: _Said) -> tuple[list[int], list[Record]]:
        """The memories that go: their rows, and what they were."""
        losing = {one.row: one for one in self._losing}
        unsaid = self._names_unsaid() if said.barred else []
        found: dict[int, Record] = {}
        for one in self._erasure.memories(self._possible(losing, unsaid)):
            one = losing.get(one.row, one)
            content = one.record.content
            if (
                self._meets(one)
                or (one.row in losing and not self._carried(one, said))
                or (one.turns and any(name in content for name in unsaid))
            ):
                found[one.row] = one.record
        # A summary of what is gone is written anew without it, or not at all.
        made = self._erasure.made_of([record.id for record in found.values()])
        for one in self._erasure.memories(made - found.keys()):
            found[one.row] = one.record
        for record in found.values():
            self.counts["summaries" if record.kind == "summary" else "memories"] += 1
        self._keep_histories_of([one for one in losing.values() if one.row not in found], said)
        return list(found), list(found.values())

    def _possible(self, losing: Iterable[int], unsaid: list[str]) -> set[int] | None:
        """The memories that may have to go; None for all, where nobody can tell so far."""
        sieve = self._marks.sieve
        if sieve is None or self._marks.spans:
            return None
        by_words = {
            row
            for row, text in self._erasure.memory_texts()
            if sieve.may_have(text) or any(name in text for name in unsaid)
        }
        return by_words | self._erasure.rows_of(sieve.ids) | set(losing)

    def _names_unsaid(self) -> list[str]:
        """Names that only turns that went had said: whoever is called so elsewhere is known by
        that name from there."""
        erased = "\n".join(self._erased)
        names = [n for one in self._store.worklog.entities() for n in (one.name, *one.aliases)]
        return [n for n in names if n != USER and n in erased and not self._erasure.is_said(n)]

    def _meets(self, one: MemoryRow) -> bool:
        record, marks = one.record, self._marks
        at = _ms(record.created_at)
        if marks.memory(record.id):
            return True
        if not one.turns and marks.in_span(at):
            return True
        if marks.may_state(record.value) and marks.stated(at, *statement_of(record)):
            return True
        return marks.cut(record.content, at) != record.content or is_named(record, marks, at)

    def _carried(self, one: MemoryRow, said: _Said) -> bool:
        """Whether what is left of what a memory was drawn from still says it."""
        rest = [turn for turn in one.turns if turn not in said.gone]
        texts = [turn.content for turn in self._store.turns(rest).values()]
        record = one.record
        # Characters in another order are the same to `covers`, and another word.
        names = (*record.entities, *((record.value,) if not record.value.isascii() else ()))
        return any(_says(text, record.content, names) for text in texts)

    def _keep_histories_of(self, kept: Iterable[MemoryRow], said: _Said) -> None:
        """What memories said before that only what is gone had said."""
        self._doubtful = {
            one.row: " ".join(
                [one.record.content]
                + [
                    turn.content
                    for turn in self._store.turns(
                        [turn for turn in one.turns if turn not in said.gone]
                    ).values()
                ]
            )
            for one in kept
        }

    def _histories(self) -> None:
        if not (self._marks.cuts or self._doubtful):
            return
        sieve = self._marks.sieve
        for memory, version, before in self._erasure.histories():
            if sieve and memory not in self._doubtful and not sieve.may_have(before):
                continue
            found = loaded(before)
            at = found.get("created_at", 0)
            rest = self._doubtful.get(memory)
            forgotten = self._marks.cut_json(found, at) != found or (
                rest is not None and not _says(rest, found["content"], ())
            )
            if forgotten:
                found = self._marks.cut_json(found, at) | {
                    "content": REDACTED,
                    "value": "",
                    "tags": "[]",
                    "entities": "[]",
                    "basis": "",
                    "topic": "_general",
                }
                for name in ("subject", "attribute", "project", "category"):
                    found.setdefault(name, "")
                text = json.dumps(found, ensure_ascii=False)
                if text != before:
                    self._erasure.set_history(memory, version, text)
                    self.counts["versions"] += 1

    def _places(self) -> None:
        """Sessions and channels that are called after what was forgotten."""
        if not self._marks.cuts:
            return
        for name, at in self._erasure.sessions():
            if (new := self._marks.session_name(name, at)) != name:
                self._erasure.rename_session(name, new)
                self.counts["sessions"] += 1
        for name, at in self._erasure.channels():
            if self._marks.cut(name, at) != name:
                self._erasure.drop_channel(name)
                self.counts["channels"] += 1

    # What was made of it

    def _events(self, days: dict[str, set[str]]) -> None:
        from loxodon.write.events import events_of
        from loxodon.write.segment import segments

        worklog = self._store.worklog
        done_to = worklog.work().done_to
        for session, dates in days.items():
            deeds = self._deeds(session, dates)
            was = dict(self._erasure.drop_events(session, dates))
            self.counts["events"] += len(was)
            for date, compressed in was.items():
                turns = self._said_on(session, date, done_to)
                for event in (*events_of(segments(turns), self._count), *deeds):
                    if event.date == date:
                        worklog.put_event(event._replace(compressed=bool(compressed)))

    def _deeds(self, session: str, dates: set[str]) -> list[Event]:
        """What the assistant did in a session on these days, where the turn that tells is there."""
        turns = self._store.journal(Filter(session=session), 0)
        left = {(f"{turn.at:%Y-%m-%d}", turn.at) for turn in turns if turn.role == "assistant"}
        found = []
        for date in sorted(dates):
            found += [
                one
                for one in self._store.worklog.events(date, _after(date))
                if one.session == session and one.sender == "assistant" and (date, one.at) in left
            ]
        return found

    def _said_on(self, session: str, date: str, done_to: int) -> list[Turn]:
        """What is left of a session on a day, as far as it was consolidated."""
        return [
            turn
            for turn in self._store.journal(Filter(session=session), 0)
            if f"{turn.at:%Y-%m-%d}" == date and int(turn.ref[2:]) <= done_to
        ]

    def _texts(self, records: Iterable[Record]) -> None:
        ids = [record.id for record in records]
        dropped = set(self._erasure.documents_of(ids))
        changed: list[tuple[TextAt, str]] = []
        for one in self._erasure.texts():
            if one.table == "documents" and self._marks.in_span(one.at):
                dropped.add(int(one.key[0]))
            elif (text := self._text_left(one)) != one.text:
                changed.append((one, text))
        self._store.documents.drop(dropped)
        self.counts["documents"] += len(dropped)
        for one, text in changed:
            if one.table != "documents" or one.key[0] not in dropped:
                self._erasure.set_text(one, text)
                self.counts[one.table] += 1

    def _text_left(self, one: TextAt) -> str:
        if (one.table, one.column) == ("documents", "value"):
            value = loaded(one.text)
            left = self._marks.cut_json(value, one.at)
            return one.text if left == value else json.dumps(left, ensure_ascii=False)
        return self._marks.cut(one.text, one.at)

    def _entities(self, records: Iterable[Record]) -> None:
        """Names that nothing has any more, of those that stood in what is gone."""
        for one in records:
            self._erased += (one.content, one.subject, *one.entities)
        erased = "\n".join(self._erased)
        for entity in self._store.worklog.entities():
            at = _ms(entity.created_at)
            touched = any(name in erased for name in (entity.name, *entity.aliases))
            left = [
                name
                for name in (entity.name, *entity.aliases)
                if name == USER or self._stays(name, at, touched)
            ]
            if left == [entity.name, *entity.aliases]:
                continue
            # Someone who is still spoken of is called what they are still called.
            if entity.name not in left and not (
                self._erasure.rename(entity.name, left[0] if left else "") and left
            ):
                self._store.worklog.drop_entity(entity.no)
                self.counts["entities"] += 1
                continue
            self._store.worklog.put_entity(entity._replace(name=left[0], aliases=tuple(left[1:])))
            self.counts["names"] += 1
        while self._store.worklog.index(_BATCH):
            pass

    def _stays(self, name: str, at: int, touched: bool) -> bool:
        if self._marks.named(name, at):
            return False
        return not touched or self._erasure.occurs(name)

    def _renew(self, records: Iterable[Record]) -> None:
        """Write the summaries of the themes that lost something."""
        from loxodon.write import themes

        touched: dict[str, None] = {}
        for record in records:
            if record.kind == "summary":
                touched[record.value] = None
            elif record.kind == "fact":
                touched |= dict.fromkeys(themes.all_themes(self._store, record))
        for theme in touched:
            if ":" in theme or "/" in theme:
                themes.renew_theme(self._store, theme, self._now)


def _says(text: str, content: str, names: Iterable[str]) -> bool:
    """Whether a text says most of what a memory says, and names whom that names."""
    folded = fold(text)
    named = [fold(name) for name in names if name in content]
    return covers(text, content) >= _CARRIED and all(name in folded for name in named)


def _ms(at: datetime) -> int:
    from loxodon.clock import to_stored

    return to_stored(at)[0]


def _after(date: str, days: int = 1) -> str:
    return f"{datetime.fromisoformat(date) + timedelta(days=days):%Y-%m-%d}"
