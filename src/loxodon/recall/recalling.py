"""Text for prompts: recall, frames, snapshot, profile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from datetime import datetime, timedelta
from functools import cache, partial
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Annotated, Literal, Unpack, cast

from loxodon import config as settings
from loxodon import verbs
from loxodon.fields import choice, filter_of, is_text, moment, number
from loxodon.guard.provenance import OWN, origin_label, shown_origin, voice
from loxodon.messages import t
from loxodon.opening import OpenSpace
from loxodon.recall.fit import snippet, who
from loxodon.recall.gate import State, should_recall
from loxodon.recall.pipeline import recall
from loxodon.recall.understand import needed
from loxodon.store import Filter
from loxodon.text import quote
from loxodon.text.language import language_of
from loxodon.text.words import fold
from loxodon.tokens import cut
from loxodon.types import CAPTURED, KINDS, Chat, Frame, FramePart, Gate, Kind, LeftOut, Recall, Turn
from loxodon.verbs import HISTORY, REVEAL, Arg, Route, verb

if TYPE_CHECKING:
    from loxodon.consolidate.embedding import Embedders
    from loxodon.memory import Memory
    from loxodon.store.store import Store


_LARGEST_FILE = 1 << 18
# The most that these parts may take of what the message leaves
_SHARES = {"soul": 0.25, "profile": 0.2, "recent": 0.3}
_TURNS = 200  # turns that are looked at for the recent context
_TURN = 300  # characters of one of them that are shown
_KNOWN = 200  # the strongest memories, of which the profile tells what matters
_IN_ORDER = ("soul", "profile", "memories", "recent")
_LEAST = ("recent", "profile", "soul", "memories")  # what goes first, should all be over the budget
_NAME = 60  # characters of what is asked to be forgotten


class Recalling(OpenSpace):
    """The verbs of `Memory` that give text for prompts, of what the caller can see."""

    _embedders: Embedders
    _used: set[str]
    _snapshots: Mapping[tuple[str, ...], str] = {}  # good for an hour, while no memory changes

    def _heard_in(self, chat: Chat) -> Recalling:
        return cast("Memory", self).within(chat=chat)

    @property
    def _audience(self) -> str | None:
        return None if self.chat == "direct" else "group"

    @verb(
        "POST /recall",
        Route(
            "GET /recall", name="recall_by_query", about="The same, with all fields in the query."
        ),
        audit="reads",
        explained=True,
    )
    def recall(
        self,
        query: verbs.Query,
        top: verbs.Top = None,
        budget: verbs.Budget = None,
        *,
        kind: Annotated[Kind | Literal["turn", "note"] | None, Arg("only this kind")] = None,
        as_of: Annotated[datetime | None, Arg("what was known at this time")] = None,
        profile: Annotated[str | None, Arg("use this ranking (setting recall.profile)")] = None,
        chat: verbs.InChat = "direct",
        in_view: Annotated[
            Iterable[str],
            Arg("what the agent already sees: turns by text or ref, memories by id, files by name"),
        ] = (),
        here: Annotated[
            str, Arg("the project you are in: what belongs to another comes last, with its name")
        ] = "",
        reveal: Annotated[bool, Arg(REVEAL.about)] = False,
        **where: Unpack[verbs.Where],
    ) -> Recall:
        """Search the memory. Returns items, best first, and a block of text for an agent.

        Returns at most `top` items (default 10; 20 for a question that asks for a list) and a block
        of at most `budget` tokens (default 1,000) for an agent. Items are memories, turns and notes
        from files. A turn is not shown together with the memory drawn from it, nor if that memory
        was archived. `kind` may also be `turn` or `note`. A query is plain text without syntax.
        `profile` selects another ranking: `default`, `phase1`, `openclaw` or `tiered`.

        In a group `chat`, nothing private is returned or counted: no private memory, no turn of a
        direct chat, no note. `in_view` lists turns that the agent already sees, by text or ref, and
        memories by id. They are not returned, and neither are memories drawn from such turns alone.

        Identity and card numbers are masked, unless the owner sets `reveal`. In a group chat,
        phone numbers, email addresses and postal addresses are masked too.
        """
        is_text("query", query)
        heard = self._heard_in(chat)
        asked = filter_of(self.zone, kind=kind, audience=heard._audience, **where)
        config, guard, direct = self.config.recall, heard.guard, heard.chat == "direct"
        if profile is not None:
            choice("profile", profile, settings.known("recall.profile").choices)
        room = config.budget if budget is None else number("budget", budget)
        with heard._store.reading():
            found = recall(
                heard,
                query,
                asked,
                top=None if top is None else number("top", top),
                budget=room,
                meaning=lambda text: self._embedders.ask(text, guard.clean),
                as_of=moment("as_of", as_of, self.zone),
                profile=profile or config.profile,
                in_view=frozenset(map(fold, in_view)),
                here=here,
                shown=cache(lambda text: guard.shown(text, direct, reveal)),
            )
            found = heard._with_unfound(found, room) if direct else found
        if as_of is None and not found.unsure:
            self._used.update(item.id for item in found.items if item.kind in KINDS)
        return found

    def _with_unfound(self, found: Recall, budget: int) -> Recall:
        """A recall that says so where the message asks to forget what nobody ever spoke of."""
        language = language_of(found.query)
        if not needed(language, "FORGET", fold(found.query)):
            return found
        from loxodon.forget import requests

        lines = []
        for name in requests.unfound(self._store, found.query, self.now()):
            about = t(
                "the user asks to forget “{what}”: nothing about it was found, and nothing was "
                "forgotten",
                language,
                what=quote.line(self.shown(name), _NAME),
            )
            lines.append(quote.heading("memories", language, about))
        context = "\n".join(filter(None, (*lines, found.context)))
        tokens = self.count(context) if lines else found.tokens
        return found._replace(context=context, tokens=tokens) if tokens <= budget else found

    @verb("POST /context", audit="reads", explained=True, name="context")
    def assemble(
        self,
        message: verbs.Message,
        *,
        soul: Annotated[
            str | None, Arg("description of the agent (default: SOUL.md in the home)")
        ] = None,
        workspace: str | os.PathLike[str] | None = None,
        history: Annotated[
            Iterable[str | Mapping[str, object]],
            Arg("messages of this conversation that the agent has", HISTORY),
        ] = (),
        chat: verbs.InChat = "direct",
        state: Annotated[State | None, verbs.Previous] = None,
        top: Annotated[int | None, Arg("maximum number of memories (10)")] = None,
        budget: Annotated[
            int | None, Arg("maximum number of tokens (4000)", flag="--budget TOKENS")
        ] = None,
    ) -> Frame:
        """Return everything an agent should see before it replies to a message.

        It contains the soul (given, or SOUL.md in `workspace` or the home), USER.md there and the
        user's profile, related memories if the gate decides to recall, the notes (memory/DAY.md)
        and talk of today and yesterday, and the message. It has at most `budget` tokens (default
        4,000), or is the message alone if that has more.

        `history` is what the agent already has of this conversation, as texts or `{"role",
        "content"}`; it is not repeated. With the `state` of the previous frame, memories come once
        per topic; without it, with every message that asks for them. In a group `chat`, nothing
        private is included.
        """
        is_text("message", message)
        heard = self._heard_in(chat)
        folders = [*([os.fspath(workspace)] if workspace else []), heard.home]
        soul = _file_in(folders, "SOUL.md") if soul is None else soul
        read = partial(_file_in, () if heard.wall.stands else folders)
        whole = self.config.recall.frame if budget is None else number("budget", budget)
        ask = partial(self.recall, message, top, chat=chat)
        with heard._store.reading() if self.config.enabled else nullcontext():
            return _frame(heard, message, soul, read, history, state or State(), ask, whole)

    @verb("POST /gate")
    def gate(
        self,
        message: verbs.Message,
        *,
        chat: verbs.InChat = "direct",
        state: Annotated[State | None, verbs.Previous] = None,
    ) -> Gate:
        """Say whether a message is worth a recall, and why."""
        is_text("message", message)
        return should_recall(message, state or State(), self._heard_in(chat)._known_names())

    def _known_names(self) -> Callable[[Iterable[str]], Iterable[str]] | None:
        """The names of entities and projects; none in a group, where they may be private."""
        named = self._store.named
        return None if self._audience else lambda names: chain(*named(names)[:2])

    @verb("GET /snapshot", audit="reads", field="snapshot")
    def snapshot(
        self,
        language: verbs.Language = "en",
        *,
        project: Annotated[str, Arg("only what is general, or of this project")] = "",
    ) -> str:
        """Return what a conversation should start with, as Markdown."""
        from loxodon.consolidate.pages import kept_snapshot, material, written

        store, now = self._store, self.now()
        with store.reading():
            state = store.scalar("memories_version"), f"{now:%Y-%m-%d %H}", language, project
            if (text := self._snapshots.get(state)) is None:
                found = material(store, self.config, now, project)
                kept = None if project else kept_snapshot(found, language)
                text = self.shown(written(found, self.count, language) if kept is None else kept)
                self._snapshots = dict([*self._snapshots.items(), (state, text)][-4:])
            return text

    @verb(
        "GET /profile",
        Route(
            "POST /profile",
            name="refresh_profile",
            about="Rebuild the profile and return it.",
            access="owner",
            fixed={"refresh": True},
        ),
        audit="reads",
        field="profile",
    )
    def profile(self, language: verbs.Language = "en", *, refresh: bool = False) -> str:
        """Return the core facts about the user, as Markdown.

        Consolidation rebuilds it once a week; `refresh` rebuilds it now.
        """
        from loxodon.consolidate.consolidation import model_reader
        from loxodon.consolidate.pages import profile, renew_profile

        now = self.now()
        if refresh:
            self._store.for_owner()  # the stored page is the owner's
            renew_profile(self._store, now, model_reader(self))
        return self.shown(profile(self._store, now, language))


def _frame(
    heard: Recalling,
    message: str,
    soul: str,
    read: Callable[[str], str],
    history: Iterable[str | Mapping[str, object]],
    state: State,
    ask: Callable[..., Recall],
    budget: int,
) -> Frame:
    """The frame of a message: at most `budget` tokens, or the message alone where that has more.

    The message takes what it needs, each other part has a share of the rest, and the memories get
    what the others leave: `ask` recalls within so many tokens, without what is in view.
    """
    store, audience = heard._store, heard._audience
    language, count, now = language_of(message), heard.count, heard.now()
    gate = should_recall(message, state, heard._known_names())
    last = f"{_heading('message', language)}\n{quote.last(message)}"
    whole = room = max(0, budget - count(last))
    found: dict[str, str] = {}  # the parts, each with its heading
    left: list[LeftOut] = []

    def most(name: str) -> int:
        """The tokens that a part may take, beside its heading."""
        return min(int(whole * _SHARES[name]), room) - count(_heading(name, language)) - 2

    def put(name: str, text: str, missing: int = 0) -> None:
        nonlocal room
        left.append(LeftOut(name, missing))
        if text:
            found[name] = text if name == "memories" else f"{_heading(name, language)}\n{text}"
            room = max(0, room - count(found[name]) - 2)

    kept = cut(soul.strip(), most("soul"), count)
    put("soul", kept, int(kept != soul.strip()))
    # Not the page that consolidation renews once a week: what was put away since is not told.
    from loxodon.consolidate.pages import core, profile_text  # a recall has no use for them

    where = Filter(state="active", audience=audience, trust=OWN)
    own = cut(read("USER.md").replace("#", ""), most("profile") // 2, count)
    stored = store.find(where, _KNOWN, strongest=True) if heard.config.enabled else []
    known = [one for one in core(stored, now) if one.content not in own]
    profile = profile_text(known, (), "", language).split("\n", 2)[2] if known else ""
    lines = [one for one in heard.shown(f"{own}\n{profile}").splitlines() if one.strip()]
    for_profile, sizes = most("profile"), accumulate(count(line) + 1 for line in lines)
    first = [line for line, size in zip(lines, sizes, strict=True) if size <= for_profile]
    while first and first[-1].startswith("#"):  # a heading without a line behind it
        first.pop()
    # What is no heading is somebody's words.
    told = [one if one.startswith("#") else quote.clean(one) for one in first]
    put("profile", "\n".join(told), sum(not one.startswith("#") for one in lines[len(first) :]))
    texts = (one if isinstance(one, str) else one.get("content") for one in history)
    seen = frozenset(fold(text) for text in (*texts, message) if isinstance(text, str))
    fresh = _recent_turns(store, now, audience) if heard.config.enabled else []
    fresh = [one for one in fresh if fold(one.content) not in seen]
    days = (f"{now - timedelta(days=n):%Y-%m-%d}" for n in (1, 0))
    notes = "\n".join(f"{one}\n{text}" for one in days if (text := read(f"memory/{one}.md")))
    notes = cut(notes, most("recent") // 2, count)
    daily = quote.clean(heard.shown(notes))
    imported = (one for one in fresh if one.origin == "import")  # such notes are turns too
    noted = {one.ref for one in imported if all(o in notes for o in one.content.splitlines())}
    fresh = [one for one in fresh if one.ref not in noted]
    recent, listed = _listed(fresh, most("recent") - count(daily), heard, now, language)
    put("recent", "\n".join(filter(None, (daily, *listed))), len(fresh) - len(recent))
    recall: Recall | None = None
    if gate.recall:
        in_full = noted | {turn.ref for turn in recent if len(turn.content) <= _TURN}
        recall = ask(min(heard.config.recall.budget, room), in_view=seen | in_full)
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
        tuple(one for one in left if one.number),
        state.after(message, gate),
        tuple(FramePart(name, count(part)) for name, part in parts.items()),
        budget,
    )


def _heading(name: str, language: str) -> str:
    """The line above a part; the agent's own and the message are no data."""
    if name in ("soul", "message"):
        return quote.marks(language)[name]
    about = t("what was said today and yesterday", language) if name == "recent" else ""
    return quote.heading(name, language, about)


