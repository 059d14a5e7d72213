from __future__ import annotations

import pytest

from loxodon.errors import InputError
from loxodon.serve.http.guard import RefusedError
from loxodon.serve.http.requests import json_of, language_of, request_of
from tests.each import each

JSON = {"content-type": "application/json; charset=utf-8"}


@each(
    ("accepted", "language"),
    [
        ("", "en"),
        ("zh", "zh"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en-GB,zh;q=0.9", "en"),
        ("fr, zh;q=0.3, en;q=0.2", "zh"),
        ("fr", "en"),
        (";;q=x,zh;q=what", "en"),
        ("en;q=0,zh", "zh"),
    ],
)
def test_the_language_that_is_rather_read(accepted: str, language: str) -> None:
    assert language_of(accepted) == language


def test_a_part_of_a_path_may_have_a_slash_in_it() -> None:
    scope = {
        "raw_path": b"/v1/spaces/a%2Fb%20%E5%BC%A0/turns",
        "path": "",
        "method": "GET",
        "query_string": b"query=%E8%8A%B1",
        "headers": [(b"host", b"localhost")],
    }
    request = request_of(scope)
    assert request.parts == ("v1", "spaces", "a/b 张", "turns")
    assert request.pairs() == [("query", "花")]


@pytest.mark.parametrize("raw", [b"/v1/spaces/%FF", b"/\xff"])
def test_an_address_that_is_not_utf8_is_refused(raw: bytes) -> None:
    with pytest.raises(InputError, match="not UTF-8"):
        request_of({"raw_path": raw, "method": "GET", "query_string": b"", "headers": []})


def test_a_query_that_is_not_utf8_is_refused() -> None:
    request = request_of(
        {"raw_path": b"/", "method": "GET", "query_string": b"query=%FF", "headers": []}
    )
    with pytest.raises(InputError, match="query string"):
        request.pairs()


@each(
    ("body", "said"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe", "not UTF-8: byte 0"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"a": ' * 200_000, "nested too deeply"),
        (b'{"x": NaN}', "NaN is not a number"),
        (b'{"x": -Infinity}', "not a number"),
        (b'{"x": ' + b"9" * 5_000 + b"}", "not JSON"),
        (b'{"x": "\\ud83d"}', "half a character"),
        (b'{"\\uDC00": 1}', "half a character"),
    ],
)
def test_what_is_no_document_is_refused(body: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        json_of(body, JSON)


def test_a_body_must_say_that_it_is_json() -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        with pytest.raises(RefusedError) as refused:
            json_of(b"{}", {"content-type": kind})
        assert refused.value.status == 415
    assert json_of(b"", {}) == {}
    assert json_of('{"x": "\\ud83d\\ude00 花"}'.encode(), JSON) == {"x": "😀 花"}
