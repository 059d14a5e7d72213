"""A real Chromium, and a page of the console in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESKTOP = (1280, 860)
PHONE = (360, 740)
_PHONES = 500  # widths up to which it is one
LOCALES = {"en": "en-GB", "zh": "zh-CN"}
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or ""


@contextmanager
def chromium(folder: Path) -> Iterator[Any]:
    """A browser that leaves nothing outside `folder`."""
    from playwright.sync_api import sync_playwright

    home = folder / "browser"
    home.mkdir()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=ARGUMENTS,
            env={**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home)},
        )
        yield browser
        browser.close()


# A new address is rendered a frame after it is set; until then the old view stands, no skeleton.
_RENDERED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


class Console:
    """The console as one person sees it. `trouble` has what the browser complained of."""

    def __init__(
        self,
        browser: Any,
        url: str,
        *,
        size: tuple[int, int] = DESKTOP,
        language: str = "en",
        theme: str = "light",
        zone: str = "Asia/Shanghai",
        **more: Any,
    ) -> None:
        self.url = url
        if size[0] <= _PHONES:
            more = {"has_touch": True, "is_mobile": True, **more}
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            locale=LOCALES[language],
            color_scheme=theme,
            timezone_id=zone,
            reduced_motion="reduce",
            **more,
        )
        self.context.set_default_timeout(20_000)
        self.page = self.context.new_page()
        self.trouble: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.trouble.append(message.text)

    def open(self, page: str, space: str = "main") -> Any:
        """Show a page, and wait until it has what it shows."""
        address = f"{self.url}/#/{space}/{page}"
        if self.page.url.split("#")[0] == f"{self.url}/":
            self.page.evaluate("address => { location.href = address; }", address)
        else:
            self.page.goto(address)
        self.settle()
        return self.page

    def settle(self) -> None:
        """Wait until nothing is on its way any more."""
        self.page.wait_for_load_state("networkidle")
        self.page.evaluate(_RENDERED)
        self.page.locator("main .skeleton").first.wait_for(state="detached")

    @property
    def too_wide(self) -> int:
        """Pixels by which the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - screen.width"))

    @property
    def text(self) -> str:
        return str(self.page.locator("main").inner_text())

    def __enter__(self) -> Console:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()
