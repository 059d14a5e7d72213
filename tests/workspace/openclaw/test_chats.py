"""A session's key tells who hears what is said in it; where it does not, others may."""

from __future__ import annotations

from loxodon.workspace.openclaw.chats import chat_of
from tests.each import each


@each(
    ("key", "channel"),
    [
        ("agent:main:main", ""),
        ("agent:main:main", "telegram"),
        ("AGENT:Main:Main", ""),
        ("agent:work:telegram:direct:42", "telegram"),
        ("agent:work:telegram:acc:dm:42", ""),
        ("agent:main:direct:42", ""),
        ("agent:main:slack:direct:u1:thread:17", "slack"),
        ("agent:main:dashboard:5f3a", "webchat"),
        ("agent:main:dashboard:5f3a", ""),
    ],
)
def test_private(key: str, channel: str) -> None:
    assert chat_of(key, channel) == "direct"


@each(
    ("key", "channel"),
    [
        ("agent:main:telegram:group:-100", "telegram"),
        ("agent:main:discord:channel:9", ""),
        ("agent:main:discord:acc:channel:9:thread:1", ""),
        ("agent:main:group:direct:42", ""),
        ("agent:main:whatsapp:123@g.us", ""),
        ("agent:main:discord:guild-1:channel-2", ""),
        ("agent:main:main:thread:5", ""),
        ("agent:main:cron:job:run:1", ""),
        ("agent:main:subagent:7", ""),
        ("agent:main:hook:x", ""),
        ("agent:main:something", "telegram"),
        ("agent:main:something:new:altogether:here", ""),
        ("agent:main:telegram:direct", "telegram"),
        ("agent:main:", ""),
        ("agent:main", ""),
        ("", ""),
        ("\0", "irc"),
    ],
)
def test_whatever_is_not_plainly_private_is_not(key: str, channel: str) -> None:
    assert chat_of(key, channel) == "group"


def test_the_main_session_may_go_by_another_name() -> None:
    assert chat_of("agent:main:home", "telegram", "home") == "direct"
    assert chat_of("agent:main:home", "telegram") == "group"
