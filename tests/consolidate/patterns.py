"""Every pattern of `re` that text from outside meets, tried with texts made from the pattern.

`python -m tests.consolidate.patterns LENGTH SECONDS`: what a pattern repeats is repeated to LENGTH,
after what leads up to it and before something that it does not match. A pattern that can be matched
in ever more ways then takes twice as long for each repetition; the process is ended when it has
taken SECONDS of processor time, and its last line names the pattern.
"""

from __future__ import annotations

import re
import re._constants as c  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import resource
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from tests.long import count

REPEATS = (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT)
MANY = 30
"""What may be repeated more often than this is tried."""
_TIMES = 40
"""How often a unit is repeated at the least: two ways for each are more than any time."""
_READERS = ("language", "write", "text", "recall", "trust", "workspace", "models")
"""The packages that read what comes from outside."""
LETTERS = "a1 我-,的.Zé\n"
_characters: dict[str, list[str]] = {}


def recorded() -> dict[re.Pattern[str], str]:
    """The patterns that are compiled from now on, and by which module."""
    found: dict[re.Pattern[str], str] = {}
    compile_one = re._compile  # type: ignore[attr-defined]

    def record(pattern: Any, flags: int) -> Any:
        made = compile_one(pattern, flags)
        frame = sys._getframe(1)
        while frame.f_back and frame.f_globals["__name__"] in ("re", __name__):
            frame = frame.f_back
        name = frame.f_globals["__name__"]
        if name.startswith("loxodon.") and isinstance(made.pattern, str):
            found.setdefault(made, name)
        return made

    re._compile = record  # type: ignore[attr-defined]
    return found


def warm_up() -> None:
    """Have the patterns compiled that wait until they are needed."""
    import json
    from datetime import UTC, datetime
    from importlib import import_module
    from pathlib import Path
    from pkgutil import walk_packages

    import loxodon
    from loxodon.consolidate.read import fragments_of, read
    from loxodon.consolidate.segment import segments
    from loxodon.guard.own_words import own_words
    from loxodon.language import en, zh
    from loxodon.language.frames import _compiled
    from loxodon.language.statements import TurnInContext
    from loxodon.recall.gate import should_recall
    from loxodon.recall.understand import understand
    from loxodon.text import quote, things
    from loxodon.types import Turn

    for module in walk_packages(loxodon.__path__, "loxodon."):
        if module.name.split(".")[1] in _READERS:
            import_module(module.name)
    for frame in (*en.grammar.frames.frames, *zh.grammar.frames.frames):
        for pattern in frame.patterns:
            _compiled(pattern.source)
    for table in (en.clauses.WORDS.like, zh.clauses.WORDS.like, things._like, quote._like):
        assert all(table[name] for name in table._sources)
    now = datetime(2026, 2, 5, tzinfo=UTC)
    for path in Path(__file__).parents[1].glob("consolidation/cases/*_dev.jsonl"):
        for line in path.read_text("utf-8").splitlines()[: count(2, 150)]:
            for turn in json.loads(line)["turns"]:
                text = turn["content"]
                read(TurnInContext(text, now, fragments_of(1, text)))
                segments([Turn("s", "1", "user", text, now, ref="t_1")])
                understand(text, now)
                should_recall(text)
                own_words(f"translate this: {text}")


# --- texts made from a pattern -------------------------------------------------------------------


def characters(items: Any) -> list[str]:
    """Some characters of a class."""
    if (key := str(items)) not in _characters:
        _characters[key] = _some_of(items)
    return _characters[key]


def _some_of(items: Any) -> list[str]:
    if not items or items[0][0] is not c.NEGATE:
        named = [chr(av if op is c.LITERAL else av[0]) for op, av in items if op is not c.CATEGORY]
        if len(named) == len(items):
            return named[:4]
    tree = parser.parse("x")
    tree.data = [(c.IN, items)]
    allowed = re._compiler.compile(tree)  # type: ignore[attr-defined]
    return [one for one in LETTERS if allowed.match(one)][:4] or ["\x01"]


def sample(sequence: Iterable[Any]) -> str:
    """A short text that a pattern matches, or nearly."""
    found = ""
    for op, av in sequence:
        if op is c.LITERAL:
            found += chr(av)
        elif op in (c.ANY, c.NOT_LITERAL):
            found += "a" if av != ord("a") else "b"
        elif op is c.IN:
            found += characters(av)[0]
        elif op is c.BRANCH:
            found += sample(av[1][0])
        elif op is c.SUBPATTERN:
            found += sample(av[3])
        elif op is c.ATOMIC_GROUP:
            found += sample(av)
        elif op in REPEATS:
            found += sample(av[2]) * av[0]
    return found


def repeated(sequence: Iterable[Any], lead: str = "") -> Iterator[tuple[str, str]]:
    """(what leads up to it, what is repeated) for each that a pattern repeats often."""
    for op, av in sequence:
        if op in REPEATS:
            _, most, body = av
            if most > MANY:
                single = len(body) == 1 and body[0][0] is c.IN
                for unit in characters(body[0][1]) if single else [sample(body)]:
                    yield lead, unit
            yield from repeated(body, lead)
        elif op is c.BRANCH:
            for one in av[1]:
                yield from repeated(one, lead)
        elif op is c.SUBPATTERN:
            yield from repeated(av[3], lead)
        elif op is c.ATOMIC_GROUP:
            yield from repeated(av, lead)
        elif op in (c.ASSERT, c.ASSERT_NOT):
            yield from repeated(av[1], lead)
        lead += sample([(op, av)])


def texts(pattern: str, flags: int, length: int) -> Iterator[str]:
    tree = parser.parse(pattern, flags)
    whole = sample(tree)
    for unit in filter(None, (whole, f"{whole} " if whole else "")):
        yield unit * (length // len(unit)) + "\x02"
    for lead, unit in dict.fromkeys(repeated(tree)):
        if unit:
            yield lead + unit * max(_TIMES, length // len(unit)) + "\x02"


def main() -> None:
    length, seconds = int(sys.argv[1]), int(sys.argv[2])
    found = recorded()
    warm_up()
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    tried = 0
    for compiled, module in list(found.items()):
        for text in texts(compiled.pattern, compiled.flags, length):
            print(module, repr(text[:60]), repr(compiled.pattern), flush=True)
            compiled.search(text)
            tried += 1
    print("tried", len(found), tried)


if __name__ == "__main__":
    main()
