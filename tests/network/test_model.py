"""The network as a whole: batches, windows over long sentences, given tags, best labels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from bnaparser import chart
from bnaparser.encoders.characters import CharacterEncoder, CharacterWindow
from bnaparser.network.model import BnaModel, SpanScorer
from bnaparser.network.model_settings import LayerSettings, ScorerSettings, TagSettings
from bnaparser.network.prepared import PreparedSentence, position_rows
from bnaparser.training.data import Example

SIZES = {"hidden_size": 32, "num_attention_heads": 2, "head_dim": 16, "intermediate_size": 64}


def windows(length: int, max_words: int) -> tuple[CharacterWindow, ...]:
    """The half-overlapping windows of a sentence."""
    step = max(1, max_words // 2)
    firsts = range(0, max(1, length - max_words + step), step)
    words = [""] * length
    return tuple(
        CharacterWindow(tuple(words[first : first + max_words]), first) for first in firsts
    )


def test_a_model_knows_whether_capitals_matter_to_it(
    build_model: Callable[..., BnaModel],
) -> None:
    assert build_model("roberta").reads_case
    model = build_model()
    assert isinstance(model.encoder, CharacterEncoder)
    assert model.reads_case
    model.encoder.characters = "THECATS."
    assert not model.reads_case


@pytest.mark.parametrize(("length", "max_words"), [(1, 8), (8, 8), (9, 8), (30, 8), (23, 6)])
def test_a_word_is_read_in_the_window_where_it_has_most_neighbours(
    length: int, max_words: int
) -> None:
    own = windows(length, max_words)
    batch = [PreparedSentence(3, windows(3, max_words)), PreparedSentence(length, own)]
    positions = max_words + 2
    rows = position_rows(batch, positions).tolist()
    assert rows[:5] == [0, 1, 2, 3, 4]
    found = rows[5:]
    assert found[0] == positions  # START of the first window
    last = own[-1]
    assert found[-1] == len(own) * positions + last.words + 1  # STOP of the last one
    for word, row in enumerate(found[1:-1]):
        chosen, inside = divmod(row, positions)
        margins = {
            number: min(word - window.first_word, window.first_word + window.words - 1 - word)
            for number, window in enumerate(own, 1)
            if window.first_word <= word < window.first_word + window.words
        }
        assert inside == word - own[chosen - 1].first_word + 1
        assert margins[chosen] == max(margins.values())


@torch.no_grad()
def test_spans_are_scored_from_the_fenceposts_of_their_own_sentence(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model().eval()
    batch = model.prepare([examples[0].words, ["She", "sang"]])
    encoded = model.encode(batch)
    assert encoded.lengths == [len(examples[0].words), 2]
    starts, ends = model.span_rows(encoded)
    assert len(starts) == sum(map(chart.span_count, encoded.lengths))
    assert (starts[-3:] - len(examples[0].words) - 1).tolist() == [0, 0, 1]
    assert (ends[-3:] - len(examples[0].words) - 1).tolist() == [1, 2, 2]
    alone = model.encode(batch[1:])
    torch.testing.assert_close(encoded.fenceposts[-3:], alone.fenceposts, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(encoded.words[-2:], alone.words, atol=1e-5, rtol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize("allow_empty_root", [False, True])
def test_best_labels_are_the_best_of_all_scores(
    build_model: Callable[..., BnaModel], examples: list[Example], allow_empty_root: bool
) -> None:
    model = build_model(allow_empty_root=allow_empty_root).eval()
    encoded = model.encode(model.prepare([example.words for example in examples[:6]]))
    scores, best = model.all_scores(encoded), model.best_labels(encoded)
    assert not scores[:, 0].any()
    np.testing.assert_array_equal(best.scores, scores.max(axis=1))
    np.testing.assert_array_equal(best.labels, scores.argmax(axis=1))
    first = 0
    for sentence, n in enumerate(encoded.lengths):
        root = scores[first + n - 1]
        number = int(root.argmax()) if allow_empty_root else int(root[1:].argmax()) + 1
        assert best.root_labels[sentence] == number
        assert best.root_scores[sentence] == root[number]
        first += chart.span_count(n)


@torch.no_grad()
def test_a_long_sentence_goes_through_in_windows(build_model: Callable[..., BnaModel]) -> None:
    model = build_model(layers=LayerSettings(max_positions=12, **SIZES)).eval()
    words = ["the", "cat", "saw", "Mira", "."] * 8
    (one,) = model.prepare([words])
    assert len(one.windows) == 7
    encoded = model.encode([one])
    assert encoded.fenceposts.shape[0] == 41
    assert encoded.fenceposts.isfinite().all()
    # The first words see the same window as in a sentence of ten words.
    short = model.encode(model.prepare([words[:10]]))
    torch.testing.assert_close(encoded.words[:5], short.words[:5], atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_given_tags_are_read_word_by_word_in_every_window(
    build_model: Callable[..., BnaModel],
) -> None:
    layers = LayerSettings(max_positions=12, **SIZES)
    model = build_model(layers=layers, tagging=TagSettings(given=True)).eval()
    words = ["the", "cat", "saw", "Mira", "."] * 4
    tags = ["DT", "NN", "VBD", "NNP", "."] * 4
    other = [*tags[:-1], "never-seen"]
    with_tags, with_other, without = (
        model.encode(model.prepare([words], [row])).words for row in (tags, other, ["?"] * 20)
    )
    assert not torch.allclose(with_tags, without)
    # The last tag is seen in the last windows only.
    assert torch.allclose(with_tags[0], with_other[0], atol=1e-6)
    assert not torch.allclose(with_tags[-1], with_other[-1], atol=1e-4)
    numbers = model.prepare([words], [other])[0].tags
    assert numbers is not None
    assert numbers[-1] == 0
    assert numbers[0] == model.tags.number("DT") + 1


def test_a_model_that_reads_tags_takes_no_words_without_them(
    build_model: Callable[..., BnaModel],
) -> None:
    """They were read as tags that were never seen: 10 F1 where gold tags give 66."""
    with pytest.raises(ValueError, match="needs part-of-speech tags"):
        build_model(tagging=TagSettings(given=True)).prepare([["Mira", "sang"]])


def test_tags_of_another_treebank_are_told(
    build_model: Callable[..., BnaModel], caplog: pytest.LogCaptureFixture
) -> None:
    """Universal tags given to a model of the Penn Treebank's are all unknown to it."""
    model = build_model(tagging=TagSettings(given=True))
    model.prepare([["Mira", "sang"]], [["NNP", "VERB"]])
    model.prepare([], [])
    assert not caplog.records
    model.prepare([["Mira", "sang"]], [["PROPN", "VERB"]])
    assert (
        "the model knows none of these part-of-speech tags: PROPN, VERB; the model's tags are"
        in caplog.text
    )


