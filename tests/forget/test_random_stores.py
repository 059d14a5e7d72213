"""Anything at all: of a random store, exactly what is forgotten is gone.

Conversations in two languages, things that were captured about somebody, other names, views whose
folder changes, copies that were exported; then something is forgotten in any way there is. No byte
of it may be left below the home or any folder that text was ever written to; every other sentence
must be there still, and be found.
"""

from __future__ import annotations

import random
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from loxodon import Memory
from tests.clock import Clock
from tests.forget.test_forgetting import opened, say, texts
from tests.long import count, figure
from tests.looking import files_with

_SYLLABLES = ("vor", "zin", "quel", "dra", "mux", "tarn", "fip", "gul", "rhe", "bost")
_RARE = "璟垚翀骞羿樾珩玥槿霂"
_EN = (
    "My sister {} lives in Leeds.",
    "I am allergic to {}.",
    "I work at {}.",
    "I have a cat named {}.",
    "My favourite band is {}.",
    "We decided to use {} for the demo.",
)
_ZH = ("我对{}过敏。", "我妹妹叫{}。", "我在{}工作。", "我养了一只猫叫{}。", "我喜欢喝{}。")
_ALIASES = (
    ("My friend {} is a baker. Everyone calls her {}.", "{} called today."),
    ("My colleague {}, also known as {}, is kind.", "I had lunch with {}."),
    ("我朋友{}是老师，外号叫{}。", "今天见到了{}。"),
)
_CHATTER = ("What a day.", "今天天气不错。", "The train was late.", "我先去吃饭了。", "See you!")


class _Said(NamedTuple):
    words: tuple[str, ...]
    """That nothing else has; where there are two, the first is a name and the other its own."""
    session: str
    sentences: tuple[str, ...]
    at: datetime
    kind: str


