"""What is asked, as vectors: quickly or not at all, because somebody waits for the answer."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from loxodon.errors import LoxodonError
from loxodon.messages import t
from loxodon.models.embedders import ChosenEmbedder, Embedder
from loxodon.models.embedders.limits import within
from loxodon.store import QuestionVector
from loxodon.text.language import language_of

if TYPE_CHECKING:
    from loxodon.store.vector_math import Floats

MOST_CHARACTERS = 2_000
LOAD_SECONDS = 30.0  # What a model may take for its first question: it is loaded then
PAUSE_SECONDS = 30.0  # How long an embedder that failed is left alone
_REMEMBERED = 256


class EmbeddedQuestion(NamedTuple):
    """A question in vectors."""

    views: tuple[QuestionVector, ...]
    """As each model sees it, the one that knows its language best first. Empty where none could
    be asked."""
    problem: str = ""  # Why a model could not be asked; empty where all could


class Questioner:
    """Embeds questions. Never raises for an embedder that fails, and never waits for it twice."""

    def __init__(
        self,
        choose: Callable[[], Sequence[ChosenEmbedder]],
        seconds: float,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._choose = choose
        self._seconds = seconds
        self._clock = clock
        self._chosen: Sequence[ChosenEmbedder] | None = None
        self._ready: set[str] = set()
        self._failures: dict[str, tuple[float, str]] = {}
        self._known: OrderedDict[tuple[str, str], Floats] = OrderedDict()

    def ask(self, text: str) -> EmbeddedQuestion:
        """`text` as the configured models see it."""
        text = text.strip()[:MOST_CHARACTERS]
        if not text:
            return EmbeddedQuestion(())
        try:
            chosen = self._all()
        except LoxodonError as error:
            return EmbeddedQuestion((), _said(error))
        language = language_of(text)
        asks = language if is_question(text) else ""
        views: list[QuestionVector] = []
        problem = ""
        # The model of its own language first: a row is judged by the first that has it.
        for one in sorted(chosen, key=lambda one: not one.language):
            if one.language not in ("", language):
                continue
            try:
                views.append(QuestionVector(one.embedder.name, self._vector(one, text), asks))
            except _FailedError as error:
                problem = str(error)
        return EmbeddedQuestion(tuple(views), problem)

    def _all(self) -> Sequence[ChosenEmbedder]:
        if self._chosen is None:
            self._chosen = self._choose()
        return self._chosen

    def _vector(self, one: ChosenEmbedder, text: str) -> Floats:
        name = one.embedder.name
        key = (name, text)
        if key not in self._known:
            self._known[key] = self._asked(one.asker or one.embedder, name, text)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]

    def _asked(self, embedder: Embedder, name: str, text: str) -> Floats:
        failed_at, problem = self._failures.get(name, (0.0, ""))
        if problem and self._clock() - failed_at < PAUSE_SECONDS:
            raise _FailedError(problem)
        seconds = self._seconds if name in self._ready else max(LOAD_SECONDS, self._seconds)
        try:
            found = within(seconds, lambda: embedder.embed([text]))
            vector = _direction(found)
        except TimeoutError:
            problem = t(
                "the embedder did not answer within {seconds} seconds", seconds=f"{seconds:g}"
            )
        except LoxodonError as error:
            problem = _said(error)
        except Exception as error:  # an embedder may be anybody's code
            problem = repr(error)[:200]
        else:
            self._ready.add(name)
            self._failures.pop(name, None)
            return vector
        self._failures[name] = (self._clock(), problem)
        raise _FailedError(problem)


class _FailedError(Exception):
    """An embedder gave no vector; the message says why."""


def is_question(text: str) -> bool:
    """Whether a text asks, whatever it ends with; words that are only looked for do not."""
    return _ASKING.search(text) is not None


_ASKING = re.compile(
    r"[?？]\s*$|什么|怎么|怎样|如何|多少|几[个次天年月点岁]|多[久大长]|为何|为啥|是否|有没有|[谁哪吗呢]"
    r"|^\W*(?:who|what|when|where|which|why|how|whose|do|does|did|is|are|was|were|am|can|could|should"
    r"|would|have|has|had|will|remind me|tell me)\b",
    re.I,
)


def _direction(found: object) -> Floats:
    """The one vector in an answer, of length 1."""
    from loxodon.store.vector_math import unit, usable

    vectors = usable(found, 1)
    if vectors is not None:
        vectors, good = unit(vectors)
        if good[0]:
            vector: Floats = vectors[0]
            return vector
    raise _FailedError(t("the embedder gave no usable vector"))


def _said(error: LoxodonError) -> str:
    return error.localized()[0]
