"""Markdown that someone keeps as a memory, as entries that can each be a memory of their own.

A bullet is an entry, with its continuation lines; so is a paragraph, or a few sentences of a long
one. The headings above say what it is about and of which project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from loxodon.imports.found import Skipped
from loxodon.text import sentences
from loxodon.workspace.sources.annotations import annotated

LONG = 400
"""Characters of a paragraph that is cut at its sentences."""
_JOINED = 300
"""Characters up to which nested bullets stay with the one above them."""


class NoteEntry(NamedTuple):
    line: int
    text: str
    category: str = ""
    """What the headings say that it is; empty where they do not."""
    project: str = ""
    todo: str = ""
    """`open` or `done` for a box to tick."""
    before: str = ""
    """A comment that stands on the line above it."""


_BULLET = re.compile(r"(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)")
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*)$")
_BOLD_LINE = re.compile(r"\*\*([^*]{1,80}?)[:：]?\*\*[:：]?")
_RELATION = re.compile(r"[\w /-]{0,60}\[\[[^\[\]\n]{1,200}\]\](?: ?\([^()\n]{0,200}\))?")
"""A link from one note to another, with the kind of it: `requires [[Good Water]] (filtered)`."""
_BOX = re.compile(r"\[( |x|X|✓)\]\s+")
_RULE = re.compile(r"\s{0,3}([-_*=])(?:\s*\1){2,}\s*")
_HELP = re.compile(r"[_*]?[(（][^)）]*[)）][_*]?|(?P<slanted>_[^_]*_|\*[^*]*\*)")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_BOLD = re.compile(r"\*\*([^*\n]+?)\*\*|__([^_\n]+?)__")
_COMMENT = re.compile(r"\s*<!--(.{0,500}?)-->\s*")
_FULL = 55
"""Columns that a line has at least which was broken for its length."""
_ENDS = tuple(".!?:;。！？：；…")
_LAYOUT = 7
"""The level of a bold line that stands for a heading."""


class _Open:
    """A bullet or paragraph while it is being read."""

    def __init__(self, line: int, indent: int, before: str) -> None:
        self.line = line
        self.indent = indent
        """-1 for a paragraph."""
        self.before = before
        self.lines: list[str] = []
        self.children: list[tuple[int, list[str]]] = []
        """The bullets below it, each with its line."""

    def goes_on_with(self, text: str) -> bool:
        """Whether a line that is no bullet belongs to it.

        Many keep one thing a line, without bullets: a line of a paragraph goes on in the next only
        where it is full and does not end.
        """
        if self.indent >= 0:
            return text[:1] in " \t"
        last = self.lines[-1]
        if last.startswith("|"):
            return text.lstrip().startswith("|")
        wide = len(last) > _FULL or len(last) + sum(c > "\u1100" for c in last) > _FULL
        return wide and not last.endswith(_ENDS)


def entries(
    lines: Sequence[str], left_out: set[int] | None = None
) -> Iterator[NoteEntry | Skipped]:
    """The entries of a note, in order; the lines numbered in `left_out` are not looked at."""
    reader = _Notes()
    for number, line in enumerate(lines, 1):
        if left_out and number in left_out:
            yield from reader.close()
        else:
            yield from reader.line(number, line.rstrip("\r"))
    yield from reader.close()
    if reader.code:
        yield Skipped("code", reader.code)


class _Notes:
    def __init__(self) -> None:
        self.code = 0
        """Blocks of code, which are nobody's memory."""
        self._fence = ""
        self._headings: list[tuple[int, str]] = []
        self._open: _Open | None = None
        self._comment = ""

    def line(self, number: int, text: str) -> Iterator[NoteEntry | Skipped]:
        fence = _FENCE.match(text)
        if self._fence or fence:
            if not self._fence and fence:
                yield from self.close()
                self._fence = fence[1]
                self.code += 1
            elif fence and fence[1].startswith(self._fence):
                self._fence = ""
            return
        heading = _HEADING.match(text) if text.lstrip().startswith("#") else None
        bold = _BOLD_LINE.fullmatch(text.strip()) if text.startswith("**") else None
        if heading or bold:
            yield from self.close()
            level, title = (
                (len(heading[1]), heading[2].rstrip("# \t\u3000")) if heading else (_LAYOUT, "")
            )
            self._put_heading(level, title or (bold[1] if bold else ""))
            return
        comment = _COMMENT.fullmatch(text) if text.lstrip().startswith("<!--") else None
        if comment:
            yield from self.close()
            self._comment = text.strip()
            return
        if not text.strip() or _RULE.fullmatch(text[:200]):
            yield from self.close()
            return
        yield from self._content(number, text)

    def _content(self, number: int, text: str) -> Iterator[NoteEntry | Skipped]:
        bullet = _BULLET.match(text)
        one = self._open
        if bullet:
            indent = len(bullet[1].expandtabs(4))
            body = text[bullet.end() :].strip()
            if one is not None and 0 <= one.indent < indent:
                one.children.append((number, [body]))
                return
            yield from self.close()
            self._open = self._opened(number, indent)
            self._open.lines.append(body)
            return
        body = text.strip().removeprefix(">").strip()
        if one is None or not one.goes_on_with(text):
            yield from self.close()
            one = self._open = self._opened(number, -1)
        if one.children:
            one.children[-1][1].append(body)
        else:
            one.lines.append(body)

    def _opened(self, number: int, indent: int) -> _Open:
        comment, self._comment = self._comment, ""
        return _Open(number, indent, comment)

    def _put_heading(self, level: int, title: str) -> None:
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._headings.append((level, _plain(title)))
        self._comment = ""

    def close(self) -> Iterator[NoteEntry | Skipped]:
        """What was being read, as entries."""
        one, self._open = self._open, None
        if one is None:
            return
        text = "\n".join(one.lines)
        children = [(line, "\n".join(lines)) for line, lines in one.children]
        nested = "\n".join(f"- {child}" for _, child in children)
        if not children:
            yield from self._entry(one, one.line, text)
        elif text.rstrip("* ").endswith((":", "：")):
            for line, child in children:
                yield from self._entry(one, line, f"{_plain(text)} {child}")
        elif len(text) + len(nested) <= _JOINED:
            yield from self._entry(one, one.line, f"{text}\n{nested}")
        else:
            yield from self._entry(one, one.line, text)
            for line, child in children:
                yield from self._entry(one, line, child)

    def _entry(self, one: _Open, line: int, text: str) -> Iterator[NoteEntry | Skipped]:
        todo = ""
        box = _BOX.match(text)
        if box:
            todo, text = ("open" if box[1] == " " else "done"), text[box.end() :]
        if text.startswith("|"):
            text = _row(text)
        text = _plain(text)
        if one.indent >= 0 and _RELATION.fullmatch(text):
            yield Skipped("relations")
            return
        if _is_form(text, one.indent >= 0):
            yield Skipped("empty")
            return
        titles = tuple(title for _, title in self._headings)
        category = "plan" if todo else category_of(titles)
        project = project_of(titles)
        for piece in _pieces(text) if one.indent < 0 else [text]:
            yield NoteEntry(line, piece, category, project, todo, one.before)


