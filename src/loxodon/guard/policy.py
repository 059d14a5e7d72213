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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from loxodon import files
from loxodon.errors import ConfigError
from loxodon.guard import rules
from loxodon.guard.rules import ACTIONS, BY_FAMILY, FAMILIES, Action, Family, Rule

FILE = "policy.toml"
LARGEST = 1 << 20  # bytes of a file
_LONGEST = 2_000  # characters of a pattern; RE2 refuses what would take too much memory besides
_RULE_KEYS = {"name", "pattern", "keywords", "action", "family"}


class Policy(NamedTuple):
    """The rules, and what is done with each kind."""

    rules: tuple[Rule, ...]
    actions: Mapping[str, Action]
    exceptions: tuple[str, ...] = ()
    own: frozenset[str] = frozenset()
    """Kinds that the user has added."""

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
        if files.size(path) > LARGEST:
            raise too_large(path)
        data = files.read(path)
    except (FileNotFoundError, NotADirectoryError):
        return built_in()
    except OSError as error:
        raise ConfigError(
            "cannot read {path}: {reason}",
            hint="check its permissions, or choose another home with --home",
            path=path,
            reason=error.strerror,
        ) from None
    return parsed(data, path)


def parsed(data: bytes, path: str) -> Policy:
    """The policy in a file that was read from `path`; a ConfigError where it makes no sense."""
    if len(data) > LARGEST:
        raise too_large(path)
    try:
        given = tomllib.loads(data.decode("utf-8"))
    except ValueError as error:
        raise ConfigError(
            "{path} is not valid TOML: {reason}",
            hint="fix that line, or move the file away to use the defaults",
            path=path,
            reason=error,
        ) from None
    with _in(path):
        for name in given.keys() - {"kinds", "rules", "exceptions"}:
            raise ConfigError(
                "unknown section {name}",
                hint="use [kinds], [[rules]] or [[exceptions]]",
                name=repr(name),
            )
        base = built_in()
        own = [_rule(n, one, path) for n, one in enumerate(_tables(given, "rules"), 1)]
        rules = (*(rule for rule, _ in own), *base.rules)
        actions = {**base.actions, **{rule.kind: action for rule, action in own}}
        actions |= _kinds(given.get("kinds", {}), rules, path)
        exceptions = []
        for n, one in enumerate(_tables(given, "exceptions"), 1):
            with _in(f"{path}, exception {n}"):
                if one.keys() != {"pattern"}:
                    raise ConfigError(
                        "an exception only has a pattern", hint="write pattern = '…' under it"
                    )
                exceptions.append(_pattern(one["pattern"]))
        names = frozenset(rule.kind for rule, _ in own)
        return Policy(rules, actions, tuple(exceptions), names)


def too_large(path: str) -> ConfigError:
    return ConfigError("{path} is too large", hint="the maximum size is 1 MiB", path=path)


@contextmanager
def _in(place: str) -> Iterator[None]:
    """What is found wrong within is said with its place."""
    try:
        yield
    except ConfigError as error:
        if error.template == _AT:
            raise
        raise ConfigError(_AT, hint="{error_hint}", place=place, error=error) from None


_AT = "{place}: {error}"


def _tables(given: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    found = given.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise ConfigError(
            "{name} must be an array of tables", hint="write [[{name}]] above each", name=name
        )
    return found


def _kinds(kinds: Any, rules: Sequence[Rule], path: str) -> dict[str, Action]:
    """What to do with kinds; a family stands for those of it that are not named themselves."""
    if not isinstance(kinds, dict):
        raise ConfigError("{name} must be a table", hint="write [kinds] above it", name="kinds")
    families = {rule.kind: rule.family for rule in reversed(rules)}
    found: dict[str, Action] = {}
    for kind, action in kinds.items():
        with _in(f"{path}, [kinds] {kind}"):
            if kind not in families and kind not in FAMILIES:
                raise ConfigError(
                    "unknown kind {name}",
                    hint="list the kinds with `loxodon policy`",
                    name=repr(kind),
                )
            checked = _action(action)
        of = [one for one, family in families.items() if family == kind and one not in kinds]
        found |= dict.fromkeys((*of, kind) if kind in families else of, checked)
    return found


def _rule(n: int, given: Mapping[str, Any], path: str) -> tuple[Rule, Action]:
    with _in(f"{path}, rule {n}"):
        for unknown in sorted(given.keys() - _RULE_KEYS):
            raise ConfigError(
                "a rule has no {name}",
                hint="known names: {names}",
                name=repr(unknown),
                names=", ".join(sorted(_RULE_KEYS)),
            )
        name = given.get("name")
        plain = name.replace("-", "").replace(" ", "") if isinstance(name, str) else ""
        if not isinstance(name, str) or not plain.isalnum() or len(name) > 40:
            raise ConfigError(
                "the rule needs a name", hint="use up to 40 letters, digits and dashes"
            )
        family = given.get("family", "contact" if given.get("action") == "allow" else "identity")
        if family not in FAMILIES:
            raise ConfigError(
                "{value} is not a family",
                hint="choose one of {choices}",
                value=repr(family)[:60],
                choices=", ".join(FAMILIES),
            )
        keywords = given.get("keywords", [])
        if not isinstance(keywords, list) or not all(
            isinstance(one, str) and one for one in keywords
        ):
            raise ConfigError("keywords must be a list of words", hint='such as ["staff", "工号"]')
        kind = name.strip().replace(" ", "-")
        rule = Rule(kind, _pattern(given.get("pattern")), family, tuple(keywords))
        return rule, _action(given.get("action", "mask"))


def _action(action: Any) -> Action:
    if action not in ACTIONS:
        raise ConfigError(
            "{value} is not an action", hint="use allow, mask or never", value=repr(action)[:60]
        )
    return ACTIONS[ACTIONS.index(action)]


def _pattern(pattern: object) -> str:
    import re2  # type: ignore[import-untyped]

    if not isinstance(pattern, str) or not pattern or len(pattern) > _LONGEST:
        raise ConfigError(
            "the pattern is missing, or too long",
            hint="write a text of up to {most} characters",
            most=_LONGEST,
        )
    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        shown = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise ConfigError(
            "the pattern is not valid RE2: {reason}",
            hint="see github.com/google/re2/wiki/Syntax; lookaround and back references "
            "are not supported",
            reason=shown,
        ) from None
    if compiled.search("") is not None:
        raise ConfigError(
            "the pattern matches the empty string", hint="make it require at least one character"
        )
    return pattern
