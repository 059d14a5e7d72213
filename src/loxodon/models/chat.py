"""The model: one question, one checked answer, through any OpenAI-compatible endpoint.

`ask` goes on until there is an answer that fits: it waits and asks again where the server is busy,
tells the model once what was wrong with its answer, does without what a server does not know, and
raises a `ModelError` at the end. Every request is allowed by the ledger before it is sent and noted
in it afterwards, so that the cap of a day holds whatever goes wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import sleep as pause
from typing import Any, Generic, NamedTuple, TypeVar

from loxodon.config import ModelConfig, checked
from loxodon.errors import (
    BadReplyError,
    BusyModelError,
    ConfigError,
    ModelError,
    RejectedModelError,
    SpentModelError,
    UnreachableModelError,
)
from loxodon.models.ledger import Ledger
from loxodon.models.prompts import OPEN, cleaned, prompt
from loxodon.models.replies import (
    CutError,
    Message,
    RefusedError,
    Schema,
    UnfitError,
    message_of,
    value_of,
)
from loxodon.models.wire import Answer, post
from loxodon.tokens import cut, estimate

FIRST_WAIT = 1.0
MOST_WAIT = 30.0
"""A server that wants us to wait longer is asked at the next run instead."""
_TEMPERATURE = 0.3
_REPEATED = 300
"""Tokens of a bad answer that the model is shown again."""
_PER_MESSAGE = 8
"""Tokens that a message takes beside its text."""

T = TypeVar("T")
Turn = dict[str, str]


class ModelQuestion(NamedTuple):
    name: str
    """What is asked for; the ledger counts by it."""
    language: str
    system: str
    user: str
    schema: Schema
    """What the server is asked to keep to."""
    most: int
    """Most tokens of the answer."""
    least: Schema | None = None
    """What an answer must have to be looked at, where that is less."""


class ModelReply(NamedTuple, Generic[T]):
    value: T
    tokens_in: int
    tokens_out: int
    """Of all attempts together."""


def cost(question: ModelQuestion) -> int:
    """The most tokens one attempt takes: what is sent, and the longest answer."""
    sent = sum(estimate(turn["content"]) + _PER_MESSAGE for turn in _opening(question))
    return sent + _schema_cost(question) + question.most


class ChatModel:
    """A model at an address, which is told texts as `clean` makes them.

    `sleep` is handed in so that tests need not wait.
    """

    def __init__(
        self,
        config: ModelConfig,
        ledger: Ledger | None = None,
        sleep: Callable[[float], None] = pause,
        clean: Callable[[str], str] = str,
    ) -> None:
        if not config.base_url or not config.name:
            raise ConfigError(
                "a model needs both a base URL and a name",
                hint="set model.base_url and model.name (LOXODON_MEMORY_BASE_URL, "
                "LOXODON_MEMORY_MODEL); a local server takes any name",
            )
        self._url = str(checked("model.base_url", config.base_url))
        # A key with a line break would stand in the error that http.client raises about it.
        self._key = str(checked("model.api_key", config.api_key))
        self._config = config
        self._ledger = ledger
        self._sleep = sleep
        self._clean = clean
        self._without: set[str] = set()

    def ask(self, question: ModelQuestion, read: Callable[[Any], T]) -> ModelReply[T]:
        """The answer to `question` as `read` makes it from the JSON value.

        `read` raises UnfitError for a value it cannot use; its reason is told to the model once.
        """
        return _Asking(self, question, read).run()

    def send(self, turns: Sequence[Turn], question: ModelQuestion, most: int) -> Answer:
        """Post one request, without what this server was found not to take."""
        left_out: set[str] = set()
        # What was kept before there was a rule for it is not told to a model either.
        told = any(OPEN in turn["content"] for turn in turns[1:])  # the rest is our own then
        turns = [
            turn
            if told and turn["role"] == "system"
            else {**turn, "content": cleaned(turn["content"], self._clean)}
            for turn in turns
        ]
        while True:
            body = self._body(turns, question, most)
            answer = post(self._url, self._key, body, self._config.timeout)
            if answer.status not in (400, 422):
                return answer
            name = self._complained_of(answer.body)
            if not name:  # it was something else
                self._without -= left_out
                return answer
            self._without.add(name)
            left_out.add(name)

    def _body(self, turns: Sequence[Turn], question: ModelQuestion, most: int) -> dict[str, object]:
        body: dict[str, object] = {
            "model": self._config.name,
            "messages": turns,
            "stream": False,
            "max_tokens": most,
            "temperature": _TEMPERATURE,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": question.name, "strict": True, "schema": question.schema},
            },
        }
        if "max_tokens" in self._without:
            body["max_completion_tokens"] = most
        return {name: value for name, value in body.items() if name not in self._without}

    def _complained_of(self, complaint: bytes) -> str:
        """What in the request may be what a server does not know; empty where nothing is left."""
        for said, name in (
            (b"max_completion_tokens", "max_tokens"),
            (b"temperature", "temperature"),
            (b"", "response_format"),
        ):
            if said in complaint and name not in self._without:
                return name
        return ""

    @property
    def keeps_to_schemas(self) -> bool:
        """Whether the server has not refused a schema for its answers."""
        return "response_format" not in self._without

    @contextmanager
    def within(self, tokens: int) -> Iterator[None]:
        """While a question is on its way that takes so many at most; SpentModelError where the
        ledger has not that many left."""
        if self._ledger is not None and not self._ledger.hold(tokens):
            raise SpentModelError(
                "the daily token limit of the model is used up",
                hint="the rest continues tomorrow; change the limits with model.daily_tokens and "
                "model.daily_tokens_full",
            )
        try:
            yield
        finally:
            if self._ledger is not None:
                self._ledger.release(tokens)

    def note(self, name: str, tokens_in: int, tokens_out: int) -> None:
        """Put what was spent into the ledger."""
        if self._ledger is not None:
            self._ledger.record(name, tokens_in, tokens_out)

    def wait(self, seconds: float) -> None:
        self._sleep(seconds)

    @property
    def retries(self) -> int:
        return self._config.retries


class _Asking(Generic[T]):
    """One question on its way: what was tried and what it cost."""

    def __init__(self, model: ChatModel, question: ModelQuestion, read: Callable[[Any], T]) -> None:
        self._model = model
        self._question = question
        self._read = read
        self._turns = _opening(question)
        self._most = question.most
        self._told = False
        self._in = self._out = 0

    def run(self) -> ModelReply[T]:
        attempt = 0
        try:
            while True:
                last = attempt == self._model.retries
                try:
                    return ModelReply(self._value(self._message()), self._in, self._out)
                except (UnreachableModelError, BusyModelError) as error:
                    if last or not self._waited(error, attempt):
                        raise
                except UnfitError as error:
                    if last:
                        raise _unusable(error) from None
                attempt += 1
        except ModelError as error:
            error.tokens_in, error.tokens_out = self._in, self._out
            raise

    def _message(self) -> Message:
        """One request, paid for; the turns go back to the question alone for the next."""
        turns, self._turns = self._turns, _opening(self._question)
        sent = sum(estimate(turn["content"]) + _PER_MESSAGE for turn in turns)
        with self._model.within(sent + _schema_cost(self._question) + self._most):
            return self._paid(turns, sent)

    def _paid(self, turns: Sequence[Turn], sent: int) -> Message:
        try:
            answer = self._model.send(turns, self._question, self._most)
        except UnreachableModelError as error:
            if error.values["delivered"]:  # it may be at work on it, and will want to be paid
                self._pay(sent, 0)
            raise
        _check_status(answer)
        try:
            message = message_of(answer.body, answer.streamed)
        except UnfitError:
            self._pay(sent, 0)
            raise
        self._pay(
            sent if message.tokens_in is None else message.tokens_in,
            estimate(message.text) if message.tokens_out is None else message.tokens_out,
        )
        return message

    def _value(self, message: Message) -> T:
        try:
            return self._read(value_of(message.text, self._question.least or self._question.schema))
        except UnfitError as error:
            if message.cut:
                self._most *= 2
                raise CutError("the answer is too long") from None
            if not self._told:
                self._told = True
                self._turns = _telling(self._question, message.text, str(error))
            raise

    def _pay(self, tokens_in: int, tokens_out: int) -> None:
        self._in += tokens_in
        self._out += tokens_out
        self._model.note(self._question.name, tokens_in, tokens_out)

    def _waited(self, error: ModelError, attempt: int) -> bool:
        """Whether it is worth asking again; if so, the time to wait has passed."""
        asked = error.values.get("wait")
        seconds = asked if isinstance(asked, float) else FIRST_WAIT * 2**attempt
        if seconds > MOST_WAIT and asked is not None:
            return False
        self._model.wait(min(seconds, MOST_WAIT))
        return True


def _schema_cost(question: ModelQuestion) -> int:
    """What servers that tell the model of the schema take for it."""
    return estimate(json.dumps(question.schema, separators=(",", ":")))


def _opening(question: ModelQuestion) -> list[Turn]:
    return [
        {"role": "system", "content": question.system},
        {"role": "user", "content": question.user},
    ]


def _telling(question: ModelQuestion, answer: str, reason: str) -> list[Turn]:
    """The question again, with the answer that was no good and why."""
    return [
        *_opening(question),
        {"role": "assistant", "content": cut(answer[: 40 * _REPEATED], _REPEATED) or "…"},
        {"role": "user", "content": prompt("repair", question.language, reason=reason)},
    ]


def _check_status(answer: Answer) -> None:
    """Raise what the status of an answer means. The server's own words may repeat ours: unsaid."""
    status = answer.status
    if status == 200:
        return
    if status in (408, 409, 425, 429) or status >= 500:
        raise BusyModelError(
            "the model is busy or has failed (HTTP {status})",
            hint="open decisions are retried in the next run",
            status=status,
            wait=answer.retry_after,
        )
    if status in (401, 403):
        raise RejectedModelError(
            "the model rejected the API key (HTTP {status})",
            hint="check model.api_key or LOXODON_MEMORY_API_KEY",
            status=status,
        )
    raise RejectedModelError(
        "the model's server rejected the request (HTTP {status})",
        hint="check model.base_url (it often ends in /v1) and model.name",
        status=status,
    )


def _unusable(error: UnfitError) -> BadReplyError:
    return BadReplyError(
        "the model's answer cannot be used: {reason}",
        hint="open decisions are retried in the next run; a larger model may do better",
        reason=str(error),
        refused=isinstance(error, RefusedError),
    )
