"""What is asked, as vectors: quickly or not at all, because somebody waits for the answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from loxodon.errors import LoxodonError
from loxodon.messages import t
from loxodon.models.embedders import ChosenEmbedder, Embedder
from loxodon.models.wire import within
from loxodon.store import QuestionVector
from loxodon.text.language import language_of

if TYPE_CHECKING:
    from loxodon.store.vector_math import Floats

_MOST_CHARACTERS = 2_000
_LOAD_SECONDS = 30.0  # what a model may take for its first question: it is loaded then
_PAUSE_SECONDS = 30.0  # how long an embedder that failed is left alone
_REMEMBERED = 256  # questions
_ASKING = re.compile(
    r"[?？]\s*$|什么|怎么|怎样|如何|多少|几[个次天年月点岁]|多[久大长]|为何|为啥|是否|有没有|[谁哪吗呢]"
    r"|^\W*(?:who|what|when|where|which|why|how|whose|do|does|did|is|are|was|were|am|can|could|should"
    r"|would|have|has|had|will|remind me|tell me)\b",
    re.I,
)


class EmbeddedQuestion(NamedTuple):
    view: QuestionVector | None  # None where the embedder could not be asked
    problem: str = ""  # why it could not


class _FailedError(Exception):
    """The embedder gave no vector; the message says why."""


class Questioner:
    """Embeds questions. Never raises for an embedder that fails, and never waits for it twice."""

    def __init__(self, choose: Callable[[], ChosenEmbedder | None], seconds: float) -> None:
        self._choose = choose
        self._seconds = seconds
        self._embedder: Embedder
        self._ready = False
        self._failed_at, self._problem = 0.0, ""
        self._remembered = lru_cache(_REMEMBERED)(self._vector)

    def ask(self, text: str) -> EmbeddedQuestion:
        """`text` as the configured model sees it."""
        text = text.strip()[:_MOST_CHARACTERS]
        if not text:
            return EmbeddedQuestion(None)
        try:
            chosen = self._choose()
            if chosen is None:
                return EmbeddedQuestion(None)
            self._embedder = chosen.asker or chosen.embedder
            vector = self._remembered(chosen.embedder.name, text)
        except LoxodonError as error:
            return EmbeddedQuestion(None, error.localized()[0])
        except _FailedError as error:
            return EmbeddedQuestion(None, str(error))
        # Whatever it ends with; words that are only looked for ask nothing.
        asks = language_of(text) if _ASKING.search(text) else ""
        return EmbeddedQuestion(QuestionVector(chosen.embedder.name, vector, asks))

    def _vector(self, name: str, text: str) -> Floats:
        from loxodon.store.vector_math import unit, usable

        if self._problem and monotonic() - self._failed_at < _PAUSE_SECONDS:
            raise _FailedError(self._problem)
        seconds = self._seconds if self._ready else max(_LOAD_SECONDS, self._seconds)
        problem = t("the embedder gave no usable vector")
        try:
            vectors = usable(within(seconds, lambda: self._embedder.embed([text])), 1)
            if vectors is not None:
                vectors, good = unit(vectors)
                if good[0]:
                    self._ready, self._problem = True, ""
                    return vectors[0]  # type: ignore[no-any-return]
        except TimeoutError:
            told = f"{seconds:g}"
            problem = t("the embedder did not answer within {seconds} seconds", seconds=told)
        except LoxodonError as error:
            problem = error.localized()[0]
        except Exception as error:  # an embedder may be anybody's code
            problem = repr(error)[:200]
        self._failed_at, self._problem = monotonic(), problem
        raise _FailedError(problem)
