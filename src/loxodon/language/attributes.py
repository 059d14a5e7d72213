"""What can be known of someone, by name, and whether it has one value at a time.

An attribute with one value replaces what was known before; one with many gathers. A statement that
fits none of these is kept under no attribute, and compared by its words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from loxodon.config import ImportanceConfig

if TYPE_CHECKING:
    from loxodon.language.statements import Statement

About = str  # What an attribute is about: a key of the next table
# How much that matters by itself, and the category of what is about it
_ABOUT: dict[About, tuple[float, str]] = {
    "identity": (1.0, "identity"),
    "health": (1.0, "health"),
    "safety": (1.0, "health"),
    "preference": (0.8, "preference"),
    "relation": (0.8, "relation"),
    "change": (0.8, "status"),
    "decision": (0.8, "decision"),
    "fact": (0.5, "fact"),
    "temporary": (0.2, "temp"),
}
IMPORTANCE = {category: importance for importance, category in _ABOUT.values()}


class AttributeRule(NamedTuple):
    one: bool  # One value at a time
    about: About
    category: str

    @property
    def importance(self) -> float:
        return _ABOUT[self.about][0]


_ONE: dict[About, str] = {
    "identity": (
        "name nickname age birthday gender nationality hometown zodiac occupation native_language "
        "religion marital_status blood_type height weight eyesight shoe_size clothes_size "
        "education grade salary ethnicity"
    ),
    "change": (
        "home employer workplace school major partner_status commute car phone computer "
        "living_with whereabouts bedtime wake_time"
    ),
    "preference": "reply_language reply_style form_of_address units favourite",
    "decision": "deploy_target database default_branch version",
    "relation": "partner manager doctor teacher therapist landlord holder",
    "fact": "size theme contact budget timezone goal deadline price score record setting",
}
_MANY: dict[About, str] = {
    "health": "allergy condition medication dose diet surgery injury symptom vaccine pregnancy",
    "safety": "emergency_contact safety",
    "preference": "likes dislikes prefers avoids",
    "relation": "child parent sibling relative friend colleague pet neighbour ex knows",
    "identity": "language skill degree certificate",
    "decision": "decision uses stack rule convention project",
    "change": "event",
    "fact": "owns hobby habit plan membership subscription visited reads plays watches",
    "temporary": "todo reminder mood feeling",
}
_OWN_CATEGORY = {
    "plan": "plan goal deadline todo reminder",
    "config": "uses stack version convention deploy_target database default_branch",
    "event": "event",
    "fact": "project",
}


_OWN = {name: category for category, names in _OWN_CATEGORY.items() for name in names.split()}
ATTRIBUTES = {
    name: AttributeRule(one, about, _OWN.get(name, _ABOUT[about][1]))
    for one, groups in ((True, _ONE), (False, _MANY))
    for about, names in groups.items()
    for name in names.split()
}


def weighed(said: Statement, config: ImportanceConfig) -> Statement:
    """A statement that matters as much as the settings let such a thing matter."""
    usual = IMPORTANCE.get(said.category, 0.5)
    usual = ATTRIBUTES[said.attribute].importance if said.attribute else usual
    level = next(name for name, one in ImportanceConfig()._asdict().items() if one == usual)
    weight = said.importance + getattr(config, level) - usual
    return said._replace(importance=round(min(1.0, max(0.0, weight)), 2))


# Of one thing only one of these is true
OPPOSITES: dict[str, tuple[str, ...]] = {
    "likes": ("dislikes", "avoids"),
    "prefers": ("dislikes", "avoids"),
    "dislikes": ("likes", "prefers"),
    "avoids": ("likes", "prefers", "diet"),
}

# One value at a time, but of one thing: the best film is not the best colour
_OF_SOMETHING = (
    "doctor teacher favourite setting theme version goal price score record deadline reply_style"
)
OF_SOMETHING = frozenset(_OF_SOMETHING.split())

# What people call a thing of which one value is known: `I sold the car`
CALLED = {
    word: attributes
    for words, *attributes in (
        ("job 工作", "employer", "occupation"),
        ("car 车 车子", "car"),
        ("phone 手机", "phone"),
        ("laptop 电脑", "computer"),
    )
    for word in words.split()
}
