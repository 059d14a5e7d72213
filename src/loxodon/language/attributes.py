"""What can be known of someone, by name, and whether it has one value at a time.

An attribute with one value replaces what was known before; one with many gathers. A statement that
fits none of these is kept under no attribute, and compared by its words.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

# What an attribute is about; `importance_of` says how much that matters by itself
About = Literal[
    "identity",
    "health",
    "safety",
    "preference",
    "relation",
    "change",
    "decision",
    "fact",
    "temporary",
]

_IMPORTANCE: dict[About, float] = {
    "identity": 1.0,
    "health": 1.0,
    "safety": 1.0,
    "preference": 0.8,
    "relation": 0.8,
    "change": 0.8,
    "decision": 0.8,
    "fact": 0.5,
    "temporary": 0.2,
}


def importance_of(about: About) -> float:
    """How much what is about this matters by itself."""
    return _IMPORTANCE[about]


class AttributeRule(NamedTuple):
    one: bool  # One value at a time
    about: About
    category: str

    @property
    def importance(self) -> float:
        return importance_of(self.about)


_ONE = {
    "identity": (
        "name nickname age birthday gender nationality hometown zodiac occupation native_language "
        "religion marital_status blood_type height weight eyesight shoe_size clothes_size "
        "education grade salary ethnicity"
    ),
    "change": (
        "home employer workplace school major partner_status commute car phone computer "
        "living_with bedtime wake_time"
    ),
    "preference": "reply_language reply_style form_of_address units favourite",
    "decision": "deploy_target database default_branch version",
    "relation": "partner manager doctor teacher therapist landlord holder",
    "fact": "size theme contact budget timezone goal deadline price score record setting",
}
_MANY = {
    "health": "allergy condition medication dose diet surgery injury symptom vaccine pregnancy",
    "safety": "emergency_contact safety",
    "preference": "likes dislikes prefers avoids",
    "relation": "child parent sibling relative friend colleague pet neighbour ex knows",
    "identity": "language skill degree certificate",
    "decision": "decision uses stack rule convention",
    "change": "event",
    "fact": "owns hobby habit plan project membership subscription visited reads plays watches",
    "temporary": "todo reminder mood feeling",
}
_CATEGORY: dict[About, str] = {
    "identity": "identity",
    "health": "health",
    "safety": "health",
    "preference": "preference",
    "relation": "relation",
    "change": "status",
    "decision": "decision",
    "fact": "fact",
    "temporary": "temp",
}
_OWN_CATEGORY = {
    "plan": "plan",
    "goal": "plan",
    "deadline": "plan",
    "todo": "plan",
    "reminder": "plan",
    "uses": "config",
    "stack": "config",
    "version": "config",
    "convention": "config",
    "event": "event",
    "deploy_target": "config",
    "database": "config",
    "default_branch": "config",
}


def _table() -> dict[str, AttributeRule]:
    found: dict[str, AttributeRule] = {}
    for one, groups in ((True, _ONE), (False, _MANY)):
        for about, names in groups.items():
            for name in names.split():
                category = _OWN_CATEGORY.get(name, _CATEGORY[about])  # type: ignore[index]
                found[name] = AttributeRule(one, about, category)  # type: ignore[arg-type]
    return found


ATTRIBUTES = _table()

# Of one thing only one of these is true
OPPOSITES: dict[str, tuple[str, ...]] = {
    "likes": ("dislikes", "avoids"),
    "prefers": ("dislikes", "avoids"),
    "dislikes": ("likes", "prefers"),
    "avoids": ("likes", "prefers", "diet"),
}

# One value at a time, but of one thing: the best film is not the best colour
OF_SOMETHING = frozenset(
    [
        "doctor",
        "teacher",
        "favourite",
        "setting",
        "theme",
        "version",
        "goal",
        "price",
        "score",
        "record",
        "deadline",
        "reply_style",
    ]
)

# What people call a thing of which one value is known: `I sold the car`
CALLED = {
    "job": ("employer", "occupation"),
    "工作": ("employer", "occupation"),
    "car": ("car",),
    "车": ("car",),
    "车子": ("car",),
    "phone": ("phone",),
    "手机": ("phone",),
    "laptop": ("computer",),
    "电脑": ("computer",),
}
