"""The model: one question, one checked answer, through any OpenAI-compatible endpoint or a program.

Every request is allowed by the ledger before it is sent and noted in it afterwards, so that the cap
of a day holds whatever goes wrong. Models put prose or fences around JSON, think aloud before it,
stop half-way, refuse, or answer something else: they are told once why an answer cannot be used.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from loxodon.config import ModelConfig
from loxodon.errors import BadReplyError, ConfigError, ModelError, UnreachableModelError
from loxodon.models.prompts import Schema, fenced, prompt
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
_TRIES = 8  # places at which a JSON object may begin in prose

T = TypeVar("T")
Turn = dict[str, str]


class UnfitError(Exception):
    """An answer that cannot be used; the message is for the model that gave it."""


class RefusedError(UnfitError):
    """An answer in the right shape, of which nothing can be believed."""


class Message(NamedTuple):
    text: str  # empty where there is none, or a refusal
    tokens_in: int = 0  # what it cost, where the server says so
    tokens_out: int = 0
    cut: bool = False  # it stopped at its limit of tokens


def message_of(body: bytes) -> Message:
    """The message in a server's answer."""
    try:
        data = json.loads(body.decode("utf-8-sig"))
        choice = data["choices"][0]
        said, ended = choice["message"], choice.get("finish_reason")
        content, used = said.get("content"), data.get("usage") or {}
        if said.get("refusal") or ended == "content_filter":
            content = ""
        if isinstance(content, list):  # some servers answer in parts
            content = "".join(part["text"] for part in content if part.get("type") == "text")
        costs = [used.get("prompt_tokens"), used.get("completion_tokens")]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Message("")
    sent, got = (one if type(one) is int and 0 < one < 10**9 else 0 for one in costs)
    return Message(content if isinstance(content, str) else "", sent, got, ended == "length")


def value_of(text: str) -> dict[str, Any]:
    """The JSON object in what a model said."""
    text = text.rpartition("</think>")[2].strip()
    if not text:
        raise UnfitError("the answer is empty")
    for start in [match.start() for match in re.finditer(r"\{", text)][:_TRIES]:
        try:
            value = json.JSONDecoder().raw_decode(text, start)[0]
        except (ValueError, RecursionError):  # no JSON, or nested a thousand deep
            continue
        if value:
            return cast(dict[str, Any], value)
    raise UnfitError("there is no whole JSON object in the answer")


class Ledger:
    """What the model costs on a day: its tokens by task, and their cap; 0 is none."""

    def __init__(self, store: Store | None = None, day: str = "", cap: int = 0) -> None:
        self._store, self._day, self._cap = store, day, cap
        self.by_task: Counter[str] = Counter()
        self.sent = self.received = 0  # tokens in all

    def room(self) -> int:
        """Tokens left today."""
        if self._store is None or not self._cap:
            return _UNLIMITED
        return max(0, self._cap - int(self._store.scalar("spent", self._day)))

    def pay(self, task: str, sent: int, received: int) -> None:
        """Note the tokens that a question took."""
        self.sent, self.received = self.sent + sent, self.received + received
        self.by_task[task] += sent + received
        if self._store is not None:  # on disk at once, because they were spent
            with self._store.writing():
                self._store.execute("spend", self._day, task, sent, received)


