"""The loop of a chat: read a line, do what it asks for or say it, until there is no more."""

from __future__ import annotations

import sys
from collections.abc import Callable

from loxodon.config import ChatConfig
from loxodon.errors import LoxodonError
from loxodon.memory import Memory
from loxodon.messages import t
from loxodon.serve.chat.commands import QUIT, RETRY, Commands, command_in, message_in
from loxodon.serve.chat.conversation import Conversation, Reply
from loxodon.serve.chat.interrupts import Interrupts
from loxodon.serve.chat.lines import Lines, Typed
from loxodon.serve.chat.screen import Events, Screen, Text
from loxodon.serve.schedule import Runner


class Loop:
    """A chat as it runs."""

    def __init__(
        self,
        memory: Memory,
        session: str,
        window: int,
        model: Callable[[], ChatConfig],
        *,
        events: bool,
        background: bool,
    ) -> None:
        self._memory = memory
        self._model = model
        self._typed = sys.stdin is not None and sys.stdin.isatty() and not events
        self._screen: Screen = Events() if events else Text(self._typed)
        self._events = events
        self._interrupts = Interrupts()
        self._chat = Conversation(memory, session, window, model, self._interrupts.allowed)
        self._commands = Commands(self._chat)
        self._runner = Runner(memory, logs=False) if background else None
        self._interrupted = False
        self._told = ""
        self._code = 0

    def run(self) -> int:
        """Until there is no more; the exit code of the last thing that failed, for a script."""
        with self._interrupts:
            self._begin()
            lines = Typed(self._chat.said) if self._typed else Lines(self._events)
            try:
                while self._next(lines):
                    pass
            finally:
                self._chat.close()
                if self._runner is not None:
                    self._runner.stop()
        return 0 if self._typed else self._code

    def _begin(self) -> None:
        model = self._model()
        self._screen.began(
            {
                "session": self._chat.session.key,
                "journal": self._chat.session.name,
                "model": model.name if model.base_url else "",
                "messages": len(self._chat.session.shown),
                "reviews": len(self._memory.reviews()) if self._memory.config.enabled else 0,
            }
        )
        if self._typed and not (model.base_url and model.name):
            self._screen.notice(t("no chat model is configured; the commands work (/help)"))
        if not self._memory.config.enabled:
            self._screen.notice(t("the memory engine is turned off; using plain files instead"))

    def _next(self, lines: Lines | Typed) -> bool:
        """Take one line; whether to go on."""
        try:
            with self._interrupts.allowed():
                line = lines.read()
        except KeyboardInterrupt:
            if self._interrupted or self._interrupts.ending:
                return False
            self._interrupted = True
            if self._typed:
                print()
            self._screen.notice(t("press Ctrl-C again to quit"))
            return True
        except LoxodonError as error:  # it is too long
            self._fail(error)
            return True
        if line is None:
            return False
        self._interrupted = False
        try:
            return self._do(line) if line else True
        except LoxodonError as error:
            self._fail(error)
            return True

    def _do(self, line: str) -> bool:
        command = command_in(line)
        if command is None:
            self._say(message_in(line))
        elif command.name == QUIT:
            return False
        elif command.name == RETRY:
            self._answered(self._chat.again(self._screen.piece))
        else:
            self._screen.result(command.name, self._commands.run(command))
        return not self._interrupts.ending

    def _say(self, message: str) -> None:
        if self._runner is not None:
            self._runner.start()
        self._answered(self._chat.say(message, self._screen.piece, self._screen.recalled))

    def _answered(self, reply: Reply) -> None:
        self._screen.replied(reply)
        self._interrupted = reply.stopped
        if reply.error is not None:
            self._code = reply.error.exit_code
        problem = self._chat.problem.localized()[0] if self._chat.problem else ""
        problem = problem or self._chat.session.problem
        if problem and problem != self._told:
            self._screen.notice(t("memory error: {problem}", problem=problem))
        self._told = problem
        self._screen.kept_up(self._chat.kept_up())

    def _fail(self, error: LoxodonError) -> None:
        self._code = error.exit_code
        self._screen.failed(error)
