"""What is done with what is found: the built-in kinds, and what HOME/policy.toml says otherwise.

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
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from loxodon import files
from loxodon.errors import ConfigError
from loxodon.guard import rules
from loxodon.guard.rules import BY_FAMILY, FAMILIES, Action, Family, Rule

FILE = "policy.toml"
_LONGEST = 2_000  # characters of a pattern; RE2 refuses what would take too much memory besides


class Policy(NamedTuple):
    """The rules, and what is done with each kind."""

    rules: tuple[Rule, ...]
    actions: Mapping[str, Action]
    exceptions: tuple[str, ...] = ()
    own: frozenset[str] = frozenset()  # kinds that the user has added

    def family(self, kind: str) -> Family:
        return next(rule.family for rule in self.rules if rule.kind == kind)


def built_in() -> Policy:
    """The policy of a home that says nothing."""
    found = rules.built_in()
    return Policy(found, {rule.kind: BY_FAMILY[rule.family] for rule in found})


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
    import re2  # type: ignore[import-untyped]

    options = re2.Options()
    options.log_errors = False
    reason = ""
    try:
        if len(pattern) > _LONGEST:
            reason = f"longer than {_LONGEST}"
        elif re2.compile(pattern, options).search("") is not None:
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
