"""An edited view as `edits` reads it: which entries it has now, whatever kind of file it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from loxodon.fields import EDITABLE
from loxodon.types import FileProblem, Record
from loxodon.views import insights, projects, records
from loxodon.views.edits import EditedEntry, EditedView
from loxodon.views.entries import ARCHIVED, ListEntry, state_of
from loxodon.views.reading import as_problems

_OURS = frozenset({"id", "version", "updated_at", "strength"})
"""What a line of JSON says that Loxodon counts by itself; nobody is told that it stays."""
_DEFAULTS = {name: value for name, value in Record._field_defaults.items() if name in EDITABLE}


def page_of(
    file: str, text: str, written: Mapping[str, int], known: Callable[[], Mapping[str, str]]
) -> EditedView:
    """The page of a view that `manifest.editable` admits. Raises InputError for no such view.

    `known` gives the lines that a file of JSON would have now, each with its memory: most lines
    are among them, and need not be looked into.
    """
    ended, cut = text.endswith("\n"), False
    untouched: frozenset[str] = frozenset()
    if file in records.FILES:  # where it is cut, that is one of the problems
        lines, problems, untouched = _of_records(file, text, known())
    elif file == projects.NAME:
        lines, problems = _of_projects(file, text)
        cut = not ended and not written.keys() <= {line.id for line in lines}
    else:
        lines, problems, sections = _of_insights(file, text)
        # The archived come last.
        cut = bool(written) and not any(one.startswith(ARCHIVED) for one in sections)
    family = file.split("/")[0].removesuffix(".md")
    torn = cut and not ended
    return EditedView(file, lines, family, problems, written, cut, torn, untouched=untouched)


Found = tuple[list[EditedEntry], tuple[FileProblem, ...]]


def _of_records(file: str, text: str, known: Mapping[str, str]) -> tuple[*Found, frozenset[str]]:
    said = [line.removesuffix("\r") for line in text.split("\n")]
    untouched = frozenset(known[line] for line in said if line in known)
    found = records.parse(file, "\n".join("" if line in known else line for line in said))
    if any(entry.id in untouched for entry in found.entries):
        return _of_records(file, text, {})  # in two versions
    lines = [_of_record(file, entry) for entry in found.entries]
    return lines, as_problems(file, found.troubles), untouched


def _of_record(file: str, entry: records.RecordLine) -> EditedEntry:
    """A field that a line lacks has its default; of a new memory that is left to `capture`."""
    said = {name: value for name, value in entry.fields.items() if name in EDITABLE}
    fixed = {name: value for name, value in entry.fields.items() if name not in EDITABLE | _OURS}
    fields = {**_DEFAULTS, **said} if entry.id else said
    version = entry.version
    return EditedEntry(file, entry.line, fields, entry.id, version, entry.kind, entry.state, fixed)


def _of_insights(file: str, text: str) -> tuple[*Found, tuple[str, ...]]:
    found = insights.parse(file, text)
    lines = [
        EditedEntry(file, entry.line, _said(entry), entry.id, entry.version, state=state_of(entry))
        for entry in found.entries
    ]
    return lines, found.problems, found.sections


def _of_projects(file: str, text: str) -> Found:
    found = projects.parse(file, text)
    lines = []
    for entry in found.entries:
        said = _said(entry)
        if entry.section:
            said["project"] = entry.section
        if not entry.id and entry.done is not None:
            said["category"] = "plan"
        lines.append(EditedEntry(file, entry.line, said, entry.id, entry.version))
    return lines, found.problems


def _said(entry: ListEntry) -> dict[str, Any]:
    said = {
        "content": entry.content,
        "tags": entry.tags,
        "project": entry.project,
        "importance": entry.importance,
        "done": entry.done,
    }
    return {name: value for name, value in said.items() if value is not None}
