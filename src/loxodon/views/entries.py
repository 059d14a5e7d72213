"""Memories as a list in Markdown, for a person to read and to edit.

    - [f_20260204_001] **User · allergy**: The user is allergic to peanuts.
      Second line of the same memory.
      `tags: [food, health]` `importance: 0.9` `updated: 2026-02-22` `source: monday:m3` `v3`

What is in brackets is the memory's id; an entry without one is new. The label in bold is there to
be read: of an entry with an id it is not taken in. The last line may be missing, and so may any
part of it. Content survives exactly: what an editor would not keep, or what would read as something
else, stands escaped (`&#xD;`, or a backslash at the start of a line).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from loxodon.errors import InputError
from loxodon.language.statements import USER
from loxodon.messages import t
from loxodon.types import GENERAL_TOPIC, GLOBAL_PROJECT, FileProblem, Record, Source, State
from loxodon.views import ViewMarker, marker_of

_LABEL_LENGTH = 40


class ListEntry(NamedTuple):
    """A memory as it stands in a list; None and 0 for what is not said there."""

    line: int
    id: str
    """Empty for a new one."""
    content: str
    section: str = ""
    """The heading that it stands under, as written there."""
    tags: tuple[str, ...] | None = None
    project: str | None = None
    importance: float | None = None
    version: int = 0
    done: bool | None = None


class Listed(NamedTuple):
    """What stands in a file of entries."""

    entries: tuple[ListEntry, ...]
    sections: tuple[str, ...]
    """Its headings of the second level."""
    problems: tuple[FileProblem, ...]
    """Lines that could not be read; the others were."""
    marker: ViewMarker | None


# Text that survives

_FRAGILE = re.compile(
    r"&(?=(?:amp;)*#x[0-9A-F]{1,6};)"  # what reads as one of our own escapes
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]"  # what ends a line, or is not seen
    r"|[^\S\n](?=\n|\Z)|\n\Z|\A\s"  # space at the end of a line, and around the whole
)
_ESCAPE = re.compile(r"&((?:amp;)*)#x([0-9A-F]{1,6});")
_BACKSLASH = re.compile(r"\\(?=\s*[*`\\])")


def escaped(text: str) -> str:
    """`text` as it can stand in lines that editors touch; `unescaped` gives it back."""
    if text.isprintable() and "&" not in text and text == text.strip():
        return text  # most are
    return _FRAGILE.sub(lambda match: _code(match[0]), text)


def _code(character: str) -> str:
    return "&amp;" if character == "&" else f"&#x{ord(character):X};"


def unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    deeper, code = match[1], int(match[2], 16)
    if deeper:
        return f"&{deeper[4:]}#x{match[2]};"
    # Nobody can have meant half a character or one that no text has.
    return chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else match[0]


# Values within a line

_UNSAFE = re.compile('[`"\\[\\],，、\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]')
_BEYOND_JSON = re.compile("[`\x7f-\x9f\u2028\u2029\ufeff]")


def value_text(value: str) -> str:
    """A value as it stands in a code span: plain, or as a JSON string where that would not read
    the same."""
    if value and value == value.strip() and not _UNSAFE.search(value):
        return value
    return _BEYOND_JSON.sub(
        lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False)
    )


def value_of(text: str) -> str:
    """The inverse of `value_text`; ValueError for a string that is cut."""
    text = text.strip()
    if not text.startswith('"'):
        return text
    found = json.loads(text)
    if not isinstance(found, str):
        raise ValueError(text)
    return found


def list_text(values: Iterable[str]) -> str:
    return f"[{', '.join(map(value_text, values))}]"


_ITEM = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^,，、"]*)\s*(?:[,，、]|\Z)')


def items_of(text: str) -> list[str]:
    """The inverse of `list_text`; commas of either script separate. ValueError for nonsense."""
    text = text.strip()
    if text.startswith("[") != text.endswith("]"):
        raise ValueError(text)
    text = text.removeprefix("[").removesuffix("]")
    found, at = [], 0
    while at < len(text):
        match = _ITEM.match(text, at)
        if match is None or match.end() == at:
            raise ValueError(text)
        if match[1]:
            found.append(value_of(match[1]))
        at = match.end()
    return found


def names_of(text: str) -> tuple[str, ...]:
    """The names in a list that a person may have written: each once, none empty."""
    return tuple(dict.fromkeys(name for name in map(str.strip, items_of(text)) if name))


# Writing


def entry_lines(record: Record, language: str) -> list[str]:
    """A memory with its label and all that can be said of it in a line."""
    first, *rest = _content_lines(record.content)
    said = f"- [{record.id}] **{label_of(record, language)}**: {first}".rstrip(" ")
    return [said, *rest, f"  {_about(record)}"]


def bullet_lines(record: Record, *, plan: bool) -> list[str]:
    """A memory in short: its id and its words; a plan with a box to tick and when it is due."""
    first, *rest = _content_lines(record.content)
    box = f"[{'x' if record.done else ' '}] " if plan else ""
    lines = [f"- {box}[{record.id}] {first}".rstrip(" "), *rest]
    if plan and record.due_at:
        lines.append(f"  `due: {record.due_at:%Y-%m-%d}`")
    return lines


def _content_lines(content: str) -> list[str]:
    if "\n" not in content:
        return [_guarded(escaped(content), first=True)]
    first, *rest = escaped(content).split("\n")
    indented = (f"  {_guarded(line)}" if line else "" for line in rest)
    return [_guarded(first, first=True), *indented]


def _guarded(line: str, first: bool = False) -> str:
    """A line that does not read as a label, nor as the last line of an entry."""
    said = line.strip()
    if said[:1] not in ("*", "`", "\\"):
        return line
    if (first and line.startswith("**")) or _ABOUT.fullmatch(said) or _BACKSLASH.match(line):
        return f"\\{line}"
    return line


def _bare(line: str) -> str:
    return line[1:] if _BACKSLASH.match(line) else line


def label_of(record: Record, language: str) -> str:
    """A few words on what a memory is about."""
    category = _category(record.category, language)
    parts = [record.topic if record.topic != GENERAL_TOPIC else category]
    if record.subject:
        subject = t("User", language) if record.subject == USER else record.subject
        # The names of attributes are English.
        parts = [subject, record.attribute.replace("_", " ") if language == "en" else category]
    text = " · ".join(part for part in parts if part)
    text = " ".join(re.sub("[*`<>\\[\\]\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]", " ", text).split())
    return text[:_LABEL_LENGTH].strip() or category


def _category(name: str, language: str) -> str:
    if language == "en":
        return name.capitalize()
    return _CATEGORIES.get(name, name)


_CATEGORIES = {
    "identity": "身份",
    "health": "健康",
    "preference": "偏好",
    "relation": "关系",
    "status": "状态",
    "fact": "事实",
    "config": "配置",
    "credential": "凭据",
    "decision": "决定",
    "solution": "办法",
    "event": "事件",
    "conversation": "对话",
    "plan": "计划",
    "temp": "临时",
    "debug": "调试",
}


def _about(record: Record) -> str:
    parts = [f"tags: {list_text(record.tags)}"] if record.tags else []
    if record.project != GLOBAL_PROJECT:
        parts.append(f"project: {value_text(record.project)}")
    parts.append(f"importance: {record.importance!r}")
    parts.append(f"updated: {record.updated_at:%Y-%m-%d}")
    if record.sources:
        parts.append(f"source: {value_text(place_of(record.sources[0]))}")
    parts.append(f"v{record.version}")
    return " ".join(f"`{part}`" for part in parts)


def place_of(source: Source) -> str:
    """Where a memory comes from, in a word."""
    return f"{source.file}:{source.line}" if source.file else f"{source.session}:{source.turn}"


# Reading

_SPAN = r"`(?:v\d{1,9}|(?:tags|project|importance|updated|created|source|due)[:：][^`\n]*)`"
_ABOUT = re.compile(rf"{_SPAN}(?: +{_SPAN})*")
_SPANS = re.compile(r"`([^`]*)`")
_BULLET = re.compile(
    r"[-*+] +(?:\[(?P<box>[ xX])\] +)?(?:\[(?P<id>[fbs]_\d{8,}_\d{3,})\])?(?: |$)?"
)
_EMPTY_BULLET = re.compile(r"[-*+] *")
_LIKE_AN_ID = re.compile(r"\[[fbs]_\d")
_LABEL = re.compile(r"\*\*(?P<label>[^*\n]{1,200})\*\*(?:[:：] ?|$)")
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*")
_BESIDE = re.compile(r"<!--.*-->\s*|\|.*|-{3,}\s*|\*{3,}\s*|_{3,}\s*")
"""Lines that say nothing of a memory: comments, tables, rules."""


class _Block(NamedTuple):
    """The lines of one entry."""

    line: int
    section: str
    lines: list[str]


def parsed(text: str, file: str, *, labels: bool) -> Listed:
    """The entries of a list, each with the line where it begins.

    With `labels`, a label in bold before an entry's words is not part of them, unless the entry is
    new. Any text can be parsed; what makes no sense is reported.
    """
    problems: list[FileProblem] = []
    sections: list[str] = []
    entries = [
        _entry(block, file, labels, problems) for block in _blocks(text, file, sections, problems)
    ]
    return Listed(
        tuple(entry for entry in entries if entry),
        tuple(sections),
        tuple(problems),
        marker_of(text),
    )


def _lines(text: str) -> list[str]:
    """The lines as we wrote them: an editor that ends them all with CR LF changes nothing."""
    text = text.removeprefix("\ufeff")
    lines = text.split("\n")
    # Our own text has no CR that is not escaped.
    return [line.removesuffix("\r") for line in lines]


def _blocks(
    text: str, file: str, sections: list[str], problems: list[FileProblem]
) -> Iterator[_Block]:
    block: _Block | None = None
    blank = 0
    for number, line in enumerate(_lines(text), 1):
        if not line.strip():
            blank += 1
            continue
        heading = _HEADING.fullmatch(line)
        if block and not heading and (line.startswith(("  ", "\t")) or not (blank or _opens(line))):
            block.lines.extend([""] * blank)
            block.lines.append(_dedented(line))
        else:
            if block:
                yield block
            block = None
            if heading:
                if len(heading[1]) == 2:
                    sections.append(unescaped(heading[2]))
            elif _BULLET.match(line) or _EMPTY_BULLET.fullmatch(line):
                block = _Block(number, sections[-1] if sections else "", [line])
            elif not _BESIDE.fullmatch(line):
                problems.append(_stray(file, number))
        blank = 0
    if block:
        yield block


def _opens(line: str) -> bool:
    """Whether an unindented line is something of its own, not more of the entry above it."""
    return bool(_BULLET.match(line) or _EMPTY_BULLET.fullmatch(line) or _BESIDE.fullmatch(line))


def _dedented(line: str) -> str:
    return line[2:] if line.startswith("  ") else line.removeprefix("\t")


def _stray(file: str, line: int) -> FileProblem:
    return FileProblem(
        file,
        line,
        t("this line does not belong to an entry"),
        t("start it with `- ` to make it an entry"),
    )


def _entry(block: _Block, file: str, labels: bool, problems: list[FileProblem]) -> ListEntry | None:
    bullet = _BULLET.match(block.lines[0])
    first = block.lines[0][bullet.end() :] if bullet else ""
    box, id = (bullet["box"], bullet["id"] or "") if bullet else (None, "")
    if not id and _LIKE_AN_ID.match(first):
        what, hint = t("its id is not readable"), t("restore it; a new entry has no id")
        problems.append(FileProblem(file, block.line, what, hint))
        return None
    rest = block.lines[1:]
    about = rest.pop().strip() if rest and _ABOUT.fullmatch(rest[-1].strip()) else ""
    if labels and (label := _LABEL.match(first)):
        # Whoever writes a new entry like this means the label to be part of it.
        first = first[label.end() :] if id else f"{label['label']}: {first[label.end() :]}"
    content = unescaped("\n".join(map(_bare, (first, *rest))))
    if not content.strip():
        what = t("the entry is empty")
        problems.append(FileProblem(file, block.line, what, t("delete the line to archive it")))
        return None
    entry = ListEntry(
        block.line, id, content, block.section, done=box in ("x", "X") if box else None
    )
    return _with_about(entry, about, block.line + len(rest) + 1, file, problems)


def _with_about(
    entry: ListEntry, about: str, line: int, file: str, problems: list[FileProblem]
) -> ListEntry:
    for span in _SPANS.findall(about):
        if span[0] == "v" and span[1:].isdecimal():
            entry = entry._replace(version=int(span[1:]))
            continue
        name, value = re.split("[:：]", span, maxsplit=1)
        try:
            if name == "tags":
                entry = entry._replace(tags=names_of(value))
            elif name == "project":
                entry = entry._replace(project=value_of(value) or GLOBAL_PROJECT)
            elif name == "importance":
                entry = entry._replace(importance=_share(value))
        except ValueError:
            error = InputError("{field} cannot be {value}", field=name, value=repr(value.strip()))
            problems.append(FileProblem(file, line, error.localized()[0]))
    return entry


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError(text)
    return value


ACTIVE = ("活跃事实", "Active facts")
ARCHIVED = ("归档事实", "Archived facts")


def state_of(entry: ListEntry) -> State:
    """Which part of insights.md an entry stands in."""
    return "archived" if entry.section.startswith(ARCHIVED) else "active"


def joined(parts: Sequence[Sequence[str]]) -> str:
    """Blocks of lines, with an empty line between them."""
    return "\n\n".join("\n".join(part) for part in parts) + "\n"
