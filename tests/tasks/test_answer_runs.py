"""Models of answers and relations from training to use: learned, stored, compared, asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bnaparser.errors import SettingsError
from bnaparser.parsing.parser import Parser
from bnaparser.settings import validate
from bnaparser.syntax.sources.random_trees import random_structure
from bnaparser.tasks import one_seed
from bnaparser.tasks.all_seeds import train
from bnaparser.tasks.classifier import Classifier
from bnaparser.tasks.data import read_data
from bnaparser.tasks.examples import PreparedExample, written
from bnaparser.tasks.model import TaskModel, create, load_model, save_model
from bnaparser.tasks.settings import TaskModelSettings, TaskRecipe
from bnaparser.text.splitting import split

PASSAGE = "The old dog fell. Tobin sang."


def read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def golds(found: Any) -> list[tuple[str, ...]]:
    return [*found]


def asked(passage: str, question: str = "Who sang?") -> PreparedExample:
    words = [tuple(w for s in split(text) for w in s.words) for text in (question, passage)]
    return PreparedExample(tuple(map(random_structure, words)), written=written(passage, words[1]))


@pytest.fixture(scope="module")
def run(
    recipe: Callable[..., TaskRecipe], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, TaskRecipe, dict[str, Any]]:
    """The output of a run on invented questions, its recipe, and its results."""
    folder = tmp_path_factory.mktemp("answers")
    chosen = recipe("answers", epochs=8.0, head_learning_rate=5e-3, eval_steps=12)
    return folder, chosen, train(chosen, folder)


def test_answers_are_learned_and_the_stored_model_gives_the_same(
    run: tuple[Path, TaskRecipe, dict[str, Any]],
) -> None:
    folder, chosen, results = run
    assert results["metric"] == "answer_f1"
    assert results["summary"]["dev"]["answer_f1"]["mean"] > 80
    model = load_model(folder / "model")
    assert (model.labels, model.settings.task.kind) == ((), "answers")
    threshold = float(model.network.threshold)
    assert np.isfinite(threshold), "a quarter of the questions has no answer"
    data = read_data(chosen)
    predictions = read(folder / "seed-1" / "dev.predictions.json")
    assert predictions["predicted"] == model.predictions(data.judged[0].examples)
    assert predictions["gold"] == [list(gold) for gold in golds(data.judged[0].gold)]
    again = one_seed.development_scores(chosen, data.judged[0], model)
    assert again == results["seeds"]["1"]["dev"]
    assert float(model.network.threshold) == pytest.approx(threshold)


def test_two_runs_of_answers_are_compared(
    run: tuple[Path, TaskRecipe, dict[str, Any]], recipe: Callable[..., TaskRecipe], tmp_path: Path
) -> None:
    folder, _, results = run
    worse = train(recipe("answers", syntax={}, max_steps=1), tmp_path, against=folder)
    test = worse["against"]
    means = [one["summary"]["dev"]["answer_f1"]["mean"] for one in (worse, results)]
    assert [test["first"], test["second"]] == pytest.approx(means, abs=1e-4)
    assert test["low"] <= test["difference"] <= test["high"] < 0
    assert test["p_value"] < 0.05


def test_relations_are_learned(recipe: Callable[..., TaskRecipe], tmp_path: Path) -> None:
    results = train(
        recipe("relations", epochs=12.0, head_learning_rate=5e-3, eval_steps=18), tmp_path
    )
    assert results["metric"] == "relation_f1"
    assert results["summary"]["dev"]["relation_f1"]["mean"] > 50
    model = load_model(tmp_path / "model")
    assert model.labels[2] == "Other"
    classifier = Classifier.load(tmp_path / "model", device="cpu")
    answer = classifier("[E1]Mira[/E1] liked the old [E2]garden[/E2].")
    assert answer.label in model.labels and answer.error is None
    assert answer.trees[0] is not None and "[" not in str(answer.trees[0])
    assert "mark the two spans" in (classifier("Mira liked the garden.").error or "")
    many = classifier.classify_many(["[E1]a[/E1] [E2] [/E2]", classifier.sample])
    assert "a marked span has no words" in (many[0].error or "") and many[1].label


@pytest.fixture
def build(encoder_folder: Callable[[str], Path]) -> Callable[..., TaskModel]:
    """A function from a kind of encoder and tables of settings to an untrained model of answers."""

    def make(kind: str = "bert", **tables: Any) -> TaskModel:
        encoder = {"name": str(encoder_folder(kind))}
        table = {"encoder": encoder, "task": {"kind": "answers"}, **tables}
        torch.manual_seed(4)
        labels = () if table["task"]["kind"] == "answers" else ("A", "Other")
        model = create(validate(TaskModelSettings, table, "test"), labels)
        model.network.eval()
        return model

    return make


def test_candidates_are_those_of_all_spans_of_all_windows(
    build: Callable[..., TaskModel], encoder_kind: str
) -> None:
    """By brute force over the network's own scores, window by window, without padding."""
    sizes = {
        "max_seq_length": 40,
        "max_query_length": 20,
        "doc_stride": 11,
        "max_answer_length": 7,
        "n_best_size": 4,
    }
    model = build(encoder_kind, answers=sizes, syntax={"sla": {}})
    long = "Mira liked the unaffable dog near the garden. " * 6
    examples = [asked(PASSAGE), asked(long)]
    found = model.scores(examples, batch_tokens=10_000)
    for example, candidates in zip(examples, found, strict=True):
        best: dict[tuple[int, int], float] = {}
        nulls = []
        for window in model.text_inputs.reader.windows(example):
            batch, _ = model.text_inputs.reader.inputs(
                [window], [example.structures], model.settings.syntax.variant
            )
            with torch.no_grad():
                logits = model.network(**batch)["logits"][0].double()
            nulls.append(float(logits[window.null].sum()))
            for i in range(len(window.starts)):
                for j in range(i, min(i + 7, len(window.starts))):
                    span = int(window.starts[i]), int(window.ends[j])
                    sum_of_both = float(logits[window.first + i, 0] + logits[window.first + j, 1])
                    if span[0] < span[1]:
                        best[span] = max(best.get(span, -1e9), sum_of_both)
        expected = sorted(best.values(), reverse=True)[:4]
        assert [span.score for span in candidates.spans] == pytest.approx(expected, abs=1e-3)
        assert candidates.null == pytest.approx(min(nulls), abs=1e-3)
    assert len(model.text_inputs.reader.windows(examples[1])) > 2


