"""Numbers for Prometheus: what was asked, how long it took, how much there is."""

from __future__ import annotations

from collections import Counter as Counted
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
)
from prometheus_client import Gauge as Current
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import generate_latest

from loxodon.http.operations import Figures

disable_created_metrics()  # type: ignore[no-untyped-call]
TYPE = CONTENT_TYPE_LATEST
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
COUNTED = {
    "turns_added": "Turns that the journal did not have.",
    "memories_captured": "Memories that were captured.",
}


class Gauge(NamedTuple):
    """A number that goes up and down, by the values of its labels."""

    name: str
    about: str
    labels: tuple[str, ...]
    samples: Iterable[tuple[tuple[str, ...], float]]


class Metrics:
    """What a server counts. Any thread may count."""

    def __init__(
        self, counted: Mapping[str, str] = COUNTED, label: str = "", values: Iterable[str] = ()
    ) -> None:
        """`counted` is what is counted besides requests, by the `values` of a `label` if given."""
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "loxodon_requests",
            "Requests that were answered.",
            ["operation", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "loxodon_request_seconds",
            "What requests took.",
            ["operation"],
            buckets=BOUNDS,
            registry=self._registry,
        )
        self.running = Current(
            "loxodon_requests_running", "Requests being answered.", registry=self._registry
        )
        self._counted = {
            name: Counter(
                f"loxodon_{name}", about, [label] if label else [], registry=self._registry
            )
            for name, about in counted.items()
        }
        for counter in self._counted.values():
            for value in values:
                counter.labels(value)  # so that it is there with 0

    def request(self, operation: str, status: int, seconds: float) -> None:
        """One request that was answered."""
        self._requests.labels(operation, status).inc()
        self._seconds.labels(operation).observe(seconds)

    def count(self, what: str, number: int = 1, value: str = "") -> None:
        """So many more of `what`, under that value of its label."""
        counter = self._counted[what]
        (counter.labels(value) if value else counter).inc(number)

    def figures(self) -> dict[str, Figures]:
        """What requests took since the server started, by operation."""
        failed: Counted[str] = Counted()
        buckets: dict[str, list[tuple[float, float]]] = {}
        seconds: dict[str, float] = {}
        for sample in (one for metric in self._registry.collect() for one in metric.samples):
            name = sample.labels.get("operation", "")
            if sample.name == "loxodon_requests_total" and sample.labels["status"] >= "400":
                failed[name] += int(sample.value)
            elif sample.name == "loxodon_request_seconds_bucket":
                bound = min(float(sample.labels["le"]), BOUNDS[-1])
                buckets.setdefault(name, []).append((bound, sample.value))
            elif sample.name == "loxodon_request_seconds_sum":
                seconds[name] = sample.value

        def within(name: str, share: float) -> float:
            """The milliseconds within which a share of requests was answered."""
            wanted = share * buckets[name][-1][1]
            return round(1e3 * next(b for b, count in buckets[name] if count >= wanted), 2)

        return {
            name: Figures(
                int(counts[-1][1]),
                failed[name],
                round(1e3 * seconds[name] / counts[-1][1], 2),
                within(name, 0.5),
                within(name, 0.95),
            )
            for name, counts in sorted(buckets.items())
        }

    def text(self, gauges: Iterable[Gauge] = ()) -> str:
        """All of it in Prometheus' text format, and these `gauges`."""
        now = CollectorRegistry()

        class Collected:
            def collect(self) -> Iterable[GaugeMetricFamily]:
                for gauge in gauges:
                    family = GaugeMetricFamily(
                        f"loxodon_{gauge.name}", gauge.about, labels=gauge.labels
                    )
                    for labels, value in gauge.samples:
                        family.add_metric(labels, value)
                    yield family

        now.register(Collected())
        return (generate_latest(self._registry) + generate_latest(now)).decode()
