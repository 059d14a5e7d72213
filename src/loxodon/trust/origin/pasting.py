"""What of a user's message are the user's own words, told by its structure alone.

A person types, and pastes now and then. There only what is marked beyond doubt is another's: code
between fences, quoted lines, tables, paired tags, a forwarded message, a text that is handed over
to be worked on. Where in doubt the words stay the user's.

A program (`relayed`) puts a message together from files, pages, results and what the user typed,
each program in its own form. There whatever has a form is another's, and where it cannot be told
which side of a mark the user is on, neither is the user's:

- Tags, fences, quoted lines, tables, JSON, long quotations: from the first mark to the last, since
  a page may close the tag that it stands in; to the end where the first is never closed.
- A heading, a label (`Context:`), a rule (`---`), a numbered title: the whole message, but for a
  first paragraph that ends in a sentence which introduces what follows.
- Of what is left, several paragraphs or more than two lines: the whole message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from loxodon.text.language import language_of
from loxodon.trust.origin.instructions import found_in
from loxodon.types import Turn

_PARTS = "\n---\n"
_LEAST = 12
"""Characters that a text handed over has at the least."""
_INTRODUCES = 5
"""Words of a line that ends in a colon and is a sentence rather than a label."""


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
    several = sum(_OURS.fullmatch(text) is None for text in texts) > 1
    return (_PARTS if several else "\n").join(texts)


def own_turn(turn: Turn) -> Turn:
    """A turn of the user with only the user's own words; any other as it is."""
    if turn.role != "user" or turn.origin not in ("user", "import", "relayed"):
        return turn
    own = own_words(turn.content, relayed=turn.origin == "relayed")
    return turn if own == turn.content else turn._replace(content=own)


def own_words(text: str, *, relayed: bool = False) -> str:
    """A message without what is another's in it; never longer, in the order it was said."""
    parts, at = list[str](), 0
    for span in others(text, relayed=relayed):
        parts.append(text[at : span.start])
        at = span.end
    if not parts:
        return text
    kept = (part.strip(" \t:：\n") for part in (*parts, text[at:]))
    return "\n".join(part for part in kept if part)


def others(text: str, *, relayed: bool = False) -> list[Span]:
    """The stretches of a user's message that are another's, in order, none within another."""
    if not _signs().search(text) and not (relayed and "\n" in text):
        return []
    spans = _merged(_delimited(text) if relayed else _pasted(text))
    bare = _without(text, spans)
    if relayed and (headed := _headed(bare) or _several(bare) or _labelled(bare)):
        return _merged([*spans, headed])
    if forwarded := _forwarded().search(bare):
        return _merged([*spans, Span(forwarded.start(), len(text))])
    handed = _handed_over().search(bare)
    if handed and _is_foreign(bare[: handed.end()], bare[handed.end() :]):
        return _merged([*spans, Span(handed.end(), len(text))])
    return spans


def _without(text: str, spans: Iterable[Span]) -> str:
    """`text` with everything where it was, and a mark all over what is another's."""
    parts, at = list[str](), 0
    for start, end in spans:
        parts += [text[at:start], _GONE * (end - start)]
        at = end
    return "".join((*parts, text[at:]))


_GONE = "\ufffc"


def _merged(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for one in sorted(spans):
        if found and one.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, one.end))
        elif one.start < one.end:
            found.append(one)
    return found


# --- Marks that have an end -----------------------------------------------------------------------


def _pasted(text: str) -> Iterator[Span]:
    """What is another's beyond doubt in what a person typed."""
    yield from _toggled(text, _FENCE)
    tags = list(_TAG.finditer(text))
    if tags and not tags[0]["end"] and _is_closed(tags):
        yield Span(tags[0].start(), tags[-1].end())
    yield from (Span(*one.span()) for one in _QUOTED_LINE.finditer(text))


def _delimited(text: str) -> Iterator[Span]:
    """What is another's in what a program put together: from the first mark of a kind on."""
    for fence in (_FENCE, _TRIPLE):
        yield from _toggled(text, fence)
    angled, squared = list(_TAG.finditer(text)), list(_SQUARE_TAG.finditer(text))
    for tags in (angled, squared if any(one["end"] for one in squared) else []):
        if tags:
            first = 0 if tags[0]["end"] else tags[0].start()
            yield Span(first, tags[-1].end() if _is_closed(tags) else len(text))
    for quotation in (_SAID, _LINE_OF_DATA):
        if found := list(quotation.finditer(text)):
            yield Span(found[0].start(), found[-1].end())


def _toggled(text: str, fence: re.Pattern[str]) -> Iterator[Span]:
    if marks := list(fence.finditer(text)):
        yield Span(marks[0].start(), marks[-1].end() if len(marks) % 2 == 0 else len(text))


