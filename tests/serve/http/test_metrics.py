from __future__ import annotations

from loxodon.serve.http.metrics import Gauge, Metrics


def test_what_was_counted_is_in_the_text() -> None:
    metrics = Metrics()
    metrics.request("recall", 200, 0.004)
    metrics.request("recall", 200, 0.3)
    metrics.request("recall", 400, 99.0)
    metrics.count("turns_added", 12_345_678)
    text = metrics.text([Gauge("turns", "Turns.", [("", (("space", 'a"\\\n'),), 3)])])
    assert 'loxodon_requests_total{operation="recall",status="200"} 2' in text
    assert 'loxodon_request_seconds_bucket{operation="recall",le="0.005"} 1' in text
    assert 'loxodon_request_seconds_bucket{operation="recall",le="0.5"} 2' in text
    assert 'loxodon_request_seconds_bucket{operation="recall",le="60.0"} 2' in text
    assert 'loxodon_request_seconds_bucket{operation="recall",le="+Inf"} 3' in text
    assert 'loxodon_request_seconds_count{operation="recall"} 3' in text
    assert "loxodon_turns_added_total 12345678" in text
    assert 'loxodon_turns{space="a\\"\\\\\\n"} 3' in text
    assert text.endswith("\n")
