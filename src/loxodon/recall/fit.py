"""Fit: what was found as the items that are shown, each thing once, with why it came."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from loxodon.guard.provenance import shown_origin, voice
from loxodon.recall.context import snippet
from loxodon.recall.gate import State, should_recall
from loxodon.recall.look import Found, Look
from loxodon.recall.order import Linked
from loxodon.store.store import Store
from loxodon.text.words import among, fold, index_words
from loxodon.text.words import spoken as as_typed
from loxodon.types import GLOBAL_PROJECT, IN_PROJECT, Item, Source, Turn

_COMPARED = 4_000  # characters of a turn in which the words of the query are looked for
_ACKNOWLEDGED = 120  # characters up to which a message may say nothing

Shown = Callable[[str], str]


def items_of(
    look: Look, ranked: Sequence[Linked], in_view: frozenset[str], here: str, shown: Shown
) -> tuple[list[Item], dict[str, str]]:
    """The first `look.top`, as they are shown, and why others among them were passed over.

    What was said twice in the same words is one item, also where it stands in a file. What belongs
    to another project than `here` comes last.
    """
    store, top = look.store, look.top
    items: list[Item] = []
    passed: dict[str, str] = {}
    said: dict[str, int] = {}
    for start in range(0, len(ranked), max(top, 1)):
        batch = [one.found for one in ranked[start : start + top]]
        turns = _told(store, [one.key.row for one in batch if one.key.is_turn])
        sources = store.sources([one.key.row for one in batch if one.key.is_memory])
        for found in batch:
            if found.key.is_turn:
                turn = turns.get(found.key.row)
                item = _turn_item(look, found, turn, shown) if turn else None
            else:
                item = _item(look, found, sources.get(found.key.row, ()), shown)
            if item is None:
                continue
            # The words of an item, those of a file without the mark of a list before them
            is_note = item.kind == "note"
            words = fold(item.content.lstrip("-*+•> \t").rstrip() if is_note else item.content)
            if _says_nothing(item):
                passed[item.id] = "empty"
            elif in_view and _is_before_the_agent(store, item, in_view):
                passed[item.id] = "view"
            elif (same := items[said[words]] if words in said else None) and (
                item.kind == same.kind == "turn" or "note" in (item.kind, same.kind)
            ):
                if same.kind == "note" and item.kind != "turn":  # it can be edited and is used
                    same, item = item._replace(score=same.score), same
                passed[item.id] = "same"
                items[said[words]] = same._replace(sources=same.sources + item.sources)
            elif len(items) < top:
                said.setdefault(words, len(items))
                items.append(item)
        if len(items) >= top:
            break
    if here:
        for n, item in enumerate(items):
            project = item.why.get("project", "")
            if project and fold(project) != fold(here):
                items[n] = item._replace(why={**item.why, "elsewhere": project})
        items.sort(key=lambda item: "elsewhere" in item.why)
    return items, passed


def _told(store: Store, rows: Sequence[int]) -> Mapping[int, Turn]:
    """Turns by row, without what is in quarantine; not those of which nothing is left."""
    turns = store.turns(rows)
    if not store.quarantine.in_turns(turns):
        return turns
    from loxodon.guard.quarantine import heard  # slow to load, mostly nothing is held

    told = zip(turns, heard(store, turns.values()), strict=True)
    return {row: turn for row, turn in told if turn.content.strip()}


def _says_nothing(item: Item) -> bool:
    """Whether it is what people say to say nothing: “Understood, thank you.”"""
    short = item.kind == "turn" and len(item.content) <= _ACKNOWLEDGED
    return short and should_recall(item.content, State()).reason in ("acknowledgement", "greeting")


def _is_before_the_agent(store: Store, item: Item, in_view: frozenset[str]) -> bool:
    """Whether it is in view itself, or every turn or file that it is from."""

    def is_seen(source: Source) -> bool:
        if source.file:
            return fold(source.file) in in_view
        row = store.scalar("turn_row", source.session, source.turn) if source.turn else None
        turn = store.turns([row]).get(row) if row is not None else None
        return turn is not None and (turn.ref in in_view or fold(turn.content) in in_view)

    return fold(item.id) in in_view or (bool(item.sources) and all(map(is_seen, item.sources)))


def _why(look: Look, found: Found, has: Sequence[str], route: str) -> dict[str, object]:
    """What made something come: the words that matched, and what each route and factor gave."""
    why: dict[str, object] = {
        "words": as_typed(look.question.text[:_COMPARED], has),
        "routes": rounded(found.routes),
        "factors": rounded(found.factors),
        "route": route,
    }
    if found.again:
        later = datetime.fromtimestamp(found.again / 1000, look.now.tzinfo or UTC)
        why["again"] = f"{later:%Y-%m-%d}"
    return why


def _turn_item(look: Look, found: Found, turn: Turn, shown: Shown) -> Item:
    words, zone = look.question.words, look.now.tzinfo
    has = among(words, set(index_words(turn.searchable[:_COMPARED])))
    why = _why(look, found, has, "journal")
    why |= {"speaker": shown(voice(turn)), "origin": shown_origin(turn)}
    if turn.channel.startswith(IN_PROJECT):
        why["project"] = turn.channel.removeprefix(IN_PROJECT)
    return Item(
        turn.ref,
        "turn",
        snippet(turn.content, words, shown=shown),
        round(found.score, 4),
        turn.at.astimezone(zone),  # the day it was for the one who asks
        "active",
        (Source(session=turn.session, turn=turn.id),),
        why,
        valid_until=found.until.astimezone(zone) if found.until else None,
    )


def _item(look: Look, found: Found, sources: tuple[Source, ...], shown: Shown) -> Item | None:
    """A memory or a note as it is shown."""
    words, zone = look.question.words, look.now.tzinfo
    why = _why(look, found, among(words, found.said), "notes" if found.note else "memories")
    score = round(found.score, 4)
    if found.note is not None:
        file, chunk = found.note
        # The headings above a note, without one that only says what the file is called
        name = fold(file.path.rpartition("/")[2].rpartition(".")[0])
        heading = " > ".join(one for one in chunk.heading.split(" > ") if fold(one) != name)
        why |= {
            "file": file.path,
            "root": file.root,
            "lines": [chunk.first_line, chunk.last_line],
            "heading": shown(heading),
            "importance": chunk.importance,
        }
        at = chunk.at or datetime.fromtimestamp(file.mtime / 1_000_000_000, UTC)
        text = snippet(chunk.text, words, shown=shown)
        source = Source(file=file.path, line=chunk.first_line)
        return Item(found.id, "note", text, score, at.astimezone(zone), "active", (source,), why)
    record = found.record
    if record is None:
        return None
    why |= {
        "importance": record.importance,
        "trust": record.trust,
        "strength": round(record.strength, 4),
    }
    if record.project not in ("", GLOBAL_PROJECT):
        why["project"] = record.project
    if record.kind == "belief" and record.basis:
        why["basis"] = shown(record.basis)
    at, until = look.as_of or look.now, record.valid_until
    return Item(
        record.id,
        record.kind,
        snippet(record.content, words, shown=shown),
        score,
        (record.valid_from or record.created_at).astimezone(zone),
        record.state,
        sources,
        why,
        tuple(map(shown, record.tags)),
        until if until and until <= at else None,
        record.due_at,
        record.done,
        record.confidence,
    )


def rounded(shares: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in shares.items()}
