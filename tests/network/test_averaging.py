"""The mean of parsers: its weights against a literal mean, and what cannot be averaged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from bnaparser import Parser
from bnaparser.cli import main
from bnaparser.errors import BnaparserError
from bnaparser.files.folder import WEIGHTS
from bnaparser.files.tensors import read_weights
from bnaparser.network import storage
from bnaparser.network.averaging import average
from bnaparser.network.labels import Inventory, LanguageNames
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import LanguageSettings, LayerSettings, TagSettings
from tests.tiny_encoders import ENCODERS


@pytest.fixture
def saved(build_model: Callable[..., BnaModel], tmp_path: Path) -> Callable[..., str]:
    """A function that writes a tiny model, moved at random by ``seed``, and returns its folder."""

    def write(
        name: str,
        kind: str | None = "bert",
        seed: int = 0,
        change: Callable[[BnaModel], BnaModel] | None = None,
        **settings: Any,
    ) -> str:
        model = build_model(kind, tagging=TagSettings(predict=True, hidden_size=8), **settings)
        if change is not None:
            model = change(model)
        torch.manual_seed(seed)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(torch.randn_like(parameter))
        storage.save(model, tmp_path / name, "float32", {"f1": 50.0})
        return str(tmp_path / name)

    return write


def test_how_a_network_began_does_not_keep_it_from_a_mean(saved: Callable[..., str]) -> None:
    layers = [
        LayerSettings(hidden_size=32, num_attention_heads=2, head_dim=16, position_init_std=d)
        for d in (0, 1)
    ]
    assert average([saved(f"m{seed}", seed=seed, layers=layers[seed]) for seed in range(2)])
    other = LayerSettings(hidden_size=32, num_attention_heads=2, head_dim=16, residual="program")
    with pytest.raises(BnaparserError, match=r"their settings layers\.residual differ"):
        average([saved("one", layers=layers[0]), saved("other", layers=other)])


@pytest.mark.parametrize(
    ("encoder", "shares"),
    [(kind, (1, 2, 5) if number % 2 else None) for number, kind in enumerate(ENCODERS)],
)
def test_every_number_is_the_mean(
    saved: Callable[..., str], encoder: str, shares: tuple[float, ...] | None
) -> None:
    folders = [saved(f"m{seed}", encoder, seed) for seed in range(3)]
    mean = average(folders, shares).state_dict()
    parts = [read_weights(Path(folder) / WEIGHTS) for folder in folders]
    assert set(mean) == set(parts[0])
    first, second, third = shares or (1, 1, 1)
    for name, tensor in mean.items():
        a, b, c = (part[name] for part in parts)
        expected = (a * first + b * second + c * third) / (first + second + third)
        torch.testing.assert_close(tensor, expected)


def test_a_model_and_itself_are_itself(saved: Callable[..., str]) -> None:
    folder = saved("one")
    weights = read_weights(Path(folder) / WEIGHTS)
    for name, tensor in average([folder, folder]).state_dict().items():
        torch.testing.assert_close(tensor, weights[name])


def test_the_temperature_is_the_mean(saved: Callable[..., str]) -> None:
    def heat(model: BnaModel) -> BnaModel:
        model.settings = model.settings.at_temperature(4.0)
        return model

    mean = average([saved("one"), saved("two", change=heat)], (3, 1))
    assert mean.settings.chart.temperature == pytest.approx(1.75)


def test_the_temperature_of_a_language_is_the_mean_over_those_that_know_it(
    saved: Callable[..., str],
) -> None:
    def speak(*languages: str, **temperatures: float) -> Callable[[BnaModel], BnaModel]:
        def change(model: BnaModel) -> BnaModel:
            text = LanguageSettings(languages=languages)
            settings = model.settings.model_copy(update={"text": text})
            model.settings = settings.at_temperature(4.0).at_temperature(temperatures)
            return model if "es" in languages else without_first_tag(model)

        return change

    one = saved("one", change=speak("en", "de", "es", en=1.0))
    mean = average([one, saved("two", change=speak("en", "de", de=2.0))], (3, 1))
    assert mean.settings.chart.language_temperatures == pytest.approx(
        {"en": 1.75, "de": 3.5, "es": 4.0}
    )


def test_a_language_has_the_names_that_it_has_in_either(saved: Callable[..., str]) -> None:
    def speak(name: str) -> Callable[[BnaModel], BnaModel]:
        def change(model: BnaModel) -> BnaModel:
            model.by_language = {"en": LanguageNames(frozenset([name]), frozenset([name.lower()]))}
            return model

        return change

    folders = [saved("one", change=speak("NP")), saved("two", change=speak("VP"))]
    for order in (folders, folders[::-1]):
        both = LanguageNames(frozenset(["NP", "VP"]), frozenset(["np", "vp"]))
        assert average(order).by_language == {"en": both}


def test_how_much_finding_words_counted_does_not_keep_it_from_a_mean(
    saved: Callable[..., str],
) -> None:
    def weigh(model: BnaModel) -> BnaModel:
        text = LanguageSettings(loss_weight=2.0)
        model.settings = model.settings.model_copy(update={"text": text})
        return model

    average([saved("one"), saved("two", change=weigh)])


def test_dropouts_and_an_encoders_name_may_differ(saved: Callable[..., str]) -> None:
    def rename(model: BnaModel) -> BnaModel:
        encoder = model.settings.encoder.model_copy(update={"name": "elsewhere", "dropout": 0.3})
        model.settings = model.settings.model_copy(update={"encoder": encoder})
        return model

    average([saved("one"), saved("two", seed=1, change=rename)])


def test_the_command_writes_a_parser(
    saved: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [saved("one", seed=1), saved("two", seed=2)]
    target = tmp_path / "mean"
    command = ["average", *folders, "--weights", "3", "1", "--store", "int8"]
    capsys.readouterr()  # what building the models printed
    assert main([*command, "--output", str(target)]) == 0
    assert capsys.readouterr() == ("", "")
    assert Parser.load(target).parse_sentence("The cat sat.").tree is not None
    coarse = tmp_path / "coarse"
    assert main([*command, "--qat-step", "0.9", "--output", str(coarse)]) == 0
    sizes = [(folder / "model.safetensors").stat().st_size for folder in (target, coarse)]
    assert sizes[1] < sizes[0]
    capsys.readouterr()
    for wrong in (["--qat-step", "3"], ["--qat-step", "0.9", "--store", "float16"]):
        assert main([*command, *wrong, "--output", str(tmp_path / "no")]) == 2
        assert "give a number from 0 to 2, with --store int8" in capsys.readouterr().err


def test_a_mean_is_not_written_over_one_of_its_parsers(
    saved: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [saved("one", seed=1), saved("two", seed=2)]
    before = Path(folders[1], "model.safetensors").read_bytes()
    (tmp_path / "file").touch()
    capsys.readouterr()
    for target in (folders[1], "file"):
        assert main(["average", *folders, "--output", str(tmp_path / target)]) == 2
        assert "exists already: choose another folder" in capsys.readouterr().err
    assert Path(folders[1], "model.safetensors").read_bytes() == before


def with_labels(choose: Callable[[tuple[str, ...]], Sequence[str]]) -> Callable[..., BnaModel]:
    def change(model: BnaModel) -> BnaModel:
        labels = Inventory(choose(model.labels.names))
        assert model.subwords is not None
        return BnaModel(model.settings, labels, model.tags, model.encoder, model.subwords)

    return change


def test_a_label_that_a_parser_lacks_has_the_mean_of_the_others(saved: Callable[..., str]) -> None:
    fewer = with_labels(lambda names: [name for name in names if name != names[2]])
    folders = [saved("a", seed=1, change=fewer), saved("b", seed=2), saved("c", seed=3)]
    parts = [storage.load(folder) for folder in folders]
    for order, shares in (((0, 1, 2), (1, 2, 5)), ((2, 1, 0), (5, 2, 1))):
        mean = average([folders[place] for place in order], shares)
        assert mean.labels.names == parts[1].labels.names
        for row, label in enumerate(mean.labels.names[1:]):
            having = [
                (part.scorer.output.weight[part.labels.number(label) - 1], share)
                for part, share in zip(parts, (1, 2, 5), strict=True)
                if label in part.labels
            ]
            assert len(having) == (2 if row == 1 else 3)
            vectors = torch.stack([vector * share for vector, share in having])
            expected = vectors.sum(dim=0) / sum(share for _, share in having)
            torch.testing.assert_close(mean.scorer.output.weight[row], expected)


def without_first_tag(model: BnaModel) -> BnaModel:
    assert model.subwords is not None
    tags = Inventory(model.tags.names[1:])
    return BnaModel(model.settings, model.labels, tags, model.encoder, model.subwords)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_tag_that_a_parser_lacks_keeps_its_row(
    saved: Callable[..., str], order: tuple[int, int]
) -> None:
    folders = [saved("a", seed=1, change=without_first_tag), saved("b", seed=2)]
    fewer, more = (storage.load(folder) for folder in folders)
    mean = average([folders[place] for place in order])
    assert mean.tags.names == more.tags.names
    for name in ("weight", "bias"):
        rows, theirs, ours = (getattr(part.tagger[-1], name) for part in (mean, more, fewer))
        torch.testing.assert_close(rows[0], theirs[0])
        torch.testing.assert_close(rows[1:], (theirs[1:] + ours) / 2)
    assert mean.allowed_tags.shape == more.allowed_tags.shape


def test_a_parser_of_more_languages_has_all_names_of_the_other(saved: Callable[..., str]) -> None:
    def speak(model: BnaModel) -> BnaModel:
        text = LanguageSettings(languages=("en", "de"))
        model.settings = model.settings.model_copy(update={"text": text})
        return model

    wide = saved("wide", change=speak)
    assert average([saved("narrow", change=without_first_tag), wide]).settings.text.languages == (
        "en",
        "de",
    )
    wrong = saved("wrong", change=lambda model: speak(without_first_tag(model)))
    with pytest.raises(BnaparserError, match="cannot be averaged: their languages differ"):
        average([saved("one"), wrong])


def test_parsers_that_each_lack_a_name_of_the_other_are_not_averaged(
    saved: Callable[..., str],
) -> None:
    fewer = with_labels(lambda names: names[:-1])
    folders = [saved("a", change=fewer), saved("b", change=without_first_tag)]
    with pytest.raises(BnaparserError, match="cannot be averaged: their tags differ"):
        average(folders)


WIDER = LayerSettings(hidden_size=64, num_attention_heads=2, head_dim=16, intermediate_size=32)


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        ("bert", {"layers": WIDER}, "their settings layers."),
        ("bert", {"change": with_labels(lambda names: [*names[:-1], "XX"])}, "their labels"),
        ("roberta", {}, "their vocabularies"),
        (None, {}, "their vocabularies"),
    ],
)
def test_what_does_not_belong_together_is_named(
    saved: Callable[..., str],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    kind: str,
    settings: dict[str, Any],
    words: str,
) -> None:
    folders = [saved("one"), saved("two", kind, **settings)]
    assert main(["average", *folders, "--output", str(tmp_path / "mean")]) == 2
    error = capsys.readouterr().err
    assert f"{folders[0]} and {folders[1]} cannot be averaged: {words}" in error
    assert error.endswith("differ\n")
    assert not (tmp_path / "mean").exists()


@pytest.mark.parametrize(
    ("count", "shares", "message"),
    [
        (1, None, "two models or more"),
        (2, (1,), "1 weights for 2 models"),
        (2, (1, 0), "must be a positive finite number"),
        (2, (1, float("nan")), "must be a positive finite number"),
        (2, (1e308, 1e308), "positive finite number"),
    ],
)
def test_wrong_shares(
    saved: Callable[..., str], count: int, shares: tuple[float, ...] | None, message: str
) -> None:
    folders = [saved(f"m{seed}") for seed in range(count)]
    with pytest.raises(BnaparserError, match=message):
        average(folders, shares)


def test_a_folder_that_is_not_there(
    saved: Callable[..., str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["average", saved("one"), "nowhere", "--output", str(tmp_path / "mean")]) == 2
    assert "no model 'nowhere'" in capsys.readouterr().err
