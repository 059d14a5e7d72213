"""The example memory: what it has to show, and that it is never somebody's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.serve.demo.building import SPACES, talks
from tests.clock import NOW, Clock
from tests.serve.shell import typed

ENV = {"LANG": "C.UTF-8", "TZ": "Asia/Shanghai", "LOXODON_NOW": NOW.isoformat()}
MOVED = {"en": ("Bristol", "Lisbon"), "zh": ("成都", "杭州")}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    env = {**ENV, "HOME": str(folder), "LOXODON_HOME": str(folder / "own")}
    done = typed("--home", str(folder / "home"), "demo", "--json", env=env)
    assert done.returncode == 0, done.stderr
    tried = json.loads(done.stdout)["try"]
    assert tried[0] == ["loxodon", "--home", str(folder / "home"), "ui"]
    assert [one.name for one in folder.iterdir()] == ["home"]
    return folder / "home"


@pytest.mark.parametrize("language", SPACES)
def test_it_has_something_for_every_page(home: Path, language: str) -> None:
    before, after = MOVED[language]
    with Memory.open(home, SPACES[language], clock=Clock(NOW)) as memory:
        day = memory.today()
        assert day.learned
        assert day.reviews
        assert day.doubtful
        assert day.reminders
        assert day.changed
        assert day.ended
        assert day.held == 2  # an instruction of a page, and a request to forget
        assert day.pending == 0
        (place,) = [one for one in memory.list() if one.subject == "user" and one.value == after]
        related = memory.related(place.id)
        assert related.replaced is not None
        assert before in related.replaced.content
        assert len(memory.graph().nodes) > 15
        lifted = [one for one in memory.list() if one.access_count]
        assert {"used"} <= {mark.change for mark in memory.strength(lifted[0].id).marks}
        assert memory.validate() == []


@pytest.mark.parametrize("language", SPACES)
def test_nearly_all_that_is_said_is_worth_keeping(home: Path, language: str) -> None:
    said = [text for talk in talks(language, NOW) for kind, text in talk.lines if kind == ">"]
    with Memory.open(home, SPACES[language], clock=Clock(NOW)) as memory:
        kept = [one.turn.content for one in memory.timeline() if one.memories]
        assert len(said) - len([text for text in said if text in kept]) <= 4
        others = [one for one in memory.list(state="all") if one.trust not in ("user", "assistant")]
        assert others == []  # what a page said became nothing


def test_it_is_built_once_and_in_no_folder_of_anybody_else(home: Path, tmp_path: Path) -> None:
    env = {**ENV, "HOME": str(home.parent)}
    stamp = (home / "example").stat().st_mtime_ns
    again = typed("demo", str(home), env=env)
    assert b"loxodon --home" in again.stdout
    assert (home / "example").stat().st_mtime_ns == stamp
    mine = tmp_path / "mine"
    with Memory.open(mine) as memory:
        memory.capture("Mine")
    for words in (("demo", str(mine), "--replace"), ("--home", str(mine), "demo")):
        refused = typed(*words, env=env)
        assert refused.returncode != 0
        assert b"something other than" in refused.stderr
    with Memory.open(mine) as memory:
        assert memory.stats().active == 1
