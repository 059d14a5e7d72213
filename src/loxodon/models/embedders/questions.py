"""What is asked, as vectors: quickly or not at all, because somebody waits for the answer."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from loxodon.errors import LoxodonError
from loxodon.messages import t
from loxodon.models.embedders import ChosenEmbedder
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
    """A question in vectors."""

    # As each model sees it, the one that knows its language best first; empty where none could
    # be asked
    views: tuple[QuestionVector, ...]
    problem: str = ""  # why a model could not be asked; empty where all could


class _FailedError(Exception):
    """An embedder gave no vector; the message says why."""


class Questioner:
    """Embeds questions. Never raises for an embedder that fails, and never waits for it twice."""

    def __init__(self, choose: Callable[[], Sequence[ChosenEmbedder]], seconds: float) -> None:
        self._choose = choose
        self._seconds = seconds
        self._chosen: Sequence[ChosenEmbedder] | None = None
        self._ready: set[str] = set()
        self._failures: dict[str, tuple[float, str]] = {}
        self._known: OrderedDict[tuple[str, str], Floats] = OrderedDict()

    def ask(self, text: str) -> EmbeddedQuestion:
        """`text` as the configured models see it."""
        text = text.strip()[:_MOST_CHARACTERS]
        if not text:
            return EmbeddedQuestion(())
        try:
            self._chosen = self._choose() if self._chosen is None else self._chosen
        except LoxodonError as error:
            return EmbeddedQuestion((), error.localized()[0])
        language = language_of(text)
        # Whatever it ends with; words that are only looked for ask nothing.
        asks = language if _ASKING.search(text) else ""
        views: list[QuestionVector] = []
        problem = ""
        # The model of its own language first: a row is judged by the first that has it.
        for one in sorted(self._chosen, key=lambda one: not one.language):
            if one.language not in ("", language):
                continue
            try:
                views.append(QuestionVector(one.embedder.name, self._vector(one, text), asks))
            except _FailedError as error:
                problem = str(error)
        return EmbeddedQuestion(tuple(views), problem)

    def _vector(self, one: ChosenEmbedder, text: str) -> Floats:
        """The vector of a question, remembered where it was asked before."""
        from loxodon.store.vector_math import unit, usable

        key = (one.embedder.name, text)
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        name, embedder = one.embedder.name, one.asker or one.embedder
        failed_at, problem = self._failures.get(name, (0.0, ""))
        if problem and monotonic() - failed_at < _PAUSE_SECONDS:
            raise _FailedError(problem)
        seconds = self._seconds if name in self._ready else max(_LOAD_SECONDS, self._seconds)
        problem = t("the embedder gave no usable vector")
        try:
            vectors = usable(within(seconds, lambda: embedder.embed([text])), 1)
            vectors, good = unit(vectors) if vectors is not None else (None, [False])
            problem = problem if vectors is None or not good[0] else ""
        except TimeoutError:
            told = f"{seconds:g}"
            problem = t("the embedder did not answer within {seconds} seconds", seconds=told)
        except LoxodonError as error:
            problem = error.localized()[0]
        except Exception as error:  # an embedder may be anybody's code
            problem = repr(error)[:200]
        if problem or vectors is None:
            self._failures[name] = (monotonic(), problem)
            raise _FailedError(problem)
        self._ready.add(name)
        self._failures.pop(name, None)
        found: Floats = vectors[0]
        self._known[key] = found
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return found
