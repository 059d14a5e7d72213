"""Forgetting: gone from every place that is ours, and not coming back.

    receipt = memory.forget("f_20260204_001")

What is asked for is put down first: whoever opens the memory next finishes a run that is killed.
It becomes marks (`select`). Whatever meets one goes from the database in one transaction (`Sweep`),
then from the files beside it, indexes and log. What is the user's own is only named in the receipt.
A database that is restored is held against the marks of the one that it replaces.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext, suppress
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loxodon import files
from loxodon.clock import to_stored
from loxodon.config import Config
from loxodon.consolidate import themes
from loxodon.consolidate.segment import TurnSegment, events_of, number, segments
from loxodon.errors import BusyStoreError, InputError, LoxodonError, NotFoundError, unwritable
from loxodon.filelock import alone
from loxodon.forget.marks import LONG_AGO, Marks, clauses, joined, plain
from loxodon.forget.names import has_name, is_address, is_role, like, near, speaks_of, tokens
from loxodon.forget.receipts import MOST_FILES, Receipt, new_receipt
from loxodon.guard.quarantine import FORGET, HIDDEN, listed, read
from loxodon.language.statements import USER
from loxodon.layout import DATABASE, DELETED, DELETING, FORGOTTEN_TO, PENDING
from loxodon.security import tokens as access
from loxodon.security.paths import is_inside
from loxodon.spaces import no_space, space_folder, space_path
from loxodon.store import Progress
from loxodon.store.rows import loaded
from loxodon.store.sqlite.cipher import Keys
from loxodon.store.sqlite.copying import counts_of, held
from loxodon.store.store import Store
from loxodon.text.sentences import split
from loxodon.text.similarity import covers, gist
from loxodon.text.words import fold
from loxodon.tokens import estimate
from loxodon.types import CAPTURED, Entity, FileProblem, Record, Turn
from loxodon.views import copies
from loxodon.views.sync import take_in
from loxodon.working.transcript import line_of

if TYPE_CHECKING:
    from loxodon.memory import Memory

LOCK, _LOCK_SECONDS = "forget.lock", 120.0
# A version in a history that has lost its words
_BLANK = dict.fromkeys(("subject", "attribute", "value", "basis", "project", "category"), "")
_BLANK |= {"content": "[forgotten]", "topic": "_general", "tags": "[]", "entities": "[]"}
_COUNTED = ["turns", "memories", "entities", "documents"]  # where everything goes
_ASIDE_NAMES = (f"{DATABASE}.before-restore-", f"{DATABASE}.before-repair-", "damaged-")

_SAME = 0.75  # how much of a memory a text has that says it
_LEAST = 0.2  # and the best clause of those that it was drawn from
# Of an entity: its names; names that may be its own, and sentences that may be about it, which stay
Shown = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]


class _DryRunError(Exception):
    """Takes a transaction back that was only made to count."""


def forget(
    memory: Memory, store: Store, given: Mapping[str, Any], *, dry_run: bool, progress: Progress
) -> Receipt:
    """See `Memory.forget`, whose arguments are in `given`."""
    views, now = memory.workspace, datetime.fromisoformat(given["now"])
    if store.value(FORGOTTEN_TO).startswith("{") and not dry_run:  # by one who was killed
        finish(memory, store)
    with alone(os.path.join(views.folder, LOCK), _LOCK_SECONDS), ExitStack() as on_error:
        settled: Mapping[str, str] = {}
        if not dry_run:
            on_error.callback(_put_state, store, store.value(FORGOTTEN_TO))
            _put_state(store, json.dumps(given))
            # What a person changed in the views, which are written anew; what cannot be read stays.
            with suppress(LoxodonError, OSError):
                settled = take_in(views).settled
        with store.reading():
            marks, what, (names, near, doubtful) = select(memory, store, given)
        with suppress(_DryRunError), store.writing():
            if what == "all":
                dropped = store.erasure.drop_all()
                counts = +Counter({table: dropped[table] for table in _COUNTED})
            else:
                counts = Sweep(store, marks, now).run(borrowed=not given["only"])
            paths = store.column("own_files") if marks.cuts else ()
            own = [*_lines_with(marks, (FileProblem(path, 0, "") for path in paths))][:MOST_FILES]
            if not counts and not own and what not in ("since", "all"):
                raise NotFoundError(
                    "nothing to forget is called {name}",
                    hint="`loxodon journal` lists messages and sessions, `loxodon entities` "
                    "entities, `loxodon review` requests to forget",
                    name=" ".join(given["ids"]) or repr(given[what]),
                )
            if dry_run:
                raise _DryRunError
            store.execute_many("put_tombstone", marks.new)
            store.set_value(FORGOTTEN_TO, "")
        on_error.pop_all()
        counts["views out of use"] = copies.renewed(views, settled, dry=dry_run, progress=progress)
        stays = copies.text_left(memory.home, views.folder, memory.space, memory.config)
        receipt = new_receipt(what, now, counts, *own, *_lines_with(marks, stays))
        if not dry_run:
            with store.writing():
                store.execute("put_receipt", *receipt[:6])
            _settle(memory, store)
        near = tuple(name for name in near if store.scalar("times_said", name))
        return receipt._replace(names=names if dry_run else (), near=near, doubtful=doubtful)


def _put_state(store: Store, state: str) -> None:
    """Put down what is to be forgotten, or against which marks the database was held."""
    with store.audit.writing() if store.audit else store.writing():  # the verb has its own entry
        store.set_value(FORGOTTEN_TO, state)


def finish(memory: Memory, store: Store) -> None:
    """Hold a database against what was forgotten, where that was not done."""
    lock = os.path.join(memory.workspace.folder, LOCK)
    with suppress(BusyStoreError), alone(lock, 0):  # else whoever forgets does it
        if (asked := store.value(FORGOTTEN_TO)).startswith("{"):
            with suppress(LoxodonError), store.writing():  # unless there is no such thing
                store.execute_many("put_tombstone", select(memory, store, loaded(asked))[0].new)
            _put_state(store, "")
        with store.writing():
            Sweep(store, Marks(store, memory.root, memory.config), memory.now()).run()
        # What cannot be done now (a full disk, somebody reads) is done at the next opening.
        with suppress(LoxodonError, OSError):
            copies.renewed(memory.workspace, {})
            _settle(memory, store)


def _settle(memory: Memory, store: Store) -> None:
    """Leave nothing in databases that were set aside, in indexes and log; only then is it done."""
    for name in files.names(folder := memory.workspace.folder):
        if name.startswith(_ASIDE_NAMES):
            os.unlink(os.path.join(folder, name))
    if store.erasure.scrub():
        _put_state(store, store.scalar("marks_version"))


# What is meant
#
# A memory is more than its row: its words stand in the turns that it was drawn from, in what was
# answered there, and in memories that say the same. All of that becomes marks.


def select(memory: Memory, store: Store, given: Mapping[str, Any]) -> tuple[Marks, str, Shown]:
    """Marks of what is asked for (as of `Memory.forget`), how that is named, and what to show."""
    marks = Marks(store, memory.root, memory.config, datetime.fromisoformat(given["now"]))
    named = [what for what in ("ids", "entity", "session", "since", "all") if given[what]]
    is_more = (given["doubtful"] and named != ["entity"]) or (given["only"] and named != ["ids"])
    if len(named) != 1 or is_more:
        hint = "use ids, or one of: an entity, a session, a start time, all"
        raise InputError("say what to forget, in exactly one way", hint=hint)
    what, value = named[0], given[named[0]]
    if what == "entity":
        return marks, what, _select_entity(store, marks, value, given["doubtful"])
    if what == "session":
        marks.put("session", value)
        for turn in store.erasure.turns():
            if turn.session == value:
                marks.put_turn(turn)
    elif what == "ids":
        for id in value:
            _select_id(memory, store, marks, id, given["only"])
    else:
        marks.put_period(LONG_AGO if what == "all" else to_stored(datetime.fromisoformat(value))[0])
    return marks, what, ((), (), ())


def _select_id(memory: Memory, store: Store, marks: Marks, id: str, only: bool) -> None:
    if id.startswith("n_"):
        raise InputError(
            "{id} is a note in one of your own files, which Loxodon never changes",
            hint="delete it in the file; `loxodon get {id}` shows where it is",
            id=id,
        )
    if id.startswith("t_") or ":" in id:
        for turn in store.erasure.turns([number(memory.turn(id))]):
            marks.put_turn(turn, only=only)
    elif id.startswith("s_"):  # what it sums up has ids of its own
        marks.put("memory", memory.get(id).id)
    elif not id.startswith("q_"):
        _select_memories(store, marks, [memory.get(id).id], only=only)
    else:  # all that was held back because the user asked to have it forgotten
        held = [one for one in listed(store, None, 0, None)[0] if one.state in HIDDEN]
        found = [it for it in held if it.reason == (FORGET if it.id == id else f"{FORGET} {id}")]
        _select_memories(store, marks, [one.memory for one in found if one.memory])
        for one in found:
            marks.put_text(one.text)


# Memories


def _select_memories(store: Store, marks: Marks, ids: Sequence[str], *, only: bool = False) -> None:
    """Memories, and the clauses that they were drawn from; unless `only` these, also what says the
    same there, in the answers and in other memories."""
    known = list(store.erasure.memories(store.column("memory_rows_by_id", ids)))
    wordings = [it.record for id in ids for it in store.history(id) if it.record.id == id]
    rows, sources = {one.row for one in known}, {turn for one in known for turn in one.turns}
    for id in ids:
        marks.put("memory", id)
    alike = [] if only else wordings
    for one in alike:
        marks.put_text(one.content)
    # What only they name gives them away; 猫 and `my sister` are what many are called.
    aliases = {alias for one in store.query_as(Entity, "entities") for alias in one.aliases}
    names = {name for it in alike for name in _names_in(it)} - aliases - {USER}
    telling = [it for it in names if rows.issuperset(store.column("memories_telling", it))]

    def is_said(part: str) -> bool:
        return any(covers(part, one) >= _SAME or has_name(part, one) for one in telling) or any(
            (says(part, it) and len(gist(it.content).words) > 1)
            or (not it.value and plain(part) in plain(it.content))  # which is a quotation
            for it in alike
        )

    for turn in store.erasure.turns(sources.union(store.column("replies_to", [*sources]))):
        parts = [part for it in split(turn.content) for part in clauses(it) if plain(part)]
        if all(one.value for one in wordings):  # else it may be all that is joined, word for word
            parts = [part for it in parts for part in joined(it) if plain(part)]
        found = [*filter(is_said, parts)]
        if turn.seq in sources:
            drawn = store.erasure.memories(store.column("memories_of_turns", [turn.seq]))
            others = [it.record for it in drawn if it.record.id not in ids]
            found = found or _most_like(parts, wordings, others) or (parts if only else [])
            if turn.channel == CAPTURED or not found:
                marks.put_turn(turn, only=only)
                continue
        for part in _with_hanging(parts, found):
            marks.put_text(part)


def _with_hanging(parts: Sequence[str], found: Sequence[str]) -> Iterator[str]:
    """What was found, and what would tell of others: `my son Bo, who is away, lives in York`."""
    goes = hangs = False
    for part in parts:
        hangs = goes and like["going_on" if hangs else "hanging"].match(part) is not None
        if goes := hangs or part in found:
            yield part


def says(text: str, record: Record) -> bool:
    """Whether a text says most of what a memory says, and names whatever that names."""
    names = [name for name in _names_in(record) if name in record.content]
    return covers(text, record.content) >= _SAME and all(
        fold(name) in fold(text) or covers(text, name) == 1 for name in names
    )


def _names_in(record: Record) -> list[str]:
    """What a memory names: its value, its entities, words that look like names or numbers."""
    found = like["proper"].findall(record.content)
    return [*filter(None, (record.value, *record.entities, *found))]


def _most_like(
    parts: Sequence[str], wordings: Iterable[Record], others: Sequence[Record] = ()
) -> list[str]:
    """The clauses that have the most of a wording and the least of others."""
    found: dict[str, None] = {}
    theirs = {part: max([0.0, *(covers(part, it.content) for it in others)]) for part in parts}
    for wording in wordings:
        like = {part: (covers(part, wording.content), -theirs[part]) for part in parts}
        best = max([(_LEAST, -1.0), *like.values()])
        found |= dict.fromkeys(part for part in parts if like[part] == best)
    return list(found)


# Names


def _select_entity(store: Store, marks: Marks, given: str, doubtful: bool) -> Shown:
    """Every sentence that names someone, and those that tell what is known of them."""
    if not tokens(given):
        raise InputError("{name} is not a name", hint="use a word", name=repr(given))
    known = store.entities_named([given]).get(given)
    names = [known.name, *known.aliases] if known else [given]
    if fold(USER) in map(fold, names):
        raise InputError(
            "everything is about the user", hint="to delete everything, use `loxodon forget --all`"
        )
    own = [one for one in dict.fromkeys(names) if one == given or not is_role(one)]
    for name in own:
        marks.put_name(name)
    others = [one for one in marks.known_names if not is_role(one) and one not in own]
    said = [turn.content for turn in store.erasure.turns()]
    short_forms = near(own, marks.known_names, said)
    for one in list(store.erasure.memories()):
        said.append(one.record.content)
        if one.record.kind == "summary" or not is_about(one.record, marks):
            continue
        for turn in store.erasure.turns(one.turns):
            rest = marks.cut(turn.content, turn.at)
            if turn.channel == CAPTURED:
                marks.put_turn(turn)
            elif rest != turn.content:
                # What tells of them with a pronoun
                parts = [part for it in split(rest) for part in clauses(it)]
                for part in _most_like(parts, [one.record]):
                    if like["pronoun"].search(part) and not has_name(part, *others):
                        marks.put_text(part)
    roles = [one for one in names if one not in own and marks.known_names.count(one) == 1]
    words = [one for one in own if not is_address(one)]

    def may_mean(text: str) -> bool:  # has their name in another case, or a role of theirs alone
        return has_name(text, *words) or any(speaks_of(it, text) for it in roles)

    found = dict.fromkeys(it.strip() for text in filter(may_mean, said) for it in split(text))
    unsure = [
        it for it in found if may_mean(it) and not (marks.has_name(it, 0) or has_name(it, *others))
    ]
    while doubtful and unsure:
        marks.put_text(unsure.pop())
    return tuple(own), tuple(short_forms), tuple(unsure)


def is_about(record: Record, marks: Marks) -> bool:
    """Whether a memory has a forgotten name, or is filed under one that it does not say."""
    said, at = record.content, to_stored(record.created_at)[0]
    labels = (record.subject, record.value, record.topic, record.project, *record.tags)
    filed = (it for it in (*labels, *record.entities) if it not in said)
    return any(marks.has_name(text, at) for text in (said, *filed))


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
        named = [name for name in self._marks.known_names if name in erased]
        records = self._memories([name for name in named if not store.scalar("times_said", name)])
        for name, at in store.query("sessions_and_channels"):  # those called after it
            if (new := self._marks.new_name(name, at)) != name:
                self._erasure.rename_session(name, new)
                self._counts["sessions"] += 1
        self._histories()  # which name sessions too
        self._texts([one.id for one in records])
        self._entities()
        self._transcripts()
        if counts := +self._counts:
            len(store.query("drop_pages"))
            themes.renew(store, records, self._now)
            for one in records if any(it.kind != "summary" for it in records) else ():
                if one.kind == "summary" and (":" in one.value or "/" in one.value):
                    themes.renew_theme(store, one.value, self._now)
        return counts

    def _turns(self) -> None:
        cut: dict[int, tuple[str, bytes]] = {}
        forgotten, gone = set[int](), set[int]()
        for turn in self._erasure.turns():
            text = turn.content
            left = self._marks.left_of(turn.key, turn.session, turn.speaker, text, turn.at)
            if left and left[0] == text:
                continue
            self._erased.append(text)
            if left and left[0].strip():
                cut[turn.seq] = left
            else:
                gone.add(turn.seq)
                self._gone.add(turn.id)
                forgotten |= set() if left else {turn.seq}
        self._erasure.redact(cut)
        self._erasure.drop_work(gone, {row: content for row, (content, _) in cut.items()})
        rebuild(self._store, {*gone, *cut}, gone=gone)
        for one in self._erasure.memories(self._store.column("memories_of_turns", gone)):
            said = self._store.turns(set(one.turns) - gone).values()
            is_said = any(says(turn.content, one.record) for turn in said)
            self._losing[one.row] = is_said or forgotten.isdisjoint(one.turns)
        self._erasure.drop_turns(gone)
        self._store.changed += [f"t_{row}" for row in (*gone, *cut)]
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
        store.changed += [record.id for record in found.values()]
        for record in found.values():
            marks.put("memory", record.id)
            self._erased += [record.content, record.subject, *record.entities]
            self._counts["summaries" if record.kind == "summary" else "memories"] += 1
        for key in self._erasure.drop_memories(found):  # of imports, which bring it no more
            marks.put("import", key)
        return list(found.values())

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

    def _entities(self) -> None:
        """Names that nothing has any more, of those that stood in what is gone."""
        erased, worklog = "\n".join(self._erased), self._store.worklog
        for entity in self._store.query_as(Entity, "entities"):
            names, at = [entity.name, *entity.aliases], to_stored(entity.created_at)[0]
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


def rebuild(store: Store, rows: Collection[int], *, gone: Collection[int] = ()) -> None:
    """Make the segments and event lines of turns anew, of what may be told of them now."""

    def day_of(turn: Turn) -> tuple[str, str]:
        return turn.session, f"{turn.at:%Y-%m-%d}"

    def made_of(turns: Iterable[Turn]) -> list[TurnSegment]:
        return segments(read(store, [one for one in turns if number(one) not in gone]))

    for no, *stretch in store.query("segments_with", [*rows]):
        made = made_of(store.query_turns("turns_from", *stretch))
        store.worklog.put_segments([one.kept for one in made], [no])
    done_to = store.worklog.work().done_to
    days = sorted(store.query_turns("turns_of_days", [*rows]), key=day_of)
    for (session, date), turns in groupby(days, key=day_of):
        if dropped := store.query("drop_events", session, [date]):
            for event in events_of(made_of(it for it in turns if number(it) <= done_to), estimate):
                store.execute("put_event", *event._replace(compressed=bool(dropped[-1][1])))


# The files beside it


def _lines_with(marks: Marks, left: Iterable[FileProblem]) -> Iterator[FileProblem]:
    """The lines of files with what was forgotten; line 0 where nobody can tell by them."""
    for path, _, what, _ in left:
        if not marks.cuts or what in ("away", "backup") or path.endswith(".sqlite"):
            yield FileProblem(path, 0, what)
            continue
        with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
            for n, line in enumerate(file, 1):
                said = line.replace("\\n", " ").strip().lstrip("-*>#|0123456789.[] \t")
                if marks.cut(said, 0) != said:
                    yield FileProblem(path, n, what)


# A whole space
#
# Nobody else may have it open. What lies elsewhere goes first: views in other folders, tokens for
# this space. Then a receipt is put down, and the folder is moved to HOME/deleting in one step and
# removed; a run that is killed there is finished by whoever opens the home next. Backups stay, and
# are named. In PostgreSQL all of it is one transaction, and others may have the space open.


def delete(
    home: str, root: str, space: str, config: Config, keys: Keys, now: datetime, *, dry_run: bool
) -> Receipt:
    """Delete a space and everything of it; with `dry_run`, only count. Its state is at `root`: the
    home, or the address of a database."""
    folder = space_folder(root, space, make=False)
    shared, database = files.shared(folder), os.path.join(folder, DATABASE)
    counts = shared[0].counts(space) if shared else counts_of(database, keys)
    counts["access tokens"] = sum(space in one.spaces for one in access.read(root))
    with nullcontext() if shared or dry_run else held(database, keys):
        stays = copies.text_left(home, folder, space, config, remove=not dry_run)
        left = [one for one in stays if not is_inside(one.file, folder)]  # which goes with it
        if (moved := space_path(home, space)) != folder and os.path.isdir(moved):
            left.append(FileProblem(moved, 0, "copy"))
        receipt = new_receipt("space", now, counts, *left)
        if dry_run:
            return receipt
        name = "" if keys and not shared else space
        row = json.dumps({"space": name, **receipt._asdict(), "at": now.isoformat()})
        # Begun on a line of its own: the last run may have been killed within one.
        line, grants = f"\n{row}\n".encode(), access.without_space(root, space)
        if shared:
            changed = {access.FILE: access.in_toml(grants)} if counts["access tokens"] else {}
            if not shared[0].drop_space(space, changed, {DELETED: line}):  # another was faster
                raise no_space(space)
            return receipt
        if counts["access tokens"]:
            access.write(home, grants)
        try:
            Path(copies.workspace_of(folder, config), PENDING).unlink(missing_ok=True)
            files.append(os.path.join(home, DELETED), line)
            gone = os.path.join(home, DELETING, os.path.basename(folder))
            shutil.rmtree(gone, ignore_errors=True)  # of an earlier one of this name
            files.make_folder(os.path.dirname(gone))
            os.rename(folder, gone)
            for place in (os.path.dirname(folder), os.path.dirname(gone)):
                files.sync_folder(place)
        except OSError as error:
            raise unwritable(folder, error) from None
    shutil.rmtree(os.path.dirname(gone), ignore_errors=True)
    return receipt
