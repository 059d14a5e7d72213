"""The pictures of the console in the docs: `python -m tests.web.pictures FOLDER`.

Of the example memory on a day that stands still, so that they change only when the console does.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from tests.http.server import LOXODON, Server
from tests.web.browsing import Console, chromium

NOW = "2026-11-16T18:00:00+00:00"
_WIDE = (1280, 800)
_NARROW = (390, 800)


class Picture(NamedTuple):
    name: str
    page: str
    language: str = "en"
    theme: str = "light"
    size: tuple[int, int] = _WIDE
    click: str = ""  # what is pressed before it is taken


PICTURES = (
    Picture("console-today", "today?days=30"),
    Picture("console-search", "search?q=What+did+we+decide+for+Tidewater%3F", click=".why button"),
    Picture("console-agent", "search?q=What+should+I+cook+for+Ingrid%3F&view=agent"),
    Picture("console-graph", "people", theme="dark"),
    Picture("console-memory", "memory/{changed}"),
    Picture("console-timeline", "timeline", theme="dark"),
    Picture("console-today-zh", "today?days=30", "zh"),
    Picture("console-phone", "today?days=30", theme="dark", size=_NARROW),
    Picture("console-phone-zh", "people", "zh", size=_NARROW),
)


def take(browser: Any, server: Server, picture: Picture, folder: Path) -> None:
    space = "zh" if picture.language == "zh" else "main"
    how: dict[str, Any] = {
        "language": picture.language,
        "theme": picture.theme,
        "size": picture.size,
    }
    with Console(browser, server.url, zone="UTC", **how) as shown:
        shown.page.clock.set_fixed_time(NOW)
        shown.open(picture.page.format(changed=changed(server)), space)
        if picture.click:
            shown.page.locator(picture.click).first.click()
        shown.page.screenshot(path=folder / f"{picture.name}.png")


def changed(server: Server) -> str:
    """A memory that took the place of another."""
    with server.client() as client:
        today = client.get("/v1/spaces/main/today", params={"since": "2026-07-01T00:00:00Z"})
    return str(today.json()["changed"][0]["after"]["id"])


def console() -> str:
    """The version of the built console: the name of its first file has a hash of all."""
    dist = Path(__file__).parents[2] / "src" / "loxodon" / "http" / "web" / "dist"
    (first,) = dist.glob("main-*.js")
    return first.name


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as place:
        home = Path(place) / "home"
        subprocess.run(
            [LOXODON, "--now", NOW, "--home", str(home), "demo"], check=True, capture_output=True
        )
        with Server(home, LOXODON_NOW=NOW) as server, chromium(Path(place)) as browser:
            for picture in PICTURES:
                take(browser, server, picture, folder)
    (folder / "console.txt").write_text(f"{console()}\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
