"""Embedding: each turn, memory and note gets a vector, in batches, on from where a run stopped.

A text that fails stays to be done and stops nothing; an embedder that cannot be used stops the run,
which the next one continues.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from loxodon.errors import BadReplyError, ConfigError, LoxodonError, ModelError
from loxodon.filelock import lock_at
from loxodon.language.worth import encoder
from loxodon.layout import EMBEDDING_LOCK
from loxodon.messages import t
from loxodon.store import Coverage, Embeddable, Index, Progress, TextToEmbed, Vector
from loxodon.store.store import Store

if TYPE_CHECKING:
    from loxodon.config import EmbedderConfig
    from loxodon.models.embedders import Embedder, Questioner
    from loxodon.opening import OpenSpace

# Of a text. What a long answer is about stands at its beginning: neither pieces of 300 or 500
# characters, each with a vector of its own, nor fewer characters found more on long conversations.
MOST_CHARACTERS = 2_000
_BATCH = 32  # Texts that are embedded together: some servers take no more
_ROUND = 512  # Texts between two writes: what a run that is killed loses at most
_SECONDS = 300.0  # Most for a batch, the tries of an endpoint included
_BAD_BATCHES = 3  # In a row without one good vector: the embedder is unfit
_KINDS: tuple[Embeddable, ...] = ("memories", "turns", "chunks")
TRIES = 3  # How often a text is tried by runs that nobody asked for

# For the hash of a text its vector, or why there is none
Outcome = dict[bytes, bytes | str]


class Embedded(NamedTuple):
    """What an embedding run did."""

    embedded: int  # texts that have a vector now
    models: tuple[Coverage, ...]  # how far each model has come; none where no embedder is set


class Embedders:
    """The configured embedder for texts and questions, if any: created on first use, shared by all
    views of a memory."""

    def __init__(self, settings: EmbedderConfig) -> None:
        self._settings = settings
        self._chosen: Embedder | None = None
        self._questioner: Questioner | None = None
        self._given = False

    def use(self, chosen: Embedder | None) -> None:
        """Use this one instead of the configured one; it is not recreated after a fork."""
        self._chosen, self._given = chosen, chosen is not None

    def after_fork(self) -> None:
        """Drop our models: their threads and sockets do not survive a fork."""
        self._questioner = None
        self._chosen = self._chosen if self._given else None

    @property
    def are_set(self) -> bool:
        return self._chosen is not None or self._settings.kind != "none"

    def chosen(self) -> Embedder | None:
        if self._chosen is None:
            from loxodon.models.embedders import chosen

            self._chosen = chosen(self._settings)
        return self._chosen

    def ask(self, text: str, clean: Callable[[str], str]) -> tuple[str, Any] | None:
        """The name of the embedder and its vector of a question; None if none is set."""
        if not self._given and self._settings.kind == "auto":  # which sends it nowhere
            return encoder().name, encoder().embed([text])[0]
        if self._questioner is None and self.are_set:
            from loxodon.models.embedders import Questioner

            self._questioner = Questioner(self.chosen, self._settings.query_timeout)
        return self._questioner.ask(clean(text)) if self._questioner else None

    def embed(
        self, space: OpenSpace, progress: Progress | None = None, *, again: bool = True
    ) -> Embedded:
        """Embed what of a space has no vector; what failed often only if asked `again`."""
        count, chosen = 0, self.chosen()
        with closing(lock_at(os.path.join(space.folder, EMBEDDING_LOCK))) as lock:
            # A second run at once would only do the same again.
            if chosen and lock.acquire(0):
                count = _Run(space.store, chosen, space.guard.clean, progress).all(again)
        return Embedded(count, self.coverage(space))

    def embed_quietly(self, space: OpenSpace) -> int:
        """Embed at the end of a consolidation and return how many; `status` reports failures."""
        with suppress(ConfigError):
            return self.embed(space, again=False).embedded if self.are_set else 0
        return 0

    def coverage(self, space: OpenSpace) -> tuple[Coverage, ...]:
        """How many texts of a space the embedder has embedded; if it cannot be used, why."""
        try:
            chosen = self.chosen() if self.are_set else None
        except LoxodonError as error:
            return (Coverage("", 0, 0, 0, error.localized()[0]),)
        return (space.store.vectors.coverage(chosen.name),) if chosen else ()


class _Text(NamedTuple):
    pool: Index
    text: str
    hash: bytes


class _Run:
    """One run of one embedder."""

    def __init__(
        self, store: Store, chosen: Embedder, clean: Callable[[str], str], progress: Progress | None
    ) -> None:
        self._store, self._vectors = store, store.vectors
        self._chosen, self._name = chosen, chosen.name
        self._clean, self._progress = clean, progress
        self._total = self._vectors.coverage(self._name).pending
        self._done = self._embedded = self._bad = 0
        self._size = self._store.scalar("vector_size", self._name) or 0

    def all(self, again: bool) -> int:
        """Embed everything that waits: first what is to be done again, then what is new."""
        stopped = ""
        with self._store.writing():
            self._store.execute("put_vector_model", self._name, b"")
        try:
            tries = 1 << 30 if again else TRIES
            failed = self._store.query_as(TextToEmbed, "vector_todo", self._name, tries)
            for start in range(0, len(failed), _ROUND):
                # Each by itself: one text may be why the others of its batch failed.
                self._round(failed[start : start + _ROUND], alone=True)
            for kind in _KINDS:
                while rows := self._store.column(f"next_{kind}", self._name, _ROUND):
                    self._round([TextToEmbed(kind, row) for row in rows], alone=False)
                    with self._store.writing():
                        self._store.execute(f"advance_{kind}", rows[-1], self._name)
        except (ModelError, ConfigError) as error:
            stopped = error.localized()[0]
        with self._store.writing():
            self._vectors.stop(self._name, stopped)
        return self._embedded

    def _round(self, waiting: Sequence[TextToEmbed], alone: bool) -> None:
        """Embed some texts and keep what came of it, also where the embedder then failed."""
        from concurrent.futures import ThreadPoolExecutor

        texts = self._texts(waiting)
        wanted = {one.hash: one.text for one in texts.values() if one.text.strip()}
        found: Outcome = dict(self._store.query("vectors_by_hash", self._name, [*wanted]))
        new = {hash: text for hash, text in wanted.items() if hash not in found}
        size = 1 if alone else _BATCH
        groups = [[*new][start : start + size] for start in range(0, len(new), size)]
        try:
            with ThreadPoolExecutor(getattr(self._chosen, "at_once", 1)) as pool:
                work = pool.map(lambda group: self._batch([new[h] for h in group], alone), groups)
                for group, outcome in zip(groups, work, strict=True):
                    found |= zip(group, outcome, strict=True)
        finally:
            self._keep(waiting, texts, found)

    def _texts(self, waiting: Sequence[TextToEmbed]) -> dict[TextToEmbed, _Text]:
        """The texts of rows as they are now, those that there are."""
        from loxodon.guard.quarantine import heard
        from loxodon.text.things import in_first_person

        found: dict[TextToEmbed, _Text] = {}

        def add(kind: Embeddable, row: int, pool: Index, text: str) -> None:
            text = text[:MOST_CHARACTERS]
            digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
            found[TextToEmbed(kind, row)] = _Text(pool, text, digest)

        turns = self._store.turns([one.row for one in waiting if one.kind == "turns"])
        for row, turn in zip(turns, heard(self._store, turns.values()), strict=True):
            said_by = f"{turn.speaker}: " if turn.speaker else ""  # part of what was said
            add("turns", row, "turns", said_by + turn.content)
        records = self._store.records(one.row for one in waiting if one.kind == "memories")
        for row, record in records.items():
            pool: Index = "memories" if record.state == "active" else "archive"
            add("memories", row, pool, in_first_person(record.content))
        if chunks := [one.row for one in waiting if one.kind == "chunks"]:
            for row, note in self._store.workspace_data.notes(chunks).items():
                add("chunks", row, "chunks", note.chunk.text)
        return found

    def _keep(
        self, waiting: Sequence[TextToEmbed], before: Mapping[TextToEmbed, _Text], found: Outcome
    ) -> None:
        vectors: list[Vector] = []
        failed: list[tuple[object, ...]] = []
        settled: list[tuple[object, ...]] = []
        with self._store.writing():
            now = self._texts(waiting)
            for one in waiting:
                text = now.get(one)
                if text is None or not text.text.strip():  # forgotten meanwhile, or without words
                    settled.append((self._name, *one))
                elif one not in before or before[one].hash != text.hash:
                    failed.append((self._name, *one, t("it was changed in the meantime")))
                elif isinstance(half := found.get(text.hash), bytes):
                    vectors.append(Vector(text.pool, one.row, text.hash, half))
                    settled.append((self._name, *one))
                elif half is not None:
                    failed.append((self._name, *one, half))
            self._vectors.put(self._name, vectors)
            self._store.execute_many("fail_vector", failed)
            self._store.execute_many("settle_vector", settled)
        self._done += len(settled)
        self._embedded += len(vectors)
        if self._progress:
            self._progress(min(self._done, self._total), self._total)

    def _batch(self, texts: list[str], alone: bool) -> list[bytes | str]:
        """For each text its vector, or why there is none. Raises where the embedder is unfit."""
        import numpy as np

        from loxodon.models.embedders import vectors

        # What was kept before there was a rule for it does not leave either.
        texts = [self._clean(text) for text in texts]
        try:
            retries = getattr(self._chosen, "retries", 0)
            found, good = vectors(self._chosen, texts, _SECONDS, retries)
        except BadReplyError as error:
            self._bad = 0 if alone else self._bad + 1
            if self._bad == _BAD_BATCHES:
                raise
            return [error.localized()[0]] * len(texts)
        self._bad, size, known = 0, found.shape[1], self._size
        if known and known != size:
            message = "the embedder returned vectors of {found} numbers, but {known} before"
            raise ConfigError(message, found=size, known=known)
        self._size = size
        halves, bad = found.astype(np.float16), t("the embedder gave no usable vector")
        return [half.tobytes() if fine else bad for half, fine in zip(halves, good, strict=True)]
