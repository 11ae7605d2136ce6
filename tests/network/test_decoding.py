"""Trees from the network: the same alone and in any batch, for every kind of layer and encoder."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bnaparser.network.decoding import (
    CORE_TOKENS,
    WORTH_SHARING,
    Prediction,
    in_batches,
    predict,
    predict_batch,
)
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import LayerSettings, TagSettings
from bnaparser.network.word_forms import word_forms
from bnaparser.training.data import Example
from bnaparser.trees.tree import Span, Tree

SIZES = {"hidden_size": 32, "num_attention_heads": 2, "head_dim": 16, "intermediate_size": 64}
STACKS = [("bimsa",), ("nsa",), ("self_attention",), ("partitioned",), ("bimsa", "nsa"), ()]


def layers(*kinds: str, **changes: object) -> LayerSettings:
    positions = "concatenate" if "partitioned" in kinds else "add"
    return LayerSettings(**{"layer_types": kinds, "positions": positions, **SIZES, **changes})


def places(found: Prediction) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.label) for span in found.spans]


def same(first: Prediction, second: Prediction) -> bool:
    return (
        places(first) == places(second)
        and first.tags == second.tags
        and first.score == pytest.approx(second.score, abs=1e-3)
    )


@pytest.mark.parametrize("kinds", STACKS, ids=lambda kinds: "-".join(kinds) or "none")
def test_a_sentence_has_the_same_tree_alone_and_in_any_batch(
    build_model: Callable[..., BnaModel], examples: list[Example], kinds: tuple[str, ...]
) -> None:
    model = build_model(layers=layers(*kinds)).eval()
    prepared = model.prepare([example.words for example in examples[40:]])
    alone = [predict_batch(model, [one])[0] for one in prepared]
    for batch_tokens in (1, 40, 10_000):
        together = predict(model, prepared, batch_tokens)
        assert all(map(same, alone, together))


def test_trees_do_not_depend_on_the_batch_with_any_encoder(
    build_model: Callable[..., BnaModel], examples: list[Example], encoder_kind: str
) -> None:
    model = build_model(encoder_kind).eval()
    prepared = model.prepare([example.words for example in examples[50:]])
    together = predict(model, prepared, 10_000)
    assert all(
        same(predict_batch(model, [one])[0], t) for one, t in zip(prepared, together, strict=True)
    )


def test_a_sentence_in_windows_has_the_same_tree_alone_and_in_a_batch(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model("bert", layers=layers("bimsa", "nsa", max_positions=12)).eval()
    long = [word for example in examples[:8] for word in example.words]
    prepared = model.prepare([long, examples[0].words, long[5:40]])
    together = predict(model, prepared, 10_000)
    alone = [predict_batch(model, [one])[0] for one in prepared]
    assert all(map(same, alone, together))
    assert together[0].spans[0].end == len(long)


def test_spans_make_a_tree_and_their_scores_its_score(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model().eval()
    sentences = [example.words for example in examples[:10]]
    for words, found in zip(sentences, predict(model, model.prepare(sentences), 50), strict=True):
        tree = Tree.from_spans(words, ["X"] * len(words), found.spans)
        assert [(span.start, span.end, span.label) for span in tree.spans()] == places(found)
        assert (found.spans[0].start, found.spans[0].end) == (0, len(words))
        scores = [span.score for span in found.spans if span.score is not None]
        assert len(scores) == len(found.spans)
        assert found.score == pytest.approx(sum(scores), abs=1e-4)
        assert found.tags is None


def test_a_tree_may_be_without_a_root_where_the_model_allows(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model(allow_empty_root=True).eval()
    with torch.no_grad():
        model.scorer.output.weight.zero_()
        model.scorer.output.bias.fill_(-1)
    (found,) = predict(model, model.prepare([examples[0].words]), 50)
    assert found == Prediction([], None, 0.0)


def test_a_root_that_no_label_suits_counts_with_its_own_score(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    """The sum of the scores that users saw was not the tree's when the root scored below 0."""
    model = build_model().eval()
    with torch.no_grad():
        model.scorer.output.weight.zero_()
        model.scorer.output.bias.fill_(-1)
    words = examples[0].words
    (found,) = predict(model, model.prepare([words]), 50)
    assert found.spans == [Span(0, len(words), model.labels.names[1], -1.0)]
    assert found.score == -1


