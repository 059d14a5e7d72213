"""Recall: from a question to the few hundred most relevant tokens.

Calls the stages in order: understand the question, search along each route, fuse the results,
weigh them, link what belongs together, put the newest first, and fit the block into the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING

from loxodon.guard.provenance import shown_origin, voice
from loxodon.recall.confidence import is_unsure
from loxodon.recall.context import block, snippet
from loxodon.recall.fuse import Found
from loxodon.recall.gate import State, should_recall
from loxodon.recall.link import Linked, linked
from loxodon.recall.rank import weigh
from loxodon.recall.recency import current_first
from loxodon.recall.routes import Look, Seen, is_bare_last, look
from loxodon.recall.understand import Question, nobody, understand
from loxodon.store import Filter, Having, Note
from loxodon.store.store import Store
from loxodon.text.words import among, fold, index_words
from loxodon.text.words import spoken as as_typed
from loxodon.tokens import Counter
from loxodon.types import (
    GLOBAL_PROJECT,
    IN_PROJECT,
    Considered,
    Gate,
    Item,
    LeftOut,
    Recall,
    Record,
    Source,
    Stage,
    Trace,
    Turn,
)

if TYPE_CHECKING:
    from loxodon.models.questions import EmbeddedQuestion as Meaning


# How many of the best findings are linked and put in order; more where more are asked for
_RANKED = 40
# Words of the query that are told to be in a turn by their lists; others by reading it
_LISTED = 16
# Characters of a turn in which the words of the query are looked for when it is shown
_COMPARED = 4_000

_ACKNOWLEDGED = 120  # Characters up to which a message may say nothing


def recall(
    store: Store,
    query: str,
    where: Filter,
    *,
    top: int,
    budget: int,
    now: datetime,
    count: Counter,
    meaning: Callable[[str], Meaning] | None = None,
    as_of: datetime | None = None,
    profile: str = "default",
    in_view: frozenset[str] = frozenset(),
    here: str = "",
    shown: Callable[[str], str] = str,
) -> Recall:
    """What the memory has on `query`: at most `top` items whose block is within `budget` tokens.

    A turn whose words (folded) or ref, a memory whose id, or a note whose file, is `in_view` is
    passed over; so is what was drawn from such turns alone. What belongs to another project than
    `here` comes last, with the name of its own. Every text comes as `shown` makes it.
    """
    watch = Watch()
    if as_of is not None:
        where = where._replace(until=min(as_of, where.until) if where.until else as_of)
    question, seen = looked(
        store, query, where, now=now, top=top, meaning=meaning, as_of=as_of, watch=watch
    )
    if not question.words and not question.last:
        gate = Gate(False, "empty")
        return Recall(query, gate, (), (), "", 0, watch.total(), unsure=True)
    asks_past = question.tense == "past" or as_of is not None
    if is_bare_last(question):
        profile = "default"  # no formula orders what has no word of the question: the newest first
    if profile != "default":
        from loxodon.recall import profiles  # most recalls have none

        profiles.widened(store, seen.pool, question, where, profile, as_of or now)
    most = max(_RANKED, 3 * top) if profile == "default" else len(seen.pool)
    ranked = linked(store, seen.pool, where, question, asks_past, most)
    watch.lap("link")
    ranked = current_first(store, ranked, question, seen)
    watch.lap("holds")
    unsure = is_unsure(store, question, seen, ranked, where)
    watch.lap("sure")
    if profile != "default":
        ranked = profiles.arranged(store, ranked, seen.pool, question, profile, top, as_of or now)
        watch.lap("profile")
    passed: dict[str, str] = {}
    at = as_of.astimezone(now.tzinfo) if as_of else now
    items = _items(store, ranked, question, top, at, in_view, passed, shown)
    items = _of_this_project_first(items, here) if here else items
    chosen = block(items, budget, count, question.language, unsure)
    watch.lap("fit")
    left = (
        LeftOut("budget", len(items) - len(chosen.items)),
        LeftOut("top", len(ranked) - len(items) - len(passed)),
        LeftOut("view", sum(fate == "view" for fate in passed.values())),
    )
    trace = traced(question, seen, ranked, items, chosen.items, passed, watch.laps, profile)
    return Recall(
        query,
        Gate(True, "asked"),
        chosen.items,
        tuple(one for one in left if one.number > 0),
        chosen.text,
        chosen.tokens,
        watch.total(),
        trace,
        unsure,
    )


def looked(
    store: Store,
    query: str,
    where: Filter,
    *,
    now: datetime,
    top: int,
    meaning: Callable[[str], Meaning] | None = None,
    as_of: datetime | None = None,
    watch: Watch | None = None,
) -> tuple[Question, Seen]:
    """The question as it was understood, and all that was found and weighed, not yet linked."""
    watch = watch or Watch()
    # In a group nobody is looked up by other names: that these are the same may be private.
    names = store.named if where.audience is None else nobody
    question = understand(query, as_of or now, names)
    watch.lap("understand")
    if not question.words and not question.last:
        return question, Seen({}, (), (), (), {})
    asked = meaning(question.focus) if meaning else None
    watch.lap("embed")
    views = [asked.view._replace(told=question.tells)] if asked and asked.view else ()
    seen = look(Look(store, question, where, now, views, as_of, top), watch.lap)
    if asked and asked.problem:
        seen = seen._replace(problems=(*seen.problems, f"meaning: {asked.problem}"))
    asks_past = question.tense == "past" or as_of is not None
    weigh(seen.pool, question, asks_past, now, seen.spans)
    watch.lap("weigh")
    return question, seen


class Watch:
    """How long each stage takes."""

    def __init__(self) -> None:
        self._started = self._last = perf_counter()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """What was done since the last lap is called `name`."""
        now = perf_counter()
        self.laps[name] = self.laps.get(name, 0.0) + (now - self._last) * 1000
        self._last = now

    def total(self) -> float:
        return round((perf_counter() - self._started) * 1000, 3)


def _items(
    store: Store,
    ranked: Sequence[Linked],
    question: Question,
    top: int,
    now: datetime,
    in_view: frozenset[str],
    passed: dict[str, str],
    shown: Callable[[str], str],
) -> list[Item]:
    """The first `top`, as they are shown; what was said twice in the same words is one item,
    also where it stands in a file.

    Why others among them were passed over is put down in `passed`.
    """
    items: list[Item] = []
    said: dict[str, int] = {}
    having = store.having("turns", question.words[:_LISTED])  # read before, most of it
    for start in range(0, len(ranked), max(top, 1)):
        batch = ranked[start : start + top]
        turns = _told(store, [one.found.key.row for one in batch if one.found.key.is_turn])
        rows = [one.found.key.row for one in batch if one.found.key.is_memory]
        sources = store.sources(rows)
        for one in batch:
            item = _item(one, turns, sources, question, having, now, shown)
            if item is None:
                continue
            # The words of an item, those of a file without the mark of a list before them
            words = fold(
                item.content.lstrip("-*+•> \t").rstrip() if item.kind == "note" else item.content
            )
            if _says_nothing(item):
                passed[item.id] = "empty"
            elif in_view and _is_before_the_agent(store, item, in_view):
                passed[item.id] = "view"
            elif words in said and _is_again(item, items[said[words]]):
                same = items[said[words]]
                if same.kind == "note" and item.kind != "turn":  # it can be edited and is used
                    same, item = item._replace(score=same.score), same
                passed[item.id] = "same"
                items[said[words]] = same._replace(sources=same.sources + item.sources)
            elif len(items) < top:
                said.setdefault(words, len(items))
                items.append(item)
        if len(items) >= top:
            break
    return items


def _told(store: Store, rows: Sequence[int]) -> Mapping[int, Turn]:
    """Turns by row, without what is in quarantine; not those of which nothing is left."""
    turns = store.turns(rows)
    if not store.quarantine.in_turns(turns):
        return turns
    from loxodon.guard.quarantine import heard  # slow to load, mostly nothing is held

    told = zip(turns, heard(store, turns.values()), strict=True)
    return {row: turn for row, turn in told if turn.content.strip()}


def _is_again(item: Item, shown: Item) -> bool:
    """Whether an item with the words of one that is shown tells nothing more than that."""
    return item.kind == shown.kind == "turn" or "note" in (item.kind, shown.kind)


def _of_this_project_first(items: Sequence[Item], here: str) -> list[Item]:
    """The items in order, those of other projects last and marked as such."""
    of = [item.why.get("project", "") for item in items]
    other = [bool(name) and fold(name) != fold(here) for name in of]
    marked = [
        item._replace(why={**item.why, "elsewhere": name}) if elsewhere else item
        for item, name, elsewhere in zip(items, of, other, strict=True)
    ]
    return [marked[n] for n in sorted(range(len(items)), key=lambda n: other[n])]


def _says_nothing(item: Item) -> bool:
    """Whether it is what people say to say nothing: “Understood, thank you.”"""
    short = item.kind == "turn" and len(item.content) <= _ACKNOWLEDGED
    return short and should_recall(item.content, State()).reason == "acknowledgement"


def _is_before_the_agent(store: Store, item: Item, in_view: frozenset[str]) -> bool:
    """Whether it is in view itself, or every turn or file that it is from."""
    if fold(item.id) in in_view:
        return True
    return bool(item.sources) and all(_is_seen(store, one, in_view) for one in item.sources)


def _is_seen(store: Store, source: Source, in_view: frozenset[str]) -> bool:
    if source.file:
        return fold(source.file) in in_view
    row = store.scalar("turn_row", source.session, source.turn) if source.turn else None
    turn = store.turns([row]).get(row) if row is not None else None
    return turn is not None and (turn.ref in in_view or fold(turn.content) in in_view)


def _item(
    linked: Linked,
    turns: Mapping[int, Turn],
    sources: Mapping[int, tuple[Source, ...]],
    question: Question,
    having: Having,
    now: datetime,
    shown: Callable[[str], str],
) -> Item | None:
    found = linked.found
    if found.note is not None:
        return _note_item(found, found.note, question, now, shown)
    one: Turn | Record | None = turns.get(found.key.row) if found.key.is_turn else found.record
    if one is None:
        return None
    if isinstance(one, Turn):
        has = [word for word in question.words if found.key.row in having.lists.get(word, ())]
        if unlisted := [word for word in question.words if word not in having.lists]:
            has += among(unlisted, set(index_words(one.searchable[:_COMPARED])))
    else:
        has = among(question.words, found.said)
    why = _why(found, has, question)
    text = snippet(one.content, question.words, shown=shown)
    score = round(found.score, 4)
    if found.again:
        later = datetime.fromtimestamp(found.again / 1000, now.tzinfo or UTC)
        why["again"] = f"{later:%Y-%m-%d}"
    if isinstance(one, Turn):
        why |= {"route": "journal", "speaker": shown(voice(one)), "origin": shown_origin(one)}
        if one.channel.startswith(IN_PROJECT):
            why["project"] = one.channel.removeprefix(IN_PROJECT)
        at = one.at.astimezone(now.tzinfo)  # the day it was for the one who asks
        source = Source(session=one.session, turn=one.id)
        until = found.until.astimezone(now.tzinfo) if found.until else None
        return Item(one.ref, "turn", text, score, at, "active", (source,), why, valid_until=until)
    why |= {
        "route": "memories",
        "importance": one.importance,
        "trust": one.trust,
        "strength": round(one.strength, 4),
    }
    if one.project not in ("", GLOBAL_PROJECT):
        why["project"] = one.project
    if one.kind == "belief" and one.basis:
        why["basis"] = shown(one.basis)
    at = (one.valid_from or one.created_at).astimezone(now.tzinfo)
    over = one.valid_until if one.valid_until and one.valid_until <= now else None
    return Item(
        one.id,
        one.kind,
        text,
        score,
        at,
        one.state,
        sources.get(found.key.row, ()),
        why,
        tuple(map(shown, one.tags)),
        over,
        one.due_at,
        one.done,
        one.confidence,
    )


def _why(found: Found, has: Collection[str], question: Question) -> dict[str, object]:
    """What made something come: the words that matched, and what each route and factor gave."""
    return {
        "words": as_typed(question.text[:_COMPARED], has),
        "routes": rounded(found.routes),
        "factors": rounded(found.factors),
    }


def _note_item(
    found: Found, note: Note, question: Question, now: datetime, shown: Callable[[str], str]
) -> Item:
    file, chunk = note
    # The headings above a note, without one that only says what the file is called
    name = fold(note.file.path.rpartition("/")[2].rpartition(".")[0])
    heading = " > ".join(one for one in note.chunk.heading.split(" > ") if fold(one) != name)
    why = _why(found, among(question.words, found.said), question) | {
        "route": "notes",
        "file": file.path,
        "root": file.root,
        "lines": [chunk.first_line, chunk.last_line],
        "heading": shown(heading),
        "importance": chunk.importance,
    }
    # What has no day is as old as its file.
    at = chunk.at or datetime.fromtimestamp(file.mtime / 1_000_000_000, UTC)
    return Item(
        f"n_{found.key.row}",
        "note",
        snippet(chunk.text, question.words, shown=shown),
        round(found.score, 4),
        at.astimezone(now.tzinfo),
        "active",
        (Source(file=file.path, line=chunk.first_line),),
        why,
    )


# --- trace --------------------------------------------------------------------------------------

_NEXT = 10  # How many of those that just missed it are named


def traced(
    question: Question,
    seen: Seen,
    ranked: Sequence[Linked],
    items: Sequence[Item],
    shown: Sequence[Item],
    passed: Mapping[str, str],
    laps: Mapping[str, float],
    profile: str,
) -> Trace:
    """What was understood, found and weighed, what became of it, and how long each stage took."""
    fates = dict(passed)
    fates |= {item.id: "budget" for item in items} | {item.id: "shown" for item in shown}
    first = ranked[: len(fates) + _NEXT]
    return Trace(
        question,
        seen.counts,
        tuple(_considered(one, fates.get(name_of(one), "top")) for one in first),
        tuple(Stage(name, round(ms, 3)) for name, ms in laps.items()),
        profile,
        seen.problems,
    )


def name_of(linked: Linked) -> str:
    """The id of a memory, a note or a turn."""
    found = linked.found
    if found.record is not None:
        return found.record.id
    return f"n_{found.key.row}" if found.key.is_note else f"t_{found.key.row}"


def kind_of(found: Found) -> str:
    """Of what kind something is that was found."""
    if found.record is not None:
        return found.record.kind
    return "note" if found.key.is_note else "turn"


def _considered(linked: Linked, fate: str) -> Considered:
    found = linked.found
    return Considered(
        name_of(linked),
        kind_of(found),
        round(found.score, 4),
        rounded(found.routes),
        rounded(found.factors),
        fate,
    )


def rounded(shares: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in shares.items()}
