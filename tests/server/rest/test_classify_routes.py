"""``/v1/classify`` from a client's side: on real tiny models, and on ones that the test holds up."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient

from bnaparser.errors import ModelError
from bnaparser.server.app import create_app
from bnaparser.server.settings import ServerSettings
from tests.server.answers import problem

if TYPE_CHECKING:
    from tests.server.conftest import HeldClassifier, HeldParser

    MakeClient = Callable[..., TestClient]

TEXT = "Mira sang. The dog fell."
PLAIN = {"content-type": "text/plain"}


@pytest.fixture(scope="module")
def tiny(tiny_model_dir: Path, tiny_classifier_dir: Path) -> Iterator[TestClient]:
    """A client of an app on the tiny parser and the tiny classifier."""
    settings = ServerSettings(
        model=str(tiny_model_dir), classifier=str(tiny_classifier_dir), max_words=30
    )
    with TestClient(create_app(settings)) as started:
        yield started


@pytest.fixture
def held(make_client: MakeClient) -> TestClient:
    return make_client(classifier="held")


@pytest.fixture
def asking() -> Iterator[Callable[..., Future[Any]]]:
    """A function that sends a request and does not wait for its answer."""
    with ThreadPoolExecutor(16) as threads:
        yield lambda client, text: threads.submit(client.post, "/v1/classify", json={"text": text})


def ask(client: TestClient, **request: Any) -> list[dict[str, Any]]:
    answer = client.post("/v1/classify", json=request)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    answers: list[dict[str, Any]] = answer.json()["answers"]
    return answers


def waiting(client: TestClient) -> int:
    """The sentences that wait to be parsed."""
    sentences: int = client.app.state.service._queue.short.waiting.sentences  # type: ignore[attr-defined]
    return sentences


def unanswered(client: TestClient) -> int:
    """The requests that wait for trees, those too whose sentences are being parsed."""
    return len(client.app.state.service._queue.short._unanswered)  # type: ignore[attr-defined]


def until(condition: Callable[[], bool]) -> None:
    """Wait until something holds."""
    give_up = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.005)


# --- what is answered


def test_the_answer_is_the_librarys(
    tiny: TestClient, tiny_model_dir: Path, tiny_classifier_dir: Path
) -> None:
    from bnaparser.tasks.classifier import Classifier

    library = Classifier.load(tiny_classifier_dir, tiny_model_dir, "cpu")
    texts = [TEXT, "Karo liked the old garden.", " ", "It sang."]
    for found, expected in zip(ask(tiny, texts=texts), library.classify_many(texts), strict=True):
        wanted = json.loads(expected.to_json())
        assert found.pop("probabilities") == pytest.approx(wanted.pop("probabilities"), abs=1e-5)
        assert found == wanted
    assert [answer["label"] for answer in ask(tiny, text=TEXT)] == [library(TEXT).label]


def test_a_text_has_a_label_probabilities_and_a_tree_for_each_sentence(tiny: TestClient) -> None:
    [answer] = ask(tiny, text=TEXT)
    assert set(answer) == {"label", "probabilities", "trees", "error"}
    assert list(answer["probabilities"]) == ["negative", "positive"]
    assert answer["label"] == max(answer["probabilities"], key=answer["probabilities"].get)
    parses = tiny.post("/v1/parse", json={"text": TEXT}).json()["parses"]
    assert answer["trees"] == [parse["tree"] for parse in parses]


def test_plain_text_gives_a_line_a_text(tiny: TestClient) -> None:
    body = f"{TEXT}\r\n\n\u200b\nIt sang.".encode()
    answer = tiny.post("/v1/classify", content=body, headers=PLAIN)
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    first, empty, failed, last, end = answer.text.split("\n")
    label, shares, trees = first.split("\t")
    assert (label in ("negative", "positive"), shares.count(","), trees.count("(TOP")) == (1, 1, 2)
    assert [empty, failed, end] == ["", "", ""]
    assert last
    assert answer.headers["x-sentence-errors"] == "3: the text has no words"


def test_a_sentence_that_is_too_long_leaves_its_text_to_the_plain_encoder(
    tiny: TestClient,
) -> None:
    long, good = ask(tiny, texts=[f"It sang. {'dog ' * 40}", TEXT])
    assert long["label"] in ("negative", "positive")
    assert [tree is None for tree in long["trees"]] == [False, True]
    assert (
        "sentence 2: the sentence has 40 words, and the limit of this service is 30"
        in long["error"]
    )
    assert "the plain encoder served the text" in long["error"]
    assert good["error"] is None


def test_a_text_that_the_model_fails_on_fails_alone(
    tiny: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny.app.state.service.classifying.classifier.model  # type: ignore[attr-defined]
    scores = model.scores

    def fail_on_poison(examples: Any) -> Any:
        if any("poison" in one.structures[0].words for one in examples):
            raise RuntimeError("poisoned")
        return scores(examples)

    monkeypatch.setattr(model, "scores", fail_on_poison)
    first, failed, last = ask(tiny, texts=["It sang.", "poison", "It fell."])
    assert first["error"] is last["error"] is None
    assert "poisoned" in failed["error"]
    assert (failed["label"], failed["probabilities"]) == (None, {})


@pytest.fixture
def build(
    encoder_folder: Callable[[str], Path], tiny_model_dir: Path
) -> Iterator[Callable[..., TestClient]]:
    """A function from a task's settings to a client of a service for it."""
    from contextlib import ExitStack

    from bnaparser.settings import validate
    from bnaparser.tasks.classifier import Classifier
    from bnaparser.tasks.model import create
    from bnaparser.tasks.settings import TaskModelSettings

    with ExitStack() as stack:

        def make(labels: tuple[str, ...], **task: Any) -> TestClient:
            table = {"encoder": {"name": str(encoder_folder("bert"))}, "task": task}
            model = create(validate(TaskModelSettings, table, "test"), labels)
            settings = ServerSettings(model=str(tiny_model_dir), classifier="a-task")
            app = create_app(settings, load_classifier=lambda _, parser: Classifier(model, parser))
            return stack.enter_context(TestClient(app))

        yield make


