"""Word vectors from characters: a BiLSTM's last states, whatever else is in the batch."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.encoders.characters import (
    BEGIN,
    END,
    LONGEST_WORD,
    SPECIALS,
    START,
    STOP,
    UNKNOWN,
    CharacterEncoder,
    alphabet,
)
from bnaparser.encoders.encoder_settings import EncoderSettings


@pytest.fixture(scope="module")
def encoder() -> CharacterEncoder:
    torch.manual_seed(1)
    return CharacterEncoder("abc(", 8, EncoderSettings(character_width=4)).eval()


def test_the_alphabet_holds_the_characters_that_are_looked_up() -> None:
    """It held those of -LRB-: brackets and quotes were unknown characters to every model."""
    words = ["-LRB-", "-RRB-", "-LCB-", "-RCB-", "``", "''", "1\\/2", "a-b"]
    assert alphabet(words) == '"()-/12ab{}'
    encoder = CharacterEncoder(alphabet(words), 8, EncoderSettings(character_width=4)).eval()
    found = vectors(encoder, '( ) { } -LRB- " `` ~')[0]
    brackets, opened, quote, opening, unknown = found[1:5], *found[5:9]
    assert torch.equal(brackets[0], opened)
    assert torch.equal(quote, opening)
    known = [*brackets, quote, unknown]
    assert all(not torch.equal(a, b) for i, a in enumerate(known) for b in known[:i])


def vectors(encoder: CharacterEncoder, *sentences: str) -> torch.Tensor:
    windows = encoder.windows([sentence.split() for sentence in sentences], 510)
    with torch.no_grad():
        found: torch.Tensor = encoder([window for (window,) in windows])
    return found


@torch.no_grad()
def test_a_word_is_the_last_state_of_either_direction(encoder: CharacterEncoder) -> None:
    found = vectors(encoder, "ab z")[0]
    words = [[START], [SPECIALS, SPECIALS + 1], [UNKNOWN], [STOP]]
    for vector, characters in zip(found, words, strict=True):
        codes = torch.tensor([[BEGIN, *characters, END]])
        outputs, _ = encoder.lstm(encoder.embedding(codes))
        expected = torch.cat([outputs[0, -1, :4], outputs[0, 0, 4:]])
        torch.testing.assert_close(vector, expected)


def test_a_batch_gives_what_single_sentences_give(encoder: CharacterEncoder) -> None:
    sentences = ["ab c abc cab", "c", "cccccccccccc ab"]
    together = vectors(encoder, *sentences)
    assert together.shape == (3, 6, 8)
    for row, sentence in enumerate(sentences):
        alone = vectors(encoder, sentence)[0]
        torch.testing.assert_close(together[row, : len(alone)], alone)


def test_a_word_is_the_same_everywhere_and_unknown_characters_are_alike(
    encoder: CharacterEncoder,
) -> None:
    found = vectors(encoder, "ab c ab z ~ -LRB- (")[0]
    assert torch.equal(found[1], found[3])
    assert torch.equal(found[4], found[5])
    assert torch.equal(found[6], found[7])
    assert not torch.allclose(found[1], found[2])


def test_dropout_acts_on_characters_in_training_only(encoder: CharacterEncoder) -> None:
    window = encoder.windows([["ab"]], 510)[0]
    try:
        assert not torch.equal(encoder.train()(window), encoder(window))
    finally:
        encoder.eval()
    assert torch.equal(encoder(window), encoder(window))


def test_510_words_are_one_window_and_511_are_two(encoder: CharacterEncoder) -> None:
    one, two = encoder.windows([["a"] * 510, ["a"] * 511], 510)
    assert [window.words for window in one] == [510]
    assert [(window.first_word, window.words) for window in two] == [(0, 510), (255, 256)]


@given(length=st.integers(1, 40), max_words=st.integers(1, 12))
def test_windows_hold_every_word_and_overlap_by_half(length: int, max_words: int) -> None:
    words = [str(number) for number in range(length)]
    own = CharacterEncoder.windows  # needs no encoder: windows do not depend on weights
    (windows,) = own(None, [words], max_words)  # type: ignore[arg-type]
    for window in windows:
        assert window.text == tuple(words[window.first_word : window.first_word + window.words])
        assert window.words <= max_words
    assert windows[0].first_word == 0
    assert windows[-1].first_word + windows[-1].words == length
    for before, after in pairwise(windows):
        assert after.first_word - before.first_word == max(1, max_words // 2)


def test_of_a_very_long_word_both_ends_count() -> None:
    """A stretch of a million signs took a minute, and memory for a million in each word beside it."""
    encoder = CharacterEncoder("abc", 8, EncoderSettings())
    end = LONGEST_WORD // 2
    assert encoder._codes("a" * end + "b" * end) == encoder._codes("a" * end + "c" + "b" * end)
    assert len(encoder._codes("a" * 1_000_000)) == LONGEST_WORD
