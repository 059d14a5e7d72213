"""Whether a provider refuses a request because it is too long, as each of them says so.

What they say is recognised by its words; what only sounds alike, such as a limit of tokens a
minute, is told apart first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress

_LARGEST = 64 * 1024  # Characters of an answer that are looked at
_LEAST_WINDOW, _MOST_WINDOW = 256, 100_000_000
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|context_window_exceeded|string_above_max_len"
    r"|model_context_window|context_overflow|context overflow"
    r"|(?:prompt|input|request|messages?|conversation) (?:is|are|was|were) too (?:long|large)"
    r"|prompt too long|input too long|too many input tokens|prompt exceeds"
    r"|(?:maximum|max|available|model'?s?|allowed) (?:model )?(?:context|prompt|input)"
    r"[ _](?:length|size|window|limit|tokens?)"
    r"|context (?:length|size|window|limit)[^.\n]{0,80}(?:exceed|overflow|reached|too small)"
    r"|exceed(?:s|ed|ing)?\b[^.\n]{0,80}(?:context|token limit|limit of \d|maximum number of"
    r" (?:input )?tokens|model token limit|max(?:imum)? (?:prompt|input))"
    r"|(?:tokens?|length)[^.\n]{0,60}exceeds? (?:the )?(?:limit|max)"
    r"|(?:greater|larger|longer) than the (?:model'?s? )?(?:maximum )?context"
    r"|reduce the length of the (?:messages|prompt|input)"
    r"|too large for (?:the )?model with \d|range of input length should be"
    r"|must be (?:<=|less than or equal to) \d+\. given: \d+ `?inputs?"
    r"|total number of tokens[^.\n]{0,60}cannot exceed"
    r"|(?:上下文|输入|提示词?|消息|内容)(?:的)?(?:长度|总长度|token ?数|tokens?)?"
    r"(?:已经?|的)?(?:超出|超过|超限|过长|太长)"
    r"|(?:超出|超过)了?[^。\n]{0,24}(?:上下文|最大(?:输入)?长度|长度限制|窗口)",
    re.IGNORECASE,
)
_TOO_OFTEN = re.compile(
    r"per (?:min|day|hour|second)|\b[tr]p[md]\b|rate.?limit|quota|too many requests"
    r"|每分钟|每天|频率|限流|配额",
    re.IGNORECASE,
)
_SIZES = re.compile(
    r"(?:(?:context|prompt) (?:length|size|window|limit)(?: is| of|:)?"
    r"|context size \(|\+ \d+ > |tokens > |limit of |maximum of |allowed \(|\"n_ctx\":)\s*"
    r"(\d[\d,]{2,11})(?![\d,]| \+)",
    re.IGNORECASE,
)


def is_overflow(error: object, status: int | None = None) -> bool:
    """Whether `error`, an answer of a provider or what a client raises for it, says: too long."""
    text = _text(error)
    status = status if status is not None else status_of(error)
    other = status is not None and (status < 400 or status in (401, 403, 404, 408))
    if other or _TOO_OFTEN.search(text):
        return False
    return status == 413 or _TOO_LONG.search(text) is not None


def window_in(error: object) -> int | None:
    """The window that such an answer names; None where it names none."""
    found = [int(size.replace(",", "")) for size in _SIZES.findall(_text(error))]
    return next((size for size in found if _LEAST_WINDOW <= size <= _MOST_WINDOW), None)


def status_of(error: object) -> int | None:
    """The HTTP status that an error of any client carries; None where it has none."""
    values = getattr(error, "values", None)
    found = [values.get("status")] if isinstance(values, Mapping) else []
    for one in (error, getattr(error, "response", None)):
        found += [getattr(one, name, None) for name in ("status_code", "status", "code")]
    return next((one for one in found if type(one) is int), None)


def _text(error: object) -> str:
    """What an error says, whatever it is: bytes, text, JSON, or what a client raises."""
    if isinstance(error, bytes | bytearray):
        return bytes(error[:_LARGEST]).decode("utf-8", "replace")
    if isinstance(error, Mapping | list):
        return json.dumps(error, ensure_ascii=False, default=str)[:_LARGEST]
    bodies = [getattr(error, "body", None)]
    with suppress(RuntimeError):  # it was streamed, and nobody read it
        bodies.append(getattr(getattr(error, "response", None), "text", None))
    said = [_text(body) for body in bodies if isinstance(body, str | bytes | Mapping)]
    return "\n".join([str(error)[:_LARGEST], *said])[:_LARGEST]