def test_an_encoder_that_minds_padding_answers_alike_in_company_and_alone(
    build: Callable[..., TaskModel],
) -> None:
    model = build("convbert")
    examples = [asked(PASSAGE), asked("Mira liked the unaffable dog near the garden. " * 3)]
    for example, candidates in zip(examples, model.scores(examples), strict=True):
        (alone,) = model.scores([example])
        scores = [span.score for span in alone.spans]
        assert [span.score for span in candidates.spans] == pytest.approx(scores, abs=1e-4)


def test_the_loss_by_hand(build: Callable[..., TaskModel]) -> None:
    model = build(answers={"max_seq_length": 12, "max_query_length": 4, "doc_stride": 3})
    start = PASSAGE.index("Tobin")
    one = PreparedExample(
        asked(PASSAGE).structures, ("Tobin",), asked(PASSAGE).written, None, (start, start + 5)
    )
    items = model.training_items([one, one], 128)
    assert len(items) > 2
    batch = model.training_batch(items, 128)
    output = model.network(**batch)
    logits = output["logits"].detach().double().numpy()
    losses = []
    for row in range(len(items)):
        seen = np.flatnonzero(batch["allowed"][row].numpy())
        for side in range(2):
            kept = logits[row, seen, side]
            right = logits[row, int(batch["labels"][row, side]), side]
            losses.append(np.log(np.exp(kept - kept.max()).sum()) + kept.max() - right)
    assert output["loss"].item() == pytest.approx(np.mean(losses), rel=1e-5)
    output["loss"].backward()


@pytest.mark.parametrize("variant", ["sla", "wla", "lisa", "sgnet", "syntax_bert"])
def test_every_variant_guides_answers_and_relations(
    build: Callable[..., TaskModel], variant: str
) -> None:
    """In windows, too, in which heads may be out of sight; and with marks between the words."""
    syntax = {variant: {"distances": 2} if variant == "syntax_bert" else {}}
    answering = build(
        answers={"max_seq_length": 12, "max_query_length": 4, "doc_stride": 3}, syntax=syntax
    )
    found = asked(PASSAGE)
    one = PreparedExample(found.structures, ("Tobin",), found.written, None, (18, 23))
    windows = answering.training_items([one], 128)
    assert len(windows) > 1
    relating = build(task={"kind": "relations"}, syntax=syntax)
    passage = found.structures[1:]
    marked = PreparedExample(passage, 1, found.written, ((4, 7), (18, 23)))
    for model, items in ((answering, windows), (relating, [marked])):
        loss = model.network(**model.training_batch(items, 128))["loss"]
        assert torch.isfinite(loss)
        loss.backward()
        new = [parameter.grad for parameter in model.network.new_parameters()]
        assert any(grad is not None and bool(grad.any()) for grad in new)