def _is_closed(tags: Sequence[re.Match[str]]) -> bool:
    """Whether the first tag is closed somewhere, and the last one closes."""
    closing = {one["name"].casefold() for one in tags if one["end"]}
    return bool(tags[-1]["end"]) and tags[0]["name"].casefold() in closing


_FENCE = re.compile(r"`{3,}|~{3,}")
_TRIPLE = re.compile(r"\"{3,}|'{3,}|\${2,}")
_TAG = re.compile(
    r"(?:(?<![\w.])[<＜]|[<＜](?=/))(?!\w+://|[\w.+-]+@)(?P<end>/?)"
    r"(?P<name>[!?|%]{0,2}[^\W\d][\w:.-]{0,60}+|!--|!\[)[^<>＜＞]{0,2000}+[>＞]"
)
"""`List<int>`, `a < b` and `<https://example.org>` are none."""
_SQUARE_TAG = re.compile(r"\[(?P<end>/?)(?P<name>[^\W\d][\w:.-]{0,60}+)[^\[\]\n]{0,200}+\]")
_SAID = re.compile(
    "|".join(
        rf"{begin}(?:[^{begin}{end}]{{20,}}|[^{begin}{end}]{{4,}}[.!?。！？；…]){end}"
        for begin, end in ('""', "“”", "‘’", "「」", "『』", "«»")
    )
    + r"|[“\"「『](?=[^”\"」』\n]{0,60}[\u4e00-\u9fff])[^”\"」』\n]{8,}[”\"」』]"
)
"""Quotations that are a sentence, or too long for a title or a word that is talked about."""
_QUOTED_LINE = re.compile(r"(?m)^[ \t]*[>＞|｜][^\n]*(?:\n|\Z)")
_LINE_OF_DATA = re.compile(
    r"(?m)^(?:[ \t]*(?:[>＞|｜]|[{\[][ \t]*(?:[\"'{\[]|$)|[}\]],?[ \t]*$)|[^\n\t]+\t[^\n\t]+\t"
    r"| {4,}\S|\t\S)[^\n]*(?:\n[ \t]*\S[^\n]*)*"
)
"""A quoted line, a row of a table, a line of JSON or of code, with the lines that go on with it."""


# --- Marks that have none -------------------------------------------------------------------------


def _headed(text: str) -> Span | None:
    """What stands under a heading or a label: all of it, unless a sentence introduces it."""
    for line in _LINE.finditer(text):
        if not _is_head(line[0]):
            continue
        if text[line.end() :].lstrip().startswith(_GONE):
            continue  # what it is the heading of has marks, which tell where it ends
        first = not _BLANK_LINE.search(text[: line.start()].lstrip())
        if first and _introduces(line[0]):
            return Span(line.end(), len(text))
        return Span(0, len(text))
    return None


def _labelled(text: str) -> Span | None:
    """What follows a label within a line that says that a text comes now."""
    found = _LABEL.search(text)
    return Span(found.end(), len(text)) if found else None


_LABEL = re.compile(
    r"(?i)\b(?:text|page|article|content|e-?mail|message|post|doc(?:ument)?|review|transcript"
    r"|excerpt|quote|source|context)\s?:"
    r"|(?:内容|正文|原文|文章|网页|邮件|全文|文本|资料|帖子)[:：]"
)


def _several(text: str) -> Span | None:
    """All of a message of several paragraphs or many lines: nobody says which was typed."""
    sides = [side.strip() for side in re.split(f"{_GONE}+", text)]
    for side in sides:
        lines = [line for line in side.splitlines() if line.strip()]
        if len(lines) > _LINES or _BLANK_LINE.search(side):
            return Span(0, len(text))
    return None


_LINES = 2
"""Lines of a message that a person types in one go."""


def _is_head(line: str) -> bool:
    if _OURS.fullmatch(line) or _asks_to_remember().match(line):
        return False
    return any(one.match(line) for one in _heads())


def _introduces(line: str) -> bool:
    """Whether a line is a sentence that ends in a colon, rather than a label."""
    if not line.rstrip().endswith((":", "：")):
        return False
    long = 2 * _INTRODUCES if language_of(line) == "zh" else len(line)
    return len(line.split()) > _INTRODUCES or len(line) > long


_LINE = re.compile(r"(?m)^[ \t]*\S[^\n]*")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_OURS = re.compile(r"\s*(?:\[(?:image|audio|video|file)\]\s*)+")
"""What stands for a picture, a sound or a file that came with the words."""


_MINE = r"(?i:i|my)(?![.\w:])|我(?!们)|俺|本人"
"""How a sentence of the user's begins, whatever is in it."""


