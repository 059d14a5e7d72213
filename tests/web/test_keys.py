"""The keyboard, all through."""

from __future__ import annotations

from collections.abc import Callable

from tests.web.browsing import Console

Opens = Callable[..., Console]


def test_every_page_has_its_keys(console: Opens) -> None:
    shown = console()
    page = shown.open("today")
    for key, name in {
        "s": "search",
        "g": "people",
        "l": "timeline",
        "p": "profile",
        "h": "health",
        "t": "today",
    }.items():
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        page.keyboard.press(key)
        page.wait_for_url(f"**/#/main/{name}")
        shown.settle()
    page.keyboard.press("/")
    page.wait_for_url("**/#/main/search")
    page.locator("[data-search]:focus").wait_for()
    page.keyboard.type("g t?")  # words in a field are words
    page.wait_for_url("**/search?q=g+t%3F")


def test_help_and_its_focus(console: Opens) -> None:
    shown = console()
    page = shown.open("today")
    page.keyboard.press("?")
    page.get_by_role("dialog").get_by_text("Show these keys").wait_for()
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    assert page.url.endswith("/today")


def test_rows_are_walked_and_opened(console: Opens) -> None:
    shown = console()
    page = shown.open("search")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    first = page.locator("[data-row]").first
    assert first.evaluate("row => row === document.activeElement")
    words = first.locator(".row-words").inner_text()
    page.keyboard.press("Enter")
    page.wait_for_url("**/memory/**")
    page.get_by_role("heading", level=1, name=words, exact=True).wait_for()


def test_theme_and_language(console: Opens) -> None:
    shown = console()
    page = shown.open("profile")
    page.keyboard.press("L")
    page.get_by_role("heading", name="画像").first.wait_for()
    page.keyboard.press("D")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
