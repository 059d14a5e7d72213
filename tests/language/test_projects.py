"""Which project a message names."""

from __future__ import annotations

from pathlib import Path

from loxodon import Memory
from loxodon.language.projects import named_project
from tests.clock import NOW
from tests.each import each


@each(
    ("text", "name"),
    [
        ("For the project Blue Heron we use PostgreSQL", "Blue Heron"),
        ("The Falcon project's deadline is in March", "Falcon"),
        ("I lead a project called Quarry with two friends", "Quarry"),
        ("青鸟项目的截止日期是三月三号", "青鸟"),
        ("我在做的项目叫竹林，用 Go 写的", "竹林"),
        ("“远帆”项目下周上线", "远帆"),
        ("School projects are fun", ""),
        ("We have a new project", ""),
        ("我喜欢的体育项目是游泳", ""),
        ("这个项目很难", ""),
        ("项目延期了", ""),
    ],
)
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
