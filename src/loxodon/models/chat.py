"""The model: one question, one checked answer, through any OpenAI-compatible endpoint or a program.

Every request is allowed by the ledger before it is sent and noted in it afterwards, so that the cap
of a day holds whatever goes wrong.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from loxodon.config import ModelConfig
from loxodon.errors import (
    BadReplyError,
    ConfigError,
    ModelError,
    SpentModelError,
    UnreachableModelError,
)
from loxodon.models.prompts import OPEN, cleaned, prompt
from loxodon.models.replies import Message, RefusedError, Schema, UnfitError, message_of, value_of
from loxodon.models.wire import Endpoint, patiently, run_program
from loxodon.store.store import Store
from loxodon.tokens import cut, estimate

_TEMPERATURE = 0.3
_REPEATED = 300  # tokens of a bad answer that the model is shown again
_PER_MESSAGE = 8  # tokens that a message takes beside its text
_UNLIMITED = 1 << 40
# What a server says that does not take a field of a request, and the field
_COMPLAINTS = (
    (b"max_completion_tokens", "max_tokens"),
    (b"temperature", "temperature"),
    (b"", "response_format"),
)

T = TypeVar("T")
Turn = dict[str, str]


class Ledger:
    """What the model costs on a day: its tokens by task, and their cap; 0 is none."""

    def __init__(self, store: Store | None = None, day: str = "", cap: int = 0) -> None:
        self._store, self._day, self._cap = store, day, cap
        self._lock, self._held = Lock(), 0  # several questions may be on their way at once
        self.by_task: Counter[str] = Counter()

    def room(self) -> int:
        """Tokens left today."""
        if self._store is None or not self._cap:
            return _UNLIMITED
        return max(0, self._cap - self._held - int(self._store.scalar("spent", self._day)))

    @contextmanager
    def holding(self, tokens: int) -> Iterator[None]:
        """While a question is on its way that takes so many at most; SpentModelError where there
        are not that many left."""
        with self._lock:
            if tokens > self.room():
                raise SpentModelError(
                    "the daily token limit of the model is used up",
                    hint="the rest continues tomorrow; change the limits with model.daily_tokens "
                    "and model.daily_tokens_full",
                )
            self._held += tokens
        try:
            yield
        finally:
            with self._lock:
                self._held -= tokens

    def record(self, task: str, tokens_in: int, tokens_out: int) -> None:
        """Note what was spent; it is on disk at once."""
        with self._lock:
            self.by_task[task] += tokens_in + tokens_out
        if self._store is not None and tokens_in + tokens_out:
            with self._store.writing():
                self._store.execute("spend", self._day, task, tokens_in, tokens_out)


class ModelQuestion(NamedTuple):
    name: str  # what is asked for; the ledger counts by it
    language: str
    system: str
    user: str
    schema: Schema  # what the server is asked to keep to
    most: int  # tokens of the answer

    @property
    def turns(self) -> list[Turn]:
        return [{"role": "system", "content": self.system}, {"role": "user", "content": self.user}]


class ModelReply(NamedTuple, Generic[T]):
    value: T
    tokens_in: int  # of all attempts together
    tokens_out: int


def cost(question: ModelQuestion, turns: Sequence[Turn] = (), most: int = 0) -> int:
    """The most tokens one attempt takes: what is sent, the schema, and the longest answer."""
    schema = estimate(json.dumps(question.schema, separators=(",", ":")))
    return _sent(turns or question.turns) + schema + (most or question.most)


def _sent(turns: Sequence[Turn]) -> int:
    return sum(estimate(turn["content"]) + _PER_MESSAGE for turn in turns)


class ChatModel:
    """A model, which is told texts as `clean` makes them."""

    def __init__(
        self, config: ModelConfig, ledger: Ledger | None = None, clean: Callable[[str], str] = str
    ) -> None:
        if not config.address:
            raise ConfigError(
                "a model needs a base URL and a name, or a command",
                hint="set model.base_url and model.name (LOXODON_MEMORY_BASE_URL, "
                "LOXODON_MEMORY_MODEL), or model.kind and model.command",
            )
        self._config, self.ledger, self._clean = config, ledger or Ledger(), clean
        self._endpoint = Endpoint("model", config, "/chat/completions", config.timeout)
        self._without: set[str] = set()  # fields that this server was found not to take

    @property
    def keeps_to_schemas(self) -> bool:
        """Whether the server has not refused a schema for its answers."""
        return "response_format" not in self._without

    def ask(self, question: ModelQuestion, read: Callable[[Any], T]) -> ModelReply[T]:
        """The answer to `question` as `read` makes it from the JSON object.

        Waits and asks again where the server is busy. `read` raises UnfitError for what it cannot
        use, ValidationError or KeyError for another shape: the reason is told to the model once.
        Raises a ModelError at the end.
        """
        spent = [0, 0]  # tokens sent and received
        try:
            return ModelReply(self._answer(question, read, spent), *spent)
        except ModelError as error:
            error.tokens_in, error.tokens_out = spent
            raise

    def _answer(self, question: ModelQuestion, read: Callable[[Any], T], spent: list[int]) -> T:
        turns, most, told, retries = question.turns, question.most, False, self._config.retries
        for _ in range(retries + 1):
            message = patiently(partial(self._request, turns, question, most, spent), retries)
            turns = question.turns
            try:
                return read(value_of(message.text))
            except (UnfitError, msgspec.ValidationError, KeyError) as error:
                reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
                refused = isinstance(error, RefusedError)
            if message.cut:
                most *= 2
            elif not told:
                told = True
                shown = cut(message.text[: 40 * _REPEATED], _REPEATED)
                again = prompt("repair", question.language, reason=reason)
                turns.append({"role": "assistant", "content": shown or "…"})
                turns.append({"role": "user", "content": again})
        raise BadReplyError(
            "the model's answer cannot be used: {reason}",
            hint="open decisions are retried in the next run; a larger model may do better",
            reason=reason,
            refused=refused,
        )

    def _request(
        self, turns: Sequence[Turn], question: ModelQuestion, most: int, spent: list[int]
    ) -> Message:
        """One request, allowed by the ledger and paid for."""
        tokens_in, tokens_out = 0, 0
        # A trial, once for each model, may take more than all the questions of a day.
        with self.ledger.holding(cost(question, turns, most) if question.name != "trial" else 0):
            try:
                message = self._send(turns, question, most)
                tokens_in = _sent(turns) if message.tokens_in is None else message.tokens_in
                got = message.tokens_out
                tokens_out = estimate(message.text) if got is None else got
                return message
            except UnreachableModelError as error:
                if error.values["delivered"]:  # it may be at work on it, and will want to be paid
                    tokens_in = _sent(turns)
                raise
            finally:
                spent[:] = spent[0] + tokens_in, spent[1] + tokens_out
                self.ledger.record(question.name, tokens_in, tokens_out)

    def _send(self, turns: Sequence[Turn], question: ModelQuestion, most: int) -> Message:
        """What the program says, or the server, without what that was found not to take."""
        # What was kept before there was a rule for it is not told to a model either. Where there is
        # data beside it, the system's turn is our own.
        fenced = any(OPEN in turn["content"] for turn in turns[1:])
        told = [
            turn
            if fenced and turn["role"] == "system"
            else {**turn, "content": cleaned(turn["content"], self._clean)}
            for turn in turns
        ]
        if self._config.kind == "command":
            form = f"Answer with JSON only, as this schema has it: {json.dumps(question.schema)}"
            said = "\n\n".join([*(turn["content"] for turn in told), form])
            return Message(run_program(self._config.command, said, self._config.timeout))
        schema = {"name": question.name, "strict": True, "schema": question.schema}
        body = {
            "model": self._config.name,
            "messages": told,
            "stream": False,
            "max_tokens": most,
            "temperature": _TEMPERATURE,
            "response_format": {"type": "json_schema", "json_schema": schema},
        }
        before = set(self._without)
        while True:
            taken = {name: value for name, value in body.items() if name not in self._without}
            if "max_tokens" in self._without:
                taken["max_completion_tokens"] = most
            status, answer = self._endpoint.post(taken)
            if status == 200:
                return message_of(answer)
            complaints = [name for said, name in _COMPLAINTS if said in answer]
            new = [name for name in complaints if name not in self._without]
            if status not in (400, 422) or not new:  # it was something else
                self._without = before
                raise self._endpoint.rejected(status)
            self._without.add(new[0])
