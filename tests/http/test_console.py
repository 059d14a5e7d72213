"""The files of the console, and how a page comes by its token."""

from __future__ import annotations

import json
import signal
import subprocess
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from loxodon import Memory
from tests.waiting import until

from .server import INHERITED, LOXODON, Server, unscheduled

PAGE = {"accept": "text/html,*/*;q=0.8"}
TOKEN = {"authorization": "Bearer right"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    home = tmp_path_factory.mktemp("console") / "home"
    with Server(home, LOXODON_TOKEN="right") as server, server.client() as client:
        yield client


def test_browser_gets_the_page_without_a_token(guarded: httpx.Client) -> None:
    page = guarded.get("/", headers=PAGE)
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    policy = page.headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= set(policy)
    assert "unsafe" not in page.headers["content-security-policy"]
    for name, value in {
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }.items():
        assert page.headers[name] == value
    assert guarded.post("/", headers={**PAGE, **TOKEN}).status_code == 405


@pytest.mark.parametrize("path", ["", "nothing.js", "../../app.py", "..%2f..%2fhttp%2fapp.py"])
def test_nothing_outside_the_folder_is_served(guarded: httpx.Client, path: str) -> None:
    assert guarded.get(f"/console/{path}", headers=PAGE).status_code in (401, 404)


def test_server_without_a_link_exchanges_nothing(guarded: httpx.Client) -> None:
    sent = guarded.post("/v1/exchange", headers=TOKEN, json={"code": ""})
    assert sent.status_code == 404


@pytest.mark.parametrize(("space", "there"), [("main", []), ("小 家", ["小 家"])])
def test_console_opens_with_a_code_once(tmp_path: Path, space: str, there: list[str]) -> None:
    """`loxodon ui`, beside a server that has the home already; it makes no space."""
    home = tmp_path / "home"
    for name in there:
        Memory.open(home, name).close()
    env = {**INHERITED, "HOME": str(tmp_path), "LOXODON_HOME": str(home), "LANG": "C.UTF-8"}
    words = [LOXODON, "ui", "--json", "--port", "0", "--space", space]
    pipe = subprocess.PIPE
    with unscheduled(home), subprocess.Popen(words, stdout=pipe, stderr=pipe, env=env) as run:
        assert run.stdout
        link = urllib.parse.urlsplit(json.loads(run.stdout.readline())["url"])
        given = dict(urllib.parse.parse_qsl(link.fragment))
        assert given["space"] == space
        with httpx.Client(base_url=f"http://{link.netloc}", trust_env=False) as http:

            def exchanged(code: str) -> httpx.Response:
                return http.post("/v1/exchange", json={"code": code})

            assert http.get("/v1/me").status_code == exchanged("wrong").status_code == 401
            token = exchanged(given["code"]).json()["token"]
            again = exchanged(given["code"])
            assert again.status_code == 401
            assert "loxodon ui" in again.json()["error"]["hint"]
            own = {"authorization": f"Bearer {token}"}
            me = http.get("/v1/me", headers=own).json()
            assert (me["rights"], me["owns_all"], me["spaces"]) == ("owner", True, there)
            for more in ({"host": "evil.example"}, {"origin": "https://evil.example"}):
                for path in ("/", "/v1/me", "/console/LICENSES.txt"):
                    named = http.get(path, headers={**own, **PAGE, **more})
                    assert named.status_code == 403
            until(lambda: exchanged("guess").status_code == 429)
        run.send_signal(signal.SIGINT)
        rest, logged = run.communicate(timeout=300)
        assert run.returncode == 0
    for secret in (given["code"], token):
        assert secret.encode() not in rest + logged
