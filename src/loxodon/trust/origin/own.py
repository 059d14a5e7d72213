"""What of a message are its speaker's own sentences, whichever door it comes through.

A person types, pastes, forwards and quotes; a program puts files, pages and results around what was
typed. What is marked as somebody else's has an end: fences, tags, quotation marks, quoted lines,
tables, JSON, pairs of rules. What only has a beginning goes on to the end of the message: the lines
of a log or a form, a heading, a sentence that hands a text over (`translate this:`, 她写道：). Of
what stands before such a beginning only the sentences before it are the speaker's.

The words by which a text is handed over are in `own.toml`. Where in doubt a sentence is not the
speaker's: then nothing is learned from it, and a recall finds it all the same.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from loxodon.text.patterns import any_case
from loxodon.types import Turn

_PARTS = "\n---\n"
_READ = 400
"""Characters of a sentence that are looked at."""
_GONE = "\ufffc"


class Span(NamedTuple):
    """A stretch of a message that is another's."""

    start: int
    end: int


def in_parts(content: object, read: Callable[[Any], str]) -> str:
    """The text of a user's message as `read` has it; where several of its parts are texts, apart:
    nobody says which of them is the user's, so none is taken for it."""
    if not isinstance(content, list | tuple):
        return read(content)
    texts = [text for part in content if (text := read([part]))]
    if sum(_OURS.fullmatch(text) is None for text in texts) < 2:
        return "\n".join(texts)
    return _PARTS.join((texts[0], "\n\n".join(texts[1:])))


def own_turn(turn: Turn) -> Turn:
    """A turn of a person with only their own words; any other as it is."""
    if turn.role != "user" or turn.origin not in ("user", "import", "relayed"):
        return turn
    own = _ITEM.sub("", own_words(turn.content))
    return turn if own == turn.content else turn._replace(content=own)


_ITEM = re.compile(r"(?m)^[ \t]*(?:[-*•·]|\d{1,2}[.)、])[ \t]*(?=(?i:i|my)\b|我)")
"""The mark of an item in a list of what somebody tells of themselves."""


def own_words(text: str) -> str:
    """A message without what is another's in it; never longer, in the order it was said."""
    parts, at = list[str](), 0
    for span in others(text):
        inside = "\n" not in text[span.start : span.end] and text[at : span.start].strip()
        parts += [text[at : span.start], "“…”" if inside and text[span.start] in _OPENING else "\n"]
        at = span.end
    if not parts:
        return text
    lines = (line.strip(" \t:：") for line in "".join((*parts, text[at:])).split("\n"))
    return "\n".join(line for line in lines if line)


def others(text: str) -> list[Span]:
    """The stretches of a message that are another's, in order, none within another."""
    spans = _merged(_marked(text))
    bare = _without(text, spans)
    opened = _opened(bare)
    if opened is not None:
        spans = _merged([*spans, Span(opened, len(text))])
        bare = _without(text, spans)
    return _merged([*spans, *_handed_over(bare)])


def _without(text: str, spans: Iterable[Span]) -> str:
    """`text` with everything where it was, and a mark all over what is another's."""
    parts, at = list[str](), 0
    for start, end in spans:
        parts += [text[at:start], _GONE * (end - start)]
        at = end
    return "".join((*parts, text[at:]))


def _merged(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for one in sorted(spans):
        if found and one.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, one.end))
        elif one.start < one.end:
            found.append(one)
    return found


# --- Marks that have an end -----------------------------------------------------------------------


def _marked(text: str) -> Iterator[Span]:
    """What stands between marks: from the first of a kind to the last, since a page may close the
    mark that it stands in; to the end where the first is never closed."""
    for fence in _FENCES:
        if marks := list(fence.finditer(text)):
            yield Span(marks[0].start(), marks[-1].end() if len(marks) % 2 == 0 else len(text))
    squared = list(_SQUARE_TAG.finditer(text)) if "[/" in text else []
    for tags in (list(_TAG.finditer(text)), squared):
        if tags:
            first = 0 if tags[0]["end"] else tags[0].start()
            yield Span(first, tags[-1].end() if _is_closed(tags) else len(text))
    yield from (Span(*one.span()) for one in _SAID.finditer(text) if _is_sentence(one[0]))
    for data in (_QUOTED_LINES, _DATA):
        if found := list(data.finditer(text)):
            yield Span(found[0].start(), found[-1].end())