def test_saved_and_loaded_it_is_the_same(build: Callable[..., TaskModel], tmp_path: Path) -> None:
    model = build(
        "roberta", answers={"max_seq_length": 50, "max_query_length": 10}, syntax={"sla": {}}
    )
    model.network.threshold.fill_(1.25)
    before = model.scores([asked(PASSAGE)])
    save_model(model, tmp_path, "float32", {})
    loaded = load_model(tmp_path)
    assert loaded.settings.answers == model.settings.answers
    assert float(loaded.network.threshold) == 1.25
    assert loaded.scores([asked(PASSAGE)]) == before


def test_windows_that_leave_no_room_are_told_before_training(
    build: Callable[..., TaskModel],
) -> None:
    with pytest.raises(SettingsError, match="at most half of max_seq_length"):
        build(answers={"max_seq_length": 60, "max_query_length": 40})
    with pytest.raises(SettingsError, match=r"answers\.max_query_length to less"):
        build(answers={"max_seq_length": 1200, "max_query_length": 600})


# --- what users hold


@pytest.fixture(scope="module")
def classifier(run: tuple[Path, TaskRecipe, dict[str, Any]], tiny_model_dir: Path) -> Classifier:
    return Classifier.load(run[0] / "model", Parser.load(tiny_model_dir, "cpu"), "cpu")


def test_a_question_is_answered(classifier: Classifier) -> None:
    found = classifier(("Who sang?", PASSAGE))
    assert (found.answer, found.label, found.error) == ("Tobin", None, None)
    assert len(found.answers) == 5
    first = found.answers[0]
    assert (first.text, PASSAGE[first.start : first.end]) == ("Tobin", "Tobin")
    shares = [answer.probability for answer in found.answers]
    assert shares == sorted(shares, reverse=True) and 0 < sum(shares) <= 1
    assert all(PASSAGE[one.start : one.end] == one.text for one in found.answers)
    assert len(found.trees) == 3
    assert found == classifier(f"Who sang?\t{PASSAGE}")
    line = found.to_text().split("\t")
    assert line[0] == "Tobin" and line[1].startswith(f"{first.start}-{first.end} 0.")
    table = json.loads(found.to_json())
    assert table["answer"] == "Tobin" and table["answers"][0]["start"] == first.start


def test_a_passage_that_does_not_say(classifier: Classifier) -> None:
    found = classifier(("Who sang?", "The clever dog fell. The letter slept."))
    assert (found.answer, found.answered, found.error) == ("", True, None)
    assert found.answers and found.to_dict()["answer"] == ""


def test_a_passage_longer_than_a_window(classifier: Classifier) -> None:
    passage = "The old dog fell.\n" * 200 + "Tobin sang."
    found = classifier(("Who sang?", passage))
    assert found.error is None and len(found.trees) == 202
    assert all(passage[one.start : one.end] == one.text for one in found.answers)
    assert "\n" not in found.to_text()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Who sang?", "takes a question and a passage: two texts with one tab between"),
        (("Who sang?", " "), "the passage has no words"),
        (("", PASSAGE), "the question has no words"),
    ],
)
def test_a_question_without_a_passage(classifier: Classifier, text: Any, says: str) -> None:
    found = classifier(text)
    assert says in (found.error or "") and not found.answered and found.to_text() == ""


def test_a_passage_of_several_questions_is_parsed_once(
    classifier: Classifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --passage it was parsed anew for each question: a thousand times for a thousand."""
    parse, counts = classifier.parser.parse_sentences, []

    def counted(sentences: Any) -> Any:
        counts.append(len(sentences))
        return parse(sentences)

    monkeypatch.setattr(classifier.parser, "parse_sentences", counted)
    questions = [(question, PASSAGE) for question in ("Who sang?", "Who fell?", "Who sang?")]
    found = classifier.classify_many(questions)
    assert counts == [4]  # two questions, two sentences
    alone = [classifier(question) for question in questions]
    assert [(one.answer, one.trees) for one in found] == [(one.answer, one.trees) for one in alone]


def test_one_bad_question_takes_no_other_along(classifier: Classifier) -> None:
    found = classifier.classify_many(["Who?", ("Who sang?", PASSAGE)])
    assert [one.answered for one in found] == [False, True]
