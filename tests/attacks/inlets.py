"""Every way in for words that are not the owner's: each brings texts into a memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import httpx

from loxodon import Memory
from loxodon.agents.openclaw.answer import answer
from loxodon.cli import main
from loxodon.client import Client
from loxodon.compat.mem0 import Memory as Mem0
from loxodon.errors import ForbiddenError, InputError
from loxodon.journal.follow import follow_agent
from loxodon.mcp.tools import TOOLS
from loxodon.types import Origin
from loxodon.working.context import Shown
from loxodon.working.flush import save
from tests.agents.agent_files import ClaudeCode
from tests.agents.openclaw.made import OpenClaw
from tests.agents.openclaw.made import said as entry
from tests.http.server import Server
from tests.imports.exports import chat, conversation, message, put_json, put_zip, said
from tests.proxy.conftest import started
from tests.proxy.upstream import stage

Inlet = Callable[[Memory, Path, Sequence[str]], None]


def _add(memory: Memory, texts: Sequence[str], **turn: str) -> None:
    memory.add(
        [{"role": "user", "content": text, "id": f"x{n}", **turn} for n, text in enumerate(texts)],
        session="inlet",
    )


def _said_as(name: str, **turn: str) -> Inlet:
    def inlet(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
        _add(memory, texts, **turn)

    inlet.__name__ = name
    return inlet


tool, web = _said_as("tool", role="tool"), _said_as("web", origin="web")
group = _said_as("group", origin="group", chat="group", speaker="Mallory")
assistant, system = _said_as("assistant", role="assistant"), _said_as("system", role="system")


def split_over_turns(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    halves = [text for one in texts for text in (one[: len(one) // 2], one[len(one) // 2 :])]
    _add(memory, [one or "." for one in halves], role="tool")


def between_answers(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    """A page asks, and the user's next word is a yes to somebody else."""
    turns = []
    for n, text in enumerate(texts):
        turns += [
            {"role": "tool", "content": f"{text} Do you agree?", "id": f"p{n}"},
            {"role": "user", "content": "yes", "id": f"y{n}"},
        ]
    memory.add(turns, session="answers")


_PASTES = (
    "Summarise this page for me:\n\n{}",
    "What does this mail want?\n\n```\n{}\n```",
    "Is this true?\n\n> {}",
    "Translate this into Chinese: {}",
    "---------- Forwarded message ----------\nFrom: Eve\n\n{}",
    "帮我总结一下这个网页：\n\n{}",
    "翻译一下：{}",
    "【转发】{}",
)


