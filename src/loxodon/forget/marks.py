"""Marks of what was forgotten, by which it is recognised when it comes again.

A mark is a digest with the key of the space: whoever has the file cannot try out words. It stands
for what was said up to a moment; the same said later is new. There are three kinds:

| kind | is of | stops |
|---|---|---|
| turn | its key, its words and moment, its session, a period; the id of a memory or import | that |
| text | a sentence or clause | that |
| name | a name, address or number as whole words; if it has capitals, in these | its sentences |
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from loxodon.clock import to_stored
from loxodon.forget.names import is_address, is_word, like, longer_name, tokens, visible, windows
from loxodon.language.en import clauses as english
from loxodon.language.zh import clauses as chinese
from loxodon.security.keys import Keys
from loxodon.text.sentences import spans, split
from loxodon.text.words import fold, index_words
from loxodon.types import Entity

if TYPE_CHECKING:
    from loxodon.config import Config
    from loxodon.store.erasure import TurnRow
    from loxodon.store.store import Store
    from loxodon.types import Draft, Turn

LONG_AGO, _EVER = -(1 << 60), 1 << 60
_LEAST_WORDS = 3  # a turn without a time is known by its words; `yes` is anybody's
_MOST = 400  # characters of a clause in which another is looked for that has no comma before it
_KINDS = {"said": "text", "name": "name"}  # of a mark; all others are of a turn
_CUT = b"forgotten:"  # before the key of a turn that has lost words


def plain(text: str) -> str:
    """A text as two that say the same have it: folded, its words with one space between."""
    return " ".join(like["plain_word"].findall(fold(text)))


def clauses(sentence: str) -> list[str]:
    """The clauses of a sentence; what divides them belongs to the one before it."""
    edges = {0, *(one.end() for one in like["between_clauses"].finditer(sentence)), len(sentence)}
    return [sentence[a:b] for a, b in pairwise(sorted(edges))]


def joined(clause: str) -> list[str]:
    """What a clause joins without a comma: `I live in York`, ` and my son lives in Bath`."""
    ways = (english.WORDS.like["cut"], chinese.WORDS.like["connective"])
    joints = (one.start() for way in ways for one in way.finditer(clause, 0, _MOST))
    return [clause[a:b] for a, b in pairwise(sorted({0, *joints, len(clause)}))]


class Marks:
    """The marks of a space, to be held against what comes or is there."""

    def __init__(
        self, store: Store, root: str, config: Config, now: datetime | None = None
    ) -> None:
        """Those that a store keeps. With `now` none yet: those that are put down are of what is
        there now, whatever time it says of itself."""
        self._key = Keys(root, config.keys.source).key("tombstone", store.space)
        others = [one for one in store.query_as(Entity, "entities") if one.name != "user"]
        self.known_names = [name for one in others for name in (one.name, *one.aliases)]
        # To be kept: kind, mark, up to which millisecond it is of what was said, words of a name
        self.new: list[tuple[str, bytes, int, int]] = []
        self.cuts = False  # whether any is of a text or a name
        self._now = to_stored(now)[0] if now else 0
        self._until: dict[bytes, int] = {}
        self._sizes: set[int] = set()  # of the names, in words
        self._periods: list[tuple[int, int]] = []
        self._hints: set[str] = set()  # if there are any, what has none of them meets no mark
        for one in store.query("tombstones") if now is None else ():
            self._take(*one)

    def _take(self, kind: str, mark: bytes, until: int, size: int) -> None:
        if len(mark) == 8:
            self._periods.append((int.from_bytes(mark, "big", signed=True), until))
        else:
            self._until[mark] = max(until, self._until.get(mark, until))
            self.cuts |= kind != "turn"
            self._sizes |= {size or 1} if kind == "name" else set()

    # Putting down

    def put(self, of: str, *parts: bytes | str, size: int = 0) -> None:
        """Mark something by what it is (`turn`, `memory`, …) and what tells it from others."""
        kind, mark = _KINDS.get(of, "turn"), self._digest(of, *parts)
        self.new.append((kind, mark, self._now, size))
        self._take(kind, mark, _EVER, size)

    def put_turn(self, turn: TurnRow, *, only: bool = False) -> None:
        """Mark a turn as a whole, by its key and, unless `only` this one, what was said when."""
        is_known_by_words = len(index_words(turn.content)) >= _LEAST_WORDS
        self.put("turn", turn.key)
        for at in () if only else (turn.at, LONG_AGO)[: 1 + is_known_by_words]:
            self.put("spoken", plain(turn.content), str(at))

    def put_period(self, since: int) -> None:
        """Mark everything said from a moment on, which is no secret."""
        self.new.append(("turn", since.to_bytes(8, "big", signed=True), self._now, 0))
        self._periods.append((since, _EVER))

    def put_text(self, text: str) -> None:
        for words in filter(None, dict.fromkeys(map(plain, (text, *split(text))))):
            self.put("said", words)
            self._hints.add(max(words.split(), key=len))

    def put_name(self, name: str) -> None:
        name = visible(name)
        words = [fold(one.written) for one in tokens(name)]
        self.put("name", next(windows(name)).written, size=len(words))
        # However an address or a number is spelled, it ends so.
        longest = max(words, key=len)
        self._hints.add(longest[-1] if is_address(name) else longest)

    def _digest(self, of: str, *parts: bytes | str) -> bytes:
        encoded = [p if isinstance(p, bytes) else p.encode("utf-8", "surrogatepass") for p in parts]
        # Lengths keep ("ab", "c") and ("a", "bc") apart.
        data = b"".join(b"%d:%b" % (len(part), part) for part in encoded)
        return blake2b(data, key=self._key, digest_size=16, person=of.encode()).digest()

    # Looking

    def has(self, of: str, at: int, *parts: bytes | str) -> bool:
        """Whether there is a mark of this that is not older."""
        return at <= self._until.get(self._digest(of, *parts), LONG_AGO - 1)

    def in_period(self, at: int) -> bool:
        return at != LONG_AGO and any(since <= at <= until for since, until in self._periods)

    def has_name(self, text: str, at: int) -> bool:
        """Whether a text has a name that was forgotten, and not within a longer one."""
        text = visible(text)
        return any(
            (self.has("name", at, it.written) or self.has("name", at, fold(it.written)))
            and not (is_word(text, it) or longer_name(text, it, self.known_names))
            for size in self._sizes
            for it in windows(text, size)
        )

    def cut(self, text: str, at: int) -> str:
        """`text`, said at a moment, without what was forgotten of it."""
        looks = fold(visible(text))
        if not self.cuts or (self._hints and not any(hint in looks for hint in self._hints)):
            return text
        kept, last = "", 0
        for start, end in spans(text):
            sentence, left = text[start:end], ""
            if not (self.has("said", at, plain(sentence)) or self.has_name(sentence, at)):
                whole = [one for one in clauses(sentence) if not self.has("said", at, plain(one))]
                stay = [p for it in whole for p in joined(it) if not self.has("said", at, plain(p))]
                left = "".join(stay)
                if left and not sentence.startswith(stay[0]):  # nothing comes before its `and`
                    left = english.without_lead(chinese.without_lead(left.lstrip()))
                if left and not sentence.endswith(stay[-1]):  # it ends as it did, not with a comma
                    left = left.rstrip("，、；：,;:— \n") + "".join(like["end"].findall(sentence))
            kept += (text[last:start] if left else "") + left
            last = end
        return text if kept == text[:last] else (kept + text[last:]).strip()

    def cut_json(self, value: Any, at: int) -> Any:
        """A JSON value with the strings in it cut; keys of objects that are cut go with theirs."""
        if isinstance(value, str):
            return self.cut(value, at)
        if isinstance(value, list):
            return [self.cut_json(one, at) for one in value]
        if isinstance(value, dict):
            return {k: self.cut_json(v, at) for k, v in value.items() if self.cut(k, at) == k}
        return value

    def new_name(self, name: str, at: int) -> str:
        """What a session or channel is called, also one named after something forgotten."""
        is_kept = self.cut(name, at) == name
        return name if is_kept else f"forgotten-{self._digest('called', name).hex()[:12]}"

    def left_of(
        self, key: bytes, session: str, speaker: str, text: str, at: int
    ) -> tuple[str, bytes] | None:
        """What is left of a turn, and the key that it has then; None if it was forgotten as such,
        or who says it. `at` is LONG_AGO where nobody knows its time."""
        known = (("spoken", plain(text), str(at)), ("turn", key), ("session", session))
        is_gone = self.in_period(at) or any(self.has(of, at, *parts) for of, *parts in known)
        if is_gone or self.has_name(speaker, at):
            return None
        # One that has lost words has another key: its own would tell whoever tries them out.
        new_key = key if key.startswith(_CUT) else _CUT + self._digest("key", key)
        while (left := self.cut(text, at)) != text:
            key, text = new_key, left
        return text, key

    def admitted(
        self, drafts: Sequence[Draft | None], keyed: Sequence[tuple[Turn, bytes]], live: bool
    ) -> list[tuple[Turn, bytes]]:
        """Those turns that were not forgotten, without what of them was."""
        found: list[tuple[Turn, bytes]] = []
        for draft, (turn, key) in zip(drafts, keyed, strict=True):
            has_time = draft is None or draft.at is not None
            at = to_stored(turn.at)[0] if has_time or live else LONG_AGO
            left = self.left_of(key, turn.session, turn.speaker, turn.content, at)
            session, channel = (self.new_name(it, at) for it in (turn.session, turn.channel))
            is_known = not has_time and self.has("turn", LONG_AGO, key)
            if left and left[0].strip() and not (is_known or self.has("session", at, session)):
                kept = turn._replace(session=session, channel=channel, content=left[0])
                found.append((kept, left[1]))
        return found
