"""How one gets in: the link of `loxodon ui`, or a token."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.http.server import LOXODON, Server, unscheduled
from tests.web.browsing import Console


def test_the_link_works_once(browser: Any, example: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(example, home)
    words = [LOXODON, "--json", "ui", "--no-browser", "--port", "0"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LOXODON_HOME": str(home)}
    with unscheduled(home):
        process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        assert process.stdout
        try:
            link = json.loads(process.stdout.readline())["url"]
            url = link.partition("/#")[0]
            with Console(browser, url) as shown:
                shown.page.goto(link)
                shown.page.get_by_role("heading", name="Today").wait_for()
                shown.settle()
                assert "code=" not in shown.page.url
                shown.page.reload()
                shown.page.get_by_role("heading", name="Waits for you").wait_for()
                assert not shown.trouble
                shown.page.get_by_role("button", name="Sign out").click()
                shown.page.get_by_label("Token").wait_for()
            with Console(browser, url) as other:
                other.page.goto(link)
                other.page.get_by_text("This link was used before").wait_for()
        finally:
            process.terminate()
            process.wait(300)
            process.stdout.close()


def test_a_token_is_asked_for(browser: Any, example: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(example, home)
    with Server(home, LOXODON_TOKEN="right") as server, Console(browser, server.url) as shown:
        page = shown.page
        page.goto(server.url)
        page.get_by_label("Token").fill("wrong")
        page.keyboard.press("Enter")
        page.get_by_text("The server does not accept this token.").wait_for()
        page.get_by_label("Token").fill("right")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Waits for you").wait_for()
        other = shown.context.new_page()  # as a link that is opened in a new tab
        other.goto(page.url)
        other.get_by_role("heading", name="Waits for you").wait_for()
        assert shown.context.cookies() == []
        assert "right" not in page.evaluate("JSON.stringify(localStorage)")


def test_a_server_that_is_gone_is_told(browser: Any, example: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(example, home)
    with Server(home) as server, Console(browser, server.url) as shown:
        shown.open("today")
        server.stop()
        shown.page.keyboard.press("g")
        shown.page.keyboard.press("p")
        shown.page.locator(".trouble").first.wait_for()
        shown.page.get_by_role("button", name="Try again").first.wait_for()
