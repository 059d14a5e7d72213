"""Writes the block of text for an agent: numbered, dated, within a budget.

Recalled words are data (`text/quote.py`): nothing in them can close the block or open another.
What no longer holds says until when it did. A belief says how sure it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import lru_cache
from typing import NamedTuple

from loxodon.guard.provenance import origin_label
from loxodon.messages import t
from loxodon.text import quote
from loxodon.text.dates import find_moments, format_date
from loxodon.text.sentences import spans
from loxodon.text.words import index_words
from loxodon.tokens import Counter
from loxodon.types import Item

SNIPPET = 700  # Most characters of one item
# What the best item is cut to where it would not fit, before it is passed over
_SHORTER = (350, 160)
# Characters of a text of which all sentences are looked at; of a longer one a stretch is
_READ = 6_000
_STRETCH = 3 * SNIPPET
_ENDS = tuple(".!?。！？…”\"'")  # of a sentence
_NAME = 60
_SOURCE = 120
_DAYS = 2  # relative dates of one item that are told


class Block(NamedTuple):
    """The context, and which items found room in it, as they stand there."""

    text: str
    tokens: int
    items: tuple[Item, ...]


def block(
    items: Sequence[Item], budget: int, count: Counter, language: str, unsure: bool = False
) -> Block:
    """As many items as fit, best first; where it is `unsure` whether they answer, it says so.

    One that does not fit is passed over for a shorter one; but where that would be the best of all,
    it is cut to the sentences that matter. What no longer holds gets the room that is left.
    """
    used = count(_header(999, 9999, language, unsure)) + count(quote.mark("end", language)) + 2
    fitting: dict[int, Item] = {}
    for n in sorted(range(len(items)), key=lambda n: n > 0 and items[n].valid_until is not None):
        item = items[n]
        words = [word for typed in item.why.get("words", ()) for word in index_words(typed)]
        lengths = [most for most in _SHORTER if len(item.content) > most and not fitting]
        shorter = [item._replace(content=snippet(item.content, words, most)) for most in lengths]
        for form in (item, *shorter):
            cost = count(_entry(len(fitting) + 1, form, language)) + 1
            if used + cost <= budget:
                used += cost
                fitting[n] = form
                break
    kept = [fitting[n] for n in sorted(fitting)]
    while kept:
        entries = [_entry(number, item, language) for number, item in enumerate(kept, 1)]

        def text(tokens: int, entries: Sequence[str] = entries) -> str:
            header = _header(len(entries), tokens, language, unsure)
            return "\n".join([header, *entries, quote.mark("end", language)])

        # The number is part of what is counted; digits come in threes, so only its length matters.
        tokens = count(text(count(text(used))))
        if tokens <= budget:
            return Block(text(tokens), tokens, tuple(kept))
        kept.pop()
    return Block("", 0, ())


def _header(items: int, tokens: int, language: str, unsure: bool) -> str:
    about = t("{n} recalled by Loxodon, {tokens} tokens", language, n=items, tokens=tokens)
    if unsure:
        about += t("; perhaps none of them answers this", language)
    return quote.heading("memories", language, about)


def unfound(what: str, language: str) -> str:
    """Instead of a block, where something is asked to be forgotten of which nothing is known."""
    about = t(
        "the user asks to forget “{what}”: nothing about it was found, and nothing was forgotten",
        language,
        what=quote.line(what, _NAME),
    )
    return quote.heading("memories", language, about)


# --- An entry -------------------------------------------------------------------------------------


def _entry(number: int, item: Item, language: str) -> str:
    """A line with the day, and whose words they are; ids cost an agent tokens and say nothing. Of a
    note also the headings that it stands under, without which a line may mean nothing."""
    words, said_by = quote.lines(item.content), item.why.get("speaker")
    if heading := item.why.get("heading"):
        words = f"{quote.line(heading, _NAME)}: {words}"
    elif said_by:
        words = f"{who(said_by, language)}: {words}"
    line = f"{number}. [{item.at:%Y-%m-%d}] {marks(item, language)}{words}"
    if item.kind != "note":
        return line + _days(item, language)
    source = item.sources[0]
    place = quote.line(f"{source.file}:{source.line}", _SOURCE)
    return f"{line}\n{quote.INDENT}{t('source: {id}', language, id=place)}"


def _days(item: Item, language: str) -> str:
    """The days that `last Thursday` and the like mean, so that no reader must compute them."""
    told = {
        moment.text: format_date(moment, language)
        for moment in find_moments(item.content, item.at)
        if moment.relative and not moment.recurring and not moment.since <= item.at < moment.until
    }
    days = [f"{quote.line(text, _NAME)} = {day}" for text, day in list(told.items())[:_DAYS]]
    return f" [{'; '.join(days)}]" if days else ""


@lru_cache(maxsize=256)
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
    elif item.due_at:
        # What ends at midnight is due the day before.
        due = item.due_at - timedelta(seconds=1)
        notes.append(t("due {day}", language, day=f"{due:%Y-%m-%d}"))
    if not notes:
        return ""
    return f"（{'，'.join(notes)}）" if language == "zh" else f"({', '.join(notes)}) "


# --- A snippet ------------------------------------------------------------------------------------

_PAUSE = re.compile(r"[\s,;:，；：、]+")


def snippet(
    text: str, words: Sequence[str], most: int = SNIPPET, shown: Callable[[str], str] = str
) -> str:
    """`text` if it is short, else its whole sentences around those with most of `words`; as `shown`
    makes it, which is not asked about more of a very long text than may be shown."""
    wanted = {word.rstrip("*") for word in words}
    begin, end = _region(text, wanted)
    is_whole = (begin, end) == (0, len(text))
    text = shown(text[begin:end])
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
    if len(text) <= _READ:
        return 0, len(text)
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
