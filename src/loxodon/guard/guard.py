"""The guard: what text may be kept, and how it may be shown.

    guard = Guard.of(home)
    guard.taken("my key is ghp_…").text      # my key is [secret: github token]
    guard.shown("call 13912345678", private=False)   # call [phone ••5678]

`taken` is asked on the way in, before a text is stored, hashed into a key, logged or sent to a
model: what must never be kept is replaced by a marker that says of what kind it was. `shown` is
asked on the way out: what is kept exactly is masked where it is not the owner's own private chat.
Both give the same for a text that has been through them. Nothing is compiled until a text comes
that has a sign of something.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from loxodon import files

if TYPE_CHECKING:
    from loxodon.guard.find import Finder
    from loxodon.guard.policy import Policy, Rule
    from loxodon.store import Chunk
    from loxodon.types import Draft, Record, Turn

Said = TypeVar("Said", "Draft", "Turn")
# Turns before an answer that count: the question, and the same answer where it is sent again
LATELY = 2
# Nothing of note; how people are reached; who they are, or that a secret was told
SENSITIVITIES = ("low", "medium", "high")
_LEVEL = {"contact": 1, "identity": 2, "secret": 2, "private": 2}
_NAMES = 4_096
_LONGEST_NAME = 100
_TELLING = 6  # characters of a number that is known again
_ROUNDS = 8  # how often a text is looked at again after something was taken out of it
_ID = re.compile("[a-z]_[0-9]{1,9}(?:_[0-9]{1,9})?")  # of a memory or a turn: it tells nothing
DOTS = "••"


class Detection(NamedTuple):
    """Something in a text, and where."""

    start: int
    end: int
    kind: str
    family: str


class GuardedText(NamedTuple):
    """A text as it may be kept."""

    text: str
    sensitivity: str = "low"
    found: tuple[str, ...] = ()  # the kinds of what is in it, or was


class Clean(str):
    """A text that a guard has looked through, and need not look through again at the next door."""

    __slots__ = ("by",)
    by: Guard


class Guard:
    """The policy of a home, at work. Safe to use from several threads."""

    def __init__(self, load: Callable[[], Policy], *, usual: bool = False) -> None:
        """`usual` is a policy that nobody has changed: what it finds is known by plain signs."""
        self._load = load
        self._usual = usual
        self.name = lru_cache(maxsize=_NAMES)(self.clean)  # for names, which come again and again

    @classmethod
    def of(cls, home: str) -> Guard:
        """The guard of a home; its policy.toml is read when a text is first looked at."""
        path = os.path.join(home, "policy.toml")
        stamp = files.stamp(path)
        # There is none; where it cannot be read, reading it says why.
        return _shared(home if stamp or os.path.lexists(path) else "", stamp)

    @cached_property
    def policy(self) -> Policy:
        return self._load()

    @cached_property
    def incoming(self) -> Finder:
        from loxodon.guard.find import Finder

        return Finder(self.policy, self.policy.rules)

    @cached_property
    def _outgoing(self) -> Finder:
        """Of secrets only those that the user wants there can be in the store."""
        from loxodon.guard.find import Finder

        def is_shown(rule: Rule) -> bool:
            action = self.policy.actions[rule.kind]
            return action == "mask" or (action == "never" and rule.family != "secret")

        return Finder(self.policy, [rule for rule in self.policy.rules if is_shown(rule)])

    # On the way in

    def taken(self, text: str, question: str = "") -> GuardedText:
        """`text` as it may be kept: what is never kept is replaced by a marker."""
        found = self.incoming.found(text, question)
        level, kinds = 0, list[str]()
        for _ in range(_ROUNDS if found else 0):
            actions = self.policy.actions
            seen = [one for one in found if actions[one.kind] != "allow" or one.family == "private"]
            level = max((level, *(_LEVEL[one.family] for one in seen)))
            kinds += [one.kind for one in found]
            kept = _put(text, [one for one in found if actions[one.kind] == "never"], _marker)
            if kept == text:
                break
            text = kept
            found = self.incoming.found(text)  # what stood beside it is something by itself
        return GuardedText(text, SENSITIVITIES[level], tuple(dict.fromkeys(kinds)))

    def clean(self, text: str) -> str:
        """`taken`, of which only the text is wanted."""
        return self.taken(text).text

    def drafts(
        self, drafts: Iterable[Draft], before: Callable[[str], Sequence[str]]
    ) -> list[Draft]:
        """Turns as they may be kept, in the order in which they were said."""
        from loxodon.guard.secret_checks import answer

        kept: list[Draft] = []
        lately: dict[str, Sequence[str]] = {}
        for draft in drafts:
            said = draft.content
            if draft.session not in lately and answer(said):
                lately[draft.session] = before(draft.session)
            text = Clean(self.answered(said, lately.get(draft.session, ())))
            text.by = self
            lately[draft.session] = (text,)
            kept.append(self.turn(draft._replace(content=text)))
        return kept

    def answered(self, text: str, lately: Sequence[str]) -> str:
        """`text` as it may be kept where `lately` was said before it, oldest first."""
        from loxodon.guard.secret_checks import answer

        clean = self.clean(text)
        if not lately or not answer(text):
            return clean
        for n, question in enumerate(reversed(lately)):
            without = self.taken(text, question).text
            if without != clean and (n == 0 or without == lately[-1]):
                return without
        return clean

    def turn(self, said: Said) -> Said:
        """A turn that the journal is about to get."""
        text = said.content
        content = text if getattr(text, "by", None) is self else self.clean(text)
        named = ("session", "speaker", "channel", "id")
        names: dict[str, Any] = {name: self.name(getattr(said, name)) for name in named}
        return said._replace(content=content, **names)

    def fields(self, fields: Mapping[str, Any], before: Record | None = None) -> dict[str, Any]:
        """Fields of a memory as they may be kept."""
        found, old, given = dict(fields), "", "low"
        if before is not None:
            # All that it said, the longest first: what masks may stand for
            texts = (before.content, before.value, before.subject, before.topic, before.project)
            old, given = "\n".join((*texts, *before.tags, *before.entities)), before.sensitivity
        level = SENSITIVITIES.index(found.get("sensitivity", given))
        known = level
        for name in _TEXTS:
            if isinstance(found.get(name), str):
                taken = self.taken(self.restored(found[name], old))
                found[name] = taken.text
                level = max(level, SENSITIVITIES.index(taken.sensitivity))
        for name in _LISTS:
            if name in found:
                names = (self.name(self.restored(one, old)) for one in found[name])
                found[name] = tuple(dict.fromkeys(names))
        if level > known:
            found["sensitivity"] = SENSITIVITIES[level]
        return found

    def record(self, record: Record) -> Record:
        """A new memory as it may be kept."""
        return record._replace(**self.fields(record._asdict()))

    def chunk(self, chunk: Chunk) -> Chunk:
        """A piece of a file as it may be kept."""
        heading, project, *triggers = map(
            self.name, (chunk.heading, chunk.project, *chunk.triggers)
        )
        text = self.clean(chunk.text)
        return chunk._replace(text=text, heading=heading, project=project, triggers=tuple(triggers))

    def value(self, value: Any) -> Any:
        """Any JSON value with its texts as they may be kept."""
        return _each(value, self.clean)

    # On the way out

    def shown(
        self, text: str, private: bool, reveal: bool = False, masked: dict[str, str] | None = None
    ) -> str:
        """`text` as it may be shown; `masked` gets what is hidden in it, with its mask."""
        signs = _IDENTITY if private else _IDENTITY + _CONTACT
        if self._usual and not re.search(signs, re.sub(_NO_NUMBERS, " ", text)):
            return text
        actions, masks = self.policy.actions, {} if masked is None else masked

        def mask(it: str, one: Detection) -> str:
            masks[it] = (_marker if actions[one.kind] == "never" else mask_of)(it, one)
            return masks[it]

        def is_hidden(one: Detection) -> bool:
            is_open = reveal or (private and one.family not in ("identity", "secret"))
            return not is_open or actions[one.kind] == "never"

        for _ in range(_ROUNDS):
            hidden = list(filter(is_hidden, self._outgoing.found(text)))
            if not hidden:
                break
            text = _put(text, hidden, mask)
        return text

    def shown_value(self, value: Any, private: bool, reveal: bool = False) -> Any:
        """Any JSON value with its texts as they may be shown."""
        seen: dict[str, str] = {}  # lists repeat names, kinds and topics
        masked: dict[str, str] = {}

        def change(text: str) -> str:
            if text not in seen:
                ours = _ID.fullmatch(text)
                seen[text] = text if ours else self.shown(text, private, reveal, masked)
            return seen[text]

        found = _each(value, change)
        telling = {it: mask for it, mask in masked.items() if len(it) >= _TELLING and it in seen}
        return _each(found, lambda text: telling.get(text, text)) if telling else found

    def restored(self, new: str, old: str) -> str:
        """`new` with what `old` has in the place of each mask that stands for it."""
        if not old or "[" not in new:
            return new
        masks: dict[str, str] = {}
        for one in self._outgoing.found(old):
            it = old[one.start : one.end]
            masks[mask_of(it, one)] = it
            new = new.replace(mask_of(it, one), it, 1)
        for mask, it in masks.items():
            new = new.replace(mask, it)
        return new


@lru_cache(maxsize=32)
def _shared(home: str, stamp: files.Stamp | None) -> Guard:
    """The guard of a home with a policy as it was at a moment, or of those without one."""

    def load() -> Policy:
        from loxodon.guard import policy

        return policy.load(home) if home else policy.built_in()

    return Guard(load, usual=not home)


def _each(value: Any, change: Callable[[str], str]) -> Any:
    """Any JSON value with its texts changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {
            change(name) if isinstance(name, str) else name: _told_by_name(name, one, change)
            for name, one in value.items()
        }
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return value._make(_each(one, change) for one in value)  # type: ignore[attr-defined]
    if isinstance(value, list | tuple):
        return type(value)(_each(one, change) for one in value)
    return value


