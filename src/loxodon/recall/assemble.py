"""Assemble: builds the whole frame that an agent sees before it replies, as one text.

    [System]             who the agent is: SOUL.md
    [About the user]     the profile
    [Related memories]   the result of the gate and the recall
    [Recent context]     what was said today and yesterday
    [User message]       the message itself, whole

Empty parts are omitted. The budget covers everything. The message takes what it needs. Each other
part has a share of the rest, and the memories get what the others leave, up to the recall's own
budget. In a group chat, no part contains anything private.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from loxodon.guard.provenance import OWN, origin_label, shown_origin, voice
from loxodon.messages import t
from loxodon.recall.context import snippet, who
from loxodon.recall.gate import State, should_recall
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text import quote
from loxodon.text.language import language_of
from loxodon.text.words import fold
from loxodon.tokens import Counter, cut
from loxodon.types import CAPTURED, Frame, FramePart, LeftOut, Recall, Turn

SOUL_FILE = "SOUL.md"
_LARGEST_SOUL = 1 << 18
# The most that these parts may take of what the message leaves
SOUL, PROFILE, RECENT = 0.25, 0.2, 0.3
_TURNS = 200  # Turns that are looked at for the recent context
_TURN = 300  # Characters of one of them that are shown

_KNOWN = 200  # The strongest memories, of which the profile tells what matters

# Which part goes first, should all together be over the budget
_LEAST = ("recent", "profile", "soul", "memories")

# Recalls for the message, within a budget, without what is in view
Ask = Callable[[int, frozenset[str]], Recall]


class Material(NamedTuple):
    """What a frame is made of."""

    message: str
    soul: str
    profile: str  # The profile in the language of the message
    recent: Sequence[Turn]  # What was said today and yesterday, oldest first
    # What the agent has before it of this conversation, and need not be told again
    history: Sequence[str]
    now: datetime
    shown: Callable[[str], str] = str  # How a text may be shown


def assemble(
    material: Material, state: State, ask: Ask, budget: int, recall_budget: int, count: Counter
) -> Frame:
    """The frame of a message: at most `budget` tokens, or the message alone where that has more."""
    message = material.message
    language = language_of(message)
    gate = should_recall(message, state)
    parts = _Parts(count, language, budget, message)
    parts.soul(material.soul)
    parts.profile(material.shown(material.profile))
    seen = frozenset(map(fold, (*material.history, message)))
    fresh = [turn for turn in material.recent if fold(turn.content) not in seen]
    told = parts.recent(fresh, material.now, material.shown)
    recall: Recall | None = None
    if gate.recall:
        room = min(recall_budget, parts.room)
        whole = {turn.ref for turn in told if len(turn.content) <= _TURN}
        recall = ask(room, seen | whole)  # of a turn that was cut, the rest may be what is asked
        parts.put("memories", recall.context, recall.tokens)
        parts.left += recall.left_out
        if not recall.gate.recall:  # the gate saw a reason, but there is no word to look for
            gate = recall.gate
    text, tokens = parts.text()
    found = parts.found
    return Frame(
        message,
        language,
        gate,
        found.get("soul", ""),
        found.get("profile", ""),
        found.get("memories", ""),
        found.get("recent", ""),
        text,
        tokens,
        recall,
        tuple(one for one in parts.left if one.number > 0),
        state.after(message, gate),
        parts.sizes(),
        budget,
    )


# --- The parts ------------------------------------------------------------------------------------


class _Parts:
    """The parts of a frame while they are put together, and the room that is left."""

    def __init__(self, count: Counter, language: str, budget: int, message: str) -> None:
        self.found: dict[str, str] = {}
        self.left: tuple[LeftOut, ...] = ()
        self._count = count
        self._language = language
        self._budget = budget
        self._message = f"{heading('message', language)}\n{quote.last(message)}"
        self._whole = self.room = max(0, budget - count(self._message))

    def put(self, name: str, text: str, tokens: int) -> None:
        if text:
            self.found[name] = text
            self.room = max(0, self.room - tokens - 1)

    def soul(self, text: str) -> None:
        text = text.strip()
        most = self._most("soul", SOUL)
        kept = cut(text, most, self._count) if text and most > 0 else ""
        self._put_headed("soul", kept)
        self.left += (LeftOut("soul", int(kept != text)),)

    def profile(self, text: str) -> None:
        """The first lines that fit; a heading without a line behind it goes too."""
        lines = [line for line in text.splitlines() if line.strip()]
        entries = [line for line in lines if not line.startswith("#")]
        kept = _first(lines, self._most("profile", PROFILE), self._count)
        while kept and kept[-1].startswith("#"):
            kept.pop()
        self._put_headed("profile", "\n".join(map(_profiled, kept)))
        shown = sum(not line.startswith("#") for line in kept)
        self.left += (LeftOut("profile", len(entries) - shown),)

    def recent(
        self, turns: Sequence[Turn], now: datetime, shown: Callable[[str], str]
    ) -> list[Turn]:
        """The newest turns that fit, in order of time; those that are told."""
        lines = [_turn_line(turn, now, self._language, shown) for turn in turns]
        days = [f"{turn.at.astimezone(now.tzinfo):%Y-%m-%d}" for turn in turns]
        room = self._most("recent", RECENT)
        kept = len(turns)
        while kept and room > 0:
            first = kept - 1
            new_day = first + 1 == len(turns) or days[first] != days[first + 1]
            room -= self._count(lines[first]) + 1 + (self._count(days[first]) + 1) * new_day
            if room < 0:
                break
            kept = first
        told = list(turns[kept:])
        listed: list[str] = []
        for n in range(kept, len(turns)):
            if n == kept or days[n] != days[n - 1]:
                listed.append(days[n])
            listed.append(lines[n])
        self._put_headed("recent", "\n".join(listed))
        self.left += (LeftOut("recent", kept),)
        return told

    def text(self) -> tuple[str, int]:
        """All parts in their order, and their tokens; over the budget, the least of them go."""
        while True:
            text = "\n\n".join(text for _, text in self._told())
            tokens = self._count(text)
            over = [name for name in _LEAST if name in self.found]
            if tokens <= self._budget or not over:
                return text, tokens
            del self.found[over[0]]
            if over[0] != "memories":
                self.left += (LeftOut(over[0], 1),)

    def sizes(self) -> tuple[FramePart, ...]:
        """What each part takes."""
        return tuple(FramePart(name, self._count(text)) for name, text in self._told())

    def _told(self) -> Iterator[tuple[str, str]]:
        """The parts in their order, each as it stands in the text."""
        for name in ("soul", "profile", "memories", "recent"):
            if text := self.found.get(name):
                headed = name != "memories"  # which have a heading of their own
                yield name, f"{heading(name, self._language)}\n{text}" if headed else text
        yield "message", self._message

    def _most(self, name: str, share: float) -> int:
        """The tokens that a part may take, beside its heading."""
        above = self._count(heading(name, self._language)) + 2
        return min(int(self._whole * share), self.room) - above

    def _put_headed(self, name: str, text: str) -> None:
        self.put(name, text, self._count(f"{heading(name, self._language)}\n{text}") + 1)


def heading(name: str, language: str) -> str:
    """The line above a part; the agent's own and the message are no data."""
    if name in ("soul", "message"):
        return quote.mark(name, language)
    about = t("what was said today and yesterday", language) if name == "recent" else ""
    return quote.heading(name, language, about)