@cache
def _asks_to_remember() -> re.Pattern[str]:
    """`Remember: I …`, which is no label: what follows is told by whoever asks for it."""
    return re.compile(
        r"(?i)\W{0,3}(?:please )?(?:remember|note|keep in mind)(?: this| that)?[:：]\s*"
        rf"(?:{_MINE})|\W{{0,3}}请?(?:帮我)?(?:记住|记一下|记得|记下来?|注意)[:：]\s*(?:{_MINE})"
    )


@cache
def _heads() -> tuple[re.Pattern[str], ...]:
    """How a line looks that is a heading, a label, a rule or a title."""
    begin = rf"\W{{0,6}}(?:\d{{1,3}}[.)、] ?\W{{0,3}})?(?!{_MINE})"
    forms = (
        r"\s*#{1,6}[ \t]",  # `# Search results`
        r"\s*[-=*_#~+·—–─━═]{3,}",  # `---`, `=== README ===`
        r"\W{0,3}[\[【［〔〖〘][^\]】］〕〗〙]{1,60}[\]】］〕〗〙](?![(（])",  # `【检索结果】`
        rf"{begin}[^\W\d][^:：.!?。！？，；]{{0,40}}?(?:[(（][^)）]{{0,30}}[)）])?[ \t]?"
        r"(?::(?=[\s*_]|$)|：)",  # `Observation: …`
        r".*[:：][\s*_]*$",  # whatever introduces what follows
        rf"{begin}(?:[^\W\d]{{1,20}}+[ \t]?+){{1,3}}+[#№]?[ \t]*\d{{1,4}}(?: ?(?:of|/) ?\d+)?\W*$",
        r"\W{0,4}第 ?[\d一二三四五六七八九十]{1,4} ?\w\W*$",  # `第1页`
    )
    return tuple(map(re.compile, forms))


@cache
def _signs() -> re.Pattern[str]:
    """What a message has that has anything of another's in it: most have none of it."""
    return re.compile(
        r"[:：>＞<＜|｜\[【［〔〖〘\"“「『«‘`~#{\t]|'''|\$\$|[-=*_+·—–─━═]{3}|    |\d\W*$|第|转发"
        r"|(?i:forward|fwd?\b|original message)",
        re.MULTILINE,
    )


# --- Words that hand something over ---------------------------------------------------------------


def _is_foreign(lead: str, rest: str) -> bool:
    """Whether what follows a task is a text to work on, rather than the task in more words."""
    if len(rest.strip()) < _LEAST:
        return False
    if _document().search(lead) or found_in(rest, "web"):
        return True
    return language_of(lead) != language_of(rest)


@cache
def _forwarded() -> re.Pattern[str]:
    return re.compile(
        r"(?im)^[ \t]*(?:[-_=*]{2,} ?(?:forwarded|original|转发|原始)[^\n]{0,30}[-_=*]{2,}"
        r"|begin forwarded message|fwd?: |on [^\n]{4,80} wrote:|(?:【|\[|［)(?:转发|轉發|fwd?)"
        r"(?:】|\]|］)"
        r"|(?:转发|以下(?:是|为)?转发)(?:的?(?:消息|邮件|内容|自|一下|一条))?[:：])"
    )


@cache
def _handed_over() -> re.Pattern[str]:
    return re.compile(
        r"(?i)(?:translat|rephras|paraphras|rewrit|summari[sz]|sum up|proofread|polish|reply to"
        r"|respond to|correct th"
        r"|explain|analy[sz]e|what (?:does|do|is|are) (?:this|that|the|these)|is (?:this|that"
        r"|the following)|read (?:this|the)"
        r"|check (?:this|the)|look at (?:this|the)|(?:this|the) (?:page|site|mail|e-?mail|article"
        r"|message|post|text) (?:says|said|reads|asks)"
        r"|翻译|润色|改写|改一下|总结|概括|回复|校对|解释|分析|看看|检查|(?:网页|网站|邮件|文章"
        r"|消息|帖子|页面|短信)(?:上|里|里面)?(?:说|写|写着|要求|让))"
        r"[^\n:：]{0,60}(?:[:：]|\?\s*\n|？\s*\n|\n\s*\n)"
    )


@cache
def _document() -> re.Pattern[str]:
    """What is worked on is somebody's text: it is called so, or nobody does that to their own."""
    return re.compile(
        r"(?i)\b(?:page|site|website|e-?mail|mail|article|message|text|letter|document|thread|post"
        r"|paragraph|note|review|transcript|following|below|translat\w*|rephras\w*|paraphras\w*"
        r"|rewrit\w*|proofread|polish)\b|\bthis\W*$|网页|网站|邮件|文章|短信|消息|帖子|这段|这封"
        r"|这篇|原文|文本|页面|下面|以下|翻译|润色|改写|校对|这个\W*$"
    )
