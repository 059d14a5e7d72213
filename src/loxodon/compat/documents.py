"""JSON values that programs store beside the memories, by namespace and key.

    memory.documents.put(("users", "ann"), "settings", {"theme": "dark"})
    memory.documents.get(("users", "ann"), "settings").value

A document is not a memory: it does not fade, nothing is learned from it, no recall returns it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from loxodon.errors import InputError
from loxodon.fields import number
from loxodon.guard.guard import Guard
from loxodon.store import Filter, Namespace, StoredDocument
from loxodon.store.rows import loaded, moment
from loxodon.store.store import Store
from loxodon.store.walls import namespace_at, path_of
from loxodon.text.related import expand
from loxodon.text.words import query_words
from loxodon.verbs import verb

MAX_VALUE = 16 << 20  # characters of a value as JSON
MAX_NAMES = 32
MAX_KEY = 2_000  # characters of a key, and of each name of a namespace
MAX_DEPTH = 200
MAX_FOUND_BY = 100_000  # characters that a document is found by; the rest is stored all the same

_BATCH = 1_000
_FIRST = 50  # documents read at first: mostly a few are asked for
_SEARCHED = 10_000  # documents that match a query, of which some are wanted


class Document(NamedTuple):
    """A JSON value that a program keeps."""

    namespace: Namespace
    key: str
    value: Any
    created_at: datetime
    updated_at: datetime
    score: float | None = None  # how well it matches the query beside the best, from 0 to 1


Wanted = Callable[[Any], bool]  # whether a value is wanted


class Documents:
    """The documents of one space. Use it from any thread, beside other processes."""

    def __init__(
        self, store: Store, now: Callable[[], datetime], root: Namespace, guard: Guard
    ) -> None:
        """All namespaces are within `root`, which nobody here sees."""
        self._root, self._store, self._now = root, store, now
        self._kept, self._clean = store.documents, guard.value

    def _at(self, namespace: Namespace, key: str = "") -> Namespace:
        """A namespace that can be kept, with this key in it."""
        names = tuple(namespace)
        texts = all(isinstance(one, str) and len(one) <= MAX_KEY for one in (*names, key))
        if len(names) > MAX_NAMES or not texts or not all(names):
            raise InputError(
                "a document cannot be kept as {key} in the namespace {namespace}",
                hint="use a key, and a tuple of up to {most} names, of up to {longest} characters "
                "each",
                namespace=repr(namespace)[:80],
                key=repr(key)[:80],
                most=MAX_NAMES,
                longest=MAX_KEY,
            )
        return (*self._root, *names)

    @verb(named=True)
    def together(self) -> AbstractContextManager[None]:
        """Several changes that are all kept, or none; what a memory does inside belongs to them."""
        return self._store.writing()

    @verb(named=True, access="write", audit="writes")
    def put(
        self, namespace: Namespace, key: str, value: Any, *, text: str | None = None
    ) -> Document:
        """Keep a value in place of what is there; on disk when this returns.

        It is found by `text`, or where that is None by all words of the value.
        """
        if not key:
            raise InputError("a document needs a key")
        return self._put(namespace, key, value, text)

    @verb(named=True, access="write", audit="writes")
    def append(self, namespace: Namespace, values: Sequence[Any]) -> list[Document]:
        """Keep values after those that the namespace has, each with a key that none ever had."""
        with self._store.writing():
            return [self._put(namespace, "", value, "") for value in values]

    def _put(self, namespace: Namespace, key: str, value: Any, text: str | None) -> Document:
        names, key = self._at(tuple(map(self._clean, namespace)), key), self._clean(key)
        if not _is_json(value):
            raise InputError(
                "the document is not JSON",
                hint="use objects, lists, strings, numbers, true, false and null, up to {most} "
                "levels deep",
                most=MAX_DEPTH,
            )
        value = self._clean(value)
        whole = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        if any("\ud800" <= c <= "\udfff" for c in whole):  # half a character: by its number only
            whole = json.dumps(value, separators=(",", ":"))
        if (size := len(whole)) > MAX_VALUE:
            hint = "the limit is {most} characters"
            raise InputError(
                "the document is too large: {size} characters", hint=hint, size=size, most=MAX_VALUE
            )
        found_by = text_of(value) if text is None else str(self._clean(text))
        found_by = found_by.encode("utf-8", "replace").decode("utf-8")[:MAX_FOUND_BY]
        now = self._now()
        with self._store.writing():
            # What an earlier version kept for a time
            self._kept.drop(self._store.column("document_ended", now, _SEARCHED))
            return self._document(self._kept.put(names, key, whole, found_by, now))

    @verb(named=True, audit="reads")
    def get(self, namespace: Namespace, key: str) -> Document | None:
        """The document with a namespace and key."""
        kept = self._kept.named(self._at(namespace, key), key)
        return self._document(kept) if kept else None

    @verb(named=True, access="write", audit="writes")
    def delete(self, namespace: Namespace, key: str) -> bool:
        """Take a document away for good; whether there was one."""
        with self._store.writing():
            kept = self._kept.named(self._at(namespace, key), key)
            if kept is not None:
                self._kept.drop([kept.no])
        return kept is not None

    @verb(named=True, audit="reads")
    def newest(self, namespace: Namespace, limit: int = 0) -> list[Document]:
        """The documents of a namespace, the last changed first; `limit` 0 has all."""
        found = self._newest(self._at(namespace), deep=False)
        with self._store.reading():
            return [self._document(one) for one in islice(found, number("limit", limit) or None)]

    @verb(named=True, audit="reads")
    def search(
        self,
        begin: Namespace,
        query: str = "",
        *,
        wanted: Wanted | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> list[Document]:
        """The documents whose namespace begins so: those that match the query best, then the rest.

        Without a query the last changed come first. `wanted` leaves out values it says no to.
        """
        names = self._at(begin)
        first, end = number("offset", offset), offset + number("limit", limit)
        with self._store.reading():
            found = list(islice(self._ranked(names, query, end, wanted), first, end))
        return [self._document(kept, score) for kept, score in found]

    @verb(named=True, audit="reads")
    def namespaces(self, begin: Namespace = ()) -> list[Namespace]:
        """Every namespace that begins so and has a document, in order."""
        path = path_of(self._at(begin))
        paths = self._store.column("namespaces", self._now(), path, f"{path[:-1]}0")  # after '/'
        return [names[len(self._root) :] for names in sorted(map(namespace_at, paths))]

    def _ranked(
        self, begin: Namespace, query: str, most: int, wanted: Wanted | None
    ) -> Iterator[tuple[StoredDocument, float | None]]:
        """The documents that match the query, best first, then the others, last changed first."""
        own = query_words(query)
        words = [*own, *(one.word for one in expand(own, query))]
        where, most = Filter(namespace=path_of(begin)), _SEARCHED if wanted else 2 * most + _FIRST
        hits = {one.row: one.score for one in self._store.search("documents", words, where, most)}
        best = max(hits.values(), default=1.0)
        found = self._store.query_as(StoredDocument, "documents", [*hits])
        for one in sorted(found, key=lambda one: -hits[one.no]):
            if wanted is None or wanted(loaded(one.value)):
                yield one, hits[one.no] / best
        yield from ((one, None) for one in self._newest(begin, wanted) if one.no not in hits)

    def _newest(
        self, namespace: Namespace, wanted: Wanted | None = None, *, deep: bool = True
    ) -> Iterator[StoredDocument]:
        before, size = None, _FIRST
        while kept := self._kept.newest(namespace, size, before, deep=deep):
            for one in kept:
                if wanted is None or wanted(loaded(one.value)):
                    yield one
            before, size = kept[-1].no, min(2 * size, _BATCH)

    def _document(self, kept: StoredDocument, score: float | None = None) -> Document:
        zone = self._now().tzinfo
        created, updated = moment(kept.created_at, zone), moment(kept.updated_at, zone)
        names, value = kept.namespace[len(self._root) :], loaded(kept.value)
        return Document(names, kept.key, value, created, updated, score)


def _is_json(value: Any, depth: int = MAX_DEPTH) -> bool:
    """Whether JSON would give a value back as it is."""
    if isinstance(value, dict):
        named = all(isinstance(name, str) for name in value)
        return named and depth > 0 and all(_is_json(one, depth - 1) for one in value.values())
    if isinstance(value, list | tuple):
        return depth > 0 and all(_is_json(one, depth - 1) for one in value)
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | int)


def text_of(value: Any) -> str:
    """The words of a value: its names, texts and numbers."""
    if isinstance(value, Mapping):
        return "\n".join(f"{name} {text_of(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return "\n".join(map(text_of, value))
    return "" if value is None or isinstance(value, bool) else str(value)
