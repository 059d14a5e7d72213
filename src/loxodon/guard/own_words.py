"""What of a message are its speaker's own sentences, whichever door it comes through.

A person types, pastes, forwards and quotes; a program puts files, pages and results around what was
typed. What is marked as somebody else's has an end: fences, tags, quotation marks, quoted lines,
tables, JSON, pairs of rules. What only has a beginning goes on to the end of the message: the lines
of a log or a form, a heading, a sentence that hands a text over (`translate this:`, 她写道：).

The words by which a text is handed over are in `own_words.toml`. In doubt nothing is learned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from json import JSONDecoder
from typing import Any

from loxodon.guard.policy import table
from loxodon.text.bounds import CLOSELY, LONGEST
from loxodon.text.patterns import any_case
from loxodon.types import Turn

_PARTS = "\n---\n"
_READ = 400  # characters of a sentence that are looked at, which are its last
_GONE = "\ufffc"
_BLANK = " \t.。"
Span = tuple[int, int]  # a stretch of a message that is another's


def in_parts(content: object, read: Callable[[Any], str]) -> str:
    """The text of a user's message as `read` has it."""
    if not isinstance(content, list | tuple):
        return read(content)
    texts = [text for part in content if (text := read([part]))]
    if sum(_OURS.fullmatch(text) is None for text in texts) < 2:
        return "\n".join(texts)
    return _PARTS.join((texts[0], "\n\n".join(texts[1:])))


def own_turns(turns: Sequence[Turn], as_said: Sequence[Turn] = ()) -> Iterator[Turn]:
    """Turns in the order in which they were said; those of a person with only their own words.
    `as_said` has them without holes, where there are any."""
    before = dict[str, list[Turn]]()
    for turn, whole in zip(turns, as_said or turns, strict=True):
        said = before.setdefault(turn.session, [])
        own = turn.content
        if _is_persons(turn):
            is_text = _awaited(said) and not _has(turn.content, "interjects")
            own = "" if is_text else _ITEM.sub("", own_words(turn.content))
        yield turn if own == turn.content else turn._replace(content=own)
        before[turn.session] = [*said[-1:], whole]


def _is_persons(turn: Turn) -> bool:
    return turn.role == "user" and turn.origin in ("user", "import", "relayed")


# The mark of an item in a list of what somebody tells of themselves
_ITEM = re.compile(r"(?m)^[ \t]*(?:[-*•·]|\d{1,2}[.)、])[ \t]*(?=(?i:i|my)\b|我)")


@lru_cache(maxsize=2_000)  # each step of a consolidation asks for the same messages
def own_words(text: str) -> str:
    """A message without what is another's in it; never longer, in the order it was said."""
    parts, at = list[str](), 0
    for start, end in others(text):
        inside = "\n" not in text[start:end] and text[at:start].strip()
        parts += [text[at:start], "“…”" if inside and text[start] in _OPENING else "\n"]
        at = end
    if not parts:
        return text
    lines = (line.strip(" \t:：") for line in "".join((*parts, text[at:])).split("\n"))
    return "\n".join(line for line in lines if line)


def others(text: str) -> list[Span]:
    """The stretches of a message that are another's, in order, none within another."""
    spans = _merged(_marked(text[:LONGEST]))
    end = _typed_to(text, spans)
    known = (words(kind).finditer(text[:end]) for kind in ("of_the_user", "sample"))
    spans = _merged([*spans, *(one.span() for found in known for one in found), (end, len(text))])
    opened = _opened(masked(text[:end], spans))
    if opened is not None:
        back = _back_at(text[:end], opened)
        spans = _merged([*spans, (opened, len(text) if back is None else back)])
    return _merged([*spans, _handed_over(masked(text[:end], spans), len(text))])


def _typed_to(text: str, spans: Iterable[Span]) -> int:
    """How far a message may have been typed: what is beyond so many characters was pasted."""
    left, at = CLOSELY, 0
    for start, end in spans:
        if start - at > left:
            break
        left, at = left - (start - at), end
    return min(at + left, LONGEST, len(text))


