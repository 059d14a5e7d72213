"""A memory that a server keeps, with the verbs of `Memory`.

    with Client("http://127.0.0.1:8710") as memory:
        memory.add([{"role": "user", "content": "我对花生过敏", "id": "m1"}], session="monday")
        print(memory.recall("花生").context)

It takes what `Memory` takes, returns the same values and raises the same errors. A trace comes only
with `explain`, and numbers of people come as masks, unless with `reveal`. Needs the extra `serve`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from inspect import signature
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import httpx

from loxodon import errors
from loxodon.errors import InputError, LoxodonError, StoreError
from loxodon.http.operations import Checked, Due, names_in, result_of
from loxodon.http.wire import plain, read
from loxodon.memory import VERBS
from loxodon.paging import BACKWARDS, MOST, Page
from loxodon.types import Chat
from loxodon.verbs import HISTORY, MOMENT_OR_NONE, TEXTS, TURNS, Verb

_OFFERED = {name: verb for name, verb in VERBS.items() if verb.routes}
_ERRORS: dict[str, type[LoxodonError]] = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, LoxodonError)
}


class Client:
    """One space of a server. Use it as a context manager, from any thread."""

    def __init__(
        self,
        url: str,
        token: str = "",
        space: str = "main",
        *,
        timeout: float = 30,
        agent: str = "",
        chat: Chat = "direct",
        relays: bool = False,
    ) -> None:
        """`timeout`, in seconds, is not for what can take long. The rest: see `Memory.within`."""
        said = {
            "authorization": f"Bearer {token}" if token else "",
            "x-loxodon-agent": agent,
            "x-loxodon-chat": "" if chat == "direct" else chat,
            "x-loxodon-relays": "user" if relays else "",
        }
        headers = {name.encode(): value.encode() for name, value in said.items() if value}
        self.space, self.url = space, url.rstrip("/")
        # To read the certificates that a server is known by takes longer than most requests.
        verify = not self.url.startswith("http://")
        self._http = httpx.Client(headers=headers, timeout=timeout, trust_env=False, verify=verify)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections. Closing twice is fine."""
        self._http.close()

    def __getattr__(self, name: str) -> Any:
        """A verb, as a method that asks the server; or what has more of them (`workspace`)."""
        if name in _OFFERED:
            return partial(self._do, _OFFERED[name])
        inner = {of[len(name) + 1 :]: _OFFERED[of] for of in _OFFERED if of.startswith(f"{name}.")}
        if not inner:
            raise AttributeError(name)
        return SimpleNamespace(**{of: partial(self._do, one) for of, one in inner.items()})

    def _do(self, verb: Verb, /, *args: Any, **named: Any) -> Any:
        takes = signature(verb.call)
        only = {"reveal", "explain"} & named.keys() - takes.parameters.keys()  # of a server
        more = {name: named.pop(name) for name in only}
        _, *bound = takes.bind(self, *args, **named).arguments.items()
        given = {**dict(bound), **more}  # what the path has comes first
        if "limit" in takes.parameters:  # a server has another
            given.setdefault("limit", takes.parameters["limit"].default)
        for some in ("changes", "labels", "where"):
            given |= given.pop(some, {})
        route, *more_specific = verb.routes  # which stand for certain values, where they are given
        for other in more_specific:
            if other.fixed and other.fixed.items() <= given.items():
                route = other
            given = {name: value for name, value in given.items() if name not in other.fixed}
        path = f"{self.url}/v1/spaces/{_part(self.space)}{route.path}"
        for part in names_in(route.path):
            path = path.replace(f"{{{part}}}", _part(given.pop(next(iter(given)))), 1)
        said, kind = _said(verb, given), result_of(verb)
        if verb.paged:
            return self._pages(verb.name, path, said, kind)
        data = self._ask(route.method, path, said, route.long)
        found = read(kind, data[verb.field] if verb.field else data)
        if isinstance(found, Checked):
            return found.problems
        return found.consolidation if isinstance(found, Due) else found

    def _pages(self, name: str, path: str, said: dict[str, Any], kind: Any) -> Page[Any]:
        """As many pages as it takes to have what was asked for; without a limit, all."""
        wanted, found = said.pop("limit"), Page[Any]()
        while True:
            most = min(MOST, wanted - len(found)) if wanted else MOST
            data = self._ask("GET", path, {**said, "limit": most})
            at = 0 if name in BACKWARDS and not said.get("query") else len(found)
            found[at:at] = read(kind, data["items"])
            found.next = said["cursor"] = data["next"]
            if not found.next or len(found) == wanted:
                return found

    def _ask(self, method: str, path: str, said: dict[str, Any], long: bool = False) -> Any:
        options: dict[str, Any] = {"params" if method == "GET" else "json": said}
        if long:
            options["timeout"] = None
        try:
            answer = self._http.request(method, path, **options)
        except (httpx.TransportError, httpx.InvalidURL) as error:
            message, why = "cannot reach the server at {url}: {reason}", str(error)
            hint, why = "start it with `loxodon serve`", why or type(error).__name__
            raise StoreError(message, hint=hint, url=self.url, reason=why) from None
        if answer.status_code >= 400:
            raise _error(answer.content, answer.status_code)
        return json.loads(answer.content)


def _part(text: str) -> str:
    return quote(text, safe="") or "%20"


def _said(verb: Verb, given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, as JSON has it. What is None is left out, unless that says something."""
    known = {one.name: one.kind for one in verb.takes}
    said: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            raise TypeError(f"{verb.name} has no {name} over HTTP")
        kind = known[name]
        if value is None and isinstance(kind, tuple) and "all" in kind:
            value = "all"
        if kind in (TEXTS, TURNS, HISTORY) and isinstance(value, Iterable):
            said[name] = [plain(dict(one) if isinstance(one, Mapping) else one) for one in value]
        elif isinstance(value, datetime):  # to the microsecond: it may be the end of a range
            said[name] = value.isoformat()
        elif value is not None or kind == MOMENT_OR_NONE:
            said[name] = plain(value)
    return said


def _error(body: bytes, status: int) -> LoxodonError:
    def told(kind: type[LoxodonError], said: Mapping[str, Any], problems: Any = ()) -> LoxodonError:
        words: dict[str, Any] = {"message": said["message"], "help": said["hint"]}
        return kind("{message}", problems=problems, **words | {"hint": "{help}"})

    try:
        said = json.loads(body)["error"]
        kind = _ERRORS.get(said["code"]) or (errors.UsageError if status < 500 else LoxodonError)
        problems = [(one["line"], told(InputError, one)) for one in said.get("problems", ())]
        return told(kind, said, problems)
    except (ValueError, KeyError, TypeError):  # what answers is no server of ours
        return StoreError("the server returned the status {status}", status=status)