def test_models_of_pairs_scores_and_tags(build: Callable[..., TestClient]) -> None:
    pairs = build(("no", "yes"), texts=["a", "b"])
    found = ask(pairs, texts=[["It sang.", "Karo fell. It sang."], "It sang.\tIt fell.", "Alone."])
    assert [len(answer["trees"]) for answer in found] == [3, 2, 0]
    assert [answer["label"] in ("no", "yes") for answer in found] == [True, True, False]
    assert "takes pairs" in found[2]["error"]
    line = pairs.post("/v1/classify", content="It sang.\tIt fell.", headers=PLAIN).text
    assert line.count("(TOP") == 2
    [described] = pairs.get("/v1/models").json()["classifiers"]
    assert (described["kind"], described["pairs"]) == ("classification", True)
    [scored] = ask(build((), kind="regression"), text="It sang.")
    assert isinstance(scored["score"], float)
    tagger = build(("O", "B-PER"), kind="tagging")
    [tagged, two] = ask(tagger, texts=["Mira sang.", ["It sang.", "It fell."]])
    assert len(tagged["tags"]) == 3
    assert "no pairs" in two["error"]


def test_models_of_answers_and_relations(build: Callable[..., TestClient]) -> None:
    answering = build((), kind="answers")
    passage = "The old dog fell. Mira sang."
    [found, alone] = ask(answering, texts=[["Who sang?", passage], "Who sang?"])
    assert (found["label"], len(found["trees"])) == (None, 3)
    assert found["answer"] == found["answers"][0]["text"]
    assert all(passage[one["start"] : one["end"]] == one["text"] for one in found["answers"])
    assert "a question and a passage" in alone["error"] and "answer" not in alone
    [described] = answering.get("/v1/models").json()["classifiers"]
    assert (described["kind"], described["pairs"], described["labels"]) == ("answers", True, [])
    relating = build(("Has(e1,e2)", "Other"), kind="relations")
    [related, unmarked] = ask(relating, texts=["[E1]Mira[/E1] has a [E2]dog[/E2].", "It sang."])
    assert related["label"] in ("Has(e1,e2)", "Other")
    assert "mark the two spans" in unmarked["error"]


# --- what is refused