def test_tags_are_the_best_of_each_word(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model(tagging=TagSettings(predict=True, hidden_size=16)).eval()
    prepared = model.prepare([example.words for example in examples[:4]])
    with torch.no_grad():
        scores = model.tag_scores(model.encode(prepared)).numpy()
    forms = word_forms([word for example in examples[:4] for word in example.words])
    scores[~model.allowed_tags[forms]] = -np.inf
    expected = [model.tags.names[number] for number in scores.argmax(axis=-1)]
    found = predict_batch(model, prepared)
    tags = [one.tags or [] for one in found]
    assert [tag for row in tags for tag in row] == expected
    assert [len(row) for row in tags] == [len(example.words) for example in examples[:4]]


def test_no_sentences_give_no_trees(build_model: Callable[..., BnaModel]) -> None:
    assert predict(build_model(), [], 100) == []


@settings(max_examples=100)
@given(
    sizes=st.lists(st.integers(1, 400), max_size=40),
    max_tokens=st.integers(1, 2000),
    threads=st.integers(1, 3),
)
def test_each_index_gets_its_result_in_batches_that_fit(
    sizes: list[int], max_tokens: int, threads: int
) -> None:
    seen: list[list[int]] = []

    def work(batch: list[int]) -> list[int]:
        seen.append(batch)
        return [-index for index in batch]

    results = in_batches(work, sizes, max_tokens, threads)
    assert results == [-index for index in range(len(sizes))]
    for batch in seen:
        assert len(batch) == 1 or len(batch) * max(sizes[i] for i in batch) <= max_tokens


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_much_work_is_shared_out(threads: int) -> None:
    """The barrier breaks unless as many batches as there are threads are under way at once."""
    together = threading.Barrier(threads)

    def work(batch: list[int]) -> Sequence[int]:
        together.wait(timeout=10)
        return batch

    in_batches(work, [CORE_TOKENS] * 2 * threads, 10_000, threads)


def test_little_work_and_that_of_one_thread_stays_in_this_thread() -> None:
    here: set[int] = set()

    def work(batch: list[int]) -> Sequence[int]:
        here.add(threading.get_ident())
        return batch

    in_batches(work, [WORTH_SHARING - 1] * 2, 10_000, 3)
    in_batches(work, [CORE_TOKENS], 10_000, 3)
    in_batches(work, [CORE_TOKENS] * 20, 10_000, 1)
    assert here == {threading.get_ident()}


def test_batches_are_of_about_one_size_so_that_no_core_waits_long() -> None:
    counts: list[int] = []

    def work(batch: list[int]) -> Sequence[int]:
        counts.append(len(batch))
        return batch

    in_batches(work, [10] * 110, 10_000, 2)
    assert sorted(counts) == [27, 27, 28, 28]


@pytest.mark.parametrize("startable", [0, 1])
def test_without_threads_the_work_is_done_in_this_one(
    startable: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, left = threading.Thread.start, [None] * startable

    def start_few(thread: threading.Thread) -> None:
        if not left:
            raise RuntimeError("can't start new thread")
        left.pop()
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_few)
    assert in_batches(lambda batch: batch, [CORE_TOKENS] * 6, 10_000, 3) == list(range(6))


def test_an_error_ends_the_work() -> None:
    started: list[int] = []

    def work(batch: list[int]) -> Sequence[int]:
        started.append(batch[0])
        time.sleep(0.01)
        raise KeyError("no tree")

    with pytest.raises(KeyError, match="no tree"):
        in_batches(work, [CORE_TOKENS] * 50, 500, 3)
    assert len(started) < 20
    assert not [one for one in threading.enumerate() if one.name.startswith("bnaparser-batch")]
