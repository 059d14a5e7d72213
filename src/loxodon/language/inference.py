"""What may be supposed from what somebody tells in passing: only by a rule with a name
(`inference.toml`), always as a belief that says what it rests on."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from loxodon.language.attributes import ATTRIBUTES
from loxodon.language.statements import Statement


@cache
def rules() -> list[dict[str, Any]]:
    text = (files("loxodon.language") / "inference.toml").read_text("utf-8")
    return list(tomllib.loads(text)["rule"])


def supposed(language: str, text: str) -> list[Statement]:
    """What a sentence of the user lets one suppose; `basis` has the rule and the words."""
    found = []
    for rule in rules():
        clues = [rule[language], *rule.get(f"together_{language}", ())]
        strong, *weak = (re.search(clue, text, re.I) for clue in clues)
        if not strong and not (weak and all(weak)):
            continue
        english, _, chinese = rule["value"].partition("|")
        found.append(
            Statement(
                rule[f"say_{language}"],
                attribute=rule["attribute"],
                value=chinese if language == "zh" else english,
                category=ATTRIBUTES[rule["attribute"]].category,
                confidence=rule["confidence"],
                basis=f"{rule['name']}: {text.strip()}",
                inferred=True,
            )
        )
    return found
