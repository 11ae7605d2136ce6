"""What the service counts, for Prometheus: one registry an app, summed over its workers."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Metric,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.process_collector import ProcessCollector

MEDIA_TYPE = CONTENT_TYPE_PLAIN_0_0_4
# Set, before this module is imported, to an empty folder that the workers of one service share.
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_UNITS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_WORDS = (10, 25, 50, 100, 250, 500, 1000, 2500, 5000)


class WorkMetrics:
    """What is counted of one queue and of the work on what leaves it, in batches.

    ``prefix`` begins the names; ``units`` are what stands in the queue, ``done`` what becomes of
    them, in time that is counted as ``seconds``.
    """

    def __init__(
        self, registry: CollectorRegistry, prefix: str, units: str, done: str, seconds: str
    ):
        def waiting(what: str) -> Gauge:
            name, text = f"{prefix}_queue_{what}", f"{what.capitalize()} waiting to be {done}"
            return Gauge(name, text, multiprocess_mode="livesum", registry=registry)

        def a_batch(what: str, buckets: tuple[int, ...]) -> Histogram:
            name, text = f"{prefix}_batch_{what}", f"{what.capitalize()} a batch"
            return Histogram(name, text, buckets=buckets, registry=registry)

        self.queue_words, self.queue_sentences = waiting("words"), waiting(units)
        self.batch_words, self.batch_sentences = a_batch("words", _WORDS), a_batch(units, _UNITS)
        self.words = Counter(f"{prefix}_words", f"Words {done}", registry=registry)
        self.sentences = Counter(
            f"{prefix}_{units}", f"{units.capitalize()} {done}", registry=registry
        )
        text = f"Seconds that the models' thread worked until {units} were {done}"
        self.work_seconds = Counter(seconds, text, registry=registry)


class Metrics(WorkMetrics):
    """The counters of one app. Rates, words a second say, are Prometheus's to take.

    Its own are the parser's; ``classifying`` has the classifier's.
    """

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        super().__init__(registry, "bnaparser", "sentences", "parsed", "bnaparser_parse_seconds")
        self.classifying = WorkMetrics(
            registry, "bnaparser_classify", "texts", "classified", "bnaparser_classify_seconds"
        )
        self.requests = Counter(
            "bnaparser_requests",
            "Requests answered",
            ["method", "route", "status"],
            registry=registry,
        )
        self.seconds = Histogram(
            "bnaparser_request_seconds",
            "Seconds from a request's first byte to the last of its answer",
            ["route"],
            buckets=_SECONDS,
            registry=registry,
        )
        self.in_flight = Gauge(
            "bnaparser_requests_in_flight",
            "Requests being answered",
            multiprocess_mode="livesum",
            registry=registry,
        )
        self.connections_refused = Counter(
            "bnaparser_connections_refused",
            "Connections that got 503 because the limit on open files was reached",
            registry=registry,
        )
        self.sentence_errors = Counter(
            "bnaparser_sentence_errors", "Sentences that got an error", registry=registry
        )
        if FOLDER_VARIABLE not in os.environ:
            ProcessCollector(registry=registry)

    def page(self) -> bytes:
        """Return the text that Prometheus reads, of all workers where they share a folder.

        If the folder was removed, the text is about this worker only.
        """
        if FOLDER_VARIABLE not in os.environ:
            return generate_latest(self.registry)
        together = CollectorRegistry()
        try:
            _AllWorkers(together)
        except ValueError:  # no such folder
            return generate_latest(self.registry)
        return generate_latest(together)


class _AllWorkers(MultiProcessCollector):
    """The sum of the metrics of all workers, including workers that start or have ended.

    prometheus_client cannot read the file of a worker that has made the file and not yet written to
    it: the file is empty, and stays empty if the worker is killed then.
    """

    def __init__(self, registry: CollectorRegistry):
        super().__init__(registry, os.environ[FOLDER_VARIABLE])  # type: ignore[no-untyped-call]

    def collect(self) -> Iterable[Metric]:
        """Return the metrics of all files that have contents."""
        files = []
        for file in Path(os.environ[FOLDER_VARIABLE]).glob("*.db"):
            with suppress(FileNotFoundError):  # the gauges of a worker that has just ended
                if file.stat().st_size:
                    files.append(str(file))
        found: Iterable[Metric] = self.merge(files)  # type: ignore[no-untyped-call]
        return found