def _is_closed(tags: Sequence[re.Match[str]]) -> bool:
    """Whether the first tag is closed somewhere, and the last one closes."""
    closing = {one["name"].casefold() for one in tags if one["end"]}
    return bool(tags[-1]["end"]) and tags[0]["name"].casefold() in closing


def _is_sentence(quotation: str) -> bool:
    """Whether a quotation is what somebody says, rather than a title or a word."""
    inner = quotation[1:-1]
    return (
        inner[-1:] in ".!?。！？；…~"
        or _OF_A_PERSON.search(inner) is not None
        or "\n" in inner
        or len(inner) > (16 if _HAN.search(inner) else 60)
    ) and not _TITLE.fullmatch(inner)


_FENCES = tuple(map(re.compile, (r"`{3,}", r"~{3,}", r'"{3,}', r"'{3,}", r"\${2,}")))
_TAG = re.compile(
    r"(?:(?<![\w.])(?:[<＜]|&lt;)|(?:[<＜]|&lt;)(?=/))(?!\w+://|[\w.+-]+@)(?P<end>/?)"
    r"(?P<name>[!?|%]{0,2}[^\W\d][\w:.-]{0,60}+|!--|!\[)(?:[^<>＜＞&]|&(?!gt;)){0,2000}+(?:[>＞]|&gt;)"
)
"""`List<int>`, `a < b` and `<https://example.org>` are none."""
_SQUARE_TAG = re.compile(r"\[(?P<end>/?)(?P<name>[^\W\d][\w:.-]{0,60}+)[^\[\]\n]{0,200}+\]")
_OPENING = "\"“「『«‘"
_SAID = re.compile(
    r'(?<![\w"])"[^"]{4,4000}"(?!\w)|“[^“”]{4,4000}”|「[^「」]{4,4000}」|『[^『』]{4,4000}』'
    r"|«[^«»]{4,4000}»|(?<!\w)‘[^‘’]{4,400}[.!?。！？]’"
)
_OF_A_PERSON = re.compile(r"(?i)\b(?:i|i['’]\w+|my|me|you|your|users?)\b|[我你您咱俺]|用户|今后|以后")
_TITLE = re.compile(r"(?:[A-Z][\w'’]*|of|the|and|a|an|in|on|to|for|[:,&!?-])(?:[\s:,&!?-]+(?:[A-Z][\w'’]*|of|the|and|a|an|in|on|to|for|with|me))*[!?.]?")
_HAN = re.compile("[\u4e00-\u9fff]")
_REST = r"[^\n]*(?:\n[ \t]*\S[^\n]*)*"
"""The rest of a line, and the lines that go on with it."""
_QUOTED_LINES = re.compile(rf"(?m)^[ \t]*[>＞|｜]{_REST}")
_DATA = re.compile(
    rf"(?m)^(?:[ \t]*(?:[{{\[][ \t]*(?:[\"'{{\[]|$)|[}}\]],?[ \t]*$)|[^\n\t]+\t[^\n\t]+\t"
    rf"| {{4,}}\S|\t\S){_REST}"
)
"""A line of JSON, of a table or of code."""


# --- Marks that have none -------------------------------------------------------------------------


class _Line(NamedTuple):
    start: int
    end: int
    text: str


def _lines(text: str) -> Iterator[_Line]:
    return (_Line(one.start(), one.end(), one[0]) for one in _LINE.finditer(text))


def _opened(text: str) -> int | None:
    """Where a log, a form, a heading or a letter begins, which goes on to the end; before a single
    rule nobody says which side of it is the speaker's, and nothing is."""
    rules = list(_RULE.finditer(text))
    if len(rules) == 1 and not any(map(str.isalnum, rules[0][0])):
        return 0
    found = [rules[0].start()] if len(rules) % 2 else []
    heads, labelled = list[int](), list[int]()
    for line in _lines(text):
        if _GONE in line.text or _OURS.fullmatch(line.text):
            continue
        if _HEAD.match(line.text) or (line.start and _DEAR.match(line.text)):
            found.append(line.start)
            break
        if _ENTRY.match(line.text) or _STAMPED.match(line.text):
            heads.append(line.start)
        elif (label := _LABEL.match(line.text)) and not _is_aside(label["label"]):
            labelled.append(line.start)
            if len(label["label"]) > 1 and _is_named(label["label"]):
                heads += [line.start, line.start]
    for some in (heads, labelled):
        found += some[:1] if len(some) > 1 else []
    return min(found, default=None)


