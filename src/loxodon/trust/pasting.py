"""What of a user's message are the user's own words, and what was pasted, quoted or forwarded.

The rules of each language know pasted text of that language (`write/zh`, `write/en`). Here is what
holds for all, and must hold where somebody pastes a page that tries to speak for the user: code
between fences, quoted lines, all that follows a forwarded message, and a text that is handed over
to be worked on. Where in doubt the words stay the user's.
"""

from __future__ import annotations

import re
from functools import cache

from loxodon.text.language import language_of
from loxodon.trust.instructions import found_in
from loxodon.types import Turn

_LEAST = 12
"""Characters that a text handed over has at the least."""


def own_turn(turn: Turn) -> Turn:
    """A turn of the user with only the user's own words; any other as it is."""
    if turn.role != "user" or turn.origin not in ("user", "import"):
        return turn
    own = own_words(turn.content)
    return turn if own == turn.content else turn._replace(content=own)


def own_words(text: str) -> str:
    """A message without what was pasted into it; never longer, in the order it was said."""
    if not _signs().search(text):
        return text
    text = _without_fenced(text)
    lines = [line for line in text.splitlines() if not line.lstrip().startswith((">", "＞", "|"))]
    kept = "\n".join(lines) if len(lines) < len(text.splitlines()) else text
    if forwarded := _forwarded().search(kept):
        kept = kept[: forwarded.start()]
    handed = _handed_over().search(kept)
    if handed and _is_foreign(kept[: handed.end()], kept[handed.end() :]):
        kept = kept[: handed.end()].rstrip(" :：\n")
    return kept


def _without_fenced(text: str) -> str:
    """A text without its code blocks; with what stands between two where that gives orders."""
    fences = [found.start() for found in re.finditer(r"```+|~~~+", text)]
    if not fences:
        return text
    parts, at = [], 0
    for n in range(0, len(fences), 2):
        parts.append(text[at : fences[n]])
        closing = fences[n + 1] if n + 1 < len(fences) else None
        at = len(text) if closing is None else closing + 3
    inner = [one for one in parts[1:] if not found_in(one, "web")]
    last = text[at:].lstrip("`~")
    return "\n".join([parts[0], *inner, last])


def _is_foreign(lead: str, rest: str) -> bool:
    """Whether what follows a task is a text to work on, rather than the task in more words."""
    if len(rest.strip()) < _LEAST:
        return False
    if _document().search(lead) or found_in(rest, "web"):
        return True
    return language_of(lead) != language_of(rest)


@cache
def _signs() -> re.Pattern[str]:
    """What a message has that has anything pasted in it: most have none of it."""
    return re.compile(r"[:：>＞|]|```|~~~|转发|(?i:forward|fwd?\b|original message)")


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
