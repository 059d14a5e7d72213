"""Tombstones: what must not come back, recognised without keeping a word of it.

A tombstone is a keyed digest (the key is the space's own, purpose `tombstone`), so that nobody who
has the file can try out what was forgotten. It stands for what was said up to a moment: who says
the same again later says something new.

| kind | is of | and stops |
|---|---|---|
| turn | the key of a turn | that turn |
| spoken | the words of a turn and their moment | that turn under another key |
| words | the words of a turn, where they are several | a turn without a time that has them |
| session | the name of a session | all turns of it |
| span | a stretch of time | everything said in it |
| said | a sentence or a clause | that sentence, in every text |
| part | the key of a turn, alone or with a sentence or clause | that turn, or that part of it |
| name | a name of someone or something, without its case | every sentence with that name |
| token | a name without capitals | every sentence that has it as whole words, in any case |
| cased | a name with capitals | every sentence that has it as whole words, written so |
| inner | one that is a word too (Frank) | the same, but not at the beginning of a sentence |
| address | a mail address, a place on the web, a number, a handle | every sentence with just that |
| apart, beside | a longer name that has such a name in it | nothing: it is somebody else's |
| memory | the id of a memory | that memory |
| stated | what a memory says: subject, attribute, value | a memory that says it |
| import | the key of something imported | that import |

A database that is restored is held against those of the one that it takes the place of
(`forgetting.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any, NamedTuple

from loxodon.text.sentences import spans
from loxodon.text.words import fold, index_words

FOREVER = 1 << 60
_NEVER = -FOREVER
"""Of what nobody knows the time of: older than any tombstone."""
LEAST_WORDS = 3
"""Words that a turn must have to be known by them alone: a `yes` is anybody's."""
_SIZE = 16
_MOST_NAME = 64
"""Characters of a name that is looked for."""
_MOST_CLAUSES = 40
_SHORT = 80
_MOST_CLEAN = 20_000
_TELEPHONE = 7
"""Digits from which on the signs between them are a matter of taste."""
_FEW = 40
"""Words that are looked for one by one faster than a text is cut into words."""


_TOKENS = ("token", "cased", "inner", "beside")
"""Names as whole words."""
_NAMES = ("name", "address", "token", "cased", "inner")


class Tombstone(NamedTuple):
    """One thing that must not come back."""

    kind: str
    mark: bytes
    until: int
    """Milliseconds since 1970 UTC: what was said up to then."""
    size: int = 0