def _is_aside(label: str) -> bool:
    """Whether a label is one that a speaker puts before what they say themselves."""
    own = _words("aside").fullmatch(label) or _words("mine").search(label)
    return bool(own or _ME.search(label))


def _is_named(label: str) -> bool:
    """Whether a single label names a text, a tool or somebody who speaks."""
    if _words("text").search(label) or _words("saying").search(label):
        return True
    return bool(_NAME.fullmatch(label))


_LINE = re.compile(r"(?m)^[ \t]*\S[^\n]*")
_OURS = re.compile(r"\s*(?:\[(?:image|audio|video|file)\]\s*)+")
"""What stands for a picture, a sound or a file that came with the words."""
_ME = re.compile(r"(?i)\b(?:i|me|my|we|our|us)\b|[我俺咱]|本人")
_RULE = re.compile(
    r"(?m)^[ \t]*(?:(?:[-=*_~+·—–─━═][ \t]?){3,}|[-=—–─━═]{2,}(?=[^\n]*[-=—–─━═]{2,}[ \t]*$))[^\n]*$"
)
_HEAD = re.compile(
    r"\s*(?:#{1,6}[ \t]+\S|[【〔〖［][^】〕〗］]{1,60}[】〕〗］]"
    r"|\[(?!\d|[^\]]*\d:\d)(?=[^\]]{0,200}(?:[\s|]|[^\x00-\x7f]{5}))[^\[\]]{3,200}\](?!\()"
    r"|\[[^\W\d][\w .-]{2,60}\][ \t]*$"
    r"|(?i:begin forwarded|fwd?:|on .{4,80} wrote:|在.{4,80}写道[:：])"
    r"|(?i:def|class|function|import|from|const|let|var|public|void|select|insert into|create table"
    r"|begin:|commit)\b(?=.*[(){};:=_]|[ \t][0-9a-f]{6,})"
    r"|(?i:page|chapter|document|doc|part|section|result|item|file|passage|chunk|source|tier|step)"
    r"[ \t]?[#№]?\d{1,4}\b[^\n]{0,20}$|第 ?[\d一二三四五六七八九十百]{1,4} ?[页章节条篇回段集]"
    r"|\W{0,3}@@|\+{3} |-{3} |diff |traceback\b|(?:error|exception|warning)\b.{0,40}:)"
)
"""A heading, a forwarded message, a piece of code, a page."""
_DEAR = re.compile(r"(?i)\s*(?:dear\b|亲爱的|尊敬的)")
_ENTRY = re.compile(
    r"\s*(?:\[?\(?\d{1,2}[:：]\d{2}(?:[:：]\d{2})?(?:[.,]\d+)?[\])]?(?:[\s\]-]|$)"
    r"|\[?\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}|\[?\d{1,2}[/.]\d{1,2}[/.]\d{2,4}[,\s]"
    r"|[^\s=]{1,40}=[^\s=]+ [^\n]*\b\w+=|[A-Z]{3,9}\s*[:|\]]|[+-][^\s\d+-]"
    r"|[^\n,，]{0,40},[^\s,][^\n,]*,[^\s,]|[\"“]?[\w.-]{1,40}[\"”]?[ \t]*[=:][ \t]*[\"“{\[]"
    r"|\d+[ \t]*$|\(\d+, )"
)
"""What every line of a log, a table or settings begins with."""
_STAMPED = re.compile(r"\S[^\n:：]{0,40}[ \t(（]\d{1,4}[-/.年:：]\d{1,2}(?:[-/.月:：日 \d]{0,14})?[)）:：]?")
"""`小满妈妈  2025/3/8 19:02:40`."""
_LABEL = re.compile(
    r"\W{0,4}(?P<label>[^\W\d](?:[^\s:：。！？.!?，,;；]{0,24} ?){1,4}?(?:[(（][^)）\n]{1,30}[)）])?)[ \t]?(?::(?=[\s*_]|\S{0,3}[^\x00-\x7f/])|：)"
)
_NAME = re.compile(r"(?:[A-Z][a-z'’-]{1,15}|[A-Z]{2,12}|(?i:user|human|assistant|ai|system|bot))(?: [A-Z][\w.'’-]{0,15})?(?: \d{1,3})?(?: ?[(（][^)）]*[)）])?|[\u4e00-\u9fff]{1,5}")


