"""Every kind of file gives its documents, their places, ids and fields; what is wrong is said."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bnaparser.errors import BnaparserError, DataError, SettingsError
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import TagSettings
from bnaparser.parsing.corpus.documents import Piece
from bnaparser.parsing.corpus.engines import RaySettings
from bnaparser.parsing.corpus.inputs import find_files
from bnaparser.parsing.corpus.run import CorpusRun, CorpusSettings
from bnaparser.parsing.corpus.shards import Shard, ShardSettings, parse_shard
from bnaparser.parsing.parser import Parse, Parser
from tests.parsing.corpus.corpora import (
    PACKERS,
    SMALL,
    TEXTS,
    csv_text,
    found,
    rows,
    run,
    write_jsonl,
)


@pytest.fixture(scope="module")
def parser(tiny_model_dir: Path) -> Parser:
    return Parser.load(tiny_model_dir, "cpu")


def expected(parser: Parser) -> list[tuple[str, str]]:
    """The documents' ids, and the texts of their sentences."""
    return [(row["id"], parse.text) for row in rows() for parse in parser(row["text"])]


@pytest.mark.parametrize("packed", PACKERS)
@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv", "parquet"])
def test_tables_give_their_documents(
    kind: str, packed: str, parser: Parser, tmp_path: Path
) -> None:
    file = tmp_path / f"in.{kind}{packed}"
    if kind == "parquet":
        if packed:
            pytest.skip("Parquet is packed within")
        pa: Any = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pa.Table.from_pylist(rows()), file)
    elif kind == "jsonl":
        plain = "".join(json.dumps(row) + "\n\n" for row in rows())
        file.write_bytes(PACKERS[packed](b"\xef\xbb\xbf" + plain.encode()))
    else:
        text = csv_text(rows(), "\t" if kind == "tsv" else ",")
        file.write_bytes(PACKERS[packed](text.encode()))
    totals = run(parser, [file], tmp_path / "out", replace(SMALL, id_field="id"))
    sentences = found(tmp_path / "out")
    assert [(one["document"], one["text"]) for one in sentences] == expected(parser)
    years = [int(one["fields"]["year"]) for one in sentences]
    assert years == [1990, 1990, 1990, 1991, 1993]
    assert (totals["documents"], totals["sentences"], totals["failed"]) == (4, 5, 0)


def test_a_text_is_a_document_and_places_count_in_it(parser: Parser, tmp_path: Path) -> None:
    text = "\ufeffIt rained. Dogs bark.\n\n  Cats sat.\n"
    folder = tmp_path / "texts"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.txt").write_text(text, encoding="utf-8")
    (folder / ".hidden.txt").write_text("Not this.", encoding="utf-8")
    (folder / "notes.bin").write_text("Not this.", encoding="utf-8")
    run(parser, [folder], tmp_path / "out")
    sentences = found(tmp_path / "out")
    places = [(one["document"], one["part"], one["sentence"]) for one in sentences]
    name = str(Path("sub") / "a.txt")
    assert places == [(name, 1, 1), (name, 1, 2), (name, 3, 1)]
    for one in sentences:
        for token in one["tokens"]:
            assert text[1:][token["start"] : token["end"]] == token["text"]
    again = [Parse.from_dict(one) for one in sentences]
    whole = parser(text[1:])
    assert [(p.text, p.words, p.tags, p.offsets, str(p.tree)) for p in again] == [
        (p.text, p.words, p.tags, p.offsets, str(p.tree)) for p in whole
    ]
    assert [p.score for p in again] == pytest.approx([p.score for p in whole], abs=6e-4)


@pytest.mark.parametrize("split", ["paragraph", "text", "line", "token"])
def test_every_split_gives_the_sentences_of_the_parser(
    split: Any, parser: Parser, tmp_path: Path
) -> None:
    text = "It rained\nall day. Dogs bark .\n\nThe cat sat.\n" * 4
    file = tmp_path / "a.txt"
    file.write_text(text, encoding="utf-8")
    settings = CorpusSettings(shard=ShardSettings(split=split, size=10))
    run(parser, [file], tmp_path / "out", settings)
    whole = [parse for parse in parser(text, split=split) if parse.words]
    assert [one["text"] for one in found(tmp_path / "out")] == [parse.text for parse in whole]
    starts = [one["tokens"][0]["start"] for one in found(tmp_path / "out")]
    assert starts == [parse.offsets[0][0] for parse in whole]


