"""Readers of tables, tagged words and trees; what is wrong is named with file and line."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bnaparser.errors import DataError, TreeError
from bnaparser.tasks.data import read_examples
from bnaparser.tasks.examples import TaskExample, TaskFile
from bnaparser.tasks.settings import TaskSettings

SENTENCES = TaskSettings()
PAIRS = TaskSettings(texts=("sentence1", "sentence2"))
SCORES = TaskSettings(kind="regression", texts=("sentence1", "sentence2"), label="score")
TAGGING = TaskSettings(kind="tagging")


def read(path: Path, task: TaskSettings = SENTENCES, **file: Any) -> list[TaskExample]:
    return read_examples([TaskFile.model_validate({"path": str(path), **file})], task)


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    def write(name: str, text: str | bytes) -> Path:
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    return write


def test_a_table_has_a_header_tabs_and_no_quoting(
    written: Callable[[str, str | bytes], Path],
) -> None:
    file = written("a.tsv", 'label\tid\tsentence\r\nyes\t1\tIt "rained\r\nno\t2\t"Stop"\r\n\r\n')
    assert read(file) == [TaskExample(('It "rained',), "yes"), TaskExample(('"Stop"',), "no")]


@pytest.mark.parametrize(("suffix", "pack"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_packed_files(
    written: Callable[[str, str | bytes], Path], suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    file = written(f"a.tsv{suffix}", pack(b"label\tsentence\nyes\tIt rained.\n"))
    assert read(file) == [TaskExample(("It rained.",), "yes")]
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(DataError, match="not a whole"):
        read(file)


def test_pairs_and_scores(written: Callable[[str, str | bytes], Path]) -> None:
    file = written("a.tsv", "score\tsentence1\tsentence2\n2.5\tA b\tC d\n")
    assert read(file, SCORES) == [TaskExample(("A b", "C d"), 2.5)]


def test_tagged_words(written: Callable[[str, str | bytes], Path]) -> None:
    file = written("a.tsv", "\nMira\tB-PER\nsang\tO\n\n\nIt\tO\nfell\tO")
    assert read(file, TAGGING) == [
        TaskExample((("Mira", "sang"),), ("B-PER", "O")),
        TaskExample((("It", "fell"),), ("O", "O")),
    ]


def test_trees_give_sentences_or_phrases_each_once(
    written: Callable[[str, str | bytes], Path],
) -> None:
    file = written("a.txt", "(3 (2 The) (4 (4 ``) (2 -LRB-)))\n(1 (4 (4 ``) (2 -LRB-)) (1 x))\n")
    names = {"4": "good", "3": "good", "1": "bad"}
    assert read(file, labels=names) == [
        TaskExample((("The", '"', "("),), "good"),
        TaskExample((('"', "(", "x"),), "bad"),
    ]
    phrases = read(file, labels=names, drop=["2"], phrases=1)
    assert [e.texts[0] for e in phrases] == [
        ("The", '"', "("),
        ('"', "("),
        ('"',),
        ('"', "(", "x"),
        ("x",),
    ]
    assert len(read(file, labels=names, drop=["2"], phrases=2)) == 3


def test_parts_of_a_file_share_no_sentence(written: Callable[[str, str | bytes], Path]) -> None:
    """Phrases were drawn one by one: a sentence of one part was a phrase's neighbour in the other."""
    trees = [f"(1 (2 (3 a{n}) (4 b{n})) (5 c{n}))\n" for n in range(20)]
    file = written("a.txt", "".join(trees))
    train, dev = (read(file, phrases=1, part=part) for part in ((0.0, 0.9), (0.9, 1.0)))
    assert (len(train), len(dev)) == (18 * 5, 2 * 5)
    assert not {one.place for one in train} & {one.place for one in dev}
    whole = read(file, part=(0.9, 1.0))
    assert [one for one in dev if len(one.texts[0]) == 3] == whole


def test_a_limit_draws_from_all_of_a_file(task_data: Path) -> None:
    drawn = read(task_data / "sentiment.tsv", limit=10)
    assert len(drawn) == 10
    assert drawn == read(task_data / "sentiment.tsv", limit=10)
    assert drawn != read(task_data / "sentiment.tsv")[:10]


