"""A reply as it is said: chat completions as server-sent events, piece by piece.

    talker = Talker(config.chat)
    for piece in talker.reply(messages):
        show(piece.text)

Like `wire.post`, whatever the server does ends within limits and in one of our errors. The time
limit is for silence: a reply may take as long as it goes on. What a model thinks before it speaks
(`reasoning_content`, or `<think>` at the beginning) comes marked as thought.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Event, Thread
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from loxodon.config import MASK, ChatConfig, checked
from loxodon.errors import (
    BadReplyError,
    BusyModelError,
    ConfigError,
    ModelError,
    RejectedModelError,
    UnreachableModelError,
)
from loxodon.models.replies import UnfitError, message_of

SECTION = "chat"
MOST_BYTES = 32 * 1024 * 1024
"""Of a whole stream; a piece of one letter takes some 200."""
_MOST_REFUSAL = 64 * 1024
_LONGEST_LINE = 4 * 1024 * 1024
_CHUNK = 64 * 1024
_SAID = 300
"""Characters of a server's complaint that are told."""
_PATH = "/chat/completions"
_OPEN, _CLOSE = "<think>", "</think>"


class StreamPiece(NamedTuple):
    """A piece of a reply."""

    text: str
    thought: bool = False
    """It is what the model thinks, not what it says."""


