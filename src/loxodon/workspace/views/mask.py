"""Copies to show to others: mail addresses, phone, card and identity numbers, and keys masked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from loxodon.workspace.views import View

_ALONE = r"(?<![A-Za-z0-9_])"  # what stands within a name or an id is not one of these
_END = r"(?![A-Za-z0-9_])"
_BEGIN_KEY = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----")
_END_KEY = re.compile(r"-----END [A-Z ]{0,40}PRIVATE KEY-----")


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]:
    mail = r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"
    key = (
        rf"{_ALONE}(?:(?:sk|pk|rk|hf|npm|ghp|gho|ghs|github_pat|glpat|xox[abprs])[-_]|AKIA|ASIA|AIza)"
        r"(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{16,}"
    )
    secret = (
        rf"(?i)({_ALONE}(?:api[_ -]?key|access[_ -]?token|secret|password|passwd)|密码|口令|密钥)"
        r"(\s{0,3}(?:is|are|[:=：是为])\s{0,3})[^\s,，。;；\"'`]{4,200}"
    )
    identity = rf"{_ALONE}(?:\d{{17}}[\dXx]|\d{{3}}-\d{{2}}-\d{{4}}){_END}"
    phone = (
        rf"{_ALONE}(?:(?:\+?86[ -]?)?1[3-9]\d[ -]?\d{{4}}[ -]?\d{{4}}|0\d{{2,3}}[ -]\d{{7,8}}"
        rf"|\(?\d{{3}}\)?[ .-]\d{{3}}[ .-]\d{{4}}){_END}|\+\d(?:[ ()-]{{0,2}}\d){{7,14}}{_END}"
    )
    card = rf"{_ALONE}\d(?:[ -]?\d){{12,18}}{_END}"
    return (
        (re.compile(mail), "[mail]"),
        (re.compile(key), "[key]"),
        (re.compile(secret), r"\1\2[key]"),
        (re.compile(identity), "[id]"),
        (re.compile(card), lambda match: "[card]" if _is_card(match[0]) else match[0]),
        (re.compile(phone), "[phone]"),
    )


def masked(text: str) -> str:
    """`text` without what names or opens something of a person's."""
    text = _without_private_keys(text)
    for pattern, instead in _patterns():
        text = pattern.sub(instead, text)
    return text


def _without_private_keys(text: str) -> str:
    parts, at = [], 0
    while begin := _BEGIN_KEY.search(text, at):
        end = _END_KEY.search(text, begin.end())
        parts += [text[at : begin.start()], "[key]"]
        at = end.end() if end else len(text)
    return "".join([*parts, text[at:]]) if parts else text


def _is_card(text: str) -> bool:
    """Whether its last digit fits the others, as in every card number (Luhn)."""
    digits = [int(c) for c in reversed(text) if c.isdecimal()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def masked_view(view: View) -> View:
    """A view with what people wrote masked; its mark stays."""
    if view.name.endswith(".json"):
        text = json.dumps(_masked_values(json.loads(view.text)), ensure_ascii=False, indent=1)
        return view._replace(text=text + "\n")
    first, end, rest = view.text.partition("\n")
    if view.name.endswith(".jsonl"):
        lines = [_masked_line(line) for line in rest.split("\n")]
        return view._replace(text=first + end + "\n".join(lines))
    return view._replace(text=first + end + masked(rest))


def _masked_line(line: str) -> str:
    return json.dumps(_masked_values(json.loads(line)), ensure_ascii=False) if line else line


def _masked_values(value: Any) -> Any:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, list):
        return [_masked_values(one) for one in value]
    if isinstance(value, dict):
        return {
            masked(name): one if name == "loxodon" else _masked_values(one)
            for name, one in value.items()
        }
    return value