class ModelQuestion(NamedTuple):
    name: str  # what is asked for; the ledger counts by it
    language: str
    system: str
    lines: Sequence[tuple[str, str]]  # what it is about, each text with a label
    schema: Schema  # what the server is asked to keep to
    most: int  # tokens of the answer
    repair: tuple[Turn, ...] = ()  # an answer that could not be used, and why

    def turns(self, clean: Callable[[str], str] = str) -> list[Turn]:
        """What is sent. Our own words and labels, a date beside a text that speaks of keys, are no
        secrets: only the texts are cleaned."""
        lines = fenced((label, clean(text)) for label, text in self.lines)
        said = [{"role": "system", "content": self.system}, {"role": "user", "content": lines}]
        return [*said, *({**turn, "content": clean(turn["content"])} for turn in self.repair)]

    @property
    def sent(self) -> int:
        """The tokens of what is sent."""
        return sum(estimate(turn["content"]) + _PER_MESSAGE for turn in self.turns())

    @property
    def cost(self) -> int:
        """The most tokens one attempt takes: what is sent, the schema, and the longest answer."""
        return self.sent + estimate(json.dumps(self.schema, separators=(",", ":"))) + self.most


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

    def ask(self, question: ModelQuestion, read: Callable[[Any], T]) -> T:
        """The answer to `question` as `read` makes it from the JSON object.

        Waits and asks again where the server is busy. `read` raises UnfitError for what it cannot
        use, ValidationError or KeyError for another shape: the reason is told to the model, which
        is then asked afresh. Raises a ModelError at the end.
        """
        asked, retries = question, self._config.retries
        for _ in range(retries + 1):
            message = patiently(partial(self._request, asked), retries)
            try:
                return read(value_of(message.text))
            except (UnfitError, msgspec.ValidationError, KeyError) as error:
                reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
                refused = isinstance(error, RefusedError)
            repair: tuple[Turn, ...] = ()
            if message.cut:
                asked = asked._replace(most=2 * asked.most)
            elif not asked.repair:
                shown = cut(message.text[: 40 * _REPEATED], _REPEATED) or "…"
                told = prompt("repair", question.language, reason=reason)
                repair = {"role": "assistant", "content": shown}, {"role": "user", "content": told}
            asked = asked._replace(repair=repair)
        raise BadReplyError(
            "the model's answer cannot be used: {reason}",
            hint="open decisions are retried in the next run; a larger model may do better",
            reason=reason,
            refused=refused,
        )

    def _request(self, question: ModelQuestion) -> Message:
        """One request, allowed by the ledger and paid for."""
        # A trial, once for each model, may take more than all the questions of a day.
        if question.name != "trial" and question.cost > self.ledger.room():
            hint = "it goes on tomorrow; limits: model.daily_tokens and model.daily_tokens_full"
            raise ModelError("the daily token limit of the model is used up", hint=hint, spent=True)
        try:
            message = self._send(question)
        except UnreachableModelError as error:
            if error.values.get("delivered"):  # it may be at work on it, and will want to be paid
                self.ledger.pay(question.name, question.sent, 0)
            raise
        received = message.tokens_out or estimate(message.text)
        self.ledger.pay(question.name, message.tokens_in or question.sent, received)
        return message

    def _send(self, question: ModelQuestion) -> Message:
        """What the program says, or the server, without what that was found not to take."""
        # What was kept before there was a rule for it is not told to a model either.
        turns = question.turns(self._clean)
        if self._config.kind == "command":
            form = f"Answer with JSON only, as this schema has it: {json.dumps(question.schema)}"
            said = "\n\n".join([*(turn["content"] for turn in turns), form])
            return Message(run_program(self._config.command, said, self._config.timeout))
        schema = {"name": question.name, "strict": True, "schema": question.schema}
        body = {
            "model": self._config.name,
            "messages": turns,
            "stream": False,
            "max_tokens": question.most,
            "temperature": _TEMPERATURE,
            "response_format": {"type": "json_schema", "json_schema": schema},
        }
        without = self._without
        while True:
            taken = {name: value for name, value in body.items() if name not in without}
            if "max_tokens" in without:
                taken["max_completion_tokens"] = question.most
            status, answer = self._endpoint.post(taken)
            if status == 200:
                self._without = without
                return message_of(answer)
            new = [name for said, name in _COMPLAINTS if said in answer and name not in without]
            if status not in (400, 422) or not new:  # it was something else
                raise self._endpoint.rejected(status)
            without = {*without, new[0]}
