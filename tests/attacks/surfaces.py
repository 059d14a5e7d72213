"""Every way to ask: what each surface can be asked, as (name, call) that gives all that comes back.

The tables (`surfaces.jsonl`) are held against those of the surfaces (`OPERATIONS`, `TOOLS`), so
that an operation that is added without a probe fails a test.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import partial
from operator import attrgetter
from typing import Any
from urllib.parse import quote

import httpx

from loxodon import Memory
from loxodon.cli import main
from loxodon.errors import LoxodonError
from loxodon.paging import cursor_of
from tests.cases import cases

from .canaries import Viewer, World

ANYWHERE = cursor_of("list", (1 << 62, 1 << 62))  # that nobody was given: before everything
Call = Callable[[], str]
Calls = Iterator[tuple[str, Call]]


def names_of(world: World, viewer: Viewer, ids: dict[str, list[str]]) -> dict[str, str]:
    """What the templates in `surfaces.jsonl` name, all of it of others."""
    secret = world.foreign(viewer)
    return {
        "key": secret.key,
        "quoted": quote(secret.key),
        "some": world.rng.choice(ids["memory"] or ["f_1"]),
        "turn": world.rng.choice(ids["turn"] or ["t_1"]),
        "chat": viewer.chat,
        "anywhere": ANYWHERE,
        "space": f"/v1/spaces/{quote(viewer.space)}",
        "other": f"/v1/spaces/{quote(world.rng.choice([secret.space, 'nobody']))}",
    }


def filled(template: Any, names: dict[str, str]) -> Any:
    if isinstance(template, str):
        return template.format_map(names)
    if isinstance(template, list):
        return [filled(one, names) for one in template]
    if isinstance(template, dict):
        return {name: filled(one, names) for name, one in template.items()}
    return template


def library(world: World, viewer: Viewer, memory: Memory, ids: dict[str, list[str]]) -> Calls:
    """The verbs of a memory behind a wall."""
    seen, names = memory.within(viewer.agent, viewer.chat), names_of(world, viewer, ids)

    def called(verb: str, given: dict[str, Any]) -> Any:
        return attrgetter(verb)(seen)(**given)

    asked: list[tuple[str, Callable[[], Any]]] = [
        ("today", lambda: seen.today(world.clock().replace(year=2020))),
        ("documents", lambda: [*seen.documents.newest(()), *seen.documents.newest(("notes",))]),
        ("namespaces", lambda: seen.documents.namespaces(())),
        ("add", lambda: seen.add([world.said(viewer)], "default")),
    ]
    for one in cases(__file__, "library"):
        given = filled(one.get("given", {}), names)
        asked.append((one["verb"], partial(called, one["verb"], given)))
    for name, ask in asked:
        yield f"library {name}", partial(told, ask)


def told(ask: Callable[[], Any]) -> str:
    """All that came back, or the error in every language with its values."""
    try:
        return repr(ask())
    except LoxodonError as error:
        return repr((error.localized("en"), error.localized("zh"), str(error), error.values))


def command_line(world: World, viewer: Viewer, ids: dict[str, list[str]]) -> Calls:
    """Commands, in this process. They have no chat of their own but where they recall."""
    names = names_of(world, viewer, ids)
    asked = cases(__file__, "cli")
    if viewer.chat == "direct":
        asked += cases(__file__, "cli_direct")
    for one in asked:
        words = filled(one["words"], names)
        yield f"cli {words[0]}", partial(typed, world, viewer, words)


def typed(world: World, viewer: Viewer, words: list[str]) -> str:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        main(["--home", str(world.home), "--space", viewer.space, "--agent", viewer.agent, *words])
    return out.getvalue() + err.getvalue()


def http(world: World, viewer: Viewer, client: httpx.Client, ids: dict[str, list[str]]) -> Calls:
    """Requests with the token of whoever asks, some for spaces that are not theirs."""
    names = names_of(world, viewer, ids)

    def asked(method: str, path: str, body: Any = None) -> str:
        return sent(client.request(method, path, json=body))

    def said() -> str:
        turns = {"turns": [world.said(viewer)], "session": "default"}
        return asked("POST", f"{names['space']}/turns", turns)

    yield "http POST turns", said
    for one in filled(cases(__file__, "http"), names):
        yield f"http {one['method']} {one['path']}", partial(asked, **one)


def sent(response: httpx.Response) -> str:
    """All that came over the wire."""
    return f"{response.status_code} {dict(response.headers)} {response.text}"


@contextmanager
def asking(world: World, viewer: Viewer, url: str) -> Iterator[httpx.Client]:
    headers = {"authorization": f"Bearer {world.tokens[viewer]}"}
    with httpx.Client(base_url=url, headers=headers, timeout=300, trust_env=False) as client:
        yield client
