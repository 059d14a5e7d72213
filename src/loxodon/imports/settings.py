"""The settings of a three-layer memory (`config.json`) and of a four-tier one (its `memory` block).

What stands for a setting of ours becomes one. Keys are never copied: they would move from a file
that somebody guards into another. What has no counterpart is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from loxodon import config
from loxodon.errors import ConfigError, InputError
from loxodon.imports.document import number_in, whole
from loxodon.imports.found import Around, Found, Setting, Skipped, problem_at
from loxodon.imports.mem0 import file_of
from loxodon.imports.package import Package
from loxodon.messages import t
from loxodon.types import FileProblem

VERSIONS = ("1", "1.0", "1.1")
_THREE_LAYERS = ("decay_rates", "thresholds", "token_budget", "consolidation", "importance_rules")
_FIXED: Mapping[str, object] = {
    "thresholds.summary_trigger": 3,
    "token_budget.layer1_top1": 0.4,
    "token_budget.layer1_top2": 0.25,
    "token_budget.layer1_top3": 0.15,
    "token_budget.layer1_rest": 0.2,
    "importance_rules.identity_health_safety": 1.0,
    "importance_rules.preference_relation_status": 0.8,
    "importance_rules.general_fact": 0.5,
    "importance_rules.temporary": 0.2,
    "consolidation.fallback_hours": 48,
    "memory.extraction.tokenBudget": 0.6,
    "consolidation.model": "default",
    "memory.enabled": True,
    "memory.provider.type": "openai",
    "provider.type": "openai",
}
"""What is so here too, without a setting."""
_SAME: Mapping[str, str] = {
    "decay_rates.fact": "decay.fact",
    "decay_rates.belief": "decay.belief",
    "decay_rates.summary": "decay.summary",
    "thresholds.archive": "decay.archive",
    "memory.extraction.quietGap": "buffer.quiet",
    "token_budget.layer1_total": "snapshot.budget",
    "consolidation.model": "model.name",
    "memory.model": "model.name",
    "memory.provider.baseUrl": "model.base_url",
    "memory.extraction.dailyFlush": "schedule.daily",
    "consolidation.schedule": "schedule.daily",
}
_ELSEWHERE = ("channels", "tools", "gateway", "agent", "provider", "agents", "skills", "version")
"""Parts of such files that are not about memory."""


def is_config(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    return any(isinstance(value.get(key), Mapping) for key in _THREE_LAYERS) or (
        isinstance(value.get("memory"), Mapping)
        and bool({"enabled", "extraction", "provider", "model"} & value["memory"].keys())
    )


def read(package: Package, around: Around) -> Iterator[Found]:
    return of_file(package, file_of(package))


def of_file(package: Package, file: str) -> Iterator[Found]:
    """The settings in a file; an InputError where it has none."""
    value = whole(package, file)
    if not is_config(value):
        raise InputError(
            "{file} contains no memory settings",
            hint="it must have decay_rates, token_budget or consolidation, or a memory block",
            file=file,
        )
    version = str(value.get("version", VERSIONS[0]))
    if "memory" not in value and version not in VERSIONS:
        raise InputError(
            "{file} has the unsupported version {version}",
            hint="set what you need with `loxodon config`; nothing was imported",
            file=file,
            version=repr(version)[:40],
        )
    given = _flat(value)
    if "memory.provider.baseUrl" not in given and "memory.model" in given:
        # A memory without a provider of its own asks that of the whole program.
        given |= {
            f"memory.{name}": one
            for name, one in given.items()
            if name in ("provider.baseUrl", "provider.apiKey", "provider.type")
        }
    for name, one in given.items():
        yield from _setting(name, one, file)


def _setting(name: str, value: object, file: str) -> Iterator[Found]:
    if name.split(".")[0] in _ELSEWHERE:
        return
    if name.lower().endswith(("apikey", "api_key", "token", "secret")):
        yield Skipped("secret")
        yield _secret(name, file)
    elif name in _FIXED and _FIXED[name] == value:
        yield Skipped("unneeded")
    elif name in _SAME:
        try:
            ours = _SAME[name]
            read_as = _READ_AS.get(ours, _as_is)
            yield Setting(ours, config.checked(ours, read_as(ours, value)), name)
        except ConfigError as error:
            yield problem_at(file, name, error)
    else:
        yield FileProblem(
            file,
            0,
            t("{name} has no counterpart here", name=name),
            t("here it is fixed at {value}", value=_FIXED[name]) if name in _FIXED else "",
        )


def _secret(name: str, file: str) -> FileProblem:
    return FileProblem(
        file,
        0,
        t("{name} is a key; keys are not copied", name=name),
        t("set it yourself: `loxodon config model.api_key KEY`, or LOXODON_MEMORY_API_KEY"),
    )


def _as_is(name: str, value: object) -> object:
    wanted = type(config.known(name).default)
    number = number_in(value)
    if wanted is int and number is not None and number == int(number):
        return int(number)
    return value


def _daily(name: str, value: object) -> object:
    """`03:00`, or a cron expression with or without seconds before it, as one without."""
    fields = value.split() if isinstance(value, str) else []
    if len(fields) < 2:
        return config.every_day_at(value)
    return " ".join(fields[1:] if len(fields) == 6 else fields)


def _seconds(name: str, value: object) -> object:
    """`3m`, `1m30s` or `90s`, as Go writes a time that passes."""
    found = _SPAN.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None or not any(found.groups()):
        return value
    hours, minutes, seconds = (float(one or 0) for one in found.groups())
    return hours * 3600 + minutes * 60 + seconds


_SPAN = re.compile(r"(?:(\d{1,6}(?:\.\d+)?)h)?(?:(\d{1,6}(?:\.\d+)?)m)?(?:(\d{1,6}(?:\.\d+)?)s)?")
_READ_AS: Mapping[str, Callable[[str, object], object]] = {
    "schedule.daily": _daily,
    "buffer.quiet": _seconds,
}


def _flat(value: Mapping[str, Any], above: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for name, one in value.items():
        if isinstance(one, Mapping) and above.count(".") < 8:
            found |= _flat(one, f"{above}{name}.")
        else:
            found[f"{above}{name}"] = one
    return found
