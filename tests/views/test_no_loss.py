"""No loss: whatever a store went through, a store made from its views alone is the same."""

from __future__ import annotations

import json
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
from tests.agents.openclaw.made import OpenClaw, talk
from tests.clock import NOW, Clock
from tests.long import count
from tests.views.restoring import restore, same, share_key, texts

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
        st.tuples(st.just("run"), st.sampled_from(["heartbeat", "weekly", "profile", "flush"])),
        st.tuples(st.just("follow"), NAMES, ODD),
        st.tuples(st.just("import"), NAMES),
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
        self.memory.documents.put((name, text[:9]), name, {name: [text, minutes]})
        self.memory.documents.append((name,), [text])

    def _drop(self, name: str) -> None:
        for one in self.memory.documents.newest((name,), 1):
            self.memory.documents.delete((name,), one.key)

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

    def _follow(self, agent: str, text: str) -> None:
        claw = OpenClaw(Path(self.memory.home).parent / "claw")
        claw.file(f"s-{agent.encode().hex()}", talk(text.encode("utf-8", "replace").decode()))
        self.memory.workspace.follow(str(claw.root))

    def _import(self, name: str) -> None:
        path = Path(self.memory.home).parent / "mem0.json"
        texts = (f"The user keeps {name}", "I live in Leeds")
        path.write_text(json.dumps([{"memory": text} for text in texts]), "utf-8")
        self.memory.workspace.take_in(str(path), "mem0")

    def _wait(self, days: float) -> None:
        self.clock.pass_days(days)


@settings(
    max_examples=count(3, 15),
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
        ("import", "bees"),
        ("follow", "monday", "I keep bees"),
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
    # Vectors are made anew
    clock, config = Clock(), {"timezone": "Asia/Shanghai", "embedder.kind": "none"}
    try:
        with Memory.open(top / "one", config=config, clock=clock) as one:
            Life(one, clock).live(steps)
            one.workspace.export(top / "views")
            share_key(top / "one", top / "other")
            found = restore(top / "views", top / "other", clock=clock)
            assert (found["edited"], found["before"]) == ([], "")
            with Memory.open(top / "other", config=config, clock=clock) as other:
                same(one, other)
                other.workspace.export(top / "again")
        assert texts(top / "again") == texts(top / "views")
    finally:
        shutil.rmtree(top)


@pytest.mark.parametrize("phase", range(1, 8, count(3, 1)))
def test_a_run_goes_on_where_it_was_cut_short(tmp_path: Path, phase: int) -> None:
    # Vectors are made anew
    clock, config = Clock(), {"timezone": "Asia/Shanghai", "embedder.kind": "none"}
    with Memory.open(tmp_path / "one", config=config, clock=clock) as one:
        one.add([{"role": "user", "content": text} for text in SAID], session="monday")
        with pytest.raises(Interrupted):
            one.consolidate(progress=partial(stop_at, phase))
        one.workspace.export(tmp_path / "views")
        share_key(tmp_path / "one", tmp_path / "other")
        restore(tmp_path / "views", tmp_path / "other", clock=clock)
        with Memory.open(tmp_path / "other", config=config, clock=clock) as other:
            same(one, other)
            assert one.status().phase == phase
            one.consolidate()
            other.consolidate()
            same(one, other)
