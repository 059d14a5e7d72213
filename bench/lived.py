"""A store like one that has been lived with, of any size, without the hours that living takes.

It has what consolidation leaves behind, in the proportions found after consolidating real talk:
a memory a turn, drawn from it and sharing half its words; sessions of twenty turns, a segment every
eight; an event a session; one memory in ten archived, one in twenty a summary of several turns;
whom and what memories are about; projects, topics, tags and keywords.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from loxodon import Memory
from loxodon.types import Entity, Event, Record, Segment, Source
from text import Talk

_SESSION = 20
_SEGMENT = 8
_BATCH = 100 * _SESSION
_NAMES = 10_000
"""Most entities: a person's world does not grow with his memories for ever."""
_CATEGORIES = ("identity", "preference", "relation", "status", "event", "plan", "fact")


class Lived:
    """Fills a memory; `asked` has some of its texts to ask for, `names` whom it knows."""

    def __init__(self, memory: Memory, talk: Talk, count: int, now: datetime, asked: int) -> None:
        self.asked: list[str] = []
        self.names: list[str] = []
        self._store: Any = memory._store
        self._memory = memory
        self._talk = talk
        self._now = now
        self._every = max(1, count // asked)
        self._step = timedelta(days=730) / max(count, 1)  # two years of talk
        for start in range(0, count, _BATCH):
            size = min(_BATCH, count - start)
            self._batch(start, size, count)
            print(f"\r  filling: {start + size}/{count}", end="", file=sys.stderr)
        print("\r" + " " * 40 + "\r", end="", file=sys.stderr)

    def _batch(self, start: int, size: int, count: int) -> None:
        said = [
            {
                "role": "user" if n % 2 == 0 else "assistant",
                "content": self._talk.turn(140),
                "session": f"s{n // _SESSION}",
                "id": f"m{n}",
                "at": (self._now - self._step * (count - n)).isoformat(),
            }
            for n in range(start, start + size)
        ]
        self._memory.add(said)
        first = self._store.scalar("last_turn") - size + 1
        with self._store.writing():
            for n, turn in enumerate(said, start):
                if n % 10 == 0 and len(self.names) < _NAMES:
                    self._meet(self._talk.name())
                self._remember(n, turn, said[max(0, n - start - 3) : n - start + 1])
            for n in range(0, size, _SESSION):
                self._event(said[n])
                for m in range(n, min(n + _SESSION, size), _SEGMENT):
                    self._segment(said[m : min(m + _SEGMENT, n + _SESSION)], first + m)
            self._store.worklog.index(size)

    def _meet(self, name: str) -> None:
        if name not in self.names[-50:]:
            self.names.append(name)
            self._store.worklog.put_entity(Entity(name, "person", (), self._now, self._now))

    def _remember(self, n: int, turn: dict[str, str], around: Sequence[dict[str, str]]) -> None:
        text = turn["content"]
        if n % self._every == 0:
            self.asked.append(text)
        at = datetime.fromisoformat(turn["at"])
        name = self.names[n * 7919 % len(self.names)]
        sources = around if n % 20 == 0 else [turn]
        self._store.insert(
            Record(
                "",
                "",
                "summary" if n % 20 == 0 else "fact",
                f"{name} {self._talk.half(text)}",
                at,
                at,
                strength=0.3 + n % 7 / 10,
                importance=n % 11 / 10,
                category=_CATEGORIES[n % len(_CATEGORIES)],
                subject=name,
                valid_from=at,
                project=f"project {n % 40}" if n % 3 == 0 else "_global",
                topic=f"topic {n % 200}" if n % 2 == 0 else "_general",
                tags=tuple(word[:6] for word in text.split()[-2:]),
                entities=(name,),
                state="archived" if n % 10 == 9 else "active",
                sources=tuple(Source(session=one["session"], turn=one["id"]) for one in sources),
            ),
            "learned",
        )

    def _segment(self, said: Sequence[dict[str, str]], first: int) -> None:
        times = [datetime.fromisoformat(turn["at"]) for turn in said]
        text = "\n".join(turn["content"] for turn in said)
        self._store.worklog.put_segments(
            [
                Segment(
                    said[0]["session"],
                    first,
                    first + len(said) - 1,
                    times[0],
                    times[-1],
                    text[:20],
                    tuple(text.split()[:3]),
                    text,
                )
            ]
        )

    def _event(self, turn: dict[str, str]) -> None:
        at = datetime.fromisoformat(turn["at"])
        said = turn["session"], "", "user", turn["content"][:80], 20
        self._store.execute("put_event", *Event(f"{at:%Y-%m-%d}", at, *said))
