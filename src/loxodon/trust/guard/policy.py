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
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from loxodon import files
from loxodon.errors import ConfigError
from loxodon.trust.guard import told
from loxodon.trust.guard.rules import ACTIONS, BY_FAMILY, FAMILIES, TOKENS, Action, Family, Rule
from loxodon.trust.guard.rules_commands import COMMANDS
from loxodon.trust.guard.rules_context import CONTEXT
from loxodon.trust.guard.rules_personal import PERSONAL

FILE = "policy.toml"
LARGEST = 1 << 20
_LONGEST = 2_000
"""Characters of a pattern; RE2 refuses what would take too much memory besides."""


BUILT_IN: tuple[Rule, ...] = (*TOKENS, *CONTEXT, *COMMANDS, *told.RULES, *PERSONAL)
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
    return Policy(BUILT_IN, {rule.kind: BY_FAMILY[rule.family] for rule in BUILT_IN})


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
    # Imported here: a home without a policy of its own does not pay for it.
    import tomllib

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
            if name not in _SECTIONS:
                raise self._wrong(
                    self._line_of(name),
                    ConfigError(
                        "unknown section {name}",
                        hint="use [kinds], [[rules]] or [[exceptions]]",
                        name=repr(name),
                    ),
                )
        base = built_in()
        own = [self._rule(n, rule) for n, rule in enumerate(self._tables("rules"))]
        actions: dict[str, Action] = {**base.actions, **{rule.kind: act for rule, act in own}}
        actions |= self._kinds(actions)
        names = frozenset(rule.kind for rule, _ in own)
        rules = tuple(rule for rule, _ in own)
        return Policy((*rules, *base.rules), actions, self._exceptions(), names)

    def _tables(self, name: str) -> Sequence[Mapping[str, Any]]:
        found = self._given.get(name, [])
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise self._wrong(
                self._line_of(name),
                ConfigError(
                    "{name} must be an array of tables",
                    hint="write [[{name}]] above each",
                    name=name,
                ),
            )
        return found

    def _kinds(self, known: Mapping[str, Action]) -> dict[str, Action]:
        kinds = self._given.get("kinds", {})
        if not isinstance(kinds, dict):
            raise self._wrong(
                self._line_of("kinds"),
                ConfigError("{name} must be a table", hint="write [kinds] above it", name="kinds"),
            )
        found: dict[str, Action] = {}
        for kind, action in kinds.items():
            line = self._line_of(kind, "kinds")
            if kind not in known and kind not in FAMILIES:
                raise self._wrong(
                    line,
                    ConfigError(
                        "unknown kind {name}",
                        hint="list the kinds with `loxodon policy`",
                        name=repr(kind),
                    ),
                )
            checked = self._action(action, line)
            of = [one for one in known if kind in (one, _family(one))]
            found |= {one: checked for one in of if one == kind or one not in kinds}
        return found

    def _action(self, action: object, line: int) -> Action:
        for known in ACTIONS:
            if action == known:
                return known
        raise self._wrong(
            line,
            ConfigError(
                "{value} is not an action", hint="use allow, mask or never", value=repr(action)[:60]
            ),
        )

    def _rule(self, n: int, given: Mapping[str, Any]) -> tuple[Rule, Action]:
        where = self._nth("rules", n)
        unknown = sorted(given.keys() - _RULE_KEYS)
        if unknown:
            raise self._wrong(
                self._within(where, unknown[0]),
                ConfigError(
                    "a rule has no {name}",
                    hint="known names: {names}",
                    name=repr(unknown[0]),
                    names=", ".join(sorted(_RULE_KEYS)),
                ),
            )
        name = given.get("name")
        name = name if isinstance(name, str) else ""
        plain = name.replace("-", "").replace(" ", "")
        if not plain.isalnum() or len(name) > 40:
            raise self._wrong(
                self._within(where, "name"),
                ConfigError(
                    "the rule needs a name", hint="use up to 40 letters, digits and dashes"
                ),
            )
        family = given.get("family", "contact" if given.get("action") == "allow" else "identity")
        if family not in FAMILIES:
            raise self._wrong(
                self._within(where, "family"),
                ConfigError(
                    "{value} is not a family",
                    hint="choose one of {choices}",
                    value=repr(family)[:60],
                    choices=", ".join(FAMILIES),
                ),
            )
        pattern = self._pattern(given.get("pattern"), self._within(where, "pattern"))
        signs = self._keywords(given.get("keywords", []), self._within(where, "keywords"))
        action = self._action(given.get("action", "mask"), self._within(where, "action"))
        return Rule(name.strip().replace(" ", "-"), pattern, signs, family), action

    def _keywords(self, words: object, line: int) -> tuple[str, ...]:
        if not isinstance(words, list) or not all(isinstance(one, str) and one for one in words):
            raise self._wrong(
                line,
                ConfigError("keywords must be a list of words", hint='such as ["staff", "工号"]'),
            )
        return tuple(word.lower().lstrip("~") for word in words)

    def _pattern(self, pattern: object, line: int) -> str:
        import re2  # type: ignore[import-untyped]

        if not isinstance(pattern, str) or not pattern or len(pattern) > _LONGEST:
            raise self._wrong(
                line,
                ConfigError(
                    "the pattern is missing, or too long",
                    hint="write a text of up to {most} characters",
                    most=_LONGEST,
                ),
            )
        options = re2.Options()
        options.log_errors = False
        try:
            compiled = re2.compile(pattern, options)
        except re2.error as error:
            reason = error.args[0] if error.args else ""
            shown = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
            raise self._wrong(
                line,
                ConfigError(
                    "the pattern is not valid RE2: {reason}",
                    hint="see github.com/google/re2/wiki/Syntax; lookaround and back references "
                    "are not supported",
                    reason=shown,
                ),
            ) from None
        if compiled.search("") is not None:
            raise self._wrong(
                line,
                ConfigError(
                    "the pattern matches the empty string",
                    hint="make it require at least one character",
                ),
            )
        return pattern

    def _exceptions(self) -> tuple[str, ...]:
        found = []
        for n, given in enumerate(self._tables("exceptions")):
            where = self._nth("exceptions", n)
            if given.keys() != {"pattern"}:
                raise self._wrong(
                    where,
                    ConfigError(
                        "an exception only has a pattern", hint="write pattern = '…' under it"
                    ),
                )
            found.append(self._pattern(given["pattern"], self._within(where, "pattern")))
        return tuple(found)

    # Lines

    def _line_of(self, key: str, section: str = "") -> int:
        """The line where a key or a section is named; 1 where it cannot be told."""
        start = self._line_of(section) if section else 0
        for n, line in enumerate(self._lines[start:], start + 1):
            plain = line.strip().strip("[]").partition("=")[0].strip().strip("\"'")
            if plain == key or plain.startswith(f"{key}."):
                return n
        return max(start, 1)

    def _nth(self, section: str, n: int) -> int:
        heads = [
            at
            for at, line in enumerate(self._lines, 1)
            if line.replace(" ", "").startswith(f"[[{section}]]")
        ]
        return heads[n] if n < len(heads) else self._line_of(section)

    def _within(self, head: int, key: str) -> int:
        for n, line in enumerate(self._lines[head:], head + 1):
            if line.lstrip().startswith("["):
                break
            if line.partition("=")[0].strip() == key:
                return n
        return head

    def _wrong(self, line: int, error: ConfigError) -> ConfigError:
        return ConfigError(
            "{path}, line {line}: {error}",
            hint="{error_hint}",
            path=self._path,
            line=line,
            error=error,
        )


def _family(kind: str) -> str:
    return next((rule.family for rule in BUILT_IN if rule.kind == kind), "")
