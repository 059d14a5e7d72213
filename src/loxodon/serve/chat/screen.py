"""How a chat is seen: as text on a terminal or in a pipe, or as one JSON object a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from loxodon.errors import LoxodonError
from loxodon.messages import t
from loxodon.models.stream import StreamPiece
from loxodon.serve.chat.conversation import KeptUp, Reply
from loxodon.serve.cli import view
from loxodon.serve.cli.opening import Outcome
from loxodon.types import Frame


class Text:
    """Replies and results on stdout; what else there is to say on stderr."""

    def __init__(self, typed: bool) -> None:
        self._typed = typed
        self._thinking = False
        self._spoke = False

    def began(self, about: Mapping[str, Any]) -> None:
        if not self._typed:
            return
        if about["model"]:
            self.notice(
                t("chatting with {model}; type /help for the commands", model=about["model"])
            )
        if about["messages"]:
            self.notice(
                t(
                    "continuing the conversation {session} ({n} messages); /new starts another",
                    session=about["session"],
                    n=about["messages"],
                )
            )
        if about["reviews"]:
            self.notice(t("{n} items to review: /review", n=about["reviews"]))

    def recalled(self, frame: Frame) -> None:
        """Nothing: a person asks with /why."""

    def piece(self, piece: StreamPiece) -> None:
        if piece.thought:
            if not self._thinking and self._typed and view.coloured():
                self._write(view.paint(t("thinking …"), "dim"))
                self._thinking = True
            return
        self._end_thinking()
        self._spoke = True
        self._write(view.safe(piece.text))

    def replied(self, reply: Reply) -> None:
        self._end_thinking()
        if self._spoke and not (reply.text.endswith("\n") and reply.error is None):
            self._write("\n")
        self._spoke = False
        if reply.stopped:
            self.notice(
                t("stopped; the reply so far is saved") if reply.text.strip() else t("stopped")
            )
        elif reply.cut:
            self.notice(t("the reply was cut off at the model's token limit"))
        if reply.error is not None:
            self.failed(reply.error)

    def result(self, command: str, outcome: Outcome) -> None:
        outcome.show()
        sys.stdout.flush()

    def kept_up(self, done: KeptUp) -> None:
        if done.saved:
            self.notice(t("saved {n} memories", n=done.saved))
        if done.summed_up:
            self.notice(t("the earlier part of the conversation was summarised"))

    def notice(self, text: str) -> None:
        styled = view.paint(view.safe(text), "dim") if self._typed else view.safe(text)
        _complain(styled)

    def failed(self, error: LoxodonError) -> None:
        message, hint = error.localized()
        _complain(view.safe(t("error: {message}", message=message)))
        if said := error.values.get("said"):
            _complain(view.safe(t("the server reported: {said}", said=said)))
        wait = error.values.get("wait")
        if isinstance(wait, float):
            _complain(t("the server asks to wait {seconds} s", seconds=f"{wait:g}"))
        if hint:
            _complain(view.safe(t("hint: {hint}", hint=hint)))

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    def _end_thinking(self) -> None:
        if self._thinking:
            self._write("\r\x1b[K")
            self._thinking = False


def _complain(text: str) -> None:
    if sys.stderr is not None:
        print(text, file=sys.stderr, flush=True)


class Events:
    """One JSON object a line for each thing that happens, for a script."""

    def began(self, about: Mapping[str, Any]) -> None:
        _tell("start", **about)

    def recalled(self, frame: Frame) -> None:
        items = frame.recall.items if frame.recall else ()
        _tell("recall", gate=frame.gate, ids=[item.id for item in items], tokens=frame.tokens)

    def piece(self, piece: StreamPiece) -> None:
        _tell("thought" if piece.thought else "delta", text=piece.text)

    def replied(self, reply: Reply) -> None:
        if reply.text.strip():
            _tell(
                "reply",
                text=reply.text,
                usage=reply.usage,
                stopped=reply.stopped,
                cut=reply.cut,
                complete=reply.error is None and not reply.stopped,
            )
        elif reply.stopped:
            _tell("stopped")
        if reply.error is not None:
            self.failed(reply.error)

    def result(self, command: str, outcome: Outcome) -> None:
        _tell("result", command=command, data=outcome.data)

    def kept_up(self, done: KeptUp) -> None:
        if done.saved or done.summed_up:
            _tell("kept_up", saved=done.saved, summed_up=done.summed_up)

    def notice(self, text: str) -> None:
        _tell("notice", message=text)

    def failed(self, error: LoxodonError) -> None:
        message, hint = error.localized()
        said = error.values.get("said") or ""
        _tell("error", code=error.code, message=message, hint=hint, said=said)


Screen = Text | Events


def _tell(event: str, **fields: Any) -> None:
    print(json.dumps(view.plain({"event": event, **fields}), ensure_ascii=False), flush=True)
