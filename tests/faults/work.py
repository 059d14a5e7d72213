"""What a memory is doing when the disk fails it: pieces of work that can be done again.

A piece of work is a list of deeds on a home that is made beforehand. A deed knows whether it is
done, so that the same work can be run again after a fault, and what was acknowledged can be looked
for.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from loxodon import Memory
from loxodon.cli import main
from loxodon.errors import NotFoundError
from tests.clock import NOW, Clock
from tests.store.sqlite.test_store import earlier_home, old_home

CONFIG = {"timezone": "Asia/Shanghai"}
TALK = (
    ("user", "我叫陈默，住在杭州，对花生过敏。"),
    ("assistant", "记住了，我会避开花生。"),
    ("user", "I work at Northwind as a nurse, and my sister Mia lives in Leeds."),
    ("user", "我每周二去健身房，最近在学法语。"),
    ("user", "I moved to Bristol last week; I do not live in York any more."),
    ("user", "Please remind me to call the dentist tomorrow."),
)
POT = "blue pot"
MORE = (
    ("user", "现在改成每天跑步了，不去健身房了。"),
    ("user", "I do not work at Northwind any more, I am at Contoso now."),
    ("user", "My favourite tea is oolong."),
)


class Deed(NamedTuple):
    name: str
    do: Callable[[Memory], object]
    done: Callable[[Memory], bool]


class Work(NamedTuple):
    name: str
    prepare: Callable[[str], None]  # makes the home that the work begins with
    deeds: Sequence[Deed]
    days: int = 0  # how long after what was prepared it is done
    # Whether every deed opens the memory anew, and closes it before it is acknowledged
    opened_anew: bool = False


def opened(home: str, days: int = 0) -> Memory:
    return Memory.open(home, config=CONFIG, clock=Clock(NOW + timedelta(days=days)))


def run(work: Work, home: str, acknowledged: Callable[[str], None]) -> None:
    """Do what is not done yet, and tell of each deed when it is."""
    if work.opened_anew:
        for deed in work.deeds:
            run(work._replace(opened_anew=False, deeds=(deed,)), home, acknowledged)
        return
    with opened(home, work.days) as memory:
        for deed in work.deeds:
            if not deed.done(memory):
                deed.do(memory)
            acknowledged(deed.name)


def turns(talk: Sequence[tuple[str, str]], start: int = 0) -> list[dict[str, object]]:
    return [
        {
            "role": role,
            "content": content,
            "id": f"m{start + n}",
            "at": (NOW - timedelta(minutes=60 - start - n)).isoformat(),
        }
        for n, (role, content) in enumerate(talk)
    ]


# What a memory holds, in a form that can be compared


def truth(memory: Memory) -> dict[str, list[str]]:
    """All that a memory tells of itself, but for how often something was tried."""
    records = memory.list(state="all", limit=0)
    found: dict[str, Sequence[Any]] = {
        "journal": memory.journal(),
        "memories": records,
        "history": [one for record in records for one in memory.history(record.id)],
        "entities": memory.entities(),
        "events": memory.events(),
        "segments": memory.segments(),
        "reviews": memory.reviews(),
        "held": memory.quarantine(),
        "documents": memory.documents.newest((), 1_000),
        "reminders": memory.due_reminders(),
    }
    return {name: [repr(one) for one in values] for name, values in found.items()}


_LOT = re.compile(rb'"key": "[^"]*"')  # of what was captured: drawn by lot


def views(memory: Memory) -> dict[str, bytes]:
    """The text of the memory on disk, but for what may differ between two runs that end alike.

    That is the state and the dump, which tell how often something was tried; keywords, which what
    was made at the very end of a run gets in the next; and views that were put aside because they
    could not be read, and so might have been edited.
    """
    root = Path(memory.workspace.path) / "memory"
    return {
        str(path.relative_to(root)): _LOT.sub(b"", path.read_bytes())
        for path in root.rglob("*")
        if path.is_file()
        and not str(path.relative_to(root)).startswith(("state", "dump"))
        and not path.name.endswith((".edited", "keywords.json"))
    }


def problems(memory: Memory) -> list[str]:
    """What must never be wrong, whatever happened."""
    found = [f"{one.where}: {one.what}" for one in memory.validate()]
    if problem := memory.audit.verify().problem:
        found.append(f"the audit log: {problem}")
    for one in memory.list(state="all", limit=0):
        history = [each.record for each in memory.history(one.id)]
        numbers = [each.version for each in history if each.id == one.id]
        if numbers != list(range(1, one.version + 1)):
            found.append(f"{one.id}: versions {numbers}")
    return found


# Homes to begin with


def nothing(home: str) -> None:
    """No home at all."""


def told(home: str) -> None:
    with opened(home) as memory:
        memory.add(turns(TALK), session="monday")


def known(home: str) -> None:
    told(home)
    with opened(home) as memory:
        memory.consolidate()
        memory.capture(f"The spare key is under the {POT}", tags=["home"])


def known_and_told(home: str) -> None:
    known(home)
    with opened(home) as memory:
        memory.add(turns(MORE, len(TALK)), session="tuesday")


def edited(home: str) -> None:
    """A person has changed the text of one memory and added another."""
    known(home)
    with opened(home) as memory:
        memory.workspace.export()
        root = Path(memory.workspace.path) / "memory"
    facts = root / "insights.md"
    facts.write_text(facts.read_text("utf-8").replace("blue pot", "red pot"), "utf-8")


def forgettable(home: str) -> None:
    known_and_told(home)
    with opened(home) as memory:
        memory.consolidate()
        memory.edit(_one(memory, POT), importance=0.7)


def backed_up(home: str) -> None:
    """A home that has changed since the backup beside it."""
    known(home)
    with opened(home) as memory:
        memory.backup(_copy(home))
        memory.capture("My bike is yellow")


def first_version(home: str) -> None:
    folder = Path(home) / "spaces" / "main"
    folder.mkdir(parents=True)
    old_home(folder / "loxodon.db")


# Deeds


def _said(count: int) -> Callable[[Memory], bool]:
    return lambda memory: len(memory.journal()) >= count


def _all(memory: Memory, words: str) -> list[str]:
    found = memory.list(state="all", limit=0)
    return [one.id for one in found if words in one.content]


def _knows(words: str) -> Callable[[Memory], bool]:
    return lambda memory: bool(_all(memory, words))


def _one(memory: Memory, words: str) -> str:
    return next(one.id for one in memory.list(limit=0) if words in one.content)


def _consolidated(memory: Memory) -> bool:
    status = memory.status()
    return status.last_consolidation == memory.now() and not status.pending


def _renew_views(memory: Memory) -> None:
    if trouble := memory.workspace.renew():
        raise OSError(trouble)


def _forgotten(*words: str) -> Callable[[Memory], bool]:
    """Whether no byte below the home has any of the words."""

    def done(memory: Memory) -> bool:
        for folder, _, names in os.walk(memory.home):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    data = file.read().lower()
                if any(one.lower().encode() in data for one in words):
                    return False
        return True

    return done


def _forget_one(memory: Memory, words: str) -> None:
    """A forgetting that was cut short is done: what is left is swept when the views are written."""
    if found := _all(memory, words):
        memory.forget(*found)


def _forget_session(memory: Memory, name: str) -> None:
    with suppress(NotFoundError):
        memory.forget(session=name)


def _copy(home: str) -> str:
    return os.path.join(os.path.dirname(home), "copy.loxodon")


def _command(*words: str) -> int:
    """The exit code of a command, which prints nowhere."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        return main(list(words))