@torch.no_grad()
def test_tags_begin_as_the_settings_say_and_are_dropped_by_themselves(
    build_model: Callable[..., BnaModel],
) -> None:
    """They began five times as large as the words, and were dropped with the words' features."""
    for settings, deviation in (
        (TagSettings(given=True), 0.2),
        (TagSettings(given=True, init_std=1.0), 1.0),
    ):
        found = build_model(tagging=settings).tag_embedding.weight.std()
        assert float(found) == pytest.approx(deviation, rel=0.1)
    layers = LayerSettings(layer_types=(), input_dropout=0.99, **SIZES)
    model = build_model(layers=layers, tagging=TagSettings(given=True, init_std=9.0)).train()
    batch = model.prepare([["Mira", "sang"]], [["NNP", "VBD"]])
    model.encoder.eval()
    first, second = (model.encode(batch).words for _ in range(2))
    # What is left are positions, small beside the tags.
    assert torch.allclose(first, second, atol=0.2)
    layers = LayerSettings(layer_types=(), **SIZES)
    model = build_model(layers=layers, tagging=TagSettings(given=True, dropout=0.5)).train()
    model.encoder.eval()
    first, second = (model.encode(batch).words for _ in range(2))
    assert not torch.allclose(first, second, atol=0.2)


def test_tags_are_ignored_by_a_model_that_takes_none(build_model: Callable[..., BnaModel]) -> None:
    (one,) = build_model().prepare([["Mira"]], [["NNP"]])
    assert one.tags is None


def test_the_size_of_a_sentence_counts_subwords_and_ends(
    build_model: Callable[..., BnaModel],
) -> None:
    (characters,) = build_model().prepare([["unaffable", "cat"]])
    (subwords,) = build_model("bert").prepare([["unaffable", "cat"]])
    assert (characters.size, subwords.size) == (4, 6)


@torch.no_grad()
def test_span_vectors_have_the_worked_values() -> None:
    """START, three words, STOP; spans are differences of fenceposts, backward halves turned round."""
    scorer = SpanScorer(2, 3, ScorerSettings(hidden_size=2))
    scorer.hidden.weight.copy_(torch.eye(2))
    hidden = torch.tensor([[10.0, 1], [20, 2], [30, 3], [40, 4], [50, 5]])
    fenceposts = scorer.fenceposts(hidden[:-1], hidden[1:])
    assert fenceposts.tolist() == [[10, -2], [20, -3], [30, -4], [40, -5]]
    spans = {(0, 3): [30, -3], (1, 2): [10, -1]}
    for (start, end), vector in spans.items():
        assert (fenceposts[end] - fenceposts[start]).tolist() == vector


@torch.no_grad()
def test_scores_are_those_of_a_network_over_whole_span_vectors() -> None:
    torch.manual_seed(1)
    scorer = SpanScorer(512, 30, ScorerSettings())
    hidden = torch.randn(7, 512)
    starts, ends = torch.tensor([0, 0, 2, 4]), torch.tensor([1, 5, 4, 5])
    fenceposts = scorer.fenceposts(hidden[:-1], hidden[1:])
    found = scorer(fenceposts, starts, ends)
    assert found.shape == (4, 29)
    for row, (i, j) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        forward = hidden[j, :256] - hidden[i, :256]
        backward = hidden[i + 1, 256:] - hidden[j + 1, 256:]
        inner = scorer.hidden(torch.cat([forward, backward]))
        expected = scorer.output(F.relu(F.layer_norm(inner, (256,))))
        torch.testing.assert_close(found[row], expected, atol=1e-5, rtol=0)


@torch.no_grad()
def test_projecting_fenceposts_or_span_vectors_is_the_same() -> None:
    torch.manual_seed(1)
    linear = nn.Linear(512, 256)
    left, right = torch.randn(100, 512), torch.randn(100, 512)
    late = linear(left) - linear(right) + linear.bias
    torch.testing.assert_close(late, linear(left - right), atol=3e-6, rtol=0)


def test_the_hidden_layer_has_256_features_by_default() -> None:
    scorer = SpanScorer(512, 112, ScorerSettings())
    assert scorer.hidden.weight.shape == (256, 512)
    assert scorer.output.weight.shape == (111, 256)
    assert sum(p.numel() for p in scorer.parameters()) == pytest.approx(160_367)
