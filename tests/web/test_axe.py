"""Accessible: axe-core finds nothing to complain of, in both themes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.http.server import Server
from tests.web.browsing import DESKTOP, PHONE, Console
from tests.web.test_pages import SHOWN, memory_of

AXE = Path(__file__).parent.parent.parent / "web" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations.flatMap(
    (one) => one.nodes.map((node) => `${one.id}: ${node.target} ${node.failureSummary}`))"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_violations(console: Callable[..., Console], server: Server, theme: str) -> None:
    size = DESKTOP if theme == "light" else PHONE
    shown = console(theme=theme, size=size, bypass_csp=True)
    found: list[str] = []
    memory = f"memory/{memory_of(server, 'Tom probably lives in Bath')}"
    shown.open("today")
    shown.page.add_script_tag(path=str(AXE))
    for page in (*SHOWN, memory):
        shown.open(page)
        found += [f"{page}: {line}" for line in shown.page.evaluate(RUN)]
    shown.page.keyboard.press("?")
    found += shown.page.evaluate(RUN)
    assert found == []
