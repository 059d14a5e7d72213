"""Whom or what a noun at the beginning of a clause means: `my sister`, `rent`, `Ingrid`."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from loxodon.text.stopwords import ENGLISH
from loxodon.write.en.person import Tokens, text_of
from loxodon.write.en.scene import Scene, Someone, gender_of, is_name
from loxodon.write.en.verbs import forms_of
from loxodon.write.en.words import (
    BEINGS,
    JOBS,
    PETS,
    alternatives,
    as_set,
)
from loxodon.write.statements import USER


class Subject(NamedTuple):
    text: str
    key: str
    of: str = ""


@cache
def people() -> frozenset[str]:
    return as_set(BEINGS)


def subject_of(noun: Tokens, scene: Scene) -> Subject | None:
    first = noun[0].lower()
    words = [part for part in noun if part != ","]
    if first in ("my", "our"):
        return _owned(words[1:], scene)
    if first in ("his", "her", "their") and len(words) > 1:
        return _someones(first, words[1:], scene)
    if first in ("this", "that") and len(words) > 1 and words[-1].lower() not in people():
        return None  # what one points at need not be one's own
    if first in ("the", "this", "that") and len(words) > 1:
        return _definite(words[1:], scene)
    if first in ("nobody", "everyone", "everybody", "noone", "half", "most") and len(words) > 2:
        group = re.sub(r"\b(?:my|our|the)\b", "the user's", text_of(words), count=1)
        return Subject(capital(group), text_of(words[2:]), "") if "the user's" in group else None
    if is_name(words[0]) and scene.find(words[0]) and len(words) == 1:
        return _named(words, scene)
    if first in people() or " ".join(words[:2]).lower() in people() or is_own(words):
        words[0] = words[0] if words[0].isupper() else words[0].lower()
        scene.cased.pop(words[0], None)
        return _owned(words, scene)
    return _named(words, scene)


def _owned(words: Tokens, scene: Scene) -> Subject | None:
    """`my sister Ingrid`, `my driving test`, `my husband's side`."""
    if not words:
        return None
    text = scene.named(text_of(words))
    name = next((word for word in reversed(words) if is_name(word)), "")
    lowered = text.lower()
    found = _being().search(lowered)
    relation = found[1] if found else ""
    rewritten_text = re.sub(r"\b(?:my|our)\b", "their", text)
    if re.search(r"\bi\b|\byou\b", lowered):
        return None
    if relation and name and "'s" not in lowered and " and " not in lowered:
        full = re.sub(r"^.*?((?:(?:Mr|Mrs|Ms|Dr)\.? )?" + re.escape(name) + r")$", r"\1", text)
        scene.meet(Someone(full, relation, gender_of(relation), relation in as_set(PETS)))
        return Subject(f"The user's {rewritten_text}", full, USER)
    if relation and lowered.endswith(relation) and "'s" not in lowered:
        known = next((one for one in reversed(scene.people) if one.relation == relation), None)
        someone = known or Someone(relation, relation)
        scene.meet(someone)
        if re.search(r"(?:[^s]s|children|folks)$", relation):
            scene.group = f"the user's {rewritten_text}"
        return Subject(f"The user's {rewritten_text}", someone.name, USER)
    if relation and re.search(r"(?:s|children|folks|in-laws)$", lowered) and "'s" not in lowered:
        scene.group = f"the user's {rewritten_text}"
    if (
        name
        and words[-1] == name
        and not re.search(r" (?:to|from|in|at|for|on|with|of) ", lowered)
        and "'s" not in lowered
        and " and " not in lowered
        and len(words) <= 4
    ):
        scene.meet(Someone(name, "", gender_of(relation)))
        return Subject(f"The user's {rewritten_text}", name, USER)
    if relation and " and " in lowered:
        scene.group = f"the user's {rewritten_text}"
    owner, _, kind = rewritten_text.rpartition("'s ")
    if owner and kind in people():
        scene.meet(
            Someone(kind, kind, gender_of(kind), kind in as_set(PETS), f"the user's {owner}")
        )
    else:
        scene.things.append(f"the user's {rewritten_text}")
    return Subject(f"The user's {rewritten_text}", rewritten_text, USER)


@cache
def _being() -> re.Pattern[str]:
    return re.compile(rf"(?:^|\s)({alternatives(BEINGS)})(?=\s|$)")


def _someones(pronoun: str, words: Tokens, scene: Scene) -> Subject | None:
    someone = scene.meant_by({"his": "he", "her": "she"}.get(pronoun, "they"))
    if someone is None:
        return None
    thing = text_of(words)
    return Subject(f"{capital(someone.full)}'s {thing}", f"{someone.name}'s {thing}", someone.name)


def _definite(words: Tokens, scene: Scene) -> Subject | None:
    """`the dog`, `the new boiler`: the user's where it is of a kind that people have."""
    text = scene.named(text_of(words))
    last = words[-1].lower()
    if words[0].lower() == "new" and len(words) > 1:
        return _owned(words, scene)
    if len(words) > 1 and words[0].endswith("s'") and words[0].lower().rstrip("'") in people():
        return Subject(f"The user's {text}", text, USER)
    if len(words) > 2 and words[1] == "'s" and is_own(words[:1]):
        return Subject(f"The user's {text}", text.split("'s ", 1)[1], USER)
    if last in people() or is_own(words):
        known = next((one for one in reversed(scene.people) if one.relation == last), None)
        if known:
            scene.meet(known)
        else:
            scene.things.append(f"the user's {text}")
        return Subject(f"The user's {text}", known.name if known else text, USER)
    for name in scene.cased.values():
        if name.lower() in text.lower().split():
            return Subject(f"The {text}", text, "the" if words[-1].islower() else "")
    if len(words) <= 4:
        scene.things.append(f"the {text}")
        return Subject(f"The {text}", text, "the")
    return None