def _is_form(text: str, is_bullet: bool) -> bool:
    """Whether it is a form that nobody has filled in (`Name:`), or says how to fill it in."""
    if len(text) > _JOINED:
        return False
    bare = annotated(text)[0].strip()
    if not bare or bare.endswith((":", "：")):
        return True
    hint = _HELP.fullmatch(bare)
    return hint is not None and not (is_bullet and hint["slanted"])


def _plain(text: str) -> str:
    """Without the marks for bold letters."""
    if "**" in text or "__" in text:
        text = _BOLD.sub(lambda found: found[1] or found[2], text)
    return text.strip()


def _row(text: str) -> str:
    """Rows of a table, each on a line, without its frame."""
    rows = []
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not all(set(cell) <= set("-: ") for cell in cells):
            rows.append(" | ".join(cells))
    return "\n".join(rows)


def _pieces(text: str) -> list[str]:
    """A paragraph, or where it is long a few of its sentences at a time."""
    if len(text) <= LONG:
        return [text]
    pieces = [""]
    for sentence in sentences.split(text):
        if pieces[-1] and len(pieces[-1]) + len(sentence) > _JOINED:
            pieces.append("")
        glue = " " if pieces[-1] and pieces[-1][-1].isascii() else ""
        pieces[-1] += glue + sentence
    return pieces


# What headings say

_CATEGORIES: tuple[tuple[str, str], ...] = (
    ("preference", r"prefer|likes?\b|dislike|favou?rite|style|tone|偏好|喜好|喜欢|习惯|风格"),
    ("health", r"health|medical|allerg|diet|健康|过敏|医疗|饮食"),
    ("decision", r"decision|decided|chose|决策|决定|选型"),
    (
        "relation",
        r"contact|people|family|friend|colleague|team|relation|联系人|人物|家人|家庭|朋友"
        r"|同事|团队|关系",
    ),
    ("plan", r"todo|to-do|plan|goal|next step|remind|roadmap|待办|计划|目标|提醒|规划"),
    ("credential", r"credential|password|secret|api keys?|凭证|凭据|密码|密钥"),
    ("config", r"config|setup|environment|tool|stack|setting|infra|配置|环境|工具|技术栈|设置"),
    ("solution", r"lesson|solution|learn|how.?to|troubleshoot|tips?\b|经验|教训|解决|方案|技巧"),
    ("event", r"event|history|milestone|timeline|happened|事件|经历|历史|大事|里程碑"),
    (
        "identity",
        r"identity|about|profile|who |personal|basic|background|bio\b|身份|关于|简介|画像"
        r"|基本|个人|背景",
    ),
    ("status", r"status|current|状态|现状|近况"),
)
"""What a heading makes of the entries below it; the first that fits."""
_PROJECTS = re.compile(
    r"(?:(?:active|current|my|key|ongoing|other) )?projects?|(?:当前|活跃|进行中的?|我的|重点)?项目"
    r"(?:列表|清单)?",
    re.IGNORECASE,
)
_PROJECT = re.compile(r"(?:project|项目)\s*[:：]\s*(.{1,100})", re.IGNORECASE)


def category_of(headings: Sequence[str]) -> str:
    """The category that the innermost heading which tells one names."""
    for title in reversed(headings):
        for category, words in _CATEGORIES:
            if re.search(rf"(?<![a-z])(?:{words})", title[:200].lower()):
                return category
    return ""


def project_of(headings: Sequence[str]) -> str:
    """The project that a heading names: `Project: Acme`, or `Acme` below `Projects`."""
    for n, title in enumerate(headings):
        found = _PROJECT.fullmatch(title.strip())
        if found:
            return found[1].strip()
        if _PROJECTS.fullmatch(title.strip()) and n + 1 < len(headings):
            return headings[n + 1][:100].strip()
    return ""