@pytest.mark.parametrize(
    ("name", "text", "task", "file", "says"),
    [
        ("a.tsv", "label\ttext\n", SENTENCES, {}, "a.tsv:1: there is no column 'sentence'"),
        (
            "a.tsv",
            "label\tsentence\nyes\n",
            SENTENCES,
            {},
            "a.tsv:2: 1 fields, but the header has 2",
        ),
        ("a.tsv", "label\tsentence\nyes\t \n", SENTENCES, {}, "a.tsv:2: the column 'sentence' is"),
        ("a.tsv", "label\tsentence\n", SENTENCES, {}, "the file holds no example"),
        ("a.tsv", "label\tsentence\n2\tx\n", SENTENCES, {"labels": {"1": "y"}}, "a.tsv:2: the lab"),
        ("a.tsv", "score\tsentence1\tsentence2\nnan\ta\tb\n", SCORES, {}, "a.tsv:2: the score"),
        ("a.tsv", "Mira B-PER\n", TAGGING, {}, "a.tsv:1: 'Mira B-PER' must be a word"),
        ("a.tsv", "a\tO\nb\tX\n", TAGGING, {"drop": ["X"]}, "a.tsv:2: labels of words cannot"),
        ("a.txt", "(3 x)\n", PAIRS, {}, "a file of trees has classes of single texts"),
        ("a.tsv", b"label\tsentence\nyes\tcaf\xe9\n", SENTENCES, {}, "a.tsv, line 2: byte 8"),
    ],
)
def test_what_is_wrong_is_named(
    written: Callable[[str, str | bytes], Path],
    name: str,
    text: str | bytes,
    task: TaskSettings,
    file: dict[str, Any],
    says: str,
) -> None:
    with pytest.raises(DataError, match=says):
        read(written(name, text), task, **file)


def test_a_broken_tree_is_named(written: Callable[[str, str | bytes], Path]) -> None:
    with pytest.raises(TreeError, match=r"a\.txt:2"):
        read(written("a.txt", "(3 (2 a) (2 b))\n(3 (2 a)\n"))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read(tmp_path / "none.tsv")


def test_classes_are_sorted_and_those_of_words_by_how_frequent_they_are() -> None:
    sentences = [TaskExample(("a",), name) for name in ("no", "yes", "maybe", "yes")]
    assert SENTENCES.of_kind.labels(sentences) == ("maybe", "no", "yes")
    tagged = [TaskExample((("a", "b", "c"),), ("B-PER", "O", "O"))]
    assert TAGGING.of_kind.labels(tagged) == ("O", "B-PER")
    assert SCORES.of_kind.labels([TaskExample(("a", "b"), 1.0)]) == ()
    with pytest.raises(DataError, match="only one class: no"):
        SENTENCES.of_kind.labels(sentences[:1])


def test_a_class_of_no_relation_that_is_not_there(caplog: pytest.LogCaptureFixture) -> None:
    """It was accepted, and relation_f1 was that of other classes than one thought."""
    examples = [TaskExample(("a",), name) for name in ("Owner(e1,e2)", "None(e1,e2)")]
    named = TaskSettings(kind="relations", other="None")
    assert len(named.of_kind.labels(examples)) == 2 and not caplog.records
    with pytest.raises(
        DataError, match=r"task\.other is 'Non', but the training data has None\(e1"
    ):
        named.model_copy(update={"other": "Non"}).of_kind.labels(examples)
    TaskSettings(kind="relations").of_kind.labels(examples)
    assert "none is 'Other'" in caplog.text


def test_a_class_that_training_has_not_seen() -> None:
    with pytest.raises(DataError, match="'new' of 'It rained'"):
        SENTENCES.of_kind.encode(TaskExample((("It", "rained"),), "new"), {"yes": 0})


def test_a_label_that_training_has_not_seen_is_named_with_its_line(
    written: Callable[[str, str | bytes], Path],
) -> None:
    tagged = written("a.tsv", "It\tO\n\n\nKaro\tO\nsang\tX\n")
    with pytest.raises(DataError, match=r"a\.tsv:5: the label 'X' of 'Karo sang'.* which has O"):
        [TAGGING.of_kind.encode(one, {"O": 0}) for one in read(tagged, TAGGING)]
    table = written("b.tsv", "label\tsentence\nyes\tIt sang\nnew\tIt fell\n")
    with pytest.raises(DataError, match=r"b\.tsv:3: the label 'new'"):
        [SENTENCES.of_kind.encode(one, {"yes": 0}) for one in read(table, SENTENCES)]
    trees = written("c.txt", "(3 (2 a) (2 b))\n(4 (2 a) (2 b))\n")
    with pytest.raises(DataError, match=r"c\.txt:2: the label '4'"):
        [SENTENCES.of_kind.encode(one, {"3": 0}) for one in read(trees, SENTENCES)]


def test_phrases_of_the_invented_trees(task_data: Path) -> None:
    settings: dict[str, Any] = {"labels": {"1": "no", "3": "yes"}, "drop": ["2"]}
    sentences = read(task_data / "phrases.txt", **settings)
    phrases = read(task_data / "phrases.txt", phrases=2, **settings)
    assert len(sentences) == 8
    assert len(phrases) == len(set(phrases)) > len(sentences)
    assert sentences[-1] == TaskExample((("(", "bright", ")"),), "yes")
    assert all(len(example.texts[0]) >= 2 for example in phrases)
