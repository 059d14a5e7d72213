"""insights.md: every fact as a list, for a person to read and to edit.

    ## Active facts

    - [f_20260204_001] **User · allergy**: The user is allergic to peanuts.
      Second line of the same memory.
      `tags: [food, health]` `importance: 0.9` `updated: 2026-02-22` `source: monday:m3` `v3`

    ## Archived facts

In brackets is the memory's id; an entry without one is new. The label in bold is there to be read:
of an entry with an id it is not taken in. The last line ends the entry; an entry that a person
writes may do without. Content survives exactly: what an editor would not keep, or what would read
as something else, is escaped (`&#xD;`, or a backslash at the start of a line).

A line that was left without its entry is an error, and nothing of the page is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from loxodon.errors import InputError
from loxodon.language.statements import USER
from loxodon.messages import LANGUAGES, t
from loxodon.types import CATEGORIES, GENERAL_TOPIC, GLOBAL_PROJECT, STATES, FileProblem, Record
from loxodon.views.manifest import INSIGHTS, Planned, View, based_on, comment
from loxodon.views.pages import Content

_LABEL_LENGTH = 40
_IN_CHINESE = "身份健康偏好关系状态事实配置凭据决定办法事件对话计划临时调试"
_CATEGORIES = dict(zip(CATEGORIES, re.findall("..", _IN_CHINESE), strict=True))


# Writing


def views(content: Content) -> Iterator[Planned]:
    basis = based_on(content.language, content.basis("/fact/"))
    yield Planned(INSIGHTS, basis, partial(_page, content))


def _page(content: Content) -> View:
    language = content.language
    edit = t(
        "edit, add or delete entries, then run loxodon sync; a deleted entry is archived", language
    )
    parts = [[comment(INSIGHTS, content.space, edit)], [f"# {t('What is known', language)}"]]
    headings = t("Active facts", language), t("Archived facts", language)
    ids: dict[str, int] = {}
    for state, heading in zip(STATES, headings, strict=True):
        parts.append([f"## {heading}"])
        for one in content.facts:
            if one.state == state:
                ids[one.id] = one.version
                first, *rest = _escaped(one.content).split("\n")
                label = f"**{_label_of(one, language)}**: "
                said = f"- [{one.id}] {label}{_guarded(first, first=True)}".rstrip(" ")
                indented = (f"  {_guarded(line)}" if line else "" for line in rest)
                parts.append([said, *indented, _about(one)])
    return View("\n\n".join("\n".join(part) for part in parts) + "\n", ids)


def _label_of(record: Record, language: str) -> str:
    category = record.category.capitalize()
    if language == "zh":
        category = _CATEGORIES.get(record.category, record.category)
    parts = [record.topic if record.topic != GENERAL_TOPIC else category]
    if record.subject:
        subject = t("User", language) if record.subject == USER else record.subject
        # The names of attributes are English.
        parts = [subject, record.attribute.replace("_", " ") if language == "en" else category]
    text = " · ".join(part for part in parts if part)
    text = " ".join(re.sub("[*`<>\\[\\]\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]", " ", text).split())
    return text[:_LABEL_LENGTH].strip() or category


def _about(record: Record) -> str:
    """The last line of an entry."""
    parts = [f"tags: [{', '.join(map(_value_text, record.tags))}]"] if record.tags else []
    if record.project != GLOBAL_PROJECT:
        parts.append(f"project: {_value_text(record.project)}")
    parts += [f"importance: {record.importance!r}", f"updated: {record.updated_at:%Y-%m-%d}"]
    if record.sources:
        source = record.sources[0]
        place = f"{source.session}:{source.turn}"
        parts.append(
            f"source: {_value_text(f'{source.file}:{source.line}' if source.file else place)}"
        )
    return "  " + " ".join(f"`{part}`" for part in (*parts, f"v{record.version}"))


# Text that survives

_FRAGILE = re.compile(
    r"&(?=(?:amp;)*#x[0-9A-F]{1,6};)"  # what reads as one of our own escapes
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]"  # what ends a line, or is not seen
    r"|[^\S\n](?=\n|\Z)|\n\Z|\A\s"  # space at the end of a line, and around the whole
)
_ESCAPE = re.compile(r"&((?:amp;)*)#x([0-9A-F]{1,6});")
_BACKSLASH = re.compile(r"\\(?=\s*[*`\\])")
_UNSAFE = re.compile('[`"\\[\\],，、\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]')
_BEYOND_JSON = re.compile("[`\x7f-\x9f\u2028\u2029\ufeff]")
_ITEM = re.compile(r'"(?:[^"\\]|\\.)*"|[^,，、"]+')


def _escaped(text: str) -> str:
    """`text` as it can stand in lines that editors touch; `_unescaped` gives it back."""
    return _FRAGILE.sub(lambda odd: "&amp;" if odd[0] == "&" else f"&#x{ord(odd[0]):X};", text)


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        deeper, code = match[1], int(match[2], 16)
        if deeper:
            return f"&{deeper[4:]}#x{match[2]};"
        # Nobody can have meant half a character or one that no text has.
        return chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else match[0]

    return _ESCAPE.sub(character, text)


def _guarded(line: str, first: bool = False) -> str:
    """A line that does not read as a label, nor as the last line of an entry."""
    said = line.strip()
    if said[:1] not in ("*", "`", "\\"):
        return line
    if (first and line.startswith("**")) or _ABOUT.fullmatch(said) or _BACKSLASH.match(line):
        return f"\\{line}"
    return line


def _value_text(value: str) -> str:
    """A value in a code span: plain, or as a JSON string where that would not read the same."""
    if value and value == value.strip() and not _UNSAFE.search(value):
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return _BEYOND_JSON.sub(lambda odd: f"\\u{ord(odd[0]):04x}", quoted)


def _value_of(text: str) -> str:
    text = text.strip()
    return str(json.loads(text)) if text.startswith('"') else text


def _names_of(text: str) -> tuple[str, ...]:
    """The names in a list that a person may have written. ValueError for nonsense."""
    text = text.strip()
    if text.startswith("[") != text.endswith("]"):
        raise ValueError(text)
    found = (_value_of(item).strip() for item in _ITEM.findall(text.strip("[]")))
    return tuple(dict.fromkeys(filter(None, found)))


# Reading

_SPAN = r"`(?:v\d{1,9}|(?:tags|project|importance|updated|created|source|due)[:：][^`\n]*)`"
_ABOUT = re.compile(rf"{_SPAN}(?: +{_SPAN})*")
_BULLET = re.compile(r"[-*+](?: +(?:\[(?P<id>[fbs]_\d{8,}_\d{3,})\])?(?: |$)?|$)")
_LABEL = re.compile(r"\*\*(?P<label>[^*\n]{1,200})\*\*(?:[:：] ?|$)")
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*")
_BESIDE = re.compile(r"<!--.*-->\s*|\|.*|-{3,}\s*|\*{3,}\s*|_{3,}\s*")  # comments, tables, rules


class EditedEntry(NamedTuple):
    line: int
    fields: Mapping[str, Any]  # by the names of `Record`; what it does not say is as it was
    id: str = ""  # empty for a new one
    version: int = 0  # the version that it names; 0 for none
    archived: bool = False  # whether it stands among the archived facts


class EditedPage(NamedTuple):
    entries: Sequence[EditedEntry]
    problems: Sequence[FileProblem] = ()  # what of it cannot be read
    written: Mapping[str, int] = {}  # the memories that were on it, with their versions
    ended: bool = True  # whether its last line is whole


class _Block(NamedTuple):
    """The lines of one entry, and the heading above it."""

    line: int
    section: str
    lines: list[str]

    @property
    def about(self) -> str:
        """The last line, if it says something about the entry; it ends it."""
        last = self.lines[-1].strip()
        return last if len(self.lines) > 1 and _ABOUT.fullmatch(last) else ""


Problem = Callable[[int, str, str], None]


def read_page(text: str, written: Mapping[str, int]) -> EditedPage:
    """The edited page. Any text can be read; what makes no sense is reported."""
    problems: list[FileProblem] = []

    def problem(line: int, what: str, hint: str) -> None:
        problems.append(FileProblem(INSIGHTS, line, what, hint))

    # Our own text has no CR that is not escaped.
    lines = [line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n")]
    found = [_entry(block, problem) for block in _blocks(lines, problem)]
    entries = [entry for entry in found if entry is not None]
    return EditedPage(entries, problems, written, text.endswith("\n"))


def _blocks(lines: Sequence[str], problem: Problem) -> Iterator[_Block]:
    block: _Block | None = None
    section, blank = "", 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            blank += 1
            continue
        heading, bullet = _HEADING.fullmatch(line), _BULLET.match(line)
        indented = line.startswith(("  ", "\t"))
        begins = heading or bullet or _BESIDE.fullmatch(line)
        if block and not block.about and (indented or not (blank or begins)):
            bare = line[2:] if line.startswith("  ") else line.removeprefix("\t")
            block.lines.extend([*[""] * blank, bare])
        elif not begins and (indented or _ABOUT.fullmatch(line)):
            _orphan(number, problem)
        else:
            if block:
                yield block
            block = _Block(number, section, [line]) if bullet else None
            if heading and len(heading[1]) == 2:
                section = heading[2]
            elif not begins:
                what = t("this line does not belong to an entry")
                problem(number, what, t("start it with `- ` to make it an entry"))
        blank = 0
    if block:
        yield block


def _orphan(line: int, problem: Problem) -> None:
    what = t("this line belongs to an entry that is not there")
    problem(line, what, t("put its entry back, or delete this line too; nothing was changed"))


def _entry(block: _Block, problem: Problem) -> EditedEntry | None:
    bullet = _BULLET.match(block.lines[0])
    first = block.lines[0][bullet.end() :] if bullet else ""
    id = (bullet["id"] if bullet else "") or ""
    if not id and re.match(r"\[[fbs]_\d", first):
        problem(block.line, t("its id is not readable"), t("restore it; a new entry has no id"))
        return None
    about, rest = block.about, block.lines[1:]
    last = block.line + len(block.lines) - 1
    if about:
        rest.pop()
    if not id and "" in rest and re.search(r"`v\d+`", about):
        _orphan(last, problem)  # of what stood below a new entry
        return None
    if label := _LABEL.match(first):
        # Whoever writes a new entry like this means the label to be part of it.
        first = first[label.end() :] if id else f"{label['label']}: {first[label.end() :]}"
    bare = (line[1:] if _BACKSLASH.match(line) else line for line in (first, *rest))
    content = _unescaped("\n".join(bare).rstrip("\n"))
    if not content.strip():
        problem(block.line, t("the entry is empty"), t("delete the line to archive it"))
        return None
    said: dict[str, Any] = {"content": content}
    version = _said_about(about, last, said, problem)
    archived = block.section.startswith(tuple(t("Archived facts", one) for one in LANGUAGES))
    return EditedEntry(block.line, said, id, version, archived)


def _said_about(about: str, line: int, said: dict[str, Any], problem: Problem) -> int:
    """Add to `said` what the last line of an entry says; the version that it names."""
    version = 0
    for span in re.findall(r"`([^`]*)`", about):
        if span[0] == "v" and span[1:].isdecimal():
            version = int(span[1:])
            continue
        name, value = re.split("[:：]", span, maxsplit=1)
        try:
            if name == "tags":
                said[name] = _names_of(value)
            elif name == "project":
                said[name] = _value_of(value) or GLOBAL_PROJECT
            elif name == "importance":
                said[name] = float(value)
        except ValueError:
            error = InputError("{field} cannot be {value}", field=name, value=repr(value.strip()))
            problem(line, *error.localized())
    return version
