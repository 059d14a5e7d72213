"""Embedding: each turn, memory and note gets a vector, in batches, on from where a run stopped.

Adding never waits for this: it runs within consolidation and as `loxodon embed`. A text that fails
stays to be done and stops nothing; an embedder that cannot be used stops the run, which the next
one continues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from hashlib import sha256
from typing import NamedTuple

from loxodon.errors import BadReplyError, LoxodonError, StoreError
from loxodon.filelock import lock_at
from loxodon.guard.quarantine import heard
from loxodon.messages import t
from loxodon.models.embedders import ChosenEmbedder
from loxodon.models.wire import within
from loxodon.store import Embeddable, Index, Note, Progress, TextToEmbed, Vector
from loxodon.store.store import Store
from loxodon.store.vectors import Coverage
from loxodon.tokens import estimate
from loxodon.types import Record, Turn

# Of a text. What a long answer is about stands at its beginning: neither pieces of 300 or 500
# characters, each with a vector of its own, nor fewer characters found more on long conversations.
MOST_CHARACTERS = 2_000
BATCH_TOKENS = 8_000
_BATCH_TEXTS = 256
_ROUND = 512  # Texts between two writes: what a run that is killed loses at most
_SECONDS = 300.0  # Most for a batch, the tries of an endpoint included
# Batches in a row without one good vector, after which the embedder is taken to be unfit
_BAD_BATCHES = 3
_KINDS: tuple[Embeddable, ...] = ("memories", "turns", "chunks")
TRIES = 3  # How often a text is tried by runs that nobody asked for


class Embedded(NamedTuple):
    """What an embedding run did."""

    embedded: int  # texts that have a vector now
    models: tuple[Coverage, ...]  # how far each model has come; none where no embedder is set


def text_of(one: Turn | Record | Note) -> str:
    """What of a turn, memory or note is embedded; who said it is part of what was said."""
    if isinstance(one, Note):
        return one.chunk.text[:MOST_CHARACTERS]
    if isinstance(one, Turn) and one.speaker:
        return f"{one.speaker}: {one.content}"[:MOST_CHARACTERS]
    return one.content[:MOST_CHARACTERS]


def batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """The places of texts, in batches of at most 8,000 tokens; a longer one is by itself."""
    batch: list[int] = []
    tokens = 0
    for place, text in enumerate(texts):
        cost = estimate(text)
        if batch and (tokens + cost > BATCH_TOKENS or len(batch) == _BATCH_TEXTS):
            yield batch
            batch, tokens = [], 0
        batch.append(place)
        tokens += cost
    if batch:
        yield batch


class _Text(NamedTuple):
    """A text as it is to be embedded."""

    pool: Index
    text: str
    hash: bytes


class _StopError(Exception):
    """The embedder cannot be used now; the message says why."""


class Embedding:
    """Embeds what a store has and its vectors lack."""

    def __init__(
        self,
        store: Store,
        choose: Callable[[], ChosenEmbedder | None],
        lock_path: str,
        clean: Callable[[str], str] = str,
    ) -> None:
        self._store = store
        self._vectors = store.vectors
        self._choose = choose
        self._lock_path = lock_path
        self._clean = clean
        self._done = 0
        self._embedded = 0
        self._total = 0
        self._progress: Progress = _quiet

    def coverage(self) -> tuple[Coverage, ...]:
        """How far the model has come; where it cannot be used, why."""
        try:
            chosen = self._choose()
            return (self._vectors.coverage(chosen.embedder.name),) if chosen else ()
        except LoxodonError as error:
            if isinstance(error, StoreError):
                raise
            return (Coverage("", 0, 0, 0, error.localized()[0]),)

    def run(self, progress: Progress | None = None, *, again: bool = True) -> Embedded:
        """Embed what is not embedded yet; what failed before too, unless too often and not `again`.

        Raises ConfigError where no embedder can be made of the settings, and what a store raises.
        """
        chosen = self._choose()
        self._progress = progress or _quiet
        if chosen:
            lock = lock_at(self._lock_path)
            try:
                if lock.acquire(0):  # a second run at once would only do the same again
                    name = chosen.embedder.name
                    self._total = self._vectors.coverage(name).pending
                    with self._store.writing():
                        self._store.execute("put_vector_model", name, b"")
                    error = ""
                    try:
                        _Run(self._store, chosen, self._count, self._clean).all(again)
                    except _StopError as stopped:
                        error = str(stopped)
                    with self._store.writing():
                        self._vectors.stop(name, error)
                        if not error:  # until then a return to the model before costs nothing
                            self._vectors.keep_only([name])
            finally:
                lock.close()
        return Embedded(self._embedded, self.coverage())

    def _count(self, done: int, embedded: int) -> None:
        self._done += done
        self._embedded += embedded
        self._progress(min(self._done, self._total), self._total)


class _Run:
    """One run of one embedder."""

    def __init__(
        self,
        store: Store,
        chosen: ChosenEmbedder,
        count: Callable[[int, int], None],
        clean: Callable[[str], str],
    ) -> None:
        self._store = store
        self._vectors = store.vectors
        self._chosen = chosen
        self._name = chosen.embedder.name
        self._size = store.vectors.size(self._name)
        self._count = count
        self._clean = clean
        self._bad = 0
        self._stopped = ""

    def all(self, again: bool) -> None:
        """Everything that waits: first what is to be done again, then what is new."""
        failed = self._vectors.failed(self._name, 1 << 30 if again else TRIES)
        for start in range(0, len(failed), _ROUND):
            # Each by itself: one text may be why the others of its batch failed.
            self._round(failed[start : start + _ROUND], alone=True)
        for kind in _KINDS:
            while rows := self._vectors.next(self._name, kind, _ROUND):
                self._round([TextToEmbed(kind, row) for row in rows])
                with self._store.writing():
                    self._store.execute(f"advance_{kind}", rows[-1], self._name)

    def _round(self, waiting: Sequence[TextToEmbed], alone: bool = False) -> None:
        """Embed some texts and keep what came of it, also where the embedder then failed."""
        texts = self._texts(waiting)
        wanted = {one.hash: one.text for one in texts.values() if one.text.strip()}
        found: dict[bytes, bytes | str] = dict(self._vectors.known(self._name, wanted))
        new = [hash for hash in wanted if hash not in found]
        if alone:
            groups = [[hash] for hash in new]
        else:
            groups = [[new[n] for n in batch] for batch in batches([wanted[h] for h in new])]
        try:
            for group, outcome in self._outcomes(groups, wanted, alone):
                found |= zip(group, outcome, strict=True)
        finally:
            self._keep(waiting, texts, wanted.keys(), found)

    def _texts(self, waiting: Sequence[TextToEmbed]) -> dict[TextToEmbed, _Text]:
        """The texts of rows as they are now, those that there are."""
        found: dict[TextToEmbed, _Text] = {}
        turns = self._store.turns([one.row for one in waiting if one.kind == "turns"])
        for row, turn in zip(turns, heard(self._store, turns.values()), strict=True):
            found[TextToEmbed("turns", row)] = _text("turns", turn)
        records = self._store.records(one.row for one in waiting if one.kind == "memories")
        for row, record in records.items():
            pool: Index = "memories" if record.state == "active" else "archive"
            found[TextToEmbed("memories", row)] = _text(pool, record)
        chunks = [one.row for one in waiting if one.kind == "chunks"]
        for row, note in self._store.workspace_data.notes(chunks).items() if chunks else ():
            found[TextToEmbed("chunks", row)] = _text("chunks", note)
        return found

    def _keep(
        self,
        waiting: Sequence[TextToEmbed],
        before: Mapping[TextToEmbed, _Text],
        wanted: Set[bytes],
        found: Mapping[bytes, bytes | str],
    ) -> None:
        vectors: list[Vector] = []
        failures: dict[TextToEmbed, str] = {}
        settled: list[TextToEmbed] = []
        with self._store.writing():
            now = self._texts(waiting)
            for one in waiting:
                text = now.get(one)
                if text is None:  # forgotten meanwhile
                    settled.append(one)
                elif one not in before or before[one].hash != text.hash:
                    failures[one] = t("it was changed in the meantime")
                elif text.hash not in wanted:
                    settled.append(one)
                elif isinstance(half := found.get(text.hash), bytes):
                    vectors.append(Vector(text.pool, one.row, text.hash, half))
                    settled.append(one)
                elif half is not None:
                    failures[one] = half
            self._vectors.put(self._name, vectors)
            self._vectors.fail(self._name, failures)
            self._vectors.settle(self._name, settled)
        self._count(len(settled), len(vectors))

    def _outcomes(
        self, groups: Sequence[Sequence[bytes]], texts: Mapping[bytes, str], alone: bool
    ) -> Iterator[tuple[Sequence[bytes], list[bytes | str]]]:
        """Groups with what came of their texts: for each its vector, or why there is none."""

        def one(group: Sequence[bytes]) -> list[bytes | str]:
            return self._batch([texts[hash] for hash in group], alone)

        if self._chosen.at_once == 1 or len(groups) < 2:
            yield from ((group, one(group)) for group in groups)
            return
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(self._chosen.at_once) as pool:
            yield from zip(groups, pool.map(one, groups), strict=True)

    def _batch(self, texts: list[str], alone: bool) -> list[bytes | str]:
        if self._stopped:
            raise _StopError(self._stopped)
        # What was kept before there was a rule for it does not leave either.
        texts = [self._clean(text) for text in texts]
        try:
            found = within(_SECONDS, lambda: self._chosen.embedder.embed(texts))
            outcome = self._halves(found, len(texts))
        except BadReplyError as error:
            outcome = [error.localized()[0]] * len(texts)
        except LoxodonError as error:
            raise self._stop(error.localized()[0]) from None
        except TimeoutError:
            said = t(
                "the embedder did not answer within {seconds} seconds", seconds=f"{_SECONDS:g}"
            )
            raise self._stop(said) from None
        except _StopError:
            raise
        except Exception as error:  # an embedder may be anybody's code, and stumble over any text
            outcome = [repr(error)[:200]] * len(texts)
        failed = [one for one in outcome if isinstance(one, str)]
        self._bad = self._bad + 1 if len(failed) == len(outcome) and not alone else 0
        if self._bad == _BAD_BATCHES:
            raise self._stop(failed[0])
        return outcome

    def _stop(self, said: str) -> _StopError:
        self._stopped = said
        return _StopError(said)

    def _halves(self, found: object, count: int) -> list[bytes | str]:
        """Vectors as they are kept; for what is no vector, that it is none."""
        import numpy as np

        from loxodon.store.vector_math import unit, usable

        vectors = usable(found, count)
        if vectors is None:
            return [t("the embedder gave no usable vector")] * count
        size = vectors.shape[1]
        if self._size and self._size != size:
            raise self._stop(
                t(
                    "the embedder returned vectors of {found} numbers, but {known} before",
                    found=size,
                    known=self._size,
                )
            )
        vectors, good = unit(vectors)
        if any(good):
            self._size = size
        halves = vectors.astype(np.float16)
        bad = t("the embedder gave no usable vector")
        return [half.tobytes() if fine else bad for half, fine in zip(halves, good, strict=True)]


def _text(pool: Index, one: Turn | Record | Note) -> _Text:
    text = text_of(one)
    return _Text(pool, text, sha256(text.encode("utf-8", "surrogatepass")).digest())


def _quiet(done: int, total: int) -> None:
    """No progress to report to."""