def _listed(
    turns: Sequence[Turn], room: int, space: OpenSpace, now: datetime, language: str
) -> tuple[Sequence[Turn], list[str]]:
    """The newest turns that fit, in order of time, and their lines under the day of each."""
    count, shown = space.count, space.shown
    days: dict[str, list[str]] = {}
    for turn in reversed(turns):
        at = turn.at.astimezone(now.tzinfo)
        said = quote.line(snippet(turn.content, (), _TURN, shown))
        from_where = origin_label(shown_origin(turn), language) if turn.role == "user" else ""
        said_by = who(shown(voice(turn)), language)
        said_by += f" ({from_where})" if from_where else ""
        line, day = f"- {at:%H:%M} {said_by}: {said}", f"{at:%Y-%m-%d}"
        room -= count(line) + 1 + (count(day) + 1 if day not in days else 0)
        if room < 0:
            break
        days.setdefault(day, []).append(line)
    told = sum(map(len, days.values()))
    lines = [line for day in reversed(days) for line in (day, *reversed(days[day]))]
    return turns[len(turns) - told :], lines


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


def _file_in(folders: Iterable[str], name: str) -> str:
    """What a file says in the first of these folders that has one."""
    for folder in folders:
        # There may be none, or it is not for us to read
        with suppress(OSError), open(os.path.join(folder, name), "rb") as file:
            return file.read(_LARGEST_FILE).decode("utf-8-sig", "replace").strip()
    return ""
