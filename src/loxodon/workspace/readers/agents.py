"""What the transcripts of coding agents have in common.

Only what a person or the agent said becomes turns. What tools print there is files and builds,
which nobody said, and what programs put into the user's name is taken off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import tzinfo
from typing import NamedTuple

from loxodon.errors import InputError
from loxodon.types import ORIGIN_OF_ROLE, Draft, Role
from loxodon.workspace.readers.jsonl import as_object, parse_line
from loxodon.workspace.readers.lines import FileLines, Trouble, check_name, check_text, session_of
from loxodon.workspace.readers.openclaw_words import without_recalled

Entry = Mapping[str, object]
Numbered = tuple[int, Entry]
_MOST_BLOCKS = 200
"""Blocks that are taken off one message; a hostile one may have a million."""


class Opening(NamedTuple):
    """What the beginning of a transcript says of all of it, and later parts do not repeat."""

    session: str
    spoken: bool = True
    """False where nobody speaks in it but programs."""
    parent: str = ""
    """The session that it begins with a copy of."""
    person: bool = True
    """False while a program speaks in the user's name, where transcripts tell that by the turn."""


class AgentTurns(NamedTuple):
    """The turns in some entries of a transcript."""

    drafts: list[Draft]
    problems: list[Trouble]
    opening: Opening


ReadEntry = Callable[[int, Entry, Opening], "Opening | Said | None"]


class Said(NamedTuple):
    """Something said in an entry."""

    role: Role
    text: str
    id: str
    at: object
    session: str = ""
    """Where the entry names one."""


def turns_in(
    entries: Iterable[Numbered], read: ReadEntry, opening: Opening, zone: tzinfo | None
) -> AgentTurns:
    """The turns in numbered entries. Of those with the same id the last counts: agents write a
    message down again when there is more to say of it."""
    found: dict[str, Draft] = {}
    problems: list[Trouble] = []
    for line, entry in entries:
        try:
            said = read(line, entry, opening)
            if isinstance(said, Opening):
                opening = said
            elif (
                said is not None and opening.person and (draft := _draft(said, line, opening, zone))
            ):
                found[draft.id] = draft
        except InputError as error:
            problems.append((line, error))
    return AgentTurns(list(found.values()) if opening.spoken else [], problems, opening)


def _draft(said: Said, line: int, opening: Opening, zone: tzinfo | None) -> Draft | None:
    from loxodon.workspace.readers.moments import read_instant, to_zone

    text = without_recalled(said.text).strip() if said.role == "user" else said.text.strip()
    if not text:
        return None
    check_text(text)
    check_name(said.id, "id")
    check_name(said.session, "session")
    at = to_zone(read_instant(said.at, zone), zone) if said.at else None
    session = said.session or opening.session
    return Draft(line, said.role, text, session, said.id, at, origin=ORIGIN_OF_ROLE[said.role])


def read_lines(
    lines: FileLines, name: str, zone: tzinfo | None, read: ReadEntry
) -> tuple[list[Draft], list[Trouble]]:
    """The turns of a whole file of one JSON object a line."""
    entries: list[Numbered] = []
    problems = list(lines.problems)
    last = 0 if lines.whole else len(lines.texts)
    for number, text in enumerate(lines.texts, 1):
        if not text or text.isspace():
            continue
        try:
            entries.append((number, as_object(parse_line(text, cut=number == last))))
        except InputError as error:
            problems.append((number, error))
    found = turns_in(entries, read, Opening(session_of(name)), zone)
    return found.drafts, problems + found.problems


def text_in(value: object) -> str:
    """Text, or the text of parts; what has none, such as a picture or a call, is left out."""
    if isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else [value]
    texts = (one if isinstance(one, str) else _text_of_part(one) for one in parts)
    return "\n".join(text for text in texts if text)


def _text_of_part(part: object) -> str:
    if not isinstance(part, Mapping) or part.get("thought"):
        return ""
    if part.get("type", "text") not in ("text", "Text", "input_text", "output_text"):
        return ""
    text = part.get("text")
    return text if isinstance(text, str) else ""


def word(entry: Entry, name: str) -> str:
    """A field that is text; empty where it is not."""
    value = entry.get(name)
    return value if isinstance(value, str) else ""


def inner(entry: Entry, name: str) -> Entry:
    """A field that is an object; empty where it is not."""
    value = entry.get(name)
    return value if isinstance(value, Mapping) else {}


def without_blocks(text: str, tags: Sequence[str]) -> str:
    """`text` without the blocks in these tags; one that never ends goes to the end."""
    if "<" not in text:
        return text
    for tag in tags:
        for _ in range(_MOST_BLOCKS):
            begin = text.find(f"<{tag}>")
            if begin < 0:
                break
            end = text.find(f"</{tag}>", begin)
            text = text[:begin] + (text[end + len(tag) + 3 :] if end >= 0 else "")
    return text