class Marker:
    """Makes the marks of a space."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def mark(self, kind: str, *parts: bytes | str) -> bytes:
        """The mark of something of a kind."""
        # Lengths keep ("ab", "c") and ("a", "bc") apart.
        data = b"".join(
            b"%d:%b" % (len(part), part)
            for part in (
                one if isinstance(one, bytes) else one.encode("utf-8", "surrogatepass")
                for one in parts
            )
        )
        return blake2b(data, key=self._key, digest_size=_SIZE, person=kind.encode()).digest()

    def tombstone(self, kind: str, until: int, *parts: bytes | str, size: int = 0) -> Tombstone:
        return Tombstone(kind, self.mark(kind, *parts), until, size)

    def key(self, key: bytes) -> bytes:
        """The key of a turn that lost a part of its words, which the old one was a digest of."""
        return self.mark("key", key)

    def name(
        self, name: str, until: int, *, apart: bool = False, is_word: bool = False
    ) -> Tombstone | None:
        """The tombstone of a name; None where there is nothing of it to look for."""
        if thing := thing_of(name):
            return self.tombstone("address", until, thing)
        if " ".join(tokens_of(name)) and not _unspaced().search(name):
            tokens = tokens_of(name)
            kind = "inner" if is_word else "cased" if name != name.lower() else "token"
            kind = "beside" if apart else kind
            return self.tombstone(kind, until, _spelling(kind, tokens), size=len(tokens))
        kind = "apart" if apart else "name"
        found = plain(name)[:_MOST_NAME]
        return self.tombstone(kind, until, found, size=len(found)) if found else None


def span(since: int, until: int) -> Tombstone:
    """The tombstone of a stretch of time, which is no secret."""
    return Tombstone("span", since.to_bytes(8, "big", signed=True), until)


def plain(text: str) -> str:
    """A text as two that say the same have it: folded, its words with one space between."""
    return " ".join(_words().findall(fold(text)))


@cache
def _words() -> re.Pattern[str]:
    return re.compile(r"[^\W_]+(?:'[a-z]+)?")


def tokens_of(text: str) -> list[str]:
    """The words of a text that has spaces between them, as they are written: `project_2024_v2` and
    `Anna-Maria` are one each, `Anna's` is Anna."""
    return [one[0] for one in _token().finditer(text)]


@cache
def _token() -> re.Pattern[str]:
    letters = r"[^\W_\u0e00-\u1dff\u2e80-\U0010ffff]+"
    return re.compile(rf"{letters}(?:(?:[._-]+|['’](?!s\b)){letters})*")


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(r"[\u0e00-\u1dff\u2e80-\U0010ffff]")


def _spelling(kind: str, tokens: Sequence[str]) -> str:
    joined = " ".join(tokens)
    return joined if kind in ("cased", "inner") else fold(joined)


def has_name(words: str, name: str) -> bool:
    """Whether plain words have a name: as whole words, or anywhere where words have no spaces."""
    if name.isascii():
        return f" {name} " in f" {words} ".replace("'s ", " ")
    return bool(name) and name in words


def things(folded: str) -> list[str]:
    """What in a folded text is one thing however it is spelled: mail addresses, places on the web,
    numbers and handles, each as a whole. `ana@b.org` is not in `dana@b.org.uk`, nor 4711 in 47112.
    """
    if not _sign_of_thing().search(folded):
        return []
    return [_spelled(one) for one in _thing().finditer(folded)]


def thing_of(name: str) -> str:
    """A name that is such a thing, as `things` has it; empty for any other."""
    folded = fold(name.strip())
    found = _thing().fullmatch(folded) if _sign_of_thing().search(folded) else None
    return _spelled(found) if found else ""


def marked(text: str) -> str:
    """`plain`, with each of the things in it as one word."""
    folded, parts, at = fold(text), list[str](), 0
    for one in _thing().finditer(folded) if _sign_of_thing().search(folded) else ():
        parts += [*_words().findall(folded[at : one.start()]), _spelled(one)]
        at = one.end()
    return " ".join((*parts, *_words().findall(folded[at:])))


def _spelled(found: re.Match[str]) -> str:
    kind = str(found.lastgroup)
    if kind == "site":
        return found["site"].removeprefix("www.").rstrip("/")
    if kind == "number" and sum(map(str.isdigit, found[0])) >= _TELEPHONE:
        return re.sub(r"[^\d+]", "", found[0])
    return found[0]


@cache
def _sign_of_thing() -> re.Pattern[str]:
    return re.compile(r"\d|@|\w\.\w")


@cache
def _thing() -> re.Pattern[str]:
    label = r"[a-z0-9_-]{1,63}"
    path = r"(?:[/?#][\w./?#%&=~+:@,;!$*'()-]{0,300}[\w/#=&%~+-]|/)"
    return re.compile(
        rf"(?<![\w.+-])(?P<mail>[\w.+-]{{1,64}}@{label}(?:\.{label}){{1,8}})"
        rf"|(?<![\w@.-])(?:https?://)?(?P<site>{label}(?:\.{label}){{0,8}}\.[a-z]{{2,24}}(?::\d+)?{path}?)(?!\w)"
        rf"|(?<![\w@])(?P<handle>@[a-z0-9_](?:[\w.]{{0,38}}\w)?)"
        # Groups with blanks between them are one number where they are those of a telephone.
        r"|(?<![\w.,/:-])(?P<number>(?:\+|\(?0)\d{0,4}\)?(?:[ ./-]?\(?\d{2,5}\)?){2,6}"
        r"|\d{2,5}(?: \d{2,5}){1,4}(?<=\d{3})|\d+(?:[.,:/-]\d+)*)(?![.,:/-]?\w)",
        re.ASCII,
    )


class Sieve:
    """What the tombstones of one selection are of, so that texts without any of it need no digest.

    It is there while something is being forgotten, and never kept.
    """

    def __init__(self) -> None:
        self.keys: set[bytes] = set()
        self.sessions: set[str] = set()
        self.ids: set[str] = set()
        self.values: set[str] = set()
        self._words: set[str] = set()
        """A word of each sentence, which any text that has the sentence has."""
        self._names: set[str] = set()
        """The same for names, which can also stand within a run of characters without spaces."""
        self._blind = False
        self._last = ("", False)

    def add(self, kind: str, parts: Sequence[bytes | str]) -> None:
        """Note what a tombstone is made of."""
        first = parts[0]
        if isinstance(first, bytes):
            self.keys.add(first)
        elif kind == "session":
            self.sessions.add(first)
        elif kind == "memory":
            self.ids.add(first)
        elif kind == "stated":
            self.values.add(str(parts[2]))
        elif kind in ("name", "address", "apart", *_TOKENS):
            # However a number is spelled, it ends in the same digit.
            spelled = first[-1] if kind == "address" and first[-1].isdigit() else first
            word = max(first.split(), key=len)
            self._names.add(spelled if kind == "address" else fold(word))
        elif not first:
            self._blind = True
        else:
            self._words.add(max(first.split(), key=len))

    def may_have(self, text: str) -> bool:
        """Whether a text may have something of it."""
        if text is not self._last[0]:
            self._last = (text, self._looked(text))
        return self._last[1]

    def _looked(self, text: str) -> bool:
        if self._blind:
            return True
        folded = fold(text)
        if any(name in folded for name in self._names):
            return True
        if len(self._words) <= _FEW:
            return any(word in folded for word in self._words)
        return not self._words.isdisjoint(_words().findall(folded))


@cache
def _between_clauses() -> re.Pattern[str]:
    return re.compile(r"[，、；：,;:—\n]+(?!\d)|\s[-–]\s")


@cache
def _ending() -> re.Pattern[str]:
    return re.compile(r"[.。!！?？…]+[\"'”’）)]*\Z")


def clauses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the clauses of a sentence are; what divides them belongs to the one before it."""
    found: list[tuple[int, int]] = []
    for match in _between_clauses().finditer(text, start, end):
        if len(found) >= _MOST_CLAUSES:
            break
        found.append((start, match.end()))
        start = match.end()
    return [*found, (start, end)] if start < end else found


