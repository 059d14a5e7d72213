"""What is looked for and what is done with it: `rules.toml`, and what HOME/policy.toml says.

[kinds]
mail = "allow"              # shown everywhere
phone = "never"             # not kept at all

[[rules]]                   # one of your own
name = "staff-number"
pattern = 'ST-\\d{6}'        # RE2; the group `it`, where there is one, is what is hidden
keywords = ["ST-"]          # a text without any of these is not looked at
action = "mask"

[[exceptions]]              # what is never taken for anything
pattern = 'support@acme\\.example'

A pattern is in the syntax of RE2, which takes time in proportion to the text whatever the text is.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, get_args

import re2  # type: ignore[import-untyped]

from loxodon import files
from loxodon.errors import ConfigError

FILE = "policy.toml"
_LONGEST = 2_000  # characters of a pattern; RE2 refuses what would take too much memory besides
# What opens something; who somebody is; how they are reached; what is nobody else's affair
Family = Literal["secret", "identity", "contact", "private"]
# Kept and shown; kept, and shown as a mask; not kept at all
Action = Literal["allow", "mask", "never"]
FAMILIES: tuple[Family, ...] = get_args(Family)
# What is done where nobody has said otherwise
BY_FAMILY: dict[Family, Action] = {
    "secret": "never",
    "identity": "mask",
    "contact": "mask",
    "private": "allow",
}
_FRAGMENT = re.compile(r"<([A-Z][A-Z_0-9]*)>")


class Rule(NamedTuple):
    kind: str
    pattern: str
    family: Family = "secret"
    keywords: tuple[str, ...] = ()
    prefilter: str = ""
    entropy: float = 0.0
    check: str = ""


class Policy(NamedTuple):
    """The rules, and what is done with each kind."""

    rules: tuple[Rule, ...]
    actions: Mapping[str, Action]
    exceptions: tuple[str, ...] = ()
    own: frozenset[str] = frozenset()  # kinds that the user has added


@cache
def table(name: str) -> dict[str, Any]:
    """What stands in a TOML file of this package."""
    with open(os.path.join(os.path.dirname(__file__), f"{name}.toml"), "rb") as file:
        return tomllib.load(file)


def options(**given: bool) -> Any:
    """How RE2 is to look for something."""
    found = re2.Options()
    for name, value in {"log_errors": False, "max_mem": 64 << 20, **given}.items():
        setattr(found, name, value)
    return found


def compiled(pattern: str, **given: bool) -> Any:
    return re2.compile(pattern, options(**given))


@cache
def words(name: str) -> tuple[str, ...]:
    """A list of words that the checks need."""
    return tuple(table("rules")["words"][name])


def expanded(pattern: str) -> str:
    """A pattern with the fragments that it names in their places."""
    fragments: dict[str, str] = table("rules")["fragments"]
    while (found := _FRAGMENT.sub(lambda name: fragments[name[1]], pattern)) != pattern:
        pattern = found
    return pattern


@cache
def built_in() -> Policy:
    """The policy of a home that says nothing; its rules in the order in which they are tried."""
    rules = list[Rule]()
    for given in table("rules")["rules"]:
        one = Rule(**{name: given[name] for name in Rule._fields if name in given})
        patterns: Any = {it: expanded(getattr(one, it)) for it in ("pattern", "prefilter")}
        rules.append(one._replace(keywords=tuple(one.keywords), **patterns))
    return Policy(tuple(rules), {rule.kind: BY_FAMILY[rule.family] for rule in rules})


def load(home: str) -> Policy:
    """The policy of `home`; a ConfigError that names the rule for a file that is wrong."""
    path = os.path.join(home, FILE)
    try:
        return parsed(files.read(path), path)
    except (FileNotFoundError, NotADirectoryError):
        return built_in()
    except OSError as error:
        raise ConfigError(
            "cannot read {path}: {reason}",
            hint="check its permissions, or choose another home with --home",
            path=path,
            reason=error.strerror,
        ) from None


def parsed(data: bytes, path: str) -> Policy:
    """The policy in a file that was read from `path`; a ConfigError where it makes no sense."""
    base, given = built_in(), _read(data, path)
    own: dict[Rule, Action] = {}
    for n, one in enumerate(given.rules, 1):
        family: Family = one.family or ("contact" if one.action == "allow" else "identity")
        pattern = _pattern(one.pattern, f"{path}, rule {n}")
        kind = one.name.strip().replace(" ", "-")
        own[Rule(kind, pattern, family, tuple(one.keywords))] = one.action
    every = (*own, *base.rules)
    families = {rule.kind: rule.family for rule in reversed(every)}
    actions = {**base.actions, **{rule.kind: action for rule, action in own.items()}}
    for kind, action in given.kinds.items():
        if kind not in families and kind not in FAMILIES:
            raise ConfigError(
                "{path}: unknown kind {name}",
                hint="list the kinds with `loxodon policy`",
                path=path,
                name=repr(kind),
            )
        # A family stands for those of it that are not named themselves.
        of = [one for one, family in families.items() if family == kind and one not in given.kinds]
        actions |= dict.fromkeys([*of, kind] if kind in families else of, action)
    places = enumerate(given.exceptions, 1)
    exceptions = [_pattern(one.pattern, f"{path}, exception {n}") for n, one in places]
    return Policy(every, actions, tuple(exceptions), frozenset(rule.kind for rule in own))


def _read(data: bytes, path: str) -> Any:
    """The tables of the file, checked."""
    import msgspec  # few homes have such a file

    def table(name: str, *fields: Any) -> Any:
        return msgspec.defstruct(name, fields, forbid_unknown_fields=True)

    name: Any = Annotated[
        str, msgspec.Meta(pattern=r"^\s*[^\W_](?:[ -]*[^\W_])*\s*$", max_length=40)
    ]
    word: Any = Annotated[str, msgspec.Meta(min_length=1)]
    how = (("action", Action, "mask"), ("family", Family | None, None))
    rule: Any = table("Rule", ("name", name), ("pattern", word), ("keywords", list[word], []), *how)
    exception: Any = table("Exception", ("pattern", word))
    kinds: Any = ("kinds", dict[str, Action], msgspec.field(default_factory=dict))
    file = table("File", kinds, ("rules", list[rule], []), ("exceptions", list[exception], []))
    try:
        return msgspec.convert(tomllib.loads(data.decode("utf-8")), file)
    except ValueError as error:
        raise ConfigError(
            "{path} is not a valid policy: {reason}",
            hint="fix it, or move the file away to use the defaults",
            path=path,
            reason=error,
        ) from None


def _pattern(pattern: str, place: str) -> str:
    reason = f"longer than {_LONGEST}" if len(pattern) > _LONGEST else ""
    try:
        if not reason and compiled(pattern).search("") is not None:
            reason = "it matches the empty string"
    except re2.error as error:
        said = error.args[0] if error.args else ""
        reason = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    if reason:
        raise ConfigError(
            "{place}: the pattern is not valid RE2: {reason}",
            hint="see github.com/google/re2/wiki/Syntax; lookaround and back references "
            "are not supported",
            place=place,
            reason=reason,
        )
    return pattern


# What has the form of a rule, and the checks that decide whether it is what it looks like


class Candidate(NamedTuple):
    """Something that has the form of a rule, and where it stands."""

    text: str  # all of the text, folded to plain digits and letters
    start: int
    end: int
    name: str = ""  # what it is called there, where the rule says so

    @property
    def it(self) -> str:
        return self.text[self.start : self.end]

    @property
    def value(self) -> str:
        """Without the marks of a sentence behind it."""
        return self.it.rstrip(".,;:!?)]}>\"'`*，。；：！？）】》、")

    @property
    def digits(self) -> str:
        return "".join(filter(str.isdigit, self.it))

    @property
    def before(self) -> str:
        return self.text[self.start - 1 : self.start] if self.start else ""

    @property
    def after(self) -> str:
        return self.text[self.end : self.end + 1]

    def lead(self, size: int) -> str:
        """The characters right before it."""
        return self.text[max(0, self.start - size) : self.start]


Spans = Sequence[tuple[int, int]]  # what is hidden of a candidate; nothing where it is none
Check = Callable[[Candidate], Spans]
Test = Callable[[Candidate], bool]
_TRAILING = ".,;:)]}>\"'`*，。；：）】》、"
_JOINS = frozenset("-_./+:\\=#@&%~")  # what joins a number to more of the same: an id, a path


def is_part(c: str) -> bool:
    """Whether a character goes on with a word or a number."""
    return c.isascii() and c.isalnum()


def alone(one: Candidate) -> bool:
    """Not a piece of something longer: a word, a decimal, an id, a path."""
    if is_part(one.before) or is_part(one.after) or "_" in (one.before, one.after):
        return False
    text, start, end = one.text, one.start, one.end
    if one.before in _JOINS and start > 1 and is_part(text[start - 2]):
        return False
    if one.before in ("/", "#", "=", "%", "\\"):
        return one.before == "=" and not is_part(text[start - 2 : start - 1])
    return not (one.after in _JOINS and end + 1 < len(text) and is_part(text[end + 1]))


CHECKS: dict[str, Check] = {}  # by the names that `rules.toml` has for them


def add_checks(*tests: Test, trims: bool = False, **named: Test) -> None:
    """Add checks that hide what the tests accept."""

    def check(test: Test) -> Check:
        def spans(one: Candidate) -> Spans:
            size = max(1, len(one.it.rstrip(_TRAILING))) if trims else len(one.it)
            return [(one.start, one.start + size)] if test(one) else ()

        return spans

    CHECKS.update((name, check(test)) for name, test in named.items())
    CHECKS.update((test.__name__, check(test)) for test in tests)


add_checks(alone)
