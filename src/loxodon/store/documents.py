"""JSON values that programs store."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from loxodon.clock import to_stored
from loxodon.store import Namespace, StoredDocument
from loxodon.store.driver import Row, these
from loxodon.store.indexes import Part
from loxodon.store.search import Conditions, under
from loxodon.store.walls import namespace_at, path_of


class DocumentStore(Part):
    """JSON values that programs store beside the memories, returned exactly.

    They are found by namespace (names from general to specific) and key, or by their words;
    consolidation and recall do not read them."""

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
        """Store a document in place of one with the same key (without one: its number)."""
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
        """The latest `limit` of a namespace (and, if `deep`, those below it) before a number."""
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