class Talker:
    """A model at an address that replies as it goes. One reply at a time."""

    def __init__(self, config: ChatConfig) -> None:
        if not config.base_url or not config.name:
            raise ConfigError(
                "no chat model is configured",
                hint="run `loxodon config chat.base_url http://127.0.0.1:8080/v1` and `loxodon "
                "config chat.name NAME`, or use --base-url and --model, or "
                "LOXODON_CHAT_BASE_URL and LOXODON_CHAT_MODEL",
            )
        checked("chat.base_url", config.base_url)
        checked("chat.api_key", config.api_key)
        self.config = config
        self.usage: Mapping[str, Any] | None = None
        """What the last reply took, as the server reports it."""
        self.cut = False
        """Whether the last reply ended at its limit of tokens."""
        self._reports = True
        self._patience: _Patience | None = None

    def reply(self, messages: Sequence[Mapping[str, Any]]) -> Generator[StreamPiece, None, None]:
        """The reply to `messages`, as it comes; a ModelError where it does not, or breaks off."""
        self.usage, self.cut = None, False
        try:
            with closing(self._exchange(messages)) as exchange:
                if exchange.status in (400, 422) and self._reports:
                    yield from self._without_report(messages, exchange)
                else:
                    yield from self._pieces(exchange)
        finally:
            self._patience = None

    def ask(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """The whole reply at once, without what was thought."""
        return "".join(piece.text for piece in self.reply(messages) if not piece.thought)

    def stop(self) -> None:
        """End the reply that is coming, from any thread: whoever reads it gets an error."""
        if self._patience is not None:
            self._patience.hang_up()

    def _without_report(
        self, messages: Sequence[Mapping[str, Any]], refused: _Exchange
    ) -> Iterator[StreamPiece]:
        """The reply of a server that may not know how to report what it took."""
        complaint = refused.refusal()
        self._reports = False
        with closing(self._exchange(messages)) as exchange:
            if exchange.status != 200:
                self._reports = True
                raise complaint
            yield from self._pieces(exchange)

    def _exchange(self, messages: Sequence[Mapping[str, Any]]) -> _Exchange:
        body = {"model": self.config.name, "messages": list(messages), "stream": True}
        if self._reports:
            body["stream_options"] = {"include_usage": True}
        return _Exchange(self.config, body, self._connected)

    def _connected(self, patience: _Patience) -> None:
        self._patience = patience

    def _pieces(self, exchange: _Exchange) -> Iterator[StreamPiece]:
        if exchange.status != 200:
            raise exchange.refusal()
        thoughts = _Thoughts()
        for part in exchange.parts():
            self.usage = part.usage or self.usage
            self.cut = self.cut or part.cut
            if part.thought:
                yield StreamPiece(part.thought, True)
            yield from thoughts.feed(part.text)
        yield from thoughts.end()


# --- One exchange ---------------------------------------------------------------------------------


class _Patience:
    """Hangs up on a server that was silent for too long, in a thread of its own."""

    def __init__(self, connection: HTTPConnection, seconds: float) -> None:
        self.late = Event()
        self._line = connection.sock
        self._seconds = seconds
        self._until = monotonic() + seconds
        self._over = Event()
        Thread(target=self._watch, name="loxodon-patience", daemon=True).start()

    def heard(self) -> None:
        self._until = monotonic() + self._seconds

    def end(self) -> None:
        self._over.set()

    def hang_up(self) -> None:
        hang_up(self._line, Event())

    def _watch(self) -> None:
        while not self._over.wait(max(0.0, self._until - monotonic())):
            if monotonic() >= self._until:
                hang_up(self._line, self.late)
                return


class _Exchange:
    """A request that was sent, and the answer that comes."""

    def __init__(
        self, config: ChatConfig, body: Mapping[str, Any], connected: Callable[[_Patience], None]
    ) -> None:
        self._config = config
        connection, path, headers = line_to(config.base_url, config.api_key, config.timeout)
        headers["Accept"] = "text/event-stream, application/json"
        delivered = False
        with ExitStack() as stack:  # whatever happens, a Ctrl-C too, nothing is left open
            stack.callback(connection.close)
            try:
                connection.connect()
                self.patience = _Patience(connection, config.timeout)
                stack.callback(self.patience.end)
                connected(self.patience)
                delivered = True
                connection.request("POST", path, json.dumps(body).encode(), headers)
                self._response = connection.getresponse()
                stack.callback(self._response.close)
            except (OSError, HTTPException, UnicodeError) as error:
                if isinstance(error, TimeoutError) or (delivered and self._is_late()):
                    raise too_late(config.timeout, delivered, SECTION) from None
                raise unreached(error, delivered, SECTION) from None
            self._open = stack.pop_all()
        self.status = self._response.status

    def close(self) -> None:
        self._open.close()

    def _is_late(self) -> bool:
        return self.patience.late.is_set()

    def _chunks(self, most: int) -> Iterator[bytes]:
        size = 0
        while chunk := self._read():
            size += len(chunk)
            if size > most:
                raise BadReplyError(
                    "the model's answer is longer than {most} bytes",
                    hint="check that {section}.base_url points to a model",
                    most=most,
                    section=SECTION,
                )
            yield chunk
        if self._is_late():  # hung up on, a stream looks as if it had ended
            raise too_late(self._config.timeout, True, SECTION)

    def _read(self) -> bytes:
        try:
            return self._response.read1(_CHUNK)
        except (OSError, HTTPException) as error:
            if self._is_late() or isinstance(error, TimeoutError):
                raise too_late(self._config.timeout, True, SECTION) from None
            raise _cut_off() from None

    def parts(self) -> Iterator[_Part]:
        """What the answer says, part by part, until it is over."""
        if self._response.headers.get_content_type() != "text/event-stream":
            yield self._whole()
            return
        lines = _Lines()
        over = False
        for chunk in self._chunks(MOST_BYTES):
            for line in lines.feed(chunk):
                part = _part(line)
                if part is None:
                    continue
                self.patience.heard()  # a comment that keeps the line open is no answer
                yield part
                over = over or part.over
                if part.done:
                    return
        if not over:
            raise _cut_off()

    def _whole(self) -> _Part:
        """The answer of a server that does not stream."""
        try:
            message = message_of(b"".join(self._chunks(MOST_BYTES)), False)
        except UnfitError:
            raise _nonsense() from None
        usage = {"prompt_tokens": message.tokens_in, "completion_tokens": message.tokens_out}
        return _Part(message.text, usage=usage, cut=message.cut, over=True)

    def refusal(self) -> ModelError:
        """The error for an answer that is none, with what the server says of it."""
        body = b""
        try:
            for chunk in self._chunks(_MOST_REFUSAL):
                body += chunk
        except ModelError:
            pass  # the status says enough
        said = _complaint(body)
        if self._config.api_key:
            said = said.replace(self._config.api_key, MASK)
        return _refused(self.status, said, retry_after(self._response))


def _refused(status: int, said: str, wait: float | None) -> ModelError:
    """What a status means."""
    if status in (408, 409, 425, 429) or status >= 500:
        return BusyModelError(
            "the model is busy or has failed (HTTP {status})",
            hint="your message is saved; try again with /retry",
            status=status,
            wait=wait,
            said=said,
        )
    if status in (401, 403):
        return RejectedModelError(
            "the model rejected the API key (HTTP {status})",
            hint="check chat.api_key or LOXODON_CHAT_API_KEY (or model.api_key), then try again "
            "with /retry",
            status=status,
            said=said,
        )
    return RejectedModelError(
        "the model's server rejected the request (HTTP {status})",
        hint="check {section}.base_url (it often ends in /v1) and {section}.name, then try again "
        "with /retry",
        section=SECTION,
        status=status,
        said=said,
    )


def _complaint(body: bytes) -> str:
    """What a server says is wrong, in its own words."""
    text = body.decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return "" if text.lstrip().startswith("<") else _short(text)
    for name in ("error", "message", "detail"):
        inner = found.get(name) if isinstance(found, dict) else None
        found = inner if inner else found
    return _short(found if isinstance(found, str) else text)


def _short(text: str) -> str:
    return " ".join(text.split())[:_SAID]


def _cut_off() -> UnreachableModelError:
    return UnreachableModelError(
        "the reply was cut off",
        hint="the reply so far is saved; try again with /retry",
        delivered=True,
    )


def _nonsense() -> BadReplyError:
    return BadReplyError(
        "the model's server did not send a valid reply",
        hint="check that {section}.base_url points to a model",
        section=SECTION,
    )


# --- What is in it --------------------------------------------------------------------------------


class _Part(NamedTuple):
    text: str = ""
    thought: str = ""
    usage: Mapping[str, Any] | None = None
    cut: bool = False
    over: bool = False
    """The model says that it has ended."""
    done: bool = False
    """The server says that nothing follows."""


class _Lines:
    """Bytes as lines, once they are whole."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            raise _nonsense()
        return [line.rstrip(b"\r") for line in lines]


_FIELDS = (b":", b"event:", b"id:", b"retry:")


def _part(line: bytes) -> _Part | None:
    """What a line of a stream says; None where it says nothing."""
    if not line or line.startswith(_FIELDS):
        return None
    if not line.startswith(b"data:"):
        raise _nonsense()
    data = line[5:].strip()
    if data == b"[DONE]":
        return _Part(over=True, done=True)
    try:
        value = json.loads(data.decode("utf-8", "replace")) if data else {}
    except (ValueError, RecursionError):
        raise _nonsense() from None
    if not isinstance(value, dict):
        raise _nonsense()
    if value.get("error"):
        raise BusyModelError(
            "the model stopped with an error",
            hint="the reply so far is saved; try again with /retry",
            status=0,
            said=_complaint(data),
        )
    return _chosen(value)


def _chosen(value: Mapping[str, Any]) -> _Part:
    usage = value.get("usage")
    usage = usage if isinstance(usage, dict) else None
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):  # the usage comes alone, at the end
        return _Part(usage=usage)
    delta = choice.get("delta")
    delta = delta if isinstance(delta, dict) else {}
    ended = choice.get("finish_reason")
    thought = delta.get("reasoning_content") or delta.get("reasoning")
    return _Part(
        _text_of(delta.get("content")) or _text_of(delta.get("refusal")),
        _text_of(thought),
        usage,
        ended == "length",
        bool(ended),
    )


def _text_of(content: object) -> str:
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


class _Thoughts:
    """Tells what is thought at the beginning of a reply, between two marks, from what is said."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "unknown"

    def feed(self, text: str) -> Iterator[StreamPiece]:
        self._held += text
        if self._state == "unknown":
            bare = self._held.lstrip()
            if bare.startswith(_OPEN):
                self._state, self._held = "thinks", bare.removeprefix(_OPEN)
            elif not _OPEN.startswith(bare):
                self._state = "speaks"
        if self._state == "thinks":
            thought, found, rest = self._held.partition(_CLOSE)
            safe = len(thought) if found else max(0, len(thought) - len(_CLOSE))
            if safe:
                yield StreamPiece(thought[:safe], True)
            self._held = rest if found else thought[safe:]
            self._state = "thought" if found else "thinks"
        if self._state == "thought":  # and has not said a word yet
            self._held = self._held.lstrip()
            self._state = "speaks" if self._held else "thought"
        if self._state == "speaks" and self._held:
            yield StreamPiece(self._held)
            self._held = ""

    def end(self) -> Iterator[StreamPiece]:
        if self._held.strip():
            yield StreamPiece(self._held, self._state == "thinks")


# --- The wire, for as long as `loxodon chat` is here ----------------------------------------------


def line_to(
    base_url: str, key: str, timeout: float, path: str = _PATH
) -> tuple[HTTPConnection, str, dict[str, str]]:
    """A connection that is not made yet, the whole path, and the headers of a request."""
    parts = urlsplit(base_url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    whole = parts.path.rstrip("/").removesuffix(path) + path
    return kind(parts.hostname or "", parts.port, timeout=timeout), whole, headers


def hang_up(line: socket.socket, late: Event) -> None:
    """End an exchange whose time is over, however slowly the server drips."""
    late.set()
    try:
        # The plain shutdown, also of an encrypted line: the other thread may be reading it.
        socket.socket.shutdown(line, socket.SHUT_RDWR)
    except OSError:
        return  # the other side was faster


def retry_after(response: HTTPResponse) -> float | None:
    """Seconds from now, whether given as a number or as a date by the server's own clock."""
    text = (response.headers.get("Retry-After") or "").strip()
    if text.isascii() and text.isdecimal() and len(text) < 10:
        return float(text)
    try:
        then = parsedate_to_datetime(text)
        return max(0.0, (then - parsedate_to_datetime(response.headers["Date"])).total_seconds())
    except (TypeError, ValueError, IndexError, OverflowError):  # none, or nonsense
        return None


def too_late(timeout: float, delivered: bool, section: str) -> UnreachableModelError:
    """The error for a server that took too long."""
    return UnreachableModelError(
        "the model did not answer within {timeout} seconds",
        hint="if it is overloaded, raise the timeout with `loxodon config {section}.timeout`",
        section=section,
        timeout=f"{timeout:g}",
        delivered=delivered,
    )


def unreached(error: Exception, delivered: bool, section: str) -> UnreachableModelError:
    """The error for a server that could not be talked with."""
    # An HTTPException repeats what the server sent; its kind says enough.
    reason = error.strerror if isinstance(error, OSError) else None
    return UnreachableModelError(
        "cannot reach the model: {reason}",
        hint="check that it is running, and that {section}.base_url is correct",
        section=section,
        reason=reason or type(error).__name__,
        delivered=delivered,
    )
