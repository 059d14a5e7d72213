"""insights.md: every fact, to be read and edited; see `entries` for how one is written.

    ## Active facts

    - [f_20260204_001] **User · allergy**: The user is allergic to peanuts.
      `tags: [food]` `importance: 0.9` `updated: 2026-02-22` `source: monday:m3` `v3`

    ## Archived facts

Past 2,000 facts the entries are in a file for each month, by their ids (`insights/2026-02.md`), and
insights.md says how many each has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from loxodon.types import STATES, Record, State
from loxodon.views import Planned, View, based_on, comment
from loxodon.views.entries import ACTIVE, ARCHIVED, Listed, entry_lines, joined, parsed
from loxodon.views.groups import grouped

NAME = "insights.md"
FOLDER = "insights"
SPLIT_ABOVE = 2_000
JOIN_BELOW = 1_800
"""Facts below which months are one file again: a memory at the border should not go to and fro."""
_PLACE = {"zh": 0, "en": 1}
_TITLE = {"zh": "事实", "en": "What is known"}
_NOTE = {
    "zh": "可以直接编辑：改动、新增或删除条目，然后运行 loxodon sync；删除的条目会归档",
    "en": "edit, add or delete entries, then run loxodon sync; a deleted entry is archived",
}
_MONTHS = {"zh": ("月份", "活跃", "归档"), "en": ("Month", "Active", "Archived")}

Facts = Callable[[], Sequence[Record]]


def views(
    space: str,
    bases: Mapping[str, str],
    language: str,
    known: Mapping[str, str],
    number: int,
    facts: Facts,
) -> Iterator[Planned]:
    """The file, or the files of the months; `known` has the views of the last export."""
    parts = [bases.get(f"memories/fact/{state}", "none") for state in STATES]
    split = number >= (JOIN_BELOW if any(map(is_month, known)) else SPLIT_ABOVE + 1)
    basis = based_on(language, "months" if split else "whole", *parts)
    if not split:
        yield Planned(NAME, basis, lambda: _whole(NAME, space, language, facts()))
        return
    yield Planned(NAME, basis, lambda: _index(space, language, facts()))
    yield from grouped(known, f"{FOLDER}/", basis, lambda: _of_months(space, language, facts()))


def is_month(name: str) -> bool:
    """Whether a view has the facts of one month."""
    return name.startswith(f"{FOLDER}/")


def parse(name: str, text: str) -> Listed:
    """The entries of insights.md or of a month; `entries.state_of` says where each stands."""
    return parsed(text, name, labels=True)


def _whole(name: str, space: str, language: str, facts: Sequence[Record]) -> View:
    parts = [[comment(name, space, _NOTE[language])], [f"# {_TITLE[language]}"]]
    for state in STATES:
        parts.append([f"## {_heading(state, language)}"])
        parts += [entry_lines(one, language) for one in facts if one.state == state]
    return View(name, joined(parts), {one.id: one.version for one in facts})


def _heading(state: State, language: str) -> str:
    return (ACTIVE if state == "active" else ARCHIVED)[_PLACE[language]]


def _of_months(space: str, language: str, facts: Sequence[Record]) -> dict[str, View]:
    return {
        name: _whole(name, space, language, found) for name, found in sorted(_months(facts).items())
    }


def _months(facts: Sequence[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for one in facts:
        day = one.id.split("_")[1]  # which does not depend on where one is
        found.setdefault(f"{FOLDER}/{day[:-4]}-{day[-4:-2]}.md", []).append(one)
    return found


def _index(space: str, language: str, facts: Sequence[Record]) -> View:
    """Which month has how many, the latest first. A table: no line of it reads as an entry."""
    month, active, archived = _MONTHS[language]
    rows = [f"| {month} | {active} | {archived} |", "|---|---:|---:|"]
    for name, found in sorted(_months(facts).items(), reverse=True):
        standing = sum(one.state == "active" for one in found)
        label = name.removeprefix(f"{FOLDER}/").removesuffix(".md")
        rows.append(f"| [{label}]({name}) | {standing} | {len(found) - standing} |")
    parts = [[comment(NAME, space, _NOTE[language])], [f"# {_TITLE[language]}"], rows]
    return View(NAME, joined([*parts, [f"## {_heading('active', language)}"]]))
