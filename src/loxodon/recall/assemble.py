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
from typing import TYPE_CHECKING

from loxodon.guard.provenance import OWN, origin_label, shown_origin, voice
from loxodon.messages import t
from loxodon.recall.fit import snippet, who
from loxodon.recall.gate import Known, State, should_recall
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text import quote
from loxodon.text.language import language_of
from loxodon.text.words import fold
from loxodon.tokens import cut
from loxodon.types import CAPTURED, Frame, FramePart, LeftOut, Recall, Turn

if TYPE_CHECKING:
    from loxodon.opening import OpenSpace

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


def assemble(
    space: OpenSpace,
    store: Store,
    message: str,
    soul: str,
    history: Iterable[str | Mapping[str, object]],
    audience: str | None,
    state: State,
    known: Known | None,
    ask: Ask,
    budget: int,
) -> Frame:
    """The frame of a message: at most `budget` tokens, or the message alone where that has more."""
    language, count, now = language_of(message), space.count, space.now()
    gate = should_recall(message, state, known)
    last = f"{_heading('message', language)}\n{quote.last(message)}"
    whole = room = max(0, budget - count(last))
    found: dict[str, str] = {}  # the parts, each with its heading

    def most(name: str) -> int:
        """The tokens that a part may take, beside its heading."""
        return min(int(whole * _SHARES[name]), room) - count(_heading(name, language)) - 2

    def put(name: str, text: str) -> None:
        nonlocal room
        if text:
            found[name] = text if name == "memories" else f"{_heading(name, language)}\n{text}"
            room = max(0, room - count(found[name]) - 2)

    soul = soul.strip()
    kept = cut(soul, most("soul"), count) if soul and most("soul") > 0 else ""
    put("soul", kept)
    profile = space.shown(_profile_of(store, now, language, audience))
    lines = [line for line in profile.splitlines() if line.strip()]
    first: list[str] = []
    left_of_profile = most("profile")
    for line in lines:
        left_of_profile -= count(line) + 1
        if left_of_profile < 0:
            break
        first.append(line)
    while first and first[-1].startswith("#"):  # a heading without a line behind it
        first.pop()
    # What is no heading is somebody's words.
    put("profile", "\n".join(one if one.startswith("#") else quote.clean(one) for one in first))
    texts = (one if isinstance(one, str) else one.get("content") for one in history)
    seen = frozenset(fold(text) for text in (*texts, message) if isinstance(text, str))
    recent = _recent_turns(store, now, audience)
    fresh = [turn for turn in recent if fold(turn.content) not in seen]
    told, listed = _listed(fresh, most("recent"), space, now, language)
    put("recent", "\n".join(listed))
    left = [
        LeftOut("soul", int(kept != soul)),
        LeftOut("profile", sum(not one.startswith("#") for one in lines[len(first) :])),
        LeftOut("recent", len(fresh) - len(told)),
    ]
    recall: Recall | None = None
    if gate.recall:
        in_full = {turn.ref for turn in told if len(turn.content) <= _TURN}
        recall = ask(min(space.config.recall.budget, room), seen | in_full)
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


def _heading(name: str, language: str) -> str:
    """The line above a part; the agent's own and the message are no data."""
    if name in ("soul", "message"):
        return quote.mark(name, language)
    about = t("what was said today and yesterday", language) if name == "recent" else ""
    return quote.heading(name, language, about)


def _listed(
    turns: Sequence[Turn], room: int, space: OpenSpace, now: datetime, language: str
) -> tuple[list[Turn], list[str]]:
    """The newest turns that fit, in order of time, and their lines under the day of each."""
    count, shown = space.count, space.shown
    told: list[Turn] = []
    lines: list[str] = []
    day = ""
    for turn in reversed(turns):
        at = turn.at.astimezone(now.tzinfo)
        said = quote.line(snippet(turn.content, (), _TURN, shown))
        from_where = origin_label(shown_origin(turn), language) if turn.role == "user" else ""
        said_by = who(shown(voice(turn)), language)
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


def _profile_of(store: Store, now: datetime, language: str, audience: str | None) -> str:
    """The core of what is known of the user, as it is now; of what a group may hear in a group.

    Not the page that consolidation renews once a week: what was put away since must not be told.
    """
    from loxodon.consolidate.profile import core, profile_text  # a recall has no use for them

    where = Filter(state="active", audience=audience, trust=OWN)
    chosen = core(store.find(where, _KNOWN, strongest=True), now)
    return profile_text(chosen, (), "", language).split("\n", 2)[2] if chosen else ""


def _recent_turns(store: Store, now: datetime, audience: str | None) -> list[Turn]:
    """What people and the agent said today and yesterday, oldest first; not what was captured,
    which is a memory in the first place, nor what was put away by hand."""
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
