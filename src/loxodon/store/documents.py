"""JSON values that programs store."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from loxodon.clock import to_stored
from loxodon.store import Namespace, StoredDocument
from loxodon.store.driver import Row, these
from loxodon.store.search import Conditions, under
from loxodon.store.walls import namespace_at, path_of

if TYPE_CHECKING:
    from loxodon.store.store import Store


class DocumentStore:
    """JSON values that programs store beside the memories, returned exactly.

    A document has a namespace (names from general to specific) and a key. It is found by both, or
    by its words. Documents are not messages: consolidation does not read them, they do not fade,
    and recall does not return them.
    """

    def __init__(self, store: Store) -> None:
        self._db = store._db
        self._indexes = store._indexes

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
        """Store a document, replacing one with the same namespace and key; `text` is searched.

        Without a key, its unique number is used, as twelve or more digits.
        """
        no = self._db.take("document", 1)
        key = key or f"{no:012d}"
        before = self.named(namespace, key)
        now = to_stored(at)[0]
        ends = to_stored(expires_at)[0] if expires_at else None
        kept = StoredDocument(
            no, namespace, key, value, before.created_at if before else now, now, minutes, ends
        )
        if before:
            self.drop([before.no])
        path = path_of(namespace)
        self._db.run("put_document", (no, path, key, value, text, *kept[4:]))
        self._indexes.put("documents", [(no, text)])
        return kept

    def named(self, namespace: Namespace, key: str) -> StoredDocument | None:
        row = self._db.one("document_named", (path_of(namespace), key))
        return self.numbered(row)[row[0]] if row else None

    def numbered(self, rows: Iterable[int]) -> dict[int, StoredDocument]:
        """Documents by their number, which is their row in the index `documents`."""
        return {row[0]: _kept(row) for row in self._db.all("documents", (these(rows),))}

    def newest(
        self, namespace: Namespace, limit: int, before: int | None = None, *, deep: bool = True
    ) -> list[StoredDocument]:
        """The latest `limit` of a namespace, last changed first, below the number `before`.

        If `deep`, namespaces that begin with it count too.
        """
        path = path_of(namespace)
        where = under(path) if deep else Conditions(("document_in",), (path,))
        if before is not None:
            where &= Conditions(("document_before",), (before,))
        rows = self._db.all("newest_documents", [*where.values, limit], where=where.names)
        return [_kept(row) for row in rows]

    def namespaces(self, begin: Namespace, now: datetime) -> list[Namespace]:
        """Every namespace with this prefix and a document that has not expired, in order."""
        names, values = under(path_of(begin))
        paths = self._db.column("namespaces", [to_stored(now)[0], *values], where=names)
        return sorted(map(namespace_at, paths))

    def drop(self, rows: Iterable[int]) -> None:
        gone = list(rows)
        self._indexes.drop("documents", gone)
        self._db.many("drop_document", [(row,) for row in gone])


def _kept(row: Row) -> StoredDocument:
    no, path, *rest = row
    return StoredDocument(no, namespace_at(path), *rest)
