"""The files of the console, and how a page comes by its token."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from loxodon.serve.host import Host
from loxodon.serve.http.app import App
from loxodon.serve.http.console import Console, Exchange
from loxodon.serve.http.guard import Door

from .server import LOXODON, unscheduled

HOSTS = {"host": "127.0.0.1"}
PAGE = {**HOSTS, "accept": "text/html,*/*;q=0.8"}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    folder = tmp_path_factory.mktemp("console")
    dist = folder / "dist"
    (dist / "assets").mkdir(parents=True)
    (dist / "index.html").write_text("<!doctype html><title>console</title>")
    (dist / "apple-touch-icon.png").write_bytes(b"\x89PNG")
    (dist / "assets" / "index-BxK3a9_1.js").write_text("export {}")
    (folder / "secret").write_text("not served")
    host = Host(folder / "home")
    yield App(host, Door("right", own_names=True), console=Console(str(dist)))
    host.close()


def ask(app: App, method: str, path: str, **more: Any) -> httpx.Response:
    async def asked() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.request(method, path, **more)

    return asyncio.run(asked())


def test_a_browser_gets_the_page_without_a_token_and_a_program_the_document(app: App) -> None:
    page = ask(app, "GET", "/", headers=PAGE)
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    policy = page.headers["content-security-policy"].split("; ")
    for rule in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"):
        assert rule in policy
    assert "unsafe" not in page.headers["content-security-policy"]
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["cross-origin-opener-policy"] == "same-origin"
    assert page.headers["cross-origin-resource-policy"] == "same-origin"
    assert ask(app, "GET", "/", headers=HOSTS).status_code == 401
    token = {**HOSTS, "authorization": "Bearer right"}
    assert ask(app, "GET", "/", headers=token).json()["name"] == "loxodon"
    assert ask(app, "POST", "/", headers={**PAGE, **token}).status_code == 405


def test_a_file_with_a_hash_is_kept_for_ever_and_others_are_asked_about(app: App) -> None:
    script = ask(app, "GET", "/console/assets/index-BxK3a9_1.js", headers=HOSTS)
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "immutable" in script.headers["cache-control"]
    icon = ask(app, "GET", "/console/apple-touch-icon.png", headers=HOSTS)
    assert (icon.headers["content-type"], icon.content) == ("image/png", b"\x89PNG")
    assert icon.headers["cache-control"] == "no-cache"
    known = {**HOSTS, "if-none-match": f'"other", {icon.headers["etag"]}'}
    again = ask(app, "GET", "/console/apple-touch-icon.png", headers=known)
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path", ["/console/", "/console/nothing.js", "/console/../secret", "/console/..%2fsecret"]
)
def test_nothing_outside_the_folder_is_served(app: App, path: str) -> None:
    assert ask(app, "GET", path, headers=PAGE).status_code in (401, 404)


def test_a_page_of_elsewhere_gets_nothing(app: App) -> None:
    for headers in (
        {**PAGE, "host": "evil.example"},
        {**PAGE, "origin": "https://evil.example"},
        {**PAGE, "host": "evil.example", "authorization": "Bearer right"},
    ):
        for path in ("/", "/console/apple-touch-icon.png", "/v1/spaces/main/status"):
            assert ask(app, "GET", path, headers=headers).status_code == 403


def test_a_server_that_nobody_opened_a_link_to_exchanges_nothing(app: App) -> None:
    token = {**HOSTS, "authorization": "Bearer right"}
    sent = ask(app, "POST", "/v1/exchange", headers=token, json={"code": ""})
    assert sent.status_code == 404


def test_guessing_codes_is_slowed_down(tmp_path: Path) -> None:
    host = Host(tmp_path / "home")
    try:
        guessed = App(host, Door("right"), exchange=Exchange("code", "right"))
        said = [
            ask(guessed, "POST", "/v1/exchange", headers=HOSTS, json={"code": "x"}).status_code
            for _ in range(30)
        ]
        assert said[0] == 401
        assert said[-1] == 429
    finally:
        host.close()


def test_the_console_opens_with_a_code_that_works_once(tmp_path: Path) -> None:
    """`loxodon ui`, beside a server that has the home already."""
    home = tmp_path / "home"
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "LOXODON_HOME": str(home),
        "LANG": "C.UTF-8",
    }
    words = [LOXODON, "ui", "--json", "--port", "0", "--space", "小 家"]
    with (
        unscheduled(home),
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as run,
    ):
        assert run.stdout
        link = urllib.parse.urlsplit(json.loads(run.stdout.readline())["url"])
        given = dict(urllib.parse.parse_qsl(link.fragment))
        assert given["space"] == "小 家"
        with httpx.Client(base_url=f"http://{link.netloc}", trust_env=False) as http:
            assert http.get("/v1/me").status_code == 401
            assert http.post("/v1/exchange", json={"code": "wrong"}).status_code == 401
            token = http.post("/v1/exchange", json={"code": given["code"]}).json()["token"]
            again = http.post("/v1/exchange", json={"code": given["code"]})
            assert again.status_code == 401
            assert "loxodon ui" in again.json()["error"]["hint"]
            own = {"authorization": f"Bearer {token}"}
            me = http.get("/v1/me", headers=own).json()
            assert (me["rights"], me["owns_all"], me["spaces"]) == ("owner", True, ["小 家"])
            named = http.get("/v1/me", headers={**own, "host": "evil.example"})
            assert named.status_code == 403
            figures = http.get("/v1/server", headers=own).json()["operations"]
            assert figures["exchange"]["requests"] == 1
        run.send_signal(signal.SIGINT)
        rest, logged = run.communicate(timeout=60)
        assert run.returncode == 0
    for secret in (given["code"], token):
        assert secret.encode() not in rest + logged
