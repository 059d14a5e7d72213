"""Every setting, what it is, and where that comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from loxodon import config as settings
from loxodon.config import ENVIRONMENT, KEYS, Config


class Setting(NamedTuple):
    """A setting as it is."""

    name: str
    value: str | int | float
    """A secret is masked."""
    default: str | int | float
    source: str
    """`default`, `file` (config.toml), `environment`, or `program` that opened the memory."""
    variable: str
    """The variable of the environment that can set it; empty if there is none."""
    about: str


def listed(config: Config, home: str, environ: Mapping[str, str]) -> list[Setting]:
    """Every setting of an open memory, in the order of the table."""
    shown, real = settings.shown(config), settings.flat(config)
    in_file = settings.flat(settings.load(home))
    variables = {name: variable for variable, name in ENVIRONMENT.items()}
    found = []
    for name, key in KEYS.items():
        variable = variables.get(name, "")
        if variable and environ.get(variable) and str(real[name]) == _meant(name, environ[variable]):
            source = "environment"
        elif real[name] == key.default:
            source = "default"
        else:
            source = "file" if in_file[name] == real[name] else "program"
        found.append(Setting(name, shown[name], key.default, source, variable, key.about))
    return found


def _meant(name: str, text: str) -> str:
    return str(settings.checked(name, text))
