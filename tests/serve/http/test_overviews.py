"""What pages for people show, over HTTP: masked like everything else, and cut into pages."""

from __future__ import annotations

import httpx

from .server import said

NUMBER = "110101199003078515"
"""An identity number that nobody has."""


def test_numbers_of_people_are_masked_unless_the_owner_asks(http: httpx.Client) -> None:
    base = "/v1/spaces/looked"
    turns = [said(f"我的身份证号是{NUMBER}", "m1")]
    http.post(f"{base}/turns", json={"turns": turns, "session": "monday"})
    kept = {"content": f"小美的身份证号是{NUMBER}", "entities": ["小美"], "tags": [NUMBER]}
    id = http.post(f"{base}/memories", json=kept).json()["id"]
    for path in ("today", "timeline", f"memories/{id}/related"):
        shown = http.get(f"{base}/{path}")
        assert shown.status_code == 200
        assert "身份证" in shown.text
        assert NUMBER not in shown.text
        assert NUMBER in http.get(f"{base}/{path}", params={"reveal": "true"}).text
    assert "小美" in http.get(f"{base}/graph").text
    labels = http.get(f"{base}/labels")
    assert labels.json()["tags"][0]["memories"] == 1
    assert NUMBER not in labels.text
    curve = http.get(f"{base}/memories/{id}/strength", params={"days": 10}).json()
    assert curve["points"][-1]["at"] > curve["now"]


def test_timeline_is_walked_page_by_page(http: httpx.Client) -> None:
    base = "/v1/spaces/walked"
    turns = [said(f"message {n}", f"m{n}") for n in range(5)]
    http.post(f"{base}/turns", json={"turns": turns, "session": "monday"})
    seen: list[str] = []
    given: dict[str, str] = {"limit": "2"}
    while True:
        page = http.get(f"{base}/timeline", params=given).json()
        seen += [one["turn"]["id"] for one in page["items"]]
        if not page["next"]:
            break
        given["cursor"] = page["next"]
    assert seen == ["m4", "m3", "m2", "m1", "m0"]


def test_settings_and_backups_are_the_owners(http: httpx.Client) -> None:
    base = "/v1/spaces/settings"
    http.put(base)
    assert "recall.top" in [one["name"] for one in http.get(f"{base}/settings").json()]
    http.post(f"{base}/backup")
    (backup,) = http.get(f"{base}/backups").json()
    assert backup["size"] > 0
    for path in ("settings", "backups"):
        assert http.get(f"{base}/{path}", headers={"x-loxodon-agent": "c"}).status_code == 403
