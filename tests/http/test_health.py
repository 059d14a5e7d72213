"""Health and figures: what makes a server red, and what does not."""

from __future__ import annotations

from pathlib import Path

import httpx

from loxodon import Memory
from tests.cli.shell import Shell

from .server import Server, said


def red(http: httpx.Client) -> list[tuple[str, str]]:
    """Why the health is red, with the space; nothing where all is well."""
    answer = http.get("/health", headers={"accept-language": "zh"})
    found = answer.json()
    assert answer.status_code == (503 if found["reasons"] else 200)
    assert found["status"] == ("ok" if answer.status_code == 200 else "failing")
    return [(one["code"], one["space"]) for one in found["reasons"]]


def test_paused_and_busy_memory_is_healthy(tmp_path: Path) -> None:
    with Server(tmp_path / "home") as server, server.client() as http:
        turns = [said(f"message {n}", str(n)) for n in range(5)]
        http.post("/v1/spaces/main/turns", json={"turns": turns})
        http.post("/v1/spaces/a%22%5C/memories", json={"content": "I like tea"})
        http.post("/v1/spaces/main/pause", json={})
        http.post("/v1/spaces/main/recall", json={"query": 5})
        assert http.get("/health").json() == {"status": "ok", "reasons": [], "paused": ["main"]}
        for probe in ("/livez", "/readyz"):
            assert (http.get(probe).status_code, http.get(probe).json()) == (200, {"status": "ok"})
        text = http.get("/metrics").text
        for line in (
            "loxodon_up 1.0",
            "loxodon_runner_up 1.0",
            'loxodon_turns{space="main"} 5.0',
            'loxodon_pending_turns{space="main"} 5.0',
            'loxodon_paused{space="main"} 1.0',
            'loxodon_memories{space="a\\"\\\\",state="active"} 1.0',
            'loxodon_requests_total{operation="recall",status="400"} 1.0',
            'loxodon_request_seconds_bucket{le="+Inf",operation="recall"} 1.0',
            'loxodon_request_seconds_count{operation="recall"} 1.0',
        ):
            assert f"{line}\n" in text, line
        assert text.endswith("\n")


def test_settings_are_taken_up_and_spoilt_ones_make_it_red(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Server(home) as server, server.client() as http:

        def found(settings: str) -> int:
            (home / "config.toml").write_text(settings)
            return len(http.get("/v1/spaces/main/recall?query=tea").json()["items"])

        for n in range(3):
            http.post("/v1/spaces/main/memories", json={"content": f"tea {n}"})
        assert found("[recall]\ntop = 1\n") == 1
        assert found("[recall]\ntop = 'many'\n") == 1  # as before
        assert red(http) == [("settings", "")]
        assert found("") == 3


def test_damaged_space_and_failed_work_make_it_red(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    for space in ("broken", "lost"):
        with Memory.open(shell.home, space) as memory:
            memory.capture("something")
    (shell.home / "spaces" / "lost" / "loxodon.db").unlink()
    (shell.home / "spaces" / "broken" / "loxodon.db").write_bytes(b"no database at all" * 1000)
    for end in ("-wal", "-shm"):
        (shell.home / "spaces" / "broken" / f"loxodon.db{end}").unlink(missing_ok=True)
    for stray in ("empty", "Not Plain"):
        (shell.home / "spaces" / stray).mkdir()
    with Server(shell.home) as server, server.client() as http:
        assert sorted(http.get("/v1/spaces").json()["spaces"]) == ["broken", "lost", "main"]
        for space in ("broken", "lost"):  # it is not made anew
            answer = http.get(f"/v1/spaces/{space}/status")
            assert (answer.status_code, answer.json()["error"]["code"]) == (503, "damaged_store")
            written = http.post(f"/v1/spaces/{space}/memories", json={"content": "x"})
            assert written.status_code == 503
        assert sorted(red(http)) == [("store", "broken"), ("store", "lost")]
        assert "loxodon_up 0.0\n" in http.get("/metrics").text
