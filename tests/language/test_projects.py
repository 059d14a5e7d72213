"""Which project a message names."""

from __future__ import annotations

from pathlib import Path

from loxodon import Memory
from loxodon.language.projects import named_project
from tests.cases import cases
from tests.clock import NOW
from tests.each import each


@each(("text", "name"), cases(__file__, "a_name_beside_the_word"))
def test_a_name_beside_the_word(text: str, name: str) -> None:
    assert named_project(text) == name


def test_what_is_told_of_a_project_is_found_by_it(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home", clock=lambda: NOW) as memory:
        memory.add([{"role": "user", "content": "In project Nightjar we deploy with Docker"}])
        memory.add([{"role": "user", "content": "We decided that Nightjar stays on Python 3.12"}])
        memory.consolidate()
        projects = {record.project for record in memory.list()}
        assert projects == {"Nightjar"}
        found = memory.recall("Docker", project="nightjar")
        assert "Docker" in found.items[0].content
