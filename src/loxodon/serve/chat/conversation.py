"""A conversation with a model, with memory: what is said goes through here.

A message is journalled before the model is asked, a reply once it is over or broken off, whatever
ends it. After a reply, while nobody waits, the session saves what matters and sums up where that is
due; the next message waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, suppress
from threading import Event, Thread
from typing import Any, NamedTuple

from loxodon.config import ChatConfig
from loxodon.errors import (
    BadReplyError,
    LoxodonError,
    ModelError,
    UnreachableModelError,
    UsageError,
)
from loxodon.memory import Memory
from loxodon.messages import current, t
from loxodon.models.stream import StreamPiece, Talker
from loxodon.recall.assemble import heading
from loxodon.recall.gate import State
from loxodon.serve.chat.prompts import system
from loxodon.tokens import counter
from loxodon.types import Frame, Recall
from loxodon.working import Flushed, Message, Session
from loxodon.working.shapes import text_of

Show = Callable[[StreamPiece], None]
Framed = Callable[[Frame], None]
Allowing = Callable[[], AbstractContextManager[None]]
"""Where a KeyboardInterrupt may be raised."""

_CARRIED = 2
"""Recalls that stay before the model: the gate lets memories come once for each topic."""
_SHARE = 4
"""The part of a window that memory may take, where the window is small."""
_PATIENCE = 0.1


class Reply(NamedTuple):
    """What came of a message."""

    text: str
    usage: Mapping[str, Any] | None = None
    stopped: bool = False
    """The user broke it off; what was said until then is kept."""
    cut: bool = False
    """It ended at the model's limit of tokens."""
    error: LoxodonError | None = None
    """Why there is none, or not all of it."""


class KeptUp(NamedTuple):
    """What was done about a conversation that has become long."""

    saved: int
    """Memories that were made or changed before it was summed up."""
    summed_up: bool


