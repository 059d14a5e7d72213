"""Numbers for Prometheus: what was asked, how long it took, how much there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

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


class Figures(NamedTuple):
    """What the requests of one operation took."""

    requests: int
    errors: int
    mean_ms: float
    p50_ms: float
    """At most: the upper bound of the bucket that the middle one is in."""
    p95_ms: float


class Served(NamedTuple):
    """What a server did since it started."""

    version: str
    up_s: int
    """Seconds since then."""
    operations: Mapping[str, Figures]


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
        failed: dict[str, float] = {}
        for sample in self._samples(self._requests, "_total"):
            name = sample.labels["operation"]
            errors = sample.value if sample.labels["status"] >= "400" else 0
            failed[name] = failed.get(name, 0) + errors
        buckets: dict[str, list[tuple[float, float]]] = {}
        for sample in self._samples(self._seconds, "_bucket"):
            bound = min(float(sample.labels["le"]), BOUNDS[-1])
            buckets.setdefault(sample.labels["operation"], []).append((bound, sample.value))
        seconds = {
            sample.labels["operation"]: sample.value
            for sample in self._samples(self._seconds, "_sum")
        }

        def within(name: str, share: float) -> float:
            """The milliseconds within which a share of requests was answered."""
            wanted = share * buckets[name][-1][1]
            return round(1e3 * next(b for b, count in buckets[name] if count >= wanted), 2)

        return {
            name: Figures(
                int(counts[-1][1]),
                int(failed.get(name, 0)),
                round(1e3 * seconds[name] / counts[-1][1], 2),
                within(name, 0.5),
                within(name, 0.95),
            )
            for name, counts in sorted(buckets.items())
        }

    @staticmethod
    def _samples(metric: Counter | Histogram, end: str) -> list[Any]:
        return [one for one in next(iter(metric.collect())).samples if one.name.endswith(end)]

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
