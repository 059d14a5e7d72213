"""The server as a process: its doors, its logs, and that it can be ended at any moment."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import httpx

from loxodon import Memory
from tests.serve.shell import typed
from tests.waiting import until

from .server import LOXODON, Server


def test_it_stops_when_told_to_and_says_nothing_of_what_was_said(tmp_path: Path) -> None:
    with Server(tmp_path / "home") as server, server.client() as http:
        secret = "the-word-that-nobody-may-log"
        http.post("/v1/spaces/main/memories", json={"content": secret, "tags": [secret]})
        http.post("/v1/spaces/main/recall", json={"query": secret})
        http.post("/v1/spaces/main/context", json={"message": secret})
        http.post("/v1/spaces/main/memories", json={"content": secret, secret: 1})
        http.get(f"/v1/spaces/main/memories/{secret}")
        assert server.stop() == 0
        assert secret not in json.dumps(server.lines)
        done = {line["event"]: line for line in server.lines}
        assert done["recall"]["space"] == "main"
        assert done["recall"]["items"] == 1
        assert done["recall"]["ids"][0].startswith("f_")
        assert done["recall"]["ms"] > 0
        assert done["capture"]["code"] == "bad_input"
        assert done["get"]["status"] == 404


def test_what_was_said_becomes_known_by_itself(tmp_path: Path) -> None:
    with Server(tmp_path / "home", scheduled=True) as server, server.client() as http:
        said = {
            "role": "user",
            "content": "My sister Ada lives in Leeds.",
            "id": "1",
            "at": "2026-02-04T10:00:00Z",
        }
        http.post("/v1/spaces/main/turns", json={"turns": [said]})
        until(
            lambda: any(
                job["counts"].get("added") for job in http.get("/v1/spaces/main/schedule").json()
            )
        )
        assert http.get("/v1/spaces/main/entities/Ada").status_code == 200


def test_beyond_this_machine_it_needs_a_token(tmp_path: Path) -> None:
    def start(*words: str) -> subprocess.CompletedProcess[bytes]:
        home = str(tmp_path / "home")
        return typed("--home", home, "serve", *words, env={"HOME": str(tmp_path)})

    refused = start("--host", "0.0.0.0", "--port", "0")
    assert refused.returncode == 2
    assert b"no access token is set" in refused.stderr
    assert start("--host", "no such host", "--port", "0").returncode == 2
    assert start("--port", "99999999").returncode == 2


def test_with_a_token_only_who_has_it_is_answered(tmp_path: Path) -> None:
    with (
        Server(tmp_path / "home", "--host", "0.0.0.0", LOXODON_TOKEN="opensesame") as server,
        httpx.Client(
            base_url=f"http://127.0.0.1:{server.port}", trust_env=False, timeout=60
        ) as http,
    ):
        refused = http.get("/v1/spaces")
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == "Bearer"
        assert http.get("/metrics").status_code == 401
        assert http.get("/health").json() == {"status": "ok"}
        http.headers["authorization"] = "Bearer opensesame"
        assert http.get("/v1/spaces").json() == {"spaces": ["main"]}
        # Who is elsewhere has no business with the files of this machine.
        taken = http.post("/v1/spaces/main/workspace/import", json={"path": "/etc"})
        assert taken.status_code == 403
        written = http.post("/v1/spaces/main/workspace/export", json={"folder": "/tmp/x"})
        assert written.status_code == 403
        assert http.post("/v1/spaces/main/workspace/export", json={}).status_code == 200


def test_two_servers_share_a_home_but_not_a_port(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Server(home) as first, first.client() as one:
        taken = subprocess.run(
            [LOXODON, "--home", str(home), "serve", "--port", str(first.port)],
            capture_output=True,
            timeout=60,
            env={"PATH": os.environ["PATH"], "LANG": "zh_CN.UTF-8"},
        )
        assert taken.returncode == 2
        assert "已被占用" in taken.stderr.decode()
        with Server(home) as second, second.client() as two:
            for n in range(20):
                said = {"role": "user", "content": f"number {n}", "id": str(n)}
                for http in (one, two):
                    answer = http.post("/v1/spaces/main/turns", json={"turns": [said]})
                    assert answer.status_code == 200
            assert len(two.get("/v1/spaces/main/turns").json()["items"]) == 20
            assert one.get("/v1/spaces/main/status").json()["turns"] == 20


def test_a_kill_at_any_moment_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    home = tmp_path / "home"
    acknowledged: list[str] = []
    with Server(home) as server, server.client() as http:
        enough = Event()

        def talk() -> None:
            try:
                for n in range(10_000):
                    said = {"role": "user", "content": f"turn {n}", "id": f"m{n}"}
                    http.post("/v1/spaces/main/turns", json={"turns": [said]})
                    acknowledged.append(f"m{n}")
                    if n == 25:
                        enough.set()
            except httpx.HTTPError:
                pass

        talking = Thread(target=talk)
        talking.start()
        assert enough.wait(60)
        server.kill()
        talking.join(60)
    with Memory.open(home) as memory:
        kept = {turn.id for turn in memory.journal()}
        assert set(acknowledged) <= kept
        assert len(kept) <= len(acknowledged) + 1
        assert memory.validate() == []
    with Server(home) as server, server.client() as http:  # and it starts again
        assert http.get("/v1/spaces/main/status").json()["turns"] == len(kept)


def test_clients_that_vanish_leave_nothing_behind(tmp_path: Path) -> None:
    with Server(tmp_path / "home") as server, server.client() as http:
        turns = [
            {"role": "user", "content": f"Ada said {n} things", "id": str(n)} for n in range(300)
        ]
        http.post("/v1/spaces/main/turns", json={"turns": turns})
        lines = (
            "POST /v1/spaces/main/{path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n"
            "Content-Type: application/json\r\nContent-Length: {size}\r\n\r\n{body}"
        )
        asked = [
            lines.format(path="recall", accept="*/*", size=14, body='{"query":"Ada"}'[:14]),
            lines.format(path="recall", accept="*/*", size=15, body='{"query":"Ada"}'),
            lines.format(path="consolidate", accept="application/x-ndjson", size=2, body="{}"),
            lines.format(path="validate", accept="application/x-ndjson", size=2, body="{}"),
            lines.format(path="turns", accept="*/*", size=900, body='{"turns": ['),
            lines.format(path="rebuild-index", accept="*/*", size=0, body=""),
        ]
        for text in asked:
            with socket.create_connection(("127.0.0.1", server.port)) as wire:
                wire.sendall(text.encode())
        # The consolidation goes on by itself: asking for it again waits for the end of it.
        assert http.post("/v1/spaces/main/consolidate", json={}, timeout=60).status_code == 200
        assert http.get("/v1/spaces/main/status").json()["pending"] == 0
        assert http.post("/v1/spaces/main/validate").json()["ok"]
        assert not [line for line in server.lines if line["event"] in ("defect", "server")]
        assert "\nloxodon_requests_running 1\n" in http.get("/metrics").text


def test_a_stop_in_the_middle_of_long_work_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Server(home) as server, server.client() as http:
        turns = [
            {
                "role": "user",
                "content": f"My colleague {n} lives in Leeds and likes tea.",
                "id": str(n),
            }
            for n in range(1500)
        ]
        http.post("/v1/spaces/main/turns", json={"turns": turns})
        headers = {"accept": "application/x-ndjson"}
        with http.stream("POST", "/v1/spaces/main/consolidate", headers=headers) as answer:
            lines = answer.iter_lines()
            next(lines)
            server.process.send_signal(signal.SIGTERM)
            last = json.loads([*lines][-1])
        assert last["error"]["message"] == "the operation was cancelled"
        assert server.stop() == 0
    with Memory.open(home) as memory:
        assert memory.validate() == []
        assert memory.status().turns == 1500


def test_ctrl_c_is_no_failure(tmp_path: Path) -> None:
    with Server(tmp_path / "home") as server:
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(60) == 0


def test_work_that_hangs_does_not_keep_it_from_stopping(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as silent:  # a model that never answers
        port = silent.getsockname()[1]
        (home / "config.toml").write_text(
            f'[model]\nbase_url = "http://127.0.0.1:{port}/v1"\nname = "m"\nextraction = "full"\n'
        )
        with Server(home) as server, server.client() as http:
            said = {"role": "user", "content": "My sister Ada lives in Leeds.", "id": "1"}
            http.post("/v1/spaces/main/turns", json={"turns": [said]})
            asking = Thread(target=_ignoring_errors, args=(server, "/v1/spaces/main/flush"))
            asking.start()
            silent.accept()[0].close()  # it has been asked, and asks again
            assert http.get("/v1/spaces/main/recall?query=Ada").json()["items"]
            assert server.stop() == 0
            asking.join(60)
    with Memory.open(home, config={}) as memory:
        memory.flush()
        assert memory.status().pending == 0
        assert memory.list(entity="Ada")


def _ignoring_errors(server: Server, path: str) -> None:
    with server.client() as http, suppress(httpx.HTTPError):
        http.post(path, timeout=60)


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['uvicorn'] = None; "
        "from loxodon.serve.cli import main; sys.exit(main(['serve']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        timeout=60,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
    )
    assert done.returncode == 6
    assert b'[serve]"' in done.stderr


def test_with_the_engine_off_plain_files_answer(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Server(home, LOXODON_ENABLED="false") as server, server.client() as http:
        made = http.post("/v1/spaces/main/memories", json={"content": "I like oolong tea"})
        assert made.status_code == 201
        assert http.get("/v1/spaces/main/recall?query=tea").json()["items"]
        off = http.get("/v1/spaces/main/memories")
        assert off.status_code == 503
        assert off.json()["error"]["code"] == "config"
        assert http.get("/health").status_code == 200
    with Memory.open(home) as memory:  # on again
        assert [one.content for one in memory.list()] == ["I like oolong tea"]
