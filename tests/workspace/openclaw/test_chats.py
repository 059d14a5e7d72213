"""A session's key and who wrote tell who hears what is said; where they do not, others may."""

from __future__ import annotations

from loxodon.workspace.openclaw.chats import chat_of, owners_of
from tests.cases import cases
from tests.each import each

OWNERS = ("telegram:42", "U1")
"""One by a name on one channel, one by a name that counts on all."""


@each(("key", "channel", "sender"), cases(__file__, "private"))
def test_private(key: str, channel: str, sender: str) -> None:
    assert chat_of(key, channel, sender=sender, owners=OWNERS) == "direct"


@each(("key", "channel", "sender"), cases(__file__, "whatever_is_not_plainly_private_is_not"))
def test_whatever_is_not_plainly_private_is_not(key: str, channel: str, sender: str) -> None:
    assert chat_of(key, channel, sender=sender, owners=OWNERS) == "group"


def test_who_is_the_owner() -> None:
    assert owners_of(["telegram:42", "*"], ["666"]) == ["telegram:42"]
    assert owners_of([], ["42"]) == ["42"]  # nobody else may write
    for anybody in (["*"], ["42", "666"], []):
        assert owners_of([], anybody) == []
    assert owners_of(["*"], ["42"]) == []


def test_the_main_session_may_go_by_another_name() -> None:
    assert chat_of("agent:main:home", "telegram", "home", "42", OWNERS) == "direct"
    assert chat_of("agent:main:home", "telegram", "", "42", OWNERS) == "group"