def _told_by_name(name: object, text: Any, change: Callable[[str], str]) -> Any:
    """A value under a name, which may say what it is: `{"password": "…"}`."""
    if not isinstance(text, str) or not isinstance(name, str) or len(name) > _LONGEST_NAME:
        return _each(text, change)
    is_password = name.lower().endswith(("password", "passwd", "passphrase", "pwd"))
    head = f"{name}=" if is_password else f"{name}: "
    changed = change(head + text)
    return changed[len(head) :] if changed.startswith(head) else change(text)


_TEXTS = ("content", "subject", "attribute", "value", "project", "topic")
_LISTS = ("tags", "entities")


def _put(text: str, found: Iterable[Detection], instead: Callable[[str, Detection], str]) -> str:
    parts, at = [], 0
    for one in found:
        parts += [text[at : one.start], instead(text[one.start : one.end], one)]
        at = one.end
    return "".join((*parts, text[at:]))


def _marker(it: str, one: Detection) -> str:
    """What is kept in the place of what is not."""
    word = "secret" if one.family == "secret" else "removed"
    return f"[{word}: {one.kind.replace('-', ' ')}]"


def mask_of(it: str, one: Detection) -> str:
    """What is shown in the place of something: its kind, and enough to know which it is."""
    label = one.kind.replace("-", " ")
    if one.kind == "mail" and "@" in it:
        return f"[{label} {it[0]}{DOTS}@{it.partition('@')[2]}]"
    if one.family == "secret":
        return f"[{label} {DOTS}]"
    if one.kind == "address":
        return f"[{label}]"
    plain = "".join(c for c in it if c.isalnum())
    kept = plain[-4:] if len(plain) >= 10 else plain[-2:] if len(plain) >= 6 else ""
    return f"[{label} {DOTS}{kept}]"


