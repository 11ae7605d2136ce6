"""``bnaparse`` with several models, and a language given or guessed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bnaparser.cli import main, parse

CHINESE = "(TOP (S (NP (N 我)) (VP (V 吃) (NP (N 魚))) (PU 。)))"


def test_each_sentence_in_its_language(
    tiny_model_dir: Path, two_languages_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models = f"{tiny_model_dir},{two_languages_dir}"
    text = "The cat sat on the mat. 我吃魚。"
    assert parse.main(["--model", models, text]) == 0
    english, chinese = capsys.readouterr().out.splitlines()
    assert chinese == CHINESE
    assert parse.main(["--model", str(tiny_model_dir), "The cat sat on the mat."]) == 0
    assert capsys.readouterr().out == english + "\n"


def test_a_language_that_is_given(
    two_languages_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = ["--model", str(two_languages_dir)]
    assert parse.main([*model, "--language", "zh", "我吃魚。"]) == 0
    assert capsys.readouterr().out == CHINESE + "\n"
    given = ["--split", "token", "--format", "json", "Ana vive ."]
    for code, known in (("zh", "zh-Hant"), ("es_ES", "es")):
        assert parse.main([*model, "--language", code, *given]) == 0
        assert f'"language": "{known}"' in capsys.readouterr().out
    assert parse.main([*model, "--language", "fr", "Oui."]) == 2
    assert capsys.readouterr().err == (
        "bnaparse: no model here knows the language 'fr': there is zh-Hant (Chinese (traditional)),"
        " es (Spanish)\n"
    )


def test_a_sentence_in_no_language_of_the_models(
    two_languages_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "Der Hund ist nicht da, und das ist gut.\n我吃魚。"
    assert parse.main(["--model", str(two_languages_dir), text]) == 1
    captured = capsys.readouterr()
    assert captured.out == f"\n{CHINESE}\n"
    assert captured.err.startswith("bnaparse: line 1: no model here knows the language 'de'")


def test_a_corpus_is_parsed_by_several_models(
    tiny_model_dir: Path, two_languages_dir: Path, tmp_path: Path
) -> None:
    (tmp_path / "in.txt").write_text("The cat sat on the mat.\n我吃魚。\n", encoding="utf-8")
    output = tmp_path / "out"
    model = ["--model", f"{tiny_model_dir},{two_languages_dir}"]
    assert main(["corpus", str(tmp_path / "in.txt"), str(output), *model, "--workers", "1"]) == 0
    lines = (output / "part-000000.jsonl").read_text(encoding="utf-8").splitlines()
    english, chinese = map(json.loads, lines)
    assert (english["language"], chinese["language"]) == ("en", "zh-Hant")
    assert chinese["tree"] == CHINESE


def test_several_models_are_evaluated_together(
    tiny_model_dir: Path, two_languages_dir: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.mrg"
    gold.write_text(f"{CHINESE}\n", encoding="utf-8")
    for models in (f"{tiny_model_dir},{two_languages_dir}", str(two_languages_dir)):
        assert main(["evaluate", "--model", models, "--language", "zh", str(gold)]) == 0
        scored = capfd.readouterr().out
        assert "Number of Valid sentence  =      1" in scored
        assert "Bracketing FMeasure       = 100.00" in scored
        assert f"model: {models}" in scored


def test_trees_of_each_language_calibrate(
    two_languages_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ["calibrate", str(two_languages_dir), "--data"]
    for name in ("es.mrg", "zh-Hant.mrg"):
        trees = (two_languages_dir.parent.parent / name).read_text(encoding="utf-8")
        wrong = trees.splitlines()[0].replace("(VP ", "(S ").replace("(grup.verb ", "(sn ")
        (tmp_path / name).write_text(f"{trees}\n{wrong}\n{wrong}", encoding="utf-8")
        base.append(str(tmp_path / name))

    def calibrate(*languages: str) -> tuple[int, str, str]:
        code = main([*base, *(("--language", *languages) if languages else ())])
        return code, *capsys.readouterr()

    code, out, _ = calibrate("es", "zh")
    assert code == 0
    for language in ("es", "zh-Hant"):
        assert f"{language}:\n29 sentences, 116 constituents, 98.28 % correct\n" in out
    assert "cannot be the model's" not in out
    code, out, error = calibrate("zh", "es")  # labels of the other language are none
    assert (code, out) == (2, "")
    assert "determine no best temperature" in error
    assert calibrate()[2].endswith("give the language of the trees with --language CODE\n")
    assert "no model here knows the language 'fr'" in calibrate("es", "fr")[2]
    message = "--language has 3 codes for 2 files of --data"
    assert message in calibrate("es", "zh", "es")[2]
