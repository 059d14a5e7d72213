"""The project that a message names, in either language.

A name stands beside the word: "project Lumen", "the Acme Dashboard project", 星链项目, 项目叫竹林.
What only says what kind of project it is ("a school project", 体育项目) names none.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files

from loxodon.text.patterns import Patterns
from loxodon.text.wordlists import words_of

_READ = 1_000
_KINDS = words_of("project_kinds")
# Patterns, in each of which `{name}` stands for another
_like = Patterns(
    tomllib.loads((files(__package__) / "projects.toml").read_text("utf-8")), cased=True
)
_ENGLISH = ("project_called", "in_project", "called_project")
_CHINESE = ("is_called", "in_quotes", "before_the_word", "behind_the_word", "is_mine")


def named_project(text: str) -> str:
    """The name of the project that `text` speaks of; empty where it names none, or several."""
    found: dict[str, None] = {}
    text = text[:_READ]
    if "roject" in text:
        for pattern in _ENGLISH:
            for match in _like[pattern].finditer(text):
                # Without the words before it that say which; none where only its place is capital
                start = match.start(1)
                words = match[1].rstrip(".-").split()
                first = start == 0 or text[:start].rstrip()[-1:] in ".!?"
                while words and words[0].lower() in _KINDS:
                    words, first = words[1:], False
                if not first or len(words) != 1 or text.startswith("Project"):
                    found |= _kept(" ".join(words))
    if "项目" in text:
        for pattern in _CHINESE:
            for match in _like[pattern].finditer(text):
                found |= _kept(_like["before"].sub("", next(filter(None, match.groups())).strip()))
    names = [name for name in found if not any(name != other and name in other for other in found)]
    return names[0] if len(names) == 1 else ""


def _kept(name: str) -> dict[str, None]:
    kind = name.lower() in _KINDS or (name[-2:] in _KINDS and not name.isascii())  # 毕业设计
    return {name: None} if len(name) > 1 and not kind and not _like["doing"].search(name) else {}
