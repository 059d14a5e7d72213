"""What a server answers about itself and its spaces: pages outside the memory of one space."""

from __future__ import annotations

from time import perf_counter

from starlette.requests import Request
from starlette.responses import Response

import loxodon
from loxodon.http import openapi
from loxodon.http.fields import from_query, given
from loxodon.http.guard import Caller, Door, Me, has_token, not_granted
from loxodon.http.health import Watch, gauges, paused, reasons
from loxodon.http.host import Host
from loxodon.http.metrics import TYPE, Metrics, Served
from loxodon.http.replies import document, text
from loxodon.http.requests import language_of, query_of
from loxodon.http.wire import plain


class ServerPages:
    """The pages of one server. `watch` looks at its spaces, `metrics` counts its requests.

    `request.state` has the `caller`, and what is logged of the request (`about`).
    """

    def __init__(self, host: Host, at: Door, watch: Watch, metrics: Metrics) -> None:
        self._started = perf_counter()
        self._host = host
        self._door = at
        self._watch = watch
        self._metrics = metrics

    # Without a token, for whoever watches the machine

    async def livez(self, request: Request) -> Response:
        """That the process answers."""
        return document({"status": "ok"})

    async def readyz(self, request: Request) -> Response:
        """Whether the store can be reached; takes the same time however many spaces there are."""
        ready = await self._watch.ready()
        return document({"status": "ok" if ready else "failing"}, 200 if ready else 503)

    async def health(self, request: Request) -> Response:
        look = await self._watch.look()
        found = reasons(look, language_of(request.headers.get("accept-language", "")))
        data: dict[str, object] = {"status": "failing" if found else "ok"}
        if has_token(self._door, request.headers):  # the names of spaces are not for everybody
            data["reasons"] = plain(found)
            data |= {"paused": names} if (names := paused(look)) else {}
        return document(data, 503 if found else 200)

    # For whoever has a token

    async def root(self, request: Request) -> Response:
        version = loxodon.__version__
        return document(
            {"name": "loxodon", "version": version, "docs": "/docs", "openapi": "/openapi.json"}
        )

    async def openapi(self, request: Request) -> Response:
        return document(openapi.document())

    async def docs(self, request: Request) -> Response:
        return text(openapi.page(), kind="text/html; charset=utf-8")

    async def me(self, request: Request) -> Response:
        """What the token of a request is good for, so that a page offers nothing else."""
        caller: Caller = request.state.caller
        found = await self._host.run(self._host.spaces)
        me = Me(
            caller.grant.name,
            caller.grant.rights,
            caller.agent,
            caller.chat,
            caller.owns_all,
            tuple(name for name in found if caller.grant.reaches(name)),
            loxodon.__version__,
            self._host.home if caller.owns_all else "",
        )
        return document(plain(me))

    async def spaces(self, request: Request) -> Response:
        found = await self._host.run(self._host.spaces)
        grant = request.state.caller.grant
        return document({"spaces": [name for name in found if grant.reaches(name)]})

    # For the owner of all spaces

    async def server(self, request: Request) -> Response:
        _owners(request)
        up = round(perf_counter() - self._started)
        return document(plain(Served(loxodon.__version__, up, self._metrics.figures())))

    async def numbers(self, request: Request) -> Response:
        _owners(request)
        look = await self._watch.look()
        return text(self._metrics.text(gauges(look, self._host.waiting)), kind=TYPE)

    async def make_space(self, request: Request) -> Response:
        _owners(request)
        space = request.path_params["space"]
        known = await self._host.run(self._host.spaces)
        home = await self._host.call(space, lambda memory: memory.home)
        created = space not in known
        request.state.about |= {"space": space, "created": created}
        return document({"home": home, "space": space, "created": created})

    async def delete_space(self, request: Request) -> Response:
        _owners(request)
        space = request.path_params["space"]
        fields = given((openapi.DRY_RUN,), from_query((openapi.DRY_RUN,), query_of(request)))
        receipt = await self._host.run(lambda: self._host.delete(space, **fields))
        self._watch.wrote(space, None)
        request.state.about |= {"space": space, "receipt": receipt.id, **fields}
        return document(plain(receipt))


def _owners(request: Request) -> None:
    if not request.state.caller.owns_all:
        raise not_granted()
