"""Quote: somebody's words inside a text of ours, as data.

Only Loxodon's own lines begin at the margin; every further line of what is quoted is indented. What
looks like one of our headings, or like a mark that chat models take for the end of a message, loses
its bracket, however it is written: full-width, with invisible characters in it, with letters of
another alphabet, over two lines. The marks of models are known by their form (`<|…|>`, `<a_b>`,
`[A_B]`), because every family has names of its own. Characters that nobody sees are taken out,
because words can be hidden in them.
"""

from __future__ import annotations

import re
from functools import cache

from loxodon.text.words import fold

INDENT = "   "
_INSIDE = 64
"""Characters behind a bracket, blanks counted once, that are read to know what it opens."""
_READ = 160
_HEADINGS = frozenset(
    """
    system systemprompt systemmessage abouttheuser recentcontext usermessage inst sys
    imstart imend 系统 系统提示 系统提示词 系统消息 用户画像 近期上下文 用户消息
    """.split()  # noqa: SIM905
)
_CALLS = frozenset(
    """
    tool toolcall toolcalls toolresponse toolresult toolresults availabletools functioncall
    functioncalls
    """.split()  # noqa: SIM905
)
_TAGS = _CALLS | frozenset(
    """
    s bos eos pad unk user assistant human model developer tools function functions invoke think
    thinking instruction instructions
    """.split()  # noqa: SIM905
)
"""What marks without a form of their own are called: in any bracket, and between angles."""
_BEGINNINGS = ("relatedmemories", "endofrelatedmemories", "相关记忆")
_ALIKE = str.maketrans("аеорсухіѕјкмтвнԁɡαεορτυνικ", "aeopcyxisjkmtbhdgaeoptuvik")
"""Cyrillic and Greek letters that look like Latin ones."""


def lines(text: str) -> str:
    """`text` with every line but its first indented, and none that could be ours."""
    found = [line.rstrip() for line in clean(text).splitlines()]
    return f"\n{INDENT}".join(line for line in found if line)


def line(text: str, most: int = 0) -> str:
    """`text` on one line, cut to `most` characters where it is longer."""
    found = " ".join(clean(text).split())
    return found if not most or len(found) <= most else found[: most - 1].rstrip() + "…"


def last(text: str) -> str:
    """`text` as it is, for the end of a text of ours; only a line of it cannot be a heading."""
    text = _re(_HALVES).sub("\ufffd", text)

    def bare(match: re.Match[str]) -> str:
        return match[1] + ("(" if _is_mark(text, match.end()) else match[2])

    return re.sub(f"({_LINE}){_OPENING}", bare, text)


def clean(text: str) -> str:
    """`text` without what is invisible, and without what could pass for a mark of ours."""
    if not (text.isascii() and text.isprintable()):
        text = re.sub(_UNSEEN, "", text)
        text = re.sub(_SELECTORS, r"\1", text)
        text = _re(_HALVES).sub("\ufffd", text)
    if _re(_OPENING).search(text):
        text = re.sub(_ENTRY, r"\1(", text, flags=re.MULTILINE)
        text = _re(_OPENING).sub(
            lambda match: "(" if _is_mark(text, match.end()) else match[0], text
        )
    if "```" in text or "~~~" in text:
        text = _whole_fences(text)
    return text.strip()


_UNSEEN = (
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
)
"""Controls but line ends, marks of direction, joiners without width, tags, selectors of old forms.
Those that join emoji and Persian letters (U+200C, U+200D) stay."""
_HALVES = "[\ud800-\udfff]"
"""Halves of a character that UTF-8 cannot write."""
_SELECTORS = "([\ufe00-\ufe0f])[\ufe00-\ufe0f]+"
"""One tells how an emoji is drawn; more hide something."""
_SQUARE = "\\[［【〔〖〘〚﹝⁅❲⟦⟬⦋⦍⦏「『｢⌈⌊⸢⸤❴⦃"
_ANGLE = "<＜﹤〈《〈⟨⟪‹«❬❮❰⦑⧼≪ᐸ˂"
_OPENING = f"([{_SQUARE}{_ANGLE}])"
"""Whatever opens something, and looks like a bracket."""
_CLOSING = "\\]］】〕〗〙〛﹞⁆❳⟧⟭⦌⦎⦐」』｣⌉⌋⸣⸥❵⦄>＞﹥〉》〉⟩⟫›»❭❯❱⦒⧽≫ᐳ˃"
_ENDED = f"[{_SQUARE}{_ANGLE}{_CLOSING}:：]"
_BAR = "[|｜¦│∣❘ǀ⏐︱]"
_FORMS = (
    rf"/?{_BAR}[^{_ANGLE}]*?{_BAR}/?[{_CLOSING}]"
    rf"|/?[^\W_][\w-]*[_▁][\w▁-]*(?:[{_CLOSING}]| ?/[{_CLOSING}]| \w+ ?=)"
)
"""What models have their marks in between angles: bars, or words joined by a low line."""
_JOINED = rf"/?[A-Z]+(?:_[A-Z]+)+[{_CLOSING}]|/[A-Z_]+[{_CLOSING}]"
"""And between square brackets."""
_ENTRY = r"^(\s*\d{1,4}\s*[.．、)）]\s*)[\[［【〔](?=\s*\d{4})"
"""The number and the bracket with which an entry of ours begins: `2. [2026-02-04]`."""
_LINE = "(?:^|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029])[^\\w\n\r\\[［【]{0,20}"
"""The beginning of a line."""


_re = cache(re.compile)


def _is_mark(text: str, at: int) -> bool:
    """Whether what the bracket before `at` opens is a heading of ours or a mark of models."""
    read = text[at : at + _READ]
    if not read or _re(_ENDED).match(read):
        return False
    first_line, *more = read.splitlines()
    if _is_heading(first_line) or (more and _is_heading(read)):
        return True
    inside = _re("[\u200c\u200d]").sub("", " ".join(read.split()))[:_INSIDE]
    if _re(f"[{_ANGLE}]").match(text, at - 1):
        bare = _re(r"(?<=\W) | (?=\W)|^ ").sub("", inside)
        return _is_called(bare, _TAGS) or _re(_FORMS).match(bare) is not None
    return _is_called(inside, _CALLS) or _re(_JOINED).match(inside) is not None


def _is_heading(inside: str) -> bool:
    name = _name(_re(_ENDED).split(" ".join(inside.split())[:_INSIDE], maxsplit=1)[0])
    return name in _HEADINGS or name.startswith(_BEGINNINGS)


def _is_called(inside: str, names: frozenset[str]) -> bool:
    """Whether a bracket that is closed has one of these names in it."""
    closed = _re(f"[^{_SQUARE}{_ANGLE}{_CLOSING}]+(?=[{_CLOSING}])").match(inside)
    return closed is not None and _name(closed[0]) in names


def _name(inside: str) -> str:
    """What stands in a bracket, by its letters alone."""
    return "".join(filter(str.isalnum, fold(inside).translate(_ALIKE)))


def _whole_fences(text: str) -> str:
    """`text` as it is where its code fences are in pairs; without fences where one is open."""
    fences = re.findall(r"^\s*(?:```+|~~~+)", text, re.MULTILINE)
    return text if fences and len(fences) % 2 == 0 else re.sub(r"`{3,}|~{3,}", "'''", text)
