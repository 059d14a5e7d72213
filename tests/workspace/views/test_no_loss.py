"""No loss: whatever a store went through, a store made from its views alone is the same."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from datetime import timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from loxodon import Memory
from loxodon.errors import ConsolidationError
from loxodon.layout import VIEWS
from loxodon.store.primary import PRIMARY_TABLES
from loxodon.workspace.views.folder import LOCK
from loxodon.workspace.views.indexes import KEYWORDS
from loxodon.workspace.views.manifest import MANIFEST
from loxodon.workspace.views.restore import restore
from tests.clock import NOW, Clock
from tests.long import count

SAID = (
    "我对花生过敏，记住。",
    "我住在北京。",
    "我搬到上海了。",
    "可能我下个月换工作吧。",
    "好的",
    "我妹妹叫小美，她在杭州上学。",
    "明天下午三点开会。",
    "I live in Leeds.",
    "ok thanks!",
    "I moved to York last week.",
    "My sister Mei is a nurse.",
    "Maybe I prefer tea.",
    "I no longer eat meat.",
    "Remember: the server password rotates every Monday.",
    "We decided to use PostgreSQL for project Atlas.",
)
ODD = st.one_of(
    st.sampled_from(SAID),
    st.text(min_size=1, max_size=80).filter(lambda text: text.strip() and "\0" not in text),
    st.sampled_from(
        [
            "a\r\nb\n\n> quoted\n## 10:00 fake · x <!-- {} -->\n---",
            "-->",
            "<!-- loxodon view: x -->",
            "`tick` [f_20260204_001] **b**: c",
            "\u202eright to left\u2069",
            "👩\u200d👩\u200d👧 e\u0301",
            "line\u2028separator\x85next\x7f\x1b[0m",
            '{"loxodon": {"view": "x"}}',
            "x" * 5000,
            " \u3000leading",
            "tab\tand \\n not a newline \\u0041",
        ]
    ),
)
NAMES = st.sampled_from(["monday", "周二", "a/b · c", "s <!-- {", "#1", "x:y:z"])
LABELS = st.lists(st.sampled_from(["a", "茶", "A", "b c", '"q"', "[x]"]), max_size=3)
MINUTES = st.sampled_from([-720, -210, 0, 330, 480, 840])


@st.composite
def turns(draw: st.DrawFn) -> dict[str, Any]:
    turn: dict[str, Any] = {
        "role": draw(st.sampled_from(["user", "user", "assistant", "tool", "system"])),
        "content": draw(ODD),
    }
    if draw(st.booleans()):
        zone = timezone(timedelta(minutes=draw(MINUTES)))
        back = timedelta(milliseconds=draw(st.integers(0, 40 * 86_400_000)))
        turn["at"] = (NOW - back).astimezone(zone).isoformat()
    if draw(st.booleans()):
        turn["speaker"] = draw(st.sampled_from(["Ada", "小明", "<b>", "x -->"]))
    if draw(st.booleans()):
        turn["chat"] = draw(st.sampled_from(["direct", "group", "room"]))
    if draw(st.booleans()):
        turn["channel"] = draw(st.sampled_from(["", "telegram"]))
    return turn


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), NAMES, st.lists(turns(), min_size=1, max_size=6)),
        st.tuples(
            st.just("capture"),
            ODD,
            st.sampled_from(["fact", "belief", "summary"]),
            st.floats(0, 0.99),
            LABELS,
            LABELS,
        ),
        st.tuples(st.just("edit"), st.integers(0, 99), ODD, st.floats(0, 1), LABELS),
        st.tuples(st.just("archive"), st.integers(0, 99)),
        st.tuples(st.just("unarchive"), st.integers(0, 99)),
        st.tuples(st.just("touch"), st.integers(0, 99)),
        st.tuples(st.just("consolidate")),
        st.tuples(st.just("interrupt"), st.integers(1, 7)),
        st.tuples(st.just("answer"), st.booleans()),
        st.tuples(st.just("spend"), st.integers(0, 999)),
        st.tuples(st.just("run"), st.sampled_from(["heartbeat", "weekly", "profile", "flush"])),
        st.tuples(st.just("mark"), NAMES, ODD),
        st.tuples(st.just("import"), st.binary(min_size=32, max_size=32), st.integers(0, 99)),
        st.tuples(st.just("document"), NAMES, ODD, st.none() | st.floats(0, 90_000)),
        st.tuples(st.just("drop"), NAMES),
        st.tuples(st.just("wait"), st.floats(0, 90)),
    ),
    min_size=1,
    max_size=12,
)


class Interrupted(BaseException):
    """A run that is killed."""


def stop_at(phase: int, now: int, done: int, total: int) -> None:
    if now == phase:
        raise Interrupted


class Life:
    """A memory and what happens to it."""

    def __init__(self, memory: Memory, clock: Clock) -> None:
        self.memory = memory
        self.clock = clock
        self.store = memory.workspace.store

    def live(self, steps: list[tuple[Any, ...]]) -> None:
        for name, *rest in steps:
            self.clock.now += timedelta(milliseconds=1_237)
            getattr(self, f"_{name}")(*rest)

    def _one(self, place: int) -> str | None:
        found = self.memory.list(state="all")
        return found[place % len(found)].id if found else None

    def _add(self, session: str, said: list[dict[str, Any]]) -> None:
        self.memory.add(said, session=session)

    def _capture(
        self, content: str, kind: Any, share: float, tags: list[str], names: list[str]
    ) -> None:
        confidence = max(share, 0.01) if kind == "belief" else None
        self.memory.capture(
            content,
            kind,
            importance=share,
            confidence=confidence,
            tags=tags,
            entities=names,
            expires_at=self.clock.now + timedelta(days=20) if share > 0.8 else None,
        )

    def _edit(self, place: int, content: str, importance: float, tags: list[str]) -> None:
        if id := self._one(place):
            self.memory.edit(id, content=content, importance=importance, tags=tags)

    def _archive(self, place: int) -> None:
        if id := self._one(place):
            self.memory.archive(id)

    def _unarchive(self, place: int) -> None:
        if id := self._one(place):
            self.memory.unarchive(id)

    def _touch(self, place: int) -> None:
        if id := self._one(place):
            self.memory.touch([id])

    def _document(self, name: str, text: str, minutes: float | None) -> None:
        self.memory.documents.put((name, text[:9]), name, {name: [text, minutes]}, minutes=minutes)
        self.memory.documents.append((name,), [text])

    def _drop(self, name: str) -> None:
        self.memory.documents.pop((name,))

    def _consolidate(self) -> None:
        self.memory.consolidate(force=True)

    def _interrupt(self, phase: int) -> None:
        with suppress(Interrupted):
            self.memory.consolidate(force=True, progress=partial(stop_at, phase))

    def _answer(self, yes: bool) -> None:
        for review in self.memory.reviews()[:1]:
            (self.memory.confirm if yes else self.memory.reject)(review.belief.id)

    def _run(self, job: str) -> None:
        with suppress(ConsolidationError):  # after three that were killed
            self.memory.schedule.run(job)

    def _spend(self, tokens: int) -> None:
        with self.store.writing():
            self.store.worklog.spend("2026-02-04", "2", tokens, 1)

    def _mark(self, session: str, mark: str) -> None:
        with self.store.writing():
            self.store.workspace_data.set_mark("/agents/a.jsonl", session, mark, self.clock.now)

    def _import(self, key: bytes, place: int) -> None:
        if id := self._one(place):
            with self.store.writing():
                self.store.workspace_data.put_import(key, id, self.clock.now)

    def _wait(self, days: float) -> None:
        self.clock.pass_days(days)


def dumped(memory: Memory) -> dict[str, list[Any]]:
    exact = memory.workspace.store.primary
    return {table: list(exact.dump(table)) for table in PRIMARY_TABLES}


def share_key(one: Path, other: Path) -> None:
    """The home `other`, which may not be there yet, signs with the key of `one`."""
    if (one / "keys").exists():
        shutil.copytree(one / "keys", other / "keys", dirs_exist_ok=True)


def same(one: Memory, other: Memory) -> None:
    mine, theirs = dumped(one), dumped(other)
    for table in PRIMARY_TABLES:
        assert mine[table] == theirs[table], table
    assert other.validate() == one.validate()
    for record in one.list(state="all"):
        assert other.history(record.id) == one.history(record.id)
    # Of the place, not of what is kept there: where it is, its size, how long its log.
    here = one.status()._replace(home="", bytes=0, audited=0)
    assert other.status()._replace(home="", bytes=0, audited=0) == here
    for question in ("where do I live?", "花生", "小美在哪里", "what about tea", "sister Mei"):
        first, second = one.recall(question), other.recall(question)
        assert (first.items, first.context) == (second.items, second.context), question


def texts(folder: Path) -> dict[str, bytes]:
    """The views, without the manifest and the keywords, which are fresher after a restore."""
    found = {
        str(one.relative_to(folder / VIEWS)): one for one in folder.rglob("*") if one.is_file()
    }
    return {
        name: path.read_bytes()
        for name, path in found.items()
        if name not in (MANIFEST, LOCK, KEYWORDS)
    }


@settings(
    max_examples=count(6, 15),
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@example(
    steps=[
        ("add", "monday", [{"role": "user", "content": "\n".join(SAID)}]),
        ("consolidate",),
        ("add", "monday", [{"role": "user", "content": one} for one in SAID]),
        ("interrupt", 4),
    ]
)
@example(
    steps=[
        ("capture", "I live in Leeds", "fact", 0.5, [], []),
        ("archive", 0),
        ("touch", 0),
        ("import", bytes(32), 0),
        ("mark", "monday", "{}"),
        ("spend", 7),
        ("wait", 80.0),
        ("run", "heartbeat"),
        ("consolidate",),
    ]
)
@example(
    steps=[
        ("add", "monday", [{"role": "user", "content": "我住在北京。"}]),
        ("consolidate",),
        ("add", "monday", [{"role": "user", "content": "我可能住在上海吧。"}]),
        ("consolidate",),
        ("answer", True),
        ("consolidate",),
    ]
)
@given(steps=STEPS)
def test_a_store_made_from_the_views_is_the_same(steps: list[tuple[Any, ...]]) -> None:
    top = Path(tempfile.mkdtemp())
    clock, config = Clock(), {"timezone": "Asia/Shanghai"}
    try:
        with Memory.open(top / "one", config=config, clock=clock) as one:
            Life(one, clock).live(steps)
            one.workspace.export(top / "views")
            share_key(top / "one", top / "other")
            found = restore(str(top / "views"), str(top / "other"), config=one.config, clock=clock)
            assert (found.edited, found.before) == ((), "")
            with Memory.open(top / "other", config=config, clock=clock) as other:
                same(one, other)
                other.workspace.export(top / "again")
        assert texts(top / "again") == texts(top / "views")
    finally:
        shutil.rmtree(top)


@pytest.mark.parametrize("phase", range(1, 8))
def test_a_run_goes_on_where_it_was_cut_short(tmp_path: Path, phase: int) -> None:
    clock, config = Clock(), {"timezone": "Asia/Shanghai"}
    with Memory.open(tmp_path / "one", config=config, clock=clock) as one:
        one.add([{"role": "user", "content": text} for text in SAID], session="monday")
        with pytest.raises(Interrupted):
            one.consolidate(progress=partial(stop_at, phase))
        one.workspace.export(tmp_path / "views")
        share_key(tmp_path / "one", tmp_path / "other")
        restore(str(tmp_path / "views"), str(tmp_path / "other"), config=one.config, clock=clock)
        with Memory.open(tmp_path / "other", config=config, clock=clock) as other:
            same(one, other)
            assert one.status().phase == phase
            one.consolidate()
            other.consolidate()
            same(one, other)
