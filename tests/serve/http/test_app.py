"""The API as a client meets it: a real server, real requests, also bad ones."""

from __future__ import annotations

import json
import socket
from typing import Any

import httpx
import pytest

from loxodon.serve.http.operations import OPERATIONS

from .server import Server


def raw(server: Server, request: bytes) -> bytes:
    """What a server answers to bytes that no client library would send."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as wire:
        wire.sendall(request)
        found = b""
        while chunk := wire.recv(65_536):
            found += chunk
    return found


def test_a_conversation_is_journalled_recalled_and_consolidated(http: httpx.Client) -> None:
    base = "/v1/spaces/talk"
    turns = [
        {"role": "user", "content": "我对花生过敏", "id": "m1", "at": "2026-02-04T10:00:00+08:00"},
        {"role": "assistant", "content": "记住了", "id": "m2"},
    ]
    added = http.post(f"{base}/turns", json={"turns": turns, "session": "monday"})
    assert added.json() == {
        "added": 2,
        "known": 0,
        "changed": 0,
        "sessions": ["monday"],
        "paused": 0,
        "forgotten": 0,
        "people": [],
        "claimed": 0,
        "asked": 0,
        "unfound": [],
    }
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
    repeated = {
        "message": "我能吃花生酱吗？",
        "state": frame["state"],
        "history": ["早", {"role": "user", "content": "晚"}],
    }
    assert http.post(f"{base}/context", json=repeated).json()["gate"]["reason"] == "repeated"
    assert http.get(f"{base}/due").json() == {"consolidation": "", "flush": ""}
    assert [job["name"] for job in http.get(f"{base}/schedule").json()]
    assert http.get(f"{base}/snapshot?language=zh").json()["snapshot"]


def test_a_memory_is_kept_edited_archived_and_has_a_history(http: httpx.Client) -> None:
    base = "/v1/spaces/facts/memories"
    made = http.post(base, json={"content": "用户喜欢乌龙茶", "tags": ["茶"]})
    assert made.status_code == 201
    id = made.json()["id"]
    assert {**http.get(f"{base}/{id}").json(), "strength": 0.5} == made.json()  # it fades
    assert [one["id"] for one in http.get(base, params={"tag": "茶"}).json()["items"]] == [id]
    change = {"content": "用户喜欢普洱茶", "version": 1, "expires_at": "2030-01-01"}
    assert http.patch(f"{base}/{id}", json=change).json()["version"] == 2
    stale = http.patch(f"{base}/{id}", json={"content": "x", "version": 1})
    assert stale.status_code == 409
    assert stale.json()["error"]["code"] == "stale_edit"
    freed = http.patch(f"{base}/{id}", json={"expires_at": None})
    assert freed.json()["expires_at"] is None
    assert http.post(f"{base}/{id}/archive").json()["state"] == "archived"
    assert http.get(base).json() == {"items": [], "next": None}
    assert http.post(f"{base}/{id}/unarchive", json={"version": 4}).json()["state"] == "active"
    assert len(http.get(f"{base}/{id}/history").json()["items"]) == 5
    assert http.get(f"{base}/f_19990101_001").status_code == 404
    assert http.get("/v1/spaces/facts/entities/nobody").status_code == 404


def test_a_paused_memory_says_so_whatever_is_written(http: httpx.Client) -> None:
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
    turns = http.post(f"{base}/turns", json={"turns": [{"role": "user", "content": "x"}]})
    assert (turns.status_code, turns.json()["paused"]) == (200, 1)
    for operation in OPERATIONS:
        if operation.method == "GET" or operation.name in ("resume", "forget"):
            continue
        path = operation.path.replace("{id}", kept).replace("{job}", "flush")
        answer = http.request(operation.method, f"{base}{path}", json={})
        assert answer.status_code < 500, (operation.name, answer.text)
    http.post(f"{base}/resume")
    assert http.post(f"{base}/memories", json={"content": "x"}).status_code == 201


def test_spaces_are_made_named_and_kept_apart(http: httpx.Client) -> None:
    name = "a/b 张?#"
    path = "/v1/spaces/a%2Fb%20%E5%BC%A0%3F%23"
    assert http.get(f"{path}/status").status_code == 404
    assert http.put(path).json()["created"]
    assert not http.put(path).json()["created"]
    assert http.get(f"{path}/status").json()["space"] == name
    assert name in http.get("/v1/spaces").json()["spaces"]
    http.post(f"{path}/memories", json={"content": "a secret of this space"})
    http.put("/v1/spaces/other")
    assert http.get("/v1/spaces/other/recall?query=secret").json()["items"] == []
    for bad in ("%20%09", "x" * 200, "%00"):
        answer = http.put(f"/v1/spaces/{bad}")
        assert answer.status_code == 400, bad


@pytest.mark.parametrize("form", ["application/x-ndjson", "text/event-stream"])
def test_long_work_tells_how_it_comes_along(http: httpx.Client, form: str) -> None:
    http.post("/v1/spaces/long/memories", json={"content": "Ada lives in Leeds"})
    headers = {"accept": form}
    with http.stream("POST", "/v1/spaces/long/validate", headers=headers) as answer:
        assert answer.headers["content-type"] == form
        lines = [line for line in answer.iter_lines() if line]
    if form == "text/event-stream":
        assert lines[0] == "event: progress"
        assert lines[-2:] == ["event: result", 'data: {"ok":true,"problems":[]}']
    else:
        assert set(json.loads(lines[0])["progress"]) == {"done", "total"}
        assert json.loads(lines[-1]) == {"result": {"ok": True, "problems": []}}


def test_an_error_of_long_work_is_the_last_line(http: httpx.Client) -> None:
    http.put("/v1/spaces/long2")
    headers = {"accept": "application/x-ndjson", "accept-language": "zh"}
    path = "/v1/spaces/long2/consolidate"
    answer = http.post(path, headers=headers, json={"phase": 9})
    assert json.loads(answer.text)["error"]["code"] == "usage"
    assert "9" in json.loads(answer.text)["error"]["message"]
    plain = http.post(path, json={"phase": 9})
    assert plain.status_code == 400


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/v1/spaces/main/recall", {"query": "x", "limitt": 1}, 400, "bad_input"),
        ("POST", "/v1/spaces/main/recall", {"query": ["x"]}, 400, "bad_input"),
        ("POST", "/v1/spaces/main/recall", {}, 400, "bad_input"),
        ("POST", "/v1/spaces/main/recall", {"query": "x", "top": -1}, 400, "bad_input"),
        ("POST", "/v1/spaces/main/recall", {"query": "x", "profile": "no"}, 400, "bad_input"),
        ("POST", "/v1/spaces/main/recall", {"query": "x", "since": "soon"}, 400, "bad_input"),
        ("POST", "/v1/spaces/main/recall?query=x", {}, 400, "bad_input"),
        ("POST", "/v1/spaces/main/turns", {"turns": [{"role": "user"}]}, 400, "bad_input"),
        ("POST", "/v1/spaces/main/turns", {"turns": "hello"}, 400, "bad_input"),
        ("POST", "/v1/spaces/main/memories", {"content": ""}, 400, "bad_input"),
        ("POST", "/v1/spaces/main/memories", {"content": "x" * 20_000}, 400, "bad_input"),
        ("POST", "/v1/spaces/main/memories", {"content": "x", "importance": 7}, 400, "bad_input"),
        ("POST", "/v1/spaces/main/schedule/nap", None, 400, "usage"),
        ("POST", "/v1/spaces/never/flush", None, 404, "not_found"),
        ("GET", "/v1/spaces/main/turns?limit=many", None, 400, "bad_input"),
        ("GET", "/v1/spaces/main/turns?limit=1&limit=2", None, 400, "bad_input"),
        ("GET", "/v1/spaces/main/turns?limit=0", None, 400, "bad_input"),
        ("GET", "/v1/spaces/main/turns?limit=1001", None, 400, "bad_input"),
        ("GET", "/v1/spaces/main/turns?cursor=nonsense", None, 422, "bad_cursor"),
        ("GET", "/v1/spaces/main/memories?cursor=WyJqb3VybmFsIiwxLDFd", None, 422, "bad_cursor"),
        ("GET", "/v1/spaces/main/recall?query=%FF", None, 400, "bad_input"),
        ("GET", "/v1/spaces/%FF/status", None, 400, "bad_input"),
        ("GET", "/v1/spaces/main/nothing", None, 404, "no_route"),
        ("GET", "/v2", None, 404, "no_route"),
        ("GET", "/v1/spaces/main/memories/a/b/c", None, 404, "no_route"),
        ("DELETE", "/v1/spaces/main/memories", None, 405, "no_method"),
        ("POST", "/health", None, 405, "no_method"),
    ],
)
def test_bad_requests_are_refused_with_a_reason(
    http: httpx.Client, method: str, path: str, body: Any, status: int, code: str
) -> None:
    answer = http.request(method, path, json=body)
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert error["code"] == code
    assert error["message"]


def test_every_bad_turn_is_named(http: httpx.Client) -> None:
    turns = [{"role": "user", "content": "good"}, {"role": "king", "content": "x"}, {"content": 5}]
    error = http.post("/v1/spaces/main/turns", json={"turns": turns}).json()["error"]
    assert [one["line"] for one in error["problems"]] == [2, 3]
    assert http.get("/v1/spaces/main/turns").json()["items"] == []


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b'{"query": "\xff"}', "application/json", 400),
        (b'{"query": "\\ud800"}', "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b"query=x", "application/x-www-form-urlencoded", 415),
        (b'{"query": "x"}', "text/plain", 415),
        (b'"x"', "application/json", 400),
    ],
)
def test_bodies_that_cannot_be_read(
    http: httpx.Client, body: bytes, kind: str, status: int
) -> None:
    answer = http.post("/v1/spaces/main/recall", content=body, headers={"content-type": kind})
    assert answer.status_code == status
    assert answer.json()["error"]["hint"]


def test_a_hundred_megabytes_are_refused_before_they_are_sent(server: Server) -> None:
    head = (
        f"POST /v1/spaces/main/turns HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        "Content-Type: application/json\r\nContent-Length: 100000000\r\n\r\n"
    )
    answer = raw(server, head.encode())  # and not a byte of the body
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"10000000" in answer


def test_a_body_that_does_not_say_its_size_is_cut_at_the_limit(http: httpx.Client) -> None:
    def chunks() -> Any:
        for _ in range(11):
            yield b" " * 1_000_000

    answer = http.post(
        "/v1/spaces/main/turns", content=chunks(), headers={"content-type": "application/json"}
    )
    assert answer.status_code == 413
    assert http.get("/health").status_code == 200


def test_what_is_no_http_is_refused(server: Server) -> None:
    assert raw(server, b"hello there\r\n\r\n").startswith(b"HTTP/1.1 400")
    endless = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 40_000
    assert raw(server, endless).startswith(b"HTTP/1.1 400")


def test_head_and_options(http: httpx.Client) -> None:
    head = http.head("/v1/spaces")
    assert head.status_code == 200
    assert head.content == b""
    assert http.options("/v1/spaces/main/memories").headers["allow"] == "GET, HEAD, OPTIONS, POST"
    assert http.options("/health").status_code == 204
    refused = http.delete("/v1/spaces/main/recall")
    assert refused.headers["allow"] == "GET, HEAD, OPTIONS, POST"


def test_web_pages_of_elsewhere_and_other_names_are_refused(http: httpx.Client) -> None:
    for headers in ({"origin": "https://evil.example"}, {"host": "evil.example"}):
        for path in ("/health", "/v1/spaces"):
            answer = http.get(path, headers=headers)
            assert answer.status_code == 403
            assert "access-control-allow-origin" not in answer.headers


def test_errors_are_told_in_the_language_of_who_asks(http: httpx.Client) -> None:
    english = http.get("/v1/spaces/never/status").json()["error"]
    chinese = http.get("/v1/spaces/never/status", headers={"accept-language": "zh-CN"}).json()
    assert english["code"] == chinese["error"]["code"] == "not_found"
    assert "没有" in chinese["error"]["message"]


def test_the_pages_of_the_server(http: httpx.Client) -> None:
    assert http.get("/").json()["name"] == "loxodon"
    page = http.get("/docs").text
    assert all(one.path.replace("{", "{") in page for one in OPERATIONS)
    text = http.get("/metrics").text
    assert 'loxodon_request_seconds_bucket{operation="health",le="+Inf"}' in text
    assert "loxodon_runner_up 1" in text


def test_what_is_deleted_is_gone_and_receipted(http: httpx.Client) -> None:
    base = "/v1/spaces/deleting"
    turns = [{"role": "user", "content": "My sister keeps wyverns", "id": "1"}]
    http.post(f"{base}/turns", json={"turns": turns, "session": "a/b"})
    kept = http.post(f"{base}/memories", json={"content": "The user breeds basilisks"}).json()["id"]
    path = f"{base}/memories/{kept}"
    planned = http.delete(path, params={"dry_run": "true"}).json()
    assert planned["erased"]["memories"] == 1
    assert http.get(path).status_code == 200
    receipt = http.delete(path).json()
    assert receipt["erased"]["memories"] == 1
    assert http.get(path).status_code == http.delete(path).status_code == 404
    assert http.delete(f"{base}/memories/t_1").status_code == 404  # a turn is no memory
    assert http.delete(f"{base}/sessions/a%2Fb").json()["what"] == "session"
    assert http.delete(f"{base}/sessions/a%2Fb").status_code == 404
    assert http.get(f"{base}/turns").json()["items"] == []
    assert http.get(f"{base}/sessions").json()["items"] == []
    assert len(http.get(f"{base}/receipts").json()["items"]) == 2
    http.post(f"{base}/turns", json={"turns": turns, "session": "later"})
    assert http.delete(f"{base}/turns/t_3").json()["erased"]["turns"] == 1
    assert http.delete(path, params={"all": "true"}).status_code == 400


def test_a_space_is_deleted_and_its_name_is_free(http: httpx.Client) -> None:
    path = "/v1/spaces/a%2Fgone"
    assert http.delete(path).status_code == 404
    http.post(f"{path}/memories", json={"content": "The user breeds basilisks"})
    assert http.delete(path, params={"dry_run": "true"}).json()["erased"]["memories"] == 1
    assert len(http.get(f"{path}/memories").json()["items"]) == 1
    receipt = http.delete(path).json()
    assert (receipt["what"], receipt["erased"]["memories"]) == ("space", 1)
    assert "a/gone" not in http.get("/v1/spaces").json()["spaces"]
    assert http.get(f"{path}/memories").status_code == 404
    assert http.put(path).json()["created"]
    assert http.get(f"{path}/memories").json()["items"] == []
    assert http.delete(path, params={"sure": "yes"}).status_code == 400
    assert http.options(path).headers["allow"] == "DELETE, OPTIONS, PUT"
