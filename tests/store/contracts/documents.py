"""What every backend promises of `DocumentStore`."""

from __future__ import annotations

from datetime import datetime, timedelta

from loxodon.store import Namespace, StoredDocument
from loxodon.store.store import Store
from loxodon.store.walls import namespace_at, path_of
from tests.clock import NOW
from tests.store.contracts import DAY, Contract

SOON = NOW + timedelta(minutes=5)


class DocumentsContract(Contract):
    def document(
        self,
        store: Store,
        namespace: Namespace,
        key: str,
        value: str = "{}",
        text: str = "",
        ends: datetime | None = None,
        at: datetime = NOW,
    ) -> StoredDocument:
        with store.writing():
            return store.documents.put(namespace, key, value, text, at, 5.0 if ends else None, ends)

    def test_document_is_kept_as_given(self, store: Store) -> None:
        kept = self.document(store, ("a", "二"), "k", '{"x":1.50}', ends=SOON)
        now = int(NOW.timestamp() * 1_000)
        assert kept == StoredDocument(
            kept.no, ("a", "二"), "k", '{"x":1.50}', now, now, 5.0, now + 5 * 60_000
        )
        assert store.documents.named(("a", "二"), "k") == kept
        assert store.documents.named(("a",), "k") is None
        assert store.documents.numbered([kept.no, 99]) == {kept.no: kept}

    def test_document_with_the_same_key_replaces_the_first(self, store: Store) -> None:
        first = self.document(store, ("a",), "k", '"old"', "old words")
        second = self.document(store, ("a",), "k", '"new"', "new words", at=NOW + DAY)
        assert second.no > first.no
        assert second.created_at == first.created_at
        assert second.updated_at == first.created_at + 86_400_000
        assert self.found(store, "old", "documents") == []
        assert self.found(store, "new", "documents") == [second.no]
        assert store.documents.newest((), 9) == [second]
        assert self.sound(store)

    def test_number_is_never_given_out_again(self, store: Store) -> None:
        first = self.document(store, ("a",), "")
        assert first.key == f"{first.no:012d}"
        with store.writing():
            store.documents.drop([first.no])
        assert self.document(store, ("a",), "").no > first.no

    def test_newest_come_first_whatever_the_clock_says(self, store: Store) -> None:
        times = (NOW, NOW - 400 * DAY, NOW + 400 * DAY)
        made = [self.document(store, ("s",), str(n), at=at).no for n, at in enumerate(times)]
        assert [one.no for one in store.documents.newest(("s",), 2)] == [made[2], made[1]]
        assert [one.no for one in store.documents.newest(("s",), 9, made[1])] == [made[0]]

    def test_namespace_has_those_below_it_and_no_others(self, store: Store) -> None:
        for namespace in (("a",), ("a", "b"), ("ab",), ("a/b",), ("a%",), ("A",), ("a0",)):
            self.document(store, namespace, "k", text="word")
        below = store.documents.newest(("a",), 9)
        assert {one.namespace for one in below} == {("a",), ("a", "b")}
        only = store.documents.newest(("a",), 9, deep=False)
        assert [one.namespace for one in only] == [("a",)]
        found = self.found(store, "word", "documents", namespace=path_of(("a",)))
        assert sorted(found) == sorted(one.no for one in below)
        for odd in (("a",), ("a/", "%2F", "%"), ("/", "//"), ("二 b\n",)):
            assert namespace_at(path_of(odd)) == odd

    def test_documents_end_and_can_be_put_off(self, store: Store) -> None:
        for namespace in (("b", "x"), ("a",), ("b",)):
            self.document(store, namespace, "k")
        kept = self.document(store, ("c",), "k", ends=SOON)
        assert store.documents.namespaces((), SOON) == [("a",), ("b",), ("b", "x")]
        assert store.documents.namespaces(("b",), NOW) == [("b",), ("b", "x")]
        assert (
            store.column("document_ended", NOW, 9),
            store.column("document_ended", SOON, 9),
        ) == ([], [kept.no])
        with store.writing():
            store.execute("document_put_off", NOW + DAY, kept.no)
        assert store.column("document_ended", SOON, 9) == []
