"""What lies in the folder that a corpus is written to: a whole run, parts of one, other people's files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bnaparser.errors import DataError, SettingsError
from bnaparser.parsing.corpus.run import CorpusProgress
from bnaparser.parsing.parser import Parser
from tests.parsing.corpus.corpora import SMALL, many_lines, run, write_jsonl, written


@pytest.fixture(scope="module")
def parser(tiny_model_dir: Path) -> Parser:
    return Parser.load(tiny_model_dir, "cpu")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    given = tmp_path / "in.txt"
    given.write_text(many_lines(6), encoding="utf-8")
    return given


def test_a_missing_part_of_a_complete_run_is_parsed_again(
    file: Path, parser: Parser, tmp_path: Path
) -> None:
    """The run was called complete; later the whole corpus had to be parsed again, with --fresh."""
    output = tmp_path / "out"
    run(parser, [file], output)
    whole, part = written(output), output / "part-000001.jsonl"
    for damage in (lambda: part.write_bytes(b"{"), part.unlink):
        damage()
        shards: list[int] = []
        notices: list[str] = []
        run(
            parser,
            [file],
            output,
            report=lambda progress, seen=shards: seen.append(progress.new_sentences),
            notices=notices,
        )
        assert written(output) == whole
        assert notices == [f"{part} is missing or was changed: this part is parsed again"]
        assert 0 < shards[-1] < 6
    run(parser, [file], output, replace(SMALL, fresh=True))
    assert written(output) == whole


@pytest.mark.parametrize("name", ["manifest.json", "errors.jsonl", "part-00000-6f2a.parquet"])
@pytest.mark.parametrize("fresh", [False, True])
def test_files_of_another_program_are_left_as_they_are(
    name: str, fresh: bool, file: Path, parser: Parser, tmp_path: Path
) -> None:
    """With --fresh they were deleted, and a manifest of a web page was a KeyError."""
    output = tmp_path / "theirs"
    output.mkdir()
    (output / name).write_text('{"name": "a page"}', encoding="utf-8")
    with pytest.raises(SettingsError, match=rf"{name}.*: give an empty folder"):
        run(parser, [file], output, replace(SMALL, fresh=fresh))
    assert written(output) == {name: b'{"name": "a page"}'}
    assert not (output / ".run").exists()


THEIRS = ("chapter.draft", "part-00000-6f2a.parquet", "part-2024.txt", "part-000099.txt")


def test_a_run_that_goes_on_leaves_the_files_of_others(
    file: Path, parser: Parser, tmp_path: Path
) -> None:
    output = tmp_path / "out"

    def stop(progress: CorpusProgress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(parser, [file], output, report=stop)
    for name in THEIRS:
        (output / name).write_bytes(b"theirs")
    (output / "part-000001.jsonl.77.draft").write_bytes(b"ours")
    (output / "part-000099.jsonl").write_bytes(b"ours")
    run(parser, [file], output)
    ours = {"errors.jsonl", "manifest.json", "part-000000.jsonl", "part-000001.jsonl"}
    assert set(written(output)) >= {*THEIRS, *ours}
    assert not {"part-000001.jsonl.77.draft", "part-000099.jsonl"} & set(written(output))


def test_fresh_removes_its_own_parts_alone(file: Path, parser: Parser, tmp_path: Path) -> None:
    output = tmp_path / "out"
    run(parser, [file], output)
    for name in THEIRS:
        (output / name).write_bytes(b"theirs")
    file.write_text("It rained.\n", encoding="utf-8")
    run(parser, [file], output, replace(SMALL, fresh=True))
    assert set(written(output)) == {
        "errors.jsonl", "manifest.json", "part-000000.jsonl", *THEIRS,
    }  # fmt: skip


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "part-000001.jsonl": lambda data: data.replace(b"often", b"oftem"),
    ".run/000001.errors": lambda data: data.replace(b"error", b"errox"),
    ".run/000001.json": lambda data: data.replace(b'"sentences": 2', b'"sentences": 3'),
    ".run/000002.json": lambda data: b"[" * 100_000,
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_part_that_was_damaged_is_parsed_again_when_the_run_goes_on(
    name: str, parser: Parser, tmp_path: Path
) -> None:
    """Its size was looked at alone, and the manifest had a hash that was not the file's."""
    file = write_jsonl(tmp_path / "in.jsonl", [{"text": many_lines(1)}, {"id": "no text"}] * 4)
    whole, output = tmp_path / "whole", tmp_path / "out"
    settings = replace(SMALL, shard=replace(SMALL.shard, size=2))
    run(parser, [file], whole, settings)

    def stop(progress: CorpusProgress) -> None:
        if progress.shards == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(parser, [file], output, settings, report=stop)
    damaged = output / name
    before = damaged.read_bytes()
    damaged.write_bytes(DAMAGES[name](before))
    assert damaged.read_bytes() != before
    notices: list[str] = []
    run(parser, [file], output, settings, notices=notices)
    assert written(output) == written(whole)
    assert len(notices) == 1 and str(damaged) in notices[0] and "is parsed again" in notices[0]