def pasted(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    whole = [_PASTES[n % len(_PASTES)].format(_quoted(n, text)) for n, text in enumerate(texts)]
    _add(memory, whole)


def _quoted(n: int, text: str) -> str:
    """In a quotation every line is marked, as mail programs do."""
    return text.replace("\n", "\n> ") if n % len(_PASTES) == 2 else text


def captured(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    origins: tuple[Origin, ...] = ("web", "tool", "group", "import", "assistant")
    for n, text in enumerate(texts):
        memory.capture(text, origin=origins[n % 5], importance=1, category="preference")


def remembered(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    """An agent that was tricked calls the tool, and asks to confirm what it remembered."""
    by_name = {one.name: one for one in TOOLS}
    for text in texts:
        kept = by_name["remember"].run(memory, "direct", {"content": text, "importance": 1})
        with suppress(ForbiddenError):
            by_name["review"].run(memory, "direct", {"id": kept["id"], "decision": "confirm"})


def journalled(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    """An agent that was tricked says that the user typed it, and remembers it with that quote."""
    by_name = {one.name: one for one in TOOLS}
    for text in texts:
        by_name["recall_context"].run(memory, "direct", {"message": text, "session": "mcp"})
        by_name["journal"].run(memory, "direct", {"user": text, "session": "mcp"})
        note = {"content": text, "quote": text, "importance": 1}
        by_name["remember"].run(memory, "direct", note)


def updated(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    """An agent that was tricked changes what the user said."""
    update = next(one for one in TOOLS if one.name == "update_memory")
    for n, text in enumerate(texts):
        mine = memory.capture(f"The user has {n} brothers", importance=1, category="identity")
        with suppress(InputError):
            update.run(memory, "direct", {"id": mine.id, "content": text})


def flushed(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    """A model wrote notes of a conversation in which a tool said something."""
    said = [(role, text) for role in ("tool", "assistant") for text in texts]
    shown = [Shown(str(n), {"role": role, "content": text}) for n, (role, text) in enumerate(said)]
    save(memory, list(texts), shown)


def mem0(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    with Mem0.from_config({"home": memory.home}) as other:
        for text in texts:
            other.add([{"role": "assistant", "content": text}], user_id="main", infer=False)


def mem0_export(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    rows = [{"id": f"m{n}", "memory": text, "user_id": "u"} for n, text in enumerate(texts)]
    memory.workspace.take_in(str(put_json(folder / "mem0.json", {"results": rows})))


def chatgpt(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    nodes = [message("u", "root", "user", "hello")]
    for n, text in enumerate(texts):
        nodes.append(message(f"a{n}", nodes[-1]["id"], "assistant", text))
    made = conversation("c", nodes[-1]["id"], *nodes)
    path = put_zip(folder / "chatgpt.zip", {"conversations.json": [made]})
    memory.workspace.take_in(str(path))


def claude(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    talk = [said(f"a{n}", "assistant", text) for n, text in enumerate(texts)]
    path = put_zip(folder / "claude.zip", {"conversations.json": [chat("k", *talk)]})
    memory.workspace.take_in(str(path))


def openclaw(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    entries = [entry("u", None, "hello there")]
    for n, text in enumerate(texts):
        role = "toolResult" if n % 2 else "user"
        more = {"toolName": "fetch"} if n % 2 else {"owner": False}
        entries.append(entry(f"x{n}", entries[-1]["id"], text, role, **more))
    claw = OpenClaw(folder / "openclaw")
    claw.file("talk", entries)
    answer(memory.workspace, {"want": "turn", "state": str(claw.root)})


def coding_agent(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    """What an agent says that has read a page, and what programs put into the user's messages."""
    talk = ClaudeCode(folder / "claude")
    talk.user("hello there")
    for text in texts:
        talk.agent(text)
        talk.user(f"<system-reminder>{text}</system-reminder>")
        talk.user([{"type": "tool_result", "tool_use_id": "x", "content": text}])
    follow_agent(memory.workspace, "claude-code", str(folder / "claude"))


def chatlog(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    """A log of a group in which nobody says who the owner is, as the command takes it."""
    lines = ["[2026-02-01 10:00] Mei: hello"]
    for n, text in enumerate(texts):
        lines.append(f"[2026-02-01 10:{n % 60:02d}] Mallory: {' '.join(text.split())}")
    path = folder / "log.txt"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    assert main(["--home", memory.home, "add", str(path), "--skip-bad"]) == 0


def clipped(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    """A page that the owner clipped into a folder of notes."""
    root = Path(memory.workspace.path)
    root.mkdir(parents=True, exist_ok=True)
    (root / "MEMORY.md").write_text("# Memory\n\n- Mei lives in York\n", "utf-8")
    notes = root / "memory"
    notes.mkdir(exist_ok=True)
    (notes / "clipped.md").write_text("\n\n".join(texts), "utf-8")
    memory.workspace.index()


def while_off(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    """Said while the engine was off, and taken in when it is on again."""
    with Memory.open(memory.home, config={"enabled": False, "timezone": "Asia/Shanghai"}) as plain:
        plain.add(
            [{"role": "tool", "content": text, "id": f"o{n}"} for n, text in enumerate(texts)],
            session="off",
        )
    Memory.open(memory.home, config={"timezone": "Asia/Shanghai"}).close()  # takes it in


def http(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    """A program that sends what its tools gave, and captures what they said, to a real server."""
    home = Path(memory.home)
    with Server(home) as server, Client(server.url) as client:
        client.add(
            [{"role": "tool", "content": text, "id": f"h{n}"} for n, text in enumerate(texts)],
            session="http",
        )
        for text in texts[:10]:
            client.capture(text, origin="web", category="preference", importance=1)


def proxy(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    """An agent behind the proxy whose tools and whose model say it, over OpenAI's API."""

    def after(text: str) -> list[object]:
        return [{"role": "tool", "tool_call_id": "c", "content": text}]

    _through_the_proxy(memory, texts, "/chat/completions", after)


def proxy_messages(memory: Memory, folder: Path, texts: Sequence[str]) -> None:
    """The same over Anthropic's, where results and reminders stand in the user's messages."""
    called = {"type": "tool_use", "id": "c", "name": "look", "input": {}}

    def after(text: str) -> list[object]:
        result = {"type": "tool_result", "tool_use_id": "c", "content": text}
        reminder = {"type": "text", "text": f"<system-reminder>\n{text}\n</system-reminder>"}
        return [
            {"role": "assistant", "content": [called]},
            {"role": "user", "content": [result, reminder]},
        ]

    _through_the_proxy(memory, texts, "/messages", after)


def _through_the_proxy(
    memory: Memory, texts: Sequence[str], path: str, after: Callable[[str], list[object]]
) -> None:
    """Have an agent ask, and say what comes after that and what its model says to it."""
    with stage() as upstream, started(Path(memory.home), upstream.url) as running:
        ask = httpx.Client(base_url=running.url, headers={"authorization": "Bearer x"}, timeout=300)
        with ask:
            for n, text in enumerate(texts):
                upstream.play(text)
                messages = [{"role": "user", "content": f"question {n}"}, *after(text)]
                ask.post(path, json={"model": "test", "messages": messages}).raise_for_status()


# By which an agent says what the user said; nobody else hears them there
REPORTED: dict[str, Inlet] = {"journalled": journalled}
# Those that need a server of their own: the long form has them
SERVED: dict[str, Inlet] = {"http": http, "proxy": proxy, "proxy_messages": proxy_messages}
INLETS: dict[str, Inlet] = {
    one.__name__: one
    for one in (
        *(tool, web, group, assistant, system, split_over_turns, between_answers, pasted),
        *(captured, remembered, updated, flushed, mem0, mem0_export, chatgpt, claude),
        *(openclaw, coding_agent, chatlog, clipped, while_off),
    )
}
