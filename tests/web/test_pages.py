"""Every page, in both languages, on a phone and on a desk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.http.server import Server
from tests.web.browsing import DESKTOP, PHONE, Console
from tests.web.pictures import console as pictured

Opens = Callable[..., Console]

SHOWN: dict[str, tuple[str, ...]] = {
    "today": ("Tom probably lives in Bath", "Ignore all previous instructions", "red bicycle"),
    "search": ("The user has a red bicycle", "The user prefers tea"),
    "search?q=Tom+Bristol": ("My brother Tom lives in Bristol",),
    "search?q=Where+does+Tom+live&view=agent": ("Tom is the user's brother", "4,000"),
    "people": ("Tom", "小美"),
    "timeline": ("I adopted a cat called Pixel", "The user has a cat called Pixel"),
    "profile": ("allergic to walnuts",),
    "health": (),
}
WORDS = {
    "today": ("Waits for you", "待你处理"),
    "search": ("Filters", "筛选"),
    "people": ("People and things", "人与事"),
    "timeline": ("Go to day", "跳到日期"),
    "profile": ("Snapshot", "快照"),
    "health": ("Everything works.", "一切正常。"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_every_page(console: Opens, language: str, size: tuple[int, int]) -> None:
    shown = console(language=language, size=size, theme="dark" if language == "zh" else "light")
    for page, words in SHOWN.items():
        shown.open(page)
        for text in words:
            shown.page.get_by_text(text).first.wait_for(state="attached")
        assert shown.too_wide <= 0, page
        if size == PHONE:
            assert not shown.page.locator("kbd:visible").count(), page
    for page, (english, chinese) in WORDS.items():
        shown.open(page)
        assert (english if language == "en" else chinese) in shown.text


# What is written on a canvas
WRITTEN = """window.written = [];
const fill = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
  window.written.push(text); return fill.call(this, text, ...at); };"""


def memory_of(server: Server, words: str) -> str:
    with server.client() as client:
        found = client.get("/v1/spaces/main/memories", params={"state": "all", "limit": 100})
    return next(str(one["id"]) for one in found.json()["items"] if words in one["content"])


def test_a_memory(console: Opens, server: Server) -> None:
    shown = console()
    page = shown.open(f"memory/{memory_of(server, 'Tom lives in Bristol')}")
    said = page.locator(".talk li")
    assert "Nice to meet you" in said.nth(1).inner_text()
    assert "My brother Tom lives in Bristol" in page.locator(".talk .source").inner_text()
    assert page.locator(".curve canvas").is_visible()
    page = shown.open(f"memory/{memory_of(server, 'red bicycle')}")
    assert page.locator(".history del").inner_text() == "blue"
    assert page.locator(".history ins").inner_text() == "red"
    chinese = memory_of(server, "小美是用户的妹妹")
    with server.client() as client:
        client.patch(f"/v1/spaces/main/memories/{chinese}", json={"content": "小美是用户的小妹"})
    page = shown.open(f"memory/{chinese}")
    assert page.locator(".history ins").inner_text() == "小"  # by character
    page = shown.open(f"memory/{memory_of(server, 'red bicycle')}")
    page.get_by_role("link", name="bicycle", exact=True).last.click()
    page.wait_for_url("**/search?tag=bicycle")
    shown.settle()
    assert page.locator("[data-row]").count() == 1


def test_why_a_result_came(console: Opens) -> None:
    shown = console()
    page = shown.open("search?q=Tom+Bristol")
    bar = page.locator(".why button").first
    assert "words" in bar.get_attribute("aria-label")
    bar.click()
    parts = page.locator(".why .legend").first.inner_text()
    assert "words" in parts
    assert "Score" in parts
    assert "meaning" in page.locator(".legend.scores").inner_text()  # without a click
    known, said = page.locator(".group").all_inner_texts()  # the facts first
    assert known.startswith("Memories")
    assert "The user's brother Tom lives in Bristol" in known
    assert "My brother Tom lives in Bristol" in said


def test_what_is_over_looks_over(console: Opens, server: Server) -> None:
    shown = console()
    struck = "el => getComputedStyle(el.querySelector('.words')).textDecorationLine"
    home = memory_of(server, "lives in Leeds")
    for page, place in {
        "search?state=archived": "a.row-words",
        "search?q=lives+in+Leeds": "a.row-words",
        f"memory/{home}": "h1",
        "timeline": ".gave li",
    }.items():
        over = shown.open(page).locator(place, has_text="The user lives in Leeds").first
        assert over.evaluate(struck) == "line-through", page
    assert shown.page.locator(".gave li", has_text="York").first.evaluate(struck) == "none"


def test_search_follows_what_is_typed(console: Opens) -> None:
    shown = console()
    page = shown.open("search")
    page.keyboard.type("Pixel")
    page.wait_for_url("**/search?q=Pixel")
    page.locator("mark", has_text="Pixel").first.wait_for()
    page.get_by_text("Filters").click()
    page.get_by_label("Kind").select_option("belief")
    page.get_by_text("Nothing found").wait_for()
    page.get_by_role("button", name="Clear").click()
    page.locator("mark", has_text="Pixel").first.wait_for()


def test_accents_are_no_matter_to_marks(console: Opens, server: Server) -> None:
    with server.client() as client:
        client.post("/v1/spaces/main/memories", json={"content": "Zoë Ibáñez plays the cello"})
    shown = console()
    for typed in ("Ibáñez", "ibanez"):
        page = shown.open(f"search?q={typed}")
        assert page.locator("mark").first.inner_text() == "Ibáñez"


def test_the_graph_is_walked(console: Opens) -> None:
    shown = console()
    shown.context.add_init_script(WRITTEN)
    page = shown.open("people")
    assert {"Tom", "sibling", "Acme", "employer"} <= set(page.evaluate("written"))
    page.get_by_label("Find a person or thing").fill("tom")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Tom").wait_for()
    page.get_by_text("Tom works at Acme").wait_for()
    page.locator(".ties").get_by_role("button", name="You").click()
    page.get_by_role("heading", name="You").wait_for()
    page.go_back()
    page.get_by_role("heading", name="Tom").wait_for()
    page.locator(".slider input").fill("20")
    assert "· 5" in page.locator(".slider").inner_text()  # of nine, what the first talk had


def test_a_message_in_its_conversation(console: Opens) -> None:
    shown = console()
    page = shown.open("search?q=adopted+a+cat")
    page.locator("a.row-words", has_text="I adopted a cat").first.click()
    page.locator(".moment.sought", has_text="Pixel").wait_for()
    assert "How is York?" in shown.text
    assert "allergic to walnuts" not in shown.text


def test_what_is_not_there(console: Opens, server: Server) -> None:
    shown = console()
    shown.open("timeline?day=2001-02-03")
    assert "Nothing was said up to 3 February 2001" in shown.text
    with server.client() as client:
        assert client.put("/v1/spaces/fresh").is_success
    assert "loxodon connect" in shown.open("today", "fresh").locator("main").inner_text()
    shown.open("nowhere")
    assert "There is no such page" in shown.text
    shown.open("memory/f_20200101_999")
    assert "f_20200101_999" in shown.page.locator(".trouble").inner_text()
    shown.trouble.clear()  # the browser notes the 404
    shown.page.get_by_role("button", name="Try again").wait_for()


def test_language_and_theme_are_kept(console: Opens) -> None:
    shown = console()
    page: Any = shown.open("today")
    page.get_by_role("button", name="中文").click()
    page.get_by_role("heading", name="今日").wait_for()
    page.get_by_role("button", name="深色主题").click()
    page.reload()
    shown.settle()
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"


def test_pictures_in_the_docs_are_of_this_console(browser: Any) -> None:
    taken = Path(__file__).parents[2] / "docs" / "images" / "console.txt"
    assert taken.read_text("utf-8").strip() == pictured(), "run `make screenshots`"
