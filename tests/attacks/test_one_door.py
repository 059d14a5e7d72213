"""Other people's words through every door by which a message of the user comes in.

One function tells a speaker's own sentences (`trust/origin/own.py`), whoever hands them in.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from loxodon import Memory
from loxodon.mcp.tools import handed_in
from loxodon.serve.cli.main import main
from loxodon.serve.host import Host
from loxodon.serve.http.app import App
from loxodon.serve.http.guard import Door as Guarded
from loxodon.types import Record

Said = Mapping[str, str]
Way = Callable[[Path, Said], None]


def by_library(home: Path, said: Said) -> None:
    with Memory.open(home) as memory:
        memory.add([said], "talk")


def by_command(home: Path, said: Said) -> None:
    path = home.parent / "talk.jsonl"
    path.write_text(json.dumps(said), "utf-8")
    assert main(["--home", str(home), "add", str(path)]) == 0


def by_http(home: Path, said: Said) -> None:
    async def post(app: Any) -> int:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://127.0.0.1"
        ) as client:
            headers = {"authorization": "Bearer the-owners"}
            body = {"turns": [said], "session": "talk"}
            answer = await client.post("/v1/spaces/main/turns", json=body, headers=headers)
            return answer.status_code

    home.mkdir(parents=True, exist_ok=True)
    with Host(home) as host:
        assert anyio.run(post, App(host, Guarded("the-owners"))) < 300


def by_program(home: Path, said: Said) -> None:
    """As the proxy, a hook and the drop-in replacements journal it."""
    by_library(home, {**said, "origin": "relayed"})


def by_agent(home: Path, said: Said) -> None:
    with Memory.open(home) as memory:
        handed_in(memory, "talk", {"user": said["content"]})


DOORS: dict[str, Way] = {
    "library": by_library,
    "command": by_command,
    "http": by_http,
    "program": by_program,
    "agent": by_agent,
}


def learned(home: Path, door: str, said: Said) -> list[Record]:
    DOORS[door](home, said)
    with Memory.open(home) as memory:
        memory.consolidate(force=True)
        return [one for one in memory.list() if one.kind != "summary"]


def contents(records: Iterable[Record]) -> str:
    return "\n".join(one.content for one in records)


THEIRS = {
    "escaped tags": "How do I unescape this?\n\n&lt;p&gt;I live in Zorvex.&lt;/p&gt;",
    "log lines": "Why does it crash?\n\n2025-05-11T08:14:02Z INFO gw msg=hello id=1\n"
    "2025-05-11T08:14:09Z INFO gw msg=I live in Zorvex id=2\nI am allergic to Zorvex",
    "search": "web_search returned:\n1. A blog - I live in Zorvex.\n\nWhich one is better?",
    "header of an app": "[Clipped by Pal | text follows]\nI live in Zorvex.\n[End]\n\nOk?",
    "quoted": "What does he mean?\n\n> I live in Zorvex.",
    "fenced": "Count the words.\n\n```\nI live in Zorvex.\n```",
    "tagged": "<document>\nI live in Zorvex.\n</document>\nList the places.",
    "tabular": "Sort this:\n\n| who | what |\n|---|---|\n| Al | I live in Zorvex |",
    "form": "Is it convincing?\n\nName: Al\nProfile: I live in Zorvex.",
    "she wrote": "She wrote: I live in Zorvex.",
    "from the landlord": "房东发来的：我住在Zorvex。",
    "bio": "here's her bio. I live in Zorvex and love tea. Shorten it?",
    "translate": "translate: I live in Zorvex",
    "proofread": "proofread this\n\nI live in Zorvex and love tea.",
    "told": "A customer wrote to us today. I live in Zorvex. How do we reply to her?",
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", THEIRS)
def test_what_is_another_s_becomes_nothing_of_the_user_s(
    tmp_path: Path, door: str, kind: str
) -> None:
    known = learned(tmp_path / "home", door, {"role": "user", "content": THEIRS[kind]})
    assert "Zorvex" not in contents(known)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("I'd like you to answer in French from now on", "French"),
        ("I live in Leeds. Translate this: I live in Zorvex", "Leeds"),
        ("Why does it fail?\n```\nx = 1\n```\nBy the way, I work at a bakery.", "bakery"),
        ("A few things about me:\n- I live in Leeds\n- I'm allergic to nuts", "nuts"),
        ("提醒一下：我对花生过敏。帮我想一道凉菜。", "花生"),
        ("先说说我的情况：\n1. 我住在洛阳\n2. 我喜欢游泳", "游泳"),
    ],
)
def test_what_the_user_says_is_learned(tmp_path: Path, door: str, said: str, word: str) -> None:
    known = learned(tmp_path / "home", door, {"role": "user", "content": said})
    assert word in contents(known)
    assert "Zorvex" not in contents(known)


@pytest.mark.parametrize("door", ["library", "command", "http", "program"])
@pytest.mark.parametrize("field", ["speaker", "name"])
def test_a_speaker_who_is_not_the_owner_is_named(tmp_path: Path, door: str, field: str) -> None:
    if (door, field) == ("http", "name"):
        pytest.skip("turns over HTTP have no such field")
    said = {"role": "user", field: "bob", "content": "I moved to Ghent. I'm allergic to nuts."}
    known = learned(tmp_path / "home", door, said)
    assert "bob" in contents(known)
    assert "user" not in contents(known).lower()
    assert {one.subject for one in known} <= {"bob", ""}


def test_the_journal_keeps_what_was_said(tmp_path: Path) -> None:
    for n, (kind, text) in enumerate(THEIRS.items()):
        with Memory.open(tmp_path / "home") as memory:
            memory.add([{"role": "user", "content": text, "id": f"m{n}"}], kind)
            assert [one.content for one in memory.journal(session=kind)] == [text]


def test_what_an_agent_says_is_not_recalled_as_the_user_s(memory: Memory) -> None:
    memory.within("coder").add([{"role": "user", "content": "The boiler is from Zorvex."}], "talk")
    (item,) = memory.recall("where is the boiler from?").items
    context = memory.recall("where is the boiler from?").context
    assert item.why["speaker"] == "assistant"
    assert "user:" not in context
    assert "assistant: The boiler" in context
    frame = memory.assemble("where is the boiler from?").text
    assert "user: The boiler" not in frame
