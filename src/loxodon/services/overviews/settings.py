"""Every setting, what it is, and where that comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from loxodon import config as settings
from loxodon.config import ENVIRONMENT, KEYS, Config


class Setting(NamedTuple):
    """A setting as it is."""

    name: str
    value: str | int | float | bool
    """A secret is masked."""
    default: str | int | float | bool
    source: str
    """`default`, `file` (config.toml), `environment`, or `program` that opened the memory."""
    variable: str
    """The variable of the environment that can set it; empty if there is none."""
    about: str


Settings = list[Setting]


def listed(config: Config, home: str, environ: Mapping[str, str]) -> Settings:
    """Every setting of an open memory, in the order of the table."""
    shown, real = settings.shown(config), settings.flat(config)
    in_file = settings.flat(settings.load(home))
    variables = {name: variable for variable, name in ENVIRONMENT.items()}
    found = []
    for name, key in KEYS.items():
        value, variable = real[name], variables.get(name, "")
        said = environ.get(variable) if variable else None
        if said and settings.checked(name, said) == value:
            source = "environment"
        elif value == key.default:
            source = "default"
        else:
            source = "file" if in_file[name] == value else "program"
        found.append(Setting(name, shown[name], key.default, source, variable, key.about))
    return found
