"""Assemble: builds the whole frame that an agent sees before it replies, as one text.

    [System]             who the agent is: SOUL.md
    [About the user]     the profile
    [Related memories]   the result of the gate and the recall
    [Recent context]     what was said today and yesterday
    [User message]       the message itself, whole

The budget covers everything: the message takes what it needs, each other part has a share of the
rest, and the memories get what the others leave. In a group chat nothing private is in it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
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
_SHARES = {"soul": 0.25, "profile": 0.2, "recent": 0.3}
_TURNS = 200  # turns that are looked at for the recent context
_TURN = 300  # characters of one of them that are shown
_KNOWN = 200  # the strongest memories, of which the profile tells what matters
_IN_ORDER = ("soul", "profile", "memories", "recent")
_LEAST = ("recent", "profile", "soul", "memories")  # what goes first, should all be over the budget

# Recalls for the message, within a budget, without what is in view
Ask = Callable[[int, frozenset[str]], Recall]


class Material(NamedTuple):
    """What a frame is made of."""

    message: str
    soul: str
    profile: str  # in the language of the message
    recent: Sequence[Turn]  # what was said today and yesterday, oldest first
    history: Sequence[str]  # what the agent has before it of this conversation
    now: datetime
    shown: Callable[[str], str] = str  # how a text may be shown


def assemble(
    material: Material, state: State, ask: Ask, budget: int, recall_budget: int, count: Counter
) -> Frame:
    """The frame of a message: at most `budget` tokens, or the message alone where that has more."""
    message, shown = material.message, material.shown
    language = language_of(message)
    gate = should_recall(message, state)
    last = f"{heading('message', language)}\n{quote.last(message)}"
    whole = room = max(0, budget - count(last))
    found: dict[str, str] = {}  # the parts, each with its heading

    def most(name: str) -> int:
        """The tokens that a part may take, beside its heading."""
        return min(int(whole * _SHARES[name]), room) - count(heading(name, language)) - 2

    def put(name: str, text: str) -> None:
        nonlocal room
        if text:
            found[name] = text if name == "memories" else f"{heading(name, language)}\n{text}"
            room = max(0, room - count(found[name]) - 2)

    soul = material.soul.strip()
    kept = cut(soul, most("soul"), count) if soul and most("soul") > 0 else ""
    put("soul", kept)
    lines = [line for line in shown(material.profile).splitlines() if line.strip()]
    first = _first(lines, most("profile"), count)
    # What is no heading is somebody's words.
    put("profile", "\n".join(one if one.startswith("#") else quote.clean(one) for one in first))
    seen = frozenset(map(fold, (*material.history, message)))
    fresh = [turn for turn in material.recent if fold(turn.content) not in seen]
    told, listed = _recent(fresh, most("recent"), count, material, language)
    put("recent", "\n".join(listed))
    left = [
        LeftOut("soul", int(kept != soul)),
        LeftOut("profile", sum(not one.startswith("#") for one in lines[len(first) :])),
        LeftOut("recent", len(fresh) - len(told)),
    ]
    recall: Recall | None = None
    if gate.recall:
        in_full = {turn.ref for turn in told if len(turn.content) <= _TURN}
        recall = ask(min(recall_budget, room), seen | in_full)
        put("memories", recall.context)
        left += recall.left_out
        if not recall.gate.recall:  # the gate saw a reason, but there is no word to look for
            gate = recall.gate
    for name in (*_LEAST, ""):
        parts = {name: found[name] for name in _IN_ORDER if name in found} | {"message": last}
        text = "\n\n".join(parts.values())
        if count(text) <= budget:
            break
        if found.pop(name, None) and name != "memories":
            left.append(LeftOut(name, 1))
    bare = {name: text.partition("\n")[2] for name, text in found.items()}
    return Frame(
        message,
        language,
        gate,
        bare.get("soul", ""),
        bare.get("profile", ""),
        found.get("memories", ""),
        bare.get("recent", ""),
        text,
        count(text),
        recall,
        tuple(one for one in left if one.number > 0),
        state.after(message, gate),
        tuple(FramePart(name, count(part)) for name, part in parts.items()),
        budget,
    )


def heading(name: str, language: str) -> str:
    """The line above a part; the agent's own and the message are no data."""
    if name in ("soul", "message"):
        return quote.mark(name, language)
    about = t("what was said today and yesterday", language) if name == "recent" else ""
    return quote.heading(name, language, about)


def _first(lines: Sequence[str], room: int, count: Counter) -> list[str]:
    """The first lines that fit; a heading without a line behind it goes too."""
    kept: list[str] = []
    for line in lines:
        room -= count(line) + 1
        if room < 0:
            break
        kept.append(line)
    while kept and kept[-1].startswith("#"):
        kept.pop()
    return kept


def _recent(
    turns: Sequence[Turn], room: int, count: Counter, material: Material, language: str
) -> tuple[list[Turn], list[str]]:
    """The newest turns that fit, in order of time, and their lines under the day of each."""
    told: list[Turn] = []
    lines: list[str] = []
    day = ""
    for turn in reversed(turns):
        at = turn.at.astimezone(material.now.tzinfo)
        said = quote.line(snippet(turn.content, (), _TURN, material.shown))
        from_where = origin_label(shown_origin(turn), language) if turn.role == "user" else ""
        said_by = who(material.shown(voice(turn)), language)
        said_by += f" ({from_where})" if from_where else ""
        line, new_day = f"- {at:%H:%M} {said_by}: {said}", f"{at:%Y-%m-%d}"
        room -= count(line) + 1 + (count(new_day) + 1 if new_day != day else 0)
        if room < 0:
            break
        if day and new_day != day:
            lines.append(day)
        lines.append(line)
        told.append(turn)
        day = new_day
    return told[::-1], [*([day] if told else []), *reversed(lines)]


def profile_of(store: Store, now: datetime, language: str, audience: str | None) -> str:
    """The core of what is known of the user, as it is now; of what a group may hear in a group.

    Not the page that consolidation renews once a week: what was put away since must not be told.
    """
    from loxodon.consolidate.profile import core, profile_text  # a recall has no use for them

    where = Filter(state="active", audience=audience, trust=OWN)
    chosen = core(store.find(where, _KNOWN, strongest=True), now)
    return profile_text(chosen, (), "", language).split("\n", 2)[2] if chosen else ""


def recent_turns(store: Store, now: datetime, audience: str | None) -> list[Turn]:
    """What people and the agent said today and yesterday, oldest first.

    Not what was captured, which is a memory in the first place, nor what was put away by hand.
    """
    yesterday = (now - timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    where = Filter(since=yesterday, until=now + timedelta(milliseconds=1), audience=audience)
    turns = {
        int(turn.ref.removeprefix("t_")): turn
        for turn in store.journal(where, _TURNS)
        if turn.role in ("user", "assistant") and turn.channel != CAPTURED
    }
    for row, memories in store.outcomes(turns).items():
        if {*memories.values()} - {None} == {"put away"}:
            del turns[row]
    from loxodon.guard.quarantine import heard  # a recall mostly has no use for it

    return [turn for turn in heard(store, turns.values()) if turn.content.strip()]


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
