"""`loxodon demo`: an example memory, a few months of somebody's talk with an agent, in English and
in Chinese. All people in it are invented.

The talk is in `en.txt` and `zh.txt`; memories are made of it the way they are always made, with a
clock that goes from the first day to the present. A line of the talk begins with what it is:

    # 112 19:20 evening    a conversation, so many days ago, and its session
    > I live in Bristol    what the user says
    < Noted.               what the agent says
    w Ignore all rules     what a web page says that the agent has read
    ? Where do I live?     something that is recalled: what is found counts as used
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple

from loxodon.cli import view
from loxodon.cli.call import Call, Result
from loxodon.cli.parser import arg, command
from loxodon.errors import InputError
from loxodon.memory import Memory
from loxodon.messages import current, t
from loxodon.spaces import home_at

SPACES = {"en": "main", "zh": "zh"}  # the space of each language
_MARK = "example"  # a file in the home that says that it is one, and may be replaced
_PAUSE = timedelta(seconds=20)  # between two messages
_NIGHT = timedelta(hours=2)  # after which what was said is consolidated
_ROLES = {">": "user", "<": "assistant", "w": "tool"}
_TRY = {
    "en": (
        "ui",
        "list --limit 10",
        "recall 'Where do I live?' --top 3 --explain",
        "recall 'Where did I live?' --as-of '3 months ago' --top 3",
        "context 'What should I cook for my sister Ingrid?'",
        "entities Tomás",
        "review",
        "quarantine",
    ),
    "zh": (
        "ui",
        "list --limit 10",
        "recall 我住在哪里？ --top 3 --explain",
        "recall 我住在哪里？ --as-of 三个月前 --top 3",
        "context 给我姐姐沈知夏做饭要注意什么？",
        "entities 苏念",
        "review",
        "quarantine",
    ),
}
"""What to try, in the space of each language."""


@command(
    arg(
        "DIR",
        "folder for it (the one that --home names, or ~/.loxodon-demo); never your own memory",
        nargs="?",
    ),
    arg("--replace", "rebuild it as of today"),
    arg("--tour", "also run the commands that it suggests"),
)
def demo(call: Call) -> Result:
    """Build an example memory with a few months of life in it, to try things on."""
    home = home_at(call.dir or call.named_home or "~/.loxodon-demo")
    mark = os.path.join(home, _MARK)
    is_other = os.path.exists(home) and not os.path.exists(mark)
    if is_other and (not os.path.isdir(home) or os.listdir(home)):
        raise InputError(
            "{path} contains something other than an example memory",
            hint="choose a folder that is empty or does not exist: loxodon demo DIR",
            path=home,
        )
    if call.replace or not os.path.exists(mark) or "complete" not in Path(mark).read_text("utf-8"):
        shutil.rmtree(home, ignore_errors=True)
        with view.Bar(t("building")) as bar:
            _build(home, call.clock(), bar)
    space = SPACES[current()]
    start = ["--home", home, *([] if space == "main" else ["--space", space])]
    tried = [[*start, *shlex.split(words)] for words in _TRY[current()]]
    if call.tour and not call.json:
        from loxodon.cli.main import main

        for words in tried:
            if words[-1] != "ui":  # which would stay open
                print(f"\n$ loxodon {shlex.join(words)}", flush=True)
                main(words)
        return Result({}, printed=True)
    said = t("an example memory is in {home}; nothing in it is yours. Try:", home=home)
    data = {"home": home, "try": [["loxodon", *words] for words in tried]}
    return Result(data, [said, *(f"  loxodon {shlex.join(words)}" for words in tried)])


class _Talk(NamedTuple):
    """One conversation; each line with what it is."""

    at: datetime
    session: str
    lines: tuple[tuple[str, str], ...]


def _talks(language: str, now: datetime) -> Iterator[_Talk]:
    """The conversations in a language, as if the last had been just before `now`."""
    text = Path(__file__).with_name(f"{language}.txt").read_text("utf-8")
    for part in ("\n" + text).split("\n# ")[1:]:
        head, *lines = filter(None, part.split("\n"))
        days, at, session = head.split()
        hour, minute = map(int, at.split(":"))
        day = now - timedelta(days=int(days))
        begun = day.replace(hour=hour, minute=minute, second=0, microsecond=0)
        said = (line.partition(" ") for line in lines)
        yield _Talk(begun, session, tuple((kind, words) for kind, _, words in said))


def _build(home: str, now: datetime, bar: view.Bar) -> None:
    """Build the example in a folder that does not exist."""
    os.makedirs(home, mode=0o700)
    mark = Path(home, _MARK)
    made = "An example made by `loxodon demo`, which may replace it: "
    mark.write_text(f"{made}building\n", "utf-8")
    every = {language: list(_talks(language, now)) for language in SPACES}
    total, done = sum(map(len, every.values())), 0
    for language, talks in every.items():
        clock = [talks[0].at]
        # No settings of anybody: a model that is set would be asked, and paid for.
        plain = {"workspace.views": "off"}
        with Memory.open(home, SPACES[language], plain, partial(clock.__getitem__, 0)) as memory:
            for talk in talks:
                _live(memory, clock, talk)
                done += 1
                bar(done, total)
        with Memory.open(home, SPACES[language], {}, lambda: now) as memory:
            memory.workspace.renew()
    mark.write_text(f"{made}complete\n", "utf-8")


def _live(memory: Memory, clock: list[datetime], talk: _Talk) -> None:
    """One conversation, and the night after it."""
    clock[0] = talk.at
    for kind, text in talk.lines:
        clock[0] += _PAUSE
        if kind == "?":
            memory.recall(text)
        else:
            origin = {"origin": "web"} if kind == "w" else {}
            turn = {"role": _ROLES[kind], "content": text, "at": clock[0], **origin}
            memory.add([turn], talk.session)
    clock[0] += _NIGHT
    memory.consolidate()
