"""Telegram's Bot API on the loopback, as far as OpenClaw uses it: people write to the bot, and what
it sends them is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from threading import Condition
from typing import Any
from urllib.parse import parse_qsl

from tests.real_agents.model import Quiet, serving

_BOT = {"id": 1, "is_bot": True, "first_name": "Claw", "username": "claw_bot"}
_POLL = 5.0  # seconds that a poll waits at most, so that nobody waits for it in the end


class Telegram:
    """What people wrote, and what they were sent."""

    def __init__(self) -> None:
        self.port = 0
        # Each message and each edit of one: the chat, and the text
        self.sent: list[tuple[int, str]] = []
        self._updates: list[dict[str, Any]] = []
        self._number = 0
        self._changed = Condition()

    def write(self, text: str, sender: int, group: int = 0) -> None:
        """Let a person write to the bot, alone or in a group."""
        person = {"id": sender, "is_bot": False, "first_name": f"Person {sender}"}
        alone = {"id": sender, "type": "private", "first_name": person["first_name"]}
        chat = {"id": group, "type": "group", "title": "Team"} if group else alone
        with self._changed:
            self._number += 1
            message = {
                "message_id": self._number,
                "date": 1_780_000_000 + self._number,
                "text": text,
                "from": person,
                "chat": chat,
            }
            if text.startswith("/"):
                word = {"type": "bot_command", "offset": 0, "length": len(text.split()[0])}
                message["entities"] = [word]
            self._updates.append({"update_id": self._number, "message": message})
            self._changed.notify_all()

    def texts(self, chat: int) -> list[str]:
        return [text for to, text in self.sent if to == chat]

    def answer(self, method: str, given: dict[str, Any]) -> Any:
        if method == "getMe":
            return _BOT
        if method == "getUpdates":
            return self._polled(int(given.get("offset") or 0))
        if method in ("sendMessage", "editMessageText"):
            chat = int(given["chat_id"])
            with self._changed:
                self._number += 1
                self.sent.append((chat, str(given.get("text", ""))))
                about = {"id": chat, "type": "private" if chat > 0 else "group"}
                return {"message_id": self._number, "date": 1_780_000_000, "chat": about}
        return [] if method == "getMyCommands" else True

    def _polled(self, first: int) -> list[dict[str, Any]]:
        with self._changed:
            self._updates = [one for one in self._updates if one["update_id"] >= first]
            self._changed.wait_for(lambda: self._updates, _POLL)
            return list(self._updates)


@contextmanager
def running() -> Iterator[Telegram]:
    telegram = Telegram()

    class Handler(Quiet):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:  # noqa: N802
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path, _, query = self.path.partition("?")
            given: dict[str, Any] = dict(parse_qsl(query))
            if "json" in self.headers.get("Content-Type", ""):
                given |= json.loads(body)
            result = telegram.answer(path.rsplit("/", 1)[-1], given)
            said = json.dumps({"ok": True, "result": result}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        do_GET = do_POST  # noqa: N815

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            """A gateway that stops does not wait for its poll."""

    with serving(Handler, Server) as telegram.port:
        yield telegram
