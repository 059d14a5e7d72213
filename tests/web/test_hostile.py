"""Words of a memory are words, whatever they look like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.http.server import Server
from tests.web.browsing import PHONE, Console
from tests.web.homes import LONG, MARKDOWN, SCRIPT, hostile

PAGES = (
    "today",
    "search",
    "search?q=hacked+click+Pay+x",
    "search?q=click&view=agent",
    "people",
    "timeline",
    "profile",
    "health",
)


@pytest.fixture(scope="module")
def served(
    browser: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Server, dict[str, str]]]:
    home = tmp_path_factory.mktemp("hostile") / "home"
    ids = hostile(home)
    with Server(home) as started:
        yield started, ids


def test_nothing_runs_and_nothing_breaks(
    browser: Any, served: tuple[Server, dict[str, str]]
) -> None:
    server, ids = served
    with Console(browser, server.url, size=PHONE) as shown:
        asked: list[str] = []
        shown.page.on("request", lambda request: asked.append(request.url))
        for page in (*PAGES, *(f"memory/{id}" for id in ids.values())):
            shown.open(page)
            assert shown.too_wide <= 0, page
            assert shown.page.evaluate("window.hacked") is None
            assert shown.page.locator("main img, main script").count() == 0
        assert all(url.startswith((server.url, "data:")) for url in asked)
        assert not shown.trouble


def test_the_words_are_shown_as_they_are(
    browser: Any, served: tuple[Server, dict[str, str]]
) -> None:
    server, ids = served
    with Console(browser, server.url) as shown:
        page = shown.open(f"memory/{ids['script']}")
        assert page.locator("h1").inner_text() == SCRIPT
        page = shown.open(f"memory/{ids['markdown']}")
        assert page.locator("h1").inner_text() == MARKDOWN
        assert page.locator("main a[href^='javascript']").count() == 0
        page = shown.open(f"memory/{ids['turned']}")
        assert (
            page.locator("h1 bdi").evaluate("one => getComputedStyle(one).unicodeBidi") == "isolate"
        )


def test_long_words_are_cut_until_they_are_asked_for(
    browser: Any, served: tuple[Server, dict[str, str]]
) -> None:
    server, _ = served
    with Console(browser, server.url) as shown:
        page = shown.open("timeline")
        button = page.get_by_role("button", name="Show all (100 kB)")
        row = page.locator(".moment").filter(has=button)
        assert len(row.inner_text()) < 2000
        button.click()
        page.get_by_role("button", name="Show less").wait_for()
        assert LONG in page.locator("main").inner_text()


def test_the_policy_forbids_what_would_run(
    browser: Any, served: tuple[Server, dict[str, str]]
) -> None:
    server, _ = served
    with Console(browser, server.url) as shown:
        page = shown.open("today")
        page.evaluate(
            """() => {
              const attempts = [
                () => document.body.append(Object.assign(document.createElement("script"),
                  {textContent: "window.hacked = 1"})),
                () => document.body.setAttribute("onclick", "window.hacked = 1"),
                () => { document.querySelector("h1").innerHTML = "<b>bold</b>"; },
              ];
              for (const attempt of attempts) try { attempt(); } catch {}
              document.body.click();
            }"""
        )
        assert page.locator("h1 b").count() == 0
        assert page.evaluate("window.hacked") is None
        assert shown.trouble  # the browser told of each
