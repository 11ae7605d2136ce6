"""What the service counts, for Prometheus: one registry an app, summed over its workers."""

from __future__ import annotations

import os

from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.process_collector import ProcessCollector

MEDIA_TYPE = CONTENT_TYPE_PLAIN_0_0_4
# Set, before this module is imported, to an empty folder that the workers of one service share.
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_SENTENCES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_WORDS = (10, 25, 50, 100, 250, 500, 1000, 2500, 5000)


class Metrics:
    """The counters of one app. Rates, words a second say, are Prometheus's to take."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
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
        self.in_flight = self._gauge("bnaparser_requests_in_flight", "Requests being answered")
        self.queue_words = self._gauge("bnaparser_queue_words", "Words waiting to be parsed")
        self.queue_sentences = self._gauge(
            "bnaparser_queue_sentences", "Sentences waiting to be parsed"
        )
        self.batch_sentences = Histogram(
            "bnaparser_batch_sentences", "Sentences a batch", buckets=_SENTENCES, registry=registry
        )
        self.batch_words = Histogram(
            "bnaparser_batch_words", "Words a batch", buckets=_WORDS, registry=registry
        )
        self.parse_seconds = Counter(
            "bnaparser_parse_seconds", "Seconds that the parsing thread worked", registry=registry
        )
        self.words = Counter("bnaparser_words", "Words parsed", registry=registry)
        self.sentences = Counter("bnaparser_sentences", "Sentences parsed", registry=registry)
        self.sentence_errors = Counter(
            "bnaparser_sentence_errors", "Sentences that got an error", registry=registry
        )
        if FOLDER_VARIABLE not in os.environ:
            ProcessCollector(registry=registry)

    def _gauge(self, name: str, text: str) -> Gauge:
        return Gauge(name, text, multiprocess_mode="livesum", registry=self.registry)

    def page(self) -> bytes:
        """Return the text that Prometheus reads, of all workers where they share a folder."""
        if FOLDER_VARIABLE not in os.environ:
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)