def masked(text: str, spans: Iterable[Span]) -> str:
    """A text with everything where it was, and a mark all over what is another's."""
    parts, at = list[str](), 0
    for start, end in spans:
        parts += [text[at:start], _GONE * (min(end, len(text)) - start)]
        at = end
    return "".join((*parts, text[at:]))


def _merged(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        elif start < end:
            found.append((start, end))
    return found


# --- Marks that have an end -----------------------------------------------------------------------


def _marked(text: str) -> Iterator[Span]:
    """What stands between marks: from the first of a kind to the last, since a page may close the
    mark that it stands in; to the end where the first is never closed."""
    for fence in _FENCES:
        if marks := list(fence.finditer(text)):
            yield marks[0].start(), marks[-1].end() if len(marks) % 2 == 0 else len(text)
    squared = list(_SQUARE_TAG.finditer(text)) if "[/" in text else []
    for tags in (list(shape("tag").finditer(text)), squared):
        if tags:
            first = 0 if tags[0]["end"] else tags[0].start()
            # Whether the first is closed somewhere, and the last one closes
            closing = {one["name"].casefold() for one in tags if one["end"]}
            closed = bool(tags[-1]["end"]) and tags[0]["name"].casefold() in closing
            yield first, tags[-1].end() if closed else len(text)
    yield from (one.span() for one in shape("quotation").finditer(text) if _is_sentence(one[0]))
    for data in (shape("quoted_lines"), shape("data")):
        if found := list(data.finditer(text)):
            yield found[0].start(), _value_end(text, found[0]) or found[-1].end()


def _value_end(text: str, data: re.Match[str]) -> int | None:
    """Where a value of JSON ends that is all the data of a message, and words follow it."""
    start = data.start() + len(data[0]) - len(data[0].lstrip())
    try:
        end = JSONDecoder().raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None
    follows = text[end:].partition("\n")[0].strip()
    return end if follows and not shape("data").search(text, end) else None


def _is_sentence(quotation: str) -> bool:
    """Whether a quotation is what somebody says, rather than a title or a word."""
    inner = quotation[1:-1]
    return (
        inner[-1:] in ".!?。！？；…~"
        or shape("of_a_person").search(inner) is not None
        or "\n" in inner
        or len(inner) > (16 if _HAN.search(inner) else 60)
    ) and not _TITLE.fullmatch(inner.rstrip(".,"))


_FENCES = tuple(map(re.compile, (r"`{3,}", r"~{3,}", r'"{3,}', r"'{3,}", r"\${2,}")))
_SQUARE_TAG = re.compile(r"\[(?P<end>/?)(?P<name>[^\W\d][\w:.-]{0,60}+)[^\[\]\n]{0,200}+\]")
_OPENING = "\"'“「『«‘"
_TITLE = re.compile(r"(?:(?:[A-Z][\w'’]*|of|the|and|an?|in|on|to|for|with)[\s:,&!?-]{0,3})+")
_HAN = re.compile("[\u4e00-\u9fff]")


# --- Marks that have none -------------------------------------------------------------------------


def _opened(text: str) -> int | None:
    """Where a log, a form, a heading or a letter begins."""
    rules = list(shape("rule").finditer(text))
    if len(rules) == 1 and not any(map(str.isalnum, rules[0][0])):
        return 0
    found = [rules[0].start()] if len(rules) % 2 else []
    letter = shape("salutation").search(text)
    if letter and _has(text[max(0, letter.start() - _READ) : letter.start()], *_HANDING):
        found.append(letter.start())
    entries, labels, is_own_form = list[int](), list[int](), False
    for line in _LINE.finditer(text):
        start, said = line.start(), line[0]
        if _GONE in said or _OURS.fullmatch(said):
            continue
        label = shape("label").match(said)
        if not label:
            is_own_form = said.rstrip().endswith((":", "：")) and _has(said[-_READ:], "mine")
        if shape("head").match(said):
            found.append(start)
            entries.append(start)
        elif shape("entry").match(said) or shape("stamped").match(said):
            entries.append(start)
        elif label:
            name = label["label"].strip("*_")
            is_role = _has(name, "role") and not _has(name, "me")
            own = is_own_form or _has(name, "aside", "mine", "me") or _has(said, "in_brackets")
            if own and not is_role:
                continue
            labels.append(start)
            named = shape("name").fullmatch(name) and _has(said[label.end() :], "starts_with_me")
            if named or is_role or _has(name, "text", "saying"):
                found.append(start)
    for several in (entries, labels):
        found += several[:1] if len(several) > 1 else []
    return min(found, default=None)


def _back_at(text: str, opened: int) -> int | None:
    """Where the speaker is back after what is another's."""
    last = text.rstrip().rfind("\n\n") + 2
    if last < 2 or last <= opened:
        return None
    if not opened and words("that_was").match(text, last):
        return last
    log = all(shape("entry").match(line[0]) for line in _LINE.finditer(text, opened, last))
    return last if log and "?" in text[last:].replace("？", "?") else None


_LINE = re.compile(r"(?m)^[ \t]*\S[^\n]*")
_OURS = re.compile(r"\s*(?:\[(?:image|audio|video|file)\]\s*)+")  # what came with the words


# --- Sentences that hand something over -----------------------------------------------------------


def _awaited(before: Sequence[Turn]) -> bool:
    """Whether the next message is a text."""
    answer = before[-1].content[-_READ:] if before and before[-1].role == "assistant" else ""
    asked = next((one.content[-_READ:] for one in reversed(before) if _is_persons(one)), "")
    wanted = _meets(answer, "is_text_wanted")
    if _has(asked, "mine") or _meets(asked, "comes_next"):
        return not _has(asked, "mine")
    if not _meets(asked, "is_of_text"):
        return wanted and _has(answer, "text")
    return (wanted or _lacks_its_text(asked.rstrip())) and not others(asked)


def _lacks_its_text(message: str) -> bool:
    """Whether a message ends with a sentence about a text that is not there."""
    start, end = [*_sentences(message, 0, len(message))][-1]
    if message.endswith((":", "：")):
        return _announces(message[start:end], before_a_line=True)
    heard = _has(message, "text") and _has(message, "listens")
    return not _LINK.search(message) and (heard or _meets(message[start:end], "lacks_text"))


def _handed_over(text: str, whole: int) -> Span:
    """What follows a sentence that hands over somebody's words."""
    lines = [one.span() for one in _LINE.finditer(text)]
    said = [(*span, last) for first, last in lines for span in _sentences(text, first, last)]
    texts = [text[max(start, end - _READ) : end] for start, end, _ in said]
    texts = [_LINK.sub(lambda link: "." * len(link[0]), one) for one in texts]
    line = 0  # the first sentence of this one
    for n, (_, end, last) in enumerate(said):
        line = n if n and end > said[n - 1][2] else line
        if (within := _begins_within(texts[n])) is not None:
            return end - len(texts[n]) + within, whole
        if n + 1 == len(said):
            break
        marked = texts[n].rstrip(_BLANK).endswith(_GONE) or text[end:].lstrip().startswith(_GONE)
        if marked or _has(texts[n + 1], "back"):  # marks tell where it ends, or nothing begins
            continue
        new_line = end == last
        handing = texts[line if new_line else n : n + 1]
        announced = any(_announces(one, new_line) for one in handing)
        if announced or _has(texts[n], "wording") or _tells_of(texts[n], texts[n + 1 :]):
            return end, whole
    # A last sentence may be about what stands before it.
    for closing in texts[-1:]:
        asks = words("wording").search(closing)
        if asks and _GONE not in closing:
            return 0, said[-1][1] - len(closing) + asks.start()
        if len(lines) > 1 and _meets(closing, "is_about_above"):
            return 0, lines[-1][0]
    return 0, 0


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for stop in _STOP.finditer(text, start, end):
        yield start, stop.end()
        start = stop.end()
    if text[start:end].strip():
        yield start, end


def _begins_within(sentence: str) -> int | None:
    """Where in a sentence somebody else's words begin."""
    if played := words("plays").search(sentence):
        return played.start()
    if spoken := words("speaks_directly").search(sentence):
        return spoken.end()
    for kind in ("on_behalf", "objectless"):
        asked = words(kind).search(sentence)
        begins = shape("first_clause").search(sentence, asked.end()) if asked else None
        if begins:
            return begins.end()
    spoken = words("speaks").search(sentence)
    if spoken and _has(sentence[: spoken.end()], "text", "fiction", "cataphora"):
        return spoken.end()
    at = 0
    for mark in shape("colon").finditer(sentence):
        clause, dash = sentence[at : mark.start()], mark[0] not in ":："
        kinds = ("text",) if dash else _HANDING
        theirs = _has(clause, *kinds) and not _has(clause, "aside", "mine", "in_brackets")
        theirs = theirs and (not dash or (len(clause) < _SHORT and not _has(clause, "me")))
        rest = sentence[mark.end() :].strip(_BLANK)
        if theirs and rest and not rest.startswith(_GONE):
            return mark.end()
        at = mark.end()
    return None


def _announces(sentence: str, before_a_line: bool) -> bool:
    """Whether what follows a sentence are words that it hands over."""
    if _has(sentence, "mine", "aside"):
        return False
    if before_a_line and sentence.rstrip().endswith((":", "：")):
        return _meets(sentence, "announces_with_colon")
    here = "announces_lines" if before_a_line else "announces_here"
    return _meets(sentence, "announces") or _meets(sentence, here)


def _tells_of(sentence: str, after: Sequence[str]) -> bool:
    """Whether a sentence tells that somebody else said or wrote something, the next one is in the
    first person, and this one or the last one is about that."""
    if not _has(after[0], "starts_with_me") or _has(after[0], "asks"):
        return False
    to_you = any(_has(one, "to_you") for one in after[:3])
    if _has(sentence, "on_behalf") or (to_you and _meets(sentence, "tells_you")):
        return True
    if _meets(sentence, "shows"):
        return not any(_has(one, "asks") for one in after)
    if _GONE in sentence or _meets(sentence, "is_own"):
        return False
    said, got = ([*words(kind).finditer(sentence)][-1:] for kind in ("saying", "receiving"))
    told = any(_has(sentence[one.end() :], "content") for one in said or got)
    about_it = len(after) > 1 and _has(after[-1], "asks", "them")
    if _has(sentence, "text"):
        return about_it or bool(not told and (said or got))
    return about_it and bool(said) and not told


_HANDING = ("text", "task", "saying", "receiving", "wording", "objectless")
_SHORT = 50
_ENDS = ".!?。！？;；,，"
_LINK = re.compile(r"https?://\S+")
_STOP = re.compile(r"[.!?]+[\"'”’)\]]*(?=\s)|[。！？!?；]+[”’」』）]*")


def _meets(sentence: str, case: str) -> bool:
    """Whether a sentence has the words of a case in `own_words.toml`."""
    return any(
        all(_has(sentence, *one.strip("!").split("|")) != (one[0] == "!") for one in rule.split())
        for rule in table("own_words")["cases"][case]
    )


def _has(text: str, *kinds: str) -> bool:
    """Whether a text has a word of one of these kinds."""
    return any(words(kind).search(text) for kind in kinds)


@cache
def shape(name: str) -> re.Pattern[str]:
    """What something looks like, as `own_words.toml` has it."""
    pattern: str = table("own_words")["shapes"][name]
    return re.compile(pattern.replace("\n", ""))


@cache
def words(kind: str) -> re.Pattern[str]:
    """The words of one kind in `own_words.toml`."""
    known = table("own_words")
    pattern: str = known[kind]
    for name in ("first_person", "text", "language", "person", "others"):
        pattern = pattern.replace(name.upper(), known[name])
    return any_case(pattern.replace("\n", ""))