def is_own(words: Tokens) -> bool:
    """Whether a noun without "my" is the user's all the same: `rent`, `new boss`, `thesis`."""
    return _own().fullmatch(" ".join(word.lower() for word in words)) is not None


_OWN = """
    rent budget deadline target goal address number email birthday surname job boss manager
    landlord day_job side_hustle commute schedule shift shifts salary rate day_rate mortgage
    thesis dissertation novel book project stack car bike van truck house flat apartment condo
    place room bedroom kitchen bathroom garden oven boiler laptop phone computer pc contract visa
    wedding venue funeral ceremony surgery op operation appointment mot flight exam exams
    interview course class classes team company firm business shop cafe café restaurant salon
    studio practice farm pickup drop-off pb choir book_club physio tafe gym therapy school_run
    plan dream cruise trip holiday vacation honeymoon postdoc phd internship placement
    apprenticeship degree supervisor advisor deposit savings pension word_count working_title
    title firm_choice insurance_choice first_choice favourite_\\w+ ankles knees knee wrist wrists
    back hip hips shoulder eyesight hearing blood_pressure hba1c cholesterol heart_rate
    oven_temperature fitter builder cleaner dog cat kids kid baby assessment due_date scan
    mot_test driving_test test results headaches headache migraines website site app server
    database db repo codebase api backend frontend pipeline deployment allotment greenhouse pool
    boat caravan campervan tank moped scooter scooter keyboard camera lease tenancy landlady
    neighbours neighbour warden insurance claim parking current_account account next_goal next_one
    hq office headcount summer_hours winter_hours opening_hours hours side_project main_project
    first_language native_language mother_tongue hometown leaving_do last_day_at_\\w+
    last_shift_at_\\w+ last_day last_shift staging production prod tests ci repo monorepo infra
    build linter docs backups logs deposit_target deposit_goal savings_goal rota shift_pattern
    height weight shoe_size voice pronouns
"""


@cache
def _own() -> re.Pattern[str]:
    entries = "|".join(entry.replace("_", " ") for entry in _OWN.split())
    return re.compile(
        r"(?:(?!the|a|an|this|that|his|her|their|your|its|every|some|any|no\b)[\w-]+ )?"
        rf"(?:{entries})(?: (?:at|in|for|of|on) (?:work|home|school|\w+))?(?: (?:deadline"
        r"|date|target|goal|budget|time|hours?))?"
    )


def _named(words: Tokens, scene: Scene) -> Subject | None:
    """`Ingrid`, `callum and i`, `Jordan's dad`: someone by name, known or capitalised."""
    text = scene.named(text_of(words))
    parts = text.split()
    if re.search(r"\b(?:i|me)\b", text, re.I) and " and " in text:
        others = re.sub(r"\s*\b(?:and (?:i|me|myself)|(?:i|me) and)\b\s*", "", text, flags=re.I)
        if others and is_name(others.split()[0]):
            scene.meet(Someone(others))
            return Subject(f"The user and {others}", USER)
        return None
    if len(parts) == 1 and text.islower() and text.isalpha() and _may_be_name(text):
        return Subject(text.capitalize(), text.capitalize(), "??")
    if not is_name(parts[0]) or len(parts) > 6:
        return None
    if "'s" in text and not text.endswith("'s"):
        owner = text.split("'s")[0]
        thing = text.split("'s", 1)[1].strip()
        if thing.lower() in people() and (known := scene.find(owner)):
            return Subject(f"{known.full}'s {thing}", f"{known.name}'s {thing}", known.name)
        return Subject(text, text, owner)
    someone = scene.find(text) or scene.find(parts[0])
    if someone:
        scene.meet(someone)
        shown = (
            text
            if len(parts) == 1 or not re.search(r" (?:from|at|in) ", text)
            else re.sub(r"\b(?:my|our)\b", "the user's", text)
        )
        return Subject(capital(shown), someone.name, "")
    if (
        len(parts) > 1
        and not re.match(r"(?:Mr|Mrs|Ms|Dr|Prof)\.?$", parts[0])
        and parts[1].islower()
    ):
        text = re.sub(r"\b(?:my|our)\b", "the user's", text)
    scene.meet(Someone(parts[0] if len(parts) > 1 and parts[1].islower() else text))
    return Subject(text, parts[0] if len(parts) > 1 and parts[1].islower() else text, "?")


def _may_be_name(word: str) -> bool:
    """Whether a word in small letters may be a name: no word of any list here."""
    return (
        len(word) > 2
        and word not in ENGLISH
        and word not in as_set(JOBS)
        and word not in people()
        and not forms_of(word)
        and not word.endswith(("s", "ing", "ly", "tion", "ness"))
    )


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


__all__ = ["Subject", "capital", "is_own", "people", "subject_of"]
