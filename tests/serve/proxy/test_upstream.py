from __future__ import annotations

import pytest

from loxodon.errors import UsageError
from loxodon.serve.proxy.upstream import address, base_of, returned_headers, sent_headers
from tests.each import each


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1"),
        ("https://example.com/api/v4", "https://example.com/api/v4"),
    ],
)
def test_the_upstream_is_named_as_for_a_client(given: str, base: str) -> None:
    assert base_of(given) == base


@each(
    "url",
    ["", "example.com", "ftp://a/b", "http://", "http://a:x/", "http://a/v1?x=1", "http://[/"],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        base_of(url)


def test_paths_lead_to_the_upstream_and_not_beyond() -> None:
    base = "http://a/api"
    assert address(base, "/v1/models", "a=1&b=%20") == "http://a/api/models?a=1&b=%20"
    assert address(base, "/chat/completions", "") == "http://a/api/chat/completions"
    assert address(base, "/v1beta/x", "") == "http://a/api/v1beta/x"
    assert address(base, "/v1/files/a%2Fb", "") == "http://a/api/files/a%2Fb"
    for path in ("/v1/../admin", "/v1/%2e%2e/admin", "/v1/x%2F..%2Fy", "/v1/..\\x"):
        assert address(base, path, "") is None


def test_headers_go_on_but_for_those_of_the_connection() -> None:
    given = [
        (b"host", b"proxy"),
        (b"connection", b"close, x-odd"),
        (b"x-odd", b"1"),
        (b"content-length", b"5"),
        (b"X-Loxodon-Space", b"a"),
        (b"authorization", b"Bearer k"),
        (b"x-a", b"1"),
        (b"x-a", b"2"),
        (b"accept-encoding", b"br, gzip;q=0.5"),
    ]
    assert sent_headers(given, "", read=True) == [
        (b"authorization", b"Bearer k"),
        (b"x-a", b"1"),
        (b"x-a", b"2"),
        (b"accept-encoding", b"gzip;q=0.5"),
    ]
    own = sent_headers(given, "ours", read=False)
    assert (b"authorization", b"Bearer ours") in own
    assert (b"authorization", b"Bearer k") not in own
    assert (b"accept-encoding", b"br, gzip;q=0.5") in own
    named = [*given, (b"x-api-key", b"k"), (b"Anthropic-Version", b"2023-06-01")]
    own = sent_headers(named, "ours", read=False)
    assert [one for one in own if one[0] in (b"authorization", b"x-api-key")] == [
        (b"x-api-key", b"ours")
    ]
    assert returned_headers([(b"Transfer-Encoding", b"chunked"), (b"Retry-After", b"7")]) == [
        (b"Retry-After", b"7")
    ]
