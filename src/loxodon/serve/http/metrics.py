"""Numbers for Prometheus: what was asked, how long it took, how much there is."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import NamedTuple

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
"""Seconds up to which requests are counted together."""

TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Counted(NamedTuple):
    """Something that is counted, by the values of a label where it has one."""

    about: str
    label: str = ""
    values: tuple[str, ...] = ("",)


COUNTED = {
    "turns_added": Counted("Turns that the journal did not have."),
    "memories_captured": Counted("Memories that were captured."),
}

Labels = tuple[tuple[str, str], ...]
Sample = tuple[str, Labels, float]
"""What follows the name, the labels, and the number."""


class Gauge(NamedTuple):
    """A number that goes up and down."""

    name: str
    about: str
    samples: Iterable[Sample]


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

    def __init__(self, counted: Mapping[str, Counted] = COUNTED) -> None:
        self._lock = Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._counted = {name: dict.fromkeys(one.values, 0) for name, one in counted.items()}
        self._about = counted
        self._buckets: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self._seconds: Counter[str] = Counter()
        self.running = 0

    def request(self, operation: str, status: int, seconds: float) -> None:
        """One request that was answered."""
        with self._lock:
            self._requests[operation, status] += 1
            self._buckets[operation][bisect_left(BOUNDS, seconds)] += 1
            self._seconds[operation] += seconds  # type: ignore[assignment]

    def count(self, what: str, number: int = 1, value: str = "") -> None:
        """So many more of `what`, under that value of its label."""
        with self._lock:
            self._counted[what][value] += number

    def figures(self) -> dict[str, Figures]:
        """What requests took since the server started, by operation."""
        with self._lock:
            failed: Counter[str] = Counter()
            for (name, status), number in self._requests.items():
                failed[name] += number if status >= 400 else 0
            return {
                name: Figures(
                    sum(counts),
                    failed[name],
                    round(1e3 * float(self._seconds[name]) / sum(counts), 2),
                    _share(counts, 0.5),
                    _share(counts, 0.95),
                )
                for name, counts in sorted(self._buckets.items())
            }

    def text(self, gauges: Iterable[Gauge] = ()) -> str:
        """All of it in Prometheus' text format, and these `gauges`."""
        with self._lock:
            lines = [
                *_family(
                    "loxodon_requests_total",
                    "counter",
                    "Requests that were answered.",
                    (
                        ("", (("operation", name), ("status", str(status))), number)
                        for (name, status), number in sorted(self._requests.items())
                    ),
                ),
                *_family(
                    "loxodon_request_seconds", "histogram", "What requests took.", self._histogram()
                ),
                *_family(
                    "loxodon_requests_running",
                    "gauge",
                    "Requests being answered.",
                    [("", (), self.running)],
                ),
            ]
            for name, numbers in self._counted.items():
                about, label, _ = self._about[name]
                counts: list[Sample] = [
                    ("", ((label, value),) if label else (), number)
                    for value, number in numbers.items()
                ]
                lines += _family(f"loxodon_{name}_total", "counter", about, counts)
        for name, about, samples in gauges:
            lines += _family(f"loxodon_{name}", "gauge", about, samples)
        return "\n".join(lines) + "\n"

    def _histogram(self) -> Iterable[Sample]:
        for name, counts in sorted(self._buckets.items()):
            label = ("operation", name)
            so_far = 0
            for bound, number in zip((*BOUNDS, "+Inf"), counts, strict=True):
                so_far += number
                yield "_bucket", (label, ("le", str(bound))), so_far
            yield "_sum", (label,), float(self._seconds[name])
            yield "_count", (label,), so_far


def _share(counts: Sequence[int], share: float) -> float:
    """The milliseconds within which a share of requests was answered, as far as buckets tell."""
    wanted, so_far = share * sum(counts), 0
    for bound, number in zip(BOUNDS, counts, strict=False):
        so_far += number
        if so_far >= wanted:
            return round(1e3 * bound, 2)
    return round(1e3 * BOUNDS[-1], 2)


def _family(name: str, type: str, about: str, samples: Iterable[Sample]) -> list[str]:
    lines = [f"# HELP {name} {about}", f"# TYPE {name} {type}"]
    for suffix, labels, value in samples:
        shown = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
        lines.append(
            f"{name}{suffix}{{{shown}}} {value!r}" if shown else f"{name}{suffix} {value!r}"
        )
    return lines


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
