"""What a person does in the console is done in the memory, and undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.http.server import Server
from tests.web.browsing import Console

Opens = Callable[..., Console]


def memories(server: Server) -> dict[str, Any]:
    """Memories by their words; an active one before others with the same."""
    with server.client() as client:
        found = client.get("/v1/spaces/main/memories", params={"limit": 100, "state": "all"})
    items = sorted(found.json()["items"], key=lambda one: one["state"] == "active")
    return {one["content"]: one for one in items}


def reach(page: Any, words: str) -> None:
    """Walk to a row by key, from the first."""
    page.locator("main").focus()
    for _ in range(30):
        page.keyboard.press("j")
        if words in page.evaluate("document.activeElement.innerText"):
            return
    raise AssertionError(f"no row with {words}")


def told(page: Any, words: str) -> None:
    """Wait until the console says so."""
    page.locator(".toast", has_text=words).first.wait_for()


def test_what_waits_is_settled_by_keys(console: Opens, server: Server) -> None:
    shown = console()
    page = shown.open("today")
    reach(page, "sailing")
    page.keyboard.press("n")
    page.locator(".cards", has_text="sailing").wait_for(state="detached")
    page.locator("[data-row]:focus").wait_for()  # the next one
    assert memories(server)["The user may like sailing"]["state"] == "archived"
    page.get_by_role("button", name="Undo").click()
    page.locator(".cards", has_text="sailing").wait_for()
    assert memories(server)["The user may like sailing"]["state"] == "active"

    reach(page, "sailing")
    page.keyboard.press("e")
    page.get_by_label("What is right?").fill("The user likes rowing")
    page.get_by_role("button", name="Save").click()
    told(page, "Corrected")
    assert memories(server)["The user likes rowing"]["kind"] == "fact"

    reach(page, "probably lives in Bath")
    page.keyboard.press("y")
    told(page, "Confirmed")
    assert memories(server)["The user's brother Tom lives in Bristol"]["state"] == "archived"

    page.locator(".cards", has_text="Bath").wait_for(state="detached")
    reach(page, "dentist")
    page.keyboard.press("y")
    told(page, "Marked as done")
    assert memories(server)["The user wants to book a dentist"]["done"]

    reach(page, "Ignore all previous")
    page.keyboard.press("n")
    page.get_by_role("heading", name="Drop this instruction?").wait_for()
    page.keyboard.press("Enter")
    told(page, "Dropped")

    reach(page, "Please forget that I go swimming")
    page.keyboard.press("y")
    page.get_by_role("button", name="Forget for good").click()
    page.get_by_role("heading", name="Forgotten").wait_for()
    page.get_by_role("dialog").get_by_role("button", name="Close").last.click()
    assert not [words for words in memories(server) if "swimming" in words]
    page.locator(".waiting").wait_for(state="detached")


def test_a_memory_is_added(console: Opens, server: Server) -> None:
    with server.client() as client:
        assert client.put("/v1/spaces/fresh").is_success
    shown = console(language="zh")
    page = shown.open("today", "fresh")
    page.locator(".empty").get_by_role("button", name="添加记忆").click()
    page.get_by_label("内容").fill("我对花生过敏")
    page.get_by_label("标签").fill("过敏，健康")
    page.keyboard.press("Control+Enter")
    page.get_by_role("heading", name="我对花生过敏").wait_for()
    page.locator("main").focus()
    page.keyboard.press("c")
    page.get_by_role("heading", name="添加记忆").wait_for()
    with server.client() as client:
        (one,) = client.get("/v1/spaces/fresh/memories").json()["items"]
    assert (one["kind"], one["tags"], one["trust"]) == ("fact", ["过敏", "健康"], "user")


def test_learning_is_asked_for(console: Opens, server: Server) -> None:
    shown = console()
    page = shown.open("today")
    page.get_by_role("button", name="Learn now").click()
    page.get_by_text("The user is learning Spanish").first.wait_for()
    assert "The user is learning Spanish" in memories(server)


def test_a_memory_is_changed(console: Opens, server: Server) -> None:
    shown = console()
    id = memories(server)["The user prefers tea"]["id"]
    page = shown.open(f"memory/{id}")
    page.keyboard.press("e")
    page.get_by_label("Words").fill("The user prefers green tea")
    page.keyboard.press("Control+Enter")
    page.get_by_role("heading", name="The user prefers green tea").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("heading", name="The user prefers tea").wait_for()

    page.get_by_label("Add a tag").fill("drinks, 茶")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Remove tag 茶").wait_for()
    assert {"drinks", "茶"} <= set(memories(server)["The user prefers tea"]["tags"])

    page.locator("main").focus()
    page.keyboard.press("a")
    page.get_by_role("button", name="Bring back").wait_for()
    assert memories(server)["The user prefers tea"]["state"] == "archived"


def test_forgetting_shows_first_and_gives_a_receipt(console: Opens, server: Server) -> None:
    shown = console()
    id = memories(server)["The user has a cat called Pixel"]["id"]
    page = shown.open(f"memory/{id}")
    page.get_by_role("button", name="Forget…").click()
    preview = page.locator(".erased")
    preview.wait_for()
    assert "messages" in preview.inner_text()
    assert "I adopted a cat called Pixel" in page.get_by_role("dialog").inner_text()
    assert "The user has a cat called Pixel" in memories(server)
    page.get_by_role("button", name="Forget for good").click()
    page.get_by_role("heading", name="Forgotten").wait_for()
    assert "The user has a cat called Pixel" not in memories(server)
    page.wait_for_url("**/today")
    shown.settle()
    assert "Pixel" not in page.locator("body").inner_text()  # behind the receipt
    page.get_by_role("dialog").get_by_role("button", name="Close").last.click()
    page.get_by_role("dialog").wait_for(state="detached")
    with server.client() as client:
        receipts = client.get("/v1/spaces/main/receipts").json()["items"]
    assert any(one["erased"].get("memories") for one in receipts)


def test_a_change_that_came_first_stands_beside_what_was_typed(
    console: Opens, server: Server
) -> None:
    shown = console()
    one = memories(server)["The user is a nurse"]
    page = shown.open(f"memory/{one['id']}")

    def meet(theirs: str, mine: str) -> None:
        page.keyboard.press("e")
        page.get_by_label("Words").fill(mine)
        with server.client() as client:
            client.patch(f"/v1/spaces/main/memories/{one['id']}", json={"content": theirs})
        page.keyboard.press("Control+Enter")
        page.locator(".other", has_text=theirs).wait_for()
        assert page.get_by_label("Words").input_value() == mine
        assert theirs in memories(server)

    meet("The user is a midwife", "The user is a doctor")
    page.get_by_role("button", name="Take the other").click()
    page.get_by_role("heading", name="The user is a midwife").wait_for()

    meet("The user is a surgeon", "The user is a dentist")
    page.get_by_role("button", name="Save mine over it").click()
    page.get_by_role("heading", name="The user is a dentist").wait_for()
    assert "The user is a dentist" in memories(server)
    shown.trouble.clear()  # the browser notes each 409


def test_what_failed_is_told_on_its_page_only(console: Opens, server: Server) -> None:
    shown = console()
    one = memories(server)["The user is allergic to walnuts"]
    page = shown.open(f"memory/{one['id']}")
    words = "The user is allergic to all nuts"
    with server.client() as client:
        client.patch(f"/v1/spaces/main/memories/{one['id']}", json={"content": words})
    page.keyboard.press("a")
    page.locator(".toast.bad").wait_for()
    assert "loxodon" not in page.locator(".toast.bad").inner_text()
    page.get_by_role("heading", name=words).wait_for()
    shown.open("today")
    page.locator(".toast.bad").wait_for(state="detached")
    shown.trouble.clear()  # the browser notes the 409
