"""A session's key and who wrote tell who hears what is said; where they do not, others may."""

from __future__ import annotations

from loxodon.workspace.openclaw.chats import chat_of, owners_of
from tests.each import each

OWNERS = ("telegram:42", "U1")
"""One by a name on one channel, one by a name that counts on all."""


@each(
    ("key", "channel", "sender"),
    [
        ("agent:main:main", "", ""),
        ("agent:main:main", "webchat", "gateway-client"),
        ("agent:main:main", "telegram", "42"),
        ("agent:main:main", "slack", "U1"),
        ("AGENT:Main:Main", "", ""),
        ("agent:work:telegram:direct:42", "telegram", "42"),
        ("agent:work:telegram:direct:42", "telegram", "telegram:42"),
        ("agent:work:telegram:acc:dm:42", "", ""),
        ("agent:main:direct:ming", "telegram", "42"),
        ("agent:main:slack:direct:u1:thread:17", "slack", ""),
        ("agent:main:webchat:direct:any", "webchat", ""),
        ("agent:main:dashboard:5f3a", "webchat", ""),
        ("agent:main:dashboard:5f3a", "", ""),
    ],
)
def test_private(key: str, channel: str, sender: str) -> None:
    assert chat_of(key, channel, sender=sender, owners=OWNERS) == "direct"


@each(
    ("key", "channel", "sender"),
    [
        ("agent:main:main", "telegram", "666"),
        ("agent:main:main", "telegram", ""),
        ("agent:main:main", "discord", "42"),
        ("agent:main:telegram:direct:666", "telegram", "666"),
        ("agent:main:telegram:direct:42", "telegram", "666"),
        ("agent:main:telegram:direct:666", "webchat", ""),
        ("agent:main:discord:direct:42", "discord", "42"),
        ("agent:main:direct:42", "", ""),
        ("agent:main:direct:666", "telegram", "666"),
        ("agent:main:telegram:group:-100", "telegram", "42"),
        ("agent:main:discord:channel:9", "", "U1"),
        ("agent:main:discord:acc:channel:9:thread:1", "", ""),
        ("agent:main:group:direct:42", "telegram", "42"),
        ("agent:main:whatsapp:123@g.us", "", ""),
        ("agent:main:discord:guild-1:channel-2", "", ""),
        ("agent:main:main:thread:5", "", ""),
        ("agent:main:cron:job:run:1", "", ""),
        ("agent:main:subagent:7", "", ""),
        ("agent:main:hook:x", "", ""),
        ("agent:main:something", "telegram", "42"),
        ("agent:main:something:new:altogether:here", "", ""),
        ("agent:main:telegram:direct", "telegram", "42"),
        ("agent:main:", "", ""),
        ("agent:main", "", ""),
        ("", "", ""),
        ("\0", "irc", ""),
    ],
)
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