# --- Sentences that hand something over -----------------------------------------------------------


def _handed_over(text: str) -> Iterator[Span]:
    """What follows a sentence that hands over somebody's words, to the end; and where that sentence
    is the last, what stands in the paragraphs before it."""
    lines = list(_lines(text))
    for n, line in enumerate(lines):
        if not line.text.strip(f"{_GONE} \t"):
            continue
        follows = next((one for one in lines[n + 1 :]), None)
        marked = follows is not None and follows.text.lstrip().startswith(_GONE)
        for start, end in _sentences(line):
            said = _LINK.sub(lambda link: " " * len(link[0]), text[start:end][-_READ:])
            if spoken := _words("speaks").search(said):
                yield Span(end - len(said) + spoken.end(), len(text))
                return
            colon, last = _COLON.search(said), end >= line.end
            rest = text[end:].strip(f"{_GONE} \t\n")
            if colon and said[colon.end() :].strip():
                clause, dash = said[: colon.start()], colon[0] not in ":："
                words = ("text",) if dash else ("text", "task", "saying")
                if _introduces(clause, *words) and not (dash and _ME.search(clause)):
                    yield Span(end - len(said) + colon.end(), len(text))
                    return
            if last and marked:
                continue
            if rest and _announces(said, last and follows is not None, said.rstrip().endswith((":", "："))):
                yield Span(end, len(text))
                return
    if len(lines) > 1 and lines[-1].start and _refers_back(lines[-1].text[:_READ]):
        yield Span(0, lines[-1].start)


def _sentences(line: _Line) -> Iterator[tuple[int, int]]:
    start = 0
    for stop in _STOP.finditer(line.text):
        yield line.start + start, line.start + stop.end()
        start = stop.end()
    if line.text[start:].strip():
        yield line.start + start, line.end


def _announces(sentence: str, before_a_line: bool, colon: bool) -> bool:
    """Whether what follows a sentence are words that it hands over."""
    if colon and before_a_line:
        return _introduces(sentence, "text", "task", "saying", "points")
    if _words("mine").search(sentence):
        return False
    text, task, said, points = (
        _words(name).search(sentence) for name in ("text", "task", "saying", "points")
    )
    if _words("cataphora").search(sentence) and (text or task or said):
        return True
    if before_a_line:
        return bool((points and (text or task or said)) or _words("bare").search(sentence))
    return bool(text and said and (task or points) and not _of_mine().search(sentence))


def _introduces(clause: str, *names: str) -> bool:
    """Whether a clause before a colon has words of these kinds, and is not of the speaker."""
    return not _words("mine").search(clause) and any(_words(one).search(clause) for one in names)


def _refers_back(sentence: str) -> bool:
    return bool(_words("above").search(sentence) or (_words("points").search(sentence) and _words("text").search(sentence) and _words("task").search(sentence)))


_LINK = re.compile(r"https?://\S+")
_STOP = re.compile(r"[.!?]+[\"'”’)\]]*(?=\s)|[。！？!?；]+[”’」』）]*")
_COLON = re.compile(r" (?:[-–—]|--) |——|[:：](?=\s|$|[^\x00-\x7f])|(?<=[^\x00-\x7f])[:：]|(?<=\w):(?=[A-Z])")


@cache
def _words(name: str) -> re.Pattern[str]:
    return any_case(_table()[name].replace("\n", "").replace(" +", r"\s"))


@cache
def _of_mine() -> re.Pattern[str]:
    """A text of the speaker's own, which need not stand in the message."""
    return any_case(rf"(?:\bmy (?:\w+ ){{0,2}}|我(?:自己|写)?的)(?:{_words('text').pattern})")


@cache
def _table() -> dict[str, str]:
    return tomllib.loads((files(__package__) / "own.toml").read_text("utf-8"))
