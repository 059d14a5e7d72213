"""What is asked of the server itself: its spaces, tokens, health and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, TypeVar

from starlette.requests import Request

import loxodon
from loxodon.forget.receipts import Receipt
from loxodon.http.bodies import language_of
from loxodon.http.guard import Caller, Door, Need, granted
from loxodon.http.health import Metrics, Watch, reasons
from loxodon.http.host import Host
from loxodon.http.operations import Operation
from loxodon.security import tokens
from loxodon.security.tokens import MAX_NAME, Grant, Grants, Right
from loxodon.types import Chat
from loxodon.verbs import Arg, DryRun, Route, Verb, hints

PAGES: list[Operation] = []
Page = TypeVar("Page", bound=Callable[..., Any])


def page(at: str, right: Need, status: int = 200) -> Callable[[Page], Page]:
    """Declare a method as a page of the server: its docstring, arguments and result describe it."""

    def declare(call: Page) -> Page:
        route = Route(at, status=status)
        verb = Verb(call.__name__, call, "owner", "", False, (route,), "", False, "")
        PAGES.append(Operation(verb, route, right, verb.arguments, hints(verb.call)["return"]))
        return call

    return declare


Document = Mapping[str, object]


class Pages:
    """Answers them. `runner` says why nothing runs in the background, if so."""

    def __init__(self, host: Host, door: Door, runner: Callable[[], str]) -> None:
        self._host, self._door = host, door
        self.counted = Metrics()
        self._watch = Watch(host, runner)

    @page("GET /v1/spaces", "any")
    async def spaces(self, request: Request) -> Mapping[str, list[str]]:
        """List the spaces"""
        found = await self._host.run(self._host.spaces)
        return {"spaces": [one for one in found if request.state.caller.grant.reaches(one)]}

    @page("PUT /v1/spaces/{space}", "home")
    async def make_space(self, request: Request, space: str) -> Document:
        """Create a space; does nothing if it exists"""
        known = await self._host.run(self._host.spaces)
        home = await self._host.call(space, lambda memory: memory.home)
        request.state.about |= {"space": space, "created": space not in known}
        return {"home": home, "space": space, "created": space not in known}

    @page("DELETE /v1/spaces/{space}", "home")
    async def delete_space(self, request: Request, space: str, dry_run: DryRun = False) -> Receipt:
        """Delete a space permanently, with all its files"""
        receipt = await self._host.run(lambda: self._host.delete(space, dry_run=dry_run))
        request.state.about |= {"space": space, "dry_run": dry_run, "receipt": receipt.id}
        return receipt

    @page("GET /v1/tokens", "home")
    async def tokens(self, request: Request) -> list[Document]:
        """List the tokens"""
        found = await self._host.run(lambda: tokens.read(self._host.root))
        return [_shown(one) for one in found]

    @page("POST /v1/tokens", "home", 201)
    async def add_token(
        self,
        request: Request,
        name: Annotated[str, Arg("name of the token", most=MAX_NAME)],
        spaces: Annotated[Sequence[str], Arg("only these spaces; all if omitted")] = (),
        agent: Annotated[str, Arg("act as this agent")] = "",
        chat: Annotated[
            Chat, Arg("group: others see the answers, so private memories are hidden")
        ] = "direct",
        rights: Annotated[
            Right, Arg("what it may do (write); metrics opens /metrics alone")
        ] = "write",
        relays: Annotated[bool, Arg("the agent hands on the user's own words")] = False,
        expires: Annotated[datetime | None, Arg("when it stops working; never if omitted")] = None,
    ) -> Document:
        """Create a token; from the first on, the servers of the home require one"""
        end = expires.astimezone().isoformat(timespec="seconds") if expires else ""
        wanted = Grant(name, tuple(spaces), agent, chat, rights, relays=relays, expires=end)
        now = datetime.now().astimezone()
        grant, token = await self._host.run(lambda: tokens.add(self._host.root, wanted, now))
        self._tokens_changed(request, name)
        return {"token": token, "grant": _shown(grant)}

    @page("DELETE /v1/tokens/{name}", "home")
    async def revoke_token(self, request: Request, name: str) -> Document:
        """Revoke a token; it stops working within a second"""
        gone = await self._host.run(lambda: tokens.revoke(self._host.root, name))
        self._tokens_changed(request, name)
        return _shown(gone)

    def _tokens_changed(self, request: Request, name: str) -> None:
        request.state.about["name"] = name
        if isinstance(self._door.grants, Grants):
            self._door.grants.renew()

    @page("GET /v1/me", "any")
    async def me(self, request: Request) -> Document:
        """Say what the token is good for"""
        caller: Caller = request.state.caller
        return {
            "name": caller.grant.name,  # `owner` for the server's own, empty where none is needed
            "rights": caller.grant.rights,
            "agent": caller.agent,
            "chat": caller.chat,
            "owns_all": caller.owns_all,
            "spaces": (await self.spaces(request))["spaces"],  # those that it reaches
            "version": loxodon.__version__,
            "home": self._host.home if caller.owns_all else "",
        }

    @page("GET /livez", "")
    async def livez(self, request: Request) -> Document:
        """Say that the process answers"""
        return {"status": "ok"}

    @page("GET /readyz", "")
    async def readyz(self, request: Request) -> Document:
        """Say whether the store can be reached"""
        return {"status": "ok" if await self._watch.ready() else "failing"}

    @page("GET /health", "")
    async def health(self, request: Request) -> Document:
        """Say whether all is well"""
        look = await self._watch.look()
        found = reasons(look, language_of(request))
        state = {"status": "failing" if found else "ok"}
        grant = granted(self._door, request.headers)
        if grant is None or not grant.may("owner") or grant.spaces:
            return state  # the names of spaces are not for everybody
        paused = [space for space, status in look.spaces.items() if status.paused]
        return {**state, "reasons": found, "paused": paused}

    @page("GET /metrics", "metrics")
    async def metrics(self, request: Request) -> str:
        """Numbers for Prometheus"""
        return self.counted.text(await self._watch.look(), self._host.waiting)


def _shown(grant: Grant) -> Document:
    return {name: value for name, value in grant._asdict().items() if name != "digest"}
