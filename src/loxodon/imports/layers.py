"""The files of a three-layer memory that stand beside its Markdown.

    config.json                        its settings
    layer2/active/facts.jsonl          what it knows; also beliefs and summaries
    layer2/archive/facts.jsonl         what it has put away

Its other files (snapshot, indexes, entities, state) are made of these, and are made anew here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from loxodon.errors import InputError
from loxodon.imports import plain, settings
from loxodon.imports.document import whole
from loxodon.imports.found import Around, Found, Skipped
from loxodon.imports.package import Package
from loxodon.types import Kind
from loxodon.workspace.views import marker_of

_POOL = re.compile(
    r"(?:.*/)?layer2/(?P<state>active|archive)/(?P<kind>facts|beliefs|summaries)\.jsonl"
)
_KINDS: Mapping[str, Kind] = {"facts": "fact", "beliefs": "belief", "summaries": "summary"}
_HEAD = 4_096


def is_pool(name: str) -> bool:
    """Whether a file has memories of one kind, one a line."""
    return _POOL.fullmatch(name) is not None


def read(package: Package, around: Around) -> Iterator[Found]:
    """Its memories, and its settings where they lie with them."""
    pools = [found for name in package.names if (found := _POOL.fullmatch(name))]
    for pool in pools:
        if marker_of(package.head(pool[0], _HEAD).decode("utf-8", "replace")):
            yield Skipped("generated")
            continue
        archived = pool["state"] == "archive"
        kind = _KINDS[pool["kind"]]
        yield from plain.lines(package, pool[0], around, kind, archived=archived, own=True)
    for folder in dict.fromkeys(pool[0].rpartition("layer2/")[0] for pool in pools):
        yield from _settings(package, f"{folder}config.json")


def _settings(package: Package, name: str) -> Iterator[Found]:
    if name not in package.names:
        return
    try:
        ours = settings.is_config(whole(package, name))
    except InputError:
        return  # whatever it is, it is not what was asked for
    if ours:
        yield from settings.of_file(package, name)