def test_conllu_gives_words_documents_and_sentence_ids(parser: Parser, tmp_path: Path) -> None:
    file = tmp_path / "a.conllu"
    line = "{}\t{}\t_\t_\tNN\t_\t0\troot\t_\t_\n"
    file.write_text(
        "# newdoc id = one\n# sent_id = s1\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
        + line.format(1, "do") + line.format(2, "n't") + "\n"
        + "# sent_id = s2\n" + line.format(1, "bark") + "1.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
        + "# newdoc id = two\n" + line.format(1, "cats"),
        encoding="utf-8",
    )  # fmt: skip
    run(parser, [file], tmp_path / "out")
    assert [
        (one["document"], one["part"], one["fields"], [t["text"] for t in one["tokens"]])
        for one in found(tmp_path / "out")
    ] == [
        ("one", 1, {"sent_id": "s1"}, ["do", "n't"]),
        ("one", 2, {"sent_id": "s2"}, ["bark"]),
        ("two", 1, {}, ["cats"]),
    ]


def test_a_document_of_conllu_that_comes_twice_is_told(parser: Parser, tmp_path: Path) -> None:
    """Both had the same document, part and sentence in the output, and nothing was said."""
    word = "1\tbark\t_\t_\tNN\t_\t0\troot\t_\t_\n\n"
    names = ["one", "two", "one", "three"]
    document = "# newdoc id = {}\n" + word + word
    (tmp_path / "a.conllu").write_text("".join(map(document.format, names)), encoding="utf-8")
    run(parser, [tmp_path / "a.conllu"], tmp_path / "out")
    rows = [(one["document"], one["part"]) for one in found(tmp_path / "out")]
    assert rows == [(name, part) for name in ("one", "two", "three") for part in (1, 2)]
    errors = (tmp_path / "out" / "errors.jsonl").read_text(encoding="utf-8").splitlines()
    assert ["the id 'one' is that of an earlier document" in one for one in errors] == [True] * 2


def test_a_sentence_without_tags_leaves_those_of_others(
    build_model: Callable[..., BnaModel],
) -> None:
    """One without them took them from all that were read ahead with it."""
    reader = Parser(build_model(tagging=TagSettings(given=True)))
    words, tags = ("Mira", "sang"), ("NNP", "VBD")
    pieces = [
        Piece("a", f"a, {n}", words=words, tags=given) for n, given in enumerate([tags, (), tags])
    ]
    parsed = parse_shard(reader, Shard(0, tuple(pieces), "", 0), ShardSettings())
    rows = [json.loads(line) for line in parsed.data.decode().splitlines()]
    assert [row["error"] is None for row in rows] == [True, False, True]
    assert parsed.failed == 1 and "reads part-of-speech tags" in rows[1]["error"]
    assert [token["tag"] for token in rows[0]["tokens"]] == list(tags)


