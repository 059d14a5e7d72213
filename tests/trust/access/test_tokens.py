"""Tokens: kept as digests, compared in full, bound to what they are for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loxodon.errors import ConfigError, InputError, NotFoundError
from loxodon.serve.http.guard import Door, RefusedError, admit, door
from loxodon.trust.access import tokens as access
from loxodon.trust.access.tokens import Grant, Grants, grant_of
from tests.clock import NOW


def test_a_token_is_told_once_and_kept_as_a_digest(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    wanted = Grant('编码 "x"', ("main", "张三"), "coder", "group", "read")
    grant, token = access.add(home, wanted, NOW)
    text = (tmp_path / "home" / access.FILE).read_text("utf-8")
    assert token not in text
    assert os.stat(tmp_path / "home" / access.FILE).st_mode & 0o077 == 0
    assert access.read(home) == (grant,)
    assert grant_of(access.read(home), token) == grant
    assert grant_of(access.read(home), token[:-1]) is None
    assert grant_of(access.read(home), "") is None


def test_names_are_unique_and_can_be_revoked(tmp_path: Path) -> None:
    home = str(tmp_path)
    access.add(home, Grant("a"), NOW)
    access.add(home, Grant("b"), NOW)
    with pytest.raises(InputError):
        access.add(home, Grant("a"), NOW)
    access.revoke(home, "a")
    assert [one.name for one in access.read(home)] == ["b"]
    with pytest.raises(NotFoundError):
        access.revoke(home, "a")


@pytest.mark.parametrize(
    "grant", [Grant(""), Grant("x" * 65), Grant("a\nb"), Grant("a", ("",)), Grant("a", agent="x@y")]
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, grant: Grant) -> None:
    with pytest.raises(InputError):
        access.add(str(tmp_path), grant, NOW)


@pytest.mark.parametrize(
    "text",
    [
        "[[token]]",
        "token = 3",
        "[[token]]\nname='a'\nsha256=3",
        "[[token]]\nname='a'\nsha256='" + "0" * 64 + "'\nrights='all'",
        "not toml [",
    ],
)
def test_a_spoilt_file_lets_nobody_in(tmp_path: Path, text: str) -> None:
    grants = Grants(str(tmp_path))
    assert grants() == ()
    (tmp_path / access.FILE).write_text(text)
    with pytest.raises(ConfigError):
        access.read(str(tmp_path))
    assert grants(), "a door without grants would be open"
    assert grant_of(grants(), "") is None
    assert grant_of(grants(), "-") is None


def test_changes_are_taken_up(tmp_path: Path) -> None:
    grants = Grants(str(tmp_path))
    _, token = access.add(str(tmp_path), Grant("a"), NOW)
    assert grant_of(grants(), token)
    access.revoke(str(tmp_path), "a")
    assert grant_of(grants(), token) is None


def test_rights_include_the_lesser() -> None:
    assert Grant(rights="write").may("read")
    assert not Grant(rights="write").may("owner")
    assert Grant().reaches("anything")
    assert not Grant(spaces=("a",)).reaches("b")


def test_revoking_the_last_token_opens_no_door(tmp_path: Path) -> None:
    """Neither a server beyond this machine nor one that asked for tokens becomes everybody's."""
    _, token = access.add(str(tmp_path), Grant("a"), NOW)
    doors = [door(host, "", Grants(str(tmp_path))) for host in ("0.0.0.0", "127.0.0.1")]
    headers = {"host": "localhost", "authorization": f"Bearer {token}"}
    assert [admit(one, headers).grant.name for one in doors] == ["a", "a"]
    access.revoke(str(tmp_path), "a")
    for file_there in (True, False):
        for one in doors:
            for sent in (headers, {"host": "localhost"}):
                with pytest.raises(RefusedError) as refused:
                    admit(one, sent)
                assert refused.value.status == 401, file_there
        (tmp_path / access.FILE).unlink(missing_ok=True)
    _, token = access.add(str(tmp_path), Grant("b"), NOW)
    assert admit(doors[0], {**headers, "authorization": f"Bearer {token}"}).grant.name == "b"
    assert not Door().guarded, "a server that never asked for one goes on as it was"
