"""Pre-training on text of other languages: where its sentences end, its words begin, its phrases stand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bnaparser.encoders.loading import load_tokenizer
from bnaparser.errors import ModelError, SettingsError
from bnaparser.network import storage
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import LanguageSettings
from bnaparser.spanbert.batch import Masker
from bnaparser.spanbert.blocks import TokenisedSentence, read_blocks, sentence_texts
from bnaparser.spanbert.masking import (
    FoundSpans,
    annotated,
    annotator,
    constituents,
    picture,
    with_word_starts,
)
from bnaparser.spanbert.pretraining import pretrain
from bnaparser.spanbert.settings import PretrainRecipe

CHINESE = "他們看見台灣。我吃魚。"
SPANISH = "Juan Carlos canta a pesar de Madrid."


@pytest.fixture
def chinese(
    make_recipe: Callable[..., PretrainRecipe], two_languages_dir: Path, tmp_path: Path
) -> Callable[[str], PretrainRecipe]:
    """A function from a scheme to a recipe on Chinese text."""
    file = tmp_path / "chinese.txt"
    file.write_text(f"{CHINESE}\n\n" * 8, encoding="utf-8")

    def make(scheme: str) -> PretrainRecipe:
        masking = {"scheme": scheme, "parser": str(two_languages_dir), "mask_probability": 0.4}
        return make_recipe(text={"files": (str(file),), "language": "zh-Hant"}, masking=masking)

    return make


def test_sentences_end_where_the_language_ends_them() -> None:
    assert sentence_texts(CHINESE, "zh-Hant") == ["他們看見台灣。", "我吃魚。"]
    assert sentence_texts("Vive en EE. UU. con Ana. Come.", "es")[-1] == "Come."


def test_words_and_phrases_are_those_of_the_parser_of_the_language(two_languages_dir: Path) -> None:
    (found,) = constituents(two_languages_dir, None, "zh-Hant")(["他們看見台灣。"])
    assert found.begins == (0, 2, 4, 6)
    assert {(one.start, one.end, one.words) for one in found.spans} >= {(0, 2, 1), (2, 6, 2)}
    (found,) = constituents(two_languages_dir, {"sn"}, "es")([SPANISH])
    assert found == FoundSpans([(0, 11, 1)])  # type: ignore[list-item]


@pytest.mark.parametrize("scheme", ["noun_phrases", "constituents", "words", "geometric"])
def test_whole_words_are_masked(chinese: Callable[[str], PretrainRecipe], scheme: str) -> None:
    recipe = chinese(scheme)
    tokenizer = load_tokenizer(str(recipe.encoder.name))
    cache = Path(recipe.text.files[0]).parent / "cache"
    blocks = read_blocks(recipe.text, tokenizer, 30, cache)
    assert blocks.table[0]["sentences"] == ["他們看見台灣。", "我吃魚。"]
    table = annotated(blocks, tokenizer, recipe.masking, recipe.text)
    # A subword a character; words of one and of two.
    assert table[0]["begins"] == [0, 2, 4, 6, 7, 8, 9, 10]
    masker = Masker(blocks, recipe.masking, recipe.objectives, 5, np.arange(8), table)
    seen = {
        span for seed in range(30) for one in masker.example(0, [seed]).masked for span in one.spans
    }
    assert len(seen) > 5
    assert {start for start, _ in seen} <= {0, 2, 4, 6, 7, 8, 9, 10}


def test_a_subword_of_two_words_begins_none() -> None:
    places = [(0, 1), (1, 3), (3, 5)]
    sentence = TokenisedSentence("他們看 見", [1, 2, 3], [True, False, True], places)
    # The third word begins behind a blank that its subword counts as its own.
    found = with_word_starts(sentence, FoundSpans([], (0, 2, 4)))
    assert found.starts == [True, False, True]
    assert with_word_starts(sentence, FoundSpans([], (0, 2))).starts == [True, False, False]
    assert with_word_starts(sentence, FoundSpans([])) is sentence


def test_training_on_another_language(
    chinese: Callable[[str], PretrainRecipe], tmp_path: Path
) -> None:
    assert pretrain(chinese("geometric"), tmp_path / "run").update == 6


def test_masks_are_shown(
    make_recipe: Callable[..., PretrainRecipe], two_languages_dir: Path, tiny_model_dir: Path
) -> None:
    def lines(parser: Path) -> list[str]:
        masking = {"parser": str(parser), "entities": "nowhere", "mask_probability": 0.3}
        return picture(
            CHINESE, make_recipe(text={"language": "zh-Hant"}, masking=masking)
        ).splitlines()

    own = lines(two_languages_dir)
    assert all("[" in line for number, line in enumerate(own) if number != 2)
    others = lines(tiny_model_dir)
    assert "[" in others[0]
    assert all("no model here knows the language 'zh-Hant'" in line for line in others[3:])


def test_what_cannot_be_read_is_told(
    make_recipe: Callable[..., PretrainRecipe],
    build_model: Callable[..., BnaModel],
    two_languages_dir: Path,
    tmp_path: Path,
) -> None:
    with pytest.raises(ValueError, match="unknown language 'xx': choose one of de, en"):
        make_recipe(text={"language": "xx"})
    recipe = make_recipe(
        text={"language": "fr"},
        masking={"scheme": "constituents", "parser": str(two_languages_dir)},
    )
    with pytest.raises(SettingsError, match="no model here knows the language 'fr'"):
        annotator(recipe.masking, recipe.text)
    model = build_model()
    text = LanguageSettings(languages=("zh-Hant",))
    model.settings = model.settings.model_copy(update={"text": text})
    storage.save(model, tmp_path, "float32", {})
    with pytest.raises(ModelError, match="cannot divide text into words in Chinese"):
        constituents(tmp_path, None, "zh-Hant")