class _World:
    """A home, its folders, and everything that was said in it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.rng = random.Random(seed)
        self.clock = Clock()
        self.said: list[_Said] = []
        self._used: set[str] = set()

    def opened(self) -> Memory:
        """The memory, with its views in any of three places."""
        path = self.rng.choice(["", str(self.folder / "one"), str(self.folder / "two")])
        return opened(self.folder / "home", self.clock, **{"workspace.path": path})

    def word(self, chinese: bool) -> str:
        while True:
            made = "".join(self.rng.sample(_RARE if chinese else _SYLLABLES, 3)).title()
            if made.lower() not in self._used:
                self._used.add(made.lower())
                return made

    def lived(self) -> None:
        for n in range(self.rng.randint(2, 4)):
            with self.opened() as memory:
                for _ in range(self.rng.randint(1, 4)):
                    say_it = (self._talk, self._talk, self._capture, self._alias)
                    self.rng.choice(say_it)(memory, f"s{n}")
                if self.rng.random() < 0.7:
                    memory.consolidate()
                if self.rng.random() < 0.3:
                    copy = self.folder / f"copy-{self.rng.randint(1, 2)}"
                    memory.workspace.export(copy)
            self.clock.pass_days(self.rng.choice([0.2, 3]))

    def _note(self, words: tuple[str, ...], session: str, *sentences: str, kind: str) -> None:
        self.said.append(_Said(words, session, sentences, self.clock.now, kind))

    def _talk(self, memory: Memory, session: str) -> None:
        lines: list[str] = []
        at = self.clock.now + timedelta(minutes=1)
        for _ in range(self.rng.randint(1, 3)):
            chinese = self.rng.random() < 0.5
            word = self.word(chinese)
            lines.append(self.rng.choice(_ZH if chinese else _EN).format(word))
            self.said.append(_Said((word,), session, (lines[-1],), at, "talk"))
        if self.rng.random() < 0.5:
            lines.insert(self.rng.randint(0, len(lines)), self.rng.choice(_CHATTER))
        reply = self.rng.choice([f"OK, {self.said[-1].words[0]}.", "好的。", "Noted."])
        say(memory, self.clock, " ".join(lines), reply, session=session)

    def _capture(self, memory: Memory, session: str) -> None:
        """Something that is known of somebody without naming them."""
        name, thing = self.word(False), self.word(False)
        self.clock.now += timedelta(minutes=1)
        memory.capture(f"Collects {thing} since school", entities=[name])
        self._note((name, thing), "capture", f"Collects {thing} since school", kind="capture")

    def _alias(self, memory: Memory, session: str) -> None:
        first, then = self.rng.choice(_ALIASES)
        chinese = not first.isascii()
        name, other = self.word(chinese), self.word(chinese)
        self.clock.now += timedelta(minutes=1)
        lines = first.format(name, other), then.format(other)
        self._note((name, other), session, *lines, kind="alias")
        say(memory, self.clock, lines[0], "OK.", lines[1], session=session)

    # Forgetting

    def forget(self, memory: Memory) -> list[_Said]:
        """Forget something in some way; what should be gone. `said` has then what should not."""
        one = self.rng.choice(self.said)
        how = self.rng.choice(
            (self._by_id, self._by_entity, self._by_session, self._by_turn, self._by_time)
        )
        gone = how(memory, one)
        self.said = [other for other in self.said if other not in gone]
        return gone

    def _by_id(self, memory: Memory, one: _Said) -> list[_Said]:
        memory.consolidate()
        word = one.words[-1]
        # Others may borrow the word for whom they are about, and come from another sentence.
        found = [
            r
            for r in memory.list(state="all")
            if word in r.content and any(word in it.content for it in memory.inspect(r.id).sources)
        ]
        if not found or one.kind == "alias":  # of which each sentence tells something else
            return self._by_entity(memory, one)
        memory.forget(*(record.id for record in found))
        return [one]

    def _by_entity(self, memory: Memory, one: _Said) -> list[_Said]:
        word = self.rng.choice(one.words) if one.kind == "alias" else one.words[0]
        names = set(memory.forget(entity=word, dry_run=True).names)
        filed = [r.content for r in memory.list(state="all") if names & {r.subject, *r.entities}]
        receipt = memory.forget(entity=word)
        for other in one.words if one.kind == "alias" else ():
            if other in receipt.near:  # a name that is not yet known as theirs is listed, and stays
                memory.forget(entity=other)
        # Whoever is also called `妹妹` goes from every sentence with that; so may others, and what
        # is known of them under the same name.
        self.said = [
            other
            for other in self.said
            if other == one
            or (
                not any(name in sentence for name in names for sentence in other.sentences)
                and not any(word in content for word in other.words for content in filed)
            )
        ]
        return [one]

    def _by_session(self, memory: Memory, one: _Said) -> list[_Said]:
        memory.forget(session=one.session)
        return [other for other in self.said if other.session == one.session]

    def _by_turn(self, memory: Memory, one: _Said) -> list[_Said]:
        turns = [turn for turn in memory.journal() if any(w in turn.content for w in one.words)]
        memory.forget(*(turn.ref for turn in turns))
        # What a reply that stays says once more is not gone, but is not to be looked for either.
        replies = "\n".join(texts(memory))
        touched = [
            other
            for other in self.said
            if any(word in turn.content for turn in turns for word in other.words)
        ]
        self.said = [other for other in self.said if other not in touched]
        return [other for other in touched if not any(word in replies for word in other.words)]

    def _by_time(self, memory: Memory, one: _Said) -> list[_Said]:
        memory.forget(since=one.at)
        return [other for other in self.said if other.at >= one.at]


def test_of_a_random_store_exactly_what_is_forgotten_is_gone(tmp_path: Path) -> None:
    cases = count(4, 100)
    words = 0
    for seed in range(cases):
        world = _World(tmp_path / str(seed), seed)
        world.lived()
        assert files_with([word for one in world.said for word in one.words], world.folder), seed
        for _ in range(world.rng.randint(1, 2)):
            if not world.said:
                break
            with world.opened() as memory:
                gone = world.forget(memory)
                lost = [word for one in gone for word in one.words]
                found = files_with(lost, world.folder)
                assert not found, (seed, gone, found)
                assert memory.validate() == [], seed
                _assert_kept(memory, world.said, seed)
            assert not files_with(lost, world.folder), seed
            words += len(lost)
        shutil.rmtree(world.folder, ignore_errors=True)  # in a database it has none
    figure("forget-random", stores=cases, words_forgotten=words, words_left=0)


def _assert_kept(memory: Memory, said: list[_Said], seed: int) -> None:
    journal = "\n".join(texts(memory))
    for one in said:
        for sentence in one.sentences:
            assert sentence in journal, (seed, one)
        word = one.words[-1]
        assert any(word in turn.content for turn in memory.journal(word)), (seed, one)
