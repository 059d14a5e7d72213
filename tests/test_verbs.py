"""A verb is declared once, as a method; what surfaces say of it is derived."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import loxodon
from loxodon.cli.commands import MODULES, command_named
from loxodon.memory import VERBS

SOURCE = Path(loxodon.__file__).parent
ROOT = SOURCE.parents[1]
FEW = 4  # arguments that functions may happen to share with a verb


def signatures() -> list[tuple[str, set[str]]]:
    """Every function of the source that is no verb, with the names that it takes."""
    found = []
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and not _is_verb(node):
                given = node.args
                names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
                found.append((f"{path.relative_to(SOURCE)}: {node.name}", {*names} - {"self"}))
    return found


def _is_verb(node: ast.FunctionDef) -> bool:
    names = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
    return any(isinstance(one, ast.Name) and one.id == "verb" for one in names)


def test_no_verb_has_its_arguments_written_twice() -> None:
    """Beside the memory of plain files, which overrides `Memory` and so has to take the same."""
    taken = {name: {one.name for one in verb.arguments} for name, verb in VERBS.items()}
    others = signatures()
    twice = [
        (name, where)
        for name, arguments in taken.items()
        for where, names in others
        if len(arguments) > FEW and arguments <= names and not where.startswith("views/plain.py")
    ]
    assert twice == []


def test_commands_take_the_arguments_of_their_verbs() -> None:
    """What a command says differently is counted here; anything else is derived."""
    differently = {
        f"{name} {how['dest']}"
        for name in MODULES
        for _, how in command_named(name).added
        if how["dest"] in {each.name for each in command_named(name).arguments}
    }
    assert differently == {
        "audit agent",
        "capture kind",
        "edit done",
        "forget ids",
        "forget since",
        "import format",
        "pause until",
        "sync deletions",
    }


def test_every_verb_says_what_it_does() -> None:
    for name, verb in VERBS.items():
        assert re.match(r"[A-Z`(].*[.)]$", verb.about), name
        if verb.routes:
            assert all(one.about for one in verb.takes), name