def _first(lines: Sequence[str], room: int, count: Counter) -> list[str]:
    kept: list[str] = []
    for line in lines:
        room -= count(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


def _profiled(line: str) -> str:
    """A line of the profile: ours where it is a heading, somebody's words where it is not."""
    return line if line.startswith("#") else quote.clean(line)


def profile_of(store: Store, now: datetime, language: str, audience: str | None) -> str:
    """The core of what is known of the user, as it is now; of what a group may hear in a group.

    Not the page that consolidation renews once a week: what was put away since must not be told.
    """
    from loxodon.consolidate.pages.profile import core, profile_text  # a recall has no use for them

    where = Filter(state="active", audience=audience, trust=OWN)
    chosen = core(store.find(where, _KNOWN, strongest=True), now)
    return profile_text(chosen, (), "", language).split("\n", 2)[2] if chosen else ""


# --- What was said lately -------------------------------------------------------------------------


def since_yesterday(now: datetime) -> datetime:
    """When yesterday began where `now` is."""
    return (now - timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)


def recent_turns(store: Store, now: datetime, audience: str | None) -> list[Turn]:
    """What people and the agent said today and yesterday, oldest first.

    Not what was captured, which is a memory in the first place, nor what was put away by hand.
    """
    until = now + timedelta(milliseconds=1)
    where = Filter(since=since_yesterday(now), until=until, audience=audience)
    turns = {
        int(turn.ref.removeprefix("t_")): turn
        for turn in store.journal(where, _TURNS)
        if turn.role in ("user", "assistant") and turn.channel != CAPTURED
    }
    # Those of these turns of which every memory was put away by hand
    away = {
        row
        for row, memories in store.outcomes(turns).items()
        if {*memories.values()} - {None} == {"put away"}
    }
    from loxodon.guard.quarantine import heard  # a recall mostly has no use for it

    told = heard(store, (turn for row, turn in turns.items() if row not in away))
    return [turn for turn in told if turn.content.strip()]


def _turn_line(turn: Turn, now: datetime, language: str, shown: Callable[[str], str]) -> str:
    at = turn.at.astimezone(now.tzinfo)
    said = quote.line(snippet(turn.content, (), _TURN, shown))
    from_where = origin_label(shown_origin(turn), language) if turn.role == "user" else ""
    mark = f"({from_where})" if from_where else ""
    said_by = " ".join(filter(None, (who(shown(voice(turn)), language), mark)))
    return f"- {at:%H:%M} {said_by}: {said}"


# --- What is handed in ----------------------------------------------------------------------------


def soul_in(folders: Iterable[str]) -> str:
    """What SOUL.md says in the first of these folders that has one."""
    for folder in folders:
        try:
            with open(os.path.join(folder, SOUL_FILE), "rb") as file:
                return file.read(_LARGEST_SOUL).decode("utf-8-sig", "replace")
        except OSError:  # there is none, or it is not for us to read
            continue
    return ""


def texts_of(history: Iterable[str | Mapping[str, object]]) -> list[str]:
    """The words of messages, which come as text or as `{"role", "content"}`."""
    found = [one if isinstance(one, str) else one.get("content") for one in history]
    return [text for text in found if isinstance(text, str)]
