"""Fit: what was found as the items that are shown, and the block of text for an agent.

Each thing comes once, with why it came. The block is numbered, dated and within a budget. Recalled
words are data (`text/quote.py`): nothing in them can close the block or open another. What no
longer holds says until when it did. A belief says how sure it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from loxodon.guard.provenance import origin_label, shown_origin, voice
from loxodon.messages import t
from loxodon.recall.gate import says_nothing
from loxodon.recall.look import Found, Key, Look
from loxodon.store.store import Store
from loxodon.text import quote
from loxodon.text.dates import find_moments, format_date
from loxodon.text.sentences import spans
from loxodon.text.words import among, fold, index_words
from loxodon.text.words import spoken as as_typed
from loxodon.tokens import Counter
from loxodon.types import GLOBAL_PROJECT, IN_PROJECT, Item, Source, Turn

SNIPPET = 700  # most characters of one item
_SHORTER = (350, 160)  # what the best item is cut to where it would not fit
_LONGER = (1.0, 0.8, 0.6, 0.4)  # shares of the room left, one of which a longer item fits into
_FIRST, _FAIR, _NEAR = 3, 1 / 3, 0.8  # which may be: how good, beside the best and the longer ones
_COMPARED = 4_000  # characters of a turn in which the words of the query are looked for
_READ = 6_000  # characters of a text of which all sentences are looked at; of a longer one
_STRETCH = 3 * SNIPPET  # a stretch is
_ENDS = tuple(".!?。！？…”\"'")  # of a sentence
_PAUSE = re.compile(r"[\s,;:，；：、]+")
_NAME, _SOURCE = 60, 120  # characters of a name, and of where a note stands
_DAYS = 2  # relative dates of one item that are told
# A day or month nearly a year off is not: it may well be that of the other year, which is near
_MONTH, _FAR = timedelta(days=31), timedelta(days=300)

Shown = Callable[[str], str]
Recut = Callable[[Item, int], Item]


def items_of(
    look: Look, ranked: Sequence[Found], in_view: frozenset[str], here: str, shown: Shown
) -> tuple[list[Item], dict[str, str], Recut]:
    """The first `look.top`, as they are shown, each thing once; why others among them were passed
    over; and how to have them longer. What belongs to another project than `here` comes last."""
    store, top = look.store, look.top
    items: list[Item] = []
    passed: dict[str, str] = {}
    texts: dict[str, str] = {}

    def recut(item: Item, most: int = SNIPPET) -> Item:
        return item._replace(content=snippet(texts[item.id], look.question.words, most, shown))

    said: dict[str, int] = {}
    turns = _told(store, [one.key.row for one in ranked if one.key.is_turn])
    sources = store.sources([one.key.row for one in ranked if one.record])
    for found in ranked:
        if len(items) >= top:
            break
        turn = turns.get(found.key.row) if found.key.is_turn else None
        item = _item(look, found, turn, sources.get(found.key.row, ()), shown)
        if item is None:
            continue
        texts[item.id] = item.content
        item = recut(item)
        # The words of an item, those of a file without the mark of a list before them
        bare = item.content.lstrip("-*+•> \t").rstrip() if item.kind == "note" else item.content
        words = fold(bare)
        if item.kind == "turn" and says_nothing(item.content):
            passed[item.id] = "empty"
        elif in_view and _is_before_the_agent(store, found.key, item, in_view):
            passed[item.id] = "view"
        elif (same := items[said[words]] if words in said else None) and (
            item.kind == same.kind == "turn" or "note" in (item.kind, same.kind)
        ):
            if same.kind == "note" and item.kind != "turn":  # it can be edited and is used
                same, item = item._replace(score=same.score), same
            passed[item.id] = "same"
            items[said[words]] = same._replace(sources=same.sources + item.sources)
        else:
            said.setdefault(words, len(items))
            items.append(item)
    for n, item in enumerate(items) if here else ():
        if (project := item.why.get("project", "")) and fold(project) != fold(here):
            items[n] = item._replace(why={**item.why, "elsewhere": project})
    items.sort(key=lambda item: "elsewhere" in item.why)
    return items, passed, recut


def _told(store: Store, rows: Sequence[int]) -> Mapping[int, Turn]:
    """Turns by row, without what is in quarantine; not those of which nothing is left."""
    turns = store.turns(rows)
    if not store.quarantine.in_turns(turns):
        return turns
    from loxodon.guard.quarantine import heard  # slow to load, mostly nothing is held

    told = zip(turns, heard(store, turns.values()), strict=True)
    return {row: turn for row, turn in told if turn.content.strip()}


def _is_before_the_agent(store: Store, key: Key, item: Item, in_view: frozenset[str]) -> bool:
    """Whether it is in view itself, or every turn or file that it is from."""

    def is_seen(source: Source) -> bool:
        if source.file:
            return fold(source.file) in in_view
        named = source.session, source.turn or None
        turns = store.turns([key.row] if key.is_turn else store.column("turn_row", *named)).values()
        return any(turn.ref in in_view or fold(turn.content) in in_view for turn in turns)

    return fold(item.id) in in_view or (bool(item.sources) and all(map(is_seen, item.sources)))


def _item(
    look: Look, found: Found, turn: Turn | None, sources: tuple[Source, ...], shown: Shown
) -> Item | None:
    """A turn, a memory or a note with its whole text, and what made it come."""
    words, zone, score = look.question.words, look.now.tzinfo, round(found.score, 4)
    said = set(index_words(turn.searchable[:_COMPARED])) if turn else found.said
    why: dict[str, object] = {
        "words": as_typed(look.question.text[:_COMPARED], among(words, said)),
        "routes": rounded(found.routes),
        "factors": rounded(found.factors),
        "route": "journal" if turn else "notes" if found.note else "memories",
    }
    if found.again:
        why["again"] = f"{datetime.fromtimestamp(found.again / 1000, zone or UTC):%Y-%m-%d}"
    if turn is not None:
        why |= {"speaker": shown(voice(turn)), "origin": shown_origin(turn)}
        if turn.channel.startswith(IN_PROJECT):
            why["project"] = turn.channel.removeprefix(IN_PROJECT)
        text, at = turn.content, turn.at.astimezone(zone)
        source = Source(session=turn.session, turn=turn.id)
        until = found.until.astimezone(zone) if found.until else None
        return Item(turn.ref, "turn", text, score, at, "active", (source,), why, valid_until=until)
    if found.note is not None:
        file, chunk = found.note
        # The headings above a note, without one that only says what the file is called
        name = fold(file.path.rpartition("/")[2].rpartition(".")[0])
        heading = " > ".join(one for one in chunk.heading.split(" > ") if fold(one) != name)
        why |= {"file": file.path, "root": file.root, "lines": [chunk.first_line, chunk.last_line]}
        why |= {"heading": shown(heading), "importance": chunk.importance}
        at = chunk.at or datetime.fromtimestamp(file.mtime / 1_000_000_000, UTC)
        at, source = at.astimezone(zone), Source(file=file.path, line=chunk.first_line)
        return Item(found.id, "note", chunk.text, score, at, "active", (source,), why)
    if (record := found.record) is None:
        return None
    why |= {"importance": record.importance, "trust": record.trust}
    why["strength"] = round(record.strength, 4)
    if record.project not in ("", GLOBAL_PROJECT):
        why["project"] = record.project
    if record.kind == "belief" and record.basis:
        why["basis"] = shown(record.basis)
    at = (record.valid_from or record.created_at).astimezone(zone)
    until = ended if (ended := record.valid_until) and ended <= (look.as_of or look.now) else None
    told = record.id, record.kind, record.content, score, at, record.state, sources, why
    tags = tuple(map(shown, record.tags))
    return Item(*told, tags, until, record.due_at, record.done, record.confidence)


def rounded(shares: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in shares.items()}


def block(
    items: Sequence[Item],
    budget: int,
    count: Counter,
    language: str,
    unsure: bool = False,
    recut: Recut | None = None,
    cited: bool = False,
) -> tuple[str, int, tuple[Item, ...]]:
    """As many items as fit, best first, as text, its tokens and the items; where it is `unsure`
    whether they answer, it says so, and where they are `cited`, what each is from and its tags.

    One that does not fit is passed over for a shorter one; but where that would be the best of all,
    it is cut to the sentences that matter. What no longer holds gets the room that is left, and
    then the text has more of the best than their items, as `recut` makes them.
    """

    def text(entries: Sequence[str], number: int, tokens: int) -> str:
        about = t("{n} recalled by Loxodon, {tokens} tokens", language, n=number, tokens=tokens)
        about += t("; perhaps none of them answers this", language) if unsure else ""
        header = quote.heading("memories", language, about)
        return "\n".join([header, *entries, quote.marks(language)["end"]])

    used = count(text((), 999, 9999)) + 2
    fitting: dict[int, tuple[Item, str]] = {}
    for n, item in sorted(enumerate(items), key=lambda one: bool(one[0] and one[1].valid_until)):
        words = [word for typed in item.why.get("words", ()) for word in index_words(typed)]
        lengths = [most for most in _SHORTER if len(item.content) > most and not fitting]
        shorter = [item._replace(content=snippet(item.content, words, most)) for most in lengths]
        for form in (item, *shorter):
            entry = _entry(form, language, cited)
            cost = count(f"{len(fitting) + 1}. {entry}") + 1
            if used + cost <= budget:
                used += cost
                fitting[n] = form, entry
                break
    kept, least = [fitting[n] for n in sorted(fitting)], 0.0
    for n, (item, entry) in enumerate(kept[:_FIRST]):
        if recut is None or item.score < max(least, _FAIR * kept[0][0].score):
            continue
        size, cost, room = len(item.content), count(entry), budget - used
        if recut(item, int(size * (1 + room / cost))).content == item.content:
            continue  # it is whole, as most are
        forms = (recut(item, int(size * (1 + share * room / cost))) for share in _LONGER)
        told = ((one, _entry(one, language, cited)) for one in forms)
        longer, entry = next((one for one in told if count(one[1]) <= cost + room), (item, entry))
        more = count(entry) - cost
        if more > 0 and item.content.strip("…") in longer.content:
            kept[n] = item, entry
            used, least = used + more, _NEAR * item.score
    while kept:
        entries = [f"{number}. {entry}" for number, (_, entry) in enumerate(kept, 1)]
        # The number is part of what is counted; digits come in threes, so only its length matters.
        tokens = count(text(entries, len(kept), used))
        if len(str(tokens)) != len(str(used)):
            tokens = count(text(entries, len(kept), tokens))
        if tokens <= budget:
            return text(entries, len(kept), tokens), tokens, tuple(item for item, _ in kept)
        kept.pop()
    return "", 0, ()


def _entry(item: Item, language: str, cited: bool) -> str:
    """A line with the day, and whose words they are; ids cost an agent tokens and say nothing. Of a
    note also the headings that it stands under, without which a line may mean nothing."""
    words, said_by = quote.lines(item.content), item.why.get("speaker")
    if heading := item.why.get("heading"):
        words = f"{quote.line(heading, _NAME)}: {words}"
    elif said_by:
        words = f"{who(said_by, language)}: {words}"
    line = f"[{item.at:%Y-%m-%d}] {marks(item, language)}{words}"
    file = item.sources[0] if item.kind == "note" else None
    place = quote.line(f"{file.file}:{file.line}", _SOURCE) if file else item.id
    about = [t("source: {id}", language, id=place)]
    if cited and item.tags:
        about.append(t("tags: {tags}", language, tags=quote.line(", ".join(item.tags), _SOURCE)))
    behind = f"\n{quote.INDENT}{' | '.join(about)}" if cited or file else ""
    # The days that `last Thursday` and the like mean, so that no reader must compute them
    moments = find_moments(item.content, item.at) if item.kind != "note" else []
    absolute = item.kind != "turn" and not all(one.relative for one in moments)  # it says its days
    told = {
        one.text: format_date(one, language)
        for one in (() if absolute else moments)
        if one.relative and not (one.recurring or one.since <= item.at < one.until)
        if one.until - one.since > _MONTH or abs(one.since - item.at) < _FAR
    }
    days = [f"{quote.line(text, _NAME)} = {day}" for text, day in list(told.items())[:_DAYS]]
    return f"{line} [{'; '.join(days)}]{behind}" if days else line + behind


def who(speaker: str, language: str) -> str:
    """A speaker as the block names them; those without a name are called by their role."""
    roles = {
        "user": t("user", language),
        "assistant": t("assistant", language),
        "tool": t("tool", language),
        "system": t("system", language),
    }
    return roles.get(speaker) or quote.line(speaker, _NAME)


def marks(item: Item, language: str) -> str:
    """What one must know before one takes an item at its word, in brackets before it."""
    notes = []
    if project := item.why.get("elsewhere"):
        notes.append(t("of the project {name}", language, name=quote.line(project, _NAME)))
    if item.valid_until:
        notes.append(t("held until {day}", language, day=f"{item.valid_until:%Y-%m-%d}"))
    elif item.kind == "turn" and item.why.get("factors", {}).get("validity", 1.0) < 1.0:
        notes.append(t("no longer holds", language))
    elif item.state == "archived":
        notes.append(t("archived", language))
    elif (again := item.why.get("again")) and item.kind == "turn":
        notes.append(t("spoken of again on {day}", language, day=again))
    elif again:
        notes.append(t("before that; told anew on {day}", language, day=again))
    # An assistant's message says by its speaker whose it is; nobody else's does.
    whose = item.why.get("origin" if item.kind == "turn" else "trust", "")
    if (whose != "assistant" or item.kind != "turn") and (said := origin_label(whose, language)):
        notes.append(said)
    if item.kind == "belief":
        notes.append(t("{percent}% sure", language, percent=round(item.confidence * 100)))
    if item.done:
        notes.append(t("done", language))
    elif item.due_at:  # what ends at midnight is due the day before
        due = item.due_at - timedelta(seconds=1)
        notes.append(t("due {day}", language, day=f"{due:%Y-%m-%d}"))
    opens, between, closes = ("（", "，", "）") if language == "zh" else ("(", ", ", ") ")
    return f"{opens}{between.join(notes)}{closes}" if notes else ""


def snippet(text: str, words: Sequence[str], most: int = SNIPPET, shown: Shown = str) -> str:
    """`text` if it is short, else its whole sentences around those with most of `words`; as `shown`
    makes it, which is not asked about more of a very long text than may be shown."""
    wanted = {word.rstrip("*") for word in words}
    is_whole = len(text) <= _READ
    begin, end = (0, len(text)) if is_whole else _region(text, wanted)
    # At the ends of a stretch half of a number may stand, which nothing masks
    text, most = shown(text[begin:end]), most if is_whole else min(most, SNIPPET)
    if len(text) <= most and is_whole:
        return text
    sentences = spans(text)
    pieces = [piece for one in sentences for piece in _pieces(text, *one, most - 2)]
    if not pieces:
        return ""
    hits = [len(wanted.intersection(index_words(text[start:end]))) for start, end in pieces]
    first = last = max(range(len(pieces)), key=lambda i: (hits[i], -i))
    while True:  # grow by whole sentences: what follows first, then what stands before
        if last + 1 < len(pieces) and pieces[last + 1][1] - pieces[first][0] <= most - 2:
            last += 1
        elif first > 0 and pieces[last][1] - pieces[first - 1][0] <= most - 2:
            first -= 1
        else:
            break
    start = pieces[first][0]
    cut = text[start : pieces[last][1]].strip()
    begins = start in (one[0] for one in sentences) and (start > 0 or begin == 0)
    return f"{'' if begins else '…'}{cut}{'' if cut[-1:] in _ENDS else '…'}"


def _pieces(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """A sentence; one longer than `most` in pieces, cut where it pauses."""
    while end - start > most:
        pauses = _PAUSE.finditer(text, start + most // 2, start + most)
        pause = max((one.end() for one in pauses), default=start + most)
        yield start, pause
        start = pause
    yield start, end


def _region(text: str, wanted: set[str]) -> tuple[int, int]:
    """Where in a very long text most of the words stand, from a pause to a pause: half of a number
    would be shown as none."""
    lower, half = text.lower(), _STRETCH // 2
    places = [{at.start() // half for at in re.finditer(re.escape(one), lower)} for one in wanted]
    parts = sorted(set().union(*places))
    best = max(parts, key=lambda part: sum(part in some for some in places), default=0)
    begin = max(0, best * half - half // 2)
    gap = _PAUSE.search(text, begin, begin + half // 2) if begin else None
    begin = gap.end() if gap else begin
    end = min(len(text), begin + _STRETCH)
    if end < len(text):
        end = max((gap.end() for gap in _PAUSE.finditer(text, end - half // 2, end)), default=end)
    return begin, end
