"""A memory kept as files: Markdown, and the layers of a three-layer memory beside it.

    MEMORY.md, USER.md             each entry becomes a memory, in the words of the file
    2026-01-18.md                  daily notes become turns, from which consolidation learns
    layer2/active/facts.jsonl      what a three-layer memory knows; also beliefs and summaries
    layer2/archive/facts.jsonl     what it has put away

Its other files (snapshot, indexes, state) are made of these. One file may also come alone.

A bullet is an entry, with its continuation lines; so is a paragraph, or a few sentences of a long
one. The headings above say what it is about and of which project.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, cast

from loxodon.errors import InputError
from loxodon.imports import records
from loxodon.imports.found import Around, Found, NewMemory, Skipped, Talk, problem
from loxodon.imports.package import Package
from loxodon.journal import read as read_turns
from loxodon.journal.lines import split_lines
from loxodon.journal.markdown import generated, sections
from loxodon.journal.moments import MIDNIGHT, day_at_start, match_day, moment
from loxodon.notes.annotations import NOTHING, Annotations, FrontMatter, front_matter
from loxodon.notes.blocks import Block, SourceLine, blocks, dedented, nested
from loxodon.text import sentences
from loxodon.types import Kind, Source
from loxodon.views.manifest import is_view

_MOST_NOTE = 64 << 20  # bytes of a note
_HEAD = 4_096  # bytes in which a file that Loxodon wrote says so
_MEMORY = re.compile(r"(?:.*/)?(?:memory|user)\.(?:md|markdown)", re.IGNORECASE)
_POOL = re.compile(r"(?:.*/)?layer2/(active|archive)/(facts|beliefs|summaries)\.jsonl")
_KINDS = {"facts": "fact", "beliefs": "belief", "summaries": "summary"}


def is_note(name: str) -> bool:
    return name.lower().endswith((".md", ".markdown"))


def _is_daily(name: str) -> bool:
    """Whether a file is named after a day: `2026-02-18.md`, `2026-02-18-trip.md`."""
    base = name.rsplit("/", 1)[-1]
    found = match_day(base[:10]) if base[:4].isdecimal() and base[4:5] in "-_" else None
    return is_note(name) and found is not None and found[1] == 10


def is_part(name: str) -> bool:
    """Whether a file of a folder is one that such a memory is known by."""
    return bool(_POOL.fullmatch(name) or _MEMORY.fullmatch(name)) or _is_daily(name)


def read(package: Package, around: Around) -> Iterator[Found]:
    for name in package.names:
        pool = _POOL.fullmatch(name)
        if not (is_note(name) or pool or package.alone):
            continue
        if not (is_part(name) or package.alone):
            yield Skipped("not memory")
            continue
        try:
            if is_view(package.head(name, _HEAD).decode("utf-8", "replace")):
                yield Skipped("generated")
            elif pool:
                kind, archived = cast(Kind, _KINDS[pool[2]]), pool[1] == "archive"
                yield from records.lines(package, name, around, kind, archived=archived, own=True)
            elif _is_daily(name):
                yield from _daily(package, name, around)
            else:
                yield from _remembered(package, name, around)
        except InputError as error:
            yield problem(name, 0, error)


def _daily(package: Package, name: str, around: Around) -> Iterator[Found]:
    reading = read_turns(package.read(name, _MOST_NOTE), name, "markdown", around.zone)
    yield from (problem(name, line, error) for line, error in reading.problems)
    # Read as a file they would only be found; imported, they are learned from.
    turns = tuple(one._replace(origin=None) for one in reading.drafts)
    yield Talk(turns) if turns else Skipped("empty")


def _remembered(package: Package, name: str, around: Around) -> Iterator[Found]:
    lines = split_lines(package.read(name, _MOST_NOTE))
    yield from (problem(name, line, error) for line, error in lines.problems)
    texts = [text or "" for text in lines.texts]
    front, written = front_matter(texts), package.modified(name)
    for entry in entries(texts, generated(texts), front):
        if isinstance(entry, Skipped):
            yield entry
            continue
        day = entry.marks.observed or day_at_start(entry.text)
        since = moment(day, MIDNIGHT, around.zone) if day else None
        yield NewMemory(
            entry.text,
            ("memory", entry.text),
            Source(file=name, line=entry.line),
            category=entry.category,
            importance=entry.marks.importance,
            project=entry.marks.project or entry.project,
            tags=entry.marks.triggers,
            since=since if since and since <= around.now else None,
            confirmed_at=written,
            done=entry.done,
        )


# Markdown as entries

_LONG = 400  # characters of a paragraph that is cut at its sentences
_JOINED = 300  # characters up to which nested bullets, or sentences, stay together
_FULL = 55  # columns that a line has at least which was broken for its length
_ENDS = tuple(".!?:;。！？：；…")
_BOLD_HEADING = re.compile(r"\*\*([^*]{1,80}?)[:：]?\*\*[:：]?\s*")
_BOX = re.compile(r"\[( |x|X|✓)\]\s+")
_NO_WORDS = re.compile(r"\s*([-_*=])(?:\s*\1){2,}\s*|\s*<!--.{0,500}?-->\s*")  # rules, comments
_HELP = re.compile(r"[_*]?[(（][^)）]*[)）][_*]?|(?P<slanted>_[^_]*_|\*[^*]*\*)")
_BOLD = re.compile(r"\*\*([^*\n]+?)\*\*|__([^_\n]+?)__")
_HEADINGS = {  # what a heading makes of the entries below it; the first that fits
    "preference": r"prefer|likes?\b|dislike|favou?rite|style|tone|偏好|喜好|喜欢|习惯|风格",
    "health": r"health|medical|allerg|diet|健康|过敏|医疗|饮食",
    "decision": r"decision|decided|chose|决策|决定|选型",
    "relation": r"contact|people|family|friend|colleague|team|relation|联系人|人物|家人|家庭|朋友"
    r"|同事|团队|关系",
    "plan": r"todo|to-do|plan|goal|next step|remind|roadmap|待办|计划|目标|提醒|规划",
    "credential": r"credential|password|secret|api keys?|凭证|凭据|密码|密钥",
    "config": r"config|setup|environment|tool|stack|setting|infra|配置|环境|工具|技术栈|设置",
    "solution": r"lesson|solution|learn|how.?to|troubleshoot|tips?\b|经验|教训|解决|方案|技巧",
    "event": r"event|history|milestone|timeline|happened|事件|经历|历史|大事|里程碑",
    "identity": r"identity|about|profile|who |personal|basic|background|bio\b|身份|关于|简介|画像"
    r"|基本|个人|背景",
    "status": r"status|current|状态|现状|近况",
}
_CATEGORIES = {
    category: re.compile(rf"(?<![a-z])(?:{words})", re.IGNORECASE)
    for category, words in _HEADINGS.items()
}
_PROJECT = re.compile(r"(?:project|项目)\s*[:：]\s*(.{1,100})", re.IGNORECASE)
_PROJECTS = re.compile(
    r"(?:(?:active|current|my|key|ongoing|other) )?projects?|(?:当前|活跃|进行中的?|我的|重点)?项目"
    r"(?:列表|清单)?",
    re.IGNORECASE,
)


class Entry(NamedTuple):
    line: int
    text: str
    category: str = ""  # what the headings say that it is
    project: str = ""
    done: bool = False  # a box that is ticked
    marks: Annotations = NOTHING


def entries(
    lines: Sequence[str], left_out: Collection[int] = (), front: FrontMatter | None = None
) -> Iterator[Entry | Skipped]:
    """The entries of a note, in order; the lines numbered in `left_out` are not looked at."""
    front, code = front or FrontMatter(), 0
    for section in sections(lines, {*left_out, *range(1, front.lines + 1)}, None):
        titles = [_plain(title) for title in section.headings]
        for block in blocks(section.lines):
            code += block.kind == "code"
            if block.kind == "code":
                continue
            for part in [block] if block.kind == "item" else _lines_together(block):
                if bold := _BOLD_HEADING.fullmatch(part.lines[0].text):  # it stands for a heading
                    titles = [*map(_plain, section.headings), bold[1]]
                    continue
                for line, text in _texts(part):
                    for entry in _entries(line, text, titles, is_bullet=block.kind == "item"):
                        marks = part.marks.and_(front.marks)
                        yield entry._replace(marks=marks) if isinstance(entry, Entry) else entry
    if code:
        yield Skipped("code", code)


def _lines_together(block: Block) -> Iterator[Block]:
    """The lines of a paragraph that belong together. Many keep one thing a line, without bullets:
    a line goes on in the next only where it is full and does not end."""
    run: list[SourceLine] = []
    for line in block.lines:
        text, last = line.text.strip().removeprefix(">").strip(), run[-1].text if run else ""
        wide = len(last) + sum(c > "\u1100" for c in last) > _FULL
        in_table = last.startswith("|") and text.startswith("|")
        if run and not (in_table or (wide and not last.endswith(_ENDS))):
            yield block._replace(lines=run)
            run = []
        if text and not _NO_WORDS.fullmatch(text[:600]):
            run.append(line._replace(text=text))
    if run:
        yield block._replace(lines=run)


def _texts(block: Block) -> list[tuple[int, str]]:
    """What a bullet or a paragraph says: in one piece, or with the bullets below it apart."""
    own, items = nested(block) if block.kind == "item" else (block.lines, [])
    pieces = [
        (some[0].number, "\n".join(line.text.strip() for line in dedented(some)))
        for some in (own, *(item.lines for item in items))
    ]
    (line, head), *below = pieces
    joined = "\n- ".join(text for _, text in pieces)
    if below and head.rstrip("* ").endswith((":", "：")):
        return [(at, f"{_plain(head)} {text}") for at, text in below]
    return [(line, joined)] if len(joined) <= _JOINED or not below else pieces


def _entries(
    line: int, text: str, titles: Sequence[str], *, is_bullet: bool
) -> Iterator[Entry | Skipped]:
    box = _BOX.match(text)
    text = text[box.end() :] if box else text
    if text.startswith("|"):  # a table, each row on a line, without its frame
        rows = [row.strip("| ") for row in text.split("\n")]
        text = "\n".join(row for row in rows if set(row) - set("-:| "))
    text = _plain(text)
    hint = _HELP.fullmatch(text) if len(text) <= _JOINED else None
    # A form that nobody has filled in (`Name:`), or what says how to fill it in
    if not text or text.endswith((":", "：")) or (hint and not (is_bullet and hint["slanted"])):
        yield Skipped("empty")
        return
    category, project = "plan" if box else "", ""
    for title, above in zip(titles[::-1], [*titles[-2::-1], ""], strict=False):
        found = (c for c, words in _CATEGORIES.items() if words.search(title[:200]))
        category = category or next(found, "")
        if named := _PROJECT.fullmatch(title):
            project = named[1].strip()
        elif _PROJECTS.fullmatch(above):
            project = title[:100].strip()
    pieces = [text]
    if not is_bullet and len(text) > _LONG:  # a few sentences at a time
        pieces = [""]
        for sentence in sentences.split(text):
            if pieces[-1] and len(pieces[-1]) + len(sentence) > _JOINED:
                pieces.append("")
            glue = " " if pieces[-1] and pieces[-1][-1].isascii() else ""
            pieces[-1] += glue + sentence
    for piece in pieces:
        yield Entry(line, piece, category, project, bool(box and box[1] != " "))


def _plain(text: str) -> str:
    """Without the marks for bold letters."""
    return _BOLD.sub(lambda found: found[1] or found[2], text).strip()