def _is_backed_up(memory: Memory) -> bool:
    """Whether the backup can be restored elsewhere."""
    with tempfile.TemporaryDirectory() as folder:
        path = _copy(memory.home)
        return os.path.exists(path) and not _command("restore", path, "--home", folder)


def _restore(memory: Memory) -> None:
    words = ("--replace", "--home", memory.home, "--now", memory.now().isoformat())
    if code := _command("restore", _copy(memory.home), *words):
        raise OSError(f"restore ended with {code}")


def _is_restored(memory: Memory) -> bool:
    """The content is that of the backup, and the audit log says so."""
    return not _knows("yellow")(memory) and any(
        one.op == "restore" for one in memory.audit.entries()
    )


VIEWS = Deed("views", _renew_views, lambda m: False)
ADD = Work(
    "add",
    nothing,
    (
        Deed("first", lambda m: m.add(turns(TALK[:3]), session="monday"), _said(3)),
        Deed("second", lambda m: m.add(turns(TALK), session="monday"), _said(len(TALK))),
        Deed("third", lambda m: m.add(turns(MORE, 6), session="tuesday"), _said(len(TALK + MORE))),
    ),
)
CAPTURE = Work(
    "capture and edit",
    told,
    (
        Deed(
            "captured", lambda m: m.capture("My bike is green", tags=["bike"]), _knows("My bike is")
        ),
        Deed(
            "edited",
            lambda m: m.edit(_one(m, "My bike"), content="My bike is yellow"),
            _knows("yellow"),
        ),
        Deed("more", lambda m: m.capture("妈妈的生日是五月三号"), _knows("五月三号")),
        Deed(
            "archived",
            lambda m: m.archive(_one(m, "五月")),
            lambda m: any("五月" in one.content for one in m.list(state="archived")),
        ),
        Deed(
            "document",
            lambda m: m.documents.put(("a", "b"), "k", {"n": 1}),
            lambda m: m.documents.get(("a", "b"), "k") is not None,
        ),
    ),
)
CONSOLIDATE = Work(
    "consolidate",
    known_and_told,
    (Deed("known", lambda m: m.consolidate(), _consolidated), VIEWS),
    days=1,
)
SYNC = Work(
    "sync", edited, (Deed("synced", lambda m: m.workspace.sync(), _knows("red pot")), VIEWS)
)
MIGRATE = Work(
    "migrate",
    first_version,
    (
        Deed("resumed", lambda m: m.resume(), lambda m: not m.paused),
        Deed("captured", lambda m: m.capture("My bike is green"), _knows("My bike is")),
        VIEWS,
    ),
)
MIGRATE_7, MIGRATE_9 = (
    MIGRATE._replace(name=f"migrate from {schema}", prepare=partial(earlier_home, schema))
    for schema in (7, 9)
)
FORGET = Work(
    "forget",
    forgettable,
    (
        Deed("one", lambda m: _forget_one(m, POT), _forgotten(POT)),
        Deed("session", lambda m: _forget_session(m, "tuesday"), _forgotten("Contoso", "oolong")),
        VIEWS,
    ),
)
BACKUP = Work(
    "backup",
    known_and_told,
    (
        Deed("written", lambda m: m.backup(_copy(m.home), overwrite=True), _is_backed_up),
        Deed("again", lambda m: m.backup(_copy(m.home), overwrite=True), _is_backed_up),
    ),
)
RESTORE = Work("restore", backed_up, (Deed("restored", _restore, _is_restored),))
EVERYTHING = Work("everything", nothing, (*ADD.deeds, *CAPTURE.deeds, *CONSOLIDATE.deeds), days=1)
ANEW = EVERYTHING._replace(name="everything anew", opened_anew=True)

FAULTY = (ADD, CAPTURE, CONSOLIDATE, FORGET, SYNC, BACKUP, RESTORE, MIGRATE, MIGRATE_7, MIGRATE_9)
POWERED = (EVERYTHING, ANEW, CONSOLIDATE, FORGET, SYNC)
WORKS = {work.name: work for work in {*FAULTY, *POWERED}}
