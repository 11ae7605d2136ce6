from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.parser import text_string_to_metric_families

from bnaparser.server.metrics import FOLDER_VARIABLE, Metrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi.testclient import TestClient


def samples(page: str) -> dict[tuple[str, ...], float]:
    """Every sample: its name and the values of its labels, sorted by name."""
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }


def test_what_happens_is_counted(make_client: Callable[..., TestClient]) -> None:
    make_client()  # another app counts for itself
    client = make_client(max_body_bytes=1000)
    client.post("/v1/parse", json={"sentences": ["It rained.", "A BAD cat."]})
    client.post("/v1/parse", json={})
    client.get("/no/such/path")
    client.get("/neither/this")
    client.head("/ready")
    client.post("/v1/parse", content=b"x" * 1001)
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    found = samples(answer.text)
    count = "bnaparser_requests_total"
    assert found[count, "POST", "/v1/parse", "200"] == 1
    assert found[count, "POST", "/v1/parse", "422"] == 1
    assert found[count, "GET", "other", "404"] == 2
    assert found[count, "HEAD", "/ready", "200"] == 1
    assert found[count, "POST", "/v1/parse", "413"] == 1
    assert found["bnaparser_request_seconds_count", "/v1/parse"] == 3
    assert found["bnaparser_requests_in_flight",] == 1
    assert found["bnaparser_sentence_errors_total",] == 1
    assert found["bnaparser_words_total",] == 7
    assert found["bnaparser_sentences_total",] == 2
    assert found["bnaparser_batch_sentences_count",] == 1
    assert found["bnaparser_batch_words_sum",] == 7
    assert found["bnaparser_queue_words",] == found["bnaparser_queue_sentences",] == 0
    assert found["bnaparser_parse_seconds_total",] > 0
    assert found["process_resident_memory_bytes",] > 1e6


def test_tags_that_do_not_fit_are_counted_as_other_mistakes(
    make_client: Callable[..., TestClient],
) -> None:
    client = make_client()
    body = {"tokens": [["The", "cat"], ["It"]], "tags": [["DT", "NN"]]}
    parses = client.post("/v1/parse", json=body).json()["parses"]
    assert all(parse["error"] for parse in parses)
    found = samples(client.get("/metrics").text)
    assert found["bnaparser_sentence_errors_total",] == 2


WORKER = """
import sys
from bnaparser.server.metrics import Metrics
metrics = Metrics()
metrics.words.inc(5)
metrics.queue_words.set(3)
metrics.requests.labels("GET", "/live", "200").inc()
sys.stdout.write(metrics.page().decode())
"""


def test_workers_are_summed(tmp_path: Path) -> None:
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}

    def work() -> str:
        command = [sys.executable, "-c", WORKER]
        return subprocess.run(
            command, env=environment, check=True, capture_output=True, text=True
        ).stdout

    work()
    found = samples(work())
    assert found["bnaparser_words_total",] == 10
    assert found["bnaparser_requests_total", "GET", "/live", "200"] == 2


def test_a_removed_folder_leaves_the_metrics_of_the_worker(tmp_path: Path) -> None:
    """Programs that clean the temporary files may remove it."""
    folder = tmp_path / "shared"
    folder.mkdir()
    removing = WORKER.replace(
        "sys.stdout", f"import shutil; shutil.rmtree({str(folder)!r})\nsys.stdout"
    )
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(folder)}
    command = [sys.executable, "-c", removing]
    page = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    assert samples(page.stdout)["bnaparser_words_total",] == 5


def test_a_worker_that_has_not_written_yet_hides_no_metric(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker makes its files empty and writes to them later; one that is killed then leaves them so."""
    counts = MmapedDict(str(tmp_path / "counter_1.db"))  # type: ignore[no-untyped-call]
    key = mmap_key("bnaparser_sentences", "bnaparser_sentences_total", [], [], "Sentences parsed")
    counts.write_value(key, 3.0, 0.0)  # type: ignore[no-untyped-call]
    counts.close()  # type: ignore[no-untyped-call]
    (tmp_path / "counter_2.db").touch()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert samples(Metrics().page().decode())[("bnaparser_sentences_total",)] == 3
