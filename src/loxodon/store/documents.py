"""Documents: what programs keep in the store beside the memories, exactly as they handed it in.

A document is a JSON value with a namespace, a few names from the general to the particular, and a
key. It is found by both, or by its words, but it is nothing that was said: no consolidation reads
it, it never fades, and no recall tells it. All writes are called inside `Store.writing`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from loxodon.values import NamedTuple

Namespace = tuple[str, ...]


class StoredDocument(NamedTuple):
    """A document as the store has it."""

    no: int
    """The number of its last change: a higher one is newer."""
    namespace: Namespace
    key: str
    value: str
    """JSON."""
    created_at: int
    updated_at: int
    """Milliseconds since 1970 UTC, as is `expires_at`: thousands are looked at, few are told."""
    minutes: float | None
    """How long it is kept after it was last wanted; None for good."""
    expires_at: int | None


class DocumentStore(Protocol):
    def put(
        self,
        namespace: Namespace,
        key: str,
        value: str,
        text: str,
        at: datetime,
        minutes: float | None,
        expires_at: datetime | None,
    ) -> StoredDocument:
        """Keep a document in place of what has its namespace and key; it is found by `text`.

        Without a key it gets its number, which no other ever has, as twelve or more digits.
        """
        ...

    def named(self, namespace: Namespace, key: str) -> StoredDocument | None: ...

    def numbered(self, rows: Iterable[int]) -> dict[int, StoredDocument]:
        """Documents by their number, which is their row in the index `documents`."""
        ...

    def newest(
        self, namespace: Namespace, limit: int, before: int | None = None, *, deep: bool = True
    ) -> list[StoredDocument]:
        """The latest `limit` of a namespace, the last changed first; `before` a number.

        Where `deep`, namespaces that begin with it count too.
        """
        ...

    def namespaces(self, begin: Namespace, now: datetime) -> list[Namespace]:
        """Every namespace that begins so and has a document that has not expired, in order."""
        ...

    def drop(self, rows: Iterable[int]) -> None: ...

    def ended(self, now: datetime, limit: int) -> list[int]:
        """The numbers of documents that have expired."""
        ...

    def put_off(self, row: int, expires_at: datetime) -> None:
        """Let a document expire at another time."""
        ...


def path_of(namespace: Namespace) -> str:
    """A namespace as the store keeps it: one begins with another where their paths do."""
    return "".join(f"{name.replace('%', '%25').replace('/', '%2F')}/" for name in namespace)


def namespace_at(path: str) -> Namespace:
    """The namespace of a path."""
    return tuple(
        name.replace("%2F", "/").replace("%25", "%") for name in path.removesuffix("/").split("/")
    )
