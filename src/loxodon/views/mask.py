"""Copies to show to others: what the policy masks or never keeps is masked; marks and ids stay."""

from __future__ import annotations

import json
from typing import Any

from loxodon.guard.guard import Guard
from loxodon.views import View


def masked_view(view: View, guard: Guard) -> View:
    """A view with what people wrote masked; its mark stays."""
    if view.name.endswith(".json"):
        values = _masked_values(json.loads(view.text), guard)
        return view._replace(text=json.dumps(values, ensure_ascii=False, indent=1) + "\n")
    first, end, rest = view.text.partition("\n")
    if view.name.endswith(".jsonl"):
        lines = [_masked_line(line, guard) for line in rest.split("\n")]
        return view._replace(text=first + end + "\n".join(lines))
    return view._replace(text=first + end + guard.shown(rest, private=False))


def _masked_line(line: str, guard: Guard) -> str:
    if not line:
        return line
    return json.dumps(_masked_values(json.loads(line), guard), ensure_ascii=False)


def _masked_values(value: Any, guard: Guard) -> Any:
    if isinstance(value, list):
        return [_masked_values(one, guard) for one in value]
    if isinstance(value, dict):
        return {
            guard.shown(name, private=False): (
                one if name == "loxodon" else _masked_values(one, guard)
            )
            for name, one in value.items()
        }
    return guard.shown(value, private=False) if isinstance(value, str) else value
