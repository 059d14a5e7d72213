"""The server as a process: its logs, its settings, and that it can be ended at any moment."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import httpx
import pytest

from loxodon import Memory
from tests.forked import COLD
from tests.waiting import PATIENCE, until

from .server import INHERITED, LOXODON, Server, said

MAIN = "/v1/spaces/main"


def test_log_says_nothing_of_what_was_said(tmp_path: Path) -> None:
    with Server(tmp_path / "home") as server, server.client() as http:
        secret = "the-word-that-nobody-may-log"
        http.post(f"{MAIN}/memories", json={"content": secret, "tags": [secret]})
        http.post(f"{MAIN}/recall", json={"query": secret})
        http.post(f"{MAIN}/context", json={"message": secret})
        http.post(f"{MAIN}/memories", json={"content": secret, secret: 1})
        http.get(f"{MAIN}/memories/{secret}")
        assert server.stop() == 0
        assert secret not in json.dumps(server.lines)
        done = {line["event"]: line for line in server.lines}
        assert (done["recall"]["space"], done["recall"]["ms"] > 0) == ("main", True)
        assert done["capture"]["code"] == "bad_input"
        assert done["get"]["status"] == 404


def test_two_servers_share_a_home_but_not_a_port(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Server(home) as first, first.client() as one:
        words = [LOXODON, "--home", str(home), "serve", "--port", str(first.port)]
        env = {**INHERITED, "LANG": "zh_CN.UTF-8"}
        taken = subprocess.run(words, capture_output=True, timeout=300, env=env)
        assert taken.returncode == 2
        assert "无法监听" in taken.stderr.decode()
        with Server(home) as second, second.client() as two:
            for n in range(20):
                turns = {"turns": [said(f"number {n}", str(n))]}
                assert all(
                    http.post(f"{MAIN}/turns", json=turns).status_code == 200 for http in (one, two)
                )
            assert len(two.get(f"{MAIN}/turns").json()["items"]) == 20
            assert one.get(f"{MAIN}/status").json()["turns"] == 20


def test_kill_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    home = tmp_path / "home"
    acknowledged: list[str] = []
    with Server(home) as server, server.client() as http:
        enough = Event()

        def talk() -> None:
            with suppress(httpx.HTTPError):
                for n in range(10_000):
                    http.post(f"{MAIN}/turns", json={"turns": [said(f"turn {n}", f"m{n}")]})
                    acknowledged.append(f"m{n}")
                    if n == 25:
                        enough.set()

        talking = Thread(target=talk)
        talking.start()
        assert enough.wait(300)
        server.kill()
        talking.join(PATIENCE)
    with Memory.open(home) as memory:
        kept = {turn.id for turn in memory.journal()}
        assert set(acknowledged) <= kept
        assert len(kept) <= len(acknowledged) + 1
        assert memory.validate() == []
    with Server(home) as server, server.client() as http:  # and it starts again
        assert http.get(f"{MAIN}/status").json()["turns"] == len(kept)


def test_clients_that_vanish_leave_nothing_behind(tmp_path: Path) -> None:
    asked = [
        ("recall", 14, '{"query":"Ada"'),
        ("recall", 15, '{"query":"Ada"}'),
        ("consolidate", 2, "{}"),
        ("validate", 2, "{}"),
        ("turns", 900, '{"turns": ['),
        ("rebuild-index", 0, ""),
    ]
    with Server(tmp_path / "home") as server, server.client() as http:
        turns = [said(f"Ada said {n} things", str(n)) for n in range(300)]
        http.post(f"{MAIN}/turns", json={"turns": turns})
        for path, size, body in asked:
            with socket.create_connection(("127.0.0.1", server.port)) as wire:
                head = (
                    f"POST {MAIN}/{path} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
                )
                wire.sendall((head + body).encode())
        # The consolidation goes on by itself: asking for it again waits for the end of it.
        assert http.post(f"{MAIN}/consolidate", json={}, timeout=300).status_code == 200
        assert http.get(f"{MAIN}/status").json()["pending"] == 0
        assert http.post(f"{MAIN}/validate").json()["ok"]
        assert not [line for line in server.lines if line["event"] in ("defect", "server")]
        until(lambda: "\nloxodon_requests_running 1.0\n" in http.get("/metrics").text)


def test_stop_in_the_middle_of_long_work_loses_nothing(tmp_path: Path) -> None:
    home, told = tmp_path / "home", list[httpx.Response]()
    with Server(home) as server, server.client() as http:
        text = "My colleague {} lives in Leeds and likes tea."
        turns = [said(text.format(n % 9), str(n)) for n in range(300)]  # in many small steps
        http.post(f"{MAIN}/turns", json={"turns": turns})

        def consolidate() -> None:
            with server.client() as other:
                told.append(other.post(f"{MAIN}/consolidate"))

        asking = Thread(target=consolidate)
        with Memory.open(home) as memory, memory._store.writing():  # for which the work waits
            asking.start()
            until(lambda: "\nloxodon_requests_running 2.0\n" in http.get("/metrics").text)
            server.process.send_signal(signal.SIGTERM)
            with pytest.raises(httpx.TransportError):  # it takes no more requests
                until(lambda: http.get("/livez").is_error)
        assert server.process.wait(300) == 0
        asking.join(PATIENCE)
        assert told[0].json()["error"]["message"] == "the operation was cancelled"
    with Memory.open(home) as memory:
        assert memory.validate() == []
        assert memory.status().turns == 300


def test_ctrl_c_is_no_failure(tmp_path: Path) -> None:
    with Server(tmp_path / "home") as server:
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(300) == 0


def test_work_that_hangs_blocks_neither_recall_nor_stopping(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as silent:  # a model that never answers
        port = silent.getsockname()[1]
        (home / "config.toml").write_text(
            f'[model]\nbase_url = "http://127.0.0.1:{port}/v1"\nname = "m"\nextraction = "full"\n'
        )
        soon = "from loxodon.http import server; server.GRACE_SECONDS = 1"
        with Server(home, given=soon) as server, server.client() as http:

            def flush() -> None:
                with server.client() as other, suppress(httpx.HTTPError):
                    other.post(f"{MAIN}/flush", timeout=300)

            turns = [said("My sister Ada lives in Leeds.", "1")]
            http.post(f"{MAIN}/turns", json={"turns": turns})
            asking = Thread(target=flush)
            asking.start()
            silent.accept()[0].close()  # it has been asked, and asks again
            assert http.get(f"{MAIN}/recall?query=Ada").json()["items"]
            assert server.stop() == 0
            asking.join(PATIENCE)
    with Memory.open(home, config={}) as memory:
        memory.flush()
        assert memory.status().pending == 0
        assert memory.list(entity="Ada")


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['uvicorn'] = None; sys.argv[1:] = ['serve']; "
        "import runpy; runpy.run_module('loxodon', run_name='__main__')"
    )
    env = {**INHERITED, "HOME": str(tmp_path)}
    done = subprocess.run([*COLD, "-c", code], capture_output=True, timeout=300, env=env)
    assert done.returncode == 6
    assert b'[serve]"' in done.stderr


def test_with_the_engine_off_plain_files_answer(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Server(home, LOXODON_ENABLED="false") as server, server.client() as http:
        for space in ("main", "%E5%BC%A0%E4%B8%89"):
            made = http.post(f"/v1/spaces/{space}/memories", json={"content": "I like oolong tea"})
            assert made.status_code == 201
        assert http.get(f"{MAIN}/recall?query=tea").json()["items"]
        assert sorted(http.get("/v1/spaces").json()["spaces"]) == ["main", "张三"]
        off = http.get(f"{MAIN}/memories")
        assert (off.status_code, off.json()["error"]["code"]) == (503, "config")
        assert http.get("/health").status_code == 200
    with Server(home) as server, server.client() as http:  # on again
        assert sorted(http.get("/v1/spaces").json()["spaces"]) == ["main", "张三"]
        listed = http.get("/v1/spaces/%E5%BC%A0%E4%B8%89/memories").json()["items"]
        assert [one["content"] for one in listed] == ["I like oolong tea"]