def test_ids_of_rows_are_told_apart_beside_texts_of_many_lines(
    parser: Parser, tmp_path: Path
) -> None:
    """All lines of a text but the first were refused for its name."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("Dogs bark.\nIt rained.\nCats sang.\n", "utf-8")
    write_jsonl(tmp_path / "in" / "b.jsonl", [{"id": "x", "text": "It fell."}] * 2)
    run(parser, [tmp_path / "in"], tmp_path / "out", replace(SMALL, id_field="id"))
    assert [one["document"] for one in found(tmp_path / "out")] == ["a.txt"] * 3 + ["x"]
    (error,) = (tmp_path / "out" / "errors.jsonl").read_text(encoding="utf-8").splitlines()
    assert "the id 'x' is that of an earlier document" in json.loads(error)["error"]


def test_a_line_nested_too_deeply_costs_no_other(parser: Parser, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "in.jsonl", [{"text": "Dogs bark."}])
    with file.open("a", encoding="utf-8") as more:
        more.write("[" * 100_000 + "\n")
    totals = run(parser, [file], tmp_path / "out")
    assert (totals["failed"], totals["sentences"]) == (1, 1)
    assert '"error": "not JSON: ' in (tmp_path / "out" / "errors.jsonl").read_text(encoding="utf-8")


def test_parquet_output_is_read_by_others(parser: Parser, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    file = write_jsonl(tmp_path / "in.jsonl", rows())
    run(parser, [file], tmp_path / "lines")
    settings = CorpusSettings(shard=ShardSettings(size=60, to="parquet"))
    run(parser, [file], tmp_path / "table", settings)
    table = polars.read_parquet(tmp_path / "table" / "part-*.parquet").to_dicts()
    for row in table:
        row["fields"] = json.loads(row["fields"])
    assert table == [{**row, "language": None} for row in found(tmp_path / "lines")]


def test_what_has_no_text_is_in_the_file_of_errors_and_costs_nothing_else(
    parser: Parser, tmp_path: Path
) -> None:
    given = [
        {"id": "a", "text": "Dogs bark."}, {"id": "b"}, {"id": "c", "text": 3}, [1],
        {"id": "a", "text": "Cats."}, {"text": "No id."}, {"id": "d", "text": "word " * 2100},
    ]  # fmt: skip
    file = write_jsonl(tmp_path / "in.jsonl", given)
    with file.open("a", encoding="utf-8") as more:
        more.write('{"id": "e", "text": \n{"id": "f", "text": "It rained."}\n')
    totals = run(parser, [file], tmp_path / "out", replace(SMALL, id_field="id"))
    lines = (tmp_path / "out" / "errors.jsonl").read_text(encoding="utf-8").splitlines()
    errors = [json.loads(line) for line in lines]
    assert [(one["document"], one["place"].rpartition(" ")[2]) for one in errors] == [
        ("b", "2"), ("c", "3"), ("in.jsonl:4", "4"), ("a", "5"), ("in.jsonl:6", "6"), ("d", "7"),
        ("in.jsonl:8", "8"),
    ]  # fmt: skip
    said = [one["error"] for one in errors]
    for reason, part in zip(
        said,
        ["the field 'text' is not there", "the field 'text' is 3, not text", "not a JSON object {...}",
         f"the id 'a' is that of an earlier document: {file}, row 1", "'id' is empty: no id",
         "the sentence has 2,100 words", "not JSON: line 1, column 20: a value is missing"],
        strict=True,
    ):  # fmt: skip
        assert part in reason
    kept = [(one["document"], one["tree"] is None) for one in found(tmp_path / "out")]
    assert kept == [("a", False), ("d", True), ("f", False)]
    assert (totals["failed"], totals["sentences"]) == (7, 3)


@pytest.mark.parametrize(
    ("name", "content", "settings", "said"),
    [
        (
            "a.csv",
            "id,body\n1,x\n",
            {},
            "a.csv: no field 'text', its fields are id, body: name the",
        ),
        ("a.csv", "text\nx\n", {"id_field": "id"}, "a.csv: no field 'id', its fields are text"),
        ("a.csv", "", {}, "a.csv: no field 'text', its fields are none"),
        ("a.gz", "", {}, "a.gz: the ending of this name is unknown: give the format with --from"),
        ("a.txt.gz", "no gzip", {}, "a.txt.gz: not a whole .gz file"),
        ("a.txt.bz2", "no bzip2", {}, "a.txt.bz2: not a whole .bz2 file: Invalid data stream"),
        ("a.txt.zst", "no zstd", {}, "a.txt.zst: not a whole .zst file: "),
        (
            "a.txt",
            b"caf\xe9",
            {},
            "a.txt, line 1: byte 4 (0xe9) is not UTF-8: it may be Windows",
        ),
        ("a.txt", b"It rained.", {"encoding": "utf-9"}, "unknown encoding 'utf-9'"),
        (
            "a.txt",
            b"I\0t rained.",
            {},
            "a.txt, line 1: a NUL character: this is not text",
        ),
        ("a.csv", b"PK\x03\x04 xl/workbook.xml", {}, "a.csv: this is an Excel file, not text"),
        ("a.jsonl", b"PK\x03\x04 word/", {}, "a.jsonl: this is a Word file, not text"),
        (
            "a.txt",
            b"\x1f\x8b\x08",
            {},
            "a.txt: this is gzip data, not text: decompress the data first (gzip -dc)",
        ),
        ("a.conllu", b"\x7fELF\x02", {}, "a.conllu: this is a program, not text"),
        ("a.parquet", "PAR1", {}, "a.parquet: not a whole Parquet file"),
        ("a.conllu", "1\tx\n", {}, "a.conllu:1: 2 columns, CoNLL-U has 10"),
        ("a.txt", "x", {"workers": 0}, "0 workers: give at least 1 worker"),
        ("a.txt", "x", {"shard": ShardSettings(size=0)}, "shards of 0 characters"),
        (
            "a.txt",
            "x",
            {"cluster": RaySettings(gpus=-1)},
            "-1 GPUs for each worker: give a number from 0 to",
        ),
        (
            "a.txt",
            "x",
            {"cluster": RaySettings(gpus=1.5)},
            "1.5 GPUs for each worker: give a number from 0 t",
        ),
    ],
)
def test_wrong_files_are_known_before_the_model_is_loaded(
    name: str, content: str | bytes, settings: dict[str, Any], said: str, tmp_path: Path
) -> None:
    data = content if isinstance(content, bytes) else content.encode()
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BnaparserError) as caught:
        CorpusRun([str(tmp_path / name)], tmp_path / "out", CorpusSettings(**settings))
    assert said in str(caught.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_a_name_that_two_columns_have_is_refused(name: str, tmp_path: Path) -> None:
    """A row has a name once: one column was left out without a word."""
    if name == "a.csv":
        (tmp_path / name).write_text("text,id,id,,\nIt rained.,1,2,,\n", encoding="utf-8")
    else:
        pa: Any = pytest.importorskip("pyarrow")
        table = pa.table([["It rained."], [1], [2]], names=["text", "id", "id"])
        pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / name)
    with pytest.raises(DataError, match=r"two fields are called 'id': rename one"):
        CorpusRun([str(tmp_path)], tmp_path / "out", SMALL)


def test_parquet_without_the_column(tmp_path: Path) -> None:
    pa: Any = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    with pytest.raises(DataError, match=r"no field 'text', its fields are a: name the field of"):
        CorpusRun([str(tmp_path)], tmp_path / "out", SMALL)


def test_files_are_found_once_each_and_never_in_the_output(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("B.", encoding="utf-8")
    (tmp_path / "a.txt.gz").write_bytes(PACKERS[".gz"](b"A."))
    given = [str(tmp_path / "b.txt"), str(tmp_path), str(tmp_path / "*.txt")]
    assert [file.name for file in find_files(given)] == ["b.txt", "a.txt.gz"]
    with pytest.raises(DataError, match="no file matches this pattern"):
        find_files([str(tmp_path / "*.csv")])
    with pytest.raises(DataError, match="no such file or folder"):
        find_files([str(tmp_path / "none")])
    with pytest.raises(SettingsError, match="standard input cannot be read again"):
        find_files(["-"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"no file in this folder ends in \.txt"):
        find_files([str(tmp_path / "empty")])
    with pytest.raises(SettingsError, match=r"is an input file, and is in the output folder"):
        CorpusRun([str(tmp_path / "b.txt")], tmp_path, SMALL)
    assert len(TEXTS) == 4


def test_files_of_one_name_in_several_folders_have_ids_of_their_own(
    parser: Parser, tmp_path: Path
) -> None:
    """All were called body.txt, and their sentences had the same places."""
    for folder in ("2020/may", "2021/may", "2021/june"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "body.txt").write_text("It rained.\n", encoding="utf-8")
    (tmp_path / "one.txt").write_text("Dogs bark.\n", encoding="utf-8")
    names = [file.name for file in find_files([str(tmp_path / "20*/*/*"), str(tmp_path / "*.txt")])]
    assert names == ["2020/may/body.txt", "2021/june/body.txt", "2021/may/body.txt", "one.txt"]
    folders = [str(tmp_path / "2020"), str(tmp_path / "2021" / "may")]
    assert [file.name for file in find_files(folders)] == ["may/body.txt", "body.txt"]
    folders = [str(tmp_path / "2020"), str(tmp_path / "2021"), str(tmp_path / "2021/june/body.txt")]
    assert [file.name for file in find_files(folders)] == [
        "2020/may/body.txt", "june/body.txt", "2021/may/body.txt",
    ]  # fmt: skip


def test_a_file_beside_what_a_link_leads_to_is_told_from_one_beside_the_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are PLACE/f.txt to os.path.abspath: a longer name was sought for ever."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "real" / "f.txt").write_text("It rained.\n", encoding="utf-8")
    (tmp_path / "f.txt").write_text("Dogs bark.\n", encoding="utf-8")
    (tmp_path / "link").symlink_to("real/deep")
    names = [file.name for file in find_files(["f.txt", "link/../f.txt"])]
    assert names == [f"{tmp_path.name}/f.txt", "real/f.txt"]


def test_a_run_into_a_folder_of_its_input_goes_on(parser: Parser, tmp_path: Path) -> None:
    """It ended with "is an input file, and is in the output folder" when it was begun again."""
    (tmp_path / "a.txt").write_text("It rained.\n", encoding="utf-8")
    output = tmp_path / "parsed"
    notices: list[str] = []
    for given in (tmp_path, tmp_path / "**" / "*[lt]"):
        for settings in (replace(SMALL, fresh=True), SMALL):
            run(parser, [given], output, settings, notices=notices)
    assert notices == [f"{output} is complete"] * 2
    with pytest.raises(SettingsError, match=r"is an input file, and is in the output folder"):
        CorpusRun([str(output / "*.jsonl")], output, SMALL)


def errors_in(folder: Path) -> list[tuple[str, str]]:
    """The document and the reason of each line of ``errors.jsonl``."""
    lines = (folder / "errors.jsonl").read_text(encoding="utf-8").splitlines()
    return [(row["document"], row["error"]) for row in map(json.loads, lines)]


def test_a_line_of_json_that_is_not_utf_8_is_an_error_of_its_row(
    parser: Parser, tmp_path: Path
) -> None:
    """It was read with U+FFFD in the place of its bytes, and that was said twice."""
    file = tmp_path / "in.jsonl"
    rows = [json.dumps({"text": f"Dogs bark {n} times."}).encode() + b"\n" for n in range(4)]
    file.write_bytes(rows[0] + b'{"text": "caf\xe9"}\n' + rows[1] + b'{"text": "\xff\n' + rows[2])
    run(parser, [file], tmp_path / "out", SMALL)
    assert [row["document"] for row in found(tmp_path / "out")] == [
        "in.jsonl:1", "in.jsonl:3", "in.jsonl:5",
    ]  # fmt: skip
    first, second = errors_in(tmp_path / "out")
    assert first[0] == "in.jsonl:2" and "byte 14 (0xe9) is not UTF-8: it may be" in first[1]
    assert second[0] == "in.jsonl:4" and "line 4: byte 11 (0xff) is not UTF-8" in second[1]
    run(parser, [file], tmp_path / "named", replace(SMALL, encoding="cp1252"))
    assert found(tmp_path / "named")[1]["text"] == "caf\xe9"


def test_a_value_of_parquet_that_cannot_be_read_is_an_error_of_its_row(
    parser: Parser, tmp_path: Path
) -> None:
    """One string that was not UTF-8 ended the whole run, and its row was not named."""
    pa: Any = pytest.importorskip("pyarrow")
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    data = [b"It rained.", b"caf\xe9", b"Dogs bark.", b"a\0b"]
    text = pa.array(data, pa.binary()).view(pa.string())
    parquet.write_table(pa.table({"text": text, "n": [1, 2, 3, 4]}), tmp_path / "in.parquet")
    run(parser, [tmp_path / "in.parquet"], tmp_path / "out", SMALL)
    rows = [row for row in found(tmp_path / "out") if row["error"] is None]
    assert [(row["text"], row["fields"]) for row in rows] == [
        ("It rained.", {"n": 1}), ("Dogs bark.", {"n": 3}),
    ]  # fmt: skip
    first, second = errors_in(tmp_path / "out")
    assert first[0] == "in.parquet:2" and first[1] == "the field 'text': byte 4 (0xe9) is not UTF-8"
    assert second[0] == "in.parquet:4" and "it has a NUL character: this is not text" in second[1]


@pytest.mark.parametrize("name", ["b.txt", "b.csv", "b.conllu", "b.txt.gz"])
def test_a_file_that_is_not_utf_8_is_refused_before_anything_is_parsed(
    name: str, parser: Parser, tmp_path: Path
) -> None:
    good, bad = tmp_path / "a.txt", tmp_path / name
    good.write_text("It rained.\n", encoding="utf-8")
    lines = "text\n" + "# Dogs bark.\n" * 20_000 + "# caf\xe9\n"
    data = lines.encode("latin-1")
    bad.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    if name == "b.conllu":
        bad.write_bytes(data.removeprefix(b"text\n"))
    with pytest.raises(
        DataError, match=rf"{name}, line 2000\d: byte 6 \(0xe9\) is not UTF-8.*cp1252"
    ):
        run(parser, [good, bad], tmp_path / "out", SMALL)
    assert not list((tmp_path / "out").glob("part-*"))


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252", "utf-16-le", "shift_jis"])
def test_files_of_another_encoding(encoding: str, parser: Parser, tmp_path: Path) -> None:
    text = "日本。" if encoding == "shift_jis" else "The caf\xe9 closed."
    (tmp_path / "a.txt").write_bytes(f"{text}\nIt rained.".encode(encoding))
    (tmp_path / "b.csv").write_bytes(f"n,text\n1,{text}\n".encode(encoding))
    row = json.dumps({"text": text}, ensure_ascii=False)
    (tmp_path / "c.jsonl").write_bytes(f"{row}\n".encode(encoding))
    settings = SMALL if encoding == "utf-16" else replace(SMALL, encoding=encoding)
    run(parser, [tmp_path], tmp_path / "out", settings)
    assert [one["text"] for one in found(tmp_path / "out")] == [text, "It rained.", text, text]


def test_half_characters_and_numbers_that_are_none_cost_nothing(
    parser: Parser, tmp_path: Path
) -> None:
    """Parquet took none of them, and the run could not go on; JSON had NaN, which is none."""
    file = tmp_path / "in.jsonl"
    file.write_text(
        '{"id": "\\udfff", "text": "It \\ud800 rained.", "n": NaN, "m": [-Infinity, "\\ud800"]}\n'
        '{"id": "b", "text": "Dogs bark."}\n',
        encoding="utf-8",
    )
    run(parser, [file], tmp_path / "lines", replace(SMALL, id_field="id"))
    settings = replace(SMALL, id_field="id", shard=ShardSettings(size=60, to="parquet"))
    run(parser, [file], tmp_path / "table", settings)
    lines = found(tmp_path / "lines")
    assert [(one["document"], one["text"]) for one in lines] == [
        ("\ufffd", "It \ufffd rained."), ("b", "Dogs bark."),
    ]  # fmt: skip
    assert lines[0]["fields"] == {"id": "\ufffd", "n": None, "m": [None, "\ufffd"]}
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    parts = sorted((tmp_path / "table").glob("*.parquet"))
    read = [row for part in parts for row in parquet.read_table(part).to_pylist()]
    assert [{**one, "fields": json.loads(one["fields"])} for one in read] == [
        {**one, "language": None} for one in lines
    ]


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_quotation_mark_that_is_never_closed_swallows_no_rows_silently(
    end: str, parser: Parser, tmp_path: Path
) -> None:
    file = tmp_path / "in.csv"
    file.write_text(f'text,n\nIt rained.,1\n"Dogs, 2\nCats.,3{end}', encoding="utf-8")
    with pytest.raises(DataError, match=r"in\.csv, row 2: a field begins with a quotation mark"):
        run(parser, [file], tmp_path / "out")
    file.write_text(f'n,text\n1,"It\nrained."\n2,Cats "bark".{end}', encoding="utf-8")
    run(parser, [file], tmp_path / "out", replace(SMALL, fresh=True))
    texts = [one["text"] for one in found(tmp_path / "out")]
    assert texts == ["It", "rained.", 'Cats "bark".']
