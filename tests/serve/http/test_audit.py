"""The audit log over HTTP: the same as in the library, with who asked."""

from __future__ import annotations

import sqlite3

from loxodon.client import Client

from .server import Server


def test_what_is_asked_over_http_is_on_record_as_such(server: Server) -> None:
    with Client(server.url, space="audited") as client:
        record = client.capture("likes green tea")
        client.recall("tea")
        found = client.audit.entries()
        assert [(one.surface, one.op) for one in found[1:]] == [
            ("http", "capture"),
            ("http", "recall"),
        ]
        assert [one.op for one in client.audit.entries(id=record.id, op="recall")] == ["recall"]
        assert client.audit.entries(limit=1) == found[-1:]
        verified = client.audit.verify()
        assert verified.sound
        assert verified.entries >= 3


def test_tampering_is_told_over_http(server: Server) -> None:
    with Client(server.url, space="tampered") as client:
        client.capture("likes green tea")
        client.recall("tea")
        assert client.audit.verify().sound
        with sqlite3.connect(server.home / "spaces" / "tampered" / "loxodon.db") as database:
            database.execute("UPDATE audit SET entry = replace(entry, 'recall', 'nothing')")
        verified = client.audit.verify()
        assert [one.kind for one in verified.findings] == ["changed"]
        assert verified.trusted_to == 1
        assert "changed" in verified.findings[0].said
