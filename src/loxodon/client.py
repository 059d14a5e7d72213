"""A memory that a server keeps, with the verbs of `Memory`.

    with Client("http://127.0.0.1:8710") as memory:
        memory.add([{"role": "user", "content": "我对花生过敏", "id": "m1"}], session="monday")
        print(memory.recall("花生").context)

It takes what `Memory` takes, returns the same values and raises the same errors. Of a recall or a
frame the trace comes only where it is asked for (`explain`), and numbers of people come as masks,
unless with `reveal`. Needs the extra `serve`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

import httpx

from loxodon import errors
from loxodon.errors import InputError, LoxodonError, StoreError
from loxodon.http.operations import Checked, Due, names_in, result_of
from loxodon.http.wire import plain, read
from loxodon.paging import BACKWARDS, MOST, Page
from loxodon.remote import RemoteAudit, RemoteMemory, RemoteSchedule, RemoteWorkspace
from loxodon.types import Chat, Pause
from loxodon.verbs import HISTORY, MOMENT_OR_NONE, TEXTS, TURNS, VERBS, Verb

TIMEOUT = 30.0  # seconds that an answer may take; what can take long has no limit
_ERRORS: dict[str, type[LoxodonError]] = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, LoxodonError)
}


class Client(RemoteMemory):
    """One space of a server. Use it as a context manager, from any thread."""

    def __init__(
        self,
        url: str,
        token: str = "",
        space: str = "main",
        *,
        timeout: float = TIMEOUT,
        agent: str = "",
        chat: Chat = "direct",
        relays: bool = False,
    ) -> None:
        """`agent`, `chat` and `relays` say as whom all is asked: see `Memory.within`."""
        headers = {b"authorization": f"Bearer {token}".encode()} if token else {}
        if agent:
            headers[b"x-loxodon-agent"] = agent.encode()
        if chat != "direct":
            headers[b"x-loxodon-chat"] = chat.encode()
        if relays:
            headers[b"x-loxodon-relays"] = b"user"
        self.space = space
        self.url = url.rstrip("/")
        try:
            # To read the certificates that a server is known by takes longer than most requests.
            verify = not self.url.startswith("http://")
            self._http = httpx.Client(
                headers=headers, timeout=timeout, trust_env=False, verify=verify
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise InputError("{url} is not a valid URL: {reason}", url=url, reason=error) from None
        self.workspace = RemoteWorkspace(self.do)
        self.schedule = RemoteSchedule(self.do)
        self.audit = RemoteAudit(self.do)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections. Closing twice is fine."""
        self._http.close()

    @property
    def paused(self) -> Pause | None:
        """The pause that is on; None where what is said is kept."""
        return self.status().paused

    def flush_due(self) -> str:
        """Why a flush is due; empty for not."""
        return str(self._asked(VERBS["consolidation_due"], {}).flush)

    def do(self, verb: Verb, given: dict[str, Any]) -> Any:
        """What a verb gives: what its method of `Memory` would."""
        found = self._asked(verb, given)
        if isinstance(found, Checked):
            return found.problems
        return found.consolidation if isinstance(found, Due) else found

    def _asked(self, verb: Verb, given: dict[str, Any]) -> Any:
        """What the server answers. What the path has comes first in `given`."""
        route = verb.routes[0]
        for other in verb.routes[1:]:  # one that stands for certain values, where they are given
            if other.fixed and other.fixed.items() <= given.items():
                route = other
        for name in {name for one in verb.routes for name in one.fixed or ()}:
            given.pop(name, None)
        path = route.path
        for part in names_in(path):
            path = path.replace(f"{{{part}}}", _part(given.pop(next(iter(given)))), 1)
        said, kind = _said(verb, given), result_of(verb)
        try:
            if verb.paged:
                return self._pages(verb.name, path, said, kind)
            data = self._ask(route.method, path, said, bool(route.long))
        except httpx.TransportError as error:
            raise StoreError(
                "cannot reach the server at {url}: {reason}",
                hint="start it with `loxodon serve`",
                url=self.url,
                reason=str(error) or type(error).__name__,
            ) from None
        return read(kind, data[verb.field] if verb.field else data)

    def _pages(self, name: str, path: str, said: dict[str, Any], kind: Any) -> Page[Any]:
        """As many pages as it takes to have what was asked for; without a limit, all."""
        wanted, found = said.pop("limit"), Page[Any]()
        while True:
            most = min(MOST, wanted - len(found)) if wanted else MOST
            data = self._ask("GET", path, {**said, "limit": most})
            items = read(kind, data["items"])
            at = 0 if name in BACKWARDS and not said.get("query") else len(found)
            found[at:at] = items
            found.next = said["cursor"] = data["next"]
            if not found.next or len(found) == wanted:
                return found

    def _ask(self, method: str, path: str, said: Mapping[str, Any], long: bool = False) -> Any:
        options: dict[str, Any] = {"json": said}
        if method == "GET":
            values = {k: json.dumps(v) if isinstance(v, bool) else v for k, v in said.items()}
            options = {"params": values}
        if long:
            options["timeout"] = None
        address = f"{self.url}/v1/spaces/{_part(self.space)}{path}"
        answer = self._http.request(method, address, **options)
        if answer.status_code >= 400:
            raise _error(answer.content, answer.status_code)
        return json.loads(answer.content)


def _part(text: str) -> str:
    """A part of a path, whatever characters it has."""
    return quote(text, safe="") or "%20"


def _said(verb: Verb, given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, as JSON has it. What is None is left out, unless that says something."""
    known = {one.name: one.kind for one in verb.takes}
    said: dict[str, Any] = {}
    for name, value in given.items():
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
    try:
        return _raised(json.loads(body)["error"], status)
    except (ValueError, KeyError, TypeError):  # what answers is no server of ours
        return StoreError("the server returned the status {status}", status=status)


def _raised(said: Mapping[str, Any], status: int) -> LoxodonError:
    """The error of the library that a server told of, in the server's words."""
    kind = _ERRORS.get(said["code"]) or (errors.UsageError if status < 500 else LoxodonError)
    words, help = "{message}", "{help}"
    problems = [
        (one["line"], InputError(words, hint=help, message=one["message"], help=one["hint"]))
        for one in said.get("problems", ())
    ]
    values = {"message": said["message"], "help": said["hint"]}
    return kind(words, hint=help, problems=problems, **values)
