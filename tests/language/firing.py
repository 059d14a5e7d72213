"""Which patterns of `language/` and `write/` match something in labelled conversations.

`python -m tests.language.firing EVERY FILE…` consolidates every so many conversations of each file
(1 is all of them) and prints one JSON object: every pattern, by where it stands, and whether it
matched anything. Patterns are those of the frames and of `speech.toml`, each entry by itself, and
every one that a module hands to `re`.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from loxodon.text import patterns

PACKAGES = ("loxodon.language.", "loxodon.write.")
SOURCE = Path(__file__).parents[2] / "src" / "loxodon"
CALLS = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "finditer", "findall"}
BY_ENTRY = ("_compiled", "_any", "_corrections")
"""Functions that compile what stands in a table: there each entry counts by itself."""
_compile = re._compile  # type: ignore[attr-defined]


class Watched:
    """A pattern that notes whether it ever matched, and which of its entries did."""

    def __init__(self, pattern: re.Pattern[str], entries: list[str]) -> None:
        self._pattern = pattern
        self._entries = {one: _compile(one, pattern.flags) for one in entries}
        self.fired: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)

    def _noted(self, found: Any, text: str) -> Any:
        if found:
            self.fired.add(self._pattern.pattern)
            self.fired |= {one for one, like in self._entries.items() if like.search(text)}
        return found

    def search(self, text: str, *where: int) -> Any:
        return self._noted(self._pattern.search(text, *where), text)

    def match(self, text: str, *where: int) -> Any:
        return self._noted(self._pattern.match(text, *where), text)

    def fullmatch(self, text: str, *where: int) -> Any:
        return self._noted(self._pattern.fullmatch(text, *where), text)

    def findall(self, text: str, *where: int) -> Any:
        return self._noted(self._pattern.findall(text, *where), text)

    def finditer(self, text: str, *where: int) -> Any:
        return iter(self._noted([*self._pattern.finditer(text, *where)], text))

    def sub(self, by: Any, text: str, count: int = 0) -> str:
        return self.subn(by, text, count)[0]

    def subn(self, by: Any, text: str, count: int = 0) -> tuple[str, int]:
        result, times = self._pattern.subn(by, text, count)
        self._noted(times, text)
        return result, times

    def split(self, text: str, maxsplit: int = 0) -> list[str]:
        found: list[str] = self._pattern.split(text, maxsplit)
        self._noted(len(found) > 1, text)
        return found


Seen = dict[tuple[str, int, str], Watched]


def watch(joined: dict[str, list[str]]) -> Seen:
    """Have every pattern watched that is compiled from now on, by module, line and pattern."""
    found: Seen = {}

    def watched(pattern: Any, flags: int) -> Any:
        if isinstance(pattern, Watched):
            return pattern
        frame = sys._getframe(1)
        while frame.f_back and frame.f_globals["__name__"] in ("re", __name__):
            frame = frame.f_back
        while frame.f_back and frame.f_code.co_name == "<listcomp>":
            frame = frame.f_back
        module = frame.f_globals["__name__"]
        if not module.startswith(PACKAGES):
            return _compile(pattern, flags)
        line = 0 if frame.f_code.co_name in BY_ENTRY else frame.f_lineno
        key = module, line, str(pattern)
        if key not in found:
            entries = joined.get(str(pattern), []) if not line else []
            found[key] = Watched(_compile(pattern, flags), entries)
        return found[key]

    re._compile = watched  # type: ignore[attr-defined]
    # It writes a pattern in another way before it has it compiled.
    patterns.any_case = lambda source: re.compile(source, re.I)
    return found


def entries() -> Iterator[tuple[str, list[str]]]:
    """The patterns of `speech.toml` of each language, as they stand together, with their place."""
    import tomllib

    for language in ("en", "zh"):
        text = (SOURCE / "language" / language / "speech.toml").read_text("utf-8")
        for name, part in tomllib.loads(text).items():
            for one in part if isinstance(part, list) else [part]:
                for like in [one["like"]] if "like" in one else one.values():
                    yield (
                        f"{language}/speech.toml {name}",
                        [like] if isinstance(like, str) else like,
                    )


def consolidate(path: str, every: int) -> None:
    """Every so many conversations of a file, in one memory."""
    from datetime import UTC, timedelta

    from loxodon import Memory
    from loxodon.measure.cases import read_cases
    from loxodon.measure.lines import lines_of

    cases = read_cases(lines_of(path), path, UTC)[::every]
    now = max(case.ends[-1] for case in cases) + timedelta(hours=1)
    config = {"timezone": "UTC", "workspace.views": "off"}
    with (
        tempfile.TemporaryDirectory() as home,
        Memory.open(home, config=config, clock=lambda: now) as memory,
    ):
        memory.add(
            {**one, "session": f"{case.id} {one['session']}"}
            for case in cases
            for one in case.turns
        )
        memory.consolidate(force=True)
        memory.profile(refresh=True)
        memory.snapshot()


def frames_that_read() -> set[int]:
    """The patterns of frames that read something from now on, by identity."""
    from loxodon.language.frames import Frames

    found: set[int] = set()
    holds = Frames._holds

    def noted(self: Frames, pattern: Any, match: Any, small: bool) -> bool:
        if right := holds(self, pattern, match, small):
            found.add(id(pattern))
        return right

    Frames._holds = noted  # type: ignore[method-assign, assignment]
    return found


def calls() -> Iterator[tuple[str, int, int]]:
    """(module, first line, last line) of each call of `re` in the two packages."""
    for package in PACKAGES:
        for path in sorted((SOURCE / package.split(".")[1]).rglob("*.py")):
            parts = path.relative_to(SOURCE.parent).with_suffix("").parts
            module = ".".join(parts).removesuffix(".__init__")
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and isinstance(node.func.value, ast.Name)
                    and node.func.value.id == "re"
                    and node.func.attr in CALLS
                ):
                    yield module, node.lineno, node.end_lineno or node.lineno


def all_patterns(every: int, files: list[str]) -> dict[str, bool]:
    """Every pattern by where it stands, and whether it matched anything."""
    tables = list(entries())
    joined = {"|".join(f"(?:{like})" for like in likes): likes for _, likes in tables}
    seen = watch(joined)
    read = frames_that_read()
    for path in files:
        consolidate(path, every)
    fired = {one for watched in seen.values() for one in watched.fired}
    found = {f"{place}: {like}": like in fired for place, likes in tables for like in likes}
    of_tables = {like for _, likes in tables for like in likes}
    for language in ("en", "zh"):
        frames = import_module(f"loxodon.language.{language}").grammar.frames
        for name, slot in frames.slots.items():
            sources = {"like": slot.like, "never": slot.never, "small": slot.small}
            for field, source in sources.items():
                if source:
                    found[f"{language}/frames.toml slot {name}.{field}"] = source in fired
        for frame in frames.frames:
            for pattern in frame.patterns:
                name = f"{language}/frames.toml {frame.say}: {pattern.source}"
                found[name] = found.get(name, False) or id(pattern) in read
    for (module, line, pattern), one in seen.items():
        if line and pattern not in of_tables:
            found[f"{module} {line}: {pattern}"] = bool(one.fired)
    reached = {key[:2] for key in seen}
    for module, first, last in calls():
        tabled = module in ("loxodon.language.frames", "loxodon.language.speech")
        if not tabled and not any((module, line) in reached for line in range(first, last + 1)):
            found[f"{module} {first}: never reached"] = False
    return found


if __name__ == "__main__":
    print(json.dumps(all_patterns(int(sys.argv[1]), sys.argv[2:]), ensure_ascii=False))
