from __future__ import annotations

import json

import pytest

from loxodon.serve.proxy.requests import Asked, read
from loxodon.serve.proxy.speaking import By, Rule, Who, who_speaks


def asked(**more: object) -> Asked:
    body = {"messages": [{"role": "user", "content": "x"}], **more}
    found = read("chat", json.dumps(body).encode())
    assert found is not None
    return found


def space(by: By, user: object = None, **headers: str) -> str:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return who_speaks(given, asked(user=user), Rule("main", by)).space


def test_a_header_comes_first_then_the_field_then_the_key() -> None:
    assert space("key", "ann", x_loxodon_space="bob", authorization="Bearer k") == "bob"
    assert space("key", "ann", x_loxodon_user="cem", authorization="Bearer k") == "cem"
    assert space("key", "ann", authorization="Bearer k") == "ann"
    assert space("user", "ann") == "ann"
    assert space("fixed", "ann") == "main"
    assert space("fixed", "ann", x_loxodon_user="cem") == "cem"
    assert space("user", None, authorization="Bearer k") == "main"


def test_a_key_has_a_name_that_does_not_tell_it() -> None:
    one = space("key", None, authorization="Bearer sk-secret")
    assert one.startswith("key-")
    assert "secret" not in one
    assert one == space("key", None, authorization="Bearer sk-secret")
    assert one != space("key", None, authorization="Bearer sk-other")
    assert space("key", None) == "main"


@pytest.mark.parametrize("user", [5, "", "  ", None, {"a": 1}])
def test_a_field_that_is_no_name_is_none(user: object) -> None:
    assert space("user", user) == "main"


def test_names_that_cannot_be_kept_are_replaced() -> None:
    assert space("user", "x" * 500).startswith("user-")
    assert space("user", "a\nb").startswith("user-")
    assert space("user", None, x_loxodon_space="张三".encode().decode("latin-1")) == "张三"


def test_what_is_not_understood_is_a_group() -> None:
    def chat(value: str) -> str:
        return who_speaks({"x-loxodon-chat": value}, asked(), Rule()).chat

    assert [chat(one) for one in ("", "direct", "Group", "room", "party")] == [
        "direct",
        "direct",
        "group",
        "room",
        "group",
    ]


def test_in_a_group_the_user_is_who_speaks() -> None:
    headers = {
        "x-loxodon-space": "team",
        "x-loxodon-user": "ann",
        "x-loxodon-chat": "group",
        "x-loxodon-session": "s1",
        "x-loxodon-memory": "off",
    }
    assert who_speaks(headers, asked(), Rule()) == Who("team", "ann", "group", "s1", False)
