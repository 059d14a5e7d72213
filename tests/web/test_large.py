"""A memory of 10,000: no page loads more than it shows, and each is soon there."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lived import Lived
from loxodon import Memory
from tests.http.server import Server
from tests.long import figure
from tests.web.browsing import Console
from text import Talk

MEMORIES = 10_000
MOST_BYTES = 400_000  # that a page may load of data, whatever there is
PAGES = ("today?days=30", "search", "people", "timeline", "profile", "health")
PAINTED = """() => new Promise((done) => new PerformanceObserver((list, watch) => {
    const found = list.getEntriesByName("first-contentful-paint")[0];
    if (found) { watch.disconnect(); done(found.startTime); }
}).observe({type: "paint", buffered: true}))"""


@pytest.fixture(scope="module")
def large(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home: Path = tmp_path_factory.mktemp("large") / "home"
    with Memory.open(home, config={"workspace.views": "off"}) as memory:
        Lived(memory, Talk(), MEMORIES, datetime.now(UTC), 1)
    with Server(home) as started:
        yield started


def test_every_page_loads_what_it_shows(browser: Any, large: Server) -> None:
    for page in PAGES:
        with Console(browser, large.url) as shown:
            sizes: list[int] = []
            shown.page.on("response", lambda answer: _weigh(answer, sizes))  # noqa: B023
            shown.open(page)
            painted = shown.page.evaluate(PAINTED)
            assert sum(sizes) < MOST_BYTES, f"{page} loads {sum(sizes)} bytes"
            assert shown.page.locator("[data-row]").count() <= 120
            assert not shown.trouble
        figure("web", page=page, memories=MEMORIES, paint_ms=round(painted), bytes=sum(sizes))


def _weigh(answer: Any, sizes: list[int]) -> None:
    if "/v1/" in answer.url:
        sizes.append(int(answer.headers.get("content-length", 0)))


def test_a_list_goes_on(browser: Any, large: Server) -> None:
    with Console(browser, large.url) as shown:
        page = shown.open("search")
        rows = page.locator("[data-row]")
        assert rows.count() == 30
        page.get_by_role("button", name="Show more").click()
        rows.nth(59).wait_for()
        assert (
            len(set(rows.locator("a.row-words").evaluate_all("all => all.map(a => a.href)"))) == 60
        )


def test_the_whole_graph_is_drawn(browser: Any, large: Server) -> None:
    with Console(browser, large.url) as shown:
        page = shown.open("people")
        page.locator("header button", has_text="Show all").click()
        page.get_by_role("img", name="Graph of 150").wait_for(state="detached")
        drawn = page.locator("canvas").evaluate(
            """canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
                .data.some(value => value > 0)"""
        )
        assert drawn
