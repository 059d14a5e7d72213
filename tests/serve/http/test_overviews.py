"""What pages for people show, over HTTP: masked like everything else, and cut into pages."""

from __future__ import annotations

import httpx
import pytest

NUMBER = "110101199003078515"
"""An identity number that nobody has."""


@pytest.fixture(scope="module")
def id(server: object) -> str:
    with server.client() as http:  # type: ignore[attr-defined]
        turns = [{"role": "user", "content": f"我的身份证号是{NUMBER}", "id": "m1"}]
        http.post("/v1/spaces/looked/turns", json={"turns": turns, "session": "monday"})
        content = f"小美的身份证号是{NUMBER}"
        kept = {"content": content, "entities": ["小美"], "tags": [NUMBER]}
        made = http.post("/v1/spaces/looked/memories", json=kept).json()
        return str(made["id"])


@pytest.mark.parametrize("path", ["today", "timeline", "memories/{id}/related"])
def test_numbers_of_people_are_masked_unless_the_owner_asks(
    http: httpx.Client, id: str, path: str
) -> None:
    base = f"/v1/spaces/looked/{path.format(id=id)}"
    shown = http.get(base)
    assert shown.status_code == 200
    assert "身份证" in shown.text
    assert NUMBER not in shown.text
    assert NUMBER in http.get(base, params={"reveal": "true"}).text


def test_what_has_no_way_to_reveal_never_shows_them(http: httpx.Client, id: str) -> None:
    base = "/v1/spaces/looked"
    assert "小美" in http.get(f"{base}/graph").text
    labels = http.get(f"{base}/labels")
    assert labels.json()["tags"][0]["memories"] == 1
    assert NUMBER not in labels.text
    curve = http.get(f"{base}/memories/{id}/strength", params={"days": 10}).json()
    assert curve["points"][-1]["at"] > curve["now"]


def test_the_timeline_is_walked_page_by_page(http: httpx.Client) -> None:
    base = "/v1/spaces/walked"
    turns = [{"role": "user", "content": f"message {n}", "id": f"m{n}"} for n in range(5)]
    http.post(f"{base}/turns", json={"turns": turns, "session": "monday"})
    seen, cursor = [], ""
    while True:
        given = {"limit": "2", **({"cursor": cursor} if cursor else {})}
        page = http.get(f"{base}/timeline", params=given).json()
        seen += [one["turn"]["id"] for one in page["items"]]
        if not page["next"]:
            break
        cursor = page["next"]
    assert seen == ["m4", "m3", "m2", "m1", "m0"]


def test_settings_and_backups_are_the_owners(http: httpx.Client) -> None:
    base = "/v1/spaces/walked"
    http.put(base)
    names = [one["name"] for one in http.get(f"{base}/settings").json()]
    assert "recall.top" in names
    http.post(f"{base}/backup")
    (backup,) = http.get(f"{base}/backups").json()
    assert backup["size"] > 0
    walled = {"x-loxodon-agent": "coder"}
    for path in ("settings", "backups"):
        assert http.get(f"{base}/{path}", headers=walled).status_code == 403
