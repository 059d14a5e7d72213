"""What a server answers about itself and its spaces: pages outside the memory of one space."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from time import perf_counter

import loxodon
from loxodon.serve.host import Host
from loxodon.serve.http import openapi
from loxodon.serve.http.fields import from_query, given
from loxodon.serve.http.guard import Caller, Door, Me, has_token
from loxodon.serve.http.health import Watch, gauges, paused, reasons
from loxodon.serve.http.metrics import TYPE, Metrics, Served
from loxodon.serve.http.replies import Reply, document
from loxodon.serve.http.requests import Request
from loxodon.serve.http.wire import plain
from loxodon.serve.logs import log
from loxodon.trust.access.acting import Actor, acting

Page = Mapping[str, Callable[[Request, Caller], Awaitable[Reply]]]
"""What answers at an address, by method."""
OWNERS = frozenset({"metrics", "server", "space"})
"""Pages about all spaces, which are the owner's."""
_HTML = "text/html; charset=utf-8"


class ServerPages:
    """The pages of one server. `watch` looks at its spaces, `metrics` counts its requests."""

    def __init__(self, host: Host, at: Door, watch: Watch, metrics: Metrics) -> None:
        self._started = perf_counter()
        self._host = host
        self._door = at
        self._watch = watch
        self._metrics = metrics
        self._kept: dict[str, Reply] = {}
        self._fixed: dict[tuple[str, ...], tuple[str, Page]] = {
            (): ("root", {"GET": self._root}),
            ("metrics",): ("metrics", {"GET": self._numbers}),
            ("openapi.json",): ("openapi", {"GET": self._openapi}),
            ("docs",): ("docs", {"GET": self._docs}),
            ("v1", "me"): ("me", {"GET": self._me}),
            ("v1", "server"): ("server", {"GET": self._server}),
            ("v1", "spaces"): ("spaces", {"GET": self._spaces}),
        }

    def at(self, parts: tuple[str, ...]) -> tuple[str, Page] | None:
        """The page at a path, with its name; None where there is none."""
        if len(parts) == 3 and parts[:2] == ("v1", "spaces"):
            return "space", {"PUT": self._make_space, "DELETE": self._delete_space}
        return self._fixed.get(parts)

    async def health(self, request: Request) -> Reply:
        """For whoever watches the machine, who need not have the token."""
        look = await self._watch.look()
        found = reasons(look, request.language)
        data: dict[str, object] = {"status": "failing" if found else "ok"}
        if has_token(self._door, request.headers):  # the names of spaces are not for everybody
            data["reasons"] = plain(found)
            data |= {"paused": names} if (names := paused(look)) else {}
        return document(data, 503 if found else 200)

    async def _root(self, request: Request, caller: Caller) -> Reply:
        return document(
            {
                "name": "loxodon",
                "version": loxodon.__version__,
                "docs": "/docs",
                "openapi": "/openapi.json",
            }
        )

    async def _me(self, request: Request, caller: Caller) -> Reply:
        """What the token of a request is good for, so that a page offers nothing else."""
        found = await self._host.run(self._host.spaces)
        reached = tuple(name for name in found if caller.grant.reaches(name))
        return document(
            plain(
                Me(
                    caller.grant.name,
                    caller.grant.rights,
                    caller.agent,
                    caller.chat,
                    caller.owns_all,
                    reached,
                    loxodon.__version__,
                    self._host.home if caller.owns_all else "",
                )
            )
        )

    async def _server(self, request: Request, caller: Caller) -> Reply:
        up = round(perf_counter() - self._started)
        return document(plain(Served(loxodon.__version__, up, self._metrics.figures())))

    async def _numbers(self, request: Request, caller: Caller) -> Reply:
        look = await self._watch.look()
        text = self._metrics.text(gauges(look, self._host.waiting))
        return Reply(200, text.encode(), TYPE)

    async def _openapi(self, request: Request, caller: Caller) -> Reply:
        if "openapi" not in self._kept:
            self._kept["openapi"] = document(openapi.document())
        return self._kept["openapi"]

    async def _docs(self, request: Request, caller: Caller) -> Reply:
        if "docs" not in self._kept:
            self._kept["docs"] = Reply(200, openapi.page().encode(), _HTML)
        return self._kept["docs"]

    async def _spaces(self, request: Request, caller: Caller) -> Reply:
        found = await self._host.run(self._host.spaces)
        return document({"spaces": [name for name in found if caller.grant.reaches(name)]})

    async def _make_space(self, request: Request, caller: Caller) -> Reply:
        space = request.parts[2]
        known = await self._host.run(self._host.spaces)
        home = await self._host.call(space, lambda memory: memory.home)
        created = space not in known
        log("make_space", space=space, created=created)
        return document({"home": home, "space": space, "created": created})

    async def _delete_space(self, request: Request, caller: Caller) -> Reply:
        space = request.parts[2]
        fields = given((openapi.DRY_RUN,), from_query((openapi.DRY_RUN,), request.pairs()))
        with acting(Actor("http", caller.agent, caller.name)):
            receipt = await self._host.run(lambda: self._host.delete(space, **fields))
        self._watch.wrote(space, None)
        log("delete_space", space=space, receipt=receipt.id, **fields)
        return document(plain(receipt))
