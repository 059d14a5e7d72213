"""Settings that come with somebody's data: they are shown, and the owner takes them.

An import, a backup, a folder that is restored may have settings in it, and whoever made it may be a
stranger. An address among them would be sent what is private, a policy would let secrets in, a
record could be switched off. So nothing is set by bringing data in. After a yes for all of them
those are set that do no more than tune (`config.TUNING`); each other one has to be named.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from loxodon import config
from loxodon.errors import ConfigError, UsageError

Value = str | int | float
POLICY = "policy"
"""What a `policy.toml` is called where it is offered; its value is the text of the file."""


class Choice(NamedTuple):
    """Which of the settings that are offered the owner takes."""

    all: bool = False
    """Those that do no more than tune."""
    named: Collection[str] = ()
    """Whatever they do."""

    def takes(self, name: str) -> bool:
        return name in self.named or (self.all and config.is_tuning(name))

    def check(self, offered: Collection[str]) -> None:
        """Refuse a name that nobody offers."""
        for name in self.named:
            if name not in offered:
                raise UsageError(
                    "it contains no setting {name}",
                    hint="names found: {names}",
                    name=repr(name),
                    names=", ".join(offered) or "—",
                )


NOTHING = Choice()


def in_toml(data: bytes) -> dict[str, Value]:
    """The settings of a config.toml that somebody else wrote, which are not as they are anyway.

    Keys are never among them, nor is what cannot be a setting.
    """
    import tomllib

    try:
        given = config.flattened(tomllib.loads(data.decode("utf-8")))
    except (ValueError, RecursionError):
        return {}
    found: dict[str, Value] = {}
    for name, value in given.items():
        try:
            checked = config.checked(name, value)
        except ConfigError:
            continue
        if name not in config.SECRET and checked != config.DEFAULTS[name]:
            found[name] = checked
    return found


def put(home: str, settings: Mapping[str, Value]) -> None:
    """Set what was taken."""
    for name, value in settings.items():
        config.write(home, name, config.written(value))
