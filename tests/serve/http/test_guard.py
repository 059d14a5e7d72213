from __future__ import annotations

import pytest

from loxodon.errors import UsageError
from loxodon.serve.http.guard import Door, RefusedError, admit, door, host_of, is_loopback
from tests.each import each


@each(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("LOCALHOST.", True),
        ("0.0.0.0", False),
        ("192.168.1.4", False),
        ("", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
    ],
)
def test_this_machine_is_told_from_others(host: str, local: bool) -> None:
    assert is_loopback(host) is local


@pytest.mark.parametrize(
    ("header", "host"),
    [
        ("localhost:80", "localhost"),
        ("[::1]:8710", "::1"),
        ("a.example", "a.example"),
        ("[::1", ""),
        ("", ""),
    ],
)
def test_the_host_of_a_header(header: str, host: str) -> None:
    assert host_of(header) == host


def test_a_server_open_to_others_needs_a_token() -> None:
    with pytest.raises(UsageError, match="no access token"):
        door("0.0.0.0", "")
    assert door("0.0.0.0", "secret") == Door("secret", local=False)
    assert door("127.0.0.1", "") == Door("", local=True)
    with pytest.raises(UsageError, match="not allowed in a header"):
        door("127.0.0.1", "a b")


@each(
    "headers",
    [
        {"host": "evil.example:8710"},  # a name that someone made resolve to this machine
        {"host": ""},
        {},
        {"host": "localhost", "origin": "https://evil.example"},
        {"host": "localhost", "origin": "null"},
        {"host": "localhost", "origin": "http://[broken"},
    ],
)
def test_web_pages_of_elsewhere_are_refused(headers: dict[str, str]) -> None:
    with pytest.raises(RefusedError) as refused:
        admit(Door(), headers)
    assert refused.value.status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "127.0.0.1:8710"},
        {"host": "[::1]:8710"},
        {"host": "localhost:8710", "origin": "http://localhost:3000"},
    ],
)
def test_this_machine_is_let_in(headers: dict[str, str]) -> None:
    admit(Door(), headers)


def test_a_token_must_be_carried_and_right() -> None:
    at = Door("secret", local=False)
    for sent in (
        {},
        {"authorization": "Bearer wrong"},
        {"authorization": "Basic secret"},
        {"authorization": "secret"},
        {"authorization": "Bearer ÿ"},
    ):
        with pytest.raises(RefusedError) as refused:
            admit(at, {"host": "memory.example", **sent})
        assert refused.value.status == 401
        assert refused.value.headers == {"www-authenticate": "Bearer"}
    admit(at, {"host": "memory.example", "authorization": "bearer secret"})
    page = {"authorization": "Bearer secret", "host": "memory.example"}
    admit(at, {**page, "origin": "https://memory.example"})
    with pytest.raises(RefusedError):
        admit(at, {**page, "origin": "https://evil.example"})
