"""projects.md: what is known of each project, and what is planned for it.

    ## Loxodon

    - [f_20260204_001] The release is tagged on Fridays.

    ### Plans

    - [ ] [f_20260204_002] Write the migration guide.
      `due: 2026-03-01`

An entry that a person adds is a note: a new fact of that project.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from loxodon.text.words import fold
from loxodon.types import GLOBAL_PROJECT, Record
from loxodon.views import Planned, View, based_on, comment
from loxodon.views.entries import Listed, bullet_lines, escaped, joined, parsed
from loxodon.views.insights import Facts

NAME = "projects.md"
_TITLE = {"zh": "项目", "en": "Projects"}
_PLANS = {"zh": "计划", "en": "Plans"}
_NOTE = {
    "zh": "在项目标题下新增一条，再运行 loxodon sync，就会成为该项目的一条记忆",
    "en": "add an entry under a project, then run loxodon sync: it becomes a memory of it",
}


def views(space: str, bases: Mapping[str, str], language: str, facts: Facts) -> Iterator[Planned]:
    basis = based_on(language, bases.get("memories/fact/active", "none"))
    yield Planned(NAME, basis, lambda: _made(space, language, facts()))


def parse(name: str, text: str) -> Listed:
    """The entries of projects.md; the `section` of each is the project it stands under."""
    return parsed(text, name, labels=False)


def _made(space: str, language: str, facts: Sequence[Record]) -> View:
    projects: dict[str, list[Record]] = {}
    for one in facts:
        if one.state == "active" and one.project not in ("", GLOBAL_PROJECT):
            projects.setdefault(one.project, []).append(one)
    parts = [[comment(NAME, space, _NOTE[language])], [f"# {_TITLE[language]}"]]
    ids: dict[str, int] = {}
    for project in sorted(projects, key=lambda name: (fold(name), name)):
        heading = escaped(project).replace("\n", "&#xA;")  # a heading is one line
        parts.append([f"## {heading}"])
        known = [one for one in projects[project] if one.category != "plan"]
        plans = [one for one in projects[project] if one.category == "plan" and not one.done]
        parts += _list(known, plan=False)
        if plans:
            parts += [[f"### {_PLANS[language]}"], *_list(plans, plan=True)]
        ids |= {one.id: one.version for one in (*known, *plans)}
    return View(NAME, joined(parts), ids)


def _list(records: Sequence[Record], *, plan: bool) -> list[list[str]]:
    """The entries of a list, close together."""
    lines = [line for one in records for line in bullet_lines(one, plan=plan)]
    return [lines] if lines else []
