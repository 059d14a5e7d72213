"""The API as a client meets it: a real server, real requests, also bad ones."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import httpx
import pytest

from loxodon.client import Client
from tests.cases import cases
from tests.each import each

from .server import Server, raw, said

JSON = {"content-type": "application/json; charset=utf-8"}


def operations(http: httpx.Client) -> list[tuple[str, str, str]]:
    """Method, path within a space and name of all that can be done with one."""
    return [
        (method.upper(), path.removeprefix("/v1/spaces/{space}"), one["operationId"])
        for path, methods in http.get("/openapi.json").json()["paths"].items()
        for method, one in methods.items()
        if path.startswith("/v1/spaces/{space}/")
    ]


def test_a_full_space_refuses_what_is_new_and_keeps_what_it_has(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text("[store]\nmax_turns = 2\n", "utf-8")
    with Server(home) as server, server.client() as http:
        base, chinese = "/v1/spaces/main", {"accept-language": "zh"}
        turns = [said("I like tea", "m1"), said("The bus was late", "m2")]
        for _ in range(2):  # what is known needs no room
            assert http.post(f"{base}/turns", json={"turns": turns}).is_success
        turns.append(said("I like rain", "m3"))
        full = http.post(f"{base}/turns", json={"turns": turns}, headers=chinese)
        assert (full.status_code, full.json()["error"]["code"]) == (507, "full_store")
        assert full.json()["error"]["message"] == "记忆已满：最多保存 2 条消息"
        assert http.post(f"{base}/memories", json={"content": "tea"}).status_code == 507
        assert http.post(f"{base}/recall", json={"query": "tea"}).json()["items"]
        assert http.post(f"{base}/forget", json={"session": "default"}).is_success
        assert http.post(f"{base}/turns", json={"turns": turns[2:]}).is_success
        assert http.post("/v1/spaces/other/turns", json={"turns": turns[:2]}).is_success


def test_conversation_is_journalled_consolidated_and_recalled(http: httpx.Client) -> None:
    base = "/v1/spaces/talk"
    turns = [
        said("我对花生过敏", "m1", at="2026-02-04T10:00:00+08:00"),
        said("记住了", "m2", role="assistant"),
    ]
    added = http.post(f"{base}/turns", json={"turns": turns, "session": "monday"}).json()
    assert (added.pop("added"), added.pop("sessions")) == (2, ["monday"])
    assert added.keys() == {
        *("known", "changed", "paused", "forgotten", "people", "claimed", "asked", "unfound")
    }
    assert not any(added.values())
    again = http.post(f"{base}/turns", json={"turns": turns, "session": "monday"})
    assert again.json()["known"] == 2
    journal = http.get(f"{base}/turns", params={"session": "monday"}).json()["items"]
    assert [turn["content"] for turn in journal] == ["我对花生过敏", "记住了"]
    assert http.get(f"{base}/turns/{journal[0]['ref']}").json() == journal[0]
    assert http.post(f"{base}/flush").json()["ran"]
    found = http.post(f"{base}/recall", json={"query": "花生", "explain": True}).json()
    assert "花生" in found["items"][0]["content"]
    assert found["trace"]["question"]["words"]
    assert http.get(f"{base}/recall?query=花生").json()["context"] == found["context"]
    frame = http.post(f"{base}/context", json={"message": "我能吃花生酱吗？"}).json()
    assert "花生" in frame["memories"]
    history = ["早", {"role": "user", "content": "晚"}]
    repeated = {"message": "我能吃花生酱吗？", "state": frame["state"], "history": history}
    assert http.post(f"{base}/context", json=repeated).json()["gate"]["reason"] == "repeated"
    assert http.get(f"{base}/due").json() == {"consolidation": "", "flush": ""}
    assert [job["name"] for job in http.get(f"{base}/schedule").json()]
    assert http.get(f"{base}/snapshot?language=zh").json()["snapshot"]


def test_memory_is_kept_edited_archived_and_has_a_history(http: httpx.Client) -> None:
    base = "/v1/spaces/facts/memories"
    made = http.post(base, json={"content": "用户喜欢乌龙茶", "tags": ["茶"], "topic": None})
    assert made.status_code == 201
    id = made.json()["id"]
    assert {**http.get(f"{base}/{id}").json(), "strength": 0.5} == made.json()  # it fades
    assert [one["id"] for one in http.get(base, params={"tag": "茶"}).json()["items"]] == [id]
    change = {"content": "用户喜欢普洱茶", "version": 1, "expires_at": "2030-01-01"}
    edited = http.patch(f"{base}/{id}", json=change).json()
    assert edited["version"] == 2
    assert edited["expires_at"].startswith("2030-01-01T00:00:00+08:00")
    stale = http.patch(f"{base}/{id}", json={"content": "x", "version": 1})
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "stale_edit")
    assert http.patch(f"{base}/{id}", json={"expires_at": None}).json()["expires_at"] is None
    assert http.post(f"{base}/{id}/archive").json()["state"] == "archived"
    assert http.get(base).json() == {"items": [], "next": None}
    assert http.post(f"{base}/{id}/unarchive", json={"version": 4}).json()["state"] == "active"
    assert len(http.get(f"{base}/{id}/history").json()["items"]) == 5


def test_paused_memory_says_so_whatever_is_written(http: httpx.Client) -> None:
    base = "/v1/spaces/paused"
    kept = http.post(f"{base}/memories", json={"content": "The user likes tea"}).json()["id"]
    http.post(f"{base}/pause", json={})
    refused = http.post(
        f"{base}/memories", json={"content": "x"}, headers={"accept-language": "zh"}
    )
    error = refused.json()["error"]
    assert (refused.status_code, error["code"]) == (409, "paused")
    assert "暂停" in error["message"]
    assert "loxodon resume" in error["hint"]
    turns = http.post(f"{base}/turns", json={"turns": [said("x")]})
    assert (turns.status_code, turns.json()["paused"]) == (200, 1)
    for method, path, name in operations(http):
        if method != "GET" and name not in ("resume", "forget"):
            path = path.replace("{id}", kept).replace("{job}", "flush")
            answer = http.request(method, f"{base}{path}", json={})
            assert answer.status_code < 500, (name, answer.text)
    http.post(f"{base}/resume")
    assert http.post(f"{base}/memories", json={"content": "x"}).status_code == 201


def test_spaces_are_made_named_kept_apart_and_deleted(http: httpx.Client) -> None:
    name, path = "a/b 张?#", "/v1/spaces/a%2Fb%20%E5%BC%A0%3F%23"
    assert http.get(f"{path}/status").status_code == http.delete(path).status_code == 404
    assert http.put(path).json()["created"]
    assert not http.put(path).json()["created"]
    assert http.get(f"{path}/status").json()["space"] == name
    assert name in http.get("/v1/spaces").json()["spaces"]
    http.post(f"{path}/memories", json={"content": "a secret of this space"})
    http.put("/v1/spaces/other")
    assert http.get("/v1/spaces/other/recall?query=secret").json()["items"] == []
    for bad in ("%20%09", "x" * 200, "%00"):
        assert http.put(f"/v1/spaces/{bad}").status_code == 400, bad
    assert http.delete(path, params={"dry_run": "true"}).json()["erased"]["memories"] == 1
    assert len(http.get(f"{path}/memories").json()["items"]) == 1
    receipt = http.delete(path).json()
    assert (receipt["what"], receipt["erased"]["memories"]) == ("space", 1)
    assert name not in http.get("/v1/spaces").json()["spaces"]
    assert http.get(f"{path}/memories").status_code == 404
    assert http.put(path).json()["created"]
    assert http.get(f"{path}/memories").json()["items"] == []
    assert http.delete(path, params={"sure": "yes"}).status_code == 400
    assert http.options(path).headers["allow"] == "DELETE, PUT"


def test_deleted_things_are_gone_and_receipted(http: httpx.Client) -> None:
    base = "/v1/spaces/deleting"
    turns = [said("My sister keeps wyverns", "1")]
    http.post(f"{base}/turns", json={"turns": turns, "session": "a/b"})
    kept = http.post(f"{base}/memories", json={"content": "The user breeds basilisks"}).json()["id"]
    path = f"{base}/memories/{kept}"

    def forget(**what: Any) -> httpx.Response:
        return http.post(f"{base}/forget", json=what)

    assert forget(ids=[kept], dry_run=True).json()["erased"]["memories"] == 1
    assert http.get(path).status_code == 200
    assert forget(ids=[kept]).json()["erased"]["memories"] == 1
    assert http.get(path).status_code == forget(ids=[kept]).status_code == 404
    assert forget(session="a/b").json()["what"] == "session"
    assert forget(session="a/b").status_code == 404
    for listed, count in (("turns", 0), ("sessions", 0), ("receipts", 2)):
        assert len(http.get(f"{base}/{listed}").json()["items"]) == count
    http.post(f"{base}/turns", json={"turns": turns, "session": "later"})
    assert forget(ids=["t_3"]).json()["erased"]["turns"] == 1


@each(("method", "path", "body", "status", "code", "names"), cases(__file__, "refused"))
def test_bad_request_is_refused_with_a_reason(
    http: httpx.Client, method: str, path: str, body: Any, status: int, code: str, names: str
) -> None:
    answer = http.request(method, path, json=body)
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert (error["code"], bool(error["message"])) == (code, True)
    assert names in error["message"]  # the field that is wrong


@each(
    ("body", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b'{"query": "\xff"}', "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b'{"query": "\\ud800"}', "application/json", 400),
        (b'{"\\uDC00": 1}', "application/json", 400),
        (b"[" * 200_000, "application/json", 400),
        (b'{"a": ' * 200_000, "application/json", 400),
        (b'{"x": NaN}', "application/json", 400),
        (b'{"x": -Infinity}', "application/json", 400),
        (b'{"x": ' + b"9" * 5_000 + b"}", "application/json", 400),
        (b"query=x", "application/x-www-form-urlencoded", 415),
        (b'{"query": "x"}', "text/plain", 415),
        (b'{"query": "x"}', "", 415),
    ],
)
def test_unreadable_body_is_refused(
    http: httpx.Client, body: bytes, kind: str, status: int
) -> None:
    answer = http.post("/v1/spaces/main/recall", content=body, headers={"content-type": kind})
    assert answer.status_code == status
    assert answer.json()["error"]["message"]


def test_every_bad_turn_is_named(http: httpx.Client) -> None:
    turns = [said("good"), said("x", role="king"), {"content": 5}]
    error = http.post("/v1/spaces/main/turns", json={"turns": turns}).json()["error"]
    assert [one["line"] for one in error["problems"]] == [2, 3]
    assert http.get("/v1/spaces/main/turns").json()["items"] == []


def test_body_over_the_limit_is_refused(server: Server, http: httpx.Client) -> None:
    head = (
        f"POST /v1/spaces/main/turns HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        "Content-Type: application/json\r\nContent-Length: 100000000\r\n\r\n"
    )
    answer = raw(server, head.encode())  # and not a byte of the body
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"10000000" in answer

    def chunks() -> Any:  # a body that does not say its size
        for _ in range(11):
            yield b" " * 1_000_000

    assert http.post("/v1/spaces/main/turns", content=chunks(), headers=JSON).status_code == 413
    assert http.get("/health").status_code == 200


def test_what_is_no_http_is_refused(server: Server) -> None:
    assert raw(server, b"hello there\r\n\r\n").startswith(b"HTTP/1.1 400")
    endless = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 40_000
    assert raw(server, endless).startswith(b"HTTP/1.1 400")


@each(("accepted", "language"), cases(__file__, "languages"))
def test_errors_are_in_the_preferred_language(
    http: httpx.Client, accepted: str, language: str
) -> None:
    answer = http.get("/v1/spaces/never/status", headers={"accept-language": accepted})
    error = answer.json()["error"]
    assert error["code"] == "not_found"
    assert ("没有" in error["message"]) == (language == "zh")


def test_requests_are_audited_and_tampering_is_found(server: Server) -> None:
    with Client(server.url, space="audited") as client:
        record = client.capture("likes green tea")
        client.recall("tea")
        found = client.audit.entries()
        done = [(one.surface, one.op) for one in found]
        assert done == [("http", "capture"), ("http", "recall")]
        assert [one.op for one in client.audit.entries(id=record.id, op="recall")] == ["recall"]
        assert client.audit.entries(limit=1) == found[-1:]
        assert client.audit.verify().sound
        with sqlite3.connect(server.home / "spaces" / "audited" / "loxodon.db") as database:
            database.execute("UPDATE audit SET entry = replace(entry, 'recall', 'nothing')")
        verified = client.audit.verify()
        assert verified.problem == "entry 2 was changed or inserted without the key"
        assert verified.trusted_to == 1


NUMBER = "110101199003078515"
"""An identity number that nobody has."""


def test_numbers_of_people_are_masked_unless_the_owner_asks(http: httpx.Client) -> None:
    base = "/v1/spaces/looked"
    turns = [said(f"我的身份证号是{NUMBER}", "m1")]
    http.post(f"{base}/turns", json={"turns": turns, "session": "monday"})
    kept = {"content": f"小美的身份证号是{NUMBER}", "entities": ["小美"], "tags": [NUMBER]}
    id = http.post(f"{base}/memories", json=kept).json()["id"]
    for path in ("today", "timeline", f"memories/{id}/related"):
        shown = http.get(f"{base}/{path}")
        assert shown.status_code == 200
        assert "身份证" in shown.text
        assert NUMBER not in shown.text
        assert NUMBER in http.get(f"{base}/{path}", params={"reveal": "true"}).text
    assert "小美" in http.get(f"{base}/graph").text
    labels = http.get(f"{base}/labels")
    assert labels.json()["tags"][0]["memories"] == 1
    assert NUMBER not in labels.text
    curve = http.get(f"{base}/memories/{id}/strength", params={"days": 10}).json()
    assert curve["points"][-1]["at"] > curve["now"]


def test_settings_and_backups_are_the_owners(http: httpx.Client) -> None:
    base = "/v1/spaces/settings"
    http.put(base)
    assert "recall.top" in [one["name"] for one in http.get(f"{base}/settings").json()]
    http.post(f"{base}/backup")
    (backup,) = http.get(f"{base}/backups").json()
    assert backup["size"] > 0
    for path in ("settings", "backups"):
        assert http.get(f"{base}/{path}", headers={"x-loxodon-agent": "c"}).status_code == 403


@pytest.mark.parametrize(
    "name", ["X-Loxodon-Chat", "X-Loxodon-Agent", "X-Loxodon-Relays", "Authorization"]
)
def test_who_asks_is_said_once(server: Server, name: str) -> None:
    head = "GET /v1/spaces HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    twice = f"{head}{name}: group\r\n{name.lower()}: direct\r\n\r\n".encode()
    answer = raw(server, twice)
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"appears twice" in answer
    assert raw(server, f"{head}{name}: group\r\n\r\n".encode()).startswith(b"HTTP/1.1 200")
    others = f"{head}Accept-Language: en\r\nAccept-Language: zh\r\n\r\n"
    assert raw(server, others.encode()).startswith(b"HTTP/1.1 200")


def test_chat_that_is_named_and_empty_is_refused(http: httpx.Client) -> None:
    assert http.get("/v1/spaces", headers={"x-loxodon-chat": ""}).status_code == 400
    assert http.get("/v1/spaces", headers={"x-loxodon-chat": "direct"}).status_code == 200


def test_headers_are_bounded(server: Server) -> None:
    head = b"GET /v1/spaces HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: "
    assert raw(server, head + b"x" * 30_000 + b"\r\n\r\n").startswith(b"HTTP/1.1 200")
    assert raw(server, head + b"x" * 40_000 + b"\r\n\r\n").startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("folder", ["x" * 5_000, "名" * 100, "a/" * 600])
def test_path_that_no_disk_has_is_refused(http: httpx.Client, folder: str) -> None:
    answer = http.post("/v1/spaces/main/workspace/export", json={"folder": folder})
    assert answer.status_code == 400
    assert "shorter names" in answer.json()["error"]["hint"]
