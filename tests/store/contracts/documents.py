"""What every backend promises of `DocumentStore`."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from loxodon.store import Namespace, StoredDocument
from loxodon.store.namespaces import namespace_at, path_of
from loxodon.store.store import Store
from tests.clock import NOW
from tests.store.contracts import Contract


class DocumentsContract(Contract):
    """What is promised of documents."""

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

    def test_a_document_is_kept_as_it_was_handed_in(self, store: Store) -> None:
        ends = NOW + timedelta(minutes=5)
        kept = self.document(store, ("a", "二"), "k", '{"x":1.50}', ends=ends)
        now = int(NOW.timestamp() * 1_000)
        assert kept == StoredDocument(
            kept.no, ("a", "二"), "k", '{"x":1.50}', now, now, 5.0, now + 5 * 60_000
        )
        assert store.documents.named(("a", "二"), "k") == kept
        assert store.documents.named(("a",), "k") is None
        assert store.documents.numbered([kept.no, 99]) == {kept.no: kept}
        assert self.sound(store)

    def test_the_next_takes_its_place_and_a_newer_number(self, store: Store) -> None:
        first = self.document(store, ("a",), "k", '"old"', "old words")
        later = NOW + timedelta(hours=1)
        second = self.document(store, ("a",), "k", '"new"', "new words", at=later)
        assert second.no > first.no
        assert (second.created_at, second.updated_at) == (
            first.created_at,
            first.created_at + 3_600_000,
        )
        assert self.found(store, "old", "documents") == []
        assert self.found(store, "new", "documents") == [second.no]
        assert store.documents.newest((), 9) == [second]
        assert self.sound(store)

    def test_without_a_key_it_gets_its_number_which_is_never_given_out_again(
        self, store: Store
    ) -> None:
        first = self.document(store, ("a",), "")
        assert first.key == f"{first.no:012d}"
        with store.writing():
            store.documents.drop([first.no])
        assert self.document(store, ("a",), "").no > first.no

    def test_the_newest_come_first_whatever_the_clock_says(self, store: Store) -> None:
        times = (NOW, NOW - timedelta(days=400), NOW + timedelta(days=400))
        made = [self.document(store, ("s",), str(n), at=at).no for n, at in enumerate(times)]
        assert [one.no for one in store.documents.newest(("s",), 2)] == [made[2], made[1]]
        assert [one.no for one in store.documents.newest(("s",), 9, made[1])] == [made[0]]

    def test_a_namespace_has_those_below_it_and_no_others(self, store: Store) -> None:
        for namespace in (("a",), ("a", "b"), ("ab",), ("a/b",), ("a%",), ("A",), ("a0",)):
            self.document(store, namespace, "k", text="word")
        below = store.documents.newest(("a",), 9)
        assert {one.namespace for one in below} == {("a",), ("a", "b")}
        only = store.documents.newest(("a",), 9, deep=False)
        assert [one.namespace for one in only] == [("a",)]
        found = self.found(store, "word", "documents", namespace=path_of(("a",)))
        assert sorted(found) == sorted(one.no for one in below)

    def test_namespaces_are_told_while_they_have_something_that_lasts(self, store: Store) -> None:
        for namespace in (("b", "x"), ("a",), ("b",)):
            self.document(store, namespace, "k")
        self.document(store, ("c",), "k", ends=NOW)
        assert store.documents.namespaces((), NOW) == [("a",), ("b",), ("b", "x")]
        assert store.documents.namespaces(("b",), NOW) == [("b",), ("b", "x")]

    def test_what_has_ended_is_found_and_can_be_put_off(self, store: Store) -> None:
        kept = self.document(store, ("a",), "k", ends=NOW + timedelta(minutes=5))
        later = NOW + timedelta(minutes=6)
        assert store.documents.ended(NOW, 9) == []
        assert store.documents.ended(later, 9) == [kept.no]
        with store.writing():
            store.documents.put_off(kept.no, later + timedelta(minutes=5))
        assert store.documents.ended(later, 9) == []

    @pytest.mark.parametrize("namespace", [("a",), ("a/", "%2F", "%"), ("/", "//"), ("二 b\n",)])
    def test_a_path_gives_its_namespace_back(self, namespace: Namespace) -> None:
        assert namespace_at(path_of(namespace)) == namespace
