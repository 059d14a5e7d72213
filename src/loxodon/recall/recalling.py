"""Text for prompts: recall, frames, snapshot, profile."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal, cast

from loxodon import config as settings
from loxodon.fields import choice, filter_of, is_text, moment, number
from loxodon.recall.pipeline import recall
from loxodon.recall.understand import needed
from loxodon.text.language import language_of
from loxodon.text.words import fold
from loxodon.types import KINDS, Chat, Frame, Gate, Kind, Recall
from loxodon.verbs import (
    HISTORY,
    REVEAL,
    About,
    Arg,
    Budget,
    InChat,
    InProject,
    Language,
    Message,
    OnTopic,
    Previous,
    Query,
    Route,
    Since,
    Top,
    Until,
    WithTag,
    verb,
)

if TYPE_CHECKING:
    from loxodon.consolidate.embedding import Embedders
    from loxodon.memory import Memory
    from loxodon.opening import OpenSpace
    from loxodon.recall.gate import State
    from loxodon.recall.gate import State as Conversation
    from loxodon.store.store import Store


class Recalling:
    """The verbs of `Memory` that give text for prompts, of what the caller can see."""

    _space: OpenSpace
    _store: Store
    _embedders: Embedders
    _used: set[str]

    def _heard_in(self, chat: Chat) -> Recalling:
        """The same memory as a chat may hear it."""
        return cast("Memory", self).within(chat=chat)

    @property
    def _audience(self) -> str | None:
        """The audience of the result, as a filter value."""
        return None if self._space.chat == "direct" else "group"

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
        query: Query,
        top: Top = None,
        budget: Budget = None,
        *,
        kind: Annotated[Kind | Literal["turn", "note"] | None, Arg("only this kind")] = None,
        project: InProject = None,
        topic: OnTopic = None,
        tag: WithTag = None,
        entity: About = None,
        since: Since = None,
        until: Until = None,
        as_of: Annotated[datetime | None, Arg("what was known at this time")] = None,
        profile: Annotated[str | None, Arg("use this ranking (setting recall.profile)")] = None,
        chat: InChat = "direct",
        in_view: Annotated[
            Iterable[str],
            Arg("what the agent already sees: turns by text or ref, memories by id, files by name"),
        ] = (),
        here: Annotated[
            str, Arg("the project you are in: what belongs to another comes last, with its name")
        ] = "",
        reveal: Annotated[bool, Arg(REVEAL.about)] = False,
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
        where = filter_of(
            self._space.zone,
            kind=kind,
            project=project,
            topic=topic,
            tag=tag,
            entity=entity,
            since=since,
            until=until,
            audience=heard._audience,
        )
        space, config = heard._space, self._space.config.recall
        profile = config.profile if profile is None else profile
        choice("profile", profile, settings.PROFILES)
        room = config.budget if budget is None else number("budget", budget)
        direct, guard = space.chat == "direct", space.guard
        questioner = self._embedders.questioner()
        with heard._store.reading():
            found = recall(
                heard._store,
                query,
                where,
                top=None if top is None else number("top", top),
                usual=config.top,
                budget=room,
                now=space.now(),
                count=space.count,
                # Without text that must not leave the memory
                meaning=(lambda text: questioner.ask(guard.clean(text))) if questioner else None,
                as_of=moment("as_of", as_of, self._space.zone),
                profile=profile,
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
        from loxodon.recall.context import unfound

        names = requests.unfound(self._store, found.query, self._space.now())
        lines = [unfound(self._space.shown(name), language) for name in names]
        context = "\n".join(filter(None, (*lines, found.context)))
        tokens = self._space.count(context) if lines else found.tokens
        return found._replace(context=context, tokens=tokens) if tokens <= budget else found

    @verb("POST /context", audit="reads", explained=True, name="context")
    def assemble(
        self,
        message: Message,
        *,
        soul: Annotated[
            str | None, Arg("description of the agent (default: SOUL.md in the home)")
        ] = None,
        workspace: str | os.PathLike[str] | None = None,
        history: Annotated[
            Iterable[str | Mapping[str, object]],
            Arg("messages of this conversation that the agent has", HISTORY),
        ] = (),
        chat: InChat = "direct",
        state: Annotated[Conversation | None, Previous] = None,
        top: Annotated[int | None, Arg("maximum number of memories (10)")] = None,
        budget: Annotated[
            int | None, Arg("maximum number of tokens (4000)", flag="--budget TOKENS")
        ] = None,
    ) -> Frame:
        """Return everything an agent should see before it replies to a message.

        It contains the soul (given, or SOUL.md in `workspace` or the home), the user's profile,
        related memories if the gate decides to recall, what was said today and yesterday, and the
        message. It has at most `budget` tokens (default 4,000), or is the message alone if that
        has more.

        `history` is what the agent already has of this conversation, as texts or `{"role",
        "content"}`; it is not repeated. With the `state` of the previous frame, memories come once
        per topic; without it, with every message that asks for them. In a group `chat`, nothing
        private is included.
        """
        from loxodon.recall import assemble as frames
        from loxodon.recall.gate import State

        is_text("message", message)
        heard, state = self._heard_in(chat), state or State()
        space, config = heard._space, self._space.config.recall
        if soul is None:
            soul = frames.soul_in([*([os.fspath(workspace)] if workspace else []), space.home])
        now, audience = space.now(), heard._audience
        with heard._store.reading():
            material = frames.Material(
                message,
                soul,
                frames.profile_of(heard._store, now, language_of(message), audience),
                frames.recent_turns(heard._store, now, audience),
                frames.texts_of(history),
                now,
                space.shown,
            )
            frame = frames.assemble(
                material,
                heard._knowing(state),
                lambda room, seen: self.recall(message, top, room, chat=chat, in_view=seen),
                config.frame if budget is None else number("budget", budget),
                config.budget,
                space.count,
            )
        return frame._replace(state=frame.state._replace(names=state.names))

    @verb("POST /gate")
    def gate(
        self,
        message: Message,
        *,
        chat: InChat = "direct",
        state: Annotated[Conversation | None, Previous] = None,
    ) -> Gate:
        """Say whether a message is worth a recall, and why."""
        from loxodon.recall.gate import State, should_recall

        is_text("message", message)
        heard = self._heard_in(chat)
        with heard._store.reading():
            return should_recall(message, heard._knowing(state or State()))

    def _knowing(self, state: State) -> State:
        """The state of a conversation, with the names this memory knows."""
        if state.names or self._audience is not None:  # whom a group asks about is no secret to it,
            return state  # whom we know may be
        return state._replace(names=self._store.entities_named)

    @verb("GET /snapshot", audit="reads", field="snapshot")
    def snapshot(
        self,
        language: Language = "en",
        *,
        project: Annotated[str, Arg("only what is general, or of this project")] = "",
    ) -> str:
        """Return what a conversation should start with, as Markdown."""
        from loxodon.consolidate.snapshot import kept_snapshot, material, written

        space = self._space
        with self._store.reading():
            found = material(self._store, space.config, space.now(), project)
            kept = None if project else kept_snapshot(found, language)
            if kept is None:
                kept = written(found, space.count, language)
        return space.shown(kept)

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
    def profile(self, language: Language = "en", *, refresh: bool = False) -> str:
        """Return the core facts about the user, as Markdown.

        Consolidation rebuilds it once a week; `refresh` rebuilds it now.
        """
        from loxodon.consolidate.consolidation import model_reader
        from loxodon.consolidate.profile import profile, profiles, put_profiles

        now, judge = self._space.now(), model_reader(self._space)
        if refresh:
            self._space.for_owner()  # the stored page is the owner's
            pages = profiles(self._store, now, judge)
            with self._store.writing():
                put_profiles(self._store, pages, now)
        return self._space.shown(profile(self._store, now, language, judge))