@pytest.mark.parametrize("name", ["part-000002.jsonl", "errors.jsonl"])
def test_a_changed_file_of_a_complete_run_is_written_again(
    name: str, file: Path, parser: Parser, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    run(parser, [file], output)
    whole = written(output)
    (output / name).write_bytes(whole[name][:-1] + b" ")
    notices: list[str] = []
    run(parser, [file], output, notices=notices)
    assert written(output) == whole
    assert notices[0].startswith(f"{output / name} is missing or was changed")


@pytest.mark.parametrize("place", [0, 5])
def test_another_input_of_the_same_size_is_no_complete_run(
    place: int, file: Path, parser: Parser, tmp_path: Path
) -> None:
    """The trees of the old input were called complete, since only sizes were compared."""
    output = tmp_path / "out"
    run(parser, [file], output)
    whole, text = written(output), file.read_text(encoding="utf-8")
    file.write_text(text.replace(f"in {place}.", f"in {place}!"), encoding="utf-8")
    notices: list[str] = []
    with pytest.raises(DataError, match=r"out/part-00000\d\.jsonl \(.*has changed.*--fresh"):
        run(parser, [file], output, notices=notices)
    assert notices == []
    assert written(output) == whole
    file.write_text(text, encoding="utf-8")
    seen: list[tuple[bool, int, int]] = []
    run(
        parser,
        [file],
        output,
        report=lambda now: seen.append((now.comparing, now.read, now.total)),
        notices=notices,
    )
    assert notices == [f"{output} is complete"]
    assert seen[-1] == (True, len(text), len(text))
    assert written(output) == whole


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (2, 1, r"out/part-000001\.jsonl is no longer in the input files"),
        (1, 2, r"shard 1 \(.*in\.jsonl, row 2.* is not in .*out: the input has changed"),
    ],
)
def test_more_or_fewer_shards_in_as_many_bytes_are_another_input(
    before: int, after: int, said: str, parser: Parser, tmp_path: Path
) -> None:
    given, output = tmp_path / "in.jsonl", tmp_path / "out"
    lines = ['{"text": "' + "It rained. " * 6 + '"}\n'] * 2
    for count in (before, after):
        text = "".join(lines[:count])
        given.write_text(text + "\n" * (len("".join(lines)) - len(text)), encoding="utf-8")
        if count == before:
            run(parser, [given], output)
    with pytest.raises(DataError, match=said):
        run(parser, [given], output)


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "null", '{"run": 1, "totals": 2, "shards": 3, "errors_sha256": 4}'],
)
def test_a_manifest_that_is_none_is_one_sentence(
    text: str, file: Path, parser: Parser, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "manifest.json").write_text(text)
    with pytest.raises(
        SettingsError, match=r"manifest\.json is damaged, or not the manifest of a run"
    ):
        run(parser, [file], tmp_path / "out")


def test_an_output_that_is_a_circle_of_links_is_one_sentence(
    file: Path, parser: Parser, tmp_path: Path
) -> None:
    for one, other in (("a", "b"), ("b", "a")):
        (tmp_path / one).symlink_to(tmp_path / other)
    with pytest.raises(DataError, match="cannot be made"):
        run(parser, [file], tmp_path / "a")
