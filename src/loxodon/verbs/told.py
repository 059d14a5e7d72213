"""What an agent is told: recall, frames, snapshot, profile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Literal

from loxodon import config as settings
from loxodon.fields import choice, filter_of, is_text, moment, number
from loxodon.recall.recall import recall
from loxodon.store.walls import owners_only
from loxodon.text.words import fold
from loxodon.trust.audit.witness import MEMORY, audited
from loxodon.trust.guard.guard import Guard
from loxodon.types import CHATS, KINDS, Chat, Frame, Gate, Kind, Recall
from loxodon.verbs.known import Knowing

if TYPE_CHECKING:
    from loxodon.models.chat import ChatModel
    from loxodon.models.embedders.questions import Question as Meaning
    from loxodon.recall.gate import State as Conversation
    from loxodon.types import ModelChecked
    from loxodon.write.residue import Residue


@audited(MEMORY)
class Telling(Knowing):
    """The verbs that make text for a prompt."""

    def recall(
        self,
        query: str,
        top: int | None = None,
        budget: int | None = None,
        *,
        kind: Kind | Literal["turn", "note"] | None = None,
        project: str | None = None,
        topic: str | None = None,
        tag: str | None = None,
        entity: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        as_of: datetime | None = None,
        profile: str | None = None,
        chat: Chat = "direct",
        in_view: Iterable[str] = (),
        reveal: bool = False,
    ) -> Recall:
        """What the memory has on `query`, best first, with a reason for each item.

        At most `top` items (10), and a block of at most `budget` tokens (1,000) to hand to an
        agent. Memories, turns of the journal and notes of files come back; a turn not beside the
        memory that was drawn from it, nor where that memory is archived. `kind` may be `turn` or
        `note`. Any text is a query; none is syntax. `profile` orders by another ranking than the
        configured one: `default`, `phase1`, `openclaw` or `tiered`.

        In a `chat` that is not direct nothing private comes back or is counted: no private memory,
        no turn of a direct chat, no note. Turns that are `in_view`, by their words or their refs,
        are before the agent already; they do not come, nor does what was drawn from them alone.

        Identity and card numbers come as masks, unless the owner asks to `reveal` them; in a chat
        that is not direct so do phones, mails and addresses.
        """
        is_text("query", query)
        heard = self.within(chat=chat)
        where = filter_of(
            self._zone,
            kind=kind,
            project=project,
            topic=topic,
            tag=tag,
            entity=entity,
            since=since,
            until=until,
            audience=_audience(heard.chat),
        )
        top = self.config.recall.top if top is None else number("top", top)
        budget = self.config.recall.budget if budget is None else number("budget", budget)
        profile = self.config.recall.profile if profile is None else profile
        choice("profile", profile, settings.PROFILES)
        now = self.now()
        questioner = self._questioner()
        with heard._store.reading():
            found = recall(
                heard._store,
                query,
                where,
                top=top,
                budget=budget,
                now=now,
                count=self._count,
                meaning=_cleaned(questioner.ask, self.guard) if questioner else None,
                as_of=moment("as_of", as_of, self._zone),
                profile=self.config.weights(profile),
                in_view=frozenset(map(fold, in_view)),
                shown=cache(lambda text: self.guard.shown(text, heard.chat == "direct", reveal)),
            )
        if as_of is None and not found.unsure:
            self._used.update(item.id for item in found.items if item.kind in KINDS)
        return found

    def assemble(
        self,
        message: str,
        *,
        soul: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        history: Iterable[str | Mapping[str, object]] = (),
        chat: Chat = "direct",
        state: Conversation | None = None,
        top: int | None = None,
        budget: int | None = None,
    ) -> Frame:
        """All that an agent should have before it when it replies to `message`, as one text.

        The soul (given, or SOUL.md in `workspace`, else in the home), the user's profile, related
        memories where the gate sees a reason, what was said today and yesterday, and the message:
        at most `budget` tokens (4,000) in all, or the message alone where it has more.

        `history` is what the agent has of this conversation already, as texts or `{"role",
        "content"}`; it is not told again. With the `state` of the frame before, memories come once
        for each topic; without it they come with every message that asks for them. In a `chat` that
        is not direct nothing private is in any part.
        """
        from loxodon.recall import assemble as frames
        from loxodon.recall.gate import State as Conversation
        from loxodon.text.language import language_of

        is_text("message", message)
        heard = self.within(chat=chat)
        audience = _audience(heard.chat)
        budget = self.config.recall.frame if budget is None else number("budget", budget)
        if soul is None:
            soul = frames.soul_in([*([os.fspath(workspace)] if workspace else []), self.home])
        state = state or Conversation()
        now = self.now()

        def ask(budget: int, in_view: frozenset[str]) -> Recall:
            return self.recall(message, top, budget, chat=chat, in_view=in_view)

        with heard._store.reading():
            material = frames.Material(
                message,
                soul,
                frames.profile_of(heard._store, now, language_of(message), audience),
                frames.recent_turns(heard._store, now, audience),
                frames.texts_of(history),
                now,
                lambda text: self.guard.shown(text, heard.chat == "direct"),
            )
            knowing = heard._knowing(state, audience)
            frame = frames.assemble(
                material, knowing, ask, budget, self.config.recall.budget, self._count
            )
        return frame._replace(state=frame.state._replace(names=state.names))

    def gate(
        self, message: str, *, chat: Chat = "direct", state: Conversation | None = None
    ) -> Gate:
        """Whether `message` is worth a recall in this conversation, and why."""
        from loxodon.recall.gate import State as Conversation
        from loxodon.recall.gate import should_recall

        is_text("message", message)
        heard = self.within(chat=chat)
        with heard._store.reading():
            knowing = heard._knowing(state or Conversation(), _audience(heard.chat))
            return should_recall(message, knowing)

    def _knowing(self, state: Conversation, audience: str | None) -> Conversation:
        """The state of a conversation with whom and what this memory knows."""
        if state.names or audience is not None:  # whom a group asks about is no secret to it,
            return state  # whom we know may be
        return state._replace(names=self._store.entities_named)

    def snapshot(self, language: str = "en") -> str:
        """What a conversation should start with, as Markdown within the configured budget."""
        from loxodon.write.pages import gather

        with self._store.reading():
            found = gather.material(self._store, self.config, self.now())
            kept = gather.kept_snapshot(self._store, found, language)
            if kept is None:
                kept = gather.written(found, self.config, self._count, language).text
        return self.guard.shown(kept, private=self.chat == "direct")

    def profile(self, language: str = "en", *, refresh: bool = False) -> str:
        """The core of what is known of the user, and what changed in the last week, as Markdown.

        Renewed once a week by consolidation, and with `refresh` now.
        """
        from loxodon.write import compress

        now, residue = self.now(), self._residue()
        if refresh:
            if self._store.wall.stands:  # the page that is kept is the owner's
                raise owners_only()
            pages = compress.profiles(self._store, now, residue)
            with self._store.writing():
                compress.put_profiles(self._store, pages, now)
        page = compress.profile(self._store, now, language, residue)
        return self.guard.shown(page, private=self.chat == "direct")

    def _residue(self) -> Residue:
        """What decides where the rules could not: a model, if one is set."""
        if self.config.model.mode == "rules":
            from loxodon.write.residue import Residue

            return Residue(thorough=self.config.model.thorough)
        from loxodon.write.asking import Asking

        return Asking(self._store, self.config.model, self.now(), self.guard.sent)

    def check_model(self) -> ModelChecked:
        """Have the model that is set read the test sentences now; ConfigError where none is.

        What comes of it decides whether it is asked about anything (setting `model.check`).
        """
        from loxodon.write.checking import check

        self.for_owner()
        return check(self.chat_model(), self._store, self.config.model, self.now())

    def chat_model(self) -> ChatModel:
        """The model that is set, within its tokens of today; ConfigError where none is."""
        from loxodon.models.chat import ChatModel
        from loxodon.models.ledger import Ledger
        from loxodon.write.asking import StoreBook

        day = f"{self.now():%Y-%m-%d}"
        return ChatModel(
            self.config.model,
            Ledger(StoreBook(self._store), day, self.config.model.cap),
            clean=self.guard.sent,
        )


def _audience(chat: Chat) -> str | None:
    """Who hears what is said in a chat, as a filter has it."""
    choice("chat", chat, CHATS)
    return None if chat == "direct" else "group"


def _cleaned(ask: Callable[[str], Meaning], guard: Guard) -> Callable[[str], Meaning]:
    """What embeds a question, without what must not leave the memory."""
    return lambda text: ask(guard.sent(text))
