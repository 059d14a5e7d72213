"""Who is let in, as whom, how often, and from where."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from loxodon.client import Client
from loxodon.errors import ForbiddenError
from tests.cases import cases
from tests.cli.shell import Shell, typed
from tests.each import each
from tests.waiting import until

from .server import Server, said

GRANTS = {
    "owner": ["--rights", "owner"],
    "reader": ["--rights", "read"],
    "ada": ["--for", "ada"],
    "coder": ["--for", "ada", "--for-agent", "coder", "--rights", "owner"],
    "group": ["--for", "ada", "--chat", "group"],
}


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    return Shell(tmp_path_factory.mktemp("granted") / "home")


@pytest.fixture(scope="module")
def tokens(shell: Shell) -> dict[str, str]:
    return {name: shell.json("token", "add", name, *how)["token"] for name, how in GRANTS.items()}


@pytest.fixture(scope="module")
def granting(shell: Shell, tokens: dict[str, str]) -> Iterator[Server]:
    fresh = "from loxodon.http import health; health.KEPT_SECONDS = 0"
    with Server(shell.home, given=fresh) as running:
        yield running


def asked(server: Server, token: str, **headers: str) -> httpx.Client:
    return server.client(headers={"authorization": f"Bearer {token}", **headers})


def test_rights_and_spaces_of_tokens(granting: Server, tokens: dict[str, str]) -> None:
    body = {"turns": [said("hello", "1")]}
    with granting.client() as http:
        assert http.get("/v1/spaces").status_code == 401
        assert http.get("/health").json() == {"status": "ok"}
    with asked(granting, tokens["owner"]) as http:
        assert http.get("/v1/spaces").status_code == 200
        refused = http.get("/v1/spaces", headers={"x-loxodon-chat": "crowd"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad_input")
        http.headers["origin"] = "http://evil.example"
        told = http.get("/v1/spaces")
        assert told.status_code == 403
        assert "access-control-allow-origin" not in told.headers
    with asked(granting, tokens["ada"]) as http:
        assert http.post("/v1/spaces/ada/turns", json=body).status_code == 200
        assert http.post("/v1/spaces/bob/turns", json=body).status_code == 404
        assert http.get("/v1/spaces").json() == {"spaces": ["ada"]}
        assert http.post("/v1/spaces/ada/consolidate", json={}).status_code == 403
        assert http.put("/v1/spaces/new").status_code == 403
        assert http.get("/metrics").status_code == 403
    with asked(granting, tokens["reader"]) as http:
        assert http.delete("/v1/spaces/ada").status_code == 403
        assert http.get("/v1/spaces/ada/turns").status_code == 200
        assert http.post("/v1/spaces/ada/turns", json=body).status_code == 403
        assert http.post("/v1/spaces/ada/recall", json={"query": "hello"}).status_code == 200
        assert http.get("/v1/spaces/ada/memories?reveal=true").status_code == 403
    with asked(granting, tokens["coder"]) as http:  # an agent is never the owner of a space
        assert http.post("/v1/spaces/ada/validate", json={}).status_code == 403
        http.headers["x-loxodon-agent"] = "writer"
        assert http.get("/v1/spaces/ada/turns").status_code == 403


def test_agents_and_groups_by_header_and_by_token(granting: Server, tokens: dict[str, str]) -> None:
    with (
        Client(granting.url, tokens["coder"], "ada") as coder,
        Client(granting.url, tokens["owner"], "ada", agent="小秘") as other,
        Client(granting.url, tokens["group"], "ada") as group,
        Client(granting.url, tokens["owner"], "ada") as owner,
    ):
        coder.capture("the coder's")
        other.capture("the other's")
        group.capture("the group's", audience="group")
        assert {one.content for one in coder.list()} == {"the coder's", "the group's"}
        assert {one.content for one in other.list()} == {"the other's", "the group's"}
        assert {one.content for one in group.list()} == {"the group's"}
        assert len(owner.list()) == 3
        with pytest.raises(ForbiddenError):
            coder.consolidate()


def test_revoked_token_is_refused_at_once(granting: Server, shell: Shell) -> None:
    with asked(granting, shell.json("token", "add", "brief")["token"]) as http:
        assert http.get("/v1/spaces").status_code == 200
        shell("token", "revoke", "brief")
        assert http.get("/v1/spaces").status_code == 401


def test_tokens_are_listed_made_and_revoked_by_an_owner(
    granting: Server, tokens: dict[str, str]
) -> None:
    past, later = "2026-01-01T00:00:00Z", "2100-01-01T00:00:00+08:00"
    with asked(granting, tokens["ada"]) as http:
        for method, path in (("GET", "tokens"), ("POST", "tokens"), ("DELETE", "tokens/ada")):
            assert http.request(method, f"/v1/{path}").status_code == 403
    with asked(granting, tokens["owner"]) as owner:
        owner.put("/v1/spaces/ada")
        made = owner.post("/v1/tokens", json={"name": "new", "spaces": ["ada"], "expires": later})
        assert made.status_code == 201
        assert made.json()["grant"]["rights"] == "write"
        with asked(granting, made.json()["token"]) as http:
            assert http.get("/v1/me").json()["spaces"] == ["ada"]
            assert owner.delete("/v1/tokens/new").status_code == 200
            assert http.get("/v1/me").status_code == 401
        assert owner.delete("/v1/tokens/new").status_code == 404
        assert owner.post("/v1/tokens", json={"name": "ada"}).status_code == 400
        old = owner.post("/v1/tokens", json={"name": "old", "expires": past}).json()["token"]
        with asked(granting, old) as http:
            assert http.get("/v1/me").status_code == 401
        listed = owner.get("/v1/tokens")
        assert {one["name"] for one in listed.json()} == {*GRANTS, "old"}
        assert "digest" not in listed.text
        only = owner.post("/v1/tokens", json={"name": "prometheus", "rights": "metrics"}).json()
        with asked(granting, only["token"]) as http:
            until(lambda: 'loxodon_turns{space="ada"}' in http.get("/metrics").text)
            for path in ("/v1/me", "/v1/spaces", "/v1/spaces/ada/recall?query=x"):
                assert http.get(path).status_code == 403, path


def test_guessing_tokens_is_slowed_down(granting: Server, tokens: dict[str, str]) -> None:
    with asked(granting, "lox_wrong") as http:

        def slowed() -> str:
            answer = http.get("/v1/spaces")
            assert answer.status_code in (401, 429)
            return str(answer.headers.get("retry-after", ""))

        assert int(until(slowed)) >= 1
    with asked(granting, tokens["owner"]) as http:  # others need not wait
        assert http.get("/v1/spaces").status_code == 200


def test_rate_is_limited(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    shell("config", "serve.rate", "1")
    with Server(shell.home) as server, server.client() as http:
        assert http.get("/v1/spaces").status_code == 200
        until(lambda: http.get("/v1/spaces").status_code == 429)


@each(("host", "origin"), cases(__file__, "other_names_and_web_pages_of_elsewhere_are_refused"))
def test_other_names_and_web_pages_of_elsewhere_are_refused(
    http: httpx.Client, host: str, origin: str
) -> None:
    headers = {"host": host, **({"origin": origin} if origin else {})}
    for path in ("/health", "/v1/spaces"):
        answer = http.get(path, headers=headers)
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers


@each(("host", "origin"), cases(__file__, "this_machine_is_let_in"))
def test_this_machine_is_let_in(http: httpx.Client, host: str, origin: str) -> None:
    headers = {"host": host, **({"origin": origin} if origin else {})}
    assert http.get("/v1/spaces", headers=headers).status_code == 200


def test_beyond_this_machine_a_token_is_needed(tmp_path: Path) -> None:
    home = tmp_path / "home"

    def start(*words: str) -> str:
        done = typed("--home", str(home), "serve", *words, env={"HOME": str(tmp_path)})
        assert done.returncode == 2
        return done.stderr.decode()

    assert "no access token is set" in start("--host", "0.0.0.0", "--port", "0")
    assert "header" in start("--token", "a b", "--port", "0")
    start("--host", "no such host", "--port", "0")
    start("--port", "99999999")
    with Server(home, "--host", "0.0.0.0", LOXODON_TOKEN="opensesame") as server:
        at = f"http://127.0.0.1:{server.port}"
        with httpx.Client(base_url=at, trust_env=False, timeout=300) as http:
            for sent in ("", "Bearer wrong", "Basic opensesame", "opensesame", "Bearer ÿ"):
                http.headers["authorization"] = sent
                refused = http.get("/v1/spaces")
                assert refused.status_code == 401, sent
                assert refused.headers["www-authenticate"] == "Bearer"
            assert http.get("/metrics").status_code == 401
            assert http.get("/health").json() == {"status": "ok"}
            http.headers["authorization"] = "bearer opensesame"
            assert http.get("/v1/spaces").json() == {"spaces": ["main"]}
            named = {"host": "memory.example", "origin": "https://memory.example"}
            assert http.get("/v1/spaces", headers=named).status_code == 200
            named["origin"] = "https://evil.example"
            assert http.get("/v1/spaces", headers=named).status_code == 403
        assert "opensesame" not in json.dumps(server.lines)
