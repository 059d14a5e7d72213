"""Forgetting: gone from every place that is ours, and not coming back.

    receipt = memory.forget("f_20260204_001")

What is named becomes marks (`select.py`). They are put down and whatever meets one goes from the
database in one transaction (`Sweep`), then from the files beside it, indexes and log. What Loxodon
wrote is rewritten; what is the user's own is only named in the receipt. All of it can be done again
at any time: a run that is killed is finished by whoever opens the memory next, and a database that
is restored is held against the marks of the one that it replaces.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from loxodon import files
from loxodon.clock import to_stored
from loxodon.consolidate import themes
from loxodon.consolidate.segment import TurnSegment, events_of, number, segments
from loxodon.errors import BusyStoreError, LoxodonError, NotFoundError
from loxodon.filelock import alone
from loxodon.forget.marks import Marks
from loxodon.forget.receipts import MOST_FILES, Receipt, new_receipt
from loxodon.forget.select import is_about, says, select
from loxodon.forget.spaces import text_left
from loxodon.guard.quarantine import read
from loxodon.language.statements import USER
from loxodon.layout import DATABASE, FORGOTTEN_TO
from loxodon.store import NoteFile, Progress
from loxodon.store.rows import loaded
from loxodon.store.store import Store
from loxodon.tokens import estimate
from loxodon.types import Entity, FileProblem, Record, Turn
from loxodon.views import copies
from loxodon.views.sync import take_in
from loxodon.working.transcript import line_of

if TYPE_CHECKING:
    from loxodon.memory import Memory

LOCK = "forget.lock"
REDACTED = "[forgotten]"  # in a history, where the words were
_LOCK_SECONDS = 120.0
_BLANK = dict.fromkeys(("subject", "attribute", "value", "basis", "project", "category"), "")
_BLANK |= {"content": REDACTED, "topic": "_general", "tags": "[]", "entities": "[]"}
# The tables that a receipt of everything counts
_COUNTED = ["turns", "memories", "entities", "documents"]
_ASIDE_NAMES = (f"{DATABASE}.before-restore-", f"{DATABASE}.before-repair-", "damaged-")
_MOST_BYTES = 64 << 20  # of a file that is looked through


class _DryRunError(Exception):
    """Takes a transaction back that was only made to count."""


def forget(
    memory: Memory, store: Store, asked: Mapping[str, Any], *, dry_run: bool, progress: Progress
) -> Receipt:
    """See `Memory.forget`, whose arguments are in `asked`."""
    with alone(os.path.join(memory.workspace.folder, LOCK), _LOCK_SECONDS):
        settled: Mapping[str, str] = {}
        if not dry_run:
            # What a person changed in the views, which are written anew afterwards. What cannot be
            # read now is left as it is, and told of.
            with suppress(LoxodonError, OSError):
                settled = take_in(memory.workspace).settled
        now = memory.now()
        marks = Marks(store, memory.root, memory.config, now)
        with store.reading():
            what, (names, near, doubtful) = select(store, marks, asked)
        with suppress(_DryRunError), store.writing():
            if what == "all":
                counts = Counter(transcripts=len(store.query("transcripts")))
                dropped = store.erasure.drop_all()
                counts += Counter({table: dropped[table] for table in _COUNTED})
            else:
                counts = Sweep(store, marks, now).run(borrowed=not asked["only"])
            own = [*_lines_with(marks, _own_files(store))][:MOST_FILES] if marks.cuts else []
            if what == "entity" and not counts and not own:
                raise NotFoundError(
                    "nothing is known about {name}",
                    hint="list the known entities with `loxodon entities`",
                    name=repr(asked["entity"]),
                )
            if dry_run:
                raise _DryRunError
            # Once this is committed it is done, if need be by whoever opens it next.
            store.execute_many("put_tombstone", marks.new)
        left: list[FileProblem] = []
        if counts or own:
            counts["views out of use"] = copies.renewed(
                memory.workspace, settled, dry=dry_run, progress=progress
            )
            stays = text_left(memory.home, memory.workspace.folder, memory.space, memory.config)
            left = [*own, *_lines_with(marks, stays)]
        counts["databases set aside"] = _drop_set_aside(memory, dry=dry_run)
        receipt = new_receipt(what, now, counts, *left)
        if not dry_run:
            with store.writing():
                store.execute("put_receipt", *receipt[:6])
            _settle(store)
        return receipt._replace(
            names=tuple(names if dry_run else ()),
            near=tuple(name for name in near if store.scalar("times_said", name)),
            doubtful=tuple(doubtful),
        )


def finish(memory: Memory, store: Store) -> None:
    """Hold a database against what was forgotten, where that was not done."""
    lock = os.path.join(memory.workspace.folder, LOCK)
    with suppress(BusyStoreError), alone(lock, 0):  # else whoever forgets does it
        marks = Marks(store, memory.root, memory.config)
        with store.writing():
            Sweep(store, marks, memory.now()).run()
        # What of the rest cannot be done now, on a full disk or while somebody reads, is done at
        # the next opening.
        with suppress(LoxodonError, OSError):
            _drop_set_aside(memory)
            copies.renewed(memory.workspace, {})
            _settle(store)


def _settle(store: Store) -> None:
    """See that nothing is left in indexes and log; only then is it done."""
    if store.erasure.scrub():
        with store.writing():
            store.set_value(FORGOTTEN_TO, store.scalar("marks_version"))


# The database


class Sweep:
    """Takes out of a store whatever meets a mark: turns, memories, and all that was made of them.
    Call `run` inside `Store.writing`."""

    def __init__(self, store: Store, marks: Marks, now: datetime) -> None:
        self._store, self._erasure, self._marks, self._now = store, store.erasure, marks, now
        self._erased: list[str] = []  # all texts that are gone, to find names in
        self._gone: set[str] = set()  # the ids of the turns that are gone
        self._losing: dict[int, bool] = {}  # memories that lost a source; whether they stay
        self._counts: Counter[str] = Counter()

    def run(self, *, borrowed: bool = False) -> Counter[str]:
        """Take out what meets a mark; how much. With `borrowed`, also memories with a name that no
        message says any more."""
        store = self._store
        self._turns()
        erased = "\n".join(self._erased) if borrowed else ""
        told = [name for name in self._marks.known_names if name in erased]
        records = self._memories([name for name in told if not store.scalar("times_said", name)])
        self._sessions()  # before the histories, which name sessions too
        self._histories()
        self._texts([one.id for one in records])
        self._entities(records)
        self._transcripts()
        self._counts = +self._counts
        if self._counts:
            len(store.query("drop_pages"))
            themes.renew(store, records, self._now)
            for theme in {one.value for one in records if one.kind == "summary"}:
                if ":" in theme or "/" in theme:
                    themes.renew_theme(store, theme, self._now)
        return self._counts

    def _turns(self) -> None:
        cut: dict[int, tuple[str, bytes]] = {}
        forgotten, gone = set[int](), set[int]()
        for turn in self._erasure.turns():
            seq, content = turn.seq, turn.content
            left = self._marks.left_of(turn.key, turn.session, turn.speaker, content, turn.at)
            if left and left[0] == content:
                continue
            self._erased.append(content)
            if left and left[0].strip():
                cut[seq] = left
            else:
                gone.add(seq)
                self._gone.add(turn.id)
                forgotten |= set() if left else {seq}
        self._erasure.redact(cut)
        self._erasure.drop_work(gone, {row: content for row, (content, _) in cut.items()})
        rebuild(self._store, {*gone, *cut}, gone=gone)
        self._losing = dict.fromkeys(self._store.column("memories_of_turns", gone), True)
        for one in self._erasure.memories(self._store.column("memories_of_turns", forgotten)):
            said = self._store.turns(set(one.turns) - gone).values()
            self._losing[one.row] = any(says(turn.content, one.record) for turn in said)
        self._erasure.drop_turns(gone)
        self._counts += Counter({"turns": len(gone), "parts of turns": len(cut)})

    def _memories(self, borrowed: Collection[str]) -> list[Record]:
        """Take out memories, those with a borrowed name, and summaries of them; what they were."""
        store, marks, found = self._store, self._marks, dict[int, Record]()
        for one in self._erasure.memories():
            record, at = one.record, to_stored(one.record.created_at)[0]
            is_drawn = one.turns or one.row in self._losing
            if is_drawn and any(name in record.content for name in borrowed):
                store.worklog.read_again(one.turns)  # what else it tells is learned again
            elif not (
                marks.has("memory", 0, record.id)
                or (not is_drawn and marks.in_period(at))
                or marks.cut(record.content, at) != record.content
                or is_about(record, marks)
                or not self._losing.get(one.row, True)
            ):
                continue
            found[one.row] = record
        # A summary of what is gone is written anew without it, or not at all.
        made = set(store.column("summaries_of", [record.id for record in found.values()]))
        found |= {one.row: one.record for one in self._erasure.memories(made - found.keys())}
        for record in found.values():
            marks.put("memory", record.id)
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
                self._store.execute("set_history", new, memory, version)
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

    def _transcripts(self) -> None:
        """Entries of working sessions, each in its place; a summary of what is gone goes whole."""
        rows, marks = self._store.working_sessions, self._marks
        for id, owner in self._store.query("transcripts"):
            changed: dict[int, str] = {}
            for n, entry in ((n, loaded(line)) for n, line in rows.lines(id)):
                at = to_stored(datetime.fromisoformat(entry["timestamp"]))[0]
                new = marks.cut_json(entry, at)
                match entry["type"]:
                    case "session" if new != entry:
                        self._store.execute("drop_working_session", owner, entry["key"])
                    case "message" if entry["id"] in self._gone or marks.in_period(at):
                        new["message"] = {"role": entry["message"]["role"], "content": ""}
                    case "compaction" if changed:
                        new["summary"] = ""
                if new != entry:
                    changed[n] = line_of(new)
            if changed:
                rows.rewrite(id, changed)
                self._counts["transcripts"] += 1


def rebuild(
    store: Store, rows: Collection[int], *, gone: Collection[int] = (), judge_only: bool = False
) -> None:
    """Make the segments and event lines of turns anew, of what may be told of them now."""

    def day_of(turn: Turn) -> tuple[str, str]:
        return turn.session, f"{turn.at:%Y-%m-%d}"

    def told(turns: Iterable[Turn]) -> list[TurnSegment]:
        return segments(read(store, [one for one in turns if number(one) not in gone]))

    for no, *stretch in store.query("segments_with", [*rows]):
        made = told(store.query_turns("turns_from", *stretch))
        if not judge_only:
            store.worklog.put_segments([one.kept for one in made], [no])
    done_to = store.worklog.work().done_to
    days = sorted(store.query_turns("turns_of_days", [*rows]), key=day_of)
    for (session, date), turns in groupby(days, key=day_of):
        made = told(one for one in turns if number(one) <= done_to)
        if not judge_only and (dropped := store.query("drop_events", session, [date])):
            for event in events_of(made, estimate):
                store.execute("put_event", *event._replace(compressed=bool(dropped[-1][1])))


def judge_ahead(store: Store, rows: Collection[int]) -> None:
    """Have the encoder judge what `rebuild` will read, which it remembers. Call this before the
    transaction: others who write should not wait for it."""
    rebuild(store, rows, judge_only=True)


# The files beside it


def _drop_set_aside(memory: Memory, *, dry: bool = False) -> int:
    """Remove the databases that a restore or a repair has put aside; how many."""
    folder = memory.workspace.folder
    names = [name for name in files.names(folder) if name.startswith(_ASIDE_NAMES)]
    for name in () if dry else names:
        os.unlink(os.path.join(folder, name))
    return sum(not name.endswith(("-wal", "-shm", ".check")) for name in names)


def _own_files(store: Store) -> Iterator[FileProblem]:
    """The user's own files that were read: notes, and transcripts of agents."""
    notes = [os.path.join(it.root, *it.path.split("/")) for it in store.query_as(NoteFile, "files")]
    paths = dict.fromkeys([*notes, *(path for path, *_ in store.primary.dump("followed"))])
    return (FileProblem(path, 0, "") for path in paths if os.path.isfile(path))


def _lines_with(marks: Marks, left: Iterable[FileProblem]) -> Iterator[FileProblem]:
    """The lines of files with what was forgotten; line 0 where nobody can tell by them."""
    for path, _, what, _ in left:
        if not marks.cuts or what in ("away", "backup") or path.endswith(".sqlite"):
            yield FileProblem(path, 0, what)
            continue
        with (
            suppress(OSError),
            open(path, encoding="utf-8", errors="replace", newline="\n") as file,
        ):
            for n, line in enumerate(file if os.path.getsize(path) <= _MOST_BYTES else (), 1):
                said: object = line.strip().lstrip("-*>#|0123456789.[] \t")
                with suppress(ValueError, RecursionError):
                    said = json.loads(line) if line.lstrip().startswith("{") else said
                if marks.cut_json(said, 0) != said:
                    yield FileProblem(path, n, what)
