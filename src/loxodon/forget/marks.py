"""Marks of what was forgotten, by which it is recognised when it comes again.

A mark is a digest with the key of the space: whoever has the file cannot try out words. It stands
for what was said up to a moment; the same said later is new. There are three kinds:

| kind | is of | stops |
|---|---|---|
| turn | its key, its words and moment, its session, a period; the id of a memory or import | that |
| text | a sentence or clause, in every text or in one turn | that |
| name | a name, address or number as whole words; if it has capitals, in these | its sentences |
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from loxodon.clock import to_stored
from loxodon.forget.names import longer_name, spelled, tokens
from loxodon.security.keys import Keys
from loxodon.text.sentences import spans
from loxodon.text.words import fold, index_words
from loxodon.types import Entity

if TYPE_CHECKING:
    from loxodon.config import Config
    from loxodon.store.store import Store
    from loxodon.types import Draft, Turn

LONG_AGO = -(1 << 60)
_LEAST_WORDS = 3  # a turn without a time is known by its words; `yes` is anybody's
_MOST_CLAUSES = 40
_WORDS = re.compile(r"[^\W_]+(?:'[a-z]+)?")
_BETWEEN_CLAUSES = re.compile(r"[，、；：,;:—\n]+(?!\d)|\s[-–]\s")
_ENDING = re.compile(r"[.。!！?？…]+[\"'”’）)]*\Z")
# What a digest is of, and the kind of its mark. Rows of earlier versions have the former as kind.
_KINDS = {
    **dict.fromkeys(("turn", "spoken", "words", "session", "span", "memory", "import"), "turn"),
    **dict.fromkeys(("text", "said", "part"), "text"),
    **dict.fromkeys(("name", "cased", "inner", "token", "address"), "name"),
}


class Mark(NamedTuple):
    kind: str
    mark: bytes
    until: int  # milliseconds since 1970 UTC: what was said up to then
    size: int = 0  # of a name: its words

    @classmethod
    def of_period(cls, since: int, until: int) -> Mark:
        """Of everything said in a period, which is no secret."""
        return cls("turn", since.to_bytes(8, "big", signed=True), until)


class Marker:
    """Makes the marks of a space."""

    def __init__(self, home: str, config: Config, space: str) -> None:
        self._key = Keys(home, config.keys.source).key("tombstone", space)

    def digest(self, of: str, *parts: bytes | str) -> bytes:
        encoded = [p if isinstance(p, bytes) else p.encode("utf-8", "surrogatepass") for p in parts]
        # Lengths keep ("ab", "c") and ("a", "bc") apart.
        data = b"".join(b"%d:%b" % (len(part), part) for part in encoded)
        return blake2b(data, key=self._key, digest_size=16, person=of.encode()).digest()

    def mark(self, of: str, until: int, *parts: bytes | str) -> Mark:
        return Mark(_KINDS[of], self.digest(of, *parts), until)

    def name(self, name: str, until: int) -> Mark:
        found = tokens(name)
        return Mark("name", self.digest("name", spelled(found)), until, len(found))


def plain(text: str) -> str:
    """A text as two that say the same have it: folded, its words with one space between."""
    return " ".join(_WORDS.findall(fold(text)))


def _clauses(sentence: str) -> list[str]:
    """The clauses of a sentence; what divides them belongs to the one before it."""
    cuts = [one.end() for one in _BETWEEN_CLAUSES.finditer(sentence)][:_MOST_CLAUSES]
    edges = [0, *(cut for cut in cuts if cut < len(sentence)), len(sentence)]
    return [sentence[a:b] for a, b in pairwise(edges)]


def clauses_of(text: str) -> list[str]:
    return [part for start, end in spans(text) for part in _clauses(text[start:end])]


class Marks:
    """The marks of a space, to be held against what comes or is there."""

    def __init__(
        self,
        marker: Marker,
        marks: Iterable[Mark],
        known_names: Collection[str],
        *,
        present: bool = False,
        words: Collection[str] | None = None,
    ) -> None:
        """With `present`, all that they are held against was there when they were made, whatever
        time it says of itself. What has none of `words`, if they are given, meets no mark."""
        self.marker, self._known_names = marker, known_names
        self._present, self._words = present, words
        self.cuts = False  # whether any is of a text or a name
        self._until: dict[bytes, int] = {}
        self._names: set[tuple[str, int]] = set()  # what their digests are of, and their sizes
        self._periods: list[tuple[int, int]] = []
        for was, mark, until, size in marks:
            if len(mark) == 8:
                self._periods.append((int.from_bytes(mark, "big", signed=True), until))
            elif kind := _KINDS.get(was):
                self._until[mark] = max(until, self._until.get(mark, until))
                self.cuts |= kind != "turn"
                self._names |= {(was, size or 1)} if kind == "name" else set()

    def has(self, of: str, at: int, *parts: bytes | str) -> bool:
        """Whether there is a mark of this that is not older."""
        until = self._until.get(self.marker.digest(of, *parts))
        return until is not None and (self._present or at <= until)

    def in_period(self, at: int) -> bool:
        return any(a <= at and (self._present or at <= until) for a, until in self._periods)

    def has_turn(self, key: bytes, session: str, content: str, at: int | None) -> bool:
        """Whether a turn was forgotten as such; `at` is None where nobody knows its time."""
        when = LONG_AGO if at is None else at
        if self.has("turn", when, key) or self.has("session", when, session):
            return True
        if self.has("part", LONG_AGO, key):  # of earlier versions
            return True
        if at is None:
            several = len(index_words(content)) >= _LEAST_WORDS
            return several and self.has("words", when, plain(content))
        return self.in_period(at) or self.has("spoken", at, plain(content), str(at))

    def has_name(self, text: str, at: int) -> bool:
        """Whether a text has a name that was forgotten, and not within a longer one."""
        if not text or not self._names or not self._may_have(text):
            return False
        found = tokens(text)
        for of, size in self._names:
            for window in (found[n : n + size] for n in range(len(found) - size + 1)):
                written = spelled(window)
                is_marked = self.has(of, at, written) or self.has(of, at, fold(written))
                if is_marked and not longer_name(text, window, self._known_names):
                    return True
        return False

    def _may_have(self, text: str) -> bool:
        folded = fold(text)
        return self._words is None or any(word in folded for word in self._words)

    def cut(self, text: str, at: int, key: bytes = b"") -> str:
        """`text`, said at a moment in the turn with `key`, without what was forgotten of it."""
        if not self.cuts or not text or not self._may_have(text):
            return text

        def is_said(part: str) -> bool:
            words = plain(part)
            return self.has("said", at, words) or self.has("part", LONG_AGO, key, words)

        kept, last = "", 0
        for start, end in spans(text):
            sentence, left = text[start:end], ""
            if not is_said(sentence) and not self.has_name(sentence, at):
                parts = _clauses(sentence)
                stay = [p for p in parts if len(parts) == 1 or not is_said(p)]
                left = "".join(stay)
                if left and stay[-1] is not parts[-1]:  # it ends as it did, not with a comma
                    ending = _ENDING.search(sentence)
                    left = left.rstrip("，、；：,;:— \n") + (ending[0] if ending else "")
            kept += (text[last:start] if left else "") + left
            last = end
        return text if kept == text[:last] else (kept + text[last:]).strip()

    def left_of_turn(self, key: bytes, text: str, at: int) -> tuple[str, bytes]:
        """What is left of a turn, and the key that it has then."""
        while (left := self.cut(text, at, key)) != text:
            key, text = self.marker.digest("key", key), left
        return text, key

    def cut_json(self, value: Any, at: int) -> Any:
        """A JSON value with the strings in it cut; keys of objects that are cut go with theirs."""
        if isinstance(value, str):
            return self.cut(value, at)
        if isinstance(value, list):
            return [self.cut_json(one, at) for one in value]
        if isinstance(value, dict):
            named = {name: one for name, one in value.items() if self.cut(name, at) == name}
            return {name: self.cut_json(one, at) for name, one in named.items()}
        return value

    def session_name(self, name: str, at: int) -> str:
        """What a session is called that is named after something forgotten: the same each time."""
        if self.cut(name, at) == name:
            return name
        return f"forgotten-{self.marker.digest('called', name).hex()[:12]}"

    def admitted(
        self, drafts: Sequence[Draft | None], keyed: Sequence[tuple[Turn, bytes]], live: bool
    ) -> list[tuple[Turn, bytes]]:
        """Those turns that were not forgotten, without what of them was."""
        found: list[tuple[Turn, bytes]] = []
        for draft, (turn, key) in zip(drafts, keyed, strict=True):
            has_time = draft is None or draft.at is not None
            at = to_stored(turn.at)[0] if has_time or live else 0
            content, new_key = self.left_of_turn(key, turn.content, at)
            session = self.session_name(turn.session, at)
            if not (
                not content.strip()
                or self.has_name(turn.speaker, at)
                or self.has("session", at, session)
                or self.has_turn(key, turn.session, turn.content, at or None)
                or (not has_time and self.has("turn", LONG_AGO, key))
            ):
                channel = turn.channel if self.cut(turn.channel, at) == turn.channel else ""
                kept = turn._replace(session=session, channel=channel, content=content)
                found.append((kept, new_key))
        return found


def marks_of(store: Store, marker: Marker) -> Marks:
    """The marks of a store."""
    return Marks(marker, [Mark(*one) for one in store.query("tombstones")], known_names(store))


def known_names(store: Store) -> list[str]:
    """What anybody is called but the user."""
    others = [one for one in store.query_as(Entity, "entities") if one.name != "user"]
    return [name for one in others for name in (one.name, *one.aliases)]
