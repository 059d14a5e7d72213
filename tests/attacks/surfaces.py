"""Every way to ask: what each surface can be asked, as (name, call) that gives all that comes back.

The tables are held against those of the surfaces (`OPERATIONS`, `TOOLS`), so that an operation that
is added without a probe fails a test.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any
from urllib.parse import quote

import httpx

from loxodon import Memory
from loxodon.cli import main
from loxodon.errors import LoxodonError
from loxodon.paging import cursor_of

from .canaries import Viewer, World

ANYWHERE = cursor_of("list", (1 << 62, 1 << 62))  # that nobody was given: before everything
Call = Callable[[], str]
Calls = Iterator[tuple[str, Call]]


def library(world: World, viewer: Viewer, memory: Memory, ids: dict[str, list[str]]) -> Calls:
    """The verbs of a memory behind a wall."""
    seen = memory.within(viewer.agent, viewer.chat)
    secret = world.foreign(viewer)
    key = secret.key
    some = world.rng.choice(ids["memory"] or ["f_1"])
    turn = world.rng.choice(ids["turn"] or ["t_1"])
    asked: dict[str, Callable[[], Any]] = {
        "recall": lambda: seen.recall(f"Where is {key}? {key}住在哪里", budget=4_000),
        "recall all": lambda: seen.recall("live work 住 喜欢", 50, 8_000),
        "recall entity": lambda: seen.recall("what", entity=key),
        "assemble": lambda: seen.assemble(f"What about {key}?"),
        "gate": lambda: seen.gate(f"how is {key}"),
        "list": lambda: seen.list(state="all"),
        "list entity": lambda: seen.list(entity=key, state="all"),
        "list project": lambda: seen.list(project=key, state="all"),
        "journal": seen.journal,
        "journal query": lambda: seen.journal(key),
        "journal session": lambda: seen.journal(session="default"),
        "get": lambda: seen.get(some),
        "history": lambda: seen.history(some),
        "turn": lambda: seen.turn(turn),
        "edit": lambda: seen.edit(some, importance=0.4),
        "archive": lambda: seen.archive(some),
        "confirm": lambda: seen.confirm(some),
        "reject": lambda: seen.reject(some),
        "touch": lambda: seen.touch([some]),
        "entities": seen.entities,
        "entity": lambda: seen.entity(key),
        "sessions": seen.sessions,
        "page": lambda: seen.list(state="all", limit=1, cursor=ANYWHERE),
        "segments": seen.segments,
        "events": seen.events,
        "snapshot": seen.snapshot,
        "profile": lambda: seen.profile("zh"),
        "stats": seen.stats,
        "status": seen.status,
        "reviews": seen.reviews,
        "reminders": seen.due_reminders,
        "today": lambda: seen.today(world.clock().replace(year=2020)),
        "timeline": seen.timeline,
        "graph": lambda: seen.graph(limit=0),
        "related": lambda: seen.related(some),
        "strength": lambda: seen.strength(some),
        "labels": seen.labels,
        "settings": seen.settings,
        "backups": seen.backups,
        "documents": lambda: [
            one for name in ((), ("notes",)) for one in seen.documents.newest(name)
        ],
        "namespaces": lambda: seen.documents.namespaces(()),
        "quarantine": seen.quarantine,
        "inspect": lambda: seen.inspect(some),
        "inspect entity": lambda: seen.inspect(key),
        "sources": lambda: seen.workspace.sources(),
        "jobs": lambda: seen.schedule.jobs(),
        "add": lambda: seen.add([world.said(viewer)], "default"),
    }
    for name, ask in asked.items():
        yield f"library {name}", lambda ask=ask: told(ask)  # type: ignore[misc]


def told(ask: Callable[[], Any]) -> str:
    """All that came back, or the error in every language with its values."""
    try:
        return repr(ask())
    except LoxodonError as error:
        return repr((error.localized("en"), error.localized("zh"), str(error), error.values))


def command_line(world: World, viewer: Viewer, ids: dict[str, list[str]]) -> Calls:
    """Commands, in this process. They have no chat of their own but where they recall."""
    key = world.foreign(viewer).key
    some = world.rng.choice(ids["memory"] or ["f_1"])
    turn = world.rng.choice(ids["turn"] or ["t_1"])
    words: list[list[str]] = [
        ["recall", key, "--chat", viewer.chat],
        ["context", key, "--chat", viewer.chat],
    ]
    if viewer.chat == "direct":
        words += [
            ["list", "--state", "all"],
            ["list", "--entity", key],
            ["get", some],
            ["get", turn],
            ["history", some],
            ["journal"],
            ["journal", key],
            ["entities"],
            ["entity", key],
            ["stats"],
            ["status"],
            ["snapshot"],
            ["profile"],
            ["review"],
            ["inspect", key],
            ["inspect", some],
            ["archive", some],
            ["quarantine"],
            ["schedule"],
            ["why", key],
            ["export", "--json"],
            ["validate"],
            ["events"],
            ["segments"],
        ]
    for line in words:
        yield f"cli {line[0]}", lambda line=line: typed(world, viewer, line)  # type: ignore[misc]


def typed(world: World, viewer: Viewer, words: list[str]) -> str:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        main(["--home", str(world.home), "--space", viewer.space, "--agent", viewer.agent, *words])
    return out.getvalue() + err.getvalue()


READ_BY_GET = (
    "turns",
    "memories?state=all",
    "reviews",
    "entities",
    "sessions",
    f"memories?state=all&limit=1&cursor={ANYWHERE}",
    "segments",
    "events",
    "profile",
    "snapshot",
    "due",
    "schedule",
    "reminders",
    "status",
    "stats",
    "workspace/sources",
    "today?since=2020-01-01",
    "timeline",
    "graph?limit=0",
    "labels",
    "turns?session=default",
)


def http(world: World, viewer: Viewer, client: httpx.Client, ids: dict[str, list[str]]) -> Calls:
    """Requests with the token of whoever asks, some for spaces that are not theirs."""
    secret = world.foreign(viewer)
    key, some = quote(secret.key), world.rng.choice(ids["memory"] or ["f_1"])
    turn = world.rng.choice(ids["turn"] or ["t_1"])
    space = f"/v1/spaces/{quote(viewer.space)}"
    other = f"/v1/spaces/{quote(world.rng.choice([secret.space, 'nobody']))}"
    gets = [
        *(f"{space}/{path}" for path in READ_BY_GET),
        f"{space}/turns?query={key}",
        f"{space}/turns/{turn}",
        f"{space}/memories/{some}",
        f"{space}/memories/{some}/history",
        f"{space}/memories/{some}/related",
        f"{space}/memories/{some}/strength",
        f"{space}/graph?around={key}",
        f"{space}/entities/{key}",
        f"{space}/notes/n_1",
        f"{space}/memories?entity={key}",
        f"{space}/recall?query={key}&explain=true",
        f"{other}/memories",
        f"{other}/stats",
        f"{other}/recall?query={key}",
        "/v1/spaces",
        "/metrics",
        "/",
        "/health",
    ]
    for path in gets:
        yield f"http {path}", lambda path=path: sent(client.get(path))  # type: ignore[misc]
    posts: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", "recall", {"query": secret.key, "explain": True, "budget": 4_000, "top": 50}),
        ("POST", "recall", {"query": "live 住 work", "chat": "direct", "top": 50}),
        ("POST", "context", {"message": f"what about {secret.key}?", "explain": True}),
        ("POST", "gate", {"message": secret.key}),
        ("POST", "profile", {}),
        ("POST", f"memories/{some}/archive", {}),
        ("POST", f"memories/{some}/unarchive", {}),
        ("POST", f"memories/{some}/confirm", {}),
        ("POST", f"memories/{some}/reject", {}),
        ("PATCH", f"memories/{some}", {"importance": 0.5}),
        ("POST", "touch", {"ids": [some]}),
        ("POST", "turns", {"turns": [world.said(viewer)], "session": "default"}),
        ("POST", "consolidate", {}),
        ("POST", "validate", {}),
        ("POST", "workspace/export", {}),
        ("POST", "forget", {"all": True}),
        ("DELETE", f"memories/{some}", {}),
        ("DELETE", f"turns/{turn}", {}),
        ("DELETE", "sessions/default", {}),
        ("POST", "workspace/sync", {}),
        ("POST", "flush", {}),
    ]
    for method, path, body in posts:
        yield (
            f"http {method} {path}",
            lambda method=method, path=path, body=body: sent(  # type: ignore[misc]
                client.request(method, f"{space}/{path}", json=body)
            ),
        )


def sent(response: httpx.Response) -> str:
    """All that came over the wire."""
    return f"{response.status_code} {dict(response.headers)} {response.text}"


@contextmanager
def asking(world: World, viewer: Viewer, url: str) -> Iterator[httpx.Client]:
    headers = {"authorization": f"Bearer {world.tokens[viewer]}"}
    with httpx.Client(base_url=url, headers=headers, timeout=300, trust_env=False) as client:
        yield client
