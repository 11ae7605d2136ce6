"""``bnaparse``: one line out for one in, whatever the input; errors are one sentence."""

from __future__ import annotations

import fcntl
import gzip
import io
import json
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

import pytest

from bnaparser.cli import main as bnaparser
from bnaparser.cli.parse import main as bnaparse
from bnaparser.trees.tree import Tree

Run = Callable[..., tuple[int, str, str]]

COMMAND = [
    sys.executable,
    "-c",
    "import sys; from bnaparser.cli.parse import main; sys.exit(main())",
]


def start(*arguments: str) -> Popen[bytes]:
    """Start ``bnaparse`` in a process of its own, with the model that ships: it needs no PyTorch."""
    return Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_a_sentence_gives_its_tree(run: Run) -> None:
    code, out, err = run("The cat sat on the mat.")
    assert (code, err) == (0, "")
    tree = Tree.parse(out)
    assert tree.label == "TOP"
    assert tree.words == ("The", "cat", "sat", "on", "the", "mat", ".")


def test_several_words_are_one_text_and_are_split_into_sentences(run: Run) -> None:
    code, out, _ = run("It", "rained.", "The cat slept.")
    assert code == 0
    assert [Tree.parse(line).words[0] for line in out.splitlines()] == ["It", "The"]


def test_a_line_out_for_a_line_in(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("It rained.\n\n   \nDogs bark.\n\n", encoding="utf-8")
    code, out, err = run("--input", str(source), "--split", "line")
    lines = out.split("\n")
    assert (code, err) == (0, "")
    assert [bool(line) for line in lines] == [True, False, False, True, False, False]


def test_words_separated_by_blanks(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("Do n't  stop ( now ) .\n", encoding="utf-8")
    code, out, _ = run("--input", str(source), "--split", "token", "--format", "json")
    answer = json.loads(out)
    assert code == 0
    assert [t["text"] for t in answer["tokens"]] == ["Do", "n't", "stop", "(", "now", ")", "."]
    for token in answer["tokens"]:
        assert answer["text"][token["start"] : token["end"]] == token["text"]
    assert "-LRB-" in answer["tree"]
    assert Tree.parse(answer["tree"]).words[3] == "-LRB-"


def test_running_text_of_a_file(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("It rained. The cat\nslept.\n", encoding="utf-8")
    code, out, _ = run("--input", str(source), "--split", "text")
    assert code == 0
    assert [Tree.parse(line).words[-2] for line in out.splitlines()] == ["rained", "slept"]


def test_json_holds_characters_of_words_and_constituents(run: Run) -> None:
    code, out, _ = run("The cat sat.", "--format", "json")
    answer = json.loads(out)
    assert code == 0
    assert answer["error"] is None
    assert [(t["start"], t["end"]) for t in answer["tokens"]] == [(0, 3), (4, 7), (8, 11), (11, 12)]
    whole = answer["constituents"][0]
    assert (whole["start"], whole["end"], whole["char_start"], whole["char_end"]) == (0, 4, 0, 12)
    assert isinstance(whole["score"], float)


def test_pretty_output_is_indented(run: Run) -> None:
    _, out, _ = run("The cat sat.", "--format", "pretty")
    assert out.count("\n") > 2
    assert Tree.parse(out).words == ("The", "cat", "sat", ".")


def test_a_failed_line_is_reported_and_the_rest_is_parsed(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("It rained.\n" + "word " * 5000 + "\nDogs bark.\n", encoding="utf-8")
    code, out, err = run("--input", str(source))
    assert code == 1
    assert [bool(line) for line in out.split("\n")] == [True, False, True, False]
    assert err.startswith("bnaparse: line 2: the sentence has 5,000 words")
    assert err.count("\n") == 1


def test_a_failed_line_is_an_object_in_json(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("word " * 5000 + "\n", encoding="utf-8")
    code, out, _ = run("--input", str(source), "--format", "json")
    assert code == 1
    assert json.loads(out)["tree"] is None
    assert "5,000 words" in json.loads(out)["error"]


def test_bytes_that_are_not_utf8_are_refused_unless_the_encoding_is_named(
    run: Run, tmp_path: Path
) -> None:
    """Word's "Plain Text, Windows (default)" gave trees of U+FFFD, exit code 0."""
    source, output = tmp_path / "in.txt", tmp_path / "out.mrg"
    source.write_bytes("It rained.\nThe café isn\u2019t open.\n".encode("cp1252"))
    code, _, err = run("--input", str(source), "-o", str(output))
    assert code == 2
    assert err == (
        f"bnaparse: {source}, line 2: byte 8 (0xe9) is not UTF-8: it may be Windows-1252 ('café'): give"
        " --encoding cp1252\n"
    )
    code, out, err = run("--input", str(source), "--encoding", "cp1252")
    assert (code, err) == (0, "")
    assert Tree.parse(out.splitlines()[1]).words == ("The", "café", "is", "n\u2019t", "open", ".")
    code, _, err = run("--input", str(source), "--encoding", "cp12520")
    assert (code, err[:27]) == (2, "bnaparse: unknown encoding ")


@pytest.mark.parametrize("way", ["file", "standard input"])
def test_what_is_not_text_is_refused_before_the_model_is_loaded(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    source, output = tmp_path / "notes.docx", tmp_path / "out.mrg"
    with zipfile.ZipFile(source, "w") as file:
        file.writestr("word/document.xml", "It rained.")
    output.write_text("old", encoding="utf-8")
    given = ["-i", str(source)] if way == "file" else []
    with source.open(encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        code, out, err = run(*given, "-o", str(output), "--model", "no-such-model")
    name = source if way == "file" else way
    assert (code, out) == (2, "")
    assert err == (
        f"bnaparse: {name}: this is a Word file, not text: save the document as plain text in UTF-8\n"
    )
    assert output.read_text(encoding="utf-8") == "old"


def test_a_compressed_file_is_read_where_its_name_says_so(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.txt.gz"
    source.write_bytes(gzip.compress(b"It rained.\nDogs bark.\n"))
    code, out, err = run("--input", str(source))
    assert (code, len(out.splitlines()), err) == (0, 2, "")
    source.write_bytes(gzip.compress(b"It rained.\nDogs bark.\n")[:-9])
    code, _, err = run("--input", str(source))
    assert code == 2 and f"{source}: not a whole .gz file" in err
    plain = source.rename(tmp_path / "in.txt")
    code, _, err = run("--input", str(plain))
    assert (
        code == 2
        and "this is gzip data, not text: decompress the data first (gzip -dc), or give a file"
        in err
    )


def test_an_argument_that_is_not_utf8_is_refused(run: Run) -> None:
    code, out, err = run("The caf\udce9 closed.", "--format", "json")
    assert (code, out) == (2, "")
    assert "the text is not UTF-8 at character 8: write it to a file" in err
    assert run("It rained.", "--encoding", "cp1252")[0] == 2


def test_a_byte_order_mark_and_windows_line_ends(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_bytes(b"\xef\xbb\xbfIt rained.\r\nDogs bark.\r\n")
    _, out, _ = run("--input", str(source))
    assert [Tree.parse(line).words[0] for line in out.splitlines()] == ["It", "Dogs"]


def test_output_goes_to_a_file(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    code, out, _ = run("It rained.", "--output", str(target))
    assert (code, out) == (0, "")
    assert Tree.parse(target.read_text(encoding="utf-8")).words == ("It", "rained", ".")


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(b"It rained.\nDogs bark."))
    monkeypatch.setattr(sys, "stdin", stdin)
    code, out, _ = run()
    assert code == 0
    assert len(out.splitlines()) == 2


def test_the_parse_verb_is_the_same(
    tiny_model_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bnaparser(["parse", "It rained.", "--model", str(tiny_model_dir)]) == 0
    assert Tree.parse(capsys.readouterr().out).words == ("It", "rained", ".")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--input", "nowhere.txt"], "cannot read nowhere.txt: No such file or directory"),
        (["text", "--output", "no/such/folder/out"], "cannot write no/such/folder/out"),
        (["text", "--input", "in.txt"], "give either text or --input, not both"),
        (["text", "--batch-tokens", "0"], "--batch-tokens 0: it must be at least 1"),
    ],
)
def test_wrong_usage_is_one_sentence(run: Run, arguments: list[str], message: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"bnaparse: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [("no-such-model", "no model 'no-such-model'"), ("tests", "is missing; tests is not a model")],
)
def test_a_model_that_is_none(capsys: pytest.CaptureFixture[str], name: str, message: str) -> None:
    assert bnaparse(["text", "--model", name]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_truncated_weights(
    tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import shutil

    broken = tmp_path / "model"
    shutil.copytree(tiny_model_dir, broken)
    weights = broken / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    assert bnaparse(["text", "--model", str(broken)]) == 2
    err = capsys.readouterr().err
    assert "is damaged or cut short" in err
    assert err.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk(run: Run) -> None:
    code, _, err = run("It rained.", "--output", "/dev/full")
    assert code == 2
    assert "the disk is full" in err
    assert err.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no limit on the size of files here")
def test_a_file_that_may_not_grow_is_named(tiny_model_dir: Path, tmp_path: Path) -> None:
    output = tmp_path / "trees.mrg"
    limited = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", *COMMAND]
    asked = ["--model", str(tiny_model_dir), "-o", str(output)]
    done = subprocess.run(
        [*limited, *asked], input=b"It rained.\n" * 100, capture_output=True, check=False
    )
    assert done.returncode == 2
    said = done.stderr.decode()
    assert said.count("\n") == 1
    assert str(output) in said and "ulimit -f" in said


def test_a_closed_pipe_ends_quietly() -> None:
    process = start()
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(b"It rained.\n" * 3000, timeout=300)
    assert err == b""
    assert process.returncode == 0


def test_who_writes_a_paragraph_and_waits_gets_its_tree_until_ctrl_c() -> None:
    """Also where what started it ignores the signal, as a shell does for its background jobs."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = start("--split", "text")
    finally:
        signal.signal(signal.SIGINT, before)
    assert process.stdin is not None
    assert process.stdout is not None
    for words in (("It", "rained", "."), ("Dogs", "bark", ".")):
        process.stdin.write((" ".join(words) + "\n\n").encode())
        process.stdin.flush()
        assert Tree.parse(process.stdout.readline().decode()).words == words
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (out, err.splitlines()[-1:], process.returncode) == (
        b"",
        [b"bnaparse: interrupted"],
        130,
    )


@pytest.mark.parametrize(
    ("redirection", "message"),
    [
        ("<&-", "bnaparse: standard input is closed: give text or --input FILE\n"),
        ("'It rained.' >&-", "bnaparse: standard output is closed: give --output FILE\n"),
    ],
)
def test_a_closed_standard_stream_is_one_sentence(redirection: str, message: str) -> None:
    command = f'exec "$@" {redirection}'
    done = subprocess.run(
        ["sh", "-c", command, "sh", *COMMAND], check=False, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", message, 2)


def test_complaints_do_not_go_among_the_trees() -> None:
    command = 'exec "$@" 2>&-'
    done = subprocess.run(
        ["sh", "-c", command, "sh", *COMMAND],
        input="It rained.\n" + "word " * 2001 + "\nDogs bark.\n",
        check=False,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert [bool(line) for line in done.stdout.split("\n")] == [True, False, True, False]
    assert done.returncode == 1


def test_the_input_is_not_overwritten(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "in.txt"
    source.write_text("It rained.\n", encoding="utf-8")
    link = tmp_path / "link.txt"
    link.symlink_to(source)
    message = f"bnaparse: {link} is also the input, which would be overwritten: give another output file\n"
    assert run("--input", str(source), "--output", str(link)) == (2, "", message)
    with source.open(encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert run("--output", str(link)) == (2, "", message)
    assert source.read_text(encoding="utf-8") == "It rained.\n"


def test_two_processes_do_not_write_one_file(run: Run, tmp_path: Path) -> None:
    """Their trees stood in it in turn."""
    output = tmp_path / "out.mrg"
    with output.open("w") as other:
        other.write("(TOP (NN first))\n")
        other.flush()
        fcntl.flock(other, fcntl.LOCK_EX)
        said = f"bnaparse: {output} is being written by another process: give another output file\n"
        assert run("It rained.", "-o", str(output)) == (2, "", said)
        assert output.read_text() == "(TOP (NN first))\n"
    assert run("It rained.", "-o", str(output))[0] == 0
    assert "(PRP It)" in output.read_text() or "It" in output.read_text()


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("t.mrg", "(TOP "), ("t.txt", "(TOP "), ("t", "(TOP "), ("t.dat", "(TOP "),
        ("t.json", '{"text": '), ("t.jsonl", '{"text": '), ("t.conllu", "# sent_id = 1\n"),
        ("t.svg", "<svg "), ("t.html", "<!doctype html>"), ("t.XML", "<?xml "), ("t.tex", "%"),
        ("t.tsv", "sentence\ttree\t"), ("t.export", "#FORMAT 4\n"),
    ],
)  # fmt: skip
def test_the_name_of_the_output_tells_the_format(
    run: Run, tmp_path: Path, name: str, begin: str
) -> None:
    """`-o tree.svg` and `-o trees.conllu` were files of brackets."""
    assert run("It rained.", "-o", str(tmp_path / name))[0] == 0
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(begin)
    assert run("It rained.", "-f", "bracket", "-o", str(tmp_path / name))[0] == 0
    assert (tmp_path / name).read_text(encoding="utf-8").startswith("(TOP ")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("t.mrg.gz", "the output is not compressed: give the output a name without .gz"),
        ("t.conllu.XZ", "the output is not compressed: give the output a name without .XZ"),
        ("t.docx", "this kind of file is not written: give the output a name without .docx"),
    ],
)
def test_what_is_not_written_is_refused(run: Run, tmp_path: Path, name: str, said: str) -> None:
    code, _, err = run("It rained.", "-o", str(tmp_path / name))
    assert (code, said in err, list(tmp_path.glob("t.*"))) == (2, True, [])


def test_heads_and_tags_are_not_overwritten(run: Run, tmp_path: Path) -> None:
    heads, tags = tmp_path / "in.conllu", tmp_path / "in.tags"
    heads.write_text("1\tDogs\t_\t_\t_\t_\t2\t_\t_\t_\n2\tbark\t_\t_\t_\t_\t0\t_\t_\t_\n\n")
    tags.write_text("NNS VBP\n")
    before = heads.read_bytes(), tags.read_bytes()
    code, _, err = run("--dependencies", str(heads), "--output", str(heads))
    assert (code, "which would be overwritten" in err) == (2, True)
    for given in (["--dependencies", str(heads)], ["--split", "token", "Dogs bark"]):
        code, _, err = run(*given, "--tags", str(tags), "--output", str(tags))
        assert (code, "which would be overwritten" in err) == (2, True)
    assert (heads.read_bytes(), tags.read_bytes()) == before


def test_a_model_that_is_none_leaves_an_older_output_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.mrg"
    target.write_text("precious\n", encoding="utf-8")
    assert bnaparse(["text", "--model", "no-such-model", "--output", str(target)]) == 2
    assert target.read_text(encoding="utf-8") == "precious\n"


def test_an_older_output_is_replaced(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "out.mrg"
    target.write_text("old\n" * 1000, encoding="utf-8")
    assert run("It rained.", "--output", str(target)) == (0, "", "")
    assert Tree.parse(target.read_text(encoding="utf-8")).words == ("It", "rained", ".")


def test_offsets_in_running_text_count_every_character_of_the_file(
    run: Run, tmp_path: Path
) -> None:
    text = "The cat sat\r\non the mat.\r\n\r\nDogs bark.\r\n"
    source = tmp_path / "in.txt"
    source.write_bytes(b"\xef\xbb\xbf" + text.encode())
    _, out, _ = run("--input", str(source), "--split", "text", "--format", "json")
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["text"] for answer in answers] == ["The cat sat\r\non the mat.", "Dogs bark."]
    for answer in answers:
        for token in answer["tokens"]:
            assert text[token["start"] : token["end"]] == token["text"]


def test_given_words_may_hold_blanks_that_are_not_ascii(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("  10\u00a0000 \u2028 people\n", encoding="utf-8")
    code, out, _ = run("--input", str(source), "--split", "token", "--format", "json")
    assert code == 0
    assert out.splitlines() == [out.removesuffix("\n")]  # U+2028 is escaped
    assert [t["text"] for t in json.loads(out)["tokens"]] == ["10\u00a0000", "\u2028", "people"]
    assert json.loads(out)["text"] == "10\u00a0000 \u2028 people"


def test_a_line_longer_than_what_is_read_at_once(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("It" + " " * 200_000 + "rained.\n\n" + " " * 200_000 + "Dogs bark.")
    code, out, _ = run("--input", str(source), "--split", "line")
    assert code == 0
    first, _, last, _ = out.split("\n")
    assert Tree.parse(first).words == ("It", "rained", ".")
    assert Tree.parse(last).words == ("Dogs", "bark", ".")


def test_all_trees_before_a_damaged_line_are_written(run: Run, tmp_path: Path) -> None:
    """Up to 1,024 sentences that were read ahead were lost."""
    text, trees = tmp_path / "late.txt", tmp_path / "late.mrg"
    text.write_bytes(b"Mira sang.\n" * 700 + b"Mira\x92s song.\n")
    code, _, error = run("-i", str(text), "-o", str(trees))
    assert code == 2
    assert "late.txt, line 701: byte 5 (0x92) is not UTF-8" in error
    assert len(trees.read_text(encoding="utf-8").splitlines()) == 700
