"""Too long, as each provider says it."""

from __future__ import annotations

import httpx
import pytest

from loxodon.errors import RejectedModelError
from loxodon.working import is_overflow, window_in
from tests.each import each

TOO_LONG = [
    (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in"
        " 9001 tokens.",
        8192,
    ),
    ('{"error": {"code": "context_length_exceeded", "message": "too much"}}', None),
    ("prompt is too long: 210034 tokens > 200000 maximum", 200_000),
    ("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", 200_000),
    (
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
        1_048_575,
    ),
    (
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        131_072,
    ),
    ("Please reduce the length of the messages or completion.", None),
    ("This endpoint's maximum context length is 32,768 tokens.", 32_768),
    ("the request exceeds the available context size (4096 tokens), try increasing it", 4096),
    (
        '{"error":{"code":400,"type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}',
        4096,
    ),
    ("Input is too long for requested model.", None),
    ("prompt token count of 130000 exceeds the limit of 128000", 128_000),
    ("Your request exceeded model token limit: 131072", None),
    ("Range of input length should be [1, 30720]", None),
    ("context window exceeds limit (2013)", None),
    ("Prompt contains 9000 tokens, too large for model with 8192 maximum context length", None),
    ("tokens to keep from the initial prompt is greater than the context length", None),
    ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens", None),
    ("输入的上下文长度超过模型限制", None),
    ("提示词过长，请缩短后重试", None),
    ("请求内容超出了模型的最大长度", None),
]


@each(("text", "window"), TOO_LONG)
def test_it_is_recognised(text: str, window: int | None) -> None:
    for error in (text, text.encode(), {"error": {"message": text}}, OSError(text)):
        assert is_overflow(error)
    assert is_overflow(text, 400)
    if window is not None:
        assert window_in(text) == window


@each(
    "text",
    [
        "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Requested 41000.",
        "Request too large for model on tokens per minute (TPM): Limit 6000",
        "You exceeded your current quota",
        "Too Many Requests",
        "invalid api key",
        "The model `x` does not exist",
        "messages: roles must alternate",
        "max_tokens is too large",
        "Internal Server Error",
        "",
        "调用频率超过限制，每分钟上下文请求数超出配额",
        "{}",
        "null",
    ],
)
def test_what_only_sounds_alike_is_not(text: str) -> None:
    assert not is_overflow(text)
    assert not is_overflow(text, 429)


def test_the_status_counts() -> None:
    assert is_overflow("Payload Too Large", 413)
    assert not is_overflow("maximum context length is 8192", 200)
    assert not is_overflow("maximum context length is 8192", 401)
    error = RejectedModelError(
        "the model's server rejected the request (HTTP {status})", status=413
    )
    assert is_overflow(error)


def test_a_clients_error_is_looked_into() -> None:
    class ApiError(Exception):
        status_code = 400
        body = b'{"error": {"code": "context_length_exceeded"}}'

    assert is_overflow(ApiError("Error code: 400"))


@pytest.mark.parametrize("status", [400, 429])
def test_the_answer_that_httpx_keeps_is_looked_into(status: int) -> None:
    request = httpx.Request("POST", "http://127.0.0.1/v1/chat/completions")
    text = "maximum context length is 8192 tokens" if status == 400 else "too many requests"
    answer = httpx.Response(status, text=text, request=request)
    error = httpx.HTTPStatusError(f"error '{status}'", request=request, response=answer)
    assert is_overflow(error) is (status == 400)
    assert window_in(error) == (8192 if status == 400 else None)
    unread = httpx.Response(status, stream=httpx.ByteStream(b"x"), request=request)
    assert not is_overflow(httpx.HTTPStatusError("error", request=request, response=unread))


def test_huge_and_broken_answers_are_looked_at_in_a_moment() -> None:
    assert not is_overflow(b"\xff\xfe" * 10**6)
    assert not is_overflow("exceeds " * 200_000)
    assert window_in("limit of 7") is window_in("> 99999999999999") is None
