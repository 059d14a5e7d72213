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
_SECTIONS = {"kinds", "rules", "exceptions"}
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
    """The policy of `home`; a ConfigError that names the line for a file that is wrong."""
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
        text = data.decode("utf-8")
        return _Reading(path, text, tomllib.loads(text)).policy()
    except ValueError as error:
        raise ConfigError(
            "{path} is not valid TOML: {reason}",
            hint="fix that line, or move the file away to use the defaults",
            path=path,
            reason=error,
        ) from None


def too_large(path: str) -> ConfigError:
    return ConfigError("{path} is too large", hint="the maximum size is 1 MiB", path=path)


class _Reading:
    """A policy.toml while it is read."""

    def __init__(self, path: str, text: str, given: Mapping[str, Any]) -> None:
        self._path = path
        self._lines = text.splitlines()
        self._given = given

    def policy(self) -> Policy:
        for name in self._given:
            with self._at(self._line_of(name)):
                if name not in _SECTIONS:
                    raise ConfigError(
                        "unknown section {name}",
                        hint="use [kinds], [[rules]] or [[exceptions]]",
                        name=repr(name),
                    )
        base = built_in()
        own = [self._rule(n, rule) for n, rule in enumerate(self._tables("rules"))]
        all_rules = (*(rule for rule, _ in own), *base.rules)
        actions = {**base.actions, **{rule.kind: action for rule, action in own}}
        actions |= self._kinds({rule.kind: rule.family for rule in reversed(all_rules)})
        names = frozenset(rule.kind for rule, _ in own)
        return Policy(all_rules, actions, self._exceptions(), names)

    def _tables(self, name: str) -> Sequence[Mapping[str, Any]]:
        found = self._given.get(name, [])
        with self._at(self._line_of(name)):
            if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
                raise ConfigError(
                    "{name} must be an array of tables",
                    hint="write [[{name}]] above each",
                    name=name,
                )
        return found

    def _kinds(self, families: Mapping[str, Family]) -> dict[str, Action]:
        """What to do with kinds; a family stands for those of it that are not named themselves."""
        kinds = self._given.get("kinds", {})
        with self._at(self._line_of("kinds")):
            if not isinstance(kinds, dict):
                raise ConfigError(
                    "{name} must be a table", hint="write [kinds] above it", name="kinds"
                )
        found: dict[str, Action] = {}
        for kind, action in kinds.items():
            with self._at(self._line_of(kind, "kinds")):
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

    def _rule(self, n: int, given: Mapping[str, Any]) -> tuple[Rule, Action]:
        head = self._nth("rules", n)
        for unknown in sorted(given.keys() - _RULE_KEYS):
            with self._at(self._within(head, unknown)):
                raise ConfigError(
                    "a rule has no {name}",
                    hint="known names: {names}",
                    name=repr(unknown),
                    names=", ".join(sorted(_RULE_KEYS)),
                )
        with self._at(self._within(head, "name")):
            name = _name(given.get("name"))
        with self._at(self._within(head, "family")):
            usual = "contact" if given.get("action") == "allow" else "identity"
            family = _family(given.get("family", usual))
        with self._at(self._within(head, "pattern")):
            pattern = _pattern(given.get("pattern"))
        with self._at(self._within(head, "keywords")):
            keywords = _keywords(given.get("keywords", []))
        with self._at(self._within(head, "action")):
            action = _action(given.get("action", "mask"))
        return Rule(name, pattern, family, keywords), action

    def _exceptions(self) -> tuple[str, ...]:
        found = []
        for n, given in enumerate(self._tables("exceptions")):
            head = self._nth("exceptions", n)
            with self._at(head):
                if given.keys() != {"pattern"}:
                    raise ConfigError(
                        "an exception only has a pattern", hint="write pattern = '…' under it"
                    )
            with self._at(self._within(head, "pattern")):
                found.append(_pattern(given["pattern"]))
        return tuple(found)

    @contextmanager
    def _at(self, line: int) -> Iterator[None]:
        """What is found wrong within is said with its line."""
        try:
            yield
        except ConfigError as error:
            raise ConfigError(
                "{path}, line {line}: {error}",
                hint="{error_hint}",
                path=self._path,
                line=line,
                error=error,
            ) from None

    def _line_of(self, key: str, section: str = "") -> int:
        """The line where a key or a section is named; 1 where it cannot be told."""
        start = self._line_of(section) if section else 0
        for n, line in enumerate(self._lines[start:], start + 1):
            plain = line.strip().strip("[]").partition("=")[0].strip().strip("\"'")
            if plain == key or plain.startswith(f"{key}."):
                return n
        return max(start, 1)

    def _nth(self, section: str, n: int) -> int:
        """The line above the table with this number."""
        plain = (line.replace(" ", "") for line in self._lines)
        heads = [at for at, line in enumerate(plain, 1) if line.startswith(f"[[{section}]]")]
        return heads[n] if n < len(heads) else self._line_of(section)

    def _within(self, head: int, key: str) -> int:
        """The line of a key in the table under a line; that line where it has none."""
        for n, line in enumerate(self._lines[head:], head + 1):
            if line.lstrip().startswith("["):
                break
            if line.partition("=")[0].strip() == key:
                return n
        return head


def _name(name: object) -> str:
    plain = name.replace("-", "").replace(" ", "") if isinstance(name, str) else ""
    if not isinstance(name, str) or not plain.isalnum() or len(name) > 40:
        raise ConfigError("the rule needs a name", hint="use up to 40 letters, digits and dashes")
    return name.strip().replace(" ", "-")


def _family(family: object) -> Family:
    for known in FAMILIES:
        if family == known:
            return known
    raise ConfigError(
        "{value} is not a family",
        hint="choose one of {choices}",
        value=repr(family)[:60],
        choices=", ".join(FAMILIES),
    )


def _action(action: object) -> Action:
    for known in ACTIONS:
        if action == known:
            return known
    raise ConfigError(
        "{value} is not an action", hint="use allow, mask or never", value=repr(action)[:60]
    )


def _keywords(given: object) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(one, str) and one for one in given):
        raise ConfigError("keywords must be a list of words", hint='such as ["staff", "工号"]')
    return tuple(given)


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
