"""Text for prompts: recall, frames, snapshot, profile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from loxodon import config as settings
from loxodon.fields import choice
from loxodon.recall.questions import needed
from loxodon.recall.recall import recall
from loxodon.text.language import language_of
from loxodon.text.words import fold

if TYPE_CHECKING:
    from loxodon.models.embedders.questions import EmbeddedQuestion
    from loxodon.opening import OpenSpace
    from loxodon.recall.gate import State
    from loxodon.store import Filter
    from loxodon.types import Frame, Gate, Recall
    from loxodon.write.embedders import Embedders
    from loxodon.write.residue import Residue


class Recalling:
    """Builds text for prompts from what the caller can see of a space."""

    def __init__(self, space: OpenSpace, embedders: Embedders) -> None:
        self._space = space
        self._store = space.store
        self._embedders = embedders

    @property
    def audience(self) -> str | None:
        """The audience of the result, as a filter value."""
        return None if self._space.chat == "direct" else "group"

    def recall(
        self,
        query: str,
        where: Filter,
        top: int,
        budget: int,
        *,
        as_of: datetime | None,
        profile: str | None,
        in_view: Iterable[str],
        reveal: bool,
    ) -> Recall:
        """Search the space for `query`; see `Memory.recall`."""
        space = self._space
        profile = space.config.recall.profile if profile is None else profile
        choice("profile", profile, settings.PROFILES)
        now, direct = space.now(), space.chat == "direct"
        with self._store.reading():
            found = recall(
                self._store,
                query,
                where,
                top=top,
                budget=budget,
                now=now,
                count=space.count,
                meaning=self._meaning(),
                as_of=as_of,
                profile=profile,
                in_view=frozenset(map(fold, in_view)),
                shown=cache(lambda text: space.guard.shown(text, direct, reveal)),
            )
            return self._with_unfound(found, budget) if direct else found

    def _with_unfound(self, found: Recall, budget: int) -> Recall:
        """A recall that says so where the message asks to forget what nobody ever spoke of."""
        language = language_of(found.query)
        if not needed(language, "FORGET", fold(found.query)):
            return found
        from loxodon.recall.context import unfound
        from loxodon.trust.forget import asked

        names = asked.unfound(self._store, found.query, self._space.now())
        lines = [unfound(self._space.shown(name), language) for name in names]
        context = "\n".join(filter(None, (*lines, found.context)))
        tokens = self._space.count(context) if lines else found.tokens
        return found._replace(context=context, tokens=tokens) if tokens <= budget else found

    def _meaning(self) -> Callable[[str], EmbeddedQuestion] | None:
        """Embeds a question, without text that must not leave the memory."""
        questioner, guard = self._embedders.questioner(), self._space.guard
        return (lambda text: questioner.ask(guard.clean(text))) if questioner else None

    def assemble(
        self,
        message: str,
        soul: str | None,
        workspace: str | os.PathLike[str] | None,
        history: Iterable[str | Mapping[str, object]],
        state: State | None,
        budget: int,
        ask: Callable[[int, frozenset[str]], Recall],
    ) -> Frame:
        """Build the whole frame; `ask` recalls. See `Memory.assemble`."""
        from loxodon.recall import assemble as frames
        from loxodon.recall.gate import State

        space = self._space
        if soul is None:
            soul = frames.soul_in([*([os.fspath(workspace)] if workspace else []), space.home])
        state = state or State()
        now = space.now()
        with self._store.reading():
            material = frames.Material(
                message,
                soul,
                frames.profile_of(self._store, now, language_of(message), self.audience),
                frames.recent_turns(self._store, now, self.audience),
                frames.texts_of(history),
                now,
                space.shown,
            )
            frame = frames.assemble(
                material, self._knowing(state), ask, budget, space.config.recall.budget, space.count
            )
        return frame._replace(state=frame.state._replace(names=state.names))

    def gate(self, message: str, state: State | None) -> Gate:
        """Decide whether a message is worth a recall in a conversation."""
        from loxodon.recall.gate import State, should_recall

        with self._store.reading():
            return should_recall(message, self._knowing(state or State()))

    def _knowing(self, state: State) -> State:
        """The state of a conversation, with the names this memory knows."""
        if state.names or self.audience is not None:  # whom a group asks about is no secret to it,
            return state  # whom we know may be
        return state._replace(names=self._store.entities_named)

    def snapshot(self, language: str) -> str:
        """What a conversation should start with."""
        from loxodon.write.pages import gather

        space = self._space
        with self._store.reading():
            found = gather.material(self._store, space.config, space.now())
            kept = gather.kept_snapshot(self._store, found, language)
            if kept is None:
                kept = gather.written(found, space.config, space.count, language).text
        return space.shown(kept)

    def profile(self, language: str, residue: Residue, refresh: bool) -> str:
        """The core of what is known about the user; see `Memory.profile`."""
        from loxodon.write import compress

        now = self._space.now()
        if refresh:
            self._space.for_owner()  # the stored page is the owner's
            pages = compress.profiles(self._store, now, residue)
            with self._store.writing():
                compress.put_profiles(self._store, pages, now)
        return self._space.shown(compress.profile(self._store, now, language, residue))
