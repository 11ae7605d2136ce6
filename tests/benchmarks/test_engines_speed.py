"""Our network beside other engines: the rows of the page, and how answers are compared."""

from __future__ import annotations

import numpy as np

from benchmarks.speed import engines, run_engines
from benchmarks.speed.engines import CTRANSLATE, ENGINES, ONNX


def test_a_row_has_an_engines_faster_batches_over_ours() -> None:
    ours = {"500": 2.0, "2000": 3.0, "one": 0.01, "load": 1.0, "mb": 100.0, "sentences": 40.0}
    other = {"500": 9.0, "2000": 3.0, "one": 0.02, "load": 0.5, "mb": 80.0, "sentences": 40.0}
    turns = {ENGINES[0]: ours, (ONNX, "int8"): other}
    row = run_engines.speed_row((ONNX, "int8"), "", turns)
    assert row == "| ONNX Runtime | int8 | 13 | 1.50 | 20.0 | 2.00 | 0.50 | 80 |"


def test_a_row_says_why_an_engine_cannot() -> None:
    row = run_engines.speed_row((CTRANSLATE, "int8"), "no mpnet", {})
    assert row.startswith("| CTranslate2 | int8 | no mpnet |")
    assert row.count("|") == 9


def test_answers_are_compared_sentence_by_sentence() -> None:
    one, two = np.array([1.0, 2.0], np.float32), np.array([3.0], np.float32)
    other = np.array([1.0, 2.5], np.float32)
    found = engines.differences([[one], [two]], [[other], [two]])
    assert found == {"same": 0.5, "mean": 0.5 / 3, "most": 0.5}
    row = run_engines.answers_row((ONNX, "int8"), {"float32": found, "batch": found})
    assert row == "| ONNX Runtime | int8 | 0.17, 0.5 | 50% | 0.5 | not tried |  |"


def test_a_batchs_rows_are_given_back_to_its_sentences() -> None:
    batch = {"rows": [1, 3]}
    first, second = engines.rows_of([np.arange(4), np.arange(4) + 10], batch)
    assert [array.tolist() for array in first] == [[0], [10]]
    assert [array.tolist() for array in second] == [[1, 2, 3], [11, 12, 13]]


def test_the_best_tree_of_scores_is_found() -> None:
    # Spans (0, 1), (0, 2), (1, 2) of a sentence of two words.
    scores, labels = np.array([1.0, 2.0, -1.0], np.float32), np.array([3, 1, 2], np.int64)
    assert list(engines.trees([[scores, labels]])) == [[[0, 2, 1], [0, 1, 3]]]
