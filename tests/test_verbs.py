"""A verb is declared once, as a method; what surfaces say of it is derived."""

from __future__ import annotations

import re

from loxodon.cli.commands import MODULES, command_named
from loxodon.memory import VERBS


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
