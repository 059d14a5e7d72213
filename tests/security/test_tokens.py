"""Tokens: kept as digests, compared in full, bound to what they are for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loxodon.errors import ConfigError, InputError, NotFoundError
from tests.cli.shell import Shell
from tests.http.server import Server
from tests.security.tokens import token
from tests.waiting import until


def test_token_is_shown_once_and_kept_as_a_digest(tmp_path: Path) -> None:
    home = tmp_path / "home"
    shell = Shell(home)
    words = ["--for", "main", "--for", "张三", "--for-agent", "coder", "--chat", "group"]
    made = token(home, '编码 "x"', *words, "--rights", "read")
    for path in home.rglob("*"):
        if path.is_file():
            assert made.encode() not in path.read_bytes()
            assert os.stat(path).st_mode & 0o077 == 0
    (kept,) = shell.json("token", "list")
    assert (kept["name"], kept["spaces"]) == ('编码 "x"', ["main", "张三"])
    assert (kept["agent"], kept["chat"], kept["rights"]) == ("coder", "group", "read")
    shell("token", "add", '编码 "x"', code=InputError.exit_code)
    for name in ("x" * 65, "a\nb"):
        shell("token", "add", name, code=InputError.exit_code)
    shell("token", "add", "a", "--for-agent", "x@y", code=InputError.exit_code)
    shell("token", "revoke", "nobody", code=NotFoundError.exit_code)


def test_server_takes_up_changes_and_revoking_the_last_token_opens_no_door(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    made = token(home, "a", "--rights", "read")
    with Server(home) as server:

        def status(sent: str) -> int:
            with server.client(headers={"authorization": f"Bearer {sent}"} if sent else {}) as one:
                return one.get("/v1/spaces/main/memories").status_code

        assert status(made) == 200
        for wrong in ("", "-", made[:-1], f"{made}x"):
            assert status(wrong) == 401, wrong
        Shell(home)("token", "revoke", "a")
        until(lambda: status(made) == 401)
        assert status("") == 401
        other = token(home, "b", "--rights", "read")
        until(lambda: status(other) == 200)


@pytest.mark.parametrize("text", ["[[token]]", "token = 3", "not toml ["])
def test_spoilt_file_lets_nobody_in(tmp_path: Path, text: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    made = token(home, "a")
    file = home / "tokens.toml"
    if not file.exists():
        pytest.skip("tokens are not kept in a file")
    file.write_text(text)
    Shell(home)("token", "list", code=ConfigError.exit_code)
    with Server(home) as server:
        for sent in ("", made):
            headers = {"authorization": f"Bearer {sent}"} if sent else {}
            with server.client(headers=headers) as client:
                assert client.get("/v1/spaces/main/memories").status_code == 401