_Says = Callable[[str], bool]


def _without(text: str, said: _Says, named: _Says = lambda sentence: False) -> str:
    """A text without its sentences and clauses that are `said`, and sentences that are `named`."""
    kept: list[str] = []
    last, whole = 0, True
    for start, end in spans(text):
        sentence = text[start:end]
        out = said(sentence) or named(sentence)
        left = "" if out else _clauses_left(text, start, end, said)
        if left == sentence:
            kept.append(text[last:end])
        else:
            whole = False
            kept.append((text[last:start] if left else "") + left)
        last = end
    return text if whole else ("".join(kept) + text[last:]).strip()


def _clauses_left(text: str, start: int, end: int, said: _Says) -> str:
    parts = clauses(text, start, end)
    if len(parts) < 2:
        return text[start:end]
    left = [(a, b) for a, b in parts if not said(text[a:b])]
    if len(left) == len(parts) or not left:
        return text[start:end] if left else ""
    kept = "".join(text[a:b] for a, b in left).strip()
    if left[-1] != parts[-1]:  # the sentence ends as it did, not with a comma
        ending = _ending().search(text[start:end])
        kept = kept.rstrip("，、；：,;:— \n") + (ending[0] if ending else "")
    return kept


class Marks:
    """The tombstones of a space, to be held against what comes or is there."""

    def __init__(
        self,
        marker: Marker,
        tombstones: Iterable[Tombstone],
        *,
        present: bool = False,
        sieve: Sieve | None = None,
    ) -> None:
        """With `present` all that they are held against was there when they were made, whatever
        time it says of itself."""
        self.marker = marker
        self.sieve = sieve
        """Of these tombstones; None where nobody knows what they were made of."""
        self._present = present
        self._kinds: dict[str, dict[bytes, int]] = {}
        self._sizes: dict[str, dict[int, None]] = {kind: {} for kind in ("name", "apart", *_TOKENS)}
        """How many characters the names of a kind have, or words."""
        self.spans: list[tuple[int, int]] = []
        self._clean: dict[str, bool] = {}
        """Short texts, which come again and again, and whether nothing of them was forgotten."""
        for one in tombstones:
            if one.kind == "span":
                self.spans.append((int.from_bytes(one.mark, "big", signed=True), one.until))
                continue
            known = self._kinds.setdefault(one.kind, {})
            known[one.mark] = max(one.until, known.get(one.mark, one.until))
            if one.kind in self._sizes:
                self._sizes[one.kind][one.size] = None
        self.cuts = not self._kinds.keys().isdisjoint(("said", *_NAMES))

    def _has(self, kind: str, at: int, *parts: bytes | str) -> bool:
        known = self._kinds.get(kind)
        return known is not None and self._is_older(at, known.get(self.marker.mark(kind, *parts)))

    def _is_older(self, at: int, until: int | None) -> bool:
        return until is not None and (self._present or at <= until)

    def in_span(self, at: int) -> bool:
        """Whether a moment is in a stretch of time that was forgotten."""
        return any(since <= at and self._is_older(at, until) for since, until in self.spans)

    def bars(self, key: bytes, session: str, content: str, at: int | None) -> bool:
        """Whether a turn is one that was forgotten; `at` is None where nobody knows its time."""
        if at is None:
            several = "words" in self._kinds and len(index_words(content)) >= LEAST_WORDS
            return (
                self._has("turn", _NEVER, key)
                or self._has("session", _NEVER, session)
                or (several and self._has("words", _NEVER, plain(content)))
            )
        if (
            self.sieve
            and not self.spans
            and not (
                key in self.sieve.keys
                or session in self.sieve.sessions
                or self.sieve.may_have(content)
            )
        ):
            return False
        return (
            self.in_span(at)
            or self._has("turn", at, key)
            or self._has("session", at, session)
            or self._has("spoken", at, plain(content), str(at))
        )

    def session(self, name: str) -> bool:
        """Whether a session was forgotten as a whole, once."""
        return self._has("session", _NEVER, name)

    def session_name(self, name: str, at: int) -> str:
        """What a session is called that is named after something that was forgotten: the same
        each time, so that what comes again comes to the same; its own name for any other."""
        if self.cut(name, at) == name:
            return name
        return f"forgotten-{self.marker.mark('called', name).hex()[:12]}"

    def memory(self, id: str) -> bool:
        return self._has("memory", 0, id)

    def imported(self, key: bytes) -> bool:
        return self._has("import", 0, key)

    def stated(self, at: int, *about: str) -> bool:
        return self._has("stated", at, *map(plain, about))

    def may_state(self, value: str) -> bool:
        """Whether something with this value may have been forgotten, before more is found out."""
        if not value or "stated" not in self._kinds:
            return False
        return self.sieve is None or plain(value) in self.sieve.values

    def said(self, text: str, at: int) -> bool:
        """Whether a sentence or clause is one that was forgotten."""
        return self._has("said", at, plain(text))

    def named(self, text: str, at: int) -> bool:
        """Whether a text has a name that was forgotten."""
        if not text or self._kinds.keys().isdisjoint(_NAMES):
            return False
        if self.sieve and not self.sieve.may_have(text):
            return False
        if "address" in self._kinds and any(
            self._has("address", at, one) for one in things(fold(text))
        ):
            return True
        if self._has_tokens(text, at):
            return True
        folded = plain(text)
        found = self._places("name", folded, at)
        apart = self._places("apart", folded, at) if found else []
        return any(not any(a <= start and end <= b for a, b in apart) for start, end in found)

    def _has_tokens(self, text: str, at: int) -> bool:
        kinds = [kind for kind in _TOKENS if kind in self._kinds]
        if not kinds:
            return False
        first = {start for start, _ in spans(text)}
        tokens = [(one[0], one.start() in first) for one in _token().finditer(text)]

        def windows(kind: str) -> Iterator[tuple[int, int]]:
            for size in self._sizes[kind]:
                for n in range(len(tokens) - size + 1):
                    if kind == "inner" and tokens[n][1]:
                        continue
                    if self._has(kind, at, _spelling(kind, [w for w, _ in tokens[n : n + size]])):
                        yield n, n + size

        apart = list(windows("beside")) if "beside" in kinds else []
        return any(
            not any(a <= start and end <= b for a, b in apart)
            for kind in kinds
            if kind != "beside"
            for start, end in windows(kind)
        )

    def _places(self, kind: str, folded: str, at: int) -> list[tuple[int, int]]:
        """Where names of a kind stand in plain words."""
        if not (known := self._kinds.get(kind)):
            return []
        edges = _edges(folded)
        ends = set(edges)
        return [
            (start, start + size)
            for size in self._sizes[kind]
            for start in edges
            if start + size in ends
            and self._is_older(at, known.get(self.marker.mark(kind, folded[start : start + size])))
        ]

    def cut(self, text: str, at: int) -> str:
        """`text`, said at a moment, without the sentences and clauses that were forgotten."""
        if not self.cuts or not text:
            return text
        if not self.sieve.may_have(text) if self.sieve else self._is_clean(text):
            return text
        return _without(
            text, lambda part: self.said(part, at), lambda sentence: self.named(sentence, at)
        )

    def left_of(self, key: bytes, text: str) -> tuple[str, bytes]:
        """What is left of a turn that parts were taken from, and of nothing else; and its key."""
        if "part" not in self._kinds or (self.sieve and key not in self.sieve.keys):
            return text, key
        if self._has("part", _NEVER, key):
            return "", key
        left = _without(text, lambda part: self._has("part", _NEVER, key, plain(part)))
        if left == text:
            return text, key
        # What was taken from it later knows it by the key that it had by then.
        return self.left_of(self.marker.key(key), left)

    def _is_clean(self, text: str) -> bool:
        """Whether there is surely nothing to cut, whenever the text was said."""
        if len(text) > _SHORT:
            return "said" not in self._kinds and not self.named(text, _NEVER)
        if (known := self._clean.get(text)) is None:
            # Names within it are found in the whole as well; sentences are looked at one by one.
            known = not self.named(text, _NEVER) and not any(
                self.said(text[a:b], _NEVER)
                for start, end in (spans(text) if "said" in self._kinds else ())
                for a, b in ((start, end), *clauses(text, start, end))
            )
            if len(self._clean) >= _MOST_CLEAN:
                self._clean.clear()
            self._clean[text] = known
        return known

    def cut_json(self, value: Any, at: int) -> Any:
        """A JSON value with the strings in it cut; keys of objects that are cut go with theirs."""
        if isinstance(value, str):
            return self.cut(value, at)
        if isinstance(value, list):
            return [self.cut_json(one, at) for one in value]
        if isinstance(value, dict):
            return {
                name: self.cut_json(one, at)
                for name, one in value.items()
                if self.cut(name, at) == name
            }
        return value


def _edges(folded: str) -> list[int]:
    """Where a name can begin or end.

    Words of letters are whole words; in a script without spaces a name can stand anywhere.
    """
    found: list[int] = []
    last = 0
    for run in _run_of_letters().finditer(folded):
        found += (*range(last, run.start()), run.start())
        last = run.end()
    found += range(last, len(folded) + 1)
    return found


@cache
def _run_of_letters() -> re.Pattern[str]:
    # Thai and what comes behind it, Chinese, Japanese and Korean do without spaces around a name.
    return re.compile(r"[^\W_\u0e00-\u1dff\u2e80-\U0010ffff]+")