class Conversation:
    """One conversation. `model` tells which model to talk with, anew for each message."""

    def __init__(
        self,
        memory: Memory,
        name: str,
        window: int,
        model: Callable[[], ChatConfig],
        allowing: Allowing,
    ) -> None:
        self.memory = memory
        self.frame: Frame | None = None
        """What the last message was answered with."""
        self.carried: tuple[Recall, ...] = ()
        """Earlier recalls that were before the model as well."""
        self.problem: LoxodonError | None = None
        """Why there was no memory with the last message; None where there was."""
        self._model = model
        self._allowing = allowing
        self._known: Talker | None = None
        self._count = counter(memory.config.tokenizer)
        self._state: State | None = None
        self._recalls: tuple[Recall, ...] = ()
        self._incomplete = False
        self._upkeep = _Upkeep(model, allowing)
        self.session = Session.open(memory, name, window=window, ask=self._upkeep.ask, typed=True)
        self._told = self._recalled_in = self._compactions

    def say(self, message: str, show: Show, framed: Framed | None = None) -> Reply:
        """Say something; the reply, which `show` gets as it comes, after what was recalled.

        Raises where nothing could be said: no model is set, or the message cannot be kept.
        """
        talker = self._talker()
        self.settle()
        self._recall(message)
        frame = self.frame
        if frame is not None and framed is not None:
            framed(frame)
        language = frame.language if frame else current()
        messages = self.session.prepare(
            message, system=self._system(frame, language), before=self._before(frame, language)
        )
        return self._replied(talker, messages, show)

    def again(self, show: Show) -> Reply:
        """Ask for a reply to what was said last, where there was none or not all of it."""
        talker = self._talker()
        self.settle()
        shown = self.session.shown
        if not shown or not (shown[-1].role == "user" or self._incomplete):
            raise UsageError("there is nothing to retry", hint="send a message first")
        messages = self.session.prepare()
        if messages[-1]["role"] == "assistant":  # the beginning of a reply that broke off
            messages.pop()
        return self._replied(talker, messages, show)

    def new(self) -> None:
        """Begin anew, with nothing said; what was said before is remembered."""
        self.settle()
        self.session.new()
        self._state, self.frame, self._recalls, self.carried = None, None, (), ()
        self._incomplete = False
        self._upkeep.taken()
        self._told = self._recalled_in = self._compactions

    @property
    def said(self) -> list[str]:
        """What the user said in this conversation, as far as it is in sight."""
        return [
            text_of(one.message)
            for one in self.session.shown
            if one.role == "user" and one.kind == "message"
        ]

    def kept_up(self) -> KeptUp:
        """What was saved and summed up since this was last asked."""
        flushed = self._upkeep.taken()
        before, self._told = self._told, self._compactions
        saved = flushed.learned + len(flushed.noted) if flushed else 0
        return KeptUp(saved, self._told > before)

    @property
    def _compactions(self) -> int:
        """How often this conversation was summed up."""
        return int(self.session.about.get("compactionCount") or 0)

    def settle(self) -> None:
        """Wait for what is done beside the conversation."""
        self._upkeep.wait()

    def close(self) -> None:
        """End what is done beside the conversation."""
        self._upkeep.stop()
        self.settle()

    # What the model is told

    def _recall(self, message: str) -> None:
        """What the memory has for a message; without it the conversation goes on all the same."""
        self.problem = None
        if self._recalled_in != self._compactions:  # what was in view then is no longer
            self._state, self._recalled_in = None, self._compactions
        budget = min(self.memory.config.recall.frame, self.session.limits.window // _SHARE)
        history = [text_of(one.message) for one in self.session.shown]
        try:
            self.frame = self.memory.assemble(
                message,
                workspace=self.memory.workspace.path,
                history=history,
                state=self._state,
                budget=budget + self._count(message),
            )
        except LoxodonError as error:
            self.frame, self.problem = None, error
            return
        self._state = self.frame.state
        self.carried = self._recalls
        found = self.frame.recall
        if found is not None and found.context:
            self._recalls = (*self._recalls, found)[-_CARRIED:]
            self.carried = self._recalls[:-1]

    def _system(self, frame: Frame | None, language: str) -> str:
        soul = frame.soul if frame and frame.soul else t("You are a helpful assistant.", language)
        told = system(language, soul, f"{self.memory.now():%Y-%m-%d}")
        if frame is None or not frame.profile:
            return told
        return f"{told}\n\n{heading('profile', language)}\n{frame.profile}"

    def _before(self, frame: Frame | None, language: str) -> str:
        if frame is None:
            return ""
        parts = [one.context for one in self.carried] + [frame.memories]
        if frame.recent:
            parts.append(f"{heading('recent', language)}\n{frame.recent}")
        parts = [part for part in parts if part]
        return "\n\n".join([*parts, heading("message", language)]) if parts else ""

    # What it replies

    def _talker(self) -> Talker:
        config = self._model()
        if self._known is None or self._known.config != config:
            self._known = Talker(config)
        return self._known

    def _replied(self, talker: Talker, messages: Sequence[Message], show: Show) -> Reply:
        said: list[str] = []
        try:
            stopped, error = self._streamed(talker, messages, said, show)
            shorter = self._shorter(error) if error is not None and not said else None
            if shorter is not None:
                stopped, error = self._streamed(talker, shorter, said, show)
        except OSError:  # it could not be shown: the terminal or whoever read the pipe is gone
            self._kept(Reply("".join(said), stopped=True))
            raise
        text = "".join(said)
        if not text.strip() and not stopped and error is None:
            error = BadReplyError("the model sent an empty reply", hint="try again with /retry")
        reply = Reply(text, talker.usage, stopped, talker.cut, error)
        self._incomplete = bool(text.strip()) and (stopped or error is not None)
        return self._kept(reply)

    def _shorter(self, error: LoxodonError) -> Sequence[Message] | None:
        """What to send instead, where the server says that it was too long."""
        said, status = error.values.get("said"), error.values.get("status")
        return self.session.recover(said, status if isinstance(status, int) else None)

    def _streamed(
        self, talker: Talker, messages: Sequence[Message], said: list[str], show: Show
    ) -> tuple[bool, LoxodonError | None]:
        """Whether the user broke it off, and what went wrong; what was said is put into `said`."""
        try:
            with self._allowing(), closing(talker.reply(messages)) as pieces:
                for piece in pieces:
                    if not piece.thought:
                        said.append(piece.text)
                    show(piece)
        except KeyboardInterrupt:
            return True, None
        except ModelError as error:
            return False, error
        return False, None

    def _kept(self, reply: Reply) -> Reply:
        if not reply.text.strip():
            return reply
        try:
            self.session.finish(reply.text, reply.usage, maintain=False)
            if reply.stopped or reply.error is not None:
                why = "stopped" if reply.stopped else reply.error.code if reply.error else ""
                self.session.note("incomplete", {"reason": why})
        except LoxodonError as error:
            return reply._replace(error=error)
        self._upkeep.begin(self.session)
        return reply


class _Upkeep:
    """What a session does while nobody waits: in a thread, so that the user can go on typing."""

    def __init__(self, model: Callable[[], ChatConfig], allowing: Allowing) -> None:
        self._model = model
        self._allowing = allowing
        self._thread: Thread | None = None
        self._talker: Talker | None = None
        self._stopping = Event()
        self._flushed: Flushed | None = None

    def begin(self, session: Session) -> None:
        self._stopping.clear()
        self._thread = Thread(
            target=self._maintain, args=(session,), name="loxodon-upkeep", daemon=True
        )
        self._thread.start()

    def _maintain(self, session: Session) -> None:
        with suppress(LoxodonError):  # it is due again with the next message
            self._flushed = session.maintain().flushed or self._flushed

    def ask(self, messages: Sequence[Message]) -> str:
        """What the agent's model says, for the session's own questions."""
        if self._stopping.is_set():
            raise _stopped()
        talker = self._talker = Talker(self._model())
        try:
            with self._allowing():
                return talker.ask(messages)
        except KeyboardInterrupt:
            raise _stopped() from None
        finally:
            self._talker = None

    def wait(self) -> None:
        """Until it is done; a Ctrl-C has it done without the model."""
        while self._thread is not None:
            try:
                with self._allowing():
                    self._thread.join(_PATIENCE)
            except KeyboardInterrupt:
                self.stop()
            if not self._thread.is_alive():
                self._thread = None

    def stop(self) -> None:
        self._stopping.set()
        if self._talker is not None:
            self._talker.stop()

    def taken(self) -> Flushed | None:
        flushed, self._flushed = self._flushed, None
        return flushed


def _stopped() -> UnreachableModelError:
    return UnreachableModelError("the reply was cut off", delivered=True)