# Whether a text may have anything in it that is masked, told without loading the rules: a recall
# from the shell shows a few lines, which mostly have nothing. The patterns are bounded, so that
# they take time in proportion to the text; `re` compiles those that are needed, and keeps them.

_NO_NUMBERS = (  # Dates that are no part of a longer number, times, and ids of ours
    r"(?<![\d+./-])(?<!\d[ )])(?:19|20)\d\d(?:([-./])\d\d?\1\d\d?)?(?:[T ]\d\d:\d\d(?::\d\d)?)?"
    r"(?![ )./-]{0,2}\d)|(?<!\d)\d\d:\d\d(?::\d\d)?(?!\d)|\b[a-z]_\d{1,9}\b"
)
_IDENTITY = (  # Digits enough for a number, characters in disguise, and names of shorter numbers
    r"\d(?:[ ./()-]{0,3}[A-Za-z]?\d){5}|\d{5}|[A-Za-z]{2}\d\d ?[A-Za-z\d]{3}|%\d|&#|&\w{2,8};"
    r"|[\u200b-\u200f\u2060\ufeff\xad\\\x1bＡ-Ｚａ-ｚ]|身份证|驾[驶照]|护照"
    r"|(?i:ssn|social sec|licen|medicare|passport)"
)
_CONTACT = (
    r"|(?i:\d|[@＠]|at ?[\])]|_at_| at [a-z0-9-]{2,40}[ _]?(?:dot|点)|艾特|[微薇威v]信|加v"
    r"|(?:(?:zero|oh?|one|two|three|four|five|six|seven|eight|nine|double|triple|treble|hundred)\b"
    r"[ ,-]{1,3}){4}|[零〇一幺二两三四五六七八九]{3}|wechat|wxid)"
)