def test_without_a_classifier_the_setting_is_named(client: TestClient) -> None:
    answer = client.post("/v1/classify", json={"text": TEXT})
    assert answer.json()["type"] == "urn:bnaparser:problem:no-classifier"
    said = problem(answer, 404)
    assert "--classifier" in said and "BNAPARSER_CLASSIFIER" in said
    assert client.get("/v1/models").json()["classifiers"] == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("[]", "text and texts"),
        ("{}", "has none"),
        ('{"text": "a", "texts": []}', "text and texts"),
        ('{"text": 5}', "text must be a string; it is 5"),
        (
            '{"texts": ["a", ["b"]]}',
            'texts[1] must be a list of 2 strings, such as ["...", "..."]; it is ["b"]',
        ),
        ('{"texts": [["a", null]]}', "texts[0][1] must be a string"),
        ('{"text": "a", "scores": true}', "scores"),
        ('{"texts": ["a", "\\ud800"]}', "texts[1]: character 1 is half"),
    ],
)
def test_a_wrong_body_is_told_with_its_place(held: TestClient, body: str, said: str) -> None:
    headers = {"content-type": "application/json"}
    assert said in problem(held.post("/v1/classify", content=body, headers=headers), 422)


def test_other_bodies_are_refused(make_client: MakeClient) -> None:
    client = make_client(classifier="held", max_body_bytes=100, key="sesame")
    client.headers["Authorization"] = "Bearer sesame"
    headers = {"content-encoding": "gzip", **PLAIN}
    assert "gzip" in problem(client.post("/v1/classify", content=b"a", headers=headers), 415)
    assert "byte 1" in problem(client.post("/v1/classify", content=b"\xff", headers=PLAIN), 400)
    assert "100 bytes" in problem(client.post("/v1/classify", json={"text": "a" * 100}), 413)
    del client.headers["Authorization"]
    problem(client.post("/v1/classify", json={"text": "a"}), 401)


def test_requests_beyond_the_limits_are_refused(make_client: MakeClient) -> None:
    client = make_client(
        classifier="held", max_characters=20, max_sentences=2, max_words=5, queue_words=5
    )
    for request, said in (
        ({"texts": ["x" * 11, "y" * 10]}, "21 characters"),
        ({"texts": ["", "", ""]}, "3 texts"),
        ({"text": "Go. Go. Go."}, "3 sentences"),
        ({"text": "a b c d e.\n\nf"}, "7 words"),
    ):
        assert said in problem(client.post("/v1/classify", json=request), 413)
    lines = client.post("/v1/classify", content="a\nb\nc", headers=PLAIN)
    assert "3 texts" in problem(lines, 413)
    empty = client.post("/v1/classify", content="\n" * 21, headers=PLAIN)
    assert "21 characters" in problem(empty, 413)


# --- how it works


def test_texts_of_many_requests_go_through_the_classifier_together(
    held: TestClient, classifier: HeldClassifier, parser: HeldParser, asking: Any
) -> None:
    classifier.hold()
    first = asking(held, "first")
    classifier.wait_until_held()
    rest = [asking(held, f"text{number}") for number in range(5)]
    until(lambda: unanswered(held) == 5)
    classifier.batches.clear()
    parser.batches.clear()
    classifier.gate.set()
    for number, answer in enumerate([first, *rest]):
        [found] = answer.result().json()["answers"]
        word = "first" if number == 0 else f"text{number - 1}"
        assert f" {word})" in found["trees"][0]
    assert [len(batch) for batch in parser.batches] == [5]
    # The first texts that have their trees find the thread free, and do not wait for the others.
    assert sum(map(len, classifier.batches)) == 5
    assert len(classifier.batches) <= 2


def test_a_full_queue_says_when_to_come_again(
    make_client: MakeClient, classifier: HeldClassifier, asking: Any
) -> None:
    client = make_client(classifier="held", queue_words=10, max_words=10)
    classifier.hold()
    first = asking(client, "first")
    classifier.wait_until_held()
    second = asking(client, "word " * 10)
    until(lambda: waiting(client) == 1)
    late = client.post("/v1/classify", json={"text": "late"})
    assert late.json()["type"].endswith("queue-full")
    assert (late.status_code, int(late.headers["retry-after"]) >= 1) == (503, True)
    classifier.gate.set()
    assert [one.result().status_code for one in (first, second)] == [200] * 2


