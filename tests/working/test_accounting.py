"""Tokens: ours, corrected by the provider's."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loxodon.config import WorkingConfig
from loxodon.tokens import estimate
from loxodon.working import Gauge, Usage, limits, tokens_of, usage_of
from loxodon.working.accounting import PER_IMAGE, tokens_of_tools
from tests.each import each
from tests.working.talk import calls, user


def test_the_limits_are_those_of_the_settings() -> None:
    found = limits(WorkingConfig(), 200_000)
    assert found.flush_at == 176_000
    assert found.most == 200_000 - 16_384
    assert found.keep == 20_000


@given(st.integers(1_000, 3_000_000))
def test_any_window_has_room_for_all(window: int) -> None:
    found = limits(WorkingConfig(), window)
    assert 0 < found.flush_at < found.most < window
    assert found.keep + found.summary < found.most


def test_everything_in_a_message_counts() -> None:
    text = tokens_of(user("我对花生过敏"), estimate)
    image: dict[str, Any] = {"role": "user", "content": [{"type": "image_url", "image_url": {}}]}
    assert text > estimate("我对花生过敏")
    assert tokens_of(image, estimate) > PER_IMAGE
    assert tokens_of(calls("a", "b"), estimate) > tokens_of(calls("a"), estimate) > 10
    assert tokens_of_tools([], estimate) == 0
    assert tokens_of_tools([{"name": "search", "description": "finds"}], estimate) > 5


@each(
    ("reported", "usage"),
    [
        ({"prompt_tokens": 90, "completion_tokens": 7}, Usage(90, 7)),
        ({"input_tokens": 90, "output_tokens": 7}, Usage(90, 7)),
        ({"input_tokens": 10, "cache_read_input_tokens": 80, "output_tokens": 7}, Usage(90, 7)),
        ({"prompt_tokens": 90, "prompt_tokens_details": {"cached_tokens": 50}}, Usage(90, 0)),
        (Usage(90, 7), Usage(90, 7)),
        ({"input": 90, "output": 7, "cacheRead": 10}, Usage(100, 7)),
        ({"prompt_tokens": -1}, None),
        ({"prompt_tokens": True}, None),
        ({"prompt_tokens": "90"}, None),
        ({"prompt_tokens": 10**12}, None),
        ({}, None),
        (None, None),
        ("90", None),
        ([], None),
    ],
)
def test_usage_in_the_words_of_each_provider(reported: object, usage: Usage | None) -> None:
    assert usage_of(reported) == usage


def test_a_small_request_tells_what_stands_beside_the_messages() -> None:
    gauge = Gauge().learned(100, 3_100)
    assert gauge == Gauge(3_000, 1.0)
    assert gauge.of(50_000) == 53_000


def test_a_large_request_tells_how_the_provider_counts() -> None:
    gauge = Gauge(3_000).learned(50_000, 68_000)
    assert gauge == Gauge(3_000, 1.3)
    assert gauge.of(50_000) == 68_000


@given(st.integers(0, 10**6), st.integers(0, 10**9))
def test_no_report_makes_it_absurd(counted: int, reported: int) -> None:
    gauge = Gauge(100, 1.2).learned(counted, reported)
    assert 0.5 <= gauge.rate <= 2.5
    assert 0 <= gauge.beside <= max(100, reported)
