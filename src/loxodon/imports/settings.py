"""The settings of a three-layer memory (`config.json`) and of a four-tier one (its `memory` block).

What stands for a setting of ours becomes one. Keys are never copied: they would move from a file
that somebody guards into another. What has no counterpart is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from loxodon import config
from loxodon.errors import ConfigError, InputError
from loxodon.imports.document import number_in, whole
from loxodon.imports.found import Around, Found, Setting, Skipped, problem
from loxodon.imports.package import Package
from loxodon.imports.records import file_of
from loxodon.messages import t
from loxodon.types import FileProblem

_VERSIONS = ("1", "1.0", "1.1")
_THREE_LAYERS = ("decay_rates", "thresholds", "token_budget", "consolidation", "importance_rules")
_FIXED: Mapping[str, object] = {  # what is so here too, without a setting
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
}
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
# Parts of such files that are not about memory
_ELSEWHERE = ("channels", "tools", "gateway", "agent", "provider", "agents", "skills", "version")
# `3m`, `1m30s` or `90s`, as Go writes a time that passes
_SPAN = re.compile(r"(?:(\d{1,6}(?:\.\d+)?)h)?(?:(\d{1,6}(?:\.\d+)?)m)?(?:(\d{1,6}(?:\.\d+)?)s)?")


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
    """The settings in a file, where it has such."""
    value = whole(package, file)
    if not is_config(value):
        return
    version = str(value.get("version", _VERSIONS[0]))
    if "memory" not in value and version not in _VERSIONS:
        raise InputError(
            "{file} has the unsupported version {version}",
            hint="set what you need with `loxodon config`; nothing was imported",
            file=file,
            version=repr(version)[:40],
        )
    given = _flat(value)
    if "memory.provider.baseUrl" not in given and "memory.model" in given:
        # A memory without a provider of its own asks that of the whole program.
        provider = {name: one for name, one in given.items() if name.startswith("provider.")}
        given |= {f"memory.{name}": one for name, one in provider.items()}
    for name, one in given.items():
        if name.split(".")[0] not in _ELSEWHERE:
            yield from _setting(name, one, file)


def _flat(value: Mapping[str, Any], above: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for name, one in value.items():
        if isinstance(one, Mapping) and above.count(".") < 8:
            found |= _flat(one, f"{above}{name}.")
        else:
            found[f"{above}{name}"] = one
    return found


def _setting(name: str, value: object, file: str) -> Iterator[Found]:
    if name.lower().endswith(("apikey", "api_key", "token", "secret")):
        yield Skipped("secret")
        yield FileProblem(
            file,
            0,
            t("{name} is a key; keys are not copied", name=name),
            t("set it yourself: `loxodon config model.api_key KEY`, or LOXODON_MEMORY_API_KEY"),
        )
    elif name in _FIXED and _FIXED[name] == value:
        yield Skipped("unneeded")
    elif name in _SAME:
        try:
            ours = _SAME[name]
            yield Setting(ours, config.checked(ours, _in_our_words(ours, value)))
        except ConfigError as error:
            yield problem(file, name, error)
    else:
        hint = t("here it is fixed at {value}", value=_FIXED[name]) if name in _FIXED else ""
        yield FileProblem(file, 0, t("{name} has no counterpart here", name=name), hint)


def _in_our_words(name: str, value: object) -> object:
    if name == "schedule.daily":
        # `03:00`, or a cron expression with or without seconds before it.
        fields = value.split() if isinstance(value, str) else []
        if len(fields) < 2:
            return config.every_day_at(value)
        return " ".join(fields[1:] if len(fields) == 6 else fields)
    if name == "buffer.quiet":
        span = _SPAN.fullmatch(value.strip()) if isinstance(value, str) else None
        if span is None or not any(span.groups()):
            return value
        hours, minutes, seconds = (float(one or 0) for one in span.groups())
        return hours * 3600 + minutes * 60 + seconds
    number = number_in(value)
    is_whole = number is not None and number == int(number)
    return int(number or 0) if is_whole and type(config.known(name).default) is int else value