def test_a_request_past_its_deadline_is_dropped(
    make_client: MakeClient, classifier: HeldClassifier, asking: Any
) -> None:
    client = make_client(classifier="held", deadline_seconds=0.3)
    classifier.hold()
    first = asking(client, "first")
    classifier.wait_until_held()
    assert "0.3 s" in problem(client.post("/v1/classify", json={"text": "late"}), 504)
    assert first.result().status_code == 504
    classifier.batches.clear()
    classifier.gate.set()
    assert ask(client, text="next")[0]["label"] == "positive"
    assert classifier.batches == [["next"]]


def test_a_classifier_that_breaks_down_gives_a_problem(held: TestClient) -> None:
    said = problem(held.post("/v1/classify", json={"text": "CRASH"}), 500)
    assert said.startswith("the classifier failed")
    assert ask(held, text="next")[0]["label"] == "positive"
    assert "parser failed" in problem(held.post("/v1/classify", json={"text": "BOOM"}), 500)


def test_ready_after_a_warm_up_of_both_models(
    make_client: MakeClient, classifier: HeldClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = make_client(classifier="held")
    assert len(classifier.batches) == 1
    assert client.get("/ready").json() == {"status": "ready"}
    monkeypatch.setattr(classifier, "answer", lambda given: [])
    with pytest.raises(ModelError, match="the classifier 'broken' cannot classify"):
        make_client(classifier="broken")


def test_requests_are_counted(held: TestClient) -> None:
    ask(held, texts=["It rained. It poured.", "Go."])
    page = held.get("/metrics").text
    for line in (
        "bnaparser_classify_texts_total 2.0",
        "bnaparser_classify_words_total 8.0",
        "bnaparser_classify_batch_texts_count 1.0",
        "bnaparser_classify_queue_texts 0.0",
        "bnaparser_classify_queue_words 0.0",
        "bnaparser_words_total 8.0",
        'bnaparser_requests_total{method="POST",route="/v1/classify",status="200"} 1.0',
    ):
        assert f"\n{line}\n" in page, line


def test_models_lists_the_classifier(tiny: TestClient, tiny_classifier_dir: Path) -> None:
    body = tiny.get("/v1/models").json()
    assert [model["name"] for model in body["classifiers"]] == [tiny_classifier_dir.name]
    assert body["classifiers"][0]["labels"] == ["negative", "positive"]
    assert body["classifiers"][0]["kind"] == "classification"
    assert len(body["models"]) == 1


def test_the_parser_is_loaded_once_where_it_is_the_classifiers(tiny: TestClient) -> None:
    service = tiny.app.state.service  # type: ignore[attr-defined]
    assert service.classifying.classifier.parser is service.parser
    assert service.classifying.parsing is service._queue


def test_another_parser_of_the_classifiers_is_a_second_one(
    tiny_model_dir: Path, tiny_classifier_dir: Path, tmp_path: Path
) -> None:
    shutil.copytree(tiny_model_dir, tmp_path / "other")
    app = create_app(
        ServerSettings(model=str(tmp_path / "other"), classifier=str(tiny_classifier_dir))
    )
    with TestClient(app) as client:
        service = app.state.service
        assert service.classifying.classifier.parser is not service.parser
        assert ask(client, text=TEXT)[0]["label"] in ("negative", "positive")
        assert client.post("/v1/parse", json={"text": TEXT}).status_code == 200
        assert "\nbnaparser_sentences_total 4.0\n" in client.get("/metrics").text


@pytest.mark.parametrize(
    ("name", "said"),
    [("nowhere", "no model"), ("parser", "is a parser, not a task model"), ("damaged", "damaged")],
)
def test_a_wrong_classifier_ends_the_start_with_one_sentence(
    tiny_model_dir: Path, tiny_classifier_dir: Path, tmp_path: Path, name: str, said: str
) -> None:
    if name == "parser":
        shutil.copytree(tiny_model_dir, tmp_path / name)
    elif name == "damaged":
        shutil.copytree(tiny_classifier_dir, tmp_path / name)
        weights = tmp_path / name / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-1000])
    app = create_app(ServerSettings(model=str(tiny_model_dir), classifier=str(tmp_path / name)))
    with pytest.raises(ModelError, match=said) as caught, TestClient(app):
        pass
    assert "\n" not in str(caught.value)
